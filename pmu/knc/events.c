// SPDX-License-Identifier: BSD-2-Clause
// Which events exist, and which counter counts them: as events.tab says.

#include "state.h"

bool knc_is_event(unsigned code, unsigned umask, unsigned counter)
{
	const struct model_code *events = &pmu_codes_knc[code % MODEL_CODES];

	return code < MODEL_CODES && !(umask & 0xF) && (counter ? events->all : events->some) >> (umask >> 4) & 1;
}

// Events without a thread-specific context (Table 1-5, Thread Count Mode). Table 1-6 does not say which these are:
// requests of other agents, which are answered whatever the core's threads execute.
bool knc_is_of_no_thread(uint16_t event)
{
	switch (event) {
	case KNC_UMASK_CRI << 8 | 0xD7:
	case KNC_UMASK_CRI << 8 | 0xE3:
	case KNC_UMASK_CRI << 8 | 0xE6:
	case KNC_UMASK_CRI << 8 | 0xE7:
		return true;
	default:
		return false;
	}
}
