// SPDX-License-Identifier: BSD-2-Clause
// Branch records: filter, and the records of equal cycles.

#include "branches.h"

#define KIND_INDEX(kind) ((kind) / OCCURRENCE_KIND_CONDITIONAL)

bool engine_branch_is_excluded(uint64_t filter, const struct occurrence *o)
{
	static const uint16_t kinds[] = {
		ENGINE_FILTER_CONDITIONAL | ENGINE_FILTER_CALL | ENGINE_FILTER_CALL_INDIRECT |
			ENGINE_FILTER_RETURN | ENGINE_FILTER_JUMP_INDIRECT | ENGINE_FILTER_JUMP |
			ENGINE_FILTER_FAR,
		[KIND_INDEX(OCCURRENCE_KIND_CONDITIONAL)] = ENGINE_FILTER_CONDITIONAL,
		[KIND_INDEX(OCCURRENCE_KIND_CALL)] = ENGINE_FILTER_CALL,
		[KIND_INDEX(OCCURRENCE_KIND_CALL_INDIRECT)] = ENGINE_FILTER_CALL_INDIRECT,
		[KIND_INDEX(OCCURRENCE_KIND_RETURN)] = ENGINE_FILTER_RETURN,
		[KIND_INDEX(OCCURRENCE_KIND_JUMP_INDIRECT)] = ENGINE_FILTER_JUMP_INDIRECT,
		[KIND_INDEX(OCCURRENCE_KIND_JUMP)] = ENGINE_FILTER_JUMP,
		[KIND_INDEX(OCCURRENCE_KIND_FAR)] = ENGINE_FILTER_FAR,
	};
	const unsigned level = o->level ? ENGINE_FILTER_OTHER_LEVELS : ENGINE_FILTER_LEVEL_0;

	return filter & level || !(~filter & kinds[KIND_INDEX(o->branch & OCCURRENCE_KIND)]);
}

bool engine_branches_due(const struct engine *e, const struct engine_branches *b)
{
	for (const struct occurrence *o = e->inputs; o < e->inputs + e->input_count; o++)
		if (b->accepts(e, o))
			return true;
	return false;
}

// Returns a smaller number of equal repetitions that leaves the same records as `times`: it has the
// same remainder, and at least twice as many as there are records, so that the first repetition,
// which follows other branches, leaves none.
static uint64_t fewer(uint64_t times, unsigned depth)
{
	return times < 3 * depth ? times : 2 * depth + times % depth;
}

void engine_branches_passed(struct engine *e, const struct engine_branches *b, uint64_t cycles)
{
	for (cycles = fewer(cycles, b->depth); cycles; cycles--)
		for (const struct occurrence *o = e->inputs; o < e->inputs + e->input_count; o++)
			for (uint64_t n = b->accepts(e, o) ? fewer(o->n, b->depth) : 0; n; n--)
				b->record(e, o, e->cycles - (cycles - 1));
}
