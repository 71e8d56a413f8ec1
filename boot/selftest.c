// SPDX-License-Identifier: BSD-2-Clause
// Runs a target's self test: reset values, which bits of every register hold, which fault, then the target's own
// checks. TAP version 13: a line a check, with the value expected and found.

#include "selftest.h"

#include <stdio.h>
#include <string.h>

#include "hal.h"

const struct selftest_suite *selftest_find(const char *target)
{
	for (const struct selftest_suite *const *s = selftest_suites; *s; s++)
		if (!strcmp((*s)->driver->name, target))
			return *s;
	return NULL;
}

void selftest_take_snapshot(const struct selftest_suite *suite, struct selftest_snapshot *snapshot)
{
	memset(snapshot, 0, sizeof *snapshot);
	for (size_t i = 0; i < suite->register_count; i++)
		if (!reg_read(suite->registers[i].address, &snapshot->value[i]))
			snapshot->faults |= 1ULL << i;
}

//
// Printing
//

#define NAME_MOST	128	/* of a check */
#define LINE_MOST	384	/* with all around it, which is less than 256 */

// Which fields of which register differ, bit by bit.
static void print_difference(const struct selftest_register *r, uint64_t expected, uint64_t found)
{
	uint64_t difference = expected ^ found;

	for (unsigned i = 0; i < r->fields; i++) {
		const struct field *f = &r->field[i];
		uint64_t bits = difference & FIELD_MASK(f->low, f->width);

		for (; bits; bits &= bits - 1) {
			int bit = __builtin_ctzll(bits);

			printf("#   %s.%s: bit %d expected %d, found %d\n", r->name, f->name, bit,
			       (int)(expected >> bit & 1), (int)(found >> bit & 1));
		}
	}
}

static char *append_text(char *end, const char *text)
{
	while (*text)
		*end++ = *text++;
	return end;
}

static char *append_decimal(char *end, unsigned value)
{
	if (value >= 10)
		end = append_decimal(end, value / 10);
	*end++ = (char)('0' + value % 10);
	return end;
}

static char *append_hex(char *end, uint64_t value)
{
	unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

	for (end = append_text(end, "0x"); digits--;)
		*end++ = "0123456789abcdef"[value >> 4 * digits & 0xF];
	return end;
}

static const char *register_name(const struct selftest_suite *suite, uint32_t address)
{
	for (size_t i = 0; i < suite->register_count; i++)
		if (suite->registers[i].address == address)
			return suite->registers[i].name;
	return "register";
}

// Behind what was expected and found.
static char *append_problem(char *end, const struct selftest_suite *suite, const struct selftest_result *result)
{
	switch (result->problem) {
	case SELFTEST_READ:
	case SELFTEST_WRITE:
		end = append_text(end, result->problem == SELFTEST_READ ? ": reading " : ": writing ");
		end = append_text(append_text(end, register_name(suite, result->address)), ", ");
		return append_text(append_hex(end, result->address), ", faulted");
	case SELFTEST_READ_COUNTER:
		return append_text(append_hex(append_text(end, ": reading counter "), result->address), " faulted");
	case SELFTEST_STEP:
		return append_text(end, ": a step failed");
	default:
		return end;
	}
}

static bool passes(const struct selftest_result *result)
{
	return result->problem == SELFTEST_SKIP || (!result->problem && result->expected == result->found);
}

// A line of the report. There are hundreds at each boot, and printf, which looks at each of its parts several times,
// would be a good part of the self test's time.
static void print_result(const struct selftest_suite *suite, unsigned number, const char *class, const char *name,
			 const struct selftest_result *result)
{
	char line[LINE_MOST], *end = line;

	if (strlen(name) >= NAME_MOST)
		name = "(name too long)";
	end = append_text(end, passes(result) ? "ok " : "not ok ");
	end = append_decimal(end, number);
	end = append_text(append_text(append_text(end, " - "), class), name);
	if (result->problem == SELFTEST_SKIP) {
		end = append_text(append_text(end, " # SKIP "), result->reason);
	} else {
		end = append_hex(append_text(end, " (expected "), result->expected);
		end = append_hex(append_text(end, ", found "), result->found);
		end = append_text(append_problem(end, suite, result), ")");
	}
	*end++ = '\n';
	fwrite(line, 1, (size_t)(end - line), stdout);
}

// `r`: of a check of this register's bits.
static void report(struct selftest_tally *tally, const struct selftest_suite *suite, const char *class,
		   const char *name, struct selftest_result result, const struct selftest_register *r)
{
	print_result(suite, ++tally->number, class, name, &result);
	tally->skipped += result.problem == SELFTEST_SKIP;
	if (passes(&result))
		return;
	tally->failed++;
	if (r && !result.problem)
		print_difference(r, result.expected, result.found);
}

//
// Registers
//

// Bits that read back as written, for patterns in which each bit and its neighbours are both.
static struct selftest_result bits_that_hold(const struct selftest_register *r)
{
	static const uint64_t patterns[] = {
		~0ULL, 0, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x3333333333333333, 0xCCCCCCCCCCCCCCCC,
	};
	uint64_t found = r->holds;

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		uint64_t written = patterns[i] & r->holds;

		selftest_write(r->address, written);
		found &= ~(written ^ selftest_read(r->address));
	}
	reg_write(r->address, r->reset & r->holds);
	return selftest_compare(r->holds, found);
}

// Bits that read as 0 although everything that may be was written as 1.
static struct selftest_result bits_that_ignore(const struct selftest_register *r)
{
	uint64_t found;

	selftest_write(r->address, ~r->reserved);
	found = selftest_read(r->address) & r->ignored;
	reg_write(r->address, r->reset & r->holds);
	return selftest_compare(0, found);
}

static struct selftest_result bits_that_fault(const struct selftest_register *r)
{
	uint64_t found = 0;

	for (uint64_t bits = r->reserved; bits; bits &= bits - 1)
		if (!reg_write(r->address, bits & -bits))
			found |= bits & -bits;
	return selftest_compare(r->reserved, found);
}

static struct selftest_result write_faults(const struct selftest_register *r)
{
	return selftest_compare(1, !reg_write(r->address, 0));
}

static struct selftest_result value_at_reset(const struct selftest_register *r, uint64_t value, bool faulted)
{
	struct selftest_result result = selftest_compare(r->reset & r->defined, value & r->defined);

	if (faulted) {
		result.problem = SELFTEST_READ;
		result.address = r->address;
	}
	return result;
}

static void check_register(struct selftest_tally *tally, const struct selftest_suite *suite,
			   const struct selftest_register *r)
{
	if (!r->writable) {
		report(tally, suite, "write faults: ", r->name, write_faults(r), NULL);
		return;
	}
	if (r->with_value)
		reg_write(r->with_address, r->with_value);
	if (r->holds)
		report(tally, suite, "holds: ", r->name, bits_that_hold(r), r);
	if (r->ignored)
		report(tally, suite, "ignored bits read 0: ", r->name, bits_that_ignore(r), r);
	if (r->reserved)
		report(tally, suite, "reserved bits fault: ", r->name, bits_that_fault(r), r);
}

static unsigned count_checks(const struct selftest_suite *suite)
{
	unsigned count = (unsigned)suite->check_count;

	for (size_t i = 0; i < suite->register_count; i++) {
		const struct selftest_register *r = &suite->registers[i];

		count += r->defined != 0;
		count += r->writable ? !!r->holds + !!r->ignored + !!r->reserved : 1;
	}
	return count;
}

void selftest_plan(const struct selftest_suite *const *suites, size_t count)
{
	unsigned checks = 0;

	for (size_t i = 0; i < count; i++)
		checks += count_checks(suites[i]);
	printf("TAP version 13\n1..%u\n", checks);
}

void selftest_run(const struct selftest_suite *suite, const struct selftest_snapshot *snapshot,
		  struct selftest_tally *tally)
{
	for (size_t i = 0; i < suite->register_count; i++) {
		const struct selftest_register *r = &suite->registers[i];

		if (r->defined)
			report(tally, suite, "reset: ", r->name,
			       value_at_reset(r, snapshot->value[i], snapshot->faults >> i & 1), r);
	}
	for (size_t i = 0; i < suite->register_count; i++) {
		const struct selftest_register *r = &suite->registers[i];

		// Registers of one kind leave each other alone.
		if (!i || r->field != r[-1].field)
			pmu_begin(suite->driver, false);
		check_register(tally, suite, r);
	}
	for (size_t i = 0; i < suite->check_count; i++) {
		const struct selftest_check *check = &suite->checks[i];

		pmu_begin(suite->driver, false);
		selftest_compare(0, 0);		// what a late interrupt has met is not this check's
		report(tally, suite, "", check->name, check->run(check->parameter), NULL);
	}
	pmu_begin(suite->driver, false);
}
