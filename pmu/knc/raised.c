// SPDX-License-Identifier: BSD-2-Clause
// PMU events (Table 1-6) that cpu events of the emulated core raise (cpu_event.h). README.md lists
// the absent events, with reasons.

#include "state.h"

#define P54C(happened, event)	{.cpu_event = CPU_EVENT_##happened, .code = event, \
				 .sub = KNC_UMASK_P54C}
#define CRI(happened, event)	{.cpu_event = CPU_EVENT_##happened, .code = event, \
				 .sub = KNC_UMASK_CRI}
#define VPU(happened, event)	{.cpu_event = CPU_EVENT_##happened, .code = event, \
				 .sub = KNC_UMASK_VPU}
#define FLUSHES(happened)	P54C(happened, 0x15)
#define FLUSHES_TO(first, last)	\
	{.cpu_event = CPU_EVENT_##first, .up_to = CPU_EVENT_##last, .code = 0x15, \
	 .sub = KNC_UMASK_P54C}
#define HITS(row, happened, event)	row(happened##_S, event), row(happened##_E, event), \
	row(happened##_M, event)
#define ALL(row, happened, event)	row(happened##_I, event), HITS(row, happened, event)

const struct model_raised knc_raised[] = {
	// All kinds of branches, taken or not.
	{.cpu_event = CPU_EVENT_BRANCH, .up_to = CPU_EVENT_BRANCH_NOT_TAKEN, .exact = true,
	 .code = KNC_EVENT_BRANCHES, .sub = KNC_UMASK_P54C},

	// Far branches load segments.
	FLUSHES(BRANCH_FAR),

	// Mispredictions of branches that are in the branch target buffer.
	{.cpu_event = CPU_EVENT_MISPREDICTED_CONDITIONAL,
	 .up_to = CPU_EVENT_MISPREDICTED_JUMP_INDIRECT, .code = 0x2B,
	 .sub = KNC_UMASK_P54C},

	// Pipeline flushes: mispredictions, taken branches that the branch target buffer lacks,
	// exceptions and interrupts.
	FLUSHES_TO(MISPREDICTED_CONDITIONAL, MISPREDICTED_JUMP_INDIRECT), FLUSHES(MISSED_TAKEN),
	FLUSHES(INTERRUPTED),

	P54C(PAIRED, 0x17), P54C(PAIRED_REFERENCES, 0x09), P54C(BANK_CONFLICT, 0x0A),
	P54C(INTERLOCKED, 0x1F),

	// A locked access is a read and a write.
	ALL(P54C, L1D_LOAD, 0x00), ALL(P54C, L1D_LOCK, 0x00), ALL(P54C, L1D_STORE, 0x01),
	ALL(P54C, L1D_LOCK, 0x01),
	P54C(L1D_LOAD_I, 0x03), P54C(L1D_LOCK_I, 0x03), P54C(L1D_STORE_I, 0x04),
	P54C(L1D_LOCK_I, 0x04),
	ALL(P54C, L1D_LOAD, 0x28), ALL(P54C, L1D_STORE, 0x28), ALL(P54C, L1D_LOCK, 0x28),
	ALL(P54C, L1D_LOCK, 0x28),
	P54C(L1D_LOAD_I, 0x29), P54C(L1D_STORE_I, 0x29), P54C(L1D_LOCK_I, 0x29),
	P54C(L1D_LOCK_I, 0x29), P54C(L1D_EVICTION_MODIFIED, 0x06), P54C(L1D_SNOOP_MODIFIED, 0x06),
	P54C(L1I_HIT, 0x0C), P54C(L1I_MISS, 0x0C), P54C(L1I_AGAIN, 0x0C), P54C(L1I_MISS, 0x0E),

	// A page walk looks in the second-level TLB first; a long walk continues after it misses.
	P54C(TLB_LOAD_MISS, 0x02), P54C(TLB_STORE_MISS, 0x02), P54C(TLB_FETCH_MISS, 0x0D),
	P54C(TLB_LOAD_WALK, 0x3A), P54C(TLB_LOAD_WALK_LARGE, 0x3A), P54C(TLB_STORE_WALK, 0x3A),
	P54C(TLB_STORE_WALK_LARGE, 0x3A), P54C(TLB_FETCH_WALK, 0x3B),
	P54C(TLB_FETCH_WALK_LARGE, 0x3B),

	// A dropped prefetch has reached the L1 data cache.
	P54C(VPREFETCH0_HIT, 0x11), P54C(VPREFETCH0_MISS, 0x11), P54C(VPREFETCH0_DROPPED, 0x11),
	P54C(VPREFETCH0_MISS, 0x1C), P54C(VPREFETCH0_DROPPED, 0x1E),
	P54C(IN_FLIGHT_VPREFETCH0, 0x20),
	ALL(P54C, L2_VPREFETCH1, 0x37), P54C(VPREFETCH1_DROPPED, 0x37), P54C(L2_VPREFETCH0_I, 0x38),

	{.cpu_event = CPU_EVENT_FRONT_END_STALLED, .clock = MODEL_TIMED_CLOCK, .code = 0x2D,
	 .sub = KNC_UMASK_P54C},

	VPU(VECTOR, 0x16), VPU(VECTOR_ELEMENT, 0x18), VPU(VECTOR_WAITS, 0x05),
	VPU(VECTOR_LOAD, 0x00), VPU(VECTOR_STORE, 0x01), VPU(VECTOR_LOAD_MISS, 0x03),
	VPU(VECTOR_STORE_MISS, 0x04),

	CRI(L2_LOAD_E, 0xC8), CRI(L2_FETCH_E, 0xC8), CRI(L2_LOAD_M, 0xC9), CRI(L2_FETCH_M, 0xC9),
	CRI(L2_LOAD_S, 0xCA), CRI(L2_FETCH_S, 0xCA), CRI(L2_LOAD_I, 0xCB), CRI(L2_FETCH_I, 0xCB),
	CRI(L2_VPREFETCH0_I, 0xCB), CRI(L2_VPREFETCH1_I, 0xCB),
	HITS(CRI, L2_STORE, 0xCC), HITS(CRI, L2_LOCK, 0xCC),

	// Lines that the L2 cache writes to memory, and lines that other cores read from it.
	CRI(L2_EVICTION_MODIFIED, 0xD7), CRI(SNOOP_S, 0xE6), CRI(SNOOP_E, 0xE6), CRI(SNOOP_M, 0xE7),
	CRI(OFFCORE_FETCH_SHARED, 0xF0), CRI(OFFCORE_FETCH_MODIFIED, 0xF0),
	CRI(OFFCORE_FETCH_MEMORY, 0xF5),
	CRI(OFFCORE_LOAD_SHARED, 0xF1), CRI(OFFCORE_LOAD_MODIFIED, 0xF1),
	CRI(OFFCORE_LOAD_MEMORY, 0xF6),
	CRI(OFFCORE_STORE_SHARED, 0xF2), CRI(OFFCORE_STORE_MODIFIED, 0xF2),
	CRI(OFFCORE_STORE_MEMORY, 0xF7),

	ALL(CRI, L2_VPREFETCH1, 0xFC), CRI(L2_VPREFETCH1_I, 0xFE), CRI(IN_FLIGHT_VPREFETCH1, 0xFF),

	MODEL_RAISED_END,
};
