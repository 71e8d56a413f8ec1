/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot-time self test: checks as tables. A target's are in pmu/<target>/selftest.c; boot/selftest.c runs them
 * and prints TAP, one check a line. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "pmu.h"

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

/* What a check expected and found; equal: it passes. */
struct selftest_result {
	uint64_t expected, found;
	bool fault;		/* a register access that should not have faulted did: it fails */
};

/* A check starts with the PMU just brought up (pmu_begin), interrupts on, and may leave it in any state. */
struct selftest_check {
	const char *name;
	struct selftest_result (*run)(unsigned parameter);
	unsigned parameter;
};

struct selftest_suite {
	const struct pmu_driver *driver;
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

/* Runs all checks and prints TAP version 13. Returns how many failed. */
unsigned selftest_run(const struct selftest_suite *suite, const struct selftest_snapshot *snapshot);

#endif
