// SPDX-License-Identifier: BSD-2-Clause
// palmon probe: describes the PMU of each CPU, from its CPUID and, if they can be read, its MSRs.

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

// "0-3,8": the numbers of the CPUs like `first`, which precede and follow it in any order.
static void format_cpus(const struct probe *probe, const bool *alike, char *text, size_t size)
{
	int first = -1, last = -2;

	*text = '\0';
	for (size_t i = 0; i <= probe->count; i++) {
		const int number = i < probe->count ? (int)probe->cpu[i].number : -2;

		if (i < probe->count && !alike[i])
			continue;
		if (number >= 0 && number == last + 1) {
			last = number;
			continue;
		}
		if (last > first)
			add_text(text, size, "-%d", last);
		if (number >= 0)
			add_text(text, size, *text ? ",%d" : "%d", number);
		first = last = number;
	}
}

// Fields of more than 8 bits are masks and numbers of models.
static json_t *json_value(const struct probe_field *field, uint32_t value)
{
	return field->width > 8 ? json_hexadecimal(value, 1) : json_integer(value);
}

// A group of CPUs with the same answers, as JSON.
static json_t *describe_group(const struct probe_cpu *cpu, const char *cpus, bool differ)
{
	const struct pmu_driver *driver;
	const struct probe_field *field;
	struct probe_facts facts;
	const char *why;
	json_t *group, *leaves = json_array();
	uint32_t value;

	probe_facts(cpu, &facts);
	driver = probe_target(cpu, &why);
	if (facts.offered && !facts.extended && why)
		json_array_insert_new(facts.contradictions, 0, json_string(why));
	if (differ && !facts.hybrid)
		json_array_append_new(facts.contradictions,
				      json_string("other CPUs answer differently, but "
						  "CPUID.07H reports no cores that differ"));
	for (size_t next = 0; (field = probe_next_field(cpu, &next, &value));)
		json_array_append_new(leaves, json_pack("{s:o, s:i, s:s, s:s, s:o, s:s}", "leaf",
							json_hexadecimal(field->leaf, 2),
							"subleaf", (int)field->subleaf, "result",
							(const char *[]){"eax", "ebx", "ecx",
									 "edx"}[field->result],
							"name", field->name, "value",
							json_value(field, value), "text",
							field->text));
	group = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:b, s:s, s:s?, s:O, s:O, s:O, s:o}",
			  "cpus", cpus, "vendor", facts.vendor, "hypervisor", facts.hypervisor,
			  "family", (int)facts.family, "model", (int)facts.model, "stepping",
			  (int)facts.stepping, "offered", facts.offered, "pmu", facts.pmu,
			  "target", driver ? driver->name : NULL, "events", facts.available,
			  "absent", facts.absent, "contradictions", facts.contradictions,
			  "fields", leaves);
	probe_facts_end(&facts);
	return group;
}

//
// Text
//

static const char *text_of(json_t *object, const char *key)
{
	const char *const text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static int number_of(json_t *object, const char *key)
{
	return (int)json_integer_value(json_object_get(object, key));
}

#define LABEL_COLUMNS	17

static void print_label(const char *label, const char *text)
{
	print_wrapped_from(printf("  %-*s", LABEL_COLUMNS - 3, label), text, LABEL_COLUMNS);
}

static void print_list(json_t *object, const char *key, const char *label)
{
	json_t *const list = json_object_get(object, key), *element;
	char text[PROBE_TEXT] = "";
	size_t i;

	json_array_foreach(list, i, element)
		add_text(text, sizeof text, "%s%s", i ? ", " : "", json_string_value(element));
	if (*text)
		print_label(label, text);
}

static void print_each(json_t *object, const char *key, const char *label)
{
	json_t *element;
	size_t i;

	json_array_foreach(json_object_get(object, key), i, element)
		print_label(label, json_string_value(element));
}

#define RESULT_SIZE	32
#define FIELD_TEXT_COLUMN 49

// Prints a field that is not 0, after its register, unless `last` is the same register.
static void print_field(json_t *field, char last[RESULT_SIZE])
{
	const char *const mask = text_of(field, "value");
	const int number = number_of(field, "value");
	char result[RESULT_SIZE], value[16];

	if (!number && (!*mask || !strcmp(mask, "0x0")))
		return;
	snprintf(value, sizeof value, "%d", number);
	snprintf(result, sizeof result, "%s.%d %s", text_of(field, "leaf"),
		 number_of(field, "subleaf"), text_of(field, "result"));
	print_wrapped_from(printf("  %-16s %-18s %10s", strcmp(result, last) ? result : "",
				  text_of(field, "name"), *mask ? mask : value),
			   text_of(field, "text"), FIELD_TEXT_COLUMN);
	strcpy(last, result);
}

static void print_group(json_t *group)
{
	const char *const hypervisor = text_of(group, "hypervisor");
	char last[RESULT_SIZE] = "";
	json_t *field;
	size_t i;

	printf("CPUs %s: %s, family %d, model 0x%x, stepping %d\n", text_of(group, "cpus"),
	       text_of(group, "vendor"), number_of(group, "family"), number_of(group, "model"),
	       number_of(group, "stepping"));
	if (*hypervisor)
		print_label("hypervisor", hypervisor);
	print_label("PMU", text_of(group, "pmu"));
	print_list(group, "events", "events");
	print_list(group, "absent", "lacks");
	print_label("target", *text_of(group, "target") ? text_of(group, "target") : "none");
	print_each(group, "contradictions", "contradiction");
	json_array_foreach(json_object_get(group, "fields"), i, field)
		print_field(field, last);
}

static void print_registers(json_t *registers)
{
	json_t *r, *field;
	size_t i, k;

	json_array_foreach(registers, i, r) {
		const uint64_t value = strtoull(text_of(r, "value"), NULL, 16);

		printf("  %s (%s) = 0x%016" PRIx64 "\n", text_of(r, "reg"), text_of(r, "addr"),
		       value);
		json_array_foreach(json_object_get(r, "fields"), k, field)
			if (value)
				print_wrapped_from(printf("    %5s  %-22s %s",
							  text_of(field, "bits"),
							  text_of(field, "name"),
							  text_of(field, "value")),
						   text_of(field, "meaning"), 40);
	}
}

//
// The machine
//

static void print_groups(const struct probe *probe, bool json, bool *printed, bool *alike)
{
	char cpus[PROBE_TEXT];
	bool differ = false;

	for (size_t i = 1; i < probe->count; i++)
		differ |= !probe_alike(&probe->cpu[0], &probe->cpu[i]);
	for (size_t i = 0; i < probe->count; i++) {
		json_t *group;

		if (printed[i])
			continue;
		for (size_t k = 0; k < probe->count; k++) {
			alike[k] = k >= i && !printed[k] &&
				probe_alike(&probe->cpu[i], &probe->cpu[k]);
			printed[k] |= alike[k];
		}
		format_cpus(probe, alike, cpus, sizeof cpus);
		group = describe_group(&probe->cpu[i], cpus, differ);
		if (json) {
			print_json(group);
			continue;
		}
		print_group(group);
		json_decref(group);
	}
}

static void print_cpu(const struct probe *probe, const struct probe_cpu *cpu, bool json)
{
	const char *why;
	const struct pmu_driver *const driver = probe_target(cpu, &why);
	json_t *const object = json_pack("{s:i, s:o, s:o}", "cpu", (int)cpu->number, "registers",
					 probe_registers(cpu, driver), "uses",
					 probe_uses(probe, cpu, driver));

	if (json) {
		print_json(object);
		return;
	}
	printf("CPU %u:\n", cpu->number);
	print_each(object, "uses", "use");
	print_registers(json_object_get(object, "registers"));
	json_decref(object);
}

static bool print_probe(const struct probe *probe, bool json)
{
	bool *const printed = calloc(2 * probe->count, sizeof *printed);

	if (!printed) {
		complain("no memory");
		return false;
	}
	print_groups(probe, json, printed, printed + probe->count);
	free(printed);
	for (size_t i = 0; i < probe->count; i++)
		if (probe->cpu[i].msr_count)
			print_cpu(probe, &probe->cpu[i], json);
	if (*probe->no_msrs && json)
		print_json(json_pack("{s:s}", "no_msrs", probe->no_msrs));
	else if (*probe->no_msrs)
		print_wrapped_from(printf("MSRs are not read:"), probe->no_msrs, 2);
	return true;
}

// Reads the options. False after a complaint.
static bool read_options(int argc, char **argv, const char **from, bool *raw, bool *json)
{
	static const struct option known[] = {{"from", required_argument, NULL, 'f'},
					      {"raw", no_argument, NULL, 'r'},
					      {"json", no_argument, NULL, 'j'}, {0}};

	for (int option; (option = getopt_long(argc, argv, "j", known, NULL)) != -1;) {
		if (option == '?' || (option == 'f' && !take_once(from, optarg, "--from")))
			return false;
		*raw |= option == 'r';
		*json |= option == 'j';
	}
	if (*raw && *json)
		complain("--raw prints no JSON");
	else if (optind < argc)
		complain("'%s': probe takes no arguments", argv[optind]);
	else
		return true;
	return false;
}

int command_probe(int argc, char **argv)
{
	struct probe probe = {.watchdog = -1};
	bool raw = false, json = false, ok;
	const char *from = NULL;

	if (!read_options(argc, argv, &from, &raw, &json))
		return usage_error();
	ok = from ? probe_read_file(from, &probe) : probe_read_machine(&probe);
	if (ok && !from)
		probe_read_msrs(&probe, probe_addresses);
	if (ok && raw)
		probe_print(&probe);
	else if (ok)
		ok = print_probe(&probe, json);
	free(probe.cpu);
	return ok ? PALMON_DONE : PALMON_FAILED;
}
