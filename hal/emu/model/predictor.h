/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's branch predictor. The target table holds taken branches by address; it predicts a branch
 * and its target before the fetch. Two-bit counters predict the direction of conditional branches,
 * a second table the targets of indirect branches, a stack those of returns. Optionally, the
 * decoder finds branches that the target table lacks. DECISIONS.md has the choices. */
#ifndef MODEL_PREDICTOR_H
#define MODEL_PREDICTOR_H

#include "processor.h"

#define PREDICTOR_THREADS 4

struct predictor_entry {
	uint64_t branch;	/* address; in `indirect`, combined with outcomes; 0: no entry */
	uint64_t target, used;
	uint8_t counter;	/* 0 to 3; 2 and 3 predict taken */
};

/* Initialize to zero, except `has`. */
struct predictor {
	const struct processor_predictor *has;
	uint64_t uses;
	struct predictor_entry targets[PROCESSOR_TARGETS], indirect[PROCESSOR_TARGETS];
	uint8_t patterns[PROCESSOR_PATTERNS];	/* two-bit counters */
	struct predictor_thread {
		uint64_t outcomes;		/* of conditional branches, the last one in bit
						 * 0; 1: taken */
		uint64_t returns[PROCESSOR_RETURNS];
		unsigned top;
	} thread[PREDICTOR_THREADS];
};

/* A retired branch. */
struct predictor_branch {
	uint64_t address;	/* of the branch; not 0 */
	uint64_t behind;	/* address of the next instruction in memory */
	uint64_t target;	/* destination, if taken */
	bool taken;
	bool conditional, call, is_return;
	bool indirect;		/* indirect jump or call; false for a return */
};

/* How the branch was predicted. */
struct predicted {
	bool wrong_path;	/* wrong direction */
	bool wrong_target;	/* right direction, but taken to a target other than the
				 * predicted one, or without a predicted target */
	bool missed;		/* not in the target table; without a decoder there is then no
				 * prediction */
	bool stale;		/* taken, and its entry has another target; never for a return
				 * with a stack */
	bool redirected;	/* found by the decoder, which redirected the fetch to its target */
};

/* Predicts a branch that a core's thread has executed, then trains the predictor with it. */
struct predicted predictor_see(struct predictor *p, unsigned thread,
			       const struct predictor_branch *b);

/* Fast path of predictor_see for direct branches other than calls whose target table entry has the
 * right target: only the direction can be wrong. Returns false, with no effect, for any other
 * branch. */
bool predictor_see_known(struct predictor *p, unsigned thread, uint64_t address, uint64_t target,
			 bool conditional, bool taken, bool *wrong_path);

#endif
