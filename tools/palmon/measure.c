// SPDX-License-Identifier: BSD-2-Clause
// Measures a trace on the host shim: measure.h.

#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "palmon.h"
#include "shim.h"

#define PROGRESS_STEPS		(1u << 16)	/* segments between two looks at the clock */
#define PROGRESS_SECONDS	1

/* After so many interrupts, counters that cause more take no more samples. Otherwise a trace of a
 * few bytes could fill a disk. */
#define INTERRUPTS_MOST		(1u << 20)

bool measure_add_events(struct measure_events *events, const struct pmu_driver *driver,
			const char *text, unsigned most)
{
	struct event_list list = event_list(text);

	while (list.more) {
		const unsigned i = events->count;

		if (i == most) {
			complain("more than %u events", most);
			return false;
		}
		if (!next_event(driver, &list, &events->request[i]))
			return false;
		events->text[i] = strndup(list.event, list.length);
		events->group[i] = (uint8_t)(list.group ? events->groups + list.group : 0);
		events->count++;
	}
	events->groups += list.groups;
	return true;
}

void measure_free_events(struct measure_events *events)
{
	for (unsigned i = 0; i < events->count; i++)
		free(events->text[i]);
}

struct trace *measure_open(const struct pmu_driver *driver, const char *path)
{
	struct trace *trace = trace_open(path, pmu_model_find(driver->name)->threads);

	if (trace)
		trace_expect(trace, driver->name);
	else
		complain("%s: %s", path, strerror(errno));
	return trace;
}

bool measure_start(const struct pmu_driver *driver, const struct event_request *requests,
		   unsigned count, struct pmu_session *session)
{
	struct pmu_refusal refusal;
	enum pmu_error error;

	if (!start_shim(driver, ""))
		return false;
	if (!give_records_buffer(requests, count)) {
		shim_end();
		return false;
	}
	pmu_limit_interrupts(INTERRUPTS_MOST, UINT64_MAX);	// a total: a trace has no time
	error = pmu_open(session, requests, count, &refusal);
	if (!error)
		error = pmu_start(session);
	if (error) {
		complain_refusal(driver, error, &refusal, requests);
		shim_end();
		return false;
	}
	return true;
}

// A progress line on a terminal.
struct progress {
	const struct trace *trace;
	bool terminal, shown;
	time_t last;
	unsigned steps;
};

static void show_progress(struct progress *p, uint64_t cycle)
{
	struct trace_progress reached = trace_progress(p->trace);
	time_t now = time(NULL);

	if (p->last && now - p->last >= PROGRESS_SECONDS) {
		fprintf(stderr, "\rcycle %" PRIu64 ", %" PRIu64 " lines", cycle, reached.lines);
		if (reached.size)
			fprintf(stderr, ", %d%%",
				(int)(100.0 * (double)reached.bytes / (double)reached.size));
		p->shown = true;
	}
	if (!p->last || p->shown)
		p->last = now;
}

static void clear_progress(const struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
}

// Simulates up to `cycles` cycles from `now` on, at most to the end of an interval or an overflow
// interrupt. Returns how many it simulated.
static uint64_t deliver(const struct trace_segment *segment, uint64_t cycles, uint64_t now,
		     const struct measure_intervals *intervals)
{
	uint64_t fed;

	if (!intervals)
		return shim_deliver(segment->signals, segment->count, cycles);
	if (cycles > intervals->cycles - now % intervals->cycles)
		cycles = intervals->cycles - now % intervals->cycles;
	fed = shim_deliver(segment->signals, segment->count, cycles);
	if (fed && (now + fed) % intervals->cycles == 0)
		intervals->each(intervals->context, now + fed);
	return fed;
}

// Simulates a segment that begins at cycle `start`, from one overflow interrupt to the next; there
// can be many.
static bool deliver_segment(const struct trace_segment *segment, uint64_t start,
			    struct progress *progress,
			 bool (*drain)(void *context), void *context,
			 const struct measure_intervals *intervals)
{
	uint64_t left = segment->cycles;

	for (;;) {
		left -= deliver(segment, left, start + segment->cycles - left, intervals);
		if (progress->terminal && ++progress->steps % PROGRESS_STEPS == 0)
			show_progress(progress, start + segment->cycles - left);
		if (!left)
			return true;
		if (drain && !drain(context))
			return false;
	}
}

// Stops the session. Its counts are unreliable if a register access has faulted.
static bool stop(struct pmu_session *session)
{
	struct pmu_statistics statistics;
	enum pmu_error error;

	shim_deliver(NULL, 0, 0);		// the trace's event signals end
	error = pmu_stop(session);
	pmu_statistics(&statistics);
	if (statistics.doubtful)
		complain("counts may be wrong: counters that do not interrupt may have overflowed "
			 "unseen, or have "
			 "counted more than there was time for (%" PRIu64 " times)",
			 statistics.doubtful);
	if (error == PMU_OK && !statistics.faults)
		return true;
	complain("a register access faulted");
	return false;
}

// Whether an event of the requests has the code of an occurrence.
static bool matches(const struct trace_segment *segment, const struct event_request *requests,
		    unsigned count)
{
	for (size_t i = 0; i < segment->count; i++)
		for (unsigned j = 0; j < count; j++)
			if (segment->signals[i].code == event_code(&requests[j]))
				return true;
	return false;
}

// Whether any count is above 0: models count some events without looking at their code.
static bool has_counted(struct pmu_session *session)
{
	uint64_t count;

	for (unsigned i = 0; i < session->count; i++)
		if (pmu_read(session, i, &count) == PMU_OK && count)
			return true;
	return false;
}

bool measure_deliver(struct trace *trace, struct pmu_session *session,
		     const struct event_request *requests,
		  bool (*drain)(void *context), void *context,
		  const struct measure_intervals *intervals, struct measured *measured)
{
	struct progress progress = {.trace = trace, .terminal = isatty(STDERR_FILENO)};
	struct trace_segment segment;
	bool ok;
	int got;

	*measured = (struct measured){0};
	while ((got = trace_next(trace, &segment)) > 0) {
		measured->any |= segment.count != 0;
		if (!measured->matched)
			measured->matched = matches(&segment, requests, session->count);
		if (!deliver_segment(&segment, measured->cycles, &progress, drain, context,
				     intervals) ||
		    (drain && !drain(context)))
			break;
		measured->cycles += segment.cycles;
	}
	clear_progress(&progress);
	measured->named = *trace_target(trace);
	if (intervals && measured->cycles % intervals->cycles)
		intervals->each(intervals->context, measured->cycles);
	if (got < 0)
		complain("%s", trace_error(trace));
	ok = stop(session) && got == 0 && (!drain || drain(context));
	measured->matched |= ok && has_counted(session);
	return ok;
}

void measure_warn(const struct pmu_driver *driver, const char *path,
		  const struct measured *measured)
{
	if (!measured->any)
		complain("%s: nothing happens in this trace", path);
	else if (!measured->matched)
		complain("%s: nothing was counted: no line is of these events%s%s%s", path,
			 measured->named ? "" : "; is it a trace of ",
			 measured->named ? "" : driver->name, measured->named ? "" : "?");
}
