// SPDX-License-Identifier: BSD-2-Clause
// The events that CPU events of an emulated core raise (cpu_event.h; Table 10-2). Each instruction
// has one kind (sl 3), and each kind has a CPU event.

#include "state.h"

#define EXACT(happened, sl, bits)	EXACT_TO(happened, happened, sl, bits)
#define EXACT_TO(first, last, sl, bits)	\
	{.cpu_event = CPU_EVENT_##first, .up_to = CPU_EVENT_##last, .exact = true, .code = sl, \
	 .sub = bits}
#define KIND(happened, bits)	EXACT(happened, SPARCT4_SL_INSTRUCTIONS, SPARCT4_ALSO_KIND | (bits))
#define MODELLED(happened, sl, bits)	{.cpu_event = CPU_EVENT_##happened, .code = sl, .sub = bits}
#define PRECISE(happened, sl, bits)	\
	{.cpu_event = CPU_EVENT_##happened, .precise = true, .code = sl, .sub = bits}
#define SORT(happened, bits)	EXACT(happened, SPARCT4_SL_SORTS, bits)

const struct model_raised sparct4_raised[] = {
	// A taken branch is one event that raises both bits.
	EXACT_TO(BRANCH, BRANCH_NOT_TAKEN, SPARCT4_SL_INSTRUCTIONS, SPARCT4_ALSO_KIND | 0x01),
	EXACT_TO(BRANCH, BRANCH_FAR, SPARCT4_SL_SORTS, 0x01 | 0x02), SORT(BRANCH_NOT_TAKEN, 0x01),

	// There is no far table in this model: only the return stack raises 02. The branch target
	// cache lacks a taken branch, or has it with another target.
	MODELLED(MISPREDICTED_CONDITIONAL, 25, 0x01), MODELLED(MISPREDICTED_NOT_TAKEN, 25, 0x01),
	MODELLED(MISPREDICTED_CALL_INDIRECT, 25, 0x04),
	MODELLED(MISPREDICTED_RETURN, 25, 0x02 | 0x08),
	MODELLED(MISPREDICTED_JUMP_INDIRECT, 25, 0x04),
	MODELLED(MISSED_TAKEN, 5, 0x08), MODELLED(STALE_TARGET, 8, 0x08),

	KIND(LOADS, 0x04), KIND(STORES, 0x08), KIND(STATE_READ, 0x04), KIND(REGISTER, 0x10),
	KIND(BARRIER, 0x08), KIND(FLOATING, 0x02), KIND(PLAIN, 0x20),
	SORT(ATOMIC, 0x08), SORT(PREFETCH, 0x10), SORT(BLOCK, 0x20), SORT(SOFTWARE_COUNT, 0x04),

	// Caches of one core of one chip: a miss is served by its L2 cache, the L3 cache, or local
	// memory.
	PRECISE(FETCHED_L2, 5, 0x01), PRECISE(FETCHED_L3, 5, 0x01),
	PRECISE(FETCHED_MEMORY, 5, 0x02),
	MODELLED(FETCHED_L2, 11, 0x01), MODELLED(FETCHED_L3, 11, 0x01),
	MODELLED(FETCHED_MEMORY, 11, 0x02),
	PRECISE(LOADED_L2, 16, 0x01), PRECISE(LOADED_L3, 16, 0x01),
	PRECISE(LOADED_MEMORY, 16, 0x02),
	MODELLED(LOADED_L2, 23, 0x01), MODELLED(LOADED_L3, 23, 0x01),
	MODELLED(LOADED_MEMORY, 23, 0x02),
	MODELLED(L1I_INVALIDATION, 20, 0x01), MODELLED(L1D_INVALIDATION, 20, 0x04),
	MODELLED(STORED_L2, 22, 0x01), MODELLED(STORED_L3, 22, 0x02),
	MODELLED(STORED_MEMORY, 22, 0x10),
	MODELLED(L2_EVICTION_CLEAN, 24, 0x01), MODELLED(L2_EVICTION_MODIFIED, 24, 0x02),

	MODEL_RAISED_END,
};
