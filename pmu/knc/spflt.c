// SPDX-License-Identifier: BSD-2-Clause
// SPFLT: counters that count only while their thread's program prefers it.

#include "state.h"

static void prefer(struct knc_state *m, unsigned thread, bool count)
{
	m->preferred &= ~OF_THREAD(thread, BOTH);
	m->preferred |= count ? OF_THREAD(thread, BOTH) : 0;
}

uint32_t knc_filtered(const struct knc_state *m)
{
	return knc_set(m, SLOT_PERF_SPFLT_CONTROL) & ~m->preferred;
}

// USER_PREF is the thread's preference, which the instruction changes, too.
bool knc_spflt_read(struct engine *e, unsigned thread, unsigned index, uint64_t *value)
{
	const struct knc_state *m = (const struct knc_state *)e;

	(void)index;
	*value &= ~FIELD(PERF_SPFLT_CONTROL, USER_PREF);
	*value |= FIELD_PUT(PERF_SPFLT_CONTROL, USER_PREF, THREAD_SET(thread, m->preferred) != 0);
	return true;
}

void knc_spflt_written(struct engine *e, unsigned thread, unsigned index, uint64_t value, uint64_t before)
{
	struct knc_state *m = (struct knc_state *)e;

	(void)index, (void)before;
	prefer(m, thread, FIELD_GET(PERF_SPFLT_CONTROL, USER_PREF, value));
	knc_configure(m);
}

void knc_spflt(void *state, unsigned thread, bool count, uint64_t cycles)
{
	struct knc_state *m = state;

	engine_run(&m->engine, cycles);
	engine_sync(&m->engine);
	prefer(m, thread, count);
	knc_configure(m);
}
