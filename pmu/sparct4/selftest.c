// SPDX-License-Identifier: BSD-2-Clause
// Self test of the SPARC T4's performance counters: the description for the shared suite, and
// checks that only this target has. Each expected value follows from the manual's rules and the
// number of executed instructions. The self test runs in hyperprivileged mode. The PCR write that
// starts a counter in this mode is not counted; the write that stops it is. So n instructions
// between two writes count n + 1. Counters of the lowest level alone start together at the entry to
// that level.

#include "selftest.h"

#include "hal.h"
#include "image_run.h"
#include "regs.h"
#include "stimulus.h"

#define COUNTERS	SPARCT4_COUNTERS
#define ALL		SPARCT4_COUNTER_MASK
#define OV		FIELD(PCR, ov)
#define STATUS		(OV | FIELD(PCR, ntc))
#define STOPPED		STATUS			/* a PCR that stops its counter and keeps ov and
						 * ntc */
#define TRAP		FIELD(PCR, toe)
#define NO_KIND		0x02			/* sl 3: floating point and cryptography; the code
						 * has none */
#define CYCLES		FIELD_PUT(PCR, sl, SPARCT4_SL_CYCLES)

//
// Registers and counters. A write of its PCR starts a counter.
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

// Runs one counter. Several counters start together only at a lower level.
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

// A next-to-commit instruction has already executed when its trap comes, so the handler ends with
// DONE, not RETRY (Table 10-1, ntc).
static bool is_precise(void)
{
	const bool precise = hal_pmi_precise();
	bool executed = false;

	for (unsigned i = 0; precise && i < COUNTERS; i++)
		executed |= (selftest_read(control_of(i)) & STATUS) == STATUS;
	if (executed)
		hal_pmi_skip();
	return precise;
}

static const struct selftest_counters counters[] = {
	{.first = 0, .count = COUNTERS, .event = "Instr_all", .exact = true, .cycles = "Cycles", .interrupt = TRAP},
};

//
// Checks that need a function
//

// A counter of the lowest level that is enabled in hyperprivileged mode starts when the level
// changes.
static uint64_t find_started_separately(unsigned, uint64_t)
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

// The lowest level can read an open counter, and cannot read one that a bit closes (Table 10-1).
// Returns bit 0: it can with picnpt; bit 1: with picnht.
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

// Privileged software can access the PIC only if picnht = 0 (Table 10-1); picnpt does not affect
// it. Returns bits: it can read with picnpt (0), with picnht (1), with both (2).
static uint64_t find_read_by_privileged(unsigned counter, uint64_t open)
{
	uint64_t value = 0, found = 0;

	selftest_write(SPARCT4_PIC0 + counter, open);
	for (uint64_t closed = 1; closed <= 3; closed++) {
		selftest_write(control_of(counter), FIELD_PUT(PCR, picnpt, closed & 1) |
						    FIELD_PUT(PCR, picnht, closed >> 1));
		found |= (uint64_t)(hal_read_counter_privileged(counter, &value) && value == open) << (closed - 1);
	}
	return found;
}

// Both bits close the PIC to accesses, including writes (Table 10-3: RW). Returns bits: user mode
// can write the PIC with neither bit (0), with picnpt (1), with picnht (2), with both (3).
static uint64_t find_written_by_user(unsigned counter, uint64_t written)
{
	uint64_t found = 0;

	for (uint64_t closed = 0; closed <= 3; closed++) {
		selftest_write(SPARCT4_PIC0 + counter, 0);
		selftest_write(control_of(counter), FIELD_PUT(PCR, picnpt, closed & 1) |
						    FIELD_PUT(PCR, picnht, closed >> 1));
		found |= (uint64_t)hal_write_counter_user(counter, (uint32_t)written) << closed;
		selftest_require(selftest_value(counter) == (closed ? 0 : written));
	}
	return found;
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

// The write that stops the counter and clears ov is also the instruction that overflows it: a
// next-to-commit instruction.
static uint64_t run_to_rewrite(unsigned counter, uint64_t n)
{
	selftest_execute_between(control_of(counter), selftest_select(counter), 0, n);
	return 0;
}

// Returns the number of samples with the exact count at which they were due: precise traps have no
// skid.
static uint64_t find_samples_on_time(unsigned, uint64_t period)
{
	struct pmu_sample sample;
	uint64_t on_time = 0;

	while (pmu_take_sample(&sample))
		on_time += sample.count % period == 0;
	return on_time;
}

// Leaves a running counter in the state after a lost precise trap: ov and ntc are set, and no trap
// comes. The counter counts in this mode until its control value is written. That store, a
// next-to-commit instruction, overflows it.
static void lose_trap(uint64_t counter)
{
	const uint32_t control = control_of((unsigned)counter);
	const uint64_t running = selftest_read(control);
	const uint64_t here = FIELD_PUT(PCR, sl, SPARCT4_SL_INSTRUCTIONS) |
			      FIELD_PUT(PCR, mask, SPARCT4_ALL_KINDS) | FIELD(PCR, ht);

	selftest_write(control, 0);
	selftest_write(SPARCT4_PIC0 + (uint32_t)counter, (uint32_t)-101);
	selftest_execute_between(control, here, running | STATUS, 100);
	selftest_require((selftest_read(control) & STATUS) == STATUS);
}

// Counts the instructions of a program that traps after another counter's trap was lost. The number
// must equal that of a run without the lost trap. The traps come in a loop, so that a skipped
// instruction changes the number.
static uint64_t find_executed(unsigned, uint64_t n)
{
	uint64_t before = selftest_count(0);

	hal_execute_user(n);
	selftest_expect(selftest_count(0) - before);
	lose_trap(1);
	before = selftest_count(0);
	hal_execute_user(n);
	return selftest_count(0) - before;
}

//
// Groups: counts, and whether overflows trap precisely (Table 10-2)
//

// The number of instructions of each kind in a round of hal_execute_kinds. By footnotes 7 to 9 a
// block store is a store, WRY an SPR ring op, and LDSTUB, PREFETCH, SETHI, NOP and SUB are others.
static const struct {
	const char *event;
	uint8_t in_round;
} kinds[] = {
	{"Branches:k", 2}, {"Instr_ld:k", 1}, {"Instr_st:k", 2}, {"SPR_ring_ops:k", 1}, {"Instr_other:k", 6},
	{"Branches_sl4:k", 2}, {"Br_taken:k", 1}, {"Sw_count_intr:k", 1}, {"Atomics:k", 1}, {"SW_prefetch:k", 1},
	{"Block_ld_st:k", 1}, {"Instr_all:k", 12},
};

static const char *const kind_names[] = {
	"branches", "loads", "stores", "SPR ring ops", "others", "sl 4: branches", "sl 4: taken branches",
	"sl 4: software counts", "sl 4: atomics", "sl 4: prefetches", "sl 4: block stores", "all",
};

#define EACH_KIND	FIELD_MASK(0, sizeof kinds / sizeof *kinds)

// Returns the count of `rounds` more rounds. The loop's taken branch counts once in each round,
// too.
static uint64_t find_kind(unsigned kind, uint64_t rounds)
{
	const unsigned counter = kind % COUNTERS;
	uint64_t counts[2];

	for (unsigned i = 0; i < 2; i++) {
		selftest_set_event(counter, kinds[kind].event, 0);
		selftest_run_by(hal_execute_kinds, counter, (i + 1) * rounds);
		counts[i] = selftest_value(counter);
	}
	selftest_expect(kinds[kind].in_round * rounds);
	return counts[1] - counts[0];
}

#define ROUNDS		20
#define LINES		1024		/* four times the L1 data cache */
#define BRANCHES	256

static int execute_kinds(void)
{
	hal_execute_kinds(ROUNDS);
	return 0;
}

static int read_lines(void)
{
	hal_read_lines(LINES);
	return 0;
}

static int execute_random(void)
{
	hal_execute_random(BRANCHES);
	return 0;
}

static int execute_far(void)
{
	hal_execute_far();
	return 0;
}

// An event of each precise group except sl 3, and code that causes it often.
static const struct {
	const char *event;
	int (*code)(void);
} precise_groups[] = {
	{"Br_taken:u", execute_kinds}, {"IC_miss_nospec:u", execute_far}, {"DC_miss_nospec:u", read_lines},
	{"Br_mispred:u", execute_random},
};

static const char *const group_names[] = {"4", "5", "16", "25"};

// The counter overflows, and traps, at the last of `events` events in user mode.
static uint64_t run_precise_group(unsigned group, uint64_t events)
{
	const unsigned counter = group % COUNTERS;

	selftest_set_event(counter, precise_groups[group].event, -events);
	selftest_flip(counter, TRAP);
	selftest_enable(1u << counter);
	hal_run_user(precise_groups[group].code);
	selftest_enable(0);
	return 0;
}

static void execute_kinds_by_user(uint64_t)
{
	hal_run_user(execute_kinds);
}

// Makes the check expect the address of the round's instruction of this kind.
static uint64_t expect_kind(unsigned, uint64_t kind)
{
	selftest_expect(hal_kind_address((enum hal_kind)kind));
	return 0;
}

static void poll(uint64_t)
{
	pmu_poll();
}

// Returns the second counter's count less the first one's: they start and stop one after the other.
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

#define HALT_NOISE	5000		/* cycles by which the same instructions may differ */

// Halts of different length add the same count, that of the instructions around them.
static uint64_t find_halt_uncounted(unsigned, uint64_t longer)
{
	const uint64_t expected = counted_in_halt(5000);

	return counted_in_halt(5000 + longer) + HALT_NOISE - expected < 2 * HALT_NOISE;
}

//
// The suite
//

#define PCRS(expected)	ALL, expected, .control = true
// Overflows in hyperprivileged mode: without a trap; with one that waits while the counter stands
// still.
#define OVERFLOW_HERE	SET_EVENT("Cycles:k", -50ULL), RUN(1000)
#define PENDING		SET_EVENT("Cycles:k", -50ULL), FLIP(TRAP), RUN(1000), PUT_CONTROL(CYCLES | TRAP | STATUS)
#define DISRUPTING(trap) SET_EVENT("Cycles:u", -50ULL), FLIP(trap), RUN_BY(hal_execute_user, 1000)

#define SAMPLE_CYCLES										\
	START("Cycles:u,Cycles:u:period=1000,Cycles:u:period=1000,Cycles:u:period=1000"),	\
	EXECUTE(hal_execute_user, 5000), STOP

#define START_POLLED	START("Instr_all:k,Instr_all:k:period=1000")
#define POLLED_LONG	300000		/* instructions: a multiple of poll_clocks at any clock
					 * ratio */
// The timer interrupts lower levels only.
#define LOOKED_AT	EXECUTE(hal_execute, POLLED_LONG), EXECUTE(hal_execute_user, 1000)
#define LOST_LONG	2000000		/* instructions: several times lost_clocks */

// Requires that a write of 1 does not set ov. The driver writes 1 to keep ov, so with such a defect
// the trapping counters of this mode would trap for ever.
#define START_HERE(events) \
	WRITE(SPARCT4_PCR0, STATUS), READ(SPARCT4_PCR0), BITS(STATUS), REQUIRE(0), START(events)

// The fifth event of this kind traps in user mode.
#define FIFTH(event)	SET_EVENT(event ":u", -5ULL), FLIP(TRAP), RUN_BY(execute_kinds_by_user, 0)
#define TRAPPED		SEEN(interrupts), REQUIRE(1), SEEN(precise), REQUIRE(1)

static const char *const numbers[] = {"0", "1", "2", "3"};

static const struct selftest_case cases[] = {
	{"sl 0 counts nothing: #", ALL, 0, DO(STOPPED_BY(FIELD_PUT(PCR, sl, SPARCT4_SL_INSTRUCTIONS)))},
	{"without a mode nothing counts: #", ALL, 0, DO(STOPPED_BY(FIELD(PCR, ut)))},
	{"an instruction of another kind does not count: #", ALL, 0,
	 DO(STOPPED_BY(FIELD_PUT(PCR, mask, SPARCT4_ALL_KINDS ^ NO_KIND)))},
	{"counts the instructions of known code: #", EACH_KIND, .names = kind_names, DO(FIND(find_kind, 100))},
	// Reserved bits of a PIC hold written values, and a wrap does not change them.
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
	{"counters without ht start together", DO(SET_ALL(AT_USER, 0), FIND(find_started_separately, 0))},
	{"closed, user does not read: #", ALL, 0, DO(FIND(find_read_closed, 0x5A5A))},
	{"closed, user does not write: #", ALL, 1, DO(FIND(find_written_by_user, 0xA5A5))},
	{"picnht alone closes to privileged code: #", ALL, 1, DO(FIND(find_read_by_privileged, 0x5A5A))},
	{"there is no counter 4", 0, true, DO(COUNTER_FAULTS(COUNTERS))},

	{"ov stays where 1 is written: #", PCRS(OV),
	 DO(OVERFLOW_HERE, PUT_CONTROL(CYCLES | STATUS), PUT_CONTROL(STATUS), READ_CONTROL, BITS(OV))},
	{"ov goes where 0 is written: #", PCRS(0),
	 DO(OVERFLOW_HERE, READ_CONTROL, BITS(OV), REQUIRE(OV), PUT_CONTROL(0), READ_CONTROL, BITS(STATUS))},
	{"ov and ntc go where 0 is written: #", PCRS(0),
	 DO(SET(AT_OS, -101ULL), FIND(run_to_rewrite, 100), READ_CONTROL, BITS(STATUS), REQUIRE(STATUS),
	    PUT_CONTROL(0), READ_CONTROL, BITS(STATUS))},
	{"the driver clears only #", PCRS(0),
	 DO(START("Cycles:u,Cycles:u,Cycles:u,Cycles:u"), WATCH(0), FIND(find_left_by_driver, 0))},
	{"a write that overflows its counter leaves ov, and ntc: #", PCRS(STATUS),
	 DO(SET(AT_OS, -101ULL), FIND(run_to_rewrite, 100), VALUE, REQUIRE(0), READ_CONTROL, BITS(STATUS))},

	// WRPR is a next-to-commit instruction (Table 10-1, footnote 1). On the way to user mode it is the only
	// instruction that st counts.
	{"WRPR that overflows its counter leaves ov, and ntc: #", PCRS(STATUS),
	 DO(SET(AT_PRIVILEGED, -1ULL), RUN_BY(hal_execute_user, 100), READ_CONTROL, BITS(STATUS))},

	{"precise trap comes from user level: #", PCRS(SPARCT4_USER),
	 DO(WATCH(0), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts), REQUIRE(1), SEEN(precise), REQUIRE(1),
	    SEEN(level))},
	{"precise trap comes from privileged level", 0, SPARCT4_PRIVILEGED,
	 DO(WATCH(0), SET(AT_PRIVILEGED | INTERRUPTING, -50ULL), RUN_BY(hal_execute_privileged, 1000), SEEN(precise),
	    REQUIRE(1), SEEN(level))},
	// Only the instruction that wraps the counter to 0 has been counted.
	{"precise trap: no instruction too many is counted", 0, 0,
	 DO(WATCH_READING(0, SPARCT4_PIC0), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts), REQUIRE(1), SEEN(reading))},
	{"precise trap: ov is set, ntc is not", 0, OV,
	 DO(WATCH_READING(0, SPARCT4_PCR0), OVERFLOW_ONCE(INTERRUPTING), SEEN(reading), BITS(STATUS))},
	// Table 10-1, toe: "TPC will contain the address of an instruction that generated the counter overflow event".
	{"precise trap: TPC is that of the overflow's instruction: #", PCRS(0),
	 DO(WATCH(0), FIFTH("Sw_count_intr"), TRAPPED, FIND(expect_kind, HAL_COUNTED), SEEN(ip))},
	{"precise trap of an atomic: TPC is its own", 0, 0,
	 DO(WATCH(0), FIFTH("Atomics"), TRAPPED, FIND(expect_kind, HAL_ATOMIC), SEEN(ip))},
	{"precise trap of an atomic: ov and ntc are set", 0, STATUS,
	 DO(WATCH_READING(0, SPARCT4_PCR0), FIFTH("Atomics"), TRAPPED, SEEN(reading), BITS(STATUS))},
	{"sl # is precise", FIELD_MASK(0, sizeof precise_groups / sizeof *precise_groups), true, .names = group_names,
	 DO(WATCH(0), FIND(run_precise_group, 10), SEEN(interrupts), REQUIRE(1), SEEN(precise))},
	// PCR.ht prevents precise traps, at the lowest level too.
	{"no precise trap with ht: #", PCRS(0),
	 DO(WATCH(0), SET(AT_OS | AT_USER | INTERRUPTING, -50ULL), RUN_BY(hal_execute_user, 1000), SEEN(interrupts))},
	{"no precise trap in hyperprivileged mode: #", PCRS(0),
	 DO(WATCH(0), SET(AT_OS | INTERRUPTING, -50ULL), RUN(1000), READ_CONTROL, BITS(OV), REQUIRE(OV),
	    SEEN(interrupts))},

	{"disrupting trap, once: #", PCRS(1),
	 DO(WATCH(0), DISRUPTING(TRAP), SEEN(precise), REQUIRE(0), SEEN(interrupts))},
	{"no disrupting trap without toe: #", PCRS(0), DO(WATCH(0), DISRUPTING(0), SEEN(interrupts))},
	// The trap repeats while ov and toe are set: three times the handler does nothing.
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
	{"precise trap: one of another counter that was lost skips no instruction",
	 DO(START("Instr_all:u:period=1000:ctr=0,Atomics:u:period=10:ctr=1"), FIND(find_executed, 2500))},
	{"precise trap: one that was lost is found by looking", 0, true,
	 DO(START("Instr_all:u:period=1000:ctr=0"), EXECUTE(lose_trap, 0), EXECUTE(hal_execute, LOST_LONG),
	    EXECUTE(hal_execute_user, 10), STATISTIC(polled), ABOVE(0))},
	// The counter overflows without a trap. After another overflow that no poll has seen, the
	// second counter still agrees with the first.
	{"polled: no overflow is lost", 0, 0, .more = POLLED_LONG,
	 DO(START_POLLED, EXECUTE(hal_execute, 100), STOP, FIND(find_difference, 0))},
	{"polled: overflows are found", 0, true,
	 DO(START_POLLED, LOOKED_AT, LOOKED_AT, LOOKED_AT, STATISTIC(polled), STOP, ABOVE(1))},
	{"polled: looking by hand takes the sample", 0, 1,
	 DO(START_POLLED, EXECUTE(hal_execute, 2000), EXECUTE(poll, 0), SAMPLES(SPARCT4_HYPERPRIVILEGED), REQUIRE(1),
	    EXECUTE(hal_execute, 2000), EXECUTE(poll, 0), STOP, SAMPLES(SPARCT4_HYPERPRIVILEGED))},

	// The halt restores the PCRs.
	{"PAL_HALT_LIGHT preserves #", PCRS(0),
	 DO(START_HERE("Instr_all:u,Cycles,Instr_all:k,Cycles:k:period=100000"), READ_CONTROL, BITS(FIELD(PCR, sl)),
	    ABOVE(0), REQUIRE(true), READ_CONTROL, EXPECT(1), EXECUTE(selftest_light_halt, 5000), READ_CONTROL)},
	{"PAL_HALT_LIGHT is not counted", 0, true, DO(START_HERE("Cycles:plm=11"), FIND(find_halt_uncounted, 500000))},
	// The trap that is pending when the halt begins ends the halt.
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
	.precise = is_precise,
	SELFTEST_LIST(cases),
};
