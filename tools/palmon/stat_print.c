// SPDX-License-Identifier: BSD-2-Clause
// Prints the results of palmon stat: as a table, separated fields or JSON lines.

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "colour.h"
#include "palmon.h"
#include "stat.h"

#define DIGITS		6	/* fractional digits of a metric */
#define VALUE_SIZE	80

// Formats 1234567 as "1,234,567".
static void format_grouped(uint64_t number, char text[32])
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		*text++ = digits[i];
		if (i < length - 1 && (length - 1 - i) % 3 == 0)
			*text++ = ',';
	}
	*text = '\0';
}

static void print_number(uint64_t number, const char *what)
{
	char text[32];

	format_grouped(number, text);
	printf("%s%18s%s      %s\n", colour(COLOUR_HEADING), text, colour(COLOUR_END), what);
}

//
// The clock of a program counts instructions (program.h), which limits the meaning of counts and
// metrics
//

#define NOTE_SIZE	80

static const char cycles_are_instructions[] = "cycles are instructions (unit clock)";

static enum pmu_metric_clock clock_of(const struct stat_options *o, unsigned metric,
				      struct pmu_value *value)
{
	static struct pmu_metric_plan needed;
	const char *name = o->metric_name[metric], *modifiers = strchrnul(name, ':');
	struct pmu_metric_refusal refusal;

	modifiers += *modifiers == ':';
	memset(&needed, 0, sizeof needed);
	needed.givens = o->plan.givens;
	memcpy(needed.given, o->plan.given, sizeof needed.given);
	if (pmu_metric_plan(o->driver, o->metric[metric], modifiers, &needed, &refusal))
		return METRIC_WITHOUT_CYCLES;
	return pmu_metric_by_unit_clock(o->driver, o->metric[metric], modifiers, &needed, value);
}

// A note on a metric's meaning. "": none.
static const char *note_of_metric(const struct stat_options *o, unsigned metric,
				  char note[NOTE_SIZE])
{
	struct pmu_value value;
	char text[VALUE_SIZE];

	*note = '\0';
	if (!o->program)
		return note;
	switch (clock_of(o, metric, &value)) {
	case METRIC_CONSTANT:
		pmu_value_print(&value, 0, text, sizeof text);
		snprintf(note, NOTE_SIZE, "always %.20s here: %s", text, cycles_are_instructions);
		break;
	case METRIC_OF_INSTRUCTIONS:
		snprintf(note, NOTE_SIZE, "%s", cycles_are_instructions);
		break;
	default:
		break;
	}
	return note;
}

static void print_count(const struct stat_options *o, unsigned event, const struct counted *counted)
{
	const bool noted = o->program && o->counting.event[event].request.event->clock;
	char what[PMU_METRIC_TEXT + 32 + NOTE_SIZE], run[24] = "";

	if (run_count(o) > 1)
		snprintf(run, sizeof run, "run %u", counted->run);
	snprintf(what, sizeof what, "%s%s%s%s%s", counted->event, *run || noted ? "  # " : "", run,
		 *run && noted ? ", " : "", noted ? cycles_are_instructions : "");
	print_number(counted->count, what);
}

static void print_caveats(const struct stat_options *o)
{
	for (unsigned i = 0; i < o->metrics; i++)
		if (*o->metric[i]->caveat) {
			char text[512];

			snprintf(text, sizeof text, "%s: %s.", o->metric[i]->name,
				 o->metric[i]->caveat);
			putchar('\n');
			print_wrapped(text, 1);
		}
}

static void print_table(const struct stat_options *o, const struct counted *counted,
			const struct pmu_value *values)
{
	printf("\n Performance counter stats for '%s' (%s):\n\n",
	       o->program ? *o->program : o->trace, o->driver->name);
	for (unsigned i = 0; i < counted_count(o); i++)
		print_count(o, i, &counted[i]);
	if (o->metrics)
		putchar('\n');
	for (unsigned i = 0; i < o->metrics; i++) {
		char text[VALUE_SIZE], note[NOTE_SIZE];

		pmu_value_print(&values[i], DIGITS, text, sizeof text);
		printf("%s%18s%s      %s  %s# %s%s%s%s\n", colour(COLOUR_HEADING), text,
		       colour(COLOUR_END),
		       o->metric_name[i], colour(COLOUR_FAINT), o->metric_unit[i],
		       *note_of_metric(o, i, note) ? ", " : "", note, colour(COLOUR_END));
	}
	putchar('\n');
	print_number(counted->cycles, "cycles of trace");
	if (run_count(o) > 1)
		printf("\n Measured in %u runs of the trace.\n", run_count(o));
	print_caveats(o);
	putchar('\n');
}

// perf's fields: value, unit, event, run time of the counter (here: cycles), percentage of it that
// it counted, metric value, metric unit.
static void print_separated(const struct stat_options *o, const struct counted *counted,
			    const struct pmu_value *values)
{
	const char *s = o->separator;

	for (unsigned i = 0; i < counted_count(o); i++)
		printf("%" PRIu64 "%s%s%s%s%" PRIu64 "%s100.00%s%s\n", counted[i].count, s, s,
		       counted[i].event, s, counted[i].cycles, s, s, s);
	for (unsigned i = 0; i < o->metrics; i++) {
		char text[VALUE_SIZE];

		pmu_value_print(&values[i], DIGITS, text, sizeof text);
		printf("%s%s%s%s%" PRIu64 "%s100.00%s%s%s%s\n", s, s, o->metric_name[i], s,
		       counted->cycles, s, s, text, s, o->metric_unit[i]);
	}
}

static json_t *json_value(const struct pmu_value *value)
{
	char text[VALUE_SIZE];

	if (value->kind != VALUE_NUMBER)
		return json_null();
	pmu_value_print(value, DIGITS, text, sizeof text);
	return json_real(strtod(text, NULL));
}

json_t *json_of_count(const struct counted *counted, unsigned runs)
{
	json_t *line = json_pack("{s:I, s:s, s:s, s:I, s:f}", "counter-value",
				 (json_int_t)counted->count, "unit", "",
				 "event", counted->event, "event-runtime",
				 (json_int_t)counted->cycles,
				 "pcnt-running", 100.0);

	if (runs > 1)
		json_object_set_new(line, "run", json_integer((json_int_t)counted->run));
	return line;
}

json_t *json_of_metric(const char *name, uint64_t cycles, json_t *value, const char *unit,
		       unsigned runs)
{
	return json_pack("{s:s, s:I, s:f, s:o, s:s, s:i}", "event", name, "event-runtime",
			 (json_int_t)cycles,
			 "pcnt-running", 100.0, "metric-value", value, "metric-unit", unit, "runs",
			 (int)runs);
}

static void print_json_lines(const struct stat_options *o, const struct counted *counted,
			     const struct pmu_value *values)
{
	for (unsigned i = 0; i < counted_count(o); i++)
		print_json(json_of_count(&counted[i], run_count(o)));
	for (unsigned i = 0; i < o->metrics; i++) {
		char note[NOTE_SIZE];
		json_t *line = json_of_metric(o->metric_name[i], counted->cycles,
					      json_value(&values[i]),
					      o->metric_unit[i], run_count(o));

		if (*o->metric[i]->caveat)
			json_object_set_new(line, "caveat", json_string(o->metric[i]->caveat));
		if (*note_of_metric(o, i, note))
			json_object_set_new(line, "note", json_string(note));
		print_json(line);
	}
}

void print_counted(const struct stat_options *o, const struct counted *counted,
		   const struct pmu_value *values)
{
	if (o->json)
		print_json_lines(o, counted, values);
	else if (o->separator)
		print_separated(o, counted, values);
	else
		print_table(o, counted, values);
}
