/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's branch predictor. The table of targets has branches that were taken, by their addresses; it says that there
 * is a branch before that is fetched, and where it goes. Counters of two bits say whether a conditional branch is
 * taken; a second table, where an indirect one goes; a stack, where returns go. What the table of targets lacks, the
 * decoder may find. README.md says what is chosen. */
#ifndef MODEL_PREDICTOR_H
#define MODEL_PREDICTOR_H

#include "processor.h"

#define PREDICTOR_THREADS 4

struct predictor_entry {
	uint64_t branch;	/* its address, with what chooses its target (INDIRECT); 0: there is none */
	uint64_t target, used;
	uint8_t counter;	/* 0 to 3; from 2 on: taken */
};

/* All zero at first, but for `has`. */
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

/* A branch that has retired. */
struct predictor_branch {
	uint64_t address;	/* of its instruction, not 0; */
	uint64_t behind;	/* of what is behind that; */
	uint64_t target;	/* of what it has led to */
	bool taken;
	bool conditional, call, is_return;
	bool indirect;		/* and no return */
};

/* What its prediction was. */
struct predicted {
	bool wrong_path;	/* taken, or not, and predicted otherwise; */
	bool wrong_target;	/* or taken, and expected elsewhere or nowhere */
	bool missed;		/* the table of targets lacks it; without a decoder nothing else is predicted */
	bool stale;		/* it has the branch, which is taken and goes elsewhere; not if a stack has returns */
	bool redirected;	/* the decoder has found it, and fetches from where it goes */
};

/* A core's thread executes a branch: what was predicted. The predictor learns from it. */
struct predicted predictor_see(struct predictor *p, unsigned thread, const struct predictor_branch *b);

/* The same for most of them, by a short way: of a direct branch, no call, that the table of targets has, and that
 * leads where that says if it is taken. Only its path can be wrong. False: it is not such a one, and nothing has been
 * done. */
bool predictor_see_known(struct predictor *p, unsigned thread, uint64_t address, uint64_t target, bool conditional,
			 bool taken, bool *wrong_path);

#endif
