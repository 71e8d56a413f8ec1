// SPDX-License-Identifier: BSD-2-Clause
// What happens in the cycle of an instruction, as a backend with an instruction clock knows it, and of a branch.

#include "state.h"

// Both spellings of each event: the architectural one, unit mask 0, and the guide's table 1.
#define CLOCK(of, at)							\
	{								\
		ENGINE_EVENT(NEHALEM_EVENT_RETIRED, 0, of, at),		\
		ENGINE_EVENT(NEHALEM_EVENT_RETIRED, 1, of, at),		\
		ENGINE_EVENT(NEHALEM_EVENT_CYCLES, 0, of, at),		\
		ENGINE_EVENT(NEHALEM_EVENT_CYCLES, 1, of, at),		\
		ENGINE_EVENT(NEHALEM_EVENT_REFERENCE, 0, of, at),	\
	}
ENGINE_CLOCK_SIGNALS(nehalem, THREADS, CLOCK)

// BR_INST_RETIRED: the guide's unit masks (Table 6), and the architectural event, which has none.
size_t nehalem_branch(const struct occurrence *branch, struct occurrence *occurrences)
{
	unsigned kind = branch->branch & OCCURRENCE_KIND;

	occurrences[0] = occurrences[1] = *branch;
	occurrences[0].code = occurrences[1].code = NEHALEM_EVENT_BRANCHES;
	occurrences[0].sub = NEHALEM_UMASK_ALL_BRANCHES;
	if (kind == OCCURRENCE_KIND_CONDITIONAL)
		occurrences[0].sub |= NEHALEM_UMASK_CONDITIONAL;
	if (kind == OCCURRENCE_KIND_CALL || kind == OCCURRENCE_KIND_CALL_INDIRECT)
		occurrences[0].sub |= NEHALEM_UMASK_NEAR_CALL;
	return 2;
}
