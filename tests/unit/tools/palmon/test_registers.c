// SPDX-License-Identifier: BSD-2-Clause
// palmon encode and palmon decode, compared with each other for every event of every target, and
// with libpfm4.

#include "unit.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "palmon.h"
#include "pmu/libpfm.h"
#include "shim.h"

// Runs a command with one or two arguments. Returns its output: an array of the JSON lines.
static json_t *run(int (*command)(int, char **), const char *target, const char *first,
		   const char *second)
{
	char *arguments[] = {"palmon test", "-j", "-t", (char *)target, (char *)first,
			     (char *)second, NULL};
	FILE *terminal = stdout;
	json_t *objects = json_array();
	char *text = NULL, *rest;
	size_t size;
	int status;

	optind = 0;		// restarts getopt
	stdout = open_memstream(&text, &size);
	status = command(second ? 6 : 5, arguments);
	fclose(stdout);
	stdout = terminal;
	assert_int_equal(status, PALMON_DONE);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *object = json_loads(line, 0, NULL);

		if (!object)
			fail_msg("not JSON: %s", line);
		json_array_append_new(objects, object);
	}
	free(text);
	return objects;
}

static const char *string_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

static uint64_t number_of(json_t *object, const char *key)
{
	return strtoull(string_of(object, key), NULL, 16);
}

// The value that encoding one event writes to a register; fails if there is no such write.
static uint64_t written(const char *target, const char *event, uint32_t address)
{
	json_t *objects = run(command_encode, target, event, NULL), *write;
	size_t i;

	assert_int_equal(json_array_size(objects), 1);
	json_array_foreach(json_object_get(json_array_get(objects, 0), "writes"), i, write)
		if (number_of(write, "addr") == address) {
			uint64_t value = number_of(write, "value");

			json_decref(objects);
			return value;
		}
	fail_msg("%s does not write %#" PRIx32, event, address);
	return 0;
}

//
// Every event
//

static bool names(json_t *object, const char *event)
{
	json_t *name;
	size_t i;

	json_array_foreach(json_object_get(object, "events"), i, name)
		if (!strcmp(json_string_value(name), event))
			return true;
	return false;
}

// The counters that palmon uses: of each memory controller of the SPARC T4 counters 0 and 1,
// because 2 and 3 belong to power management (Table 10-6).
static uint64_t used(const struct pmu_driver *driver)
{
	return strcmp(driver->name, "sparct4-dram") ? UINT64_MAX : 0x3333;
}

// An event as a request that a counter can satisfy: some need a value of their additional register,
// or samples.
static void complete(const struct pmu_driver *driver, const struct pmu_event *e,
		     char text[EVENT_TEXT_SIZE])
{
	static const char *const missing[] = {
		"", ":msr=0x101", ":msr=0x4280", ":p:period=1000", ":ldlat=3:p:period=1000",
	};
	bool can = false;

	assert_true(start_shim(driver, ""));	// some drivers' choices depend on bring-up
	for (size_t i = 0; !can && i < sizeof missing / sizeof *missing; i++) {
		const char *at = text;
		struct event_request request;

		snprintf(text, EVENT_TEXT_SIZE, "%s%s", e->name, missing[i]);
		can = !event_parse(driver->events, &at, &request) && driver->choices(&request);
	}
	shim_end();
	if (!can)
		fail_msg("%s: %s cannot be counted", driver->name, e->name);
}

// Whether decoding a register's value names an event.
static bool decode_names(const struct pmu_driver *driver, const struct pmu_event *e,
			 uint32_t address, uint64_t value)
{
	char assignment[64];
	json_t *objects;
	bool found;

	snprintf(assignment, sizeof assignment, "%#" PRIx32 "=%#" PRIx64, address, value);
	objects = run(command_decode, driver->name, assignment, NULL);
	found = names(json_array_get(objects, 0), e->name);
	json_decref(objects);
	return found;
}

// Checks that decode names the event; an event that is one value of another register is named by
// that register.
static void decode_finds(const struct pmu_driver *driver, const struct pmu_event *e,
			 unsigned counter)
{
	const uint32_t address = driver->control(counter);
	char event[EVENT_TEXT_SIZE];
	size_t length;

	complete(driver, e, event);
	length = strlen(event);
	snprintf(event + length, sizeof event - length, ":ctr=%u", counter);
	if (!decode_names(driver, e, address, written(driver->name, event, address)) &&
	    !(e->setting_address && decode_names(driver, e, e->setting_address, e->setting_value)))
		fail_msg("%s: %s is not found", driver->name, event);
}

// Tests the lowest and the highest of each event's counters with their own select.
static void decode_finds_every_event_that_encode_writes(void **state)
{
	(void)state;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		for (size_t i = 0; i < (*d)->events->count; i++) {
			const struct pmu_event *e = &(*d)->events->event[i];
			uint64_t counters = e->counters & ~(*d)->shape->fixed & used(*d);

			if (!counters)
				continue;
			decode_finds(*d, e, (unsigned)__builtin_ctzll(counters));
			decode_finds(*d, e, 63 - (unsigned)__builtin_clzll(counters));
		}
}

// encode accepts its own spelling of an event, and prints the same again.
static void assert_spelled_out(const char *target, const char *event, const char *expected)
{
	json_t *once = run(command_encode, target, event, NULL), *twice;
	const char *text = string_of(json_array_get(once, 0), "event");

	if (expected)
		assert_string_equal(text, expected);
	twice = run(command_encode, target, text, NULL);
	if (!json_equal(once, twice))
		fail_msg("%s, spelled out as %s, is another event", event, text);
	json_decref(once);
	json_decref(twice);
}

static void encode_reads_what_it_spells_out(void **state)
{
	(void)state;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		for (size_t i = 0; i < (*d)->events->count; i++) {
			const struct pmu_event *e = &(*d)->events->event[i];
			char event[EVENT_TEXT_SIZE];

			if (!(e->counters & used(*d)))
				continue;
			complete(*d, e, event);
			assert_spelled_out((*d)->name, event, NULL);
		}
	assert_spelled_out("nehalem", "br_inst_retired.all_branches:pebs:lbr=8:period=9:ctr=1",
		"BR_INST_RETIRED.ALL_BRANCHES:plm=15:c=0:i=0:e=0:t=0:lbr=0x8:p:period=9:ctr=1");
	assert_spelled_out("nehalem", "offcore_response_0:msr=0x4001:ctr=2",
			   "OFFCORE_RESPONSE_0:plm=15:c=0:i=0:e=0:t=0:msr=0x4001:ctr=2");
	assert_spelled_out("nehalem", "uops_issued.any:c=16:i:e:t:u:ctr=2:period=1000",
			   "UOPS_ISSUED.ANY:plm=8:c=16:i=1:e=1:t=1:period=1000:ctr=2");
	assert_spelled_out("nehalem", "UOPS_ISSUED.STALL_CYCLES:i=0:k:ctr=1",
			   "UOPS_ISSUED.STALL_CYCLES:plm=1:c=1:i=0:e=0:t=0:ctr=1");
	assert_spelled_out("itanium", "cpu_cycles:plm=6:ism=1:ctr=7",
			   "CPU_CYCLES:plm=6:c=0:ism=1:ctr=7");
	assert_spelled_out("itanium",
			   "loads_retired:dar=0x10000-0x1ffff:iar=0x20-0x3f"
			   ":opc=0x8000000000/0x1fffffff/m:ctr=5",
			   "LOADS_RETIRED:plm=15:c=0:ism=0:iar=0x20-0x3f:dar=0x10000-0x1ffff"
			   ":opc=0x8000000000/0x1fffffff/m:ctr=5");
	assert_spelled_out("itanium", "data_ear_events:lat=64:ctr=6",
			   "DATA_EAR_EVENTS:plm=15:c=0:ism=0:lat=64:ctr=6");
	assert_spelled_out("itanium", "data_ear_events:tlb=14:ctr=6",
			   "DATA_EAR_EVENTS:plm=15:c=0:ism=0:tlb=14:ctr=6");
	assert_spelled_out("itanium", "branch_event:btb=0xf380:ctr=6",
			   "BRANCH_EVENT:plm=15:c=0:ism=0:btb=0xf380:ctr=6");
}

// Section 7.8, PIPELINE_FLUSH (Table 7-32): IEU_FLUSH is unit-mask bit 3, DTC_FLUSH bit 2.
static void joined_unit_masks_are_spelled_out_and_found(void **state)
{
	json_t *objects;

	(void)state;
	assert_spelled_out("itanium", "pipeline_flush.dtc_flush+ieu_flush:ctr=4",
			   "PIPELINE_FLUSH.DTC_FLUSH+IEU_FLUSH:plm=15:c=0:ism=0:ctr=4");
	assert_spelled_out("itanium", "pipeline_flush:ieu_flush:dtc_flush:ctr=4",
			   "PIPELINE_FLUSH.IEU_FLUSH+DTC_FLUSH:plm=15:c=0:ism=0:ctr=4");
	objects = run(command_decode, "itanium", "PMC4=0xc330f", NULL);
	assert_int_equal(json_array_size(json_object_get(json_array_get(objects, 0), "events")), 1);
	assert_true(names(json_array_get(objects, 0), "PIPELINE_FLUSH.DTC_FLUSH+IEU_FLUSH"));
	json_decref(objects);
}

// Raw events in the table become those events; others stay raw. PerfEvtSel (guide, Appendix II):
// event 7:0, unit mask 15:8; PMC4 (Table 6-6): es 14:8, umask 19:16; PCR (Table 10-1): mask 10:5,
// sl 15:11.
static void raw_events_are_spelled_out_and_found(void **state)
{
	static const struct {
		const char *target, *event, *spelled, *name;
		uint32_t address;
	} cases[] = {
		{"nehalem", "r01c0:ctr=1", "INST_RETIRED.ANY_P:plm=15:c=0:i=0:e=0:t=0:ctr=1",
		 "INST_RETIRED.ANY_P", 0x187},
		{"nehalem", "r77c0:u:c=2:ctr=1", "raw=0x77c0:plm=8:c=2:i=0:e=0:t=0:ctr=1",
		 "raw=0x77c0", 0x187},
		{"nehalem", "raw=0x28477c0:period=9:ctr=1",
		 "raw=0x77c0:plm=15:c=2:i=1:e=1:t=0:period=9:ctr=1",
		 "raw=0x77c0", 0x187},
		{"nehalem-uncore", "r03ee:ctr=7", "raw=0x3ee:plm=15:c=0:i=0:e=0:ctr=7", "raw=0x3ee",
		 0x3C7},
		{"knc", "r33f5:t:ctr=1", "raw=0x33f5:plm=15:c=0:i=0:e=0:t=1:ctr=1", "raw=0x33f5",
		 0x29},
		{"itanium", "raw=0x2551301:ctr=5", "raw=0x51300:plm=1:c=5:ism=2:ctr=5",
		 "raw=0x51300", 5},
		{"sparct4", "raw=0x1fe0:ctr=3", "Instr_all:plm=14:ctr=3", "Instr_all", 0x6403},
		{"sparct4-dram", "raw=8:ctr=5", "raw=0x8:plm=15:ctr=5", "READS.MCU1", 0x80040801},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct pmu_driver *driver = pmu_driver_find(cases[i].target);
		char assignment[64];
		json_t *objects;

		assert_spelled_out(driver->name, cases[i].event, cases[i].spelled);
		snprintf(assignment, sizeof assignment, "%#" PRIx32 "=%#" PRIx64, cases[i].address,
			 written(driver->name, cases[i].event, cases[i].address));
		objects = run(command_decode, driver->name, assignment, NULL);
		if (!names(json_array_get(objects, 0), cases[i].name))
			fail_msg("%s: %s is not found in %s", driver->name, cases[i].name,
				 assignment);
		json_decref(objects);
	}
}

//
// Every field
//

static void assert_meanings(const struct pmu_driver *driver, const char *name, uint64_t value)
{
	char assignment[REGISTER_NAME_SIZE + 32];
	json_t *objects, *field;
	uint64_t whole = 0;
	size_t i;

	snprintf(assignment, sizeof assignment, "%s=%" PRIu64, name, value);
	objects = run(command_decode, driver->name, assignment, NULL);
	json_array_foreach(json_object_get(json_array_get(objects, 0), "fields"), i, field) {
		const char *bits = string_of(field, "bits"), *colon = strchr(bits, ':');

		if (!*string_of(field, "meaning"))
			fail_msg("%s: %s.%s has no meaning", driver->name, name,
				 string_of(field, "name"));
		whole |= number_of(field, "value") << strtoul(colon ? colon + 1 : bits, NULL, 10);
	}
	assert_int_equal(whole, value);
	json_decref(objects);
}

static void every_field_of_every_register_means_something(void **state)
{
	static const uint64_t values[] = {0, ~0ULL, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA,
					  0x0123456789ABCDEF};

	(void)state;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++) {
		const struct pmu_model *model = pmu_model_find((*d)->name);
		struct palmon_register r;

		for (uint64_t least = 0; register_from(model, least, &r);
		     least = r.address + 1ULL) {
			char name[REGISTER_NAME_SIZE];

			register_name(&r, name);
			for (size_t i = 0; i < sizeof values / sizeof *values; i++)
				assert_meanings(*d, name, values[i]);
		}
	}
}

//
// libpfm4. It sets INT and EN, like the driver.
//

static void encode_agrees_with_libpfm(void **state)
{
	static const struct {
		const char *ours, *theirs;
	} pairs[] = {
		{"UOPS_ISSUED.ANY", "nhm::UOPS_ISSUED:ANY:u:k"},
		{"UOPS_ISSUED.FUSED:u", "nhm::UOPS_ISSUED:FUSED:u"},
		{"UOPS_EXECUTED:PORT0:k:c=2", "nhm::UOPS_EXECUTED:PORT0:k:c=2"},
		{"UOPS_RETIRED.ANY:c=1:i", "nhm::UOPS_RETIRED:ANY:u:k:c=1:i"},
		{"UOPS_RETIRED.STALL_CYCLES", "nhm::UOPS_RETIRED:STALL_CYCLES:u:k"},
		{"ARITH.DIV:u", "nhm::ARITH:DIV:u"},
		{"RESOURCE_STALLS.ANY:c=1:e:t", "nhm::RESOURCE_STALLS:ANY:u:k:c=1:e:t"},
		{"uops_retired.macro_fused:cmask=4:inv=1:edge=1",
		 "nhm::UOPS_RETIRED:MACRO_FUSED:u:k:c=4:i:e"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		uint64_t codes[LIBPFM_CODES];
		char event[EVENT_TEXT_SIZE];

		libpfm_encode(pairs[i].theirs, 0, codes);
		snprintf(event, sizeof event, "%s:ctr=0", pairs[i].ours);
		assert_int_equal(written("nehalem", event, 0x186), codes[0]);
		snprintf(event, sizeof event, "nhm::raw=%#" PRIx64 ":ctr=0", codes[0]);
		assert_int_equal(written("nehalem", event, 0x186), codes[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode_finds_every_event_that_encode_writes),
		cmocka_unit_test(encode_reads_what_it_spells_out),
		cmocka_unit_test(joined_unit_masks_are_spelled_out_and_found),
		cmocka_unit_test(raw_events_are_spelled_out_and_found),
		cmocka_unit_test(every_field_of_every_register_means_something),
		cmocka_unit_test(encode_agrees_with_libpfm),
	};

	libpfm_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
