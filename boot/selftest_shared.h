/* SPDX-License-Identifier: BSD-2-Clause */
/* Among the files of the shared suite: the checks that all PMUs have in common, by theme. */
#ifndef SELFTEST_SHARED_H
#define SELFTEST_SHARED_H

#include "selftest.h"

/* One counter of the suite that runs. */
struct selftest_counter {
	const struct selftest_counters *like;
	unsigned number;
	uint64_t bit;
	uint32_t address;
	struct event_request request;	/* its event */
	uint64_t select;		/* what its control register is to be */
};

/* Takes over a suite, and its counters: how many. Their events are read by the second one, which an image calls behind
 * the plan. */
void selftest_use(const struct selftest_suite *suite);
void selftest_read_events(void);

extern const struct selftest_suite *selftest_suite;	/* the one that runs */
extern struct selftest_counter selftest_counter[PMU_SESSION_EVENTS];
extern unsigned selftest_counter_count;

/* A check of a counter, or (NULL) of none; with a parameter of its own. */
typedef struct selftest_result selftest_shared_function(const struct selftest_counter *counter, unsigned parameter);

/* A row of a theme's table: made of each counter that has what it needs, or once. */
struct selftest_shared {
	const char *name;		/* the counter's name follows */
	selftest_shared_function *run;
	uint32_t needs;			/* SELFTEST_* of the suite, NEEDS_* of its counters */
};

#define NEEDS_EXACT	(1u << 16)	/* of the counter: its event happens with each instruction */
#define NEEDS_CYCLES	(1u << 17)	/* it can count cycles */
#define NEEDS_READABLE	(1u << 18)	/* by reg_read_counter */
#define NEEDS_FREEZE	(1u << 19)	/* of the suite: a register shows a freeze */
#define NEEDS_ENABLE	(1u << 20)	/* a register enables counters */
#define NEEDS_NO_FREEZE	(1u << 21)	/* it never freezes */
#define ONCE		(1u << 31)	/* no counter's */

/* Receives each check that a suite has, in order. */
typedef void selftest_visit_function(void *context, const char *name, const struct selftest_counter *counter,
				     selftest_shared_function *run, unsigned parameter);
void selftest_visit(const struct selftest_shared *table, size_t count, selftest_visit_function *visit, void *context);

/* The themes. */
void selftest_visit_counters(selftest_visit_function *visit, void *context);
void selftest_visit_overflow(selftest_visit_function *visit, void *context);
void selftest_visit_runtime(selftest_visit_function *visit, void *context);

/* All of the suite's counters, as bits. At the levels at which they start together and interrupt, and over n
 * instructions there. */
uint64_t selftest_all_counters(void);
unsigned selftest_levels(void);
void selftest_run_together(uint64_t counters, uint64_t n);

/* The first counter beside this one that can count cycles; NULL: none can. */
const struct selftest_counter *selftest_twin(const struct selftest_counter *counter);

#endif
