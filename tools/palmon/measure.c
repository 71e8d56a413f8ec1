// SPDX-License-Identifier: BSD-2-Clause
// A measurement of a trace on the host shim: measure.h.

#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "palmon.h"
#include "shim.h"

#define PROGRESS_STEPS		(1u << 16)	/* the clock is looked at this often */
#define PROGRESS_SECONDS	1

/* Behind so many interrupts the counters that cause more take no more samples: a trace of a few bytes could fill a disk
 * with them. */
#define INTERRUPTS_MOST		(1u << 20)

bool measure_add_events(struct measure_events *events, const struct pmu_driver *driver, const char *text)
{
	unsigned added = read_events(driver, text, events->request + events->count,
				     PMU_SESSION_EVENTS - events->count);

	for (unsigned i = 0; i < added; i++) {
		size_t length = strcspn(text, ",");

		events->text[events->count++] = strndup(text, length);
		text += length + 1;
	}
	return added;
}

void measure_free_events(struct measure_events *events)
{
	for (unsigned i = 0; i < events->count; i++)
		free(events->text[i]);
}

struct trace *measure_open(const struct pmu_driver *driver, const char *path)
{
	struct trace *trace = trace_open(path, pmu_model_find(driver->name)->threads);

	if (!trace)
		complain("%s: %s", path, strerror(errno));
	return trace;
}

bool measure_start(const struct pmu_driver *driver, const struct event_request *requests, unsigned count,
		   struct pmu_session *session)
{
	struct pmu_refusal refusal;
	enum pmu_error error;

	if (!start_shim(driver, ""))
		return false;
	if (!give_records_buffer(requests, count)) {
		shim_end();
		return false;
	}
	pmu_limit_interrupts(INTERRUPTS_MOST, UINT64_MAX);	// in all: in a trace's time they take none
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

// A line on a terminal, for those who wait.
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
			fprintf(stderr, ", %d%%", (int)(100.0 * (double)reached.bytes / (double)reached.size));
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

// Feeds cycles that begin at `start`: from one overflow interrupt to the next, which may be many.
static bool feed_segment(const struct trace_segment *segment, uint64_t start, struct progress *progress,
			 bool (*drain)(void *context), void *context)
{
	uint64_t left = segment->cycles;

	for (;;) {
		left -= shim_feed(segment->wires, segment->count, left);
		if (progress->terminal && ++progress->steps % PROGRESS_STEPS == 0)
			show_progress(progress, start + segment->cycles - left);
		if (!left)
			return true;
		if (drain && !drain(context))
			return false;
	}
}

// What the session has counted cannot be trusted if a register could not be reached.
static bool stop(struct pmu_session *session)
{
	struct pmu_statistics statistics;
	enum pmu_error error;

	shim_feed(NULL, 0, 0);		// the trace's wires end
	error = pmu_stop(session);
	pmu_statistics(&statistics);
	if (statistics.doubtful)
		complain("counts may be wrong: counters that do not interrupt may have overflowed unseen, or have "
			 "counted more than there was time for (%" PRIu64 " times)", statistics.doubtful);
	if (error == PMU_OK && !statistics.faults)
		return true;
	complain("a register access faulted");
	return false;
}

bool measure_feed(struct trace *trace, struct pmu_session *session, bool (*drain)(void *context), void *context,
		  uint64_t *cycles)
{
	struct progress progress = {.trace = trace, .terminal = isatty(STDERR_FILENO)};
	struct trace_segment segment;
	int got;

	*cycles = 0;
	while ((got = trace_next(trace, &segment)) > 0) {
		if (!feed_segment(&segment, *cycles, &progress, drain, context) || (drain && !drain(context)))
			break;
		*cycles += segment.cycles;
	}
	clear_progress(&progress);
	if (got < 0)
		fprintf(stderr, "%s\n", trace_error(trace));
	return stop(session) && got == 0 && (!drain || drain(context));
}
