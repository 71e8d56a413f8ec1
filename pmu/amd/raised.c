// SPDX-License-Identifier: BSD-2-Clause
// Events that cpu events of the emulated core raise (cpu_event.h).

#include "state.h"

#define TAKEN(first, last)	{.cpu_event = CPU_EVENT_##first, .up_to = CPU_EVENT_##last, \
				 .exact = true, .code = 0xC4}

const struct model_raised amd_raised[] = {
	{.cpu_event = CPU_EVENT_BRANCH, .up_to = CPU_EVENT_BRANCH_NOT_TAKEN, .exact = true,
	 .code = 0xC2},
	TAKEN(BRANCH_CONDITIONAL, BRANCH_FAR),
	{.cpu_event = CPU_EVENT_BRANCH_RETURN, .exact = true, .code = 0xC8},
	{.cpu_event = CPU_EVENT_BRANCH_FAR, .exact = true, .code = 0xC6},
	{.cpu_event = CPU_EVENT_MISPREDICTED_CONDITIONAL,
	 .up_to = CPU_EVENT_MISPREDICTED_JUMP_INDIRECT, .code = 0xC3},
	{.cpu_event = CPU_EVENT_MISPREDICTED_RETURN, .code = 0xC9},
	MODEL_RAISED_END
};
