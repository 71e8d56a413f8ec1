// SPDX-License-Identifier: BSD-2-Clause
// Results of branch predictions: predictions.h.

#include "predictions.h"

#include "../model/memory.h"
#include "../model/predictor.h"
#include "allocate.h"
#include "model.h"

static struct predictor *predictors[MEMORY_CORES];		// by core
static struct {
	struct predictor *of;	// NULL: the CPU predicts nothing
	unsigned thread;
} cpus[MEMORY_CORES * PREDICTOR_THREADS];

void predictions_start(unsigned cpu, unsigned core, unsigned thread,
		       const struct processor_predictor *has)
{
	if (!has->targets.ways || thread >= PREDICTOR_THREADS)
		return;
	if (!predictors[core])
		predictors[core] = allocate(sizeof *predictors[core]);
	predictors[core]->has = has;
	cpus[cpu].of = predictors[core];
	cpus[cpu].thread = thread;
}

static enum cpu_event misprediction_of(unsigned branch)
{
	switch (branch & OCCURRENCE_KIND) {
	case OCCURRENCE_KIND_CONDITIONAL:
		return branch & OCCURRENCE_TAKEN ? CPU_EVENT_MISPREDICTED_CONDITIONAL :
		       CPU_EVENT_MISPREDICTED_NOT_TAKEN;
	case OCCURRENCE_KIND_CALL_INDIRECT:
		return CPU_EVENT_MISPREDICTED_CALL_INDIRECT;
	case OCCURRENCE_KIND_RETURN:
		return CPU_EVENT_MISPREDICTED_RETURN;
	default:
		return CPU_EVENT_MISPREDICTED_JUMP_INDIRECT;	// direct ones have a fixed target
	}
}

static struct prediction of_predicted(unsigned branch, const struct predicted *is)
{
	const unsigned kind = branch & OCCURRENCE_KIND;
	const bool stacked = kind == OCCURRENCE_KIND_CALL ||
		kind == OCCURRENCE_KIND_CALL_INDIRECT ||
			     kind == OCCURRENCE_KIND_RETURN;

	return (struct prediction){
		.raises = (is->wrong_path || is->wrong_target ? 1ULL << misprediction_of(branch) :
			   0) |
			  (is->missed && stacked ? CPU_EVENT_SET(MISSED_CALL_RETURN) : 0) |
			  (is->missed && branch & OCCURRENCE_TAKEN ? CPU_EVENT_SET(MISSED_TAKEN) :
			   0) |
			  (is->stale ? CPU_EVENT_SET(STALE_TARGET) : 0) |
			  (is->redirected ? CPU_EVENT_SET(REDIRECTED) : 0) |
			  (is->redirected && kind == OCCURRENCE_KIND_CONDITIONAL ?
			   CPU_EVENT_SET(REDIRECTED_CONDITIONAL) : 0),
		.branch = (is->wrong_path ? OCCURRENCE_WRONG_PATH : 0) |
			  (is->wrong_target ? OCCURRENCE_WRONG_TARGET : 0),
	};
}

// The general path of predictions_of. Far transfers are never predicted.
__attribute__((noinline)) static struct prediction of_any(unsigned cpu, unsigned branch,
							  uint64_t ip, uint64_t behind, uint64_t to)
{
	const unsigned kind = branch & OCCURRENCE_KIND;
	const struct predictor_branch b = {
		.address = ip, .behind = behind, .target = to,
		.taken = branch & OCCURRENCE_TAKEN,
		.conditional = kind == OCCURRENCE_KIND_CONDITIONAL,
		.call = kind == OCCURRENCE_KIND_CALL || kind == OCCURRENCE_KIND_CALL_INDIRECT,
		.is_return = kind == OCCURRENCE_KIND_RETURN,
		.indirect = kind == OCCURRENCE_KIND_CALL_INDIRECT ||
			kind == OCCURRENCE_KIND_JUMP_INDIRECT,
	};
	struct predicted is;

	if (kind == OCCURRENCE_KIND_FAR)
		return (struct prediction){0};
	is = predictor_see(cpus[cpu].of, cpus[cpu].thread, &b);
	return of_predicted(branch, &is);
}

struct prediction predictions_of(unsigned cpu, unsigned branch, uint64_t ip, uint64_t behind,
				 uint64_t to)
{
	const unsigned kind = branch & OCCURRENCE_KIND;
	const bool conditional = kind == OCCURRENCE_KIND_CONDITIONAL;
	struct predictor *p = cpus[cpu].of;
	struct predicted is = {0};

	if (!p)
		return (struct prediction){0};
	if ((!conditional && kind != OCCURRENCE_KIND_JUMP) ||
	    !predictor_see_known(p, cpus[cpu].thread, ip, to, conditional,
				 branch & OCCURRENCE_TAKEN, &is.wrong_path))
		return of_any(cpu, branch, ip, behind, to);
	return is.wrong_path ? of_predicted(branch, &is) : (struct prediction){0};
}
