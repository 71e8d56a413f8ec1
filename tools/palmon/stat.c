// SPDX-License-Identifier: BSD-2-Clause
// palmon stat: counts of a trace, of single events and of profiles, and metrics of them.

#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "metric.h"
#include "palmon.h"
#include "profile.h"
#include "shim.h"

#define METRICS_MOST	64
#define COUNTED_MOST	(PMU_SESSION_EVENTS + PMU_METRIC_EVENTS)
#define DIGITS		6	/* of a metric, behind the point */
#define VALUE_SIZE	80

struct stat_options {
	const struct pmu_driver *driver;
	struct measure_events events;
	const struct pmu_metric *metric[METRICS_MOST];
	char metric_name[METRICS_MOST][PMU_METRIC_TEXT];	// as asked for: NAME[:MODIFIER...]
	unsigned metrics;
	struct pmu_metric_plan plan;		// what the metrics need, and the profiles
	const char *trace, *separator;
	bool json;
};

// What was counted, of which event, in how many cycles, in which run (from 1): the events', then the plan's.
struct counted {
	const char *event;
	uint64_t count, cycles;
	unsigned run;
};

// The runs over the trace: the events' if there are any, and the plan's.
static unsigned run_count(const struct stat_options *o)
{
	return (o->events.count > 0) + o->plan.runs;
}

static unsigned counted_count(const struct stat_options *o)
{
	return o->events.count + o->plan.count;
}

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

static void print_number(uint64_t number, const char *what)
{
	char text[32];

	format_grouped(number, text);
	printf("%18s      %s\n", text, what);
}

static void print_count(const struct stat_options *o, const struct counted *counted)
{
	char what[PMU_METRIC_TEXT + 32];

	if (run_count(o) == 1) {
		print_number(counted->count, counted->event);
		return;
	}
	snprintf(what, sizeof what, "%s  # run %u", counted->event, counted->run);
	print_number(counted->count, what);
}

static void print_caveats(const struct stat_options *o)
{
	for (unsigned i = 0; i < o->metrics; i++)
		if (*o->metric[i]->caveat) {
			char text[512];

			snprintf(text, sizeof text, "%s: %s.", o->metric[i]->name, o->metric[i]->caveat);
			putchar('\n');
			print_wrapped(text, 1);
		}
}

static void print_table(const struct stat_options *o, const struct counted *counted, const struct pmu_value *values)
{
	printf("\n Performance counter stats for '%s' (%s):\n\n", o->trace, o->driver->name);
	for (unsigned i = 0; i < counted_count(o); i++)
		print_count(o, &counted[i]);
	if (o->metrics)
		putchar('\n');
	for (unsigned i = 0; i < o->metrics; i++) {
		char text[VALUE_SIZE];

		pmu_value_print(&values[i], DIGITS, text, sizeof text);
		printf("%18s      %s  # %s\n", text, o->metric_name[i], o->metric[i]->unit);
	}
	putchar('\n');
	print_number(counted->cycles, "cycles of trace");
	if (run_count(o) > 1)
		printf("\n Measured in %u runs of the trace.\n", run_count(o));
	print_caveats(o);
	putchar('\n');
}

// perf's fields: value, unit, event, run time of the counter (here: cycles), percentage of it that it counted, metric
// value, metric unit.
static void print_separated(const struct stat_options *o, const struct counted *counted,
			    const struct pmu_value *values)
{
	const char *s = o->separator;

	for (unsigned i = 0; i < counted_count(o); i++)
		printf("%" PRIu64 "%s%s%s%s%" PRIu64 "%s100.00%s%s\n", counted[i].count, s, s, counted[i].event, s,
		       counted[i].cycles, s, s, s);
	for (unsigned i = 0; i < o->metrics; i++) {
		char text[VALUE_SIZE];

		pmu_value_print(&values[i], DIGITS, text, sizeof text);
		printf("%s%s%s%s%" PRIu64 "%s100.00%s%s%s%s\n", s, s, o->metric_name[i], s, counted->cycles, s, s,
		       text, s, o->metric[i]->unit);
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

static void print_json_count(const struct stat_options *o, const struct counted *counted)
{
	json_t *line = json_pack("{s:I, s:s, s:s, s:I, s:f}", "counter-value", (json_int_t)counted->count, "unit", "",
				 "event", counted->event, "event-runtime", (json_int_t)counted->cycles,
				 "pcnt-running", 100.0);

	if (run_count(o) > 1)
		json_object_set_new(line, "run", json_integer((json_int_t)counted->run));
	print_json(line);
}

static void print_json_lines(const struct stat_options *o, const struct counted *counted,
			     const struct pmu_value *values)
{
	for (unsigned i = 0; i < counted_count(o); i++)
		print_json_count(o, &counted[i]);
	for (unsigned i = 0; i < o->metrics; i++) {
		json_t *line = json_pack("{s:s, s:I, s:f, s:o, s:s, s:i}", "event", o->metric_name[i],
					 "event-runtime", (json_int_t)counted->cycles, "pcnt-running", 100.0,
					 "metric-value", json_value(&values[i]), "metric-unit", o->metric[i]->unit,
					 "runs", (int)run_count(o));

		if (*o->metric[i]->caveat)
			json_object_set_new(line, "caveat", json_string(o->metric[i]->caveat));
		print_json(line);
	}
}

static void print_counted(const struct stat_options *o, const struct counted *counted, const struct pmu_value *values)
{
	if (o->json)
		print_json_lines(o, counted, values);
	else if (o->separator)
		print_separated(o, counted, values);
	else
		print_table(o, counted, values);
}

//
// Counting
//

// Only counts: samples, and what they would carry, are for record. What cannot be counted without them keeps them, and
// so does what is to be refused.
static void leave_samples(const struct pmu_driver *driver, struct event_request *request)
{
	struct event_request counted = *request;

	if (!driver->choices(request) || (request->period && request->period < driver->arm_least))
		return;
	if (counted.period)
		counted.modifiers &= (uint8_t)~(EVENT_PRECISE | EVENT_BRANCHES);
	if (!(counted.modifiers & EVENT_BRANCHES) && request->modifiers & EVENT_BRANCHES)
		counted.branches = 0;
	counted.period = 0;
	if (!driver->objection || !driver->objection(&counted))
		*request = counted;
}

// One run over the trace.
static bool count_run(const struct stat_options *o, struct trace *trace, struct event_request *requests, unsigned count,
		      uint64_t *counts, uint64_t *cycles)
{
	struct pmu_session session;
	bool ok;

	for (unsigned i = 0; i < count; i++)
		leave_samples(o->driver, &requests[i]);
	if (!measure_start(o->driver, requests, count, &session))
		return false;
	ok = measure_feed(trace, &session, NULL, NULL, cycles);
	for (unsigned i = 0; ok && i < count; i++)
		ok = pmu_read(&session, i, &counts[i]) == PMU_OK;
	shim_end();
	return ok;
}

static bool count_events(struct stat_options *o, struct trace *trace, struct counted *counted)
{
	uint64_t counts[PMU_SESSION_EVENTS], cycles;

	if (!o->events.count)
		return true;
	if (!count_run(o, trace, o->events.request, o->events.count, counts, &cycles))
		return false;
	for (unsigned i = 0; i < o->events.count; i++)
		counted[i] = (struct counted){o->events.text[i], counts[i], cycles, 1};
	return true;
}

// The events of one of the plan's runs, on the counters that it gives them.
static bool count_planned(struct stat_options *o, unsigned run, struct trace *trace, struct counted *counted)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	uint64_t counts[PMU_SESSION_EVENTS], cycles;
	unsigned index[PMU_SESSION_EVENTS], count = 0;

	for (unsigned i = 0; i < o->plan.count; i++)
		if (o->plan.event[i].run == run) {
			requests[count] = o->plan.event[i].request;
			requests[count].counter = (int8_t)o->plan.event[i].counter;
			index[count++] = i;
		}
	if (!count_run(o, trace, requests, count, counts, &cycles))
		return false;
	for (unsigned i = 0; i < count; i++)
		counted[index[i]] = (struct counted){
			o->plan.event[index[i]].text, counts[i], cycles, (o->events.count > 0) + run + 1,
		};
	return true;
}

static bool count_all(struct stat_options *o, struct trace *trace, struct counted *counted)
{
	if (run_count(o) > 1 && !trace_keep(trace)) {
		complain("%s", trace_error(trace));
		return false;
	}
	if (!count_events(o, trace, counted))
		return false;
	for (unsigned run = 0; run < o->plan.runs; run++) {
		if (run || o->events.count)
			trace_rewind(trace);
		if (!count_planned(o, run, trace, counted + o->events.count))
			return false;
	}
	return true;
}

static bool refused(const struct pmu_metric_refusal *refusal)
{
	char why[512];

	pmu_metric_explain(refusal, why, sizeof why);
	complain("%s", why);
	return false;
}

static const char *modifiers_of(const char *name)
{
	const char *colon = strchrnul(name, ':');

	return colon + (*colon == ':');
}

static bool evaluate(const struct stat_options *o, const struct counted *counted, struct pmu_value *values)
{
	uint64_t counts[PMU_METRIC_EVENTS];
	struct pmu_metric_refusal refusal;

	for (unsigned i = 0; i < o->plan.count; i++)
		counts[i] = counted[o->events.count + i].count;
	for (unsigned i = 0; i < o->metrics; i++)
		if (pmu_metric_evaluate(o->driver, o->metric[i], modifiers_of(o->metric_name[i]), &o->plan, counts,
					&values[i], &refusal))
			return refused(&refusal);
	return true;
}

static int count_trace(struct stat_options *o)
{
	struct trace *trace = measure_open(o->driver, o->trace);
	struct counted counted[COUNTED_MOST];
	struct pmu_value values[METRICS_MOST];
	bool ok = trace && count_all(o, trace, counted) && evaluate(o, counted, values);

	if (trace)
		trace_close(trace);
	if (!ok)
		return PALMON_FAILED;
	if (run_count(o) > 1 && (o->json || o->separator))
		complain("measured in %u runs of the trace", run_count(o));
	print_counted(o, counted, values);
	return PALMON_DONE;
}

//
// Metrics
//

static void complain_metric(const struct pmu_driver *driver, const char *name)
{
	const struct pmu_metric_table *t = driver->metrics;
	const char *nearest = t ? pmu_nearest_name(t->metric, t->count, sizeof *t->metric, name, strlen(name)) : NULL;

	complain("%s has no metric '%s'; %s%s", driver->name, name, nearest ? "the nearest name is " : "",
		 nearest ? nearest : "palmon metrics lists those it has");
}

// Plans the metrics of an option's argument.
static bool add_metrics(struct stat_options *o, const char *text)
{
	for (const char *end;; text = end + 1) {
		const struct pmu_metric *metric;
		struct pmu_metric_refusal refusal;
		char *asked, name[PMU_METRIC_TEXT];

		if (o->metrics == METRICS_MOST) {
			complain("more than %d metrics", METRICS_MOST);
			return false;
		}
		end = strchrnul(text, ',');
		asked = o->metric_name[o->metrics];
		if (end - text >= PMU_METRIC_TEXT) {
			complain("metric and modifiers are longer than %d characters", PMU_METRIC_TEXT - 1);
			return false;
		}
		snprintf(asked, PMU_METRIC_TEXT, "%.*s", (int)(end - text), text);
		snprintf(name, sizeof name, "%.*s", (int)strcspn(asked, ":"), asked);
		metric = o->driver->metrics ? pmu_metric_find(o->driver->metrics, name) : NULL;
		if (!metric) {
			complain_metric(o->driver, name);
			return false;
		}
		if (asked[strlen(name)] && !*modifiers_of(asked)) {
			complain("no modifier behind '%s'", asked);
			return false;
		}
		if (pmu_metric_plan(o->driver, metric, modifiers_of(asked), &o->plan, &refusal))
			return refused(&refusal);
		memcpy(asked, metric->name, strlen(metric->name));	// as the table spells it
		o->metric[o->metrics++] = metric;
		if (!*end)
			return true;
	}
}

//
// Profiles
//

static const struct pmu_profile *find_profile(const struct pmu_driver *driver, const char *name)
{
	const struct pmu_profile_table *t = driver->profiles;
	const struct pmu_profile *found = t ? pmu_profile_find(t, name) : NULL;
	const char *nearest;

	if (found)
		return found;
	nearest = t ? pmu_nearest_name(t->profile, t->count, sizeof *t->profile, name, strlen(name)) : NULL;
	complain("%s has no profile '%s'; %s%s", driver->name, name, nearest ? "the nearest name is " : "",
		 nearest ? nearest : "palmon profiles lists those it has");
	return NULL;
}

// Plans the profiles of an option's argument.
static bool add_profiles(struct stat_options *o, const char *text)
{
	for (const char *end;; text = end + 1) {
		char name[EVENT_NAME_MAX + 1];
		const struct pmu_profile *profile;
		struct pmu_metric_refusal refusal;

		end = strchrnul(text, ',');
		if (end - text > EVENT_NAME_MAX) {
			complain("a profile's name is longer than %d characters", EVENT_NAME_MAX);
			return false;
		}
		snprintf(name, sizeof name, "%.*s", (int)(end - text), text);
		profile = find_profile(o->driver, name);
		if (!profile)
			return false;
		if (pmu_profile_plan(o->driver, profile, &o->plan, &refusal))
			return refused(&refusal);
		if (!*end)
			return true;
	}
}

// What a driver can count depends on how it has been brought up.
static bool schedule(struct stat_options *o)
{
	struct pmu_metric_refusal refusal;
	enum pmu_metric_error error;

	if (!start_shim(o->driver, ""))
		return false;
	error = pmu_metric_schedule(o->driver, &o->plan, &refusal);
	shim_end();
	return error ? refused(&refusal) : true;
}

//
// Command line
//

#define ARGUMENTS_MOST 64

struct arguments {
	const char *target;
	const char *events[ARGUMENTS_MOST], *metrics[ARGUMENTS_MOST], *profiles[ARGUMENTS_MOST];
	unsigned event_count, metric_count, profile_count;
};

static bool read_options(int argc, char **argv, struct stat_options *o, struct arguments *a)
{
	static const struct option known[] = {
		{"target", required_argument, NULL, 't'}, {"event", required_argument, NULL, 'e'},
		{"metrics", required_argument, NULL, 'M'}, {"profiles", required_argument, NULL, 'P'},
		{"trace", required_argument, NULL, 'T'},
		{"field-separator", required_argument, NULL, 'x'}, {"json", no_argument, NULL, 'j'}, {0},
	};

	for (int option; (option = getopt_long(argc, argv, "t:e:M:P:x:j", known, NULL)) != -1;) {
		if (option == 't')
			a->target = optarg;
		else if (option == 'e' && a->event_count < ARGUMENTS_MOST)
			a->events[a->event_count++] = optarg;
		else if (option == 'M' && a->metric_count < ARGUMENTS_MOST)
			a->metrics[a->metric_count++] = optarg;
		else if (option == 'P' && a->profile_count < ARGUMENTS_MOST)
			a->profiles[a->profile_count++] = optarg;
		else if (option == 'T')
			o->trace = optarg;
		else if (option == 'x')
			o->separator = optarg;
		else if (option == 'j')
			o->json = true;
		else
			return false;
	}
	if (optind < argc)
		complain("'%s': stat takes no arguments", argv[optind]);
	else if (!o->trace)
		complain("which trace? --trace=FILE is missing");
	else if (!a->event_count && !a->metric_count && !a->profile_count)
		complain("what is to be counted? -e EVENT or -M METRIC or -P PROFILE is missing");
	else if (o->separator && !*o->separator)
		complain("-x needs a separator");
	else if (o->separator && o->json)
		complain("-x or -j, not both");
	else
		return true;
	return false;
}

// Everything that the arguments ask for.
static bool add_arguments(struct stat_options *o, const struct arguments *a)
{
	for (unsigned i = 0; i < a->event_count; i++)
		if (!measure_add_events(&o->events, o->driver, a->events[i]))
			return false;
	for (unsigned i = 0; i < a->metric_count; i++)
		if (!add_metrics(o, a->metrics[i]))
			return false;
	for (unsigned i = 0; i < a->profile_count; i++)
		if (!add_profiles(o, a->profiles[i]))
			return false;
	return true;
}

int command_stat(int argc, char **argv)
{
	static struct stat_options options;
	struct arguments arguments = {0};
	int status = PALMON_FAILED;

	if (!read_options(argc, argv, &options, &arguments))
		return usage_error();
	options.driver = find_target(arguments.target);
	if (!options.driver)
		return PALMON_USAGE;
	if (!add_arguments(&options, &arguments))
		status = PALMON_USAGE;
	else if (schedule(&options))
		status = count_trace(&options);
	measure_free_events(&options.events);
	return status;
}
