// SPDX-License-Identifier: BSD-2-Clause
// Runs a target's self test: reset values, bits of every register that hold values or fault, the
// other checks that all PMUs share, the target's own checks. Prints TAP version 13: one line per
// check, with expected and found value.

#include "selftest_shared.h"

#include <string.h>

#include "hal.h"

const struct selftest_suite *selftest_find(const char *target)
{
	for (const struct selftest_suite *const *s = selftest_suites; *s; s++)
		if (!strcmp((*s)->driver->name, target))
			return *s;
	return NULL;
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

//
// Registers, from their lists of fields
//

static uint64_t bits_with(const struct register_description *d, unsigned accesses)
{
	uint64_t bits = 0;

	for (const struct field *f = d->field; f < d->field + d->fields; f++)
		bits |= accesses >> f->access & 1 ? FIELD_MASK(f->low, f->width) : 0;
	return bits;
}

#define ACCESS(kind) (1u << FIELD_##kind)

// The sign extension of an undefined bit is undefined, too.
static void describe(const struct register_description *d, struct selftest_register *r)
{
	const uint64_t written = bits_with(d, ACCESS(RW) | ACCESS(W1C) | ACCESS(W0C) | ACCESS(WO));
	uint64_t undefined = 0;

	memset(r, 0, sizeof *r);
	r->field = d->field;
	r->fields = d->fields;
	for (const struct field *f = d->field; f < d->field + d->fields; f++)
		if (f->reset == UNDEFINED)
			undefined |= FIELD_MASK(f->low, f->width);
		else
			r->reset |= f->reset << f->low;
	r->defined = ~(undefined | (undefined ? bits_with(d, ACCESS(SXT)) : 0));
	r->holds = bits_with(d, ACCESS(RW));
	r->reserved = bits_with(d, ACCESS(RSVD));
	r->writable = written || !bits_with(d, ACCESS(RO));
	r->ignored = r->writable ? bits_with(d, ACCESS(IGN) | ACCESS(WO) | ACCESS(RO) | ACCESS(W0C)) : 0;
}

static const struct selftest_exception *exception_of(const struct selftest_suite *suite, uint32_t address)
{
	for (size_t i = 0; i < suite->exceptions_count; i++)
		if (address - suite->exceptions[i].address < suite->exceptions[i].count)
			return &suite->exceptions[i];
	return NULL;
}

static void except(struct selftest_register *r, const struct selftest_exception *e)
{
	r->defined &= ~e->unknown;
	r->holds &= ~e->untried;
	r->ignored &= ~e->untried;
	r->reserved &= ~e->untried;
	r->exception = e;
}

unsigned selftest_registers(const struct selftest_suite *suite,
			    struct selftest_register list[SELFTEST_REGISTERS_MAX])
{
	struct selftest_register *r = list;

	for (size_t i = 0; i < suite->registers_count; i++) {
		const struct register_description *d = &suite->registers[i];

		for (unsigned n = 0; n < d->count; n++) {
			const uint32_t address = d->address + n * d->distance;
			const struct selftest_exception *e = exception_of(suite, address);
			char *end;

			if (e && e->left_out)
				continue;
			describe(d, r);
			r->address = address;
			end = append_text(r->name, d->name);
			if (d->first >= 0)
				append_decimal(end, d->first + n * d->distance);
			if (e)
				except(r, e);
			r++;
		}
	}
	return (unsigned)(r - list);
}

// Selects the suite of the following checks.
static void use(const struct selftest_suite *suite)
{
	selftest_use(suite);
	selftest_now()->register_count = selftest_registers(suite, selftest_now()->registers);
}

void selftest_take_snapshot(const struct selftest_suite *suite, struct selftest_snapshot *snapshot)
{
	use(suite);
	memset(snapshot, 0, sizeof *snapshot);
	for (size_t i = 0; i < selftest_now()->register_count; i++)
		if (!reg_read(selftest_now()->registers[i].address, &snapshot->value[i]))
			snapshot->faults |= 1ULL << i;
}

//
// Printing
//

#define NAME_MOST	128	/* bytes of a check's name, with the final 0 */
#define LINE_MOST	384	/* bytes of a line: a name, and less than 256 others */

static void print_bit(const char *name, const char *field, unsigned bit, bool expected, bool found)
{
	char line[LINE_MOST], *end = append_text(append_text(append_text(line, "#   "), name), ".");

	end = append_decimal(append_text(append_text(end, field), ": bit "), bit);
	end = append_text(end, expected ? " expected 1" : " expected 0");
	end = append_text(end, found ? ", found 1\n" : ", found 0\n");
	selftest_put(line, (size_t)(end - line));
}

// Prints the fields of a register that differ, bit by bit.
static void print_difference(const struct selftest_register *r, uint64_t expected, uint64_t found)
{
	uint64_t difference = expected ^ found;

	for (unsigned i = 0; i < r->fields; i++) {
		const struct field *f = &r->field[i];
		uint64_t bits = difference & FIELD_MASK(f->low, f->width);

		for (; bits; bits &= bits - 1) {
			int bit = __builtin_ctzll(bits);

			print_bit(r->name, f->name, (unsigned)bit, expected >> bit & 1, found >> bit & 1);
		}
	}
}

static char *append_hex(char *end, uint64_t value)
{
	unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

	for (end = append_text(end, "0x"); digits--;)
		*end++ = "0123456789abcdef"[value >> 4 * digits & 0xF];
	return end;
}

static const char *register_name(uint32_t address)
{
	for (size_t i = 0; i < selftest_now()->register_count; i++)
		if (selftest_now()->registers[i].address == address)
			return selftest_now()->registers[i].name;
	return "register";
}

// Appends the problem to a line, after the expected and found value.
static char *append_problem(char *end, const struct selftest_result *result)
{
	switch (result->problem) {
	case SELFTEST_READ:
	case SELFTEST_WRITE:
		end = append_text(end, result->problem == SELFTEST_READ ? ": reading " : ": writing ");
		end = append_text(append_text(end, register_name(result->address)), ", ");
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

// Appends a check's name; `of` replaces '#'.
static char *append_name(char *end, const char *check, const char *of)
{
	if (strlen(check) + strlen(of) >= NAME_MOST)
		return append_text(end, "(name too long)");
	for (; *check; check++)
		if (*check == '#')
			end = append_text(end, of);
		else
			*end++ = *check;
	return end;
}

// Prints a line of the report. Without printf, which would take a large part of the self test's
// time: there are hundreds of lines at each boot.
static void print_result(unsigned number, const char *check, const char *of, const struct selftest_result *result)
{
	char line[LINE_MOST], *end = line;

	end = append_text(end, passes(result) ? "ok " : "not ok ");
	end = append_decimal(end, number);
	end = append_name(append_text(end, " - "), check, of);
	if (result->problem == SELFTEST_SKIP) {
		end = append_text(append_text(end, " # SKIP "), result->reason);
	} else {
		end = append_hex(append_text(end, " (expected "), result->expected);
		end = append_hex(append_text(end, ", found "), result->found);
		end = append_text(append_problem(end, result), ")");
	}
	*end++ = '\n';
	selftest_put(line, (size_t)(end - line));
}

// Reports a result. `r`: the register whose bits the check compares, or NULL.
static void report(struct selftest_tally *tally, const char *check, const char *of, struct selftest_result result,
		   const struct selftest_register *r)
{
	print_result(++tally->number, check, of, &result);
	tally->skipped += result.problem == SELFTEST_SKIP;
	if (passes(&result))
		return;
	tally->failed++;
	if (tally->report_failure)
		tally->report_failure(check, of, &result);
	if (r && !result.problem)
		print_difference(r, result.expected, result.found);
}

//
// Registers
//

// Returns the bits that read back as written, for patterns in which each bit and its neighbors take
// both values.
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

// Returns the bits that read as 0 after every writable bit was written as 1.
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

static void check_register(struct selftest_tally *tally, const struct selftest_register *r)
{
	const struct selftest_exception *e = r->exception;

	if (!r->writable) {
		report(tally, "write faults: #", r->name, write_faults(r), NULL);
		return;
	}
	if (e && e->with_value)
		reg_write(e->with_address, e->with_value);
	if (r->holds)
		report(tally, "holds: #", r->name, bits_that_hold(r), r);
	if (r->ignored)
		report(tally, "ignored bits read 0: #", r->name, bits_that_ignore(r), r);
	if (r->reserved)
		report(tally, "reserved bits fault: #", r->name, bits_that_fault(r), r);
}

static void check_registers(struct selftest_tally *tally, const struct selftest_snapshot *snapshot)
{
	const struct selftest_register *r = selftest_now()->registers;

	for (size_t i = 0; i < selftest_now()->register_count; i++)
		if (r[i].defined)
			report(tally, "reset: #", r[i].name,
			       value_at_reset(&r[i], snapshot->value[i], snapshot->faults >> i & 1), &r[i]);
	for (size_t i = 0; i < selftest_now()->register_count; i++) {
		// Checks of registers of one kind do not affect each other.
		if (!i || selftest_now()->registers[i].field != selftest_now()->registers[i - 1].field)
			pmu_begin(selftest_now()->suite->driver, false);
		check_register(tally, &selftest_now()->registers[i]);
	}
}

//
// The suite
//

static unsigned count_checks(const struct selftest_suite *suite)
{
	unsigned count = 0;

	use(suite);
	for (size_t i = 0; i < selftest_now()->register_count; i++) {
		const struct selftest_register *r = &selftest_now()->registers[i];

		count += r->defined != 0;
		count += r->writable ? !!r->holds + !!r->ignored + !!r->reserved : 1;
	}
	for (size_t i = 0; i < selftest_shared_count; i++)
		count += (unsigned)__builtin_popcountll(selftest_each(&selftest_shared[i]));
	for (size_t i = 0; i < suite->cases_count; i++)
		count += (unsigned)__builtin_popcountll(selftest_each(&suite->cases[i]));
	return count;
}

unsigned selftest_plan(const struct selftest_suite *const *suites, size_t count)
{
	unsigned checks = 0;
	char line[64], *end;

	for (size_t i = 0; i < count; i++)
		checks += count_checks(suites[i]);
	end = append_decimal(append_text(line, "TAP version 13\n1.."), checks);
	*end++ = '\n';
	selftest_put(line, (size_t)(end - line));
	return checks;
}

static void run_case(struct selftest_tally *tally, const struct selftest_case *check)
{
	const struct pmu_driver *driver = selftest_now()->suite->driver;

	for (uint64_t each = selftest_each(check); each; each &= each - 1) {
		const unsigned it = (unsigned)__builtin_ctzll(each);
		const char *of = check->names ? check->names[it] : "";

		if (check->each && !check->names)
			of = register_name(check->control ? driver->control(it) : driver->address(it));
		pmu_begin(driver, false);
		report(tally, check->name, of, selftest_take(check, it), NULL);
	}
}

void selftest_run(const struct selftest_suite *suite, const struct selftest_snapshot *snapshot,
		  struct selftest_tally *tally)
{
	use(suite);
	check_registers(tally, snapshot);
	selftest_read_events();
	for (size_t i = 0; i < selftest_shared_count; i++)
		run_case(tally, &selftest_shared[i]);
	for (size_t i = 0; i < suite->cases_count; i++)
		run_case(tally, &suite->cases[i]);
	pmu_begin(suite->driver, false);
}
