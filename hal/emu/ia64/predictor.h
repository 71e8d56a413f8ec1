/* SPDX-License-Identifier: BSD-2-Clause */
/* Prediction of branches, by two levels: the last four outcomes of a branch choose a counter that says what usually
 * comes behind them. Beside that two tables of targets, a stack of return addresses, and what the branch itself hints
 * at. */
#ifndef IA64_PREDICTOR_H
#define IA64_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#define PREDICTOR_SETS		128
#define PREDICTOR_WAYS		4
#define PREDICTOR_MULTIWAY_SETS	16
#define PREDICTOR_TARGETS	64	/* target address cache */
#define PREDICTOR_REGISTERS	4	/* target address registers */
#define PREDICTOR_RETURNS	8
#define PREDICTOR_PATTERNS	16	/* of four outcomes */

struct ia64_history {
	uint64_t branch, used;	/* branch 0: there is none */
	uint8_t outcomes;	/* 1: taken; the last one in bit 0 */
};

struct ia64_histories {
	struct ia64_history history[PREDICTOR_SETS][PREDICTOR_WAYS];
	uint8_t counter[PREDICTOR_SETS][PREDICTOR_PATTERNS];	/* 0 to 3; from 2 on: taken */
};

struct ia64_target {
	uint64_t branch, target, used;	/* branch: its bundle */
};

/* All zero at first. */
struct ia64_predictor {
	struct ia64_histories single, multiway;	/* of bundles with one branch, with several */
	struct ia64_target cached[PREDICTOR_TARGETS], registers[PREDICTOR_REGISTERS];
	uint64_t returns[PREDICTOR_RETURNS];
	unsigned top;
	uint64_t uses;
};

/* What the front end sees of a branch. */
struct ia64_predictor_branch {
	uint64_t bundle;	/* its bundle's address, which is not 0 */
	uint8_t slot;
	bool multiway;
	bool hinted;		/* whether hint: taken */
	bool dynamic;		/* the hint lets tables decide */
	bool call, is_return, indirect;
	bool ends_loop;		/* of a counted loop, in its last turn */
	uint64_t target;	/* of one that is not indirect */
};

struct ia64_prediction {
	uint8_t stage;		/* of the pipeline, 1 to 3: target address register; tables; the branch's own fields */
	bool taken;
	bool overridden;	/* stage 3: the loop predictor overrides a target address register */
	uint64_t target;
};

struct ia64_prediction ia64_predict(struct ia64_predictor *p, const struct ia64_predictor_branch *b);

/* What became of it. */
void ia64_predictor_learn(struct ia64_predictor *p, const struct ia64_predictor_branch *b, bool taken, uint64_t target);

/* A branch predict instruction: the branch goes there. `important`: into the registers. */
void ia64_predictor_announce(struct ia64_predictor *p, uint64_t bundle, uint64_t target, bool important);

#endif
