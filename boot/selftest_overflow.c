// SPDX-License-Identifier: BSD-2-Clause
// What all PMUs share, overflows: status, residue, acknowledging, interrupts, freeze.

#include "selftest_shared.h"

#include "hal.h"

// Only this counter overflows, at the first event.
static void overflow(const struct selftest_counter *c)
{
	selftest_set(c->number, SELFTEST_ALL, false, -1ULL);
	selftest_run_counters(c->bit, 100);
}

// Before it there is none.
static struct selftest_result check_status(const struct selftest_counter *c, unsigned)
{
	selftest_set(c->number, SELFTEST_ALL, false, 0);
	selftest_run_counters(c->bit, 100);
	selftest_require(!selftest_overflowed());
	overflow(c);
	return selftest_compare(c->bit, selftest_overflowed());
}

// A bit stays until it is cleared, whatever is read, written to the counter, counted; and another counter's overflow
// adds its own.
static struct selftest_result check_sticky(const struct selftest_counter *c, unsigned)
{
	const struct selftest_counter *other = selftest_counter + (c == selftest_counter);

	overflow(c);
	selftest_require(selftest_overflowed() == c->bit);
	selftest_write(c->address, 0);
	selftest_run_counters(c->bit, 100);
	selftest_acknowledge(0);
	if (other < selftest_counter + selftest_counter_count)
		overflow(other);
	else
		other = c;
	return selftest_compare(c->bit | other->bit, selftest_overflowed());
}

static struct selftest_result check_write_pending(const struct selftest_counter *c, unsigned)
{
	overflow(c);
	selftest_write(c->address, 12345);
	return selftest_compare(12345, selftest_value(c->number));
}

static struct selftest_result check_residue(const struct selftest_counter *c, unsigned)
{
	selftest_set(c->number, SELFTEST_ALL, false, -100ULL);
	selftest_run_counters(c->bit, 1000);
	return selftest_compare(901, selftest_value(c->number));
}

static uint64_t overflow_all(void)
{
	selftest_watch(HAL_PMI_VECTOR);
	for (unsigned i = 0; i < selftest_counter_count; i++)
		selftest_set(selftest_counter[i].number, selftest_levels(), false, -50ULL);
	selftest_run_together(selftest_all_counters(), 1000);
	return selftest_all_counters();
}

static struct selftest_result check_simultaneous(const struct selftest_counter *, unsigned)
{
	const uint64_t all = overflow_all();

	return selftest_compare(all, selftest_overflowed());
}

static struct selftest_result check_acknowledge_one(const struct selftest_counter *c, unsigned)
{
	const uint64_t all = overflow_all();

	selftest_acknowledge(c->bit);
	return selftest_compare(all & ~c->bit, selftest_overflowed());
}

static struct selftest_result check_acknowledge_all(const struct selftest_counter *, unsigned)
{
	selftest_acknowledge(overflow_all());
	return selftest_compare(0, selftest_overflowed());
}

//
// Interrupts
//

static unsigned overflow_with(const struct selftest_counter *c, bool interrupt)
{
	selftest_overflow_once(c->number, interrupt);
	return selftest_seen().interrupts;
}

static struct selftest_result check_interrupt(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(1, overflow_with(c, true));
}

static struct selftest_result check_no_interrupt(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(0, overflow_with(c, false));
}

// The entry is masked on delivery, and a second overflow is not delivered.
static struct selftest_result check_mask(const struct selftest_counter *c, unsigned)
{
	selftest_overflow_once(c->number, true);
	return selftest_compare(1, overflow_with(c, true));
}

static struct selftest_result check_nmi(const struct selftest_counter *c, unsigned)
{
	const bool interrupts = hal_interrupts_disable();
	unsigned seen;

	selftest_watch(HAL_PMI_NMI);
	seen = overflow_with(c, true);
	hal_interrupts_restore(interrupts);
	return selftest_compare(1, seen);
}

//
// Freeze
//

// Whether the counters stand still behind an overflow: as its interrupt found them, if it has come.
static bool freezes(const struct selftest_counter *c, bool interrupt)
{
	bool frozen;

	selftest_set(c->number, selftest_levels(), interrupt, -50ULL);
	selftest_enable(c->bit);
	hal_execute(1000);
	frozen = selftest_seen().interrupts ? selftest_seen().frozen : selftest_frozen();
	selftest_enable(0);
	return frozen;
}

static struct selftest_result check_freeze(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(1, freezes(c, true));
}

static struct selftest_result check_no_freeze(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(0, freezes(c, false));
}

static struct selftest_result check_never_freeze(const struct selftest_counter *c, unsigned)
{
	return selftest_compare(0, freezes(c, true));
}

static const struct selftest_shared checks[] = {
	{"overflow sets the status of ", check_status, 0},
	{"the status stays until it is cleared: ", check_sticky, 0},
	{"can be written while its overflow is pending: ", check_write_pending, 0},
	{"what counts after an overflow is kept: ", check_residue, NEEDS_EXACT},
	{"all counters overflow in one cycle", check_simultaneous, ONCE},
	{"acknowledging clears only ", check_acknowledge_one, 0},
	{"acknowledging clears all", check_acknowledge_all, ONCE},
	{"overflow interrupts once: ", check_interrupt, SELFTEST_INTERRUPTS},
	{"overflow that is not to interrupt does not: ", check_no_interrupt, SELFTEST_INTERRUPTS},
	{"the vector is masked on delivery: ", check_mask, SELFTEST_MASKS},
	{"overflow as NMI, interrupts off: ", check_nmi, SELFTEST_NMI},
	{"overflow freezes: ", check_freeze, SELFTEST_FREEZES},
	{"overflow that is not to interrupt does not freeze: ", check_no_freeze, SELFTEST_FREEZES},
	{"overflow does not freeze: ", check_never_freeze, NEEDS_NO_FREEZE},
};

void selftest_visit_overflow(selftest_visit_function *visit, void *context)
{
	if (selftest_counter_count)
		selftest_visit(checks, sizeof checks / sizeof *checks, visit, context);
}
