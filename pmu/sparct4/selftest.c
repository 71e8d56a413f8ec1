// SPDX-License-Identifier: BSD-2-Clause
// Self test of the SPARC T4's performance counters: what it says of itself to the shared suite, and what only it has.
// Each expected value follows from the manual's rules and the number of instructions executed. The self test runs in
// hyperprivileged mode: counters that are let run there with a write of their PCR do not count that instruction, but
// the one that stops them: n instructions between two writes count n + 1. Those that count the lowest level alone start
// together, when it is entered.

#include "selftest.h"

#include "hal.h"
#include "regs.h"

#define COUNTERS	SPARCT4_COUNTERS
#define ALL		SPARCT4_COUNTER_MASK
#define OV		FIELD(PCR, ov)
#define STATUS		(OV | FIELD(PCR, ntc))
#define STOPPED		STATUS			/* a PCR that stops its counter and leaves the status */
#define TRAP		FIELD(PCR, toe)
#define NO_KIND		0x02			/* sl 3: floating point and cryptography, of which there is none here */
#define CYCLES		FIELD_PUT(PCR, sl, SPARCT4_SL_CYCLES)

//
// Registers and counters. A PCR's write is all there is to start one.
//

SELFTEST_REGISTERS(SPARCT4_REGISTERS, SELFTEST_NUMBERED)

static uint32_t control_of(unsigned counter)
{
	return SPARCT4_PCR0 + counter;
}

static void start(uint64_t counters)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		selftest_write(control_of(i), counters >> i & 1 ? selftest_select(i) | STATUS : STOPPED);
}

// Counters that are to start together do so at a lower level: here it is one.
static void run(uint64_t counters, uint64_t n)
{
	const unsigned counter = (unsigned)__builtin_ctzll(counters);

	selftest_execute_between(control_of(counter), selftest_select(counter) | STATUS, STOPPED, n);
}

static uint64_t overflowed(void)
{
	uint64_t status = 0;

	for (unsigned i = 0; i < COUNTERS; i++)
		status |= (selftest_read(control_of(i)) & OV) << i;
	return status;
}

static void acknowledge(uint64_t counters)
{
	for (; counters; counters &= counters - 1)
		selftest_write(control_of((unsigned)__builtin_ctzll(counters)), 0);
}

static const struct selftest_counters counters[] = {
	{.first = 0, .count = COUNTERS, .event = "Instr_all", .exact = true, .cycles = "Cycles", .interrupt = TRAP},
};

//
// What takes more than a row
//

// A counter of the lowest level that is let run in hyperprivileged mode waits for the change.
static uint64_t find_started_apart(unsigned, uint64_t)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		selftest_write(control_of(i), selftest_select(i));
		hal_execute(100);
	}
	hal_execute_user(1000);
	start(0);
	selftest_require(selftest_value(0) >= 1000);
	selftest_expect(3 * selftest_value(0));
	return selftest_value(1) + selftest_value(2) + selftest_value(3);
}

// The lowest level reads an open counter, and not one that a bit closes (Table 10-1). Bit 0: with picnpt it does, bit
// 1: with picnht.
static uint64_t find_read_closed(unsigned counter, uint64_t open)
{
	uint64_t value = 0;
	unsigned read;

	selftest_write(SPARCT4_PIC0 + counter, open);
	selftest_write(control_of(counter), 0);
	selftest_require(hal_read_counter_user(counter, &value) && value == open);
	selftest_write(control_of(counter), FIELD(PCR, picnpt));
	read = hal_read_counter_user(counter, &value);
	selftest_write(control_of(counter), FIELD(PCR, picnht));
	return read | hal_read_counter_user(counter, &value) << 1;
}

static uint64_t find_left_by_driver(unsigned counter, uint64_t)
{
	selftest_require(pmu_current_driver()->enable(0));
	for (unsigned i = 0; i < COUNTERS; i++) {
		selftest_set_event(i, "Cycles:k", -50ULL);
		selftest_run_counters(1ULL << i, 1000);
	}
	selftest_require(pmu_current_driver()->overflow_clear(1ULL << counter));
	selftest_expect(ALL & ~(1ULL << counter));
	return overflowed();
}

// The write that stops the counter, and is to clear ov, is the instruction that overflows it: a next-to-commit one.
static uint64_t run_to_rewrite(unsigned counter, uint64_t n)
{
	selftest_execute_between(control_of(counter), selftest_select(counter), 0, n);
	return 0;
}

// A precise trap's sample has the count at which it was due: there is no skid.
static uint64_t find_samples_on_time(unsigned, uint64_t period)
{
	struct pmu_sample sample;
	uint64_t on_time = 0;

	while (pmu_take_sample(&sample))
		on_time += sample.count % period == 0;
	return on_time;
}

static void poll(uint64_t)
{
	pmu_poll();
}

// By how much the second counter has less than the first, or more: they start and stop one after the other.
static uint64_t find_difference(unsigned, uint64_t)
{
	return selftest_count(1) - selftest_count(0);
}

__attribute__((noipa)) static uint64_t counted_in_halt(uint32_t ticks)
{
	const uint64_t before = selftest_count(0);

	selftest_light_halt(ticks);
	return selftest_count(0) - before;
}

#define HALT_NOISE	5000		/* cycles that the same instructions may take more or fewer */

// However long it is, what is executed around it is the same.
static uint64_t find_halt_uncounted(unsigned, uint64_t longer)
{
	const uint64_t expected = counted_in_halt(5000);

	return counted_in_halt(5000 + longer) + HALT_NOISE - expected < 2 * HALT_NOISE;
}

//
// The suite
//

#define PCRS(expected)	ALL, expected, .control = true
// In hyperprivileged mode: without a trap, and one that waits, the counter standing still.
#define OVERFLOW_HERE	SET_EVENT("Cycles:k", -50ULL), RUN(1000)
#define PENDING		SET_EVENT("Cycles:k", -50ULL), FLIP(TRAP), RUN(1000), PUT_CONTROL(CYCLES | TRAP | STATUS)
#define DISRUPTING(trap) SET_EVENT("Cycles:u", -50ULL), FLIP(trap), RUN_BY(hal_execute_user, 1000)

#define SAMPLE_CYCLES										\
	START("Cycles:u,Cycles:u:period=1000,Cycles:u:period=1000,Cycles:u:period=1000"),	\
	EXECUTE(hal_execute_user, 5000), STOP

#define START_POLLED	START("Instr_all:k,Instr_all:k:period=1000")
#define POLLED_LONG	300000		/* instructions: several times poll_clocks, whatever the clock's relation */
// The timer interrupts the lower levels only.
#define LOOKED_AT	EXECUTE(hal_execute, POLLED_LONG), EXECUTE(hal_execute_user, 1000)

// Where a write sets ov, counters of this mode that trap would do so for ever: the driver leaves ov by writing it as 1.
#define START_HERE(events) \
	WRITE(SPARCT4_PCR0, STATUS), READ(SPARCT4_PCR0), BITS(STATUS), REQUIRE(0), START(events)

static const char *const numbers[] = {"0", "1", "2", "3"};

static const struct selftest_case cases[] = {
	{"sl 0 counts nothing: #", ALL, 0, DO(STOPPED_BY(FIELD_PUT(PCR, sl, SPARCT4_SL_INSTRUCTIONS)))},
	{"without a mode nothing counts: #", ALL, 0, DO(STOPPED_BY(FIELD(PCR, ut)))},
	{"an instruction of another kind does not count: #", ALL, 0,
	 DO(STOPPED_BY(FIELD_PUT(PCR, mask, SPARCT4_ALL_KINDS ^ NO_KIND)))},
	// Reserved bits of a PIC hold what is written, and a wrap leaves them alone.
	{"reserved bits keep out of the count: #", ALL, 0xABCDEF0100000063,
	 DO(SET(AT_OS, 0), PUT(0xABCDEF01FFFFFFFF), RUN(99), VALUE)},

	{"ht and ut, user: #", ALL, 2000, .more = 2000,
	 DO(SET(AT_OS | AT_USER, 0), RUN_BY(hal_execute_user, 1000), VALUE)},
	{"st only, privileged: #", ALL, 2000, .more = 2000,
	 DO(SET(AT_PRIVILEGED, 0), RUN_BY(hal_execute_privileged, 1000), VALUE)},
	{"ht and ut, privileged: #", ALL, 0, .more = 2000,
	 DO(SET(AT_OS | AT_USER, 0), RUN_BY(hal_execute_privileged, 1000), VALUE)},
	// The way to user mode is WRHPR %hpstate in hyperprivileged mode, then one instruction in privileged mode.
	{"st only, on the way to user mode: #", ALL, 1,
	 DO(SET(AT_PRIVILEGED, 0), RUN_BY(hal_execute_user, 1000), VALUE)},
	{"counters without ht start together", DO(SET_ALL(AT_USER, 0), FIND(find_started_apart, 0))},
	{"closed, user does not read: #", ALL, 0, DO(FIND(find_read_closed, 0x5A5A))},
	{"there is no counter 4", 0, true, DO(COUNTER_FAULTS(COUNTERS))},

	{"ov stays where 1 is written: #", PCRS(OV),
	 DO(OVERFLOW_HERE, PUT_CONTROL(CYCLES | STATUS), PUT_CONTROL(STATUS), READ_CONTROL, BITS(OV))},
	{"ov goes where 0 is written: #", PCRS(0),
	 DO(OVERFLOW_HERE, READ_CONTROL, BITS(OV), REQUIRE(OV), PUT_CONTROL(0), READ_CONTROL, BITS(STATUS))},
	{"the driver clears only #", PCRS(0),
	 DO(START("Cycles:u,Cycles:u,Cycles:u,Cycles:u"), WATCH(0), FIND(find_left_by_driver, 0))},
	{"a write that overflows its counter leaves ov, and ntc: #", PCRS(STATUS),
	 DO(SET(AT_OS, -101ULL), FIND(run_to_rewrite, 100), VALUE, REQUIRE(0), READ_CONTROL, BITS(STATUS))},

	{"precise trap comes from user level: #", PCRS(SPARCT4_USER),
	 DO(WATCH(0), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts), REQUIRE(1), SEEN(precise), REQUIRE(1),
	    SEEN(level))},
	{"precise trap comes from privileged level", 0, SPARCT4_PRIVILEGED,
	 DO(WATCH(0), SET(AT_PRIVILEGED | INTERRUPTING, -50ULL), RUN_BY(hal_execute_privileged, 1000), SEEN(precise),
	    REQUIRE(1), SEEN(level))},
	// No instruction but the one that wraps the counter to 0 has been counted.
	{"precise trap: no instruction too many is counted", 0, 0,
	 DO(WATCH_READING(0, SPARCT4_PIC0), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts), REQUIRE(1), SEEN(reading))},
	{"precise trap: ov is set, ntc is not", 0, OV,
	 DO(WATCH_READING(0, SPARCT4_PCR0), OVERFLOW_ONCE(INTERRUPTING), SEEN(reading), BITS(STATUS))},
	// PCR.ht prevents it, at the lowest level too.
	{"no precise trap with ht: #", PCRS(0),
	 DO(WATCH(0), SET(AT_OS | AT_USER | INTERRUPTING, -50ULL), RUN_BY(hal_execute_user, 1000), SEEN(interrupts))},
	{"no precise trap in hyperprivileged mode: #", PCRS(0),
	 DO(WATCH(0), SET(AT_OS | INTERRUPTING, -50ULL), RUN(1000), READ_CONTROL, BITS(OV), REQUIRE(OV),
	    SEEN(interrupts))},

	{"disrupting trap, once: #", PCRS(1),
	 DO(WATCH(0), DISRUPTING(TRAP), SEEN(precise), REQUIRE(0), SEEN(interrupts))},
	{"no disrupting trap without toe: #", PCRS(0), DO(WATCH(0), DISRUPTING(0), SEEN(interrupts))},
	// The trap comes again as long as ov and toe are set: three times, nothing is done.
	{"disrupting trap comes until ov is cleared", 0, 4, DO(WATCH(3), DISRUPTING(TRAP), SEEN(interrupts))},
	{"disrupting trap waits for interrupts: #", PCRS(1),
	 DO(INTERRUPTS_OFF, WATCH(0), PENDING, SEEN(interrupts), REQUIRE(0), INTERRUPTS_ON,
	    EXECUTE(hal_execute, 100), STOP_ALL, SEEN(interrupts))},

	{"session: counter # of 3 with disrupting traps at once is exact", 0xE, .names = numbers,
	 DO(SAMPLE_CYCLES, COUNT_OF(0), EXPECT(1), COUNT_EACH)},
	{"session: disrupting traps are samples",
	 DO(SAMPLE_CYCLES, COUNT_OF(0), PER(1000), EXPECT(3), SAMPLES(SPARCT4_USER))},
	{"session: precise samples have no skid",
	 DO(START_OF(SELFTEST_AT_USER), EXECUTE(hal_execute_user, 10500), STOP, COUNT_OF(0), PER(1000), EXPECT(1),
	    FIND(find_samples_on_time, 1000))},
	// Overflows without a trap: with one behind it, nobody having looked, the second counter has as much as before.
	{"polled: no overflow is lost", 0, 0, .more = POLLED_LONG,
	 DO(START_POLLED, EXECUTE(hal_execute, 100), STOP, FIND(find_difference, 0))},
	{"polled: overflows are found", 0, true,
	 DO(START_POLLED, LOOKED_AT, LOOKED_AT, LOOKED_AT, STATISTIC(polled), STOP, ABOVE(1))},
	{"polled: looking by hand takes the sample", 0, 1,
	 DO(START_POLLED, EXECUTE(hal_execute, 2000), EXECUTE(poll, 0), SAMPLES(SPARCT4_HYPERPRIVILEGED), REQUIRE(1),
	    EXECUTE(hal_execute, 2000), EXECUTE(poll, 0), STOP, SAMPLES(SPARCT4_HYPERPRIVILEGED))},

	// They are afterwards what they were.
	{"PAL_HALT_LIGHT preserves #", PCRS(0),
	 DO(START_HERE("Instr_all:u,Cycles,Instr_all:k,Cycles:k:period=100000"), READ_CONTROL, BITS(FIELD(PCR, sl)),
	    ABOVE(0), REQUIRE(true), READ_CONTROL, EXPECT(1), EXECUTE(selftest_light_halt, 5000), READ_CONTROL)},
	{"PAL_HALT_LIGHT is not counted", 0, true, DO(START_HERE("Cycles:plm=11"), FIND(find_halt_uncounted, 500000))},
	// The trap that is pending when the halt begins ends it.
	{"PAL_HALT_LIGHT: a pending overflow is served", 0, 1,
	 DO(INTERRUPTS_OFF, WATCH(0), PENDING, EXECUTE(selftest_light_halt, 5000), INTERRUPTS_ON, SEEN(interrupts))},
};

extern const struct pmu_driver pmu_driver_sparct4;

const struct selftest_suite selftest_suite_sparct4 = {
	.driver = &pmu_driver_sparct4,
	.sessions = {
		[SELFTEST_OVERFLOWING] = "Instr_all:u,Instr_all:u:period=1000,Instr_all:u:period=1000,"
					 "Instr_all:u:period=1000",
		[SELFTEST_AT_USER] = "Instr_all:u,Instr_all:u:period=1000",
		[SELFTEST_STORM] = "Instr_all:u,Instr_all:u:period=50",
	},
	SELFTEST_LIST(registers),
	.has = SELFTEST_LEVELS | SELFTEST_INTERRUPTS,
	SELFTEST_LIST(counters),
	.at_user = true,
	.control_starts = true,
	.start = start,
	.run = run,
	.overflowed = overflowed,
	.acknowledge = acknowledge,
	.precise = hal_pmi_precise,
	SELFTEST_LIST(cases),
};
