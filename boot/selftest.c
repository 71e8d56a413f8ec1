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
#define LINE_MOST	256	/* with all around it, which is less than 128 */

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

// A line of the report. There are hundreds at each boot, and printf, which looks at each of its parts several times,
// would be a good part of the self test's time.
static void print_result(bool ok, unsigned number, const char *class, const char *name, struct selftest_result result)
{
	char line[LINE_MOST], *end = line;

	if (strlen(name) >= NAME_MOST)
		name = "(name too long)";
	end = append_text(end, ok ? "ok " : "not ok ");
	end = append_decimal(end, number);
	end = append_text(append_text(append_text(end, " - "), class), name);
	end = append_hex(append_text(end, " (expected "), result.expected);
	end = append_hex(append_text(end, ", found "), result.found);
	end = append_text(end, ")\n");
	fwrite(line, 1, (size_t)(end - line), stdout);
}

static void report(struct selftest_tally *run, const char *class, const char *name, struct selftest_result result,
		   const struct selftest_register *r)
{
	bool ok = !result.fault && result.expected == result.found;

	print_result(ok, ++run->number, class, name, result);
	if (ok)
		return;
	run->failed++;
	if (result.fault)
		printf("#   a register access faulted\n");
	else if (r)
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
	struct selftest_result result = {.expected = r->holds, .found = r->holds};

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		uint64_t written = patterns[i] & r->holds, value = 0;

		result.fault |= !reg_write(r->address, written) || !reg_read(r->address, &value);
		result.found &= ~(written ^ value);
	}
	reg_write(r->address, r->reset & r->holds);
	return result;
}

// Bits that read as 0 although everything that may be was written as 1.
static struct selftest_result bits_that_ignore(const struct selftest_register *r)
{
	struct selftest_result result = {.expected = 0};
	uint64_t value = 0;

	result.fault = !reg_write(r->address, ~r->reserved) || !reg_read(r->address, &value);
	result.found = value & r->ignored;
	reg_write(r->address, r->reset & r->holds);
	return result;
}

static struct selftest_result bits_that_fault(const struct selftest_register *r)
{
	struct selftest_result result = {.expected = r->reserved};

	for (uint64_t bits = r->reserved; bits; bits &= bits - 1)
		if (!reg_write(r->address, bits & -bits))
			result.found |= bits & -bits;
	return result;
}

static struct selftest_result write_faults(const struct selftest_register *r)
{
	return (struct selftest_result){.expected = 1, .found = !reg_write(r->address, 0)};
}

static void check_register(struct selftest_tally *run, const struct selftest_register *r)
{
	if (!r->writable) {
		report(run, "write faults: ", r->name, write_faults(r), NULL);
		return;
	}
	if (r->with_value)
		reg_write(r->with_address, r->with_value);
	if (r->holds)
		report(run, "holds: ", r->name, bits_that_hold(r), r);
	if (r->ignored)
		report(run, "ignored bits read 0: ", r->name, bits_that_ignore(r), r);
	if (r->reserved)
		report(run, "reserved bits fault: ", r->name, bits_that_fault(r), r);
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

		if (!r->defined)
			continue;
		report(tally, "reset: ", r->name,
		       (struct selftest_result){r->reset & r->defined, snapshot->value[i] & r->defined,
						snapshot->faults >> i & 1}, r);
	}
	for (size_t i = 0; i < suite->register_count; i++) {
		const struct selftest_register *r = &suite->registers[i];

		// Registers of one kind leave each other alone.
		if (!i || r->field != r[-1].field)
			pmu_begin(suite->driver, false);
		check_register(tally, r);
	}
	for (size_t i = 0; i < suite->check_count; i++) {
		const struct selftest_check *check = &suite->checks[i];

		pmu_begin(suite->driver, false);
		report(tally, "", check->name, check->run(check->parameter), NULL);
	}
	pmu_begin(suite->driver, false);
}
