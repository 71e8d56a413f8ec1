// SPDX-License-Identifier: BSD-2-Clause
// The checks that all PMUs share: counters, overflows, the runtime.

#include "suite.h"

#include "hal.h"
#include "stimulus.h"

//
// Counting
//

static uint64_t wraps_to_zero(unsigned counter)
{
	selftest_wrap(counter);
	return selftest_value(counter);
}

static uint64_t counts_exactly(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_run(counter, 3000);
	return selftest_value(counter);
}

static uint64_t counts_cycles_as_the_others(unsigned counter)
{
	return selftest_count_cycles(counter, selftest_find_counter(counter)->like->cycles, true,
				     -1ULL);
}

static uint64_t instruction_reads_counter(unsigned counter)
{
	const struct selftest_counters *like = selftest_find_counter(counter)->like;

	selftest_set(counter, AT_ALL, -0xA6ULL);
	selftest_expect(selftest_value(counter));
	return selftest_read_counter(like->index + counter - like->first);
}

static uint64_t needs_its_global_enable(unsigned counter)
{
	selftest_set_all(AT_SUITE, 0);
	selftest_run_counters(selftest_all_counters() & ~BIT(counter), 100);
	return selftest_value(counter);
}

//
// Privilege levels
//

static uint64_t count_at_level_0(unsigned counter, unsigned at)
{
	selftest_set(counter, at, 0);
	selftest_run(counter, 100);
	return selftest_value(counter);
}

static uint64_t level_0_counts_level_0(unsigned counter)
{
	return count_at_level_0(counter, AT_OS);
}

static uint64_t level_3_does_not_count_level_0(unsigned counter)
{
	return count_at_level_0(counter, AT_USER);
}

static uint64_t count_at_level_3(unsigned counter, unsigned at, uint64_t n)
{
	selftest_set(counter, at, 0);
	selftest_run_by(hal_execute_user, counter, n);
	return selftest_value(counter);
}

static uint64_t level_3_counts_level_3(unsigned counter)
{
	return count_at_level_3(counter, AT_USER, 1000 + selftest_more());
}

static uint64_t level_0_does_not_count_level_3(unsigned counter)
{
	return count_at_level_3(counter, AT_OS, 1000 + selftest_more());
}

// Interrupts occur while level 3 is counted; their handler does not count.
static uint64_t level_3_does_not_count_interrupts(unsigned counter)
{
	selftest_expect(count_at_level_3(counter, AT_USER, 5000));
	selftest_set(counter, AT_USER, 0);
	hal_alarm(2500);
	selftest_run_by(hal_execute_user, counter, 5000);
	return selftest_value(counter);
}

//
// Overflow status
//

static uint64_t overflow_sets_status(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_run(counter, 100);
	if (!selftest_require_equal(selftest_overflowed(), 0))
		return 0;
	selftest_wrap(counter);
	selftest_expect(BIT(counter));
	return selftest_overflowed();
}

// A status bit stays set until it is cleared: through reads, writes of the counter, and further
// events. The overflow of another counter sets its own bit as well.
static uint64_t status_stays_until_cleared(unsigned counter)
{
	const struct selftest_counter *first = selftest_now()->counter;
	const unsigned other = first[counter == first->number &&
				     selftest_now()->counter_count > 1].number;

	selftest_wrap(counter);
	selftest_require(selftest_overflowed() == BIT(counter));
	selftest_write_value(counter, 0);
	selftest_run(counter, 100);
	selftest_acknowledge(0);
	if (other != counter)
		selftest_wrap(other);
	selftest_expect(BIT(counter) | BIT(other));
	return selftest_overflowed();
}

static uint64_t can_be_written_after_overflow(unsigned counter)
{
	selftest_wrap(counter);
	selftest_write_value(counter, 12345);
	return selftest_value(counter);
}

static uint64_t counts_on_after_overflow(unsigned counter)
{
	selftest_set(counter, AT_ALL, -100ULL);
	selftest_run(counter, 1000);
	return selftest_value(counter);
}

// All counters overflow in one cycle. With the handler: if a counter interrupts although it must
// not, the interrupt is served and the run continues.
static void overflow_all(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_set_all(AT_SUITE, -50ULL);
	selftest_run_all(1000);
}

static uint64_t all_overflow_in_one_cycle(unsigned counter)
{
	overflow_all(counter);
	selftest_expect(selftest_all_counters());
	return selftest_overflowed();
}

static uint64_t acknowledging_clears_only_one(unsigned counter)
{
	overflow_all(counter);
	selftest_acknowledge(BIT(counter));
	selftest_expect(selftest_all_counters() & ~BIT(counter));
	return selftest_overflowed();
}

static uint64_t acknowledging_clears_all(unsigned counter)
{
	overflow_all(counter);
	selftest_acknowledge(selftest_all_counters());
	return selftest_overflowed();
}

//
// Overflow interrupts, freezing
//

static uint64_t overflow_interrupts_once(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->interrupts;
}

static uint64_t overflow_need_not_interrupt(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_overflow_once(counter, 0);
	return selftest_seen()->interrupts;
}

// Delivery masks the entry, so a second overflow is not delivered.
static uint64_t delivery_masks_the_vector(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_overflow_once(counter, INTERRUPTING);
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->interrupts;
}

static uint64_t nmi_comes_with_interrupts_off(unsigned counter)
{
	hal_interrupts_disable();
	selftest_watch(counter, WATCH_NMI, 0);
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->interrupts;
}

static uint64_t frozen_after_overflow(unsigned counter, unsigned interrupting)
{
	bool frozen;

	selftest_watch(counter, 0, 0);
	selftest_set(counter, AT_SUITE | interrupting, -50ULL);
	selftest_enable(BIT(counter));
	hal_execute(1000);
	frozen = selftest_frozen();
	selftest_enable(0);
	return frozen;
}

static uint64_t interrupting_overflow_freezes(unsigned counter)
{
	return frozen_after_overflow(counter, INTERRUPTING);
}

static uint64_t silent_overflow_freezes(unsigned counter)
{
	return frozen_after_overflow(counter, 0);
}

//
// Sessions
//

// Counters that overflow at the same time, three times, next to one that only counts.
static void run_overflowing_session(void)
{
	selftest_start_listed(SELFTEST_OVERFLOWING);
	selftest_execute(3500);
	selftest_stop();
}

static uint64_t overflowing_counter_is_exact(unsigned event)
{
	run_overflowing_session();
	selftest_expect(selftest_count(0));
	return selftest_count(event);
}

static uint64_t takes_a_sample_each_period(unsigned event)
{
	run_overflowing_session();
	selftest_expect(selftest_count(0) / 1000);
	return selftest_sampled(event);
}

static uint64_t spurious_interrupts(unsigned)
{
	run_overflowing_session();
	return selftest_statistics().spurious;
}

// Samples of events at level 3 are taken at level 3, one per period.
static uint64_t samples_come_from_level_3(unsigned)
{
	selftest_start_listed(SELFTEST_AT_USER);
	hal_execute_user(10500);
	selftest_stop();
	selftest_expect(selftest_count(0) / 1000);
	return selftest_samples(3);
}

// Instructions executed while a context is saved do not count. The same instructions give the same
// count before and after.
static uint64_t saved_context_does_not_count(unsigned)
{
	struct pmu_context context;
	uint64_t before;

	selftest_start_listed(SELFTEST_AT_USER);
	hal_execute_user(2500);
	selftest_require(pmu_context_save(&context, 0, 0) == PMU_OK);
	before = selftest_count(0);
	hal_execute_user(5000);
	selftest_require(pmu_context_restore(&context) == PMU_OK);
	selftest_require(selftest_count(0) == before);
	hal_execute_user(2500);
	selftest_stop();
	selftest_require(selftest_count(0) == selftest_count(1));
	selftest_expect(2 * before);
	return selftest_count(0);
}

// One interrupt per period, until the limit is exceeded.
static void run_storm(enum selftest_session session)
{
	pmu_limit_interrupts(SELFTEST_STORM_LIMIT, UINT64_MAX >> 1);
	selftest_start_listed(session);
	selftest_execute(3000);
	selftest_stop();
}

static uint64_t storm_stops_after_the_limit(unsigned)
{
	run_storm(SELFTEST_STORM);
	return selftest_statistics().interrupts;
}

static uint64_t storm_is_reported(unsigned)
{
	run_storm(SELFTEST_STORM);
	return selftest_statistics().throttles;
}

static uint64_t throttled_counter_is_exact(unsigned)
{
	run_storm(SELFTEST_STORM);
	selftest_expect(selftest_count(0));
	return selftest_count(1);
}

// Each NMI except the first is pending before the previous one returns.
static uint64_t nmis_in_a_row_are_exact(unsigned)
{
	if (!selftest_require_equal(pmu_begin(selftest_now()->suite->driver, true) == PMU_OK, true))
		return 0;
	run_storm(SELFTEST_NMIS);
	selftest_expect(selftest_count(0));
	return selftest_count(1);
}

//
// PAL_HALT_LIGHT
//

static uint64_t halt_restores_enabled_counters(unsigned counter)
{
	selftest_enable(BIT(counter));
	selftest_light_halt(5000);
	selftest_expect(BIT(counter) | selftest_now()->suite->enable_also);
	return selftest_read(selftest_now()->suite->enable);
}

static uint64_t count_around_halt(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_run_by(selftest_light_halt, counter, 5000 + selftest_more());
	return selftest_value(counter);
}

// The interrupt that is pending when the halt begins ends the halt. A second halt replaces its
// alarm, which would otherwise interrupt a later check.
static uint64_t overflow_before_halt_is_served(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	hal_interrupts_disable();
	selftest_overflow_once(counter, INTERRUPTING);
	selftest_light_halt(5000);
	hal_interrupts_restore(true);
	selftest_light_halt(1);
	return selftest_seen()->interrupts;
}

//
// The checks
//

static const char *const numbers[] = {"0", "1", "2", "3", "4"};	/* numbers of a session's events */

#define OF_SESSION(session)	.needs = NEEDS_SESSION(session)

const struct selftest_case selftest_shared[] = {
	{"wraps to 0: #", EVERY, 100, .run = wraps_to_zero, .needs = NEEDS_EXACT},
	{"counts exactly: #", EVERY, 3001, .run = counts_exactly, .needs = NEEDS_EXACT},
	{"counts cycles as the others do, and wraps: #", EVERY, .run = counts_cycles_as_the_others,
	 .needs = NEEDS_CYCLES},
	{"an instruction reads #", EVERY, .run = instruction_reads_counter,
	 .needs = NEEDS_READABLE},
	{"without its global enable does not count: #", EVERY, 0, .run = needs_its_global_enable,
	 .needs = SELFTEST_GLOBAL},

	{"level 0 only, at level 0: #", EVERY, 101, .run = level_0_counts_level_0,
	 .needs = SELFTEST_LEVELS | NEEDS_EXACT},
	{"level 3 only, at level 0: #", EVERY, 0, .run = level_3_does_not_count_level_0,
	 .needs = SELFTEST_LEVELS},
	{"level 3 only, at level 3: #", EVERY, 2000, .run = level_3_counts_level_3,
	 .needs = SELFTEST_LEVELS | NEEDS_EXACT, .more = 2000},
	{"level 0 only, at level 3: #", EVERY, 0, .run = level_0_does_not_count_level_3,
	 .needs = SELFTEST_LEVELS | NEEDS_EXACT, .more = 2000},
	{"level 3 only, at level 3, interrupted: #", EVERY,
	 .run = level_3_does_not_count_interrupts,
	 .needs = SELFTEST_LEVELS | NEEDS_EXACT},

	{"overflow sets the status of #", EVERY, .run = overflow_sets_status,
	 .needs = NEEDS_STATUS},
	{"the status stays until it is cleared: #", EVERY, .run = status_stays_until_cleared,
	 .needs = NEEDS_STATUS},
	{"can be written while its overflow is pending: #", EVERY, 12345,
	 .run = can_be_written_after_overflow},
	{"events after an overflow are counted: #", EVERY, 901, .run = counts_on_after_overflow,
	 .needs = NEEDS_EXACT},
	{"all counters overflow in one cycle", .run = all_overflow_in_one_cycle,
	 .needs = NEEDS_COUNTERS | NEEDS_STATUS},
	{"acknowledging clears only #", EVERY, .run = acknowledging_clears_only_one,
	 .needs = NEEDS_STATUS},
	{"acknowledging clears all", .run = acknowledging_clears_all,
	 .needs = NEEDS_COUNTERS | NEEDS_STATUS},

	{"overflow interrupts once: #", EVERY, 1, .run = overflow_interrupts_once,
	 .needs = SELFTEST_INTERRUPTS},
	{"overflow that is not to interrupt does not: #", EVERY, 0,
	 .run = overflow_need_not_interrupt,
	 .needs = SELFTEST_INTERRUPTS},
	{"the vector is masked on delivery: #", EVERY, 1, .run = delivery_masks_the_vector,
	 .needs = SELFTEST_MASKS},
	{"overflow as NMI, interrupts off: #", EVERY, 1, .run = nmi_comes_with_interrupts_off,
	 .needs = SELFTEST_NMI},
	{"overflow freezes: #", EVERY, true, .run = interrupting_overflow_freezes,
	 .needs = SELFTEST_FREEZES},
	{"overflow that is not to interrupt does not freeze: #", EVERY, false,
	 .run = silent_overflow_freezes,
	 .needs = SELFTEST_FREEZES},
	{"overflow does not freeze: #", EVERY, false, .run = interrupting_overflow_freezes,
	 .needs = NEEDS_NO_FREEZE},

	{"session: counter # that overflows is exact", EVERY, .run = overflowing_counter_is_exact,
	 .names = numbers, OF_SESSION(SELFTEST_OVERFLOWING)},
	{"session: counter # took a sample each period", EVERY, .run = takes_a_sample_each_period,
	 .names = numbers, OF_SESSION(SELFTEST_OVERFLOWING)},
	{"session: no interrupt without an overflow", .run = spurious_interrupts,
	 OF_SESSION(SELFTEST_OVERFLOWING)},
	{"session: samples of level 3 are taken at level 3", .run = samples_come_from_level_3,
	 OF_SESSION(SELFTEST_AT_USER)},
	{"context: put aside and brought back, exact", .run = saved_context_does_not_count,
	 OF_SESSION(SELFTEST_AT_USER)},
	{"storm: interrupts stop after the limit", 0, SELFTEST_STORM_LIMIT + 1,
	 .run = storm_stops_after_the_limit, OF_SESSION(SELFTEST_STORM)},
	{"storm: the throttled counter is reported", 0, 1, .run = storm_is_reported,
	 OF_SESSION(SELFTEST_STORM)},
	{"storm: the throttled counter is exact", .run = throttled_counter_is_exact,
	 OF_SESSION(SELFTEST_STORM)},
	{"session: NMIs that follow each other at once are exact", .run = nmis_in_a_row_are_exact,
	 OF_SESSION(SELFTEST_NMIS)},

	{"PAL_HALT_LIGHT restores the enabled counters: #", EVERY,
	 .run = halt_restores_enabled_counters,
	 .needs = SELFTEST_HALTS | NEEDS_ENABLE},
	{"PAL_HALT_LIGHT: a longer halt counts nothing more: #", EVERY, 0, .run = count_around_halt,
	 .needs = SELFTEST_HALTS | NEEDS_EXACT, .more = 5000},
	{"PAL_HALT_LIGHT: a pending overflow is served: #", EVERY, 1,
	 .run = overflow_before_halt_is_served,
	 .needs = SELFTEST_HALTS | SELFTEST_INTERRUPTS},
};

const size_t selftest_shared_count = sizeof selftest_shared / sizeof *selftest_shared;

//
// The counters and items of each check
//

uint64_t selftest_each(const struct selftest_case *check)
{
	const struct selftest_now *now = selftest_now();
	const char *events = now->suite->sessions[SELFTEST_OVERFLOWING];
	uint64_t each = 0;

	if (check->each != EVERY) {
		if (check->needs & ~now->has)
			return 0;
		// In a suite for several processors these are counters.
		if (check->each && !check->names && now->suite->driver->enumerated)
			return check->each & now->suite->driver->shape->counters;
		return check->each ? check->each : BIT(now->counter->number);
	}
	for (unsigned event = 1; check->names && events && *events; events++)
		each |= *events == ',' ? BIT(event++) : 0;
	for (unsigned i = 0; !check->names && i < now->counter_count; i++)
		if (!(check->needs & ~now->counter[i].has))
			each |= now->counter[i].bit;
	return each;
}
