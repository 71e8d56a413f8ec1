/* SPDX-License-Identifier: BSD-2-Clause */
/* Among the files of the self test: the suite that runs, its counters, and how a check is made. */
#ifndef SELFTEST_SHARED_H
#define SELFTEST_SHARED_H

#include "hal_state.h"
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

/* The self test that runs: on one CPU, or with others that do a part of it for this one. */
struct selftest_now {
	const struct selftest_suite *suite;
	struct selftest_counter counter[PMU_SESSION_EVENTS];
	unsigned counter_count;
	uint32_t has;				/* of what checks need, the suite's part */

	struct selftest_register registers[SELFTEST_REGISTERS_MAX];
	unsigned register_count;

	struct selftest_result present;		/* check: its problem, if it has one already */
	struct pmu_session session;

	/* What the checks' interrupt handler does, and has seen. */
	struct selftest_seen seen[HAL_CPUS];
	unsigned watched, serving;
	bool attached;				/* interrupts do not come to the runtime */
	uint32_t register_watched;

	_Alignas(64) uint8_t own[SELFTEST_OWN_BYTES];	/* selftest_own */
};

HAL_STATE(struct selftest_now, selftest_now)

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
