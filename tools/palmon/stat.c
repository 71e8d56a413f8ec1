// SPDX-License-Identifier: BSD-2-Clause
// palmon stat: counts of a trace.

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "palmon.h"
#include "shim.h"

struct stat_options {
	const struct pmu_driver *driver;
	struct measure_events events;
	const char *trace, *separator;
	bool json;
};

// What was counted, of which event, in how many cycles.
struct counted {
	const char *event;
	uint64_t count, cycles;
};

//
// Output
//

// 1234567 as "1,234,567".
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

static void print_row(uint64_t number, const char *what)
{
	char text[32];

	format_grouped(number, text);
	printf("%18s      %s\n", text, what);
}

static void print_table(const struct stat_options *o, const struct counted *counted)
{
	printf("\n Performance counter stats for '%s' (%s):\n\n", o->trace, o->driver->name);
	for (unsigned i = 0; i < o->events.count; i++)
		print_row(counted[i].count, counted[i].event);
	putchar('\n');
	print_row(counted->cycles, "cycles of trace");
	putchar('\n');
}

// perf's fields: value, unit, event, run time of the counter (here: cycles), percentage of it that it counted, metric
// value, metric unit.
static void print_separated(const struct stat_options *o, const struct counted *c)
{
	const char *s = o->separator;

	printf("%" PRIu64 "%s%s%s%s%" PRIu64 "%s100.00%s%s\n", c->count, s, s, c->event, s, c->cycles, s, s, s);
}

static void print_json_line(const struct counted *c)
{
	print_json(json_pack("{s:I, s:s, s:s, s:I, s:f}", "counter-value", (json_int_t)c->count, "unit", "",
			     "event", c->event, "event-runtime", (json_int_t)c->cycles, "pcnt-running", 100.0));
}

static void print_counted(const struct stat_options *o, const struct counted *counted)
{
	for (unsigned i = 0; i < o->events.count; i++)
		if (o->json)
			print_json_line(&counted[i]);
		else if (o->separator)
			print_separated(o, &counted[i]);
	if (!o->json && !o->separator)
		print_table(o, counted);
}

//
// Counting
//

// One run over the trace.
static bool count_events(const struct stat_options *o, struct trace *trace, struct counted *counted)
{
	struct pmu_session session;
	uint64_t cycles;
	bool ok;

	if (!measure_start(o->driver, o->events.request, o->events.count, &session))
		return false;
	ok = measure_feed(trace, &session, NULL, NULL, &cycles);
	for (unsigned i = 0; ok && i < o->events.count; i++) {
		counted[i] = (struct counted){.event = o->events.text[i], .cycles = cycles};
		ok = pmu_read(&session, i, &counted[i].count) == PMU_OK;
	}
	shim_end();
	return ok;
}

static int count_trace(const struct stat_options *o)
{
	struct trace *trace = measure_open(o->driver, o->trace);
	struct counted counted[PMU_SESSION_EVENTS];
	bool ok = trace && count_events(o, trace, counted);

	if (trace)
		trace_close(trace);
	if (ok)
		print_counted(o, counted);
	return ok ? PALMON_DONE : PALMON_FAILED;
}

//
// Command line
//

#define EVENTS_OPTIONS_MOST 64

struct arguments {
	const char *target, *events[EVENTS_OPTIONS_MOST];
	unsigned events_count;
};

static bool read_options(int argc, char **argv, struct stat_options *o, struct arguments *a)
{
	static const struct option known[] = {
		{"target", required_argument, NULL, 't'}, {"event", required_argument, NULL, 'e'},
		{"trace", required_argument, NULL, 'T'}, {"field-separator", required_argument, NULL, 'x'},
		{"json", no_argument, NULL, 'j'}, {0},
	};

	for (int option; (option = getopt_long(argc, argv, "t:e:x:j", known, NULL)) != -1;) {
		if (option == 't')
			a->target = optarg;
		else if (option == 'e' && a->events_count < EVENTS_OPTIONS_MOST)
			a->events[a->events_count++] = optarg;
		else if (option == 'T')
			o->trace = optarg;
		else if (option == 'x' && *optarg)
			o->separator = optarg;
		else if (option == 'j')
			o->json = true;
		else
			return false;
	}
	if (optind < argc)
		complain("'%s': stat takes no arguments", argv[optind]);
	else if (!o->trace)
		complain("which trace? --trace FILE is missing");
	else if (!a->events_count)
		complain("which events? -e EVENT is missing");
	else
		return true;
	return false;
}

int command_stat(int argc, char **argv)
{
	struct stat_options options = {0};
	struct arguments arguments = {0};
	int status = PALMON_FAILED;

	if (!read_options(argc, argv, &options, &arguments))
		return usage_error();
	options.driver = find_target(arguments.target);
	if (!options.driver)
		return PALMON_USAGE;
	for (unsigned i = 0; i < arguments.events_count; i++)
		if (!measure_add_events(&options.events, options.driver, arguments.events[i]))
			goto out;
	for (unsigned i = 0; i < options.events.count; i++)
		options.events.request[i].period = 0;	// samples are for record
	status = count_trace(&options);
out:
	measure_free_events(&options.events);
	return status;
}
