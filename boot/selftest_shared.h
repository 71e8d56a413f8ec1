/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the self test: the running suite, its counters, and the execution of a check. */
#ifndef SELFTEST_SHARED_H
#define SELFTEST_SHARED_H

#include "hal_state.h"
#include "selftest.h"

/* One counter of the running suite. */
struct selftest_counter {
	const struct selftest_counters *like;
	unsigned number;
	uint64_t bit;
	uint32_t has;			/* properties that checks need */
	struct event_request request;	/* its event */
	uint64_t select;		/* value for its control register */
};

/* Selects a suite, and its counters. The second function reads their events; an image calls it after the plan. */
void selftest_use(const struct selftest_suite *suite);
void selftest_read_events(void);

/* The running self test: on one CPU, or with others that execute parts for this one. */
struct selftest_now {
	const struct selftest_suite *suite;
	struct selftest_counter counter[PMU_SESSION_EVENTS];
	unsigned counter_count;
	uint32_t has;				/* properties of the suite that checks need */

	struct selftest_register registers[SELFTEST_REGISTERS_MAX];
	unsigned register_count;

	struct selftest_result present;		/* of the present check: its problem so far */
	struct pmu_session session;

	/* State of the checks' interrupt handler. */
	struct selftest_seen seen[HAL_CPUS];
	unsigned watched, serving;
	bool attached;				/* it is installed in place of the runtime's */
	uint32_t register_watched;

	_Alignas(64) uint8_t own[SELFTEST_OWN_BYTES];	/* selftest_own */
};

HAL_STATE(struct selftest_now, selftest_now)

struct selftest_counter *selftest_find_counter(unsigned number);
uint64_t selftest_all_counters(void);			/* as bits */

/* The checks that all PMUs share, for `each` counter that meets their needs: SELFTEST_* of the suite, and NEEDS_*. */
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

/* The counters, or other items, of a check, as bits; the check's result for one of them; a comparison; and the count of
 * an event over 1000 instructions from `start`, where all cycles are expected, or 0. */
uint64_t selftest_each(const struct selftest_case *check);
struct selftest_result selftest_take(const struct selftest_case *check, unsigned of);
struct selftest_result selftest_compare(uint64_t expected, uint64_t found);
uint64_t selftest_count_cycles(unsigned it, const char *event, bool all, uint64_t start);

#endif
