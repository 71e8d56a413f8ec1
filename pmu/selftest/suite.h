/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the self test: the current suite, its counters, the current check. */
#ifndef SUITE_H
#define SUITE_H

#include "hal_state.h"
#include "selftest.h"

/* A counter of the current suite. */
struct selftest_counter {
	const struct selftest_counters *like;
	unsigned number;
	uint64_t bit;
	uint64_t has;			/* properties that checks need */
	struct event_request request;	/* its event */
	uint64_t select;		/* control register value */
};

/* Selects a suite and its counters. selftest_read_events then parses their events; an image calls
 * it after printing the plan. */
void selftest_use(const struct selftest_suite *suite);
void selftest_read_events(void);

/* State of the self test: on one CPU, or with other CPUs that execute parts of a check. */
struct selftest_now {
	const struct selftest_suite *suite;
	struct selftest_counter counter[PMU_SESSION_EVENTS];
	unsigned counter_count;
	uint64_t has;				/* properties of the suite that checks need */

	struct selftest_register registers[SELFTEST_REGISTERS_MAX];
	unsigned register_count;

	struct selftest_result present;		/* problem of the current check so far */
	bool ended;				/* `present` has its result: a requirement is not
						 * met */
	uint64_t more;				/* selftest_more */
	unsigned there;				/* the other CPU that executes a part of it */
	struct pmu_session session;

	/* State of the checks' interrupt handler. */
	struct selftest_seen seen[HAL_CPUS];
	unsigned watched, serving;
	bool attached;				/* the handler is installed in place of the
						 * runtime's */
	uint32_t register_watched;

	_Alignas(64) uint8_t own[SELFTEST_OWN_BYTES];	/* selftest_own */
};

HAL_STATE(struct selftest_now, selftest_now)

struct selftest_counter *selftest_find_counter(unsigned number);

/* The checks that all PMUs share, run for each counter in `each` that meets their needs: SELFTEST_*
 * of the suite, and NEEDS_*. */
extern const struct selftest_case selftest_shared[];
extern const size_t selftest_shared_count;

#define EVERY		(~0ULL)
#define NEEDS_EXACT	(1ull << 32)	/* counter: its event occurs once per instruction */
#define NEEDS_CYCLES	(1ull << 33)	/* counter: it can count cycles */
#define NEEDS_READABLE	(1ull << 34)	/* counter: reg_read_counter can read it */
#define NEEDS_COUNTERS	(1ull << 35)	/* suite: it has counters */
#define NEEDS_ENABLE	(1ull << 36)	/* suite: a register enables counters */
#define NEEDS_NO_FREEZE	(1ull << 37)	/* suite: a register would show a freeze, and no freeze
					 * occurs */
#define NEEDS_STATUS	(1ull << 38)	/* suite: an overflow sets a status bit */
#define NEEDS_CONDITIONS	(1ull << 39)	/* counter: it has conditions of cycles */
#define NEEDS_SET	(1ull << 44)	/* suite: a register sets overflow status bits */
#define NEEDS_SESSION(n)	(1ull << (48 + (n)))	/* suite: it has this event list; `each` are
							 * its events that overflow */

/* Returns the counters, or other items, for which a check runs, as a bit mask. */
uint64_t selftest_each(const struct selftest_case *check);

/* Returns the result of a comparison. */
struct selftest_result selftest_compare(uint64_t expected, uint64_t found);

/* Counts an event over 1000 instructions from the start value `start`. Expected: all cycles, or 0
 * if `all` is false. */
uint64_t selftest_count_cycles(unsigned counter, const char *event, bool all, uint64_t start);

/* All overflow status bits, including those of no counter. */
uint64_t selftest_status(void);

/* Calls pmu_begin on the thread that selftest_on_thread used. */
void selftest_leave_thread(void);

/* Number of the checks of registers; these checks. */
unsigned selftest_count_registers(void);
void selftest_check_registers(struct selftest_tally *tally,
			      const struct selftest_snapshot *snapshot);

/* The report. `of` replaces '#' in the name; `r`: the register whose bits the check compares, or
 * NULL. */
void selftest_print_plan(unsigned checks);
void selftest_report(struct selftest_tally *tally, const char *check, const char *of,
		     struct selftest_result result, const struct selftest_register *r);
const char *selftest_register_name(uint32_t address);

/* Append to a line and return its new end. */
char *selftest_text(char *end, const char *text);
char *selftest_decimal(char *end, unsigned value);

#endif
