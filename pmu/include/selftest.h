/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot-time self test: checks as tables. A target's are in pmu/<target>/selftest.c; boot/selftest.c runs them
 * and prints TAP, one check a line. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "hal.h"
#include "pmu_driver.h"

/* A register whose reset value and bits are checked. */
struct selftest_register {
	const char *name;
	const struct field *field;
	unsigned fields;
	uint32_t address;
	uint64_t reset;
	uint64_t defined;	/* bits that have a value at reset */
	uint64_t holds;		/* bits that must hold what is written */
	uint64_t ignored;	/* bits that must read as 0, whatever is written */
	uint64_t reserved;	/* bits that must fault */
	bool writable;		/* if not, every write must fault */
	/* Another register's value while bits are tried; 0: it does not matter. */
	uint32_t with_address;
	uint64_t with_value;
};

/* The first thing in a check that went wrong. */
enum selftest_problem {
	SELFTEST_NONE,
	SELFTEST_READ, SELFTEST_WRITE,	/* of a register faulted, and should not have */
	SELFTEST_READ_COUNTER,		/* so did reg_read_counter */
	SELFTEST_STEP,			/* selftest_require */
	SELFTEST_SKIP,			/* nothing: what the check needs is not here */
};

/* What a check expected and found; equal, and no problem: it passes. */
struct selftest_result {
	uint64_t expected, found;
	enum selftest_problem problem;
	uint32_t address;	/* of the register, the counter's index */
	const char *reason;	/* SELFTEST_SKIP: what is not here */
};

/* A check starts with the PMU just brought up (pmu_begin), interrupts on, and may leave it in any state. */
struct selftest_check {
	const char *name;
	struct selftest_result (*run)(unsigned parameter);
	unsigned parameter;
};

/* Events for the checks of the runtime on top, as lists that event_parse reads. The first of each only counts. */
struct selftest_sessions {
	const char *overflowing;	/* and some that overflow together, each with a period of 1000 */
	const char *user;		/* at level 3 only, and one that samples the same, each 1000 */
	const char *storm;		/* and one that samples the same, each 50 */
	bool at_user;			/* all of them count at level 3 only: overflows elsewhere raise no interrupt */
};

struct selftest_suite {
	const struct pmu_driver *driver;
	struct selftest_sessions sessions;
	const struct selftest_register *registers;
	size_t register_count;
	const struct selftest_check *checks;
	size_t check_count;
};

/* The suites linked into this program, ended by NULL (made from pmu/targets.tab), and the one of a target. */
extern const struct selftest_suite *const selftest_suites[];
const struct selftest_suite *selftest_find(const char *target);

#define SELFTEST_REGISTERS_MAX 64

/* Register values as reset left them: to be taken before anything is written. */
struct selftest_snapshot {
	uint64_t value[SELFTEST_REGISTERS_MAX];
	uint64_t faults;	/* bits: this register could not be read */
};

void selftest_take_snapshot(const struct selftest_suite *suite, struct selftest_snapshot *snapshot);

/* The present check has this problem, if it has none already. */
void selftest_note(enum selftest_problem problem, uint32_t address);

/*
 * Steps of a check. A register access that faults, and whatever else must not go wrong, fails the check, which goes on.
 */

static inline void selftest_write(uint32_t address, uint64_t value)
{
	if (!reg_write(address, value))
		selftest_note(SELFTEST_WRITE, address);
}

/* 0 if it faults. */
static inline uint64_t selftest_read(uint32_t address)
{
	uint64_t value = 0;

	if (!reg_read(address, &value))
		selftest_note(SELFTEST_READ, address);
	return value;
}

uint64_t selftest_read_counter(uint32_t index);
void selftest_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n);
void selftest_require(bool ok);

/* The check cannot be made here: it neither passes nor fails. */
void selftest_skip(const char *reason);

/* Ends a check. */
struct selftest_result selftest_compare(uint64_t expected, uint64_t found);

/* One session at a time, of a list of events; the count of one of them. */
void selftest_start(const char *events);
void selftest_stop(void);
uint64_t selftest_count(unsigned event);

/* PAL_HALT_LIGHT, ended by an alarm after `ticks`. */
void selftest_light_halt(uint32_t ticks);

/*
 * Checks that targets share: of the runtime on top, with the suite's sessions, and one of registers
 */

#define SELFTEST_STORM_LIMIT 20		/* interrupts, in checks that have too many of them */


/* Of registers that the processor has not: reads and writes fault. Bit i: those of the i-th do. */
struct selftest_result selftest_absent(const uint32_t *addresses, unsigned count);

struct selftest_result selftest_session_exact(unsigned event);
struct selftest_result selftest_session_samples(unsigned event);
struct selftest_result selftest_session_user(unsigned unused);
struct selftest_result selftest_session_spurious(unsigned unused);
struct selftest_result selftest_storm_bounded(unsigned unused);
struct selftest_result selftest_storm_reported(unsigned unused);
struct selftest_result selftest_storm_exact(unsigned unused);

/* Of the checks that have run, whichever suites they are of. */
struct selftest_tally {
	unsigned number, failed, skipped;
};

/* Prints how many checks the suites have: TAP version 13's first lines. */
void selftest_plan(const struct selftest_suite *const *suites, size_t count);

/* Runs a suite's checks and prints TAP, a line a check. */
void selftest_run(const struct selftest_suite *suite, const struct selftest_snapshot *snapshot,
		  struct selftest_tally *tally);

#endif
