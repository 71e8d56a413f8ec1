/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's branch predictor. The table of targets has taken branches, by their addresses; it predicts a branch and its
 * target before the fetch. Counters of two bits predict whether a conditional branch is taken, a second table the
 * targets of indirect branches, a stack those of returns. The decoder may find branches that the table of targets
 * lacks. README.md has the decisions. */
#ifndef MODEL_PREDICTOR_H
#define MODEL_PREDICTOR_H

#include "processor.h"

#define PREDICTOR_THREADS 4

struct predictor_entry {
	uint64_t branch;	/* its address, in INDIRECT combined with outcomes; 0: no entry */
	uint64_t target, used;
	uint8_t counter;	/* 0 to 3; from 2 on: taken */
};

/* All zero at first, except `has`. */
struct predictor {
	const struct processor_predictor *has;
	uint64_t uses;
	struct predictor_entry targets[PROCESSOR_TARGETS], indirect[PROCESSOR_TARGETS];
	uint8_t patterns[PROCESSOR_PATTERNS];	/* counters */
	struct predictor_thread {
		uint64_t outcomes;		/* of conditional branches, the last one in bit 0; 1: taken */
		uint64_t returns[PROCESSOR_RETURNS];
		unsigned top;
	} thread[PREDICTOR_THREADS];
};

/* A retired branch. */
struct predictor_branch {
	uint64_t address;	/* its own, not 0 */
	uint64_t behind;	/* the address after it */
	uint64_t target;	/* the address to which it went */
	bool taken;
	bool conditional, call, is_return;
	bool indirect;		/* and no return */
};

/* The result of its prediction. */
struct predicted {
	bool wrong_path;	/* its direction was predicted wrong; */
	bool wrong_target;	/* or it is taken, to another target than predicted, or without a predicted one */
	bool missed;		/* the table of targets lacks it; without a decoder there is no prediction */
	bool stale;		/* taken, and the table has another target; not for a stack's returns */
	bool redirected;	/* the decoder has found it, and fetches from its target */
};

/* Predicts a branch that a core's thread executes, and learns from it. */
struct predicted predictor_see(struct predictor *p, unsigned thread, const struct predictor_branch *b);

/* Fast path of predictor_see, for direct branches that are no calls, and for which the table of targets has the right
 * target. Only the path can be wrong. False: it is another branch, and the predictor is unchanged. */
bool predictor_see_known(struct predictor *p, unsigned thread, uint64_t address, uint64_t target, bool conditional,
			 bool taken, bool *wrong_path);

#endif
