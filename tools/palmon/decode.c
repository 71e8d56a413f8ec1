// SPDX-License-Identifier: BSD-2-Clause
// palmon decode: explains a register's value field by field.

#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "meaning.h"
#include "palmon.h"

// A register and its value from the command line.
struct assignment {
	struct palmon_register reg;
	uint64_t value;
};

//
// Meanings
//

static const char *const access_names[] = {
	[FIELD_RW] = "rw", [FIELD_RO] = "ro", [FIELD_WO] = "wo", [FIELD_W1C] = "w1c",
	[FIELD_W0C] = "w0c",
	[FIELD_IGN] = "ign", [FIELD_RSVD] = "rsvd", [FIELD_SXT] = "sxt",
};

uint64_t field_value(const struct field *f, uint64_t value)
{
	return (value & FIELD_MASK(f->low, f->width)) >> f->low;
}

const char *field_meaning(const char *target, const char *register_name, const struct field *f,
			  uint64_t value)
{
	const struct target_meanings *t = meanings_of(target);

	for (size_t i = 0; t && i < t->count; i++) {
		const struct field_meaning *m = &t->meaning[i];

		if ((m->value == MEANING_ANY || m->value == value) &&
		    !fnmatch(m->field, f->name, 0) &&
		    !fnmatch(m->registers, register_name, 0))
			return m->text;
	}
	return "";
}

// Explains bits that store nothing; set bits deserve a warning.
static const char *explain_access(const struct field *f, uint64_t value)
{
	const uint64_t field = field_value(f, value), all = FIELD_MASK(0, f->width);

	switch (f->access) {
	case FIELD_RSVD:
		return field ? "reserved bits are set: this write faults" : "reserved: must be 0";
	case FIELD_IGN:
		return field ? "ignored bits are set: they read as 0" : "ignored: reads as 0";
	case FIELD_SXT:
		if (field == (f->low && value >> (f->low - 1) & 1 ? all : 0))
			return "copies of the bit below";
		return "not copies of the bit below: the written value is ignored";
	default:
		return NULL;
	}
}

static const char *meaning_of(const char *target, const char *register_name, const struct field *f,
			      uint64_t value)
{
	const char *text = explain_access(f, value);

	return text ? text : field_meaning(target, register_name, f, field_value(f, value));
}

//
// Events
//

// Whether the name of an event is another event's name plus a suffix for the value of a register
// that both need. The output then names the event where it explains that register.
static bool is_told_by_setting(const struct pmu_driver *driver, const struct pmu_event *e)
{
	for (size_t i = 0; e->setting_value && i < driver->events->count; i++) {
		const struct pmu_event *other = &driver->events->event[i];
		size_t length = strlen(other->name);

		if (other->setting_address == e->setting_address &&
		    !strncmp(e->name, other->name, length) &&
		    e->name[length] == '.')
			return true;
	}
	return false;
}

// The names of all events that need this value in the register.
static json_t *find_set(const struct pmu_driver *driver, const struct assignment *a)
{
	json_t *names = json_array();

	for (size_t i = 0; i < driver->events->count; i++) {
		const struct pmu_event *e = &driver->events->event[i];

		if (e->setting_address && e->setting_address == a->reg.address &&
		    e->setting_value == a->value)
			json_array_append_new(names, json_string(e->name));
	}
	return names;
}

// The names of all events that a counter counts with this code and unit mask; with `exactly`, this
// condition, too.
static json_t *find_events(const struct pmu_driver *driver, unsigned counter, bool exactly,
			   const struct event_request *selected)
{
	json_t *names = json_array();

	for (size_t i = 0; i < driver->events->count; i++) {
		const struct pmu_event *e = &driver->events->event[i];

		if (e->counters >> counter & 1 && pmu_event_is(driver, e, selected, exactly) &&
		    !is_told_by_setting(driver, e))
			json_array_append_new(names, json_string(e->name));
	}
	return names;
}

// The request that encode would turn into this value: several joined events, or a raw one. Empty:
// the driver refuses it.
static json_t *find_request(const struct pmu_driver *driver, const struct event_request *selected)
{
	struct event_request request;
	char text[EVENT_TEXT_SIZE];

	if (!pmu_read_raw(driver, pmu_raw_counter(driver), pmu_raw_select(driver, selected),
			  &request))
		return json_array();
	request.levels = (1u << EVENT_LEVELS) - 1;
	if (driver->objection && driver->objection(&request))
		return json_array();
	format_event_name(driver, &request, text, sizeof text);
	return json_pack("[s]", text);
}

json_t *events_selected(const struct pmu_driver *driver, unsigned counter, uint64_t value)
{
	struct event_request selected;
	json_t *names;

	if (driver->shape->fixed >> counter & 1)
		return json_array();
	pmu_read_select(driver, counter, value, &selected);
	names = find_events(driver, counter, true, &selected);
	if (!json_array_size(names)) {
		json_decref(names);
		names = find_events(driver, counter, false, &selected);
	}
	if (!json_array_size(names)) {
		json_decref(names);
		names = find_request(driver, &selected);
	}
	return names;
}

// The events selected by a register's value, for each counter whose select it is. For another
// register, the events that need this value. Empty: none.
static json_t *events_of(const struct pmu_driver *driver, const struct assignment *a)
{
	json_t *names = NULL;

	for (unsigned counter = 0; counter < PMU_COUNTER_NUMBERS; counter++) {
		json_t *selected;

		if (!(driver->shape->counters >> counter & 1) ||
		    driver->control(counter) != a->reg.address)
			continue;
		selected = events_selected(driver, counter, a->value);
		if (!names)
			names = json_array();
		json_array_extend(names, selected);
		json_decref(selected);
	}
	return names ? names : find_set(driver, a);
}

//
// Printing
//

void format_bits(const struct field *f, char text[8])
{
	if (f->width == 1)
		snprintf(text, 8, "%u", f->low);
	else
		snprintf(text, 8, "%u:%u", f->low + f->width - 1, f->low);
}

static enum register_scope scope_of(const struct pmu_driver *driver, const struct assignment *a)
{
	return register_scope(pmu_model_find(driver->name), &a->reg);
}

static void print_register_json(const struct pmu_driver *driver, const struct assignment *a)
{
	const struct register_description *d = a->reg.description;
	char name[REGISTER_NAME_SIZE], bits[8];
	json_t *fields = json_array();

	register_name(&a->reg, name);
	for (unsigned i = 0; i < d->fields; i++) {
		const struct field *f = &d->field[i];

		format_bits(f, bits);
		json_array_append_new(fields, json_pack("{s:s, s:s, s:o, s:s, s:s}", "name",
							f->name, "bits", bits,
							"value",
							json_hexadecimal(field_value(f, a->value),
									 1),
							"access", access_names[f->access],
							"meaning",
							meaning_of(driver->name, name, f,
								   a->value)));
	}
	print_json(json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o}", "target", driver->name, "reg",
			     name,
			     "addr", json_hexadecimal(a->reg.address, 1), "value",
			     json_hexadecimal(a->value, 1),
			     "scope", register_scopes[scope_of(driver, a)], "fields", fields,
			     "events", events_of(driver, a)));
}

#define MEANING_COLUMN 41	/* indent of continuation lines */

static void print_register(const struct pmu_driver *driver, const struct assignment *a)
{
	static const char *const shared[] = {
		[REGISTER_OF_THREAD] = "",
		[REGISTER_OF_CORE] = "  shared by all threads of a core\n",
		[REGISTER_OF_PACKAGE] = "  shared by all cores of a package\n",
	};
	const struct register_description *d = a->reg.description;
	char name[REGISTER_NAME_SIZE], bits[8];
	json_t *events = events_of(driver, a), *event;
	size_t index;
	int column;

	register_name(&a->reg, name);
	printf("%s (0x%" PRIx32 ") = 0x%016" PRIx64 "\n%s", name, a->reg.address, a->value,
	       shared[scope_of(driver, a)]);
	for (unsigned i = 0; i < d->fields; i++) {
		const struct field *f = &d->field[i];
		const char *meaning = meaning_of(driver->name, name, f, a->value);

		format_bits(f, bits);
		column = printf("  %5s  %-20s %-4s  0x%" PRIx64 "%s", bits, f->name,
				access_names[f->access],
				field_value(f, a->value), *meaning ? " " : "");
		print_wrapped_from(column, meaning, MEANING_COLUMN);
	}
	json_array_foreach(events, index, event)
		printf("  event: %s\n", json_string_value(event));
	json_decref(events);
}

//
// The command line
//

// "PMC0-13, PMD0-17, PMV"
static void format_registers(const struct pmu_model *model, char *text, size_t size)
{
	struct palmon_register r, last = {0};
	size_t used = 0;
	int first = -1;

	*text = '\0';
	for (uint64_t least = 0; register_from(model, least, &r) && used < size;
	     least = r.address + 1ULL) {
		char name[REGISTER_NAME_SIZE];
		bool goes_on = last.description && r.number >= 0 && r.number == last.number + 1 &&
			       !strcmp(r.description->name, last.description->name);

		register_name(&r, name);
		if (!goes_on) {
			if (last.description && last.number > first)
				used += (size_t)snprintf(text + used, size - used, "-%d",
							 last.number);
			if (used < size)
				used += (size_t)snprintf(text + used, size - used, "%s%s",
							 used ? ", " : "", name);
			first = r.number;
		}
		last = r;
	}
	if (last.description && last.number > first && used < size)
		snprintf(text + used, size - used, "-%d", last.number);
}

// Parses REG=VALUE. False after a complaint.
static bool read_assignment(const struct pmu_driver *driver, const char *text, struct assignment *a)
{
	const struct pmu_model *model = pmu_model_find(driver->name);
	const char *equals = strchr(text, '=');
	char name[REGISTER_NAME_SIZE];

	if (!equals) {
		complain("'%s' is not REG=VALUE", text);
		return false;
	}
	snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
	if ((size_t)(equals - text) >= sizeof name || !register_by_name(model, name, &a->reg)) {
		char names[1024];

		format_registers(model, names, sizeof names);
		complain("%s has no register '%.*s'; registers are: %s", driver->name,
			 (int)(equals - text), text, names);
		return false;
	}
	if (!read_number(equals + 1, '\0', &a->value)) {
		complain("'%s' is not a number of 64 bits", equals + 1);
		return false;
	}
	return true;
}

int command_decode(int argc, char **argv)
{
	struct target_options options;
	struct assignment assignment;

	if (!read_target_options(argc, argv, &options))
		return PALMON_USAGE;
	if (optind == argc) {
		complain("which registers? REG=VALUE");
		return usage_error();
	}
	for (int i = optind; i < argc; i++)
		if (!read_assignment(options.driver, argv[i], &assignment))
			return PALMON_USAGE;
	for (int i = optind; i < argc; i++) {
		read_assignment(options.driver, argv[i], &assignment);
		(options.json ? print_register_json : print_register)(options.driver, &assignment);
	}
	return PALMON_DONE;
}
