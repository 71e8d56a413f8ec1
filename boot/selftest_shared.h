/* SPDX-License-Identifier: BSD-2-Clause */
/* Among the files of the self test: the suite that runs, its counters, and how a check is made. */
#ifndef SELFTEST_SHARED_H
#define SELFTEST_SHARED_H

#include "selftest.h"

/* One counter of the suite that runs. */
struct selftest_counter {
	const struct selftest_counters *like;
	unsigned number;
	uint64_t bit;
	uint32_t has;			/* of what checks need */
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
extern uint32_t selftest_has;				/* of what checks need, the suite's part */

struct selftest_counter *selftest_find_counter(unsigned number);
uint64_t selftest_all_counters(void);			/* as bits */

/* The checks that all PMUs share, for `each` counter with what they need: SELFTEST_* of the suite, and NEEDS_*. */
extern const struct selftest_case selftest_shared[];
extern const size_t selftest_shared_count;

#define EVERY		(~0ULL)
#define NEEDS_EXACT	(1u << 16)	/* of the counter: its event happens with each instruction */
#define NEEDS_CYCLES	(1u << 17)	/* it can count cycles */
#define NEEDS_READABLE	(1u << 18)	/* by reg_read_counter */
#define NEEDS_COUNTERS	(1u << 19)	/* of the suite: it has some */
#define NEEDS_ENABLE	(1u << 20)	/* a register enables counters */
#define NEEDS_NO_FREEZE	(1u << 21)	/* a register would show a freeze, and none happens */
#define NEEDS_SESSION(n)	(1u << (24 + (n)))	/* the list of events; `each` are those that overflow */

/* Of which a check of the suite is made, as bits; what it finds for one of them; its count of an event, over 1000
 * instructions from `start`, where that of all cycles is expected, or 0. */
uint64_t selftest_each(const struct selftest_case *check);
struct selftest_result selftest_take(const struct selftest_case *check, unsigned of);
struct selftest_result selftest_compare(uint64_t expected, uint64_t found);
uint64_t selftest_count_cycles(unsigned it, const char *event, bool all, uint64_t start);

#endif
