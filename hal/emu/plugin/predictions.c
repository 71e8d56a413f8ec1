// SPDX-License-Identifier: BSD-2-Clause
// What becomes of predictions: predictions.h.

#include "predictions.h"

#include <stdio.h>
#include <stdlib.h>

#include "../model/memory.h"
#include "../model/predictor.h"
#include "model.h"

static struct predictor *predictors[MEMORY_CORES];		// of each core
static struct {
	struct predictor *of;	// NULL: its branches are not predicted
	unsigned thread;
} cpus[VPMU_CPUS];

void predictions_start(unsigned cpu, unsigned core, unsigned thread, const struct processor_predictor *has)
{
	if (!has->targets.ways || thread >= PREDICTOR_THREADS)
		return;
	if (!predictors[core])
		predictors[core] = calloc(1, sizeof *predictors[core]);
	if (!predictors[core]) {
		fprintf(stderr, "palmon plugin: no memory\n");
		exit(1);
	}
	predictors[core]->has = has;
	cpus[cpu].of = predictors[core];
	cpus[cpu].thread = thread;
}

static enum happening misprediction_of(unsigned branch)
{
	switch (branch & OCCURRENCE_KIND) {
	case OCCURRENCE_KIND_CONDITIONAL:
		return branch & OCCURRENCE_TAKEN ? HAPPENING_MISPREDICTED_CONDITIONAL :
		       HAPPENING_MISPREDICTED_NOT_TAKEN;
	case OCCURRENCE_KIND_CALL_INDIRECT:
		return HAPPENING_MISPREDICTED_CALL_INDIRECT;
	case OCCURRENCE_KIND_RETURN:
		return HAPPENING_MISPREDICTED_RETURN;
	default:
		return HAPPENING_MISPREDICTED_JUMP_INDIRECT;	// direct ones go where they always do
	}
}

// Far transfers are not predicted.
void predictions_see(unsigned cpu, struct feed_instruction *branch, uint64_t behind)
{
	const unsigned kind = branch->branch & OCCURRENCE_KIND;
	const struct predictor_branch b = {
		.address = branch->ip, .behind = behind, .target = branch->to,
		.taken = branch->branch & OCCURRENCE_TAKEN, .conditional = kind == OCCURRENCE_KIND_CONDITIONAL,
		.call = kind == OCCURRENCE_KIND_CALL || kind == OCCURRENCE_KIND_CALL_INDIRECT,
		.is_return = kind == OCCURRENCE_KIND_RETURN,
		.indirect = kind == OCCURRENCE_KIND_CALL_INDIRECT || kind == OCCURRENCE_KIND_JUMP_INDIRECT,
	};
	struct predicted is;

	if (!cpus[cpu].of || kind == OCCURRENCE_KIND_FAR)
		return;
	is = predictor_see(cpus[cpu].of, cpus[cpu].thread, &b);
	if (is.wrong_path || is.wrong_target)
		branch->predicted |= 1ULL << misprediction_of(branch->branch);
	if (is.missed && (b.call || b.is_return))
		branch->predicted |= HAPPENING_SET(MISSED_CALL_RETURN);
	if (is.missed && b.taken)
		branch->predicted |= HAPPENING_SET(MISSED_TAKEN);
	if (is.stale)
		branch->predicted |= HAPPENING_SET(STALE_TARGET);
	if (is.redirected)
		branch->predicted |= HAPPENING_SET(REDIRECTED);
	branch->branch |= (is.wrong_path ? OCCURRENCE_WRONG_PATH : 0) | (is.wrong_target ? OCCURRENCE_WRONG_TARGET : 0);
}
