// SPDX-License-Identifier: BSD-2-Clause
// The checks that all PMUs share: counters, overflows, the runtime.

#include "selftest_shared.h"
#include "stimulus.h"


//
// Checks that need functions of their own
//

static uint64_t find_cycles(unsigned it, uint64_t start)
{
	return selftest_count_cycles(it, selftest_find_counter(it)->like->cycles, true, start);
}

static uint64_t find_readable(unsigned it, uint64_t)
{
	const struct selftest_counters *like = selftest_find_counter(it)->like;

	selftest_expect(selftest_value(it));
	return selftest_read_counter(like->index + it - like->first);
}

// Sets all counters up and enables all except `it`.
static uint64_t find_without_enable(unsigned it, uint64_t)
{
	selftest_run_counters(selftest_all_counters() & ~(1ULL << it), 100);
	return selftest_value(it);
}

// A status bit stays set until it is cleared: through reads, writes of the counter, and further
// events. The overflow of another counter sets its own bit as well.
static uint64_t find_sticky(unsigned it, uint64_t)
{
	const struct selftest_counter *first = selftest_now()->counter;
	const unsigned other = first[it == first->number && selftest_now()->counter_count > 1].number;

	selftest_require(selftest_overflowed() == 1ULL << it);
	selftest_write(selftest_now()->suite->driver->address(it), 0);
	selftest_run_counters(1ULL << it, 100);
	selftest_acknowledge(0);
	if (other != it) {
		selftest_set(other, AT_ALL, -1ULL);
		selftest_run_counters(1ULL << other, 100);
	}
	selftest_expect(1ULL << it | 1ULL << other);
	return selftest_overflowed();
}

// After all counters have overflowed: acknowledges none, `it` alone, or all.
enum acknowledged { NONE, ITS, ALL };

static uint64_t find_overflowed(unsigned it, uint64_t acknowledged)
{
	const uint64_t all = selftest_all_counters();
	const uint64_t these = acknowledged == ALL ? all : acknowledged == ITS ? 1ULL << it : 0;

	if (these)
		selftest_acknowledge(these);
	selftest_expect(all & ~these);
	return selftest_overflowed();
}

// Instructions executed while a context is saved do not count. The same instructions give the same
// count before and after.
static uint64_t find_around_context(unsigned, uint64_t n)
{
	struct pmu_context context;
	uint64_t before;

	hal_execute_user(n);
	selftest_require(pmu_context_save(&context, 0, 0) == PMU_OK);
	before = selftest_count(0);
	hal_execute_user(5000);
	selftest_require(pmu_context_restore(&context) == PMU_OK);
	selftest_require(selftest_count(0) == before);
	hal_execute_user(n);
	selftest_stop();
	selftest_require(selftest_count(0) == selftest_count(1));
	selftest_expect(2 * before);
	return selftest_count(0);
}

static void limit_interrupts(uint64_t n)
{
	pmu_limit_interrupts((uint32_t)n, UINT64_MAX >> 1);
}

static void begin_with_nmis(uint64_t)
{
	selftest_require(pmu_begin(selftest_now()->suite->driver, true) == PMU_OK);
}

static uint64_t find_enabled(unsigned it, uint64_t)
{
	selftest_expect(1ULL << it | selftest_now()->suite->enable_also);
	return selftest_read(selftest_now()->suite->enable);
}

//
// The checks
//

static const char *const numbers[] = {"0", "1", "2", "3", "4"};	/* numbers of a session's events */

// One interrupt per period, until the limit is exceeded.
#define STORM_OF(session) \
	EXECUTE(limit_interrupts, SELFTEST_STORM_LIMIT), START_OF(session), EXECUTE(selftest_execute, 3000), STOP
// Counters that overflow at the same time, three times, next to one that only counts.
#define OVERFLOWING	START_OF(SELFTEST_OVERFLOWING), EXECUTE(selftest_execute, 3500), STOP
// With the handler: if a counter interrupts although it must not, the interrupt is served and the
// run continues.
#define OVERFLOW_ALL	WATCH(0), SET_ALL(AT_SUITE, -50ULL), RUN_ALL(1000)
#define FREEZE(interrupting)	\
	WATCH(0), SET(AT_SUITE | (interrupting), -50ULL), LET_COUNT, EXECUTE(hal_execute, 1000), FROZEN, STOP_ALL

const struct selftest_case selftest_shared[] = {
	{"wraps to 0: #", EVERY, 100, .needs = NEEDS_EXACT, DO(WRAP, VALUE)},
	{"counts exactly: #", EVERY, 3001, .needs = NEEDS_EXACT, DO(SET(AT_ALL, 0), RUN(3000), VALUE)},
	{"counts cycles as the others do, and wraps: #", EVERY, .needs = NEEDS_CYCLES, DO(FIND(find_cycles, -1ULL))},
	{"an instruction reads #", EVERY, .needs = NEEDS_READABLE, DO(SET(AT_ALL, -0xA6ULL), FIND(find_readable, 0))},
	{"without its global enable does not count: #", EVERY, 0, .needs = SELFTEST_GLOBAL,
	 DO(SET_ALL(AT_SUITE, 0), FIND(find_without_enable, 0))},

	{"level 0 only, at level 0: #", EVERY, 101, .needs = SELFTEST_LEVELS | NEEDS_EXACT,
	 DO(SET(AT_OS, 0), RUN(100), VALUE)},
	{"level 3 only, at level 0: #", EVERY, 0, .needs = SELFTEST_LEVELS, DO(SET(AT_USER, 0), RUN(100), VALUE)},
	{"level 3 only, at level 3: #", EVERY, 2000, .needs = SELFTEST_LEVELS | NEEDS_EXACT, .more = 2000,
	 DO(SET(AT_USER, 0), RUN_BY(hal_execute_user, 1000), VALUE)},
	{"level 0 only, at level 3: #", EVERY, 0, .needs = SELFTEST_LEVELS | NEEDS_EXACT, .more = 2000,
	 DO(SET(AT_OS, 0), RUN_BY(hal_execute_user, 1000), VALUE)},
	// Interrupts occur while level 3 is counted; their handler does not count.
	{"level 3 only, at level 3, interrupted: #", EVERY, .needs = SELFTEST_LEVELS | NEEDS_EXACT,
	 DO(SET(AT_USER, 0), RUN_BY(hal_execute_user, 5000), VALUE, EXPECT(1),
	    SET(AT_USER, 0), ALARM(2500), RUN_BY(hal_execute_user, 5000), VALUE)},

	// No overflow status before the overflow.
	{"overflow sets the status of #", EVERY,
	 DO(SET(AT_ALL, 0), RUN(100), OVERFLOWED, REQUIRE(0), WRAP, EXPECT_BIT, OVERFLOWED)},
	{"the status stays until it is cleared: #", EVERY, DO(WRAP, FIND(find_sticky, 0))},
	{"can be written while its overflow is pending: #", EVERY, 12345, DO(WRAP, PUT(12345), VALUE)},
	{"events after an overflow are counted: #", EVERY, 901, .needs = NEEDS_EXACT,
	 DO(SET(AT_ALL, -100ULL), RUN(1000), VALUE)},
	{"all counters overflow in one cycle", .needs = NEEDS_COUNTERS, DO(OVERFLOW_ALL, FIND(find_overflowed, NONE))},
	{"acknowledging clears only #", EVERY, DO(OVERFLOW_ALL, FIND(find_overflowed, ITS))},
	{"acknowledging clears all", .needs = NEEDS_COUNTERS, DO(OVERFLOW_ALL, FIND(find_overflowed, ALL))},

	{"overflow interrupts once: #", EVERY, 1, .needs = SELFTEST_INTERRUPTS,
	 DO(WATCH(0), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts))},
	{"overflow that is not to interrupt does not: #", EVERY, 0, .needs = SELFTEST_INTERRUPTS,
	 DO(WATCH(0), OVERFLOW_ONCE(0), SEEN(interrupts))},
	// Delivery masks the entry, so a second overflow is not delivered.
	{"the vector is masked on delivery: #", EVERY, 1, .needs = SELFTEST_MASKS,
	 DO(WATCH(0), OVERFLOW_ONCE(INTERRUPTING), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts))},
	{"overflow as NMI, interrupts off: #", EVERY, 1, .needs = SELFTEST_NMI,
	 DO(INTERRUPTS_OFF, WATCH(WATCH_NMI), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts))},
	{"overflow freezes: #", EVERY, 1, .needs = SELFTEST_FREEZES, DO(FREEZE(INTERRUPTING))},
	{"overflow that is not to interrupt does not freeze: #", EVERY, 0, .needs = SELFTEST_FREEZES, DO(FREEZE(0))},
	{"overflow does not freeze: #", EVERY, 0, .needs = NEEDS_NO_FREEZE, DO(FREEZE(INTERRUPTING))},

	{"session: counter # that overflows is exact", EVERY, .names = numbers,
	 .needs = NEEDS_SESSION(SELFTEST_OVERFLOWING), DO(OVERFLOWING, COUNT_OF(0), EXPECT(1), COUNT_EACH)},
	{"session: counter # took a sample each period", EVERY, .names = numbers,
	 .needs = NEEDS_SESSION(SELFTEST_OVERFLOWING),
	 DO(OVERFLOWING, COUNT_OF(0), PER(1000), EXPECT(1), SAMPLED_EACH)},
	{"session: no interrupt without an overflow", .needs = NEEDS_SESSION(SELFTEST_OVERFLOWING),
	 DO(OVERFLOWING, STATISTIC(spurious))},
	// Samples of events at level 3 are taken at level 3, one per period.
	{"session: samples of level 3 are taken at level 3", .needs = NEEDS_SESSION(SELFTEST_AT_USER),
	 DO(START_OF(SELFTEST_AT_USER), EXECUTE(hal_execute_user, 10500), STOP,
	    COUNT_OF(0), PER(1000), EXPECT(1), SAMPLES(3))},
	{"context: put aside and brought back, exact", .needs = NEEDS_SESSION(SELFTEST_AT_USER),
	 DO(START_OF(SELFTEST_AT_USER), FIND(find_around_context, 2500))},
	{"storm: interrupts stop after the limit", 0, SELFTEST_STORM_LIMIT + 1, .needs = NEEDS_SESSION(SELFTEST_STORM),
	 DO(STORM_OF(SELFTEST_STORM), STATISTIC(interrupts))},
	{"storm: the throttled counter is reported", 0, 1, .needs = NEEDS_SESSION(SELFTEST_STORM),
	 DO(STORM_OF(SELFTEST_STORM), STATISTIC(throttles))},
	{"storm: the throttled counter is exact", .needs = NEEDS_SESSION(SELFTEST_STORM),
	 DO(STORM_OF(SELFTEST_STORM), COUNT_OF(0), EXPECT(1), COUNT_OF(1))},
	// Each NMI except the first is pending before the previous one returns.
	{"session: NMIs that follow each other at once are exact", .needs = NEEDS_SESSION(SELFTEST_NMIS),
	 DO(EXECUTE(begin_with_nmis, 0), STORM_OF(SELFTEST_NMIS), COUNT_OF(0), EXPECT(1), COUNT_OF(1))},

	{"PAL_HALT_LIGHT restores the enabled counters: #", EVERY, .needs = SELFTEST_HALTS | NEEDS_ENABLE,
	 DO(LET_COUNT, EXECUTE(selftest_light_halt, 5000), FIND(find_enabled, 0))},
	{"PAL_HALT_LIGHT: a longer halt counts nothing more: #", EVERY, 0, .needs = SELFTEST_HALTS | NEEDS_EXACT,
	 .more = 5000, DO(SET(AT_ALL, 0), RUN_BY(selftest_light_halt, 5000), VALUE)},
	// The interrupt that is pending when the halt begins ends the halt.
	{"PAL_HALT_LIGHT: a pending overflow is served: #", EVERY, 1, .needs = SELFTEST_HALTS | SELFTEST_INTERRUPTS,
	 DO(WATCH(0), INTERRUPTS_OFF, OVERFLOW_ONCE(INTERRUPTING), EXECUTE(selftest_light_halt, 5000), INTERRUPTS_ON,
	    SEEN(interrupts))},
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

	if (check->each != EVERY)
		return check->needs & ~now->has ? 0 : check->each ? check->each : 1ULL << now->counter->number;
	for (unsigned event = 1; check->names && events && *events; events++)
		each |= *events == ',' ? 1ULL << event++ : 0;
	for (unsigned i = 0; !check->names && i < now->counter_count; i++)
		if (!(check->needs & ~now->counter[i].has))
			each |= now->counter[i].bit;
	return each;
}
