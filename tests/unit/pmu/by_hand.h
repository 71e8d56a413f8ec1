/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions whose counts a test computes by hand while sessions are opened and closed.
 * `counted_by[n]`: the expected count that counter n adds to, or NULL. */
#ifndef BY_HAND_H
#define BY_HAND_H

#include <inttypes.h>
#include <string.h>

#include "sessions.h"

#include "portable.h"

#define EVENTS	2	/* events of a session, at most */

struct ours {
	struct pmu_session session;
	bool open, running;
	uint64_t expected[EVENTS];
};

/* Enters the session's counters into counted_by, or removes them. */
static inline void own(uint64_t *counted_by[], struct ours *o, bool there)
{
	for (unsigned e = 0; e < o->session.count && o->open; e++)
		counted_by[o->session.counter[e].number] = there ? &o->expected[e] : NULL;
}

/* Opens a session. A session that does not fit next to the open ones is refused. */
static inline void open_by_hand(uint64_t *counted_by[], struct ours *o, const char *text)
{
	memset(o, 0, sizeof *o);
	o->open = try_session(&o->session, text) == PMU_OK;
	own(counted_by, o, true);
}

static inline void close_by_hand(uint64_t *counted_by[], struct ours *o)
{
	assert_int_equal(pmu_close(&o->session), PMU_OK);
	own(counted_by, o, false);
	o->open = o->running = false;
}

static inline void start_or_stop(struct ours *o)
{
	if (!o->open)
		return;
	o->running = !o->running;
	assert_int_equal(o->running ? pmu_start(&o->session) : pmu_stop(&o->session), PMU_OK);
}

static inline void let_interrupts_wait(bool wait)
{
	if (wait)
		hal_interrupts_disable();
	else
		hal_interrupts_restore(true);
}

/* Disables interrupts: a handler's instructions after the read would be counted, too. Counters have
 * `width` bits. */
static inline void check_by_hand(struct ours *o, unsigned width)
{
	const bool interrupts = hal_interrupts_disable();

	for (unsigned e = 0; e < o->session.count && o->open; e++) {
		const struct pmu_counter *c = &o->session.counter[e];
		const uint64_t count = count_of(&o->session, e);

		if (count != o->expected[e])
			fail_msg("CPU %u, counter %u, select %" PRIx64 ": %" PRIu64
				 ", not %" PRIu64, hal_cpu(),
				 c->number, c->select, count, o->expected[e]);
		if (!c->period || c->throttled)
			continue;
		assert_int_equal(c->due - c->slipped, (c->samples + 1) * c->period);
		if (!o->running && !(c->start >> width))
			assert_true(count < c->due);
	}
	hal_interrupts_restore(interrupts);
}

/* A context read from bytes is written as the same bytes. */
static inline void assert_portable(const struct pmu_context *context)
{
	static uint8_t bytes[PMU_PORTABLE_MOST], again[PMU_PORTABLE_MOST];
	static struct pmu_session sessions[PMU_PORTABLE_SESSIONS];
	struct pmu_context copy;
	const size_t size = pmu_portable_write(context, bytes, sizeof bytes);

	assert_int_equal(pmu_portable_read(context->driver, bytes, size, sessions,
					   PMU_PORTABLE_SESSIONS, &copy),
			 PMU_PORTABLE_OK);
	assert_int_equal(pmu_portable_write(&copy, again, sizeof again), size);
	assert_memory_equal(again, bytes, size);
	pmu_portable_forget(&copy);
}

#endif
