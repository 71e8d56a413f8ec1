// SPDX-License-Identifier: BSD-2-Clause
// Architectural events that cpu events of the emulated core raise (cpu_event.h).

#include "state.h"

const struct model_raised intel_raised[] = {
	{.cpu_event = CPU_EVENT_BRANCH, .up_to = CPU_EVENT_BRANCH_NOT_TAKEN, .exact = true,
	 .code = INTEL_EVENT_BRANCHES, .sub = 0},
	{.cpu_event = CPU_EVENT_MISPREDICTED_CONDITIONAL,
	 .up_to = CPU_EVENT_MISPREDICTED_JUMP_INDIRECT, .code = 0xC5, .sub = 0},
	{.cpu_event = CPU_EVENT_L3_READ_HIT, .code = 0x2E, .sub = 0x0E},
	{.cpu_event = CPU_EVENT_L3_READ_MISS, .code = 0x2E, .sub = 0x41},
	MODEL_RAISED_END
};
