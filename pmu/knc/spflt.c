// SPDX-License-Identifier: BSD-2-Clause
// SPFLT: counters that follow the user filter count only while it is on. Software sets the filter
// in the register (USER_PREF), or by the instruction SPFLT at any privilege level.

#include "state.h"

void knc_spflt(void *state, unsigned thread, bool count, uint64_t cycles)
{
	struct knc_state *m = state;
	uint64_t *control = &m->file[thread][SLOT_PERF_SPFLT_CONTROL];

	engine_run(&m->engine, cycles);
	engine_sync(&m->engine);
	*control = (*control & ~FIELD(PERF_SPFLT_CONTROL, USER_PREF)) |
		FIELD_PUT(PERF_SPFLT_CONTROL, USER_PREF, count);
	engine_configure(&m->engine);
}

uint32_t knc_filtered(const struct knc_state *m)
{
	uint32_t filtered = 0;

	for (unsigned thread = 0; thread < THREADS; thread++) {
		const uint64_t control = m->file[thread][SLOT_PERF_SPFLT_CONTROL];

		if (!(control & FIELD(PERF_SPFLT_CONTROL, USER_PREF)))
			filtered |= OF_THREAD(thread,
					      FIELD_GET(PERF_SPFLT_CONTROL, SPFLT_ENABLE, control));
	}
	return filtered;
}
