/* SPDX-License-Identifier: BSD-2-Clause */
/* The guests' branches through their cores' predictors (hal/emu/model). */
#ifndef PLUGIN_PREDICTIONS_H
#define PLUGIN_PREDICTIONS_H

#include "../model/processor.h"
#include "feed.h"

/* This CPU is a thread of a core, which all its threads name first. NULL: it predicts nothing. */
void predictions_start(unsigned cpu, unsigned core, unsigned thread, const struct processor_predictor *has);

/* What the prediction of a branch was: what it raises, and what it adds to `branch` of struct occurrence. */
struct prediction {
	uint64_t raises;
	uint8_t branch;
};

/* A branch, as in struct occurrence, with something behind it, that has gone there. */
struct prediction predictions_of(unsigned cpu, unsigned branch, uint64_t ip, uint64_t behind, uint64_t to);

/* Its guest has executed a branch, with something behind it: adds to it what its prediction was. */
static inline void predictions_see(unsigned cpu, struct feed_instruction *branch, uint64_t behind)
{
	const struct prediction is = predictions_of(cpu, branch->branch, branch->ip, behind, branch->to);

	branch->predicted |= is.raises;
	branch->branch |= is.branch;
}

#endif
