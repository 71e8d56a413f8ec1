// SPDX-License-Identifier: BSD-2-Clause
// SPFLT: counters that count only while their thread's user filter is on.

#include "state.h"

void knc_set_filter(struct knc_state *m, unsigned thread, bool count)
{
	m->user_filter &= ~OF_THREAD(thread, BOTH);
	m->user_filter |= count ? OF_THREAD(thread, BOTH) : 0;
}

uint32_t knc_filtered(const struct knc_state *m)
{
	return knc_set(m, SLOT_PERF_SPFLT_CONTROL) & ~m->user_filter;
}

// USER_PREF is the thread's user filter, which the instruction changes, too.
bool knc_spflt_read(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	const struct knc_state *m = state;

	(void)index;
	*value &= ~FIELD(PERF_SPFLT_CONTROL, USER_PREF);
	*value |= FIELD_PUT(PERF_SPFLT_CONTROL, USER_PREF, THREAD_SET(thread, m->user_filter) != 0);
	return true;
}
