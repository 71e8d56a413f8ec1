// SPDX-License-Identifier: BSD-2-Clause
// What happens in the cycle of an instruction, as a backend with an instruction clock knows it, and of a branch.

#include "state.h"

// Both spellings of each event: the architectural one, unit mask 0, and the guide's table 1.
#define HAPPENS(event, umask, of, at) {.code = (event), .sub = (umask), .n = 1, .thread = (of), .level = (at)}
#define CLOCK(of, at)						\
	{							\
		HAPPENS(NEHALEM_EVENT_RETIRED, 0, of, at),	\
		HAPPENS(NEHALEM_EVENT_RETIRED, 1, of, at),	\
		HAPPENS(NEHALEM_EVENT_CYCLES, 0, of, at),	\
		HAPPENS(NEHALEM_EVENT_CYCLES, 1, of, at),	\
		HAPPENS(NEHALEM_EVENT_REFERENCE, 0, of, at),	\
	}
#define CLOCK_EVENTS 5
#define CLOCK_LEVELS(thread) {CLOCK(thread, 0), CLOCK(thread, 1), CLOCK(thread, 2), CLOCK(thread, 3)}

static const struct occurrence clock_signals[THREADS][4][CLOCK_EVENTS] = {CLOCK_LEVELS(0), CLOCK_LEVELS(1)};

const struct occurrence *nehalem_clock(unsigned thread, unsigned level, size_t *count)
{
	*count = CLOCK_EVENTS;
	return clock_signals[thread][level];
}

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
