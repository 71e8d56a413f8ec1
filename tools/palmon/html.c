// SPDX-License-Identifier: BSD-2-Clause
// palmon convert --html: a self-contained page. page/ holds the page; this file produces its data,
// as JSON, in which numbers refer to functions, lines, places (addresses) and stacks (places,
// outermost first).

#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "html_code.h"
#include "metric.h"
#include "palmon.h"
#include "source_lines.h"

extern const char page_start[], page_end[];	// from page/, assembled by objs.mk

struct page {
	const struct profile *profile;
	struct names source;		// lines
	struct numbers numbers[5];
	json_t *functions, *lines, *places, *stacks, *branches;
};

enum { FUNCTIONS, LINES, PLACES, STACKS, BRANCHES };

//
// Places
//

// The number of a name. A new name is appended to the list.
static unsigned number(struct page *page, unsigned kind, json_t *list, const char *name)
{
	bool is_new;
	const unsigned n = numbers_find(&page->numbers[kind], name, &is_new);

	if (is_new)
		json_array_append_new(list, json_string(name));
	return n;
}

static int line_of(struct page *page, uint64_t address)
{
	const struct named *line = names_find(&page->source, address);

	return line ? (int)number(page, LINES, page->lines, line->name) : -1;
}

// [address, function, line or -1, offset in the function or -1]
static unsigned place_of(struct page *page, uint64_t address)
{
	const struct named *function = names_find(&page->profile->file.names, address);
	char text[NAMES_PLACE];
	bool is_new;
	unsigned n;

	snprintf(text, sizeof text, "0x%" PRIx64, address);
	n = numbers_find(&page->numbers[PLACES], text, &is_new);
	if (is_new)
		json_array_append_new(page->places, json_pack(
			"[s, i, i, I]", text,
			(int)number(page, FUNCTIONS, page->functions, function ? function->name :
				    "(elsewhere)"),
			line_of(page, address),
			function ? (json_int_t)(address - function->address) : -1));
	return n;
}

static unsigned stack_of(struct page *page, const struct origin *o)
{
	json_t *stack = json_array();
	bool is_new;
	char *text;
	unsigned n;

	for (unsigned i = o->frames + 1; i--;)
		json_array_append_new(stack, json_integer(place_of(page, profile_frame(o, i))));
	text = json_dumps(stack, JSON_COMPACT);
	n = numbers_find(&page->numbers[STACKS], text, &is_new);
	free(text);
	if (is_new)
		json_array_append(page->stacks, stack);
	json_decref(stack);
	return n;
}

//
// Samples
//

static void add_to(json_t *array, size_t index, uint64_t more)
{
	json_t *number = json_array_get(array, index);

	json_integer_set(number, json_integer_value(number) + (json_int_t)more);
}

// [event, CPU, from, to, times, mispredicted]
static void add_branch(struct page *page, const struct profile_sample *s,
		       const struct sample_step *from, uint64_t to)
{
	const int place = (int)place_of(page, from->address), target = (int)place_of(page, to);
	json_t *branch;
	char text[64];
	bool is_new;
	unsigned n;

	snprintf(text, sizeof text, "%u %u %d %d", s->origin->event, s->cpu, place, target);
	n = numbers_find(&page->numbers[BRANCHES], text, &is_new);
	if (is_new)
		json_array_append_new(page->branches,
				      json_pack("[i, i, i, i, i, i]", (int)s->origin->event,
								(int)s->cpu, place, target, 0, 0));
	branch = json_array_get(page->branches, n);
	add_to(branch, 4, s->origin->times);
	add_to(branch, 5, from->mispredicted ? s->origin->times : 0);
}

static void add_branches(struct page *page, const struct profile_sample *s)
{
	for (unsigned i = 1; i < s->origin->steps; i++) {
		const struct sample_step *from = &s->origin->step[i - 1], *to = &s->origin->step[i];

		if (from->kind == STEP_BRANCH && to->kind == STEP_TARGET && !from->not_taken)
			add_branch(page, s, from, to->address);
	}
}

// Finds the stack of each origin, and the branches. Samples are in the order of time.
static void number_stacks(struct page *page)
{
	for (size_t i = 0; i < page->profile->count; i++) {
		const struct profile_sample *s = &page->profile->sample[i];

		if (!profile_has(page->profile, s->origin->event))
			continue;
		if (!s->origin->number)
			s->origin->number = stack_of(page, s->origin) + 1;
		add_branches(page, s);
	}
}

enum { EVENT, CPU, CLOCK, TIMES, STACK, DATA, LATENCY, COLUMNS };

// One value of a sample, as JSON.
static void print_value(FILE *file, const struct profile_sample *s, unsigned column)
{
	const struct origin *o = s->origin;
	const uint64_t values[COLUMNS] = {
		o->event, s->cpu, s->clock, o->times, o->number - 1, s->data, s->latency,
	};
	const bool absent = (column == CLOCK && !s->clock) || (column == DATA && !o->has_data) ||
			    (column == LATENCY && !o->has_latency);

	if (absent)
		fputs("null", file);
	else
		fprintf(file, column == DATA ? "\"0x%" PRIx64 "\"" : "%" PRIu64, values[column]);
}

// Samples as columns: one array for each property.
static void print_samples(FILE *file, const struct profile *p)
{
	static const char *const keys[COLUMNS] = {"event", "cpu", "clock", "times", "stack", "data",
						  "latency"};

	for (unsigned k = 0; k < COLUMNS; k++) {
		const char *before = "";

		fprintf(file, "%s\"%s\":[", k ? "," : "{", keys[k]);
		for (size_t i = 0; i < p->count; i++) {
			if (!profile_has(p, p->sample[i].origin->event))
				continue;
			fputs(before, file);
			print_value(file, &p->sample[i], k);
			before = ",";
		}
		fputc(']', file);
	}
	fputc('}', file);
}

//
// Events, counts
//

// The meanings of the addresses of an event's samples, in words.
static json_t *places_of(const struct profile *p, unsigned event)
{
	json_t *places = json_array();
	unsigned seen = 0;

	for (size_t i = 0; i < p->origins.room; i++) {
		const struct origin *o = p->origins.slot[i].element;

		seen |= o && o->event == event ? 1u << o->place : 0;
	}
	for (unsigned place = 0; place < PMU_PLACES; place++)
		if (seen >> place & 1)
			json_array_append_new(places,
					      json_string(pmu_place_text((enum pmu_place)place)));
	return places;
}

static json_t *events_of(const struct profile *p)
{
	json_t *events = json_array();

	for (unsigned i = 0; i < p->file.event_count; i++)
		json_array_append_new(events, json_pack(
			"{s:s, s:I, s:I, s:o}", "name", p->file.event[i].name, "period",
			(json_int_t)p->file.event[i].period, "samples",
			(json_int_t)(profile_has(p, i) ? p->file.event[i].samples : 0), "places",
			places_of(p, i)));
	return events;
}

static json_t *losses_of(const struct profile *p)
{
	json_t *losses = json_array();
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return losses;
	samples_print_remarks(&p->file, file);
	fclose(file);
	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		json_array_append_new(losses, json_string(line));
	free(text);
	return losses;
}

// Explains a metric with the target's table.
static void explain(const struct pmu_driver *driver, json_t *count)
{
	const char *name = json_string_value(json_object_get(count, "event"));
	const struct pmu_metric *m = json_object_get(count, "metric-value") && driver->metrics ?
		pmu_metric_find(driver->metrics, name) : NULL;

	if (!m)
		return;
	json_object_set_new(count, "formula", json_string(m->formula));
	json_object_set_new(count, "description", json_string(m->description));
}

// The counts that palmon fetch has written next to the samples; otherwise those in the samples'
// file.
static json_t *counts_of(const struct samples *s)
{
	json_t *counts = json_array(), *count;
	char path[SAMPLES_PATH];
	FILE *file = samples_sibling(s->path, "counts.json", path) ? fopen(path, "r") : NULL;

	while (file && (count = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)))
		if (json_is_string(json_object_get(count, "event"))) {
			explain(s->driver, count);
			json_array_append_new(counts, count);
		} else {
			json_decref(count);
		}
	if (file)
		fclose(file);
	for (unsigned i = 0; !file && i < s->event_count; i++) {
		const struct sampled_event *e = &s->event[i];

		json_array_append_new(counts, json_pack(
			"{s:s, s:b, s:o}", "event", e->name, "scaled", e->scaled, "counter-value",
			e->absent ? json_string("<not counted>") :
			e->count_lost ? json_string("LOST") :
			json_integer((json_int_t)(e->scaled ? e->estimate : e->count))));
	}
	return counts;
}

//
// The run before
//

struct before {
	struct samples file;
	json_t *functions[SAMPLES_EVENTS];	// samples by function's name
};

static bool take_before(void *context, const struct sample *s)
{
	struct before *b = context;
	const char *name = names_function(&b->file.names, s->key.address);
	json_t **functions = &b->functions[s->key.event];

	if (!*functions)
		*functions = json_object();
	if (!json_object_get(*functions, name))
		json_object_set_new(*functions, name, json_integer(0));
	json_integer_set(json_object_get(*functions, name),
			 json_integer_value(json_object_get(*functions, name)) +
			 (json_int_t)s->times);
	return true;
}

// Reads the run to compare with: NULL after a complaint.
static json_t *before_of(const char *path, const struct pmu_driver *driver)
{
	static struct before before;
	json_t *run = NULL, *events = json_array();

	before = (struct before){.file.path = path};
	if (samples_read(&before.file, take_before, &before)) {
		run = json_pack("{s:s, s:s, s:s, s:o, s:O}", "name", before.file.trace, "path",
				path, "build_id",
				before.file.build_id, "counts", counts_of(&before.file), "events",
				events);
		if (before.file.driver != driver) {
			complain("%s: a run of %s, not of %s", path, before.file.driver->name,
				 driver->name);
			json_decref(run);
			run = NULL;
		}
	}
	for (unsigned i = 0; i < before.file.event_count; i++)
		json_array_append_new(events, json_pack(
			"{s:s, s:I, s:o}", "name", before.file.event[i].name, "period",
			(json_int_t)before.file.event[i].period, "functions",
			before.functions[i] ? before.functions[i] : json_object()));
	json_decref(events);
	samples_free(&before.file);
	return run;
}

//
// The page
//

// Escapes '<', so that no text can end the script element that contains the JSON.
static int put(const char *bytes, size_t size, void *file)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == '<' ? fputs("\\u003c", file) == EOF : fputc(bytes[i], file) == EOF)
			return -1;
	return 0;
}

// The samples, the longest part, are never in memory as JSON.
static bool write_page(struct output *output, json_t *object, const struct profile *p)
{
	static const char mark[] = "@RUN@";
	const char *at = memmem(page_start, (size_t)(page_end - page_start), mark, strlen(mark));
	bool ok = object && fwrite(page_start, 1, (size_t)(at - page_start), output->file) &&
		  fputc('{', output->file) != EOF &&
		  !json_dump_callback(object, put, output->file, JSON_COMPACT | JSON_EMBED) &&
		  fputs(",\"samples\":", output->file) != EOF;

	if (ok)
		print_samples(output->file, p);
	ok = ok && fputc('}', output->file) != EOF &&
	     fwrite(at + strlen(mark), 1, (size_t)(page_end - at) - strlen(mark), output->file);
	if (!ok)
		complain("%s: %s", output->path, strerror(object ? errno : ENOMEM));
	return ok;
}

bool write_html(struct profile *p, struct output *output)
{
	struct page page = {
		.profile = p, .functions = json_array(), .lines = json_array(),
		.places = json_array(),
		.stacks = json_array(), .branches = json_array(),
	};
	const bool read = !p->elf || source_lines_read(&page.source, p->elf);
	json_t *const before = p->before ? before_of(p->before, p->file.driver) : json_null();
	const char *instructions = p->file.driver->retired;
	json_t *object;
	bool ok;

	number_stacks(&page);
	object = json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:s?, s:o}", "name",
			   p->file.trace, "target",
			   p->file.driver->name, "backend", p->file.backend, "build_id",
			   p->file.build_id, "cpus",
			   (int)profile_cpus(p), "events", events_of(p), "counts",
			   counts_of(&p->file), "losses",
			   losses_of(p), "instructions", instructions, "code",
			   html_code(p, &page.source));
	json_object_set_new(object, "functions", page.functions);
	json_object_set_new(object, "lines", page.lines);
	json_object_set_new(object, "places", page.places);
	json_object_set_new(object, "stacks", page.stacks);
	json_object_set_new(object, "branches", page.branches);
	json_object_set(object, "before", before);
	ok = read && before && write_page(output, object, p);
	json_decref(before);
	json_decref(object);
	for (size_t i = 0; i < sizeof page.numbers / sizeof *page.numbers; i++)
		json_decref(page.numbers[i].of);
	names_free(&page.source);
	return ok;
}
