// SPDX-License-Identifier: BSD-2-Clause
// Checks of all registers, from their lists of fields: reset values, and bits that hold values,
// read as 0 or fault.

#include "suite.h"

#include <string.h>

#include "hal.h"

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
	r->ignored = r->writable ? bits_with(d, ACCESS(IGN) | ACCESS(WO) | ACCESS(RO) |
					     ACCESS(W0C)) : 0;
}

static const struct selftest_exception *exception_of(const struct selftest_suite *suite,
						     uint32_t address)
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
			end = selftest_text(r->name, d->name);
			if (d->first >= 0)
				selftest_decimal(end, d->first + n * d->distance);
			if (e)
				except(r, e);
			if (!suite->adapt || suite->adapt(r))
				r++;
		}
	}
	return (unsigned)(r - list);
}

//
// The checks
//

unsigned selftest_count_registers(void)
{
	unsigned count = 0;

	for (size_t i = 0; i < selftest_now()->register_count; i++) {
		const struct selftest_register *r = &selftest_now()->registers[i];

		count += r->defined != 0;
		count += r->writable ? !!r->holds + !!r->ignored + !!r->reserved : 1;
	}
	return count;
}

// Returns the bits that read back as written, for patterns in which each bit and its neighbors take
// both values.
static struct selftest_result bits_that_hold(const struct selftest_register *r)
{
	static const uint64_t patterns[] = {
		~0ULL, 0, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x3333333333333333,
		0xCCCCCCCCCCCCCCCC,
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

static struct selftest_result value_at_reset(const struct selftest_register *r, uint64_t value,
					     bool faulted)
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
		selftest_report(tally, "write faults: #", r->name, write_faults(r), NULL);
		return;
	}
	if (e && e->with_value)
		reg_write(e->with_address, e->with_value);
	if (r->holds)
		selftest_report(tally, "holds: #", r->name, bits_that_hold(r), r);
	if (r->ignored)
		selftest_report(tally, "ignored bits read 0: #", r->name, bits_that_ignore(r), r);
	if (r->reserved)
		selftest_report(tally, "reserved bits fault: #", r->name, bits_that_fault(r), r);
}

void selftest_check_registers(struct selftest_tally *tally,
			      const struct selftest_snapshot *snapshot)
{
	const struct selftest_register *r = selftest_now()->registers;

	for (size_t i = 0; i < selftest_now()->register_count; i++)
		if (r[i].defined)
			selftest_report(tally, "reset: #", r[i].name,
					value_at_reset(&r[i], snapshot->value[i],
						       snapshot->faults >> i & 1), &r[i]);
	for (size_t i = 0; i < selftest_now()->register_count; i++) {
		// Checks of registers of one kind do not affect each other.
		if (!i ||
		    selftest_now()->registers[i].field != selftest_now()->registers[i - 1].field)
			pmu_begin(selftest_now()->suite->driver, false);
		check_register(tally, &selftest_now()->registers[i]);
	}
}
