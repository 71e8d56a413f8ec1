// SPDX-License-Identifier: BSD-2-Clause
// palmon list: a target's events, and how many of them an emulated machine can count.

#include <stdio.h>
#include <string.h>

#include "colour.h"
#include "event_file.h"
#include "palmon.h"
#include "vpmu.h"

// The PMU that an event belongs to.
static const char *unit_of(const struct pmu_driver *driver)
{
	return driver->cores ? "uncore" : "core";
}

static json_t *json_applies(uint8_t applies)
{
	return applies == EVENT_APPLIES_PARTLY ? json_string("partial") :
	       json_boolean(applies == EVENT_APPLIES);
}

// Whether an event counts on an emulated machine with any possible number of packages. The event
// table can state it; otherwise the model is asked, as the plugin does (vpmu.h). *timed: only with
// the timed clock.
static enum event_emulation emulation(const struct pmu_driver *driver, const struct pmu_event *e,
				      bool *timed)
{
	const struct pmu_model *model = pmu_model_find(driver->name);
	bool exact;

	*timed = false;
	if (e->emulation)
		return (enum event_emulation)e->emulation;
	if (vpmu_happens(model, e->code, e->umask, e->setting_value, 2, MODEL_UNIT_CLOCK, &exact))
		return exact ? EVENT_EXACT : EVENT_MODELLED;
	*timed = vpmu_happens(model, e->code, e->umask, e->setting_value, 2, MODEL_TIMED_CLOCK,
			      &exact);
	return *timed ? EVENT_MODELLED : EVENT_ABSENT;
}

static const char *const emulations[] = {
	[EVENT_EXACT] = "exact", [EVENT_MODELLED] = "modelled", [EVENT_ABSENT] = "absent",
};
#define EMULATIONS (sizeof emulations / sizeof *emulations)

// `same`: the events that an alias stands for; "": not an alias.
static void print_event_json(const struct pmu_driver *driver, const struct pmu_event *e,
			     const char *same)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:o, s:i, s:b, s:s}", "target",
				   driver->name,
				   "unit", unit_of(driver), "name", e->name, "code", e->code,
				   "umask", e->umask,
				   "umask_care", e->umask_care, "counters",
				   json_counters(e->counters & driver->shape->counters), "max",
				   e->max,
				   "precise", e->precise, "desc", e->description);
	bool timed;

	if (driver->shape->features & PMU_FEATURE_QUALIFY) {
		json_object_set_new(object, "iar", json_applies(e->code_range));
		json_object_set_new(object, "opm", json_applies(e->opcode));
		json_object_set_new(object, "dar", json_applies(e->data_range));
	}
	if (driver->shape->features & PMU_FEATURE_THRESHOLD) {
		json_object_set_new(object, "cmask", json_integer(e->cmask));
		json_object_set_new(object, "inv", json_boolean(e->modifiers & EVENT_INV));
		json_object_set_new(object, "edge", json_boolean(e->modifiers & EVENT_EDGE));
		json_object_set_new(object, "any", json_boolean(e->modifiers & EVENT_ANY));
		json_object_set_new(object, "msr", json_integer(e->setting_address));
		json_object_set_new(object, "msr_value",
				    json_integer((json_int_t)e->setting_value));
	}
	json_object_set_new(object, "emulation",
			    json_string(emulations[emulation(driver, e, &timed)]));
	if (timed)
		json_object_set_new(object, "clock", json_string("timed"));
	if (driver->events->alias_count)
		json_object_set_new(object, "same", json_string(same));
	print_json(object);
}

// Further properties of an event, in words.
static void format_remarks(const struct pmu_driver *driver, const struct pmu_event *e, char *text,
			   size_t size)
{
	bool timed;
	const char *emulated = emulations[emulation(driver, e, &timed)];
	const struct {
		const char *word;
		unsigned holds;
	} remarks[] = {
		{"inv", e->modifiers & EVENT_INV}, {"edge", e->modifiers & EVENT_EDGE},
		{"any", e->modifiers & EVENT_ANY},
		{"precise", e->precise},
		{"iar", e->code_range == EVENT_APPLIES},
		{"iar(partly)", e->code_range == EVENT_APPLIES_PARTLY},
		{"opm", e->opcode == EVENT_APPLIES},
		{"opm(partly)", e->opcode == EVENT_APPLIES_PARTLY},
		{"dar", e->data_range == EVENT_APPLIES},
		{"dar(partly)", e->data_range == EVENT_APPLIES_PARTLY},
		{emulated, true}, {"CLOCK=timed", timed},
	};
	size_t used = e->cmask ? (size_t)snprintf(text, size, " c=%u", e->cmask) : 0;

	text[used] = '\0';
	for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
		if (remarks[i].holds)
			used += (size_t)snprintf(text + used, size - used, " %s", remarks[i].word);
}

#define NAME_COLUMN 23

// The column before the name is narrower if a name would not fit into the line of 80 columns.
static int max_width(const char *name)
{
	const size_t end = NAME_COLUMN + strlen(name);

	return end <= 80 ? 3 : end < 82 ? 2 : 1;
}

static void print_event(const struct pmu_driver *driver, const struct pmu_event *e)
{
	char counters[64], code[16], remarks[96], text[1024];

	snprintf(code, sizeof code, "0x%02x/%02x", e->code, e->umask);
	format_counters(e->counters & driver->shape->counters, counters, sizeof counters);
	format_remarks(driver, e, remarks, sizeof remarks);
	snprintf(text, sizeof text, "%s%s%s%s", e->description, *remarks ? " [" : "",
		 remarks + !!*remarks, *remarks ? "]" : "");
	printf("%-8s %-9s %*u %s%s%s\n", code, counters, max_width(e->name), e->max,
	       colour(COLOUR_HEADING), e->name, colour(COLOUR_END));
	print_wrapped(text, NAME_COLUMN);
}

// Prints the entries that match a pattern, after a heading.
struct listing {
	const struct target_options *options;
	const char *pattern;
	bool any;
};

static void list(struct listing *l, const struct pmu_event *e, const char *same)
{
	if (!name_matches(e->name, l->pattern))
		return;
	if (!l->options->json && !l->any)
		printf("%-8s %-9s %3s %s\n", "code", "counters", "max", "event");
	l->any = true;
	if (l->options->json)
		print_event_json(l->options->driver, e, same);
	else
		print_event(l->options->driver, e);
}

#define ALIAS_TEXT 512

// The events that an alias stands for, as text that can be wrapped.
static void describe_alias(const struct pmu_event_alias *alias, char text[ALIAS_TEXT])
{
	int used = snprintf(text, ALIAS_TEXT, "the same as ");

	for (const char *s = alias->text; *s && used < ALIAS_TEXT;
	     s += strcspn(s, "+"), s += *s == '+')
		used += snprintf(text + used, ALIAS_TEXT - (size_t)used, "%s%.*s",
				 s == alias->text ? "" : " + ", (int)strcspn(s, "+"), s);
}

// Lists an alias as its event with all unit masks joined.
static void list_alias(struct listing *l, const struct pmu_event_alias *alias)
{
	const char *text = alias->text;
	char description[ALIAS_TEXT];
	struct event_request request;
	struct pmu_event e;

	if (event_parse(l->options->driver->events, &text, &request))
		return;
	e = *request.event;
	e.name = alias->name;
	e.umask = request.umask;
	e.umask_care |= request.umask;
	describe_alias(alias, description);
	e.description = description;
	list(l, &e, alias->text);
}

// Whether two names select one event with different values of its additional register: requests and
// responses of OFFCORE_RESPONSE_0, or a latency.
static bool is_one(const struct pmu_event *a, const struct pmu_event *b)
{
	return a->setting_address && a->setting_address == b->setting_address &&
	       a->code == b->code &&
	       a->umask == b->umask && a->cmask == b->cmask && a->modifiers == b->modifiers;
}

// Combines the entries of one event; `first` is the first of them. The event is absent if all
// entries are. False: an earlier entry is of the same event.
static bool summarize_event(const struct pmu_driver *driver, size_t first, enum event_emulation *is)
{
	const struct pmu_event *e = driver->events->event;
	bool timed;

	for (size_t i = 0; i < first; i++)
		if (is_one(&e[i], &e[first]))
			return false;
	*is = emulation(driver, &e[first], &timed);
	for (size_t i = first + 1; *is == EVENT_ABSENT && i < driver->events->count; i++)
		if (is_one(&e[first], &e[i]))
			*is = emulation(driver, &e[i], &timed);
	return true;
}

// Counts events, not their further names.
static void summarize(const struct pmu_driver *driver, bool json)
{
	const struct pmu_event_table *table = driver->events;
	unsigned are[EMULATIONS] = {0};
	enum event_emulation is;
	size_t events = 0;

	for (size_t i = 0; i < table->count; i++)
		if (summarize_event(driver, i, &is)) {
			are[is]++;
			events++;
		}
	if (json)
		print_json(json_pack("{s:s, s:I, s:i, s:i, s:i}", "target", driver->name,
				     "events", (json_int_t)events, "exact", are[EVENT_EXACT],
				     "modelled", are[EVENT_MODELLED], "absent", are[EVENT_ABSENT]));
	else
		printf("%-14s %6zu %6u %9u %7u\n", driver->name, events, are[EVENT_EXACT],
		       are[EVENT_MODELLED], are[EVENT_ABSENT]);
}

static void print_summary(const struct target_options *options)
{
	if (!options->json)
		printf("%-14s %6s %6s %9s %7s\n", "target", "events", "exact", "modelled",
		       "absent");
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if (!options->driver || options->driver == *d)
			summarize(*d, options->json);
}

int command_list(int argc, char **argv)
{
	struct target_options options;
	struct listing listing = {.options = &options};
	const struct pmu_event_table *table;
	bool summary;

	if (!read_list_options(argc, argv, &options, &listing.pattern, &summary))
		return PALMON_USAGE;
	if (summary) {
		print_summary(&options);
		return PALMON_DONE;
	}
	table = event_file_table() ? event_file_table() : options.driver->events;
	for (size_t i = 0; i < table->count; i++)
		list(&listing, &table->event[i], "");
	for (size_t i = 0; i < table->alias_count; i++)	// a file has none
		list_alias(&listing, &table->alias[i]);
	if (listing.any)
		return PALMON_DONE;
	complain("no event of %s matches '%s'", options.driver->name, listing.pattern);
	return PALMON_FAILED;
}
