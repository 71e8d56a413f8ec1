// SPDX-License-Identifier: BSD-2-Clause
// Self test of Knights Corner's core PMU: its description for the shared suite, and its own checks.
// Expected values follow from the guide's rules (regs.h) and the number of instructions executed.
// The WRMSR that starts counting is not counted, the one that stops it is: n instructions between
// two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"
#include "stimulus.h"

#define COUNTERS	KNC_COUNTERS
#define BOTH		FIELD_MASK(0, KNC_COUNTERS)
#define BIT(counter)	(1ULL << (counter))

extern const struct pmu_driver pmu_driver_knc;
extern const struct selftest_suite selftest_suite_knc;

//
// Registers and counters
//

SELFTEST_REGISTERS(KNC_REGISTERS, SELFTEST_NUMBERED)

// IA32_PERF_GLOBAL_OVF_CTRL cannot be read, so its reset value is not checked. The time-stamp
// counter runs and has its own checks.
static const struct selftest_exception exceptions[] = {
	{.address = MSR_IA32_TIME_STAMP_COUNTER, .count = 1, .left_out = true},
	{.address = MSR_IA32_PERF_GLOBAL_OVF_CTRL, .count = 1, .unknown = ~0ULL},
};

static const struct selftest_counters counters[] = {
	{.first = 0, .count = COUNTERS, .event = "INSTRUCTIONS_EXECUTED", .exact = true, .cycles = "CPU_CLK_UNHALTED",
	 .interrupt = FIELD(IA32_PERFEVTSEL, INT), .readable = true, .index = 0},
};

//
// Functions for checks that need more than a row: SPFLT, the core's other threads, the time-stamp
// counter (hal_clock)
//

#define PREFERRED FIELD(PERF_SPFLT_CONTROL, USER_PREF)

static void prefer(uint64_t count)
{
	selftest_require(hal_spflt(count));
}

// Executes n instructions three times; SPFLT encloses the second n.
static void execute_enclosed(uint64_t n)
{
	hal_execute(n);
	prefer(true);
	hal_execute(n);
	prefer(false);
	hal_execute(n);
}

// Returns the bits of registers that differ from their reset value, 0.
static uint64_t find_registers_changed(unsigned, uint64_t)
{
	struct selftest_register own[SELFTEST_REGISTERS_MAX];
	const unsigned count = selftest_registers(&selftest_suite_knc, own);
	uint64_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (own[i].defined)
			found |= selftest_read(own[i].address);
	return found;
}

// Returns the sum of the counts with each unit mask that differs from the event's in one bit.
static uint64_t find_other_unit_masks(unsigned counter, uint64_t)
{
	uint64_t found = 0;

	for (unsigned bit = 0; bit < IA32_PERFEVTSEL_UMASK_WIDTH; bit++) {
		selftest_set(counter, AT_ALL, 0);
		selftest_flip(counter, FIELD_PUT(IA32_PERFEVTSEL, UMASK, 1u << bit));
		selftest_run_counters(BIT(counter), 100);
		found += selftest_value(counter);
	}
	return found;
}

// Both counters select L2 misses. Some of the loads miss, because the L2 cache cannot hold all
// lines. Returns counter 1's count.
static uint64_t find_misses_of_counter_1(unsigned, uint64_t lines)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		selftest_set_event(i, "L2_READ_MISS", 0);
	selftest_run_by(hal_read_lines, BOTH, lines);
	selftest_require(selftest_value(0));
	return selftest_value(1);
}

// Returns a bit mask of the CPUs that were interrupted.
static uint64_t find_interrupted(unsigned n, uint64_t)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < HAL_CPUS; i++)
		found |= (uint64_t)(selftest_seen(i)->interrupts != 0) << i;
	selftest_expect(BIT(selftest_thread(n)));
	return found;
}

static uint64_t clock(void)
{
	return selftest_read(MSR_IA32_TIME_STAMP_COUNTER);
}

// The processor determines how many cycles instructions take. So the check compares differences:
// 2000 further instructions must take as many further clocks as the counter counts cycles (Table
// 1-3: core clock cycles), whatever the overhead. IA32_PERF_GLOBAL_CTRL is 0 while the clock is
// measured, because the clock does not depend on it (Table 1-2).
static uint64_t find_more_clocks(unsigned counter, uint64_t)
{
	uint64_t clocks[2], cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		clocks[i] = -clock();
		hal_execute(1000 + 2000 * i);
		clocks[i] += clock();
		selftest_set_event(counter, "CPU_CLK_UNHALTED", 0);
		selftest_run_counters(BIT(counter), 1000 + 2000 * i);
		cycles[i] = selftest_value(counter);
	}
	selftest_require(clocks[1] > clocks[0]);
	selftest_expect(cycles[1] - cycles[0]);
	return clocks[1] - clocks[0];
}

#define JUMP	(1ULL << 40)	/* minutes, at the frequencies of these processors */
#define FEW_CYCLES 4096

static void move_clock(uint64_t clocks)
{
	uint64_t *before = selftest_own();

	*before = clock();
	selftest_write(MSR_IA32_TIME_STAMP_COUNTER, *before + clocks);
}

static uint64_t find_moved(unsigned, uint64_t unit)
{
	const uint64_t *before = selftest_own();

	return (clock() - *before) / unit;
}

static void nothing(void)
{
}

// Halts for this many ticks of the timer, without a freeze.
static void halt(uint64_t ticks)
{
	const bool interrupts = hal_interrupts_disable();

	hal_alarm((uint32_t)ticks);
	hal_halt(nothing);
	hal_interrupts_restore(interrupts);
}

// The machine determines how many cycles a tick of the timer takes and when exactly it ends a halt,
// so the check compares a long halt with a short one.
static uint64_t find_clock_runs_in_halt(unsigned, uint64_t longer)
{
	uint64_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		cycles[i] = -clock();
		halt(i ? longer : 5000);
		cycles[i] += clock();
	}
	return cycles[1] > cycles[0] + 1000;
}

//
// The suite
//

// Counts executed instructions with this value in PERF_SPFLT_CONTROL.
#define FILTERED(control)	SET(AT_ALL, 0), WRITE(MSR_PERF_SPFLT_CONTROL, control)
#define SERVED			WATCH(WATCH_UNMASKS)
#define OVERFLOW_BOTH		SET_ALL(AT_ALL | INTERRUPTING, -50ULL), RUN_ALL(1000)
#define CYCLES			"CPU_CLK_UNHALTED"
#define SAMPLE_BOTH(n)									\
	START("INSTRUCTIONS_EXECUTED:u:period=1000,INSTRUCTIONS_EXECUTED:u:period=1000"),	\
	EXECUTE(hal_execute_user, n), STOP
// On the other thread: counts 1000 instructions at level 3. Leaves both counters stopped.
#define USER_THERE \
	THERE, SET(AT_USER, 0), RUN_BY(hal_execute_user, 1000), VALUE, EXPECT(1), ABOVE(999), REQUIRE(true)
#define THREADS(expected)	0xE, expected, .names = threads

static const char *const threads[] = {"", "the next thread", "the second next thread", "the third next thread"};

static const struct selftest_case cases[] = {
	{"a write takes all 40 bits: #", BOTH, 0x80000000, DO(WRITTEN(0x80000000))},
	{"IA32_PERF_GLOBAL_OVF_CTRL cannot be read", 0, true, DO(READ_FAULTS(MSR_IA32_PERF_GLOBAL_OVF_CTRL))},
	{"RDPMC of counter 2 faults", 0, true, DO(COUNTER_FAULTS(COUNTERS))},
	{"RDPMC of counter 40000000H faults", 0, true, DO(COUNTER_FAULTS(0x40000000))},

	{"without EN does not count: #", BOTH, 0, DO(STOPPED_BY(FIELD(IA32_PERFEVTSEL, EN)))},
	// Table 1-5, Event Select: events that do not exist "also do not increment the counters".
	// No event has code 05H and unit mask 00H. Code 16H has one event whose unit mask differs
	// from 00H in one bit: 20H, vector instructions (Table 1-6). None executes here.
	{"an event that does not exist does not count: #", BOTH, 0,
	 DO(STOPPED_BY(FIELD_PUT(IA32_PERFEVTSEL, EVENT, KNC_EVENT_RETIRED ^ 0x05)))},
	{"another unit mask of the same code does not count: #", BOTH, 0, DO(FIND(find_other_unit_masks, 0))},
	// Every second instruction of the known code is a conditional branch (arch/x86/layout.h).
	{"BRANCHES counts each branch: #", BOTH, 1000, .more = 2000,
	 DO(SET_EVENT("BRANCHES", 0), RUN_BY(hal_execute, 1000), VALUE)},
	// All CRI events but two count on counter 0 only (events.tab, after Linux).
	{"an event of counter 0 does not count on counter 1", 0, 0,
	 DO(FIND(find_misses_of_counter_1, HAL_LINES_MOST))},

	// The cycle event occurs once in each cycle: the sum always reaches 1 and never 2. Event 0
	// with unit mask 0 is data reads, an ordinary event: the instructions between the writes
	// read no data, so its sum is less than 1 in each cycle.
	{"CMASK 1, one event in a cycle: all cycles: #", BOTH, DO(ALL_CYCLES(CYCLES ":c=1"))},
	{"CMASK 2, one event in a cycle: none: #", BOTH, DO(NO_CYCLES(CYCLES ":c=2"))},
	{"CMASK 255, one event in a cycle: none: #", BOTH, DO(NO_CYCLES(CYCLES ":c=255"))},
	{"CMASK 1 with INV, one event in a cycle: none: #", BOTH, DO(NO_CYCLES(CYCLES ":c=1:i"))},
	{"CMASK 2 with INV, one event in a cycle: all cycles: #", BOTH, DO(ALL_CYCLES(CYCLES ":c=2:i"))},
	{"CMASK 255 with INV, one event in a cycle: all cycles: #", BOTH, DO(ALL_CYCLES(CYCLES ":c=255:i"))},
	// Table 1-5: with CMASK 0 "the counter is incremented each cycle by the number of events
	// that occurred". INV inverts the result of a comparison, and there is none.
	{"INV without CMASK changes nothing: #", BOTH, 101,
	 DO(SET(AT_ALL, 0), FLIP(FIELD(IA32_PERFEVTSEL, INV)), RUN(100), VALUE)},
	{"event 0, CMASK 1 with INV, no event: all cycles: #", BOTH, DO(ALL_CYCLES("DATA_READ:c=1:i"))},
	// Each visit to level 3 is one assertion of the condition "cycle at level 3".
	{"E counts each visit to level 3 once", 0, 10,
	 DO(SET_EVENT(CYCLES ":u:e:c=1", 0), EXECUTE(hal_execute, 10), RUN_BY(selftest_visit_user, 10), VALUE)},
	{"E without CMASK counts each visit to level 3 once", 0, 10,
	 DO(SET_EVENT(CYCLES ":u:e", 0), EXECUTE(hal_execute, 10), RUN_BY(selftest_visit_user, 10), VALUE)},

	// A counter with its SPFLT bit counts only while the user filter is on. The other counter's
	// bit has no effect on it.
	{"SPFLT bit set, user filter off: #", BIT(0), 0, DO(FILTERED(1), RUN(100), VALUE)},
	{"SPFLT bit set, user filter off: #", BIT(1), 0, DO(FILTERED(2), RUN(100), VALUE)},
	{"SPFLT bit set, user filter on: #", BIT(0), 101, DO(FILTERED(1 | PREFERRED), RUN(100), VALUE)},
	{"SPFLT bit set, user filter on: #", BIT(1), 101, DO(FILTERED(2 | PREFERRED), RUN(100), VALUE)},
	{"SPFLT bit clear, user filter off: #", BIT(0), 101, DO(FILTERED(2), RUN(100), VALUE)},
	{"SPFLT bit clear, user filter off: #", BIT(1), 101, DO(FILTERED(1), RUN(100), VALUE)},
	{"SPFLT 1 enables counting, SPFLT 0 disables it: #", BOTH, 101,
	 DO(FILTERED(BOTH), EXECUTE(prefer, true), RUN(100), EXECUTE(prefer, false), RUN(100), VALUE)},
	{"code that SPFLT encloses counts exactly: #", BOTH, 2000, .more = 2000,
	 DO(FILTERED(BOTH), RUN_BY(execute_enclosed, 1000), VALUE)},
	{"SPFLT sets USER_PREF, with both SPFLT bits clear", 0, PREFERRED,
	 DO(WRITE(MSR_PERF_SPFLT_CONTROL, 0), EXECUTE(prefer, true), READ(MSR_PERF_SPFLT_CONTROL))},
	{"SPFLT sets USER_PREF, with both SPFLT bits set", 0, PREFERRED | BOTH,
	 DO(WRITE(MSR_PERF_SPFLT_CONTROL, BOTH), EXECUTE(prefer, true), READ(MSR_PERF_SPFLT_CONTROL))},

	// The interrupt line to the APIC. After the status is cleared the line is low and can rise
	// again.
	{"cleared and unmasked, the next overflow interrupts: #", BOTH, 2,
	 DO(SERVED, OVERFLOW_ONCE(INTERRUPTING), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts))},
	// An interrupt that arrives while the LVT entry is masked is not delivered later; the
	// status still shows the overflow.
	{"LVTPC masked: the status has the overflow: #", BOTH,
	 DO(SERVED, PMI_MASK, OVERFLOW_ONCE(INTERRUPTING), PMI_UNMASK, EXECUTE(hal_execute, 10), SEEN(interrupts),
	    REQUIRE(0), EXPECT_BIT, OVERFLOWED)},
	{"both counters overflow in one cycle: one interrupt finds both", 0, BOTH,
	 DO(SERVED, OVERFLOW_BOTH, SEEN(interrupts), REQUIRE(1), SEEN(status))},
	// The guide, 1.4.3.9: the other counter overflows 250 instructions later, while the first
	// interrupt is being served. The handler finds both overflows, and no second interrupt
	// follows.
	{"an overflow while another is served: found with it, no second interrupt", 0, BOTH,
	 DO(WATCH(WATCH_UNMASKS | WATCH_SLOW), SET_ALL(AT_ALL | INTERRUPTING, -300ULL),
	    PUT(FIELD(IA32_PERFCNTR, COUNT) - 49), RUN_ALL(1000), EXECUTE(hal_execute, 10), SEEN(interrupts),
	    REQUIRE(1), SEEN(status))},
	{"an overflow right after the handler's start interrupts", 0, 2,
	 DO(WATCH(WATCH_UNMASKS | WATCH_RESTARTS), OVERFLOW_ONCE(INTERRUPTING), EXECUTE(hal_execute, 10),
	    SEEN(interrupts))},
	// Both counters share one line. It falls when no status bit is left. While it is high,
	// another overflow requests no interrupt.
	{"the line stays up with the other's status: #", BOTH, 2,
	 DO(WATCH(WATCH_UNMASKS | WATCH_NOTHING), OVERFLOW_BOTH, ACKNOWLEDGE_IT, OVERFLOW_ONCE(INTERRUPTING),
	    SEEN(interrupts), REQUIRE(1), ACKNOWLEDGE(BOTH), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts))},

	// The check writes each register of another thread, makes its counters overflow, and then
	// sets EN without counting.
	{"registers are left alone by #", THREADS(0),
	 DO(THERE, SET_ALL(AT_ALL | INTERRUPTING, -50ULL), WRITE(MSR_PERF_SPFLT_CONTROL, PREFERRED | BOTH), PMI_MASK,
	    RUN_ALL(1000), SET_ALL(AT_ALL | INTERRUPTING, 1000), WRITE(MSR_IA32_PERF_GLOBAL_CTRL, BOTH),
	    HERE, FIND(find_registers_changed, 0))},
	// Only the other thread executes at level 3.
	{"thread count mode counts #", THREADS(0),
	 DO(SET_EVENT("INSTRUCTIONS_EXECUTED:u:t", 0), LET_COUNT, USER_THERE, HERE, STOP_ALL, VALUE)},
	{"without thread count mode does not count #", THREADS(0),
	 DO(SET_EVENT("INSTRUCTIONS_EXECUTED:u", 0), LET_COUNT, USER_THERE, HERE, STOP_ALL, BITS(0), EXPECT(1), VALUE)},
	{"an overflow interrupts its own thread: #", THREADS(0),
	 DO(SERVED, THERE, SERVED, OVERFLOW_ONCE(INTERRUPTING), HERE, EXECUTE(hal_execute, 10),
	    FIND(find_interrupted, 0))},

	{"the time-stamp counter runs without counters, as fast as cycles of #", BOTH, DO(FIND(find_more_clocks, 0))},
	// No other code reads the counter meanwhile. It continues, but only for the few cycles that
	// this takes.
	{"the time-stamp counter can be written", 0, JUMP / FEW_CYCLES,
	 DO(INTERRUPTS_OFF, EXECUTE(move_clock, JUMP), FIND(find_moved, FEW_CYCLES), EXECUTE(move_clock, -JUMP))},
	{"the time-stamp counter is shared with #", THREADS(1),
	 DO(EXECUTE(move_clock, JUMP), THERE, FIND(find_moved, JUMP), HERE, EXECUTE(move_clock, -JUMP))},
	{"the time-stamp counter runs in a halt", 0, true, DO(FIND(find_clock_runs_in_halt, 1000000))},
	{"a halt counts nothing: #", BOTH, 0, .more = 10000, DO(SET(AT_ALL, 0), RUN_BY(halt, 5000), VALUE)},

	{"session: both overflow together: the first is exact", 0, 20000, .more = 20000,
	 DO(SAMPLE_BOTH(10000), COUNT_OF(0))},
	{"session: both overflow together: the second is exact", 0, 20000, .more = 20000,
	 DO(SAMPLE_BOTH(10000), COUNT_OF(1))},
	// One interrupt serves two overflows, each time.
	{"session: both overflow together: an interrupt each period", 0, 10,
	 DO(SAMPLE_BOTH(10500), STATISTIC(interrupts))},
	// An interrupt that is lost because the LVT entry is masked is served when the session
	// stops.
	{"session: an overflow while LVTPC is masked is served",
	 DO(START("INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=1000"), PMI_MASK, EXECUTE(hal_execute, 1500),
	    STOP, SAMPLES(0), REQUIRE(1), COUNT_OF(0), EXPECT(1), COUNT_OF(1))},
};

const struct selftest_suite selftest_suite_knc = {
	.driver = &pmu_driver_knc,
	.has = SELFTEST_GLOBAL | SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_NMI | SELFTEST_MASKS | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.enable = MSR_IA32_PERF_GLOBAL_CTRL,
	.status = MSR_IA32_PERF_GLOBAL_STATUS,
	.clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL,
	.freeze_address = MSR_IA32_PERF_GLOBAL_CTRL,	// never frozen
	.freeze_mask = BOTH,
	.sessions = {
		[SELFTEST_OVERFLOWING] = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=1000",
		[SELFTEST_AT_USER] = "INSTRUCTIONS_EXECUTED:u,INSTRUCTIONS_EXECUTED:u:period=1000",
		[SELFTEST_STORM] = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=50",
		[SELFTEST_NMIS] = "INSTRUCTIONS_EXECUTED,INSTRUCTIONS_EXECUTED:period=10",
	},
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(cases),
};
