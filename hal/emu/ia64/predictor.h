/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch prediction with two levels: the last four outcomes of a branch select a counter, which
 * holds the usual next outcome. In addition two tables of targets, a stack of return addresses, and
 * the hints of the branch itself. */
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
#define PREDICTOR_PATTERNS	16	/* one per pattern of four outcomes */

struct ia64_history {
	uint64_t branch, used;	/* branch 0: the entry is empty */
	uint8_t outcomes;	/* 1: taken; the last one in bit 0 */
};

struct ia64_histories {
	struct ia64_history history[PREDICTOR_SETS][PREDICTOR_WAYS];
	uint8_t counter[PREDICTOR_SETS][PREDICTOR_PATTERNS];	/* 0 to 3; 2 and 3: taken */
};

struct ia64_target {
	uint64_t branch, target, used;	/* branch: the address of its bundle */
};

/* Initially all zero. */
struct ia64_predictor {
	struct ia64_histories single, multiway;	/* of bundles with one branch, with several */
	struct ia64_target cached[PREDICTOR_TARGETS], registers[PREDICTOR_REGISTERS];
	uint64_t returns[PREDICTOR_RETURNS];
	unsigned top;
	uint64_t uses;
};

/* A branch as the front end sees it. */
struct ia64_predictor_branch {
	uint64_t bundle;	/* address of its bundle, not 0 */
	uint8_t slot;
	bool multiway;
	bool hinted;		/* whether hint: predicted taken */
	bool dynamic;		/* the whether hint is dynamic: tables decide */
	bool call, is_return, indirect;
	bool ends_loop;		/* of a counted loop, in the last iteration */
	uint64_t target;	/* target of a direct branch */
};

struct ia64_prediction {
	uint8_t stage;		/* pipeline stage: 1 target address register; 2 tables; 3 the
				 * branch's own fields */
	bool taken;
	bool overridden; /* stage 3: the loop predictor overrides a target address register */
	uint64_t target;
};

struct ia64_prediction ia64_predict(struct ia64_predictor *p,
				    const struct ia64_predictor_branch *b);

/* Updates the tables with the outcome of a branch. */
void ia64_predictor_learn(struct ia64_predictor *p, const struct ia64_predictor_branch *b,
			  bool taken, uint64_t target);

/* Executes a branch predict instruction: the branch in this bundle goes to `target`. `important`:
 * stored in the target address registers. */
void ia64_predictor_announce(struct ia64_predictor *p, uint64_t bundle, uint64_t target,
			     bool important);

#endif
