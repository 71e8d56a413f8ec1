// SPDX-License-Identifier: BSD-2-Clause
// Branch records (LBR): source and target of the last taken branches.

#include "state.h"

#define KIND_INDEX(kind) ((kind) / OCCURRENCE_KIND_CONDITIONAL)

// Table 7. A branch of unknown kind is excluded only if all kinds are.
static bool is_left_out(uint64_t select, const struct occurrence *o)
{
	static const uint64_t kinds[] = {
		FIELD(LBR_SELECT, JCC) | FIELD(LBR_SELECT, NEAR_REL_CALL) |
			FIELD(LBR_SELECT, NEAR_INDIRECT_CALL) |
			FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_INDIRECT_JMP) |
			FIELD(LBR_SELECT, NEAR_REL_JMP) | FIELD(LBR_SELECT, FAR_BRANCH),
		[KIND_INDEX(OCCURRENCE_KIND_CONDITIONAL)] = FIELD(LBR_SELECT, JCC),
		[KIND_INDEX(OCCURRENCE_KIND_CALL)] = FIELD(LBR_SELECT, NEAR_REL_CALL),
		[KIND_INDEX(OCCURRENCE_KIND_CALL_INDIRECT)] = FIELD(LBR_SELECT, NEAR_INDIRECT_CALL),
		[KIND_INDEX(OCCURRENCE_KIND_RETURN)] = FIELD(LBR_SELECT, NEAR_RET),
		[KIND_INDEX(OCCURRENCE_KIND_JUMP_INDIRECT)] = FIELD(LBR_SELECT, NEAR_INDIRECT_JMP),
		[KIND_INDEX(OCCURRENCE_KIND_JUMP)] = FIELD(LBR_SELECT, NEAR_REL_JMP),
		[KIND_INDEX(OCCURRENCE_KIND_FAR)] = FIELD(LBR_SELECT, FAR_BRANCH),
	};
	uint64_t level = o->level ? FIELD(LBR_SELECT, CPL_NEQ_0) : FIELD(LBR_SELECT, CPL_EQ_0);

	return select & level || !(~select & kinds[KIND_INDEX(o->branch & OCCURRENCE_KIND)]);
}

static bool is_recorded(const struct nehalem_state *m, const struct occurrence *branch)
{
	return m->recording >> branch->thread & 1 && branch->branch & OCCURRENCE_TAKEN &&
	       !is_left_out(m->file[branch->thread][SLOT_LBR_SELECT], branch);
}

// True for a recorded branch among the inputs: an occurrence with the unit-mask bit of all
// branches.
static bool passes_filter(const struct nehalem_state *m, const struct occurrence *o)
{
	return o->code == NEHALEM_EVENT_BRANCHES && o->sub & NEHALEM_UMASK_ALL_BRANCHES &&
	       is_recorded(m, o);
}

bool nehalem_lbr_due(const struct nehalem_state *m)
{
	const struct engine *e = &m->engine;

	for (const struct occurrence *o = e->inputs; o < e->inputs + e->input_count; o++)
		if (passes_filter(m, o))
			return true;
	return false;
}

static void record_branch(uint64_t *file, const struct occurrence *o)
{
	bool wrong = o->branch & (OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET);
	uint64_t from = nehalem_canonical(o->ip) & ~FIELD(LASTBRANCH_FROM_IP, MISPRED);
	uint64_t *tos = &file[SLOT_LASTBRANCH_TOS];

	*tos = (*tos + 1) % NEHALEM_BRANCH_RECORDS;
	file[SLOT_LASTBRANCH_FROM_IP + *tos] = from | FIELD_PUT(LASTBRANCH_FROM_IP, MISPRED, wrong);
	file[SLOT_LASTBRANCH_TO_IP + *tos] = nehalem_canonical(o->target);
}

void nehalem_record(void *state, const struct occurrence *branch)
{
	struct nehalem_state *m = state;

	if (is_recorded(m, branch))
		record_branch(m->file[branch->thread], branch);
}

// Returns a smaller number of equal repetitions that leaves the same branch records as `times`.
static uint64_t fewer(uint64_t times)
{
	return times < 2 * NEHALEM_BRANCH_RECORDS ? times : NEHALEM_BRANCH_RECORDS +
	       times % NEHALEM_BRANCH_RECORDS;
}

void nehalem_lbr_passed(struct nehalem_state *m, uint64_t cycles)
{
	const struct engine *e = &m->engine;

	for (cycles = fewer(cycles); cycles; cycles--)
		for (const struct occurrence *o = e->inputs; o < e->inputs + e->input_count; o++)
			if (passes_filter(m, o))
				for (uint64_t n = fewer(o->n); n; n--)
					record_branch(m->file[o->thread], o);
}
