// SPDX-License-Identifier: BSD-2-Clause
// Self test of the Itanium processor's performance monitor: the monitor's description for the
// shared suite, and checks that only this target has. Each expected value follows from the manual's
// rules and the number of executed instructions. The write of PSR that starts counting is not
// counted; the write that stops it is. So n instructions between two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"
#include "stimulus.h"

#define FIRST		ITANIUM_FIRST_COUNTER
#define ALL_COUNTERS	ITANIUM_COUNTER_MASK
#define ALL_LEVELS	0xF
#define FREEZE		FIELD(PMC0, fr)

//
// Registers
//

#define NAMED(R, address, count, ...) \
	SELFTEST_NAMED(R, ITANIUM_NAME(R, address), ITANIUM_NUMBER_OF(address), address, count,	\
		       ITANIUM_DISTANCE(address))
SELFTEST_REGISTERS(ITANIUM_REGISTERS, NAMED)

// PSR and DCR control the machine, so the checks below try only single bits of them. The timer
// runs, so its registers are left out. A data register whose monitor has no levels does not keep
// its value (Table 6-11).
#define LEFT_OUT(of) {.address = (of), .count = 1, .left_out = true}
#define DATA(n, number, control) \
	{.address = ITANIUM_PMD(n), .count = (number), .with_address = ITANIUM_PMC(control), .with_value = ALL_LEVELS}

static const struct selftest_exception exceptions[] = {
	LEFT_OUT(ITANIUM_PSR), LEFT_OUT(ITANIUM_DCR), LEFT_OUT(ITANIUM_ITC), LEFT_OUT(ITANIUM_ITM),
	LEFT_OUT(ITANIUM_ITV),
	DATA(0, 2, 10), DATA(2, 2, 11), DATA(4, 1, 4), DATA(5, 1, 5), DATA(6, 1, 6), DATA(7, 1, 7), DATA(8, 9, 12),
	DATA(17, 1, 11),
};

#define RETIRING	0x30	/* in the checks counters 4 and 5 count instructions, 6 and 7
				 * cycles */
#define CYCLING		0xC0
#define COUNTERS(from)	.first = (from), .count = 2, .cycles = "CPU_CYCLES", .interrupt = FIELD(PMC4, oi)

static const struct selftest_counters counters[] = {
	{COUNTERS(FIRST), .event = "IA64_INST_RETIRED", .exact = true},
	{COUNTERS(FIRST + 2), .event = "CPU_CYCLES"},
};

//
// Steps of a check
//

static void change_register(uint32_t address, uint64_t clear, uint64_t set)
{
	selftest_write(address, (selftest_read(address) & ~clear) | set);
}

#define STOPPED	(FIELD(PSR, pp) | FIELD(PSR, up))

// Stops and unfreezes counting; overflow bits stay.
static void stop_and_unfreeze(void)
{
	change_register(ITANIUM_PSR, STOPPED, 0);
	change_register(ITANIUM_PMC(0), FREEZE, 0);
}

// Counts with `status` set in PSR over exactly n instructions at the highest level. PMC0 stays as
// the counting left it.
static void count_with(uint64_t status, uint64_t n)
{
	uint64_t stopped;

	stop_and_unfreeze();
	stopped = selftest_read(ITANIUM_PSR);
	selftest_execute_between(ITANIUM_PSR, stopped | status, stopped, n);
}

// Starts and stops the counters for the shared checks. All counters that have been set up count.
// PSR.up is set, too: it does not affect a privileged monitor, even if PSR.pp is 0.
static void start(uint64_t counters)
{
	if (counters)
		stop_and_unfreeze();
	change_register(ITANIUM_PSR, STOPPED, counters ? STOPPED : 0);
}

static void run(uint64_t, uint64_t n)
{
	count_with(FIELD(PSR, pp), n);
}

static void acknowledge(uint64_t overflowed)
{
	selftest_require(pmu_current_driver()->overflow_clear(overflowed));
}

//
// Checks that need a function
//

#define SET_BITS(address, bits)	FIND(set_bits, (uint64_t)(address) << 32 | (bits))
#define HELD(address, bits)	FIND(find_held, (uint64_t)(address) << 32 | (bits))

static uint64_t set_bits(unsigned, uint64_t address_and_bits)
{
	change_register((uint32_t)(address_and_bits >> 32), 0, address_and_bits & UINT32_MAX);
	return 0;
}

// Returns the bits that hold both 0 and 1.
static uint64_t find_held(unsigned, uint64_t address_and_bits)
{
	const uint32_t address = (uint32_t)(address_and_bits >> 32);
	const uint64_t bits = address_and_bits & UINT32_MAX;
	uint64_t clear;

	change_register(address, bits, 0);
	clear = selftest_read(address) & bits;
	change_register(address, 0, bits);
	return clear ^ (selftest_read(address) & bits);
}

// A privileged monitor counts with PSR.pp, a user monitor with PSR.up (6.2.1).
static uint64_t run_with(unsigned, uint64_t status)
{
	count_with(status, 100);
	return 0;
}

// Reads the counter by mov r = pmd[r] at the lowest level, or at the highest level, to which
// nothing is closed (ASDM volume 2, 7.2.1).
#define BY_USER 1u

static uint64_t find_read(unsigned counter, uint64_t status)
{
	uint64_t value = ~0ULL;

	change_register(ITANIUM_PSR, FIELD(PSR, sp), status & FIELD(PSR, sp));
	selftest_require(status & BY_USER ? hal_read_counter_user(counter, &value) : reg_read_counter(counter, &value));
	return value;
}

// Returns the counts that an interrupt adds. Its handler executes with PSR.pp = DCR.pp, and then
// PSR.pp is restored. The first counter counts at all levels, the next one at the highest level
// only, which is the handler's.
static uint64_t find_interruption(unsigned, uint64_t interruption)
{
	uint64_t added[2] = {0};

	change_register(ITANIUM_DCR, FIELD(DCR, pp), interruption);
	selftest_set(FIRST, AT_ALL, 0);
	selftest_set(FIRST + 1, AT_OS, 0);
	for (unsigned interrupted = 0; interrupted < 2; interrupted++) {
		if (interrupted)
			hal_alarm(10000);
		selftest_run_counters_by(hal_execute_user, ALL_COUNTERS, 20000);
		for (unsigned i = 0; i < 2; i++) {
			added[i] = selftest_value(FIRST + i) - added[i];
			selftest_write(ITANIUM_PMD(FIRST + i), 0);
		}
	}
	selftest_require(!added[1] == !interruption);
	selftest_expect(added[1]);
	return added[0];
}

// Lines: the checks load the first words of some of them.
#define LINE 128	/* of the caches, the longest, bytes */

static volatile uint64_t loaded[3][LINE / sizeof(uint64_t)];

static void load(uint64_t times)
{
	while (times--)
		hal_load(loaded[0]);
	hal_load(loaded[1]);
}

// The other pairs of data address ranges (6.1.3) contain only words that are not loaded.
static uint64_t find_loads(unsigned pair, uint64_t times)
{
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		selftest_write(ITANIUM_DBR(2 * i), (uintptr_t)loaded[i == pair ? 0 : 2]);
		selftest_write(ITANIUM_DBR(2 * i + 1), FIELD(DBR1, mask) & -sizeof **loaded);
	}
	selftest_write(ITANIUM_PMC(11), 0);
	selftest_set_event(FIRST, "LOADS_RETIRED", 0);
	selftest_run_counters_by(load, ALL_COUNTERS, times);
	return selftest_value(FIRST);
}

// Loads until the data event address register (6.2.7) has captured a load of at least 4 <<
// threshold cycles. Returns its latency; 0: none was captured.
#define LOADS_MOST 100

static uint64_t capture_load(unsigned threshold)
{
	selftest_write(ITANIUM_PMC(11), FIELD_PUT(PMC11, plm, ALL_LEVELS) | FIELD(PMC11, pm) | FIELD(PMC11, pt) |
					FIELD_PUT(PMC11, umask, threshold));
	for (unsigned i = 0; i < LOADS_MOST; i++) {
		selftest_write(ITANIUM_PMD(17), 0);
		selftest_enable(ALL_COUNTERS);
		hal_load(loaded[0]);
		selftest_enable(0);
		selftest_write(ITANIUM_PMC(0), FREEZE);
		if (selftest_read(ITANIUM_PMD(17)) & FIELD(PMD17, valid))
			return FIELD_GET(PMD3, latency, selftest_read(ITANIUM_PMD(3)));
	}
	return 0;
}

// Returns the difference between the captured address and the loaded one.
static uint64_t find_captured(unsigned, uint64_t)
{
	selftest_require(capture_load(0));
	return selftest_read(ITANIUM_PMD(2)) ^ (uintptr_t)loaded[0];
}

// A load whose latency equals the threshold is captured. If no load has exactly this latency, the
// check has no result.
static uint64_t find_captured_at_threshold(unsigned, uint64_t)
{
	uint64_t latency = 1;
	unsigned threshold = 0;

	for (unsigned i = 0; i < LOADS_MOST && latency != 4ULL << threshold; i++) {
		latency = capture_load(0);
		for (threshold = 0; 4ULL << threshold < latency;)
			threshold++;
	}
	selftest_require(latency);
	if (latency != 4ULL << threshold)
		return 0;
	selftest_expect(4ULL << threshold);
	latency = 1;
	for (unsigned i = 0; i < LOADS_MOST && latency && latency != 4ULL << threshold; i++)
		latency = capture_load(threshold);
	return latency;
}

#define TAKEN		2
#define NOT_TAKEN	1

// Executes code with branches. The branch trace buffer (6.2.8) captures the taken ones, or those
// not taken, with any predictor and any outcome of the prediction.
static uint64_t trace_branches(unsigned, uint64_t taken)
{
	selftest_write(ITANIUM_PMC(12), FIELD_PUT(PMC12, plm, ALL_LEVELS) | FIELD(PMC12, pm) | FIELD(PMC12, tar) |
					FIELD_PUT(PMC12, tm, taken) | FIELD(PMC12, ptm) | FIELD(PMC12, ppm) |
					FIELD(PMC12, bpt) | FIELD(PMC12, bac));
	selftest_write(ITANIUM_PMD(16), 0);
	run(0, 100);
	selftest_write(ITANIUM_PMC(0), FREEZE);
	return selftest_read(ITANIUM_PMD(16));
}

// The interval timer (ASDM volume 2, 3.3.4.2) interrupts when the clock reaches the match, on the monitors' vector.
static uint64_t run_timer(unsigned, uint64_t masked)
{
	uint64_t owners = selftest_read(ITANIUM_ITV), vector = FIELD_GET(PMV, vector, selftest_read(ITANIUM_PMV));

	selftest_write(ITANIUM_ITM, selftest_read(ITANIUM_ITC) + 500);
	selftest_write(ITANIUM_ITV, FIELD_PUT(ITV, vector, vector) | FIELD_PUT(ITV, m, masked));
	hal_execute(20000);
	selftest_write(ITANIUM_ITV, owners);
	return 0;
}

// A freeze stops all counters. Another counter must have counted the 50 cycles before the overflow,
// and the cycles that the overflowed counter has added since, as the interrupt handler reads them.
// The handler itself does nothing else.
static uint64_t find_frozen_beside(unsigned counter, uint64_t)
{
	const unsigned other = counter == FIRST ? FIRST + 1 : FIRST;

	selftest_set_event(other, "CPU_CYCLES", 0);
	selftest_set_event(counter, "CPU_CYCLES", -50ULL);
	selftest_flip(counter, FIELD(PMC4, oi));
	run(0, 1000);
	selftest_expect(50 + selftest_seen()->reading);
	return selftest_value(other);
}

//
// The suite
//

#define NO_EVENT	0x7A		/* no event has this code (7.8) */
#define USER_MONITOR	FLIP(FIELD(PMC4, pm))
#define TO_READ		SET_EVENT("CPU_CYCLES", 0x5A5A)
// Bits 60:51 of event addresses are copies of bit 50, whatever is written there.
#define ADDRESS_SIGN	FIELD_MASK(ITANIUM_ADDRESS_BITS, 10)
#define ADDRESSES	(1u << 0 | 1u << 2 | 1u << 17)

// Instruction sets: a set bit of ism turns one off.
#define SETS(sets)	SET(AT_ALL, 0), FLIP(FIELD_PUT(PMC4, ism, sets)), RUN(100), VALUE
// Tags (6.1.3.1), which unit masks 3 and 2 count (Table 7-30), under a condition.
#define TAGGED(mask, ...) \
	DO(SET(AT_ALL, 0), FLIP(FIELD_PUT(PMC4, umask, mask)), __VA_ARGS__, RUN(100), VALUE)
#define EACH_TAG(name, expected, of_8, of_9)								\
	{name "PMC8", 0, expected, TAGGED(3, of_8)}, {name "PMC9", 0, expected, TAGGED(2, of_9)},
#define AS_IT_IS	FLIP(0)
#define NO_TYPE(n)	WRITE(ITANIUM_PMC(n), FIELD(PMC8, mask))
#define NO_RANGE	WRITE(ITANIUM_PMC(13), 0)		/* no pair matches, at any level */
#define ANY_RANGE	WRITE(ITANIUM_PMC(13), FIELD(PMC13, ta))
/* Instructions in the lower half of region 0, where firmware executes. */
#define IN_RANGE	WRITE(ITANIUM_IBR(0), 0), WRITE(ITANIUM_IBR(1), FIELD_PUT(IBR1, plm, ALL_LEVELS)), NO_RANGE
#define BREAKPOINT	IN_RANGE, WRITE(ITANIUM_IBR(7), FIELD(IBR1, x))	/* takes the registers for itself */
#define ALIKE(...)	__VA_ARGS__

#define HALTED_WITH(state) \
	state, DO(WRITE(ITANIUM_PMC(0), state), EXECUTE(selftest_light_halt, 5000), READ(ITANIUM_PMC(0)))

static const char *const pairs[] = {"DBR0-1", "DBR2-3", "DBR4-5", "DBR6-7"};

static const struct selftest_case cases[] = {
	{"holds: PSR.up", 0, FIELD(PSR, up), DO(HELD(ITANIUM_PSR, FIELD(PSR, up)))},
	{"holds: PSR.pp", 0, FIELD(PSR, pp), DO(HELD(ITANIUM_PSR, FIELD(PSR, pp)))},
	{"holds: PSR.sp", 0, FIELD(PSR, sp), DO(HELD(ITANIUM_PSR, FIELD(PSR, sp)))},
	{"holds: DCR.pp", 0, FIELD(DCR, pp), DO(HELD(ITANIUM_DCR, FIELD(DCR, pp)))},
	{"event address is extended from bit 50: #", ADDRESSES, ADDRESS_SIGN,
	 DO(WRITE(ITANIUM_PMC(10), ALL_LEVELS), WRITE(ITANIUM_PMC(11), ALL_LEVELS),
	    PUT(ADDRESS_SIGN), VALUE, BITS(ADDRESS_SIGN), REQUIRE(0),
	    PUT(1ULL << (ITANIUM_ADDRESS_BITS - 1)), VALUE, BITS(ADDRESS_SIGN))},
	// The manual's 6.2.2: 32 bits, which read as sign-extended.
	{"reads as extended from bit 31: #", ALL_COUNTERS, 0xFFFFFFFF80000000, DO(WRITTEN(0x80000000))},
	{"width, 32 bits: #", ALL_COUNTERS, 0x12345678, DO(WRITTEN(0xABCDEF0112345678))},

	{"off, the others on, does not count: #", ALL_COUNTERS, 0, DO(STOPPED_BY(FIELD(PMC4, ism)))},
	{"another event does not count: #", RETIRING, 0,
	 DO(STOPPED_BY(FIELD_PUT(PMC4, es, ITANIUM_EVENT_RETIRED ^ NO_EVENT)))},
	{"another event does not count: #", CYCLING, 0,
	 DO(STOPPED_BY(FIELD_PUT(PMC4, es, ITANIUM_EVENT_CYCLES ^ NO_EVENT)))},
	{"frozen does not count: #", ALL_COUNTERS, 0,
	 DO(SET_EVENT("CPU_CYCLES", 0), SET_BITS(ITANIUM_PSR, FIELD(PSR, pp)), EXECUTE(hal_execute, 100), VALUE)},
	// Cycles are one in each cycle: they never exceed a threshold of 1.
	{"threshold 1, one event in a cycle: #", ALL_COUNTERS, DO(NO_CYCLES("CPU_CYCLES:c=1"))},

	{"privileged monitor counts with PSR.pp", 0, 101, DO(SET(AT_ALL, 0), FIND(run_with, FIELD(PSR, pp)), VALUE)},
	{"privileged monitor does not count with PSR.up", 0, 0,
	 DO(SET(AT_ALL, 0), FIND(run_with, FIELD(PSR, up)), VALUE)},
	{"user monitor does not count with PSR.pp", 0, 0,
	 DO(SET(AT_ALL, 0), USER_MONITOR, FIND(run_with, FIELD(PSR, pp)), VALUE)},
	{"user monitor counts with PSR.up", 0, 101,
	 DO(SET(AT_ALL, 0), USER_MONITOR, FIND(run_with, FIELD(PSR, up)), VALUE)},
	{"user reads a user monitor: #", ALL_COUNTERS, 0x5A5A, DO(TO_READ, USER_MONITOR, FIND(find_read, BY_USER))},
	{"user reads 0 of a privileged monitor: #", ALL_COUNTERS, 0, DO(TO_READ, FIND(find_read, BY_USER))},
	{"user reads 0 with PSR.sp: #", ALL_COUNTERS, 0,
	 DO(TO_READ, USER_MONITOR, FIND(find_read, BY_USER | FIELD(PSR, sp)))},
	{"level 0 reads PMDs that are closed to users: #", ALL_COUNTERS, 0x5A5A,
	 DO(TO_READ, FIND(find_read, FIELD(PSR, sp)))},
	{"without DCR.pp interruptions do not count", DO(FIND(find_interruption, 0))},
	{"with DCR.pp interruptions count", DO(FIND(find_interruption, FIELD(DCR, pp)))},

	{"ism 0 counts Itanium instructions", 0, 101, DO(SETS(0))},
	{"ism 1 counts no Itanium instructions", 0, 0, DO(SETS(1))},
	{"ism 2 counts Itanium instructions", 0, 101, DO(SETS(2))},
	{"ism 3 counts nothing", 0, 0, DO(SETS(3))},
	EACH_TAG("any opcode is tagged by ", 101, AS_IT_IS, AS_IT_IS)
	EACH_TAG("no type of instruction is tagged by ", 0, NO_TYPE(8), NO_TYPE(9))
	EACH_TAG("the other opcode matcher does not concern ", 101, NO_TYPE(9), NO_TYPE(8))
	EACH_TAG("an instruction in the range is tagged by ", 101, ALIKE(IN_RANGE), ALIKE(IN_RANGE))
	EACH_TAG("an instruction out of all ranges is not tagged by ", 0, NO_RANGE, NO_RANGE)
	EACH_TAG("with PMC13.ta ranges do not concern ", 101, ANY_RANGE, ANY_RANGE)
	EACH_TAG("a breakpoint disables the range of ", 0, ALIKE(BREAKPOINT), ALIKE(BREAKPOINT))
	{"unit mask 0 counts untagged instructions", 0, 101, TAGGED(0, NO_TYPE(8), NO_RANGE)},
	// The slots of taken branches and the absence of one (7.8, BRANCH_TAKEN_SLOT) are counted
	// separately: together they are all branches.
	{"unit masks select disjoint sub-events",
	 DO(BY(6), SET_EVENT("BRANCH_TAKEN_SLOT.SLOT_0+SLOT_1+SLOT_2", 0),
	    BY(5), SET_EVENT("BRANCH_TAKEN_SLOT.NO_TAKEN_BRANCH", 0),
	    BY(4), SET_EVENT("BRANCH_TAKEN_SLOT", 0), RUN(100),
	    SUM(1u << 5), ABOVE(0), REQUIRE(true), SUM(1u << 6), ABOVE(0), REQUIRE(true),
	    VALUE, EXPECT(1), SUM(1u << 5 | 1u << 6))},

	{"only loads in the range count: #", 0xF, 3, .names = pairs, DO(FIND(find_loads, 3))},
	{"a load's address is captured", DO(FIND(find_captured, 0))},
	{"a load as long as the threshold is captured", DO(FIND(find_captured_at_threshold, 0))},
	{"BRANCH_EVENT counts branches that are traced: #", ALL_COUNTERS, true,
	 DO(SET_EVENT("BRANCH_EVENT", 0), FIND(trace_branches, TAKEN), VALUE, ABOVE(0))},
	{"many taken branches fill the branch trace", 0, FIELD(PMD16, full),
	 DO(FIND(trace_branches, TAKEN), BITS(FIELD(PMD16, full)))},
	// Slot 3 says that none of the bundle's branches was taken.
	{"a branch that is not taken has slot 3", 0, FIELD_PUT(PMD8, slot, 3),
	 DO(FIND(trace_branches, NOT_TAKEN), BITS(FIELD(PMD16, bbi) | FIELD(PMD16, full)), ABOVE(0), REQUIRE(true),
	    READ(ITANIUM_PMD(8)), BITS(FIELD(PMD8, slot)))},

	{"the clock reaches the match: one interrupt", 0, 1, DO(WATCH(0), FIND(run_timer, false), SEEN(interrupts))},
	{"ITV.m masks the timer's interrupt", 0, 0, DO(WATCH(0), FIND(run_timer, true), SEEN(interrupts))},
	{"PMV.m masks the interrupt: #", ALL_COUNTERS, 0,
	 DO(WATCH(0), SET_BITS(ITANIUM_PMV, FIELD(PMV, m)), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts))},
	{"the other counters stop: #", ALL_COUNTERS,
	 DO(WATCH(WATCH_NOTHING | WATCH_READS), FIND(find_frozen_beside, 0))},

	// The halt restores PMC0 with its overflow bits.
	{"PAL_HALT_LIGHT preserves PMC0: 0", 0, HALTED_WITH(0)},
	{"PAL_HALT_LIGHT preserves PMC0: fr", 0, HALTED_WITH(FREEZE)},
	{"PAL_HALT_LIGHT preserves PMC0: fr and overflow bits", 0, HALTED_WITH(FREEZE | 0xA0)},
};

extern const struct pmu_driver pmu_driver_itanium;

const struct selftest_suite selftest_suite_itanium = {
	.driver = &pmu_driver_itanium,
	.has = SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_FREEZES | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.start = start,
	.run = run,
	.acknowledge = acknowledge,
	.status = ITANIUM_PMC(0),
	.freeze_address = ITANIUM_PMC(0),
	.freeze_mask = FREEZE,
	.frozen = FREEZE,
	.sessions = {
		[SELFTEST_OVERFLOWING] = "CPU_CYCLES,CPU_CYCLES:period=1000,CPU_CYCLES:period=1000"
					 ",CPU_CYCLES:period=1000",
		[SELFTEST_AT_USER] = "IA64_INST_RETIRED:u,IA64_INST_RETIRED:u:period=1000",
		[SELFTEST_STORM] = "IA64_INST_RETIRED,IA64_INST_RETIRED:period=50",
	},
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(cases),
};
