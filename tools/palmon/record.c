// SPDX-License-Identifier: BSD-2-Clause
// palmon record: writes samples of a trace to a file (palmon-samples(5)).

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "output.h"
#include "palmon.h"
#include "program.h"
#include "samples.h"
#include "shim.h"

struct recording {
	const struct pmu_driver *driver;
	struct measure_events events;
	const char *trace;
	char **program;				// instead of a trace
	struct names names;			// functions of the program
	struct output output;
	struct pmu_session session;
};

//
// Output
//

static bool put_header(struct recording *r)
{
	json_t *events = json_array();

	for (unsigned i = 0; i < r->events.count; i++)
		json_array_append_new(events, json_pack("{s:s, s:I}", "event", r->events.text[i],
							"period",
							(json_int_t)r->events.request[i].period));
	return output_json(&r->output, json_pack("{s:i, s:s, s:s, s:o}", "palmon_samples",
						 SAMPLES_VERSION, "target",
				     r->driver->name, "trace",
				     r->program ? *r->program : r->trace, "events", events));
}

static bool put_names(struct recording *r)
{
	bool ok = true;

	for (size_t i = 0; ok && i < r->names.count; i++) {
		const struct named *n = &r->names.of[i];

		ok = output_json(&r->output, json_pack("{s:s, s:o, s:o}", "symbol", n->name,
						       "address",
						       json_hexadecimal(n->address, 1), "end",
						       json_hexadecimal(n->end, 1)));
	}
	return ok;
}

static bool put_sample(struct recording *r, const struct pmu_sample *s,
		       const uint64_t payload[PMU_PAYLOAD_WORDS])
{
	json_t *object = json_pack("{s:i, s:o, s:I, s:I, s:i}", "event", (int)s->source.event, "ip",
				   json_sprintf("0x%" PRIx64, s->ip), "clock", (json_int_t)s->clock,
				   "count", (json_int_t)s->count, "level", (int)s->source.level);

	if (s->source.words) {
		json_t *words = json_array();

		for (unsigned i = 0; i < s->source.words; i++)
			json_array_append_new(words, json_sprintf("0x%" PRIx64, payload[i]));
		json_object_set_new(object, "payload", words);
	}
	return output_json(&r->output, object);
}

// Writes the contents of the sample ring.
static bool drain(void *context)
{
	uint64_t payload[PMU_PAYLOAD_WORDS];
	struct pmu_sample sample;

	while (pmu_take_sample_with_payload(&sample, payload))
		if (!put_sample(context, &sample, payload))
			return false;
	return true;
}

// Prints a counter's number of samples and its period.
static void print_samples(const char *event, const struct pmu_counter *c)
{
	fprintf(stderr, "%s: %" PRIu64 " samples", event, c->samples);
	if (c->spread)
		fprintf(stderr, ", one in %" PRIu64 " to %" PRIu64 " by seed %" PRIu32
			", = %" PRIu64,
			pmu_shortest_period(c), pmu_longest_period(c), c->seed, pmu_sampled(c));
	else
		fprintf(stderr, " x %" PRIu64, c->period);
}

static bool put_end(struct recording *r, uint64_t cycles)
{
	struct pmu_statistics statistics;
	json_t *events = json_array();

	pmu_statistics(&statistics);
	for (unsigned i = 0; i < r->events.count; i++) {
		const struct pmu_counter *c = &r->session.counter[i];
		uint64_t count = 0, rest;

		pmu_read(&r->session, i, &count);
		rest = pmu_not_sampled(c, count);
		json_array_append_new(events, json_pack("{s:I, s:I, s:I, s:b}", "count",
							(json_int_t)count, "samples",
							(json_int_t)c->samples, "rest",
							(json_int_t)rest, "throttled",
							(int)c->throttled));
		if (!c->period)
			continue;
		print_samples(r->events.text[i], c);
		fprintf(stderr, " + %" PRIu64 " = %" PRIu64 "%s\n", rest, count,
			c->throttled ? ", then THROTTLED" : "");
	}
	if (statistics.dropped)
		fprintf(stderr, "%" PRIu64 " samples DROPPED\n", statistics.dropped);
	return output_json(&r->output, json_pack("{s:b, s:I, s:I, s:o}", "end", 1, "cycles",
						 (json_int_t)cycles,
						 "dropped", (json_int_t)statistics.dropped,
						 "events", events));
}

//
// Recording
//

static bool record_session(struct recording *r, struct trace *trace)
{
	struct measured measured;
	bool ok;

	if (!measure_start(r->driver, r->events.request, r->events.count, &r->session))
		return false;
	ok = put_header(r) && put_names(r) &&
	     measure_deliver(trace, &r->session, r->events.request, drain, r, NULL, &measured) &&
	     put_end(r, measured.cycles);
	shim_end();
	if (ok)
		measure_warn(r->driver, r->program ? *r->program : r->trace, &measured);
	return ok;
}

static int record_trace(struct recording *r, const char *to)
{
	struct trace *trace = r->program ? program_trace(r->driver, r->program, r->events.request,
							 r->events.count, PROGRAM_ALONE,
							 &r->names) :
					   measure_open(r->driver, r->trace);
	bool ok = false;

	if (!trace)
		return PALMON_FAILED;
	if (output_open(&r->output, to)) {
		ok = record_session(r, trace);
		if (ok)
			ok = output_commit(&r->output);
		else
			output_abandon(&r->output);
	}
	trace_close(trace);
	names_free(&r->names);
	return ok ? PALMON_DONE : PALMON_FAILED;
}

//
// Command line
//

struct arguments {
	const char *target, *output, *events[OPTIONS_MOST];
	unsigned events_count;
};

static bool read_options(int argc, char **argv, struct recording *r, struct arguments *a)
{
	static const struct option known[] = {
		{"target", required_argument, NULL, 't'}, {"event", required_argument, NULL, 'e'},
		{"trace", required_argument, NULL, 'T'}, {"output", required_argument, NULL, 'o'},
		{0},
	};

	for (int option; (option = getopt_long(argc, argv, "t:e:o:", known, NULL)) != -1;) {
		bool taken = false;

		if (option == 't')
			taken = take_once(&a->target, optarg, "-t");
		else if (option == 'e')
			taken = take_another(a->events, &a->events_count, optarg, "-e");
		else if (option == 'T')
			taken = take_once(&r->trace, optarg, "--trace");
		else if (option == 'o')
			taken = take_once(&a->output, optarg, "-o");
		if (!taken)
			return false;
	}
	if (!program_or_trace(argc, argv, "record", r->trace, &r->program))
		return false;
	if (!a->events_count)
		complain("which events? -e EVENT:period=N is missing");
	else
		return true;
	return false;
}

static bool has_period(const struct measure_events *events)
{
	for (unsigned i = 0; i < events->count; i++)
		if (events->request[i].period)
			return true;
	complain("how many events per sample? -e EVENT:period=N");
	return false;
}

// Rejects polled events: the interrupted address would be that of the code that polls.
static bool have_addresses(const struct recording *r)
{
	for (unsigned i = 0; i < r->events.count; i++) {
		const struct event_request *request = &r->events.request[i];

		// Opening the session reports the driver's objection.
		if (r->driver->objection && r->driver->objection(request))
			return true;
		if (request->period && r->driver->poll && r->driver->poll->polled(request)) {
			complain("%s: it raises no trap at these levels, and samples would have no "
				 "address", r->events.text[i]);
			return false;
		}
	}
	return true;
}

int command_record(int argc, char **argv)
{
	struct recording recording = {0};
	struct arguments arguments = {0};
	int status = PALMON_FAILED;

	if (!read_options(argc, argv, &recording, &arguments))
		return usage_error();
	recording.driver = find_target(arguments.target);
	if (!recording.driver)
		return PALMON_USAGE;
	for (unsigned i = 0; i < arguments.events_count; i++)
		if (!measure_add_events(&recording.events, recording.driver, arguments.events[i],
					PMU_SESSION_EVENTS)) {
			status = PALMON_USAGE;
			goto out;
		}
	if (!has_period(&recording.events))
		status = usage_error();
	else if (have_addresses(&recording))
		status = record_trace(&recording, arguments.output ? arguments.output :
				      SAMPLES_FILE);
	if (status == PALMON_DONE && !arguments.output)
		printf("palmon: wrote %s\n", SAMPLES_FILE);
out:
	measure_free_events(&recording.events);
	return status;
}
