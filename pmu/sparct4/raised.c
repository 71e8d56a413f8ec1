// SPDX-License-Identifier: BSD-2-Clause
// Which events what happens in an emulated core raises (happening.h; Table 10-2). Each instruction is of one kind
// (sl 3), and there is an event for each.

#include "state.h"

#define EXACT(happened, sl, bits)	EXACT_TO(happened, happened, sl, bits)
#define EXACT_TO(first, last, sl, bits)	\
	{.happening = HAPPENING_##first, .up_to = HAPPENING_##last, .exact = true, .code = sl, .sub = bits}
#define KIND(happened, bits)	EXACT(happened, SPARCT4_SL_INSTRUCTIONS, SPARCT4_BESIDE | (bits))
#define SORT(happened, bits)	EXACT(happened, SPARCT4_SL_SORTS, bits)

const struct model_raised sparct4_raised[] = {
	// A taken branch is one event, and raises the bits of both.
	EXACT_TO(BRANCH, BRANCH_NOT_TAKEN, SPARCT4_SL_INSTRUCTIONS, SPARCT4_BESIDE | 0x01),
	EXACT_TO(BRANCH, BRANCH_FAR, SPARCT4_SL_SORTS, 0x01 | 0x02), SORT(BRANCH_NOT_TAKEN, 0x01),

	KIND(LOADS, 0x04), KIND(STORES, 0x08), KIND(STATE_READ, 0x04), KIND(REGISTER, 0x10), KIND(BARRIER, 0x08),
	KIND(FLOATING, 0x02), KIND(PLAIN, 0x20),
	SORT(ATOMIC, 0x08), SORT(PREFETCH, 0x10), SORT(BLOCK, 0x20), SORT(SOFTWARE_COUNT, 0x04),

	MODEL_RAISED_END,
};
