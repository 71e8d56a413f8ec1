// SPDX-License-Identifier: BSD-2-Clause
// palmon stat: counts events and profiles of a trace, and computes metrics.

#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_file.h"
#include "palmon.h"
#include "profile.h"
#include "program.h"
#include "shim.h"
#include "stat.h"

_Static_assert(MEASURE_EVENTS_MOST <= PMU_METRIC_EVENTS, "all of the events are counted");

//
// Counting
//

// Removes sampling, and the data captured with samples, from a request: stat only counts. Keeps
// them if the driver cannot count without, and in a request that will be refused, so that the
// refusal names its reason.
static void leave_samples(const struct pmu_driver *driver, struct event_request *request)
{
	struct event_request counted = *request;

	if (!driver->choices(request) ||
	    (request->period && request->period < driver->shape->arm_least))
		return;
	if (counted.period)
		counted.modifiers &= (uint16_t)~(EVENT_PRECISE | EVENT_BRANCHES | EVENT_DATA_EAR |
						 EVENT_INST_EAR);
	if (!(counted.modifiers & EVENT_BRANCHES) && request->modifiers & EVENT_BRANCHES)
		counted.branches = 0;
	if ((counted.modifiers ^ request->modifiers) & (EVENT_DATA_EAR | EVENT_INST_EAR))
		counted.latency = counted.tlb = 0;
	counted.period = 0;
	counted.jitter = 0;
	counted.seed = 0;
	if (!driver->objection || !driver->objection(&counted))
		*request = counted;
}

// Reads the trace once.
static bool count_run(struct stat_options *o, struct trace *trace, struct event_request *requests,
		      unsigned count, uint64_t *counts, uint64_t *cycles)
{
	const struct measure_intervals intervals = {o->interval, stat_end_interval, o};
	struct measured measured;
	struct pmu_session session;
	bool ok;

	if (!measure_start(o->driver, requests, count, &session))
		return false;
	if (o->interval)
		stat_begin_intervals(o, &session);
	ok = measure_deliver(trace, &session, requests, NULL, NULL, o->interval ? &intervals : NULL,
			     &measured);
	*cycles = measured.cycles;
	o->measured.named = measured.named;
	o->measured.any |= measured.any;
	o->measured.matched |= measured.matched;
	for (unsigned i = 0; ok && i < count; i++)
		ok = pmu_read(&session, i, &counts[i]) == PMU_OK;
	shim_end();
	return ok;
}

// Counts the events of one run on the counters that the plan assigns.
static bool count_planned(struct stat_options *o, unsigned run, struct trace *trace,
			  struct counted *counted)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	uint64_t counts[PMU_SESSION_EVENTS], cycles;
	unsigned index[PMU_SESSION_EVENTS], count = 0;

	for (unsigned i = 0; i < o->counting.count; i++)
		if (o->counting.event[i].run == run) {
			requests[count] = o->counting.event[i].request;
			requests[count].counter = (int8_t)o->counting.event[i].counter;
			index[count++] = i;
		}
	if (!count_run(o, trace, requests, count, counts, &cycles))
		return false;
	for (unsigned i = 0; i < count; i++)
		counted[index[i]] = (struct counted){o->text[index[i]], counts[i], cycles, run + 1};
	return true;
}

static bool count_all(struct stat_options *o, struct trace *trace, struct counted *counted)
{
	if (run_count(o) > 1 && !trace_keep(trace)) {
		complain("%s", trace_error(trace));
		return false;
	}
	for (unsigned run = 0; run < run_count(o); run++) {
		if (run)
			trace_rewind(trace);
		if (!count_planned(o, run, trace, counted))
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

static bool evaluate(struct stat_options *o, const struct counted *counted,
		     struct pmu_value *values)
{
	uint64_t counts[PMU_METRIC_EVENTS];
	struct pmu_metric_refusal refusal;

	for (unsigned i = 0; i < o->plan.count; i++)
		counts[i] = counted[o->counted_as[i]].count;
	for (unsigned i = 0; i < o->metrics; i++) {
		if (pmu_metric_evaluate(o->driver, o->metric[i], modifiers_of(o->metric_name[i]),
					&o->plan, counts, &values[i], &refusal))
			return refused(&refusal);
		o->metric_unit[i] = pmu_metric_in_seconds(
			o->metric[i], o->frequency[i].denominator ? &o->frequency[i] : NULL,
			&values[i]);
	}
	return true;
}

static struct trace *open_trace(const struct stat_options *o)
{
	struct event_request requests[PMU_METRIC_EVENTS];

	for (unsigned i = 0; i < o->counting.count; i++)
		requests[i] = o->counting.event[i].request;
	return o->program ? program_trace(o->driver, o->program, requests, o->counting.count,
					  o->interval ? o->interval : PROGRAM_STRETCH, NULL) :
			    measure_open(o->driver, o->trace);
}

static int count_trace(struct stat_options *o)
{
	struct trace *trace = open_trace(o);
	struct counted counted[PMU_METRIC_EVENTS];
	struct pmu_value values[METRICS_MOST];
	bool ok = trace && count_all(o, trace, counted) && evaluate(o, counted, values);

	if (trace)
		trace_close(trace);
	if (!ok)
		return PALMON_FAILED;
	if (run_count(o) > 1 && (o->json || o->separator))
		complain("measured in %u runs of the trace", run_count(o));
	measure_warn(o->driver, o->program ? *o->program : o->trace, &o->measured);
	if (!o->interval)
		print_counted(o, counted, values);
	return PALMON_DONE;
}

//
// Metrics
//

static void complain_metric(const struct pmu_driver *driver, const char *name)
{
	const struct pmu_metric_table *t = driver->metrics;
	const char *nearest = t ? pmu_nearest_name(t->metric, t->count, sizeof *t->metric, name,
						   strlen(name)) : NULL;

	if (event_find(driver->events, name, strlen(name)))
		complain("%s has no metric '%s'; it is an event: -e", driver->name, name);
	else
		complain("%s has no metric '%s'; %s%s", driver->name, name,
			 nearest ? "the nearest name is " : "",
			 nearest ? nearest : "palmon metrics lists all of them");
}

// Reads "NAME=VALUE", for the metrics that follow.
static bool give_value(struct stat_options *o, const char *text, size_t name, size_t length)
{
	struct pmu_value value;

	if (!pmu_value_read(text + name + 1, length - name - 1, &value))
		complain("'%.*s': a value has at most 17 digits, perhaps with a point", (int)length,
			 text);
	else if (!pmu_metric_give(&o->plan, text, name, &value))
		complain("more than %d values are given", PMU_METRIC_GIVEN);
	else
		return true;
	return false;
}

// False after a complaint: no metric that follows a value needs it.
static bool values_are_used(const struct stat_options *o)
{
	for (unsigned i = 0; i < o->plan.givens; i++) {
		const struct pmu_metric_given *g = &o->plan.given[i];

		if (!g->used) {
			complain("no metric after it needs '%.*s'", (int)g->length, g->name);
			return false;
		}
	}
	return true;
}

// Plans the metrics in an option's argument.
static bool add_metrics(struct stat_options *o, const char *text)
{
	for (const char *end;; text = end + 1) {
		const size_t name_length = strcspn(text, "=:,");
		const struct pmu_value *frequency;
		const struct pmu_metric *metric;
		struct pmu_metric_refusal refusal;
		char *asked, name[PMU_METRIC_TEXT];

		if (o->metrics == METRICS_MOST) {
			complain("more than %d metrics", METRICS_MOST);
			return false;
		}
		end = strchrnul(text, ',');
		if (text[name_length] == '=') {
			if (!give_value(o, text, name_length, (size_t)(end - text)))
				return false;
			if (!*end)
				return true;
			continue;
		}
		asked = o->metric_name[o->metrics];
		if (end - text >= PMU_METRIC_TEXT) {
			complain("metric and modifiers are longer than %d characters",
				 PMU_METRIC_TEXT - 1);
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
			complain("no modifier after '%s'", asked);
			return false;
		}
		if (pmu_metric_plan(o->driver, metric, modifiers_of(asked), &o->plan, &refusal))
			return refused(&refusal);
		memcpy(asked, metric->name, strlen(metric->name));	// the table's spelling
		frequency = pmu_metric_frequency(&o->plan);
		o->frequency[o->metrics] = frequency ? *frequency : (struct pmu_value){0};
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
	if (!t) {
		complain("%s has no profiles, and no '%s'", driver->name, name);
		return NULL;
	}
	nearest = pmu_nearest_name(t->profile, t->count, sizeof *t->profile, name, strlen(name));
	complain("%s has no profile '%s'; %s%s", driver->name, name,
		 nearest ? "the nearest name is " : "",
		 nearest ? nearest : "palmon profiles lists all of them");
	return NULL;
}

// Plans the profiles in an option's argument.
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

//
// Runs
//

static bool same_range(const struct event_range *a, const struct event_range *b)
{
	return a->given == b->given && (!a->given || (a->first == b->first && a->last == b->last));
}

static bool same_opcode(const struct event_opcode *a, const struct event_opcode *b)
{
	return a->given == b->given &&
	       (!a->given || (a->match == b->match && a->mask == b->mask && a->types == b->types));
}

// Whether two requests are equal, on any counter.
static bool same_request(const struct event_request *a, const struct event_request *b)
{
	return a->event == b->event && a->raw_code == b->raw_code && a->umask == b->umask &&
	       a->cmask == b->cmask &&
	       a->modifiers == b->modifiers && a->levels == b->levels && a->sets == b->sets &&
	       a->counter == b->counter && a->tlb == b->tlb && a->latency == b->latency &&
	       a->branches == b->branches && a->extra == b->extra && a->period == b->period &&
	       a->jitter == b->jitter && a->seed == b->seed &&
	       same_range(&a->code_range, &b->code_range) &&
	       same_range(&a->data_range, &b->data_range) &&
	       same_opcode(&a->opcode, &b->opcode);
}

// Adds a request to the counted ones. Returns its index.
static unsigned count_too(struct stat_options *o, const struct event_request *request,
			  const char *text, unsigned group)
{
	struct pmu_metric_event *e = &o->counting.event[o->counting.count];

	*e = (struct pmu_metric_event){.request = *request, .group = (uint8_t)group};
	snprintf(e->text, sizeof e->text, "%s", text);
	o->text[o->counting.count] = text;
	return o->counting.count++;
}

// Adds event `i` of the plan unless it is counted already. False after a complaint: too many.
static bool count_planned_too(struct stat_options *o, unsigned i)
{
	struct event_request request = o->plan.event[i].request;
	unsigned found = 0;

	leave_samples(o->driver, &request);
	while (found < o->counting.count && !same_request(&o->counting.event[found].request,
							  &request))
		found++;
	if (found == PMU_METRIC_EVENTS) {
		complain("more than %d events to count", PMU_METRIC_EVENTS);
		return false;
	}
	if (found == o->counting.count)
		count_too(o, &request, o->plan.event[i].text, 0);
	o->counted_as[i] = found;
	return true;
}

// Opens a session of an event, or of its group, to explain why it does not fit into a run.
static bool refused_event(const struct stat_options *o, unsigned first)
{
	struct event_request requests[MEASURE_EVENTS_MOST];
	const unsigned group = o->counting.event[first].group;
	struct pmu_session session;
	unsigned count = 0;

	for (unsigned i = first; i < o->counting.count; i++)
		if (i == first || (group && o->counting.event[i].group == group))
			requests[count++] = o->counting.event[i].request;
	if (measure_start(o->driver, requests, count, &session)) {
		complain("%s: it cannot be counted", o->text[first]);
		shim_end();
	}
	return false;
}

static bool distribute(struct stat_options *o)
{
	struct pmu_metric_refusal refusal;
	const struct pmu_metric_event *const first = o->counting.event;

	if (!pmu_metric_schedule(o->driver, &o->counting, &refusal))
		return true;
	for (unsigned i = 0; i < o->events.count; i++)
		if (refusal.where == first[i].text)
			return refused_event(o, i);
	return refused(&refusal);
}

// Starts the shim, as the driver's choices depend on bring-up, and assigns events to runs.
static bool schedule(struct stat_options *o)
{
	bool ok = start_shim(o->driver, "");

	for (unsigned i = 0; ok && i < o->events.count; i++) {
		leave_samples(o->driver, &o->events.request[i]);
		count_too(o, &o->events.request[i], o->events.text[i], o->events.group[i]);
	}
	for (unsigned i = 0; ok && i < o->plan.count; i++)
		ok = count_planned_too(o, i);
	ok = ok && distribute(o);
	shim_end();
	return ok;
}

// Intervals require a single run.
static bool fits_intervals(const struct stat_options *o)
{
	const bool fits = !o->interval || (run_count(o) == 1 && counted_count(o) <= RATES_EVENTS);

	if (!fits)
		complain("-I: the events do not all fit into one run");
	return fits;
}

//
// Command line
//

struct arguments {
	const char *target;
	const char *events[OPTIONS_MOST], *metrics[OPTIONS_MOST], *profiles[OPTIONS_MOST];
	unsigned event_count, metric_count, profile_count;
	const char *interval, *frequency, *event_file;
};

static bool read_options(int argc, char **argv, struct stat_options *o, struct arguments *a)
{
	static const struct option known[] = {
		{"target", required_argument, NULL, 't'}, {"event", required_argument, NULL, 'e'},
		{"events", required_argument, NULL, 'E'},
		{"metrics", required_argument, NULL, 'M'},
		{"profiles", required_argument, NULL, 'P'},
		{"trace", required_argument, NULL, 'T'},
		{"interval-print", required_argument, NULL, 'I'},
		{"frequency", required_argument, NULL, 'F'},
		{"field-separator", required_argument, NULL, 'x'}, {"json", no_argument, NULL, 'j'},
		{0},
	};

	for (int option; (option = getopt_long(argc, argv, "t:e:M:P:x:jI:", known, NULL)) != -1;) {
		bool taken = option != '?';

		if (option == 't')
			taken = take_once(&a->target, optarg, "-t");
		else if (option == 'E')
			taken = take_once(&a->event_file, optarg, "--events");
		else if (option == 'e')
			taken = take_another(a->events, &a->event_count, optarg, "-e");
		else if (option == 'M')
			taken = take_another(a->metrics, &a->metric_count, optarg, "-M");
		else if (option == 'P')
			taken = take_another(a->profiles, &a->profile_count, optarg, "-P");
		else if (option == 'T')
			taken = take_once(&o->trace, optarg, "--trace");
		else if (option == 'x')
			taken = take_once(&o->separator, optarg, "-x");
		else if (option == 'I')
			taken = take_once(&a->interval, optarg, "-I");
		else if (option == 'F')
			taken = take_once(&a->frequency, optarg, "--frequency");
		else if (option == 'j')
			o->json = true;
		if (!taken)
			return false;
	}
	if (!program_or_trace(argc, argv, "stat", o->trace, &o->program))
		return false;
	if (!a->event_count && !a->metric_count && !a->profile_count)
		complain("which events? -e EVENT or -M METRIC or -P PROFILE is missing");
	else if (o->separator && o->json)
		complain("-x or -j, not both");
	else if (a->interval && a->metric_count)
		complain("-I prints counts, not metrics (-M)");
	else
		return stat_read_intervals(o, a->interval, a->frequency);
	return false;
}

// Adds all events, metrics and profiles of the command line.
static bool add_arguments(struct stat_options *o, const struct arguments *a)
{
	for (unsigned i = 0; i < a->event_count; i++)
		if (!measure_add_events(&o->events, o->driver, a->events[i], MEASURE_EVENTS_MOST))
			return false;
	for (unsigned i = 0; i < a->metric_count; i++)
		if (!add_metrics(o, a->metrics[i]))
			return false;
	if (!values_are_used(o))
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
	if (arguments.event_file && !event_file_read(options.driver, arguments.event_file))
		return PALMON_USAGE;
	if (!add_arguments(&options, &arguments))
		status = PALMON_USAGE;
	else if (schedule(&options) && fits_intervals(&options))
		status = count_trace(&options);
	measure_free_events(&options.events);
	return status;
}
