// SPDX-License-Identifier: BSD-2-Clause
// Which events what happens in an emulated core raises (happening.h; Table 1-6). Prefetches, the vector unit, pipes and
// stalls are not there. A snoop is of no thread, and so is what is not here of the L2 cache.

#include "state.h"

#define P54C(happened, event)	{.happening = HAPPENING_##happened, .code = event, .sub = KNC_UMASK_P54C}
#define CRI(happened, event)	{.happening = HAPPENING_##happened, .code = event, .sub = KNC_UMASK_CRI}
#define HITS(row, happened, event)	row(happened##_S, event), row(happened##_E, event), row(happened##_M, event)
#define ALL(row, happened, event)	row(happened##_I, event), HITS(row, happened, event)

const struct model_raised knc_raised[] = {
	// Of all kinds, taken or not.
	{.happening = HAPPENING_BRANCH, .up_to = HAPPENING_BRANCH_NOT_TAKEN, .exact = true,
	 .code = KNC_EVENT_BRANCHES, .sub = KNC_UMASK_P54C},

	// Of those that the branch target buffer has.
	{.happening = HAPPENING_MISPREDICTED_CONDITIONAL, .up_to = HAPPENING_MISPREDICTED_JUMP_INDIRECT, .code = 0x2B,
	 .sub = KNC_UMASK_P54C},

	// A locked access reads and writes.
	ALL(P54C, L1D_LOAD, 0x00), ALL(P54C, L1D_LOCK, 0x00), ALL(P54C, L1D_STORE, 0x01), ALL(P54C, L1D_LOCK, 0x01),
	P54C(L1D_LOAD_I, 0x03), P54C(L1D_LOCK_I, 0x03), P54C(L1D_STORE_I, 0x04), P54C(L1D_LOCK_I, 0x04),
	ALL(P54C, L1D_LOAD, 0x28), ALL(P54C, L1D_STORE, 0x28), ALL(P54C, L1D_LOCK, 0x28), ALL(P54C, L1D_LOCK, 0x28),
	P54C(L1D_LOAD_I, 0x29), P54C(L1D_STORE_I, 0x29), P54C(L1D_LOCK_I, 0x29), P54C(L1D_LOCK_I, 0x29),
	P54C(L1D_EVICTION_MODIFIED, 0x06), P54C(L1D_SNOOP_MODIFIED, 0x06),
	P54C(L1I_HIT, 0x0C), P54C(L1I_MISS, 0x0C), P54C(L1I_MISS, 0x0E),

	// A page walk asks the second level first; a long one goes on behind it.
	P54C(TLB_LOAD_MISS, 0x02), P54C(TLB_STORE_MISS, 0x02), P54C(TLB_FETCH_MISS, 0x0D),
	P54C(TLB_LOAD_WALK, 0x3A), P54C(TLB_LOAD_WALK_LARGE, 0x3A), P54C(TLB_STORE_WALK, 0x3A),
	P54C(TLB_STORE_WALK_LARGE, 0x3A), P54C(TLB_FETCH_WALK, 0x3B), P54C(TLB_FETCH_WALK_LARGE, 0x3B),

	CRI(L2_LOAD_E, 0xC8), CRI(L2_FETCH_E, 0xC8), CRI(L2_LOAD_M, 0xC9), CRI(L2_FETCH_M, 0xC9),
	CRI(L2_LOAD_S, 0xCA), CRI(L2_FETCH_S, 0xCA), CRI(L2_LOAD_I, 0xCB), CRI(L2_FETCH_I, 0xCB),
	HITS(CRI, L2_STORE, 0xCC), HITS(CRI, L2_LOCK, 0xCC),
	CRI(OFFCORE_FETCH_SHARED, 0xF0), CRI(OFFCORE_FETCH_MODIFIED, 0xF0), CRI(OFFCORE_FETCH_MEMORY, 0xF5),
	CRI(OFFCORE_LOAD_SHARED, 0xF1), CRI(OFFCORE_LOAD_MODIFIED, 0xF1), CRI(OFFCORE_LOAD_MEMORY, 0xF6),
	CRI(OFFCORE_STORE_SHARED, 0xF2), CRI(OFFCORE_STORE_MODIFIED, 0xF2), CRI(OFFCORE_STORE_MEMORY, 0xF7),

	MODEL_RAISED_END,
};
