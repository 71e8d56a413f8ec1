// SPDX-License-Identifier: BSD-2-Clause
// Branch records (LBR): source and target of the last taken branches.

#include "state.h"

// The guide's Table 7.
static bool is_recorded(const struct nehalem_state *m, const struct occurrence *branch)
{
	return m->recording >> branch->thread & 1 && branch->branch & OCCURRENCE_TAKEN &&
	       !engine_branch_is_excluded(m->file[branch->thread][SLOT_LBR_SELECT], branch);
}

// True for a recorded branch among the inputs: an occurrence with the unit-mask bit of all
// branches.
static bool accepts(const struct engine *e, const struct occurrence *o)
{
	return o->code == NEHALEM_EVENT_BRANCHES && o->sub & NEHALEM_UMASK_ALL_BRANCHES &&
	       is_recorded((const struct nehalem_state *)e, o);
}

static void record_branch(struct engine *e, const struct occurrence *o, uint64_t cycle)
{
	uint64_t *file = ((struct nehalem_state *)e)->file[o->thread];
	bool wrong = o->branch & (OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET);
	uint64_t from = nehalem_canonical(o->ip) & ~FIELD(LASTBRANCH_FROM_IP, MISPRED);
	uint64_t *tos = &file[SLOT_LASTBRANCH_TOS];

	(void)cycle;
	*tos = (*tos + 1) % NEHALEM_BRANCH_RECORDS;
	file[SLOT_LASTBRANCH_FROM_IP + *tos] = from | FIELD_PUT(LASTBRANCH_FROM_IP, MISPRED, wrong);
	file[SLOT_LASTBRANCH_TO_IP + *tos] = nehalem_canonical(o->target);
}

static const struct engine_branches branches = {NEHALEM_BRANCH_RECORDS, accepts, record_branch};

bool nehalem_lbr_due(const struct nehalem_state *m)
{
	return engine_branches_due(&m->engine, &branches);
}

void nehalem_lbr_passed(struct nehalem_state *m, uint64_t cycles)
{
	engine_branches_passed(&m->engine, &branches, cycles);
}

void nehalem_record(void *state, const struct occurrence *branch)
{
	if (is_recorded(state, branch))
		record_branch(state, branch, 0);
}
