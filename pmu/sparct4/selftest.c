// SPDX-License-Identifier: BSD-2-Clause
// Self test of the SPARC T4's performance counters: what it says of itself to the shared suite, and what only it has.
// Each expected value follows from the manual's rules and the number of instructions executed. The self test runs in
// hyperprivileged mode: counters that are let run there with a write of their PCR do not count that instruction, but
// the one that stops them: n instructions between two writes count n + 1. Those that count the lowest level alone start
// together, when it is entered.

#include "selftest.h"

#include "hal.h"
#include "pal.h"
#include "regs.h"

#define COUNTERS	SPARCT4_COUNTERS
#define OV		FIELD(PCR, ov)
#define NTC		FIELD(PCR, ntc)
#define STATUS		(OV | NTC)
#define STOPPED		STATUS			/* a PCR that stops its counter and leaves the status */
#define HYPERPRIVILEGED	FIELD(PCR, ht)
#define PRIVILEGED	FIELD(PCR, st)
#define USER		FIELD(PCR, ut)
#define TRAP		FIELD(PCR, toe)
#define NO_KIND		0x02			/* sl 3: floating point and cryptography, of which there is none here */

#define CYCLES		FIELD_PUT(PCR, sl, SPARCT4_SL_CYCLES)
#define INSTRUCTIONS	(FIELD_PUT(PCR, sl, SPARCT4_SL_INSTRUCTIONS) | FIELD_PUT(PCR, mask, SPARCT4_ALL_KINDS))

//
// Registers
//

SELFTEST_REGISTERS(SPARCT4_REGISTERS, SELFTEST_NUMBERED)

//
// Steps of a check
//

static uint32_t control_of(unsigned counter)
{
	return SPARCT4_PCR0 + counter;
}

static uint64_t count_of(unsigned counter)
{
	return selftest_read(SPARCT4_PIC0 + counter);
}

static uint64_t status_of(unsigned counter)
{
	return selftest_read(control_of(counter)) & STATUS;
}

static void set_count(unsigned counter, uint64_t count)
{
	selftest_write(SPARCT4_PIC0 + counter, count & FIELD(PIC, counter));
}

static void set_control(unsigned counter, uint64_t control)
{
	selftest_write(control_of(counter), control);
}

static void stop_all(void)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_control(i, STOPPED);
}

// Counts with `control` over exactly n instructions in hyperprivileged mode, from `start`.
static void count_from(unsigned counter, uint64_t control, uint64_t start, uint64_t n)
{
	set_count(counter, start);
	selftest_execute_between(control_of(counter), control | STATUS, STOPPED, n);
}

// Lets a counter run over n instructions at a lower level, and some constant number in hyperprivileged mode.
typedef void execute_function(uint64_t n);

static void run_below(execute_function *execute, unsigned counter, uint64_t control, uint64_t start, uint64_t n)
{
	set_count(counter, start);
	set_control(counter, control);
	execute(n);
}

// Not inlined: the code around is the same each time.
__attribute__((noipa)) static uint64_t count_below(execute_function *execute, unsigned counter, uint64_t control,
						   uint64_t n)
{
	run_below(execute, counter, control, 0, n);
	set_control(counter, STOPPED);
	return count_of(counter);
}

// What 2000 more instructions at a lower level add: whatever the way there and back counts drops out.
static uint64_t difference_below(execute_function *execute, unsigned counter, uint64_t control)
{
	const uint64_t short_count = count_below(execute, counter, control, 1000);

	return count_below(execute, counter, control, 3000) - short_count;
}

static void run_user(unsigned counter, uint64_t control, uint64_t start, uint64_t n)
{
	run_below(hal_execute_user, counter, control, start, n);
}

// The handler of the checks that look at the hardware alone. It stops all counters, and leaves their ov for the first
// `ignored` times.
static volatile unsigned traps_seen, precise_seen, ignored;
static volatile uint64_t level_at_trap, count_at_trap, status_at_trap;

static void on_trap(uint64_t, unsigned level)
{
	traps_seen++;
	precise_seen += hal_pmi_precise();
	level_at_trap = level;
	count_at_trap = count_of(0);
	status_at_trap = status_of(0);
	if (traps_seen > ignored)
		for (unsigned i = 0; i < COUNTERS; i++)
			set_control(i, 0);
	hal_pmi_unmask();
	hal_pmi_end();
}

static void watch_traps(unsigned ignore)
{
	traps_seen = precise_seen = 0;
	ignored = ignore;
	level_at_trap = count_at_trap = status_at_trap = ~0ULL;
	hal_pmi_attach(on_trap, HAL_PMI_VECTOR);
}

//
// What the shared checks do with counters. A PCR's write is all there is to start one.
//

static void start(uint64_t counters)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_control(i, counters >> i & 1 ? selftest_select(i) | STATUS : STOPPED);
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
		status |= (status_of(i) & OV) << i;
	return status;
}

static void acknowledge(uint64_t counters)
{
	for (; counters; counters &= counters - 1)
		set_control((unsigned)__builtin_ctzll(counters), 0);
}

static const struct selftest_stop stops[] = {
	{"sl 0 counts nothing: ", FIELD_PUT(PCR, sl, SPARCT4_SL_INSTRUCTIONS)},
	{"without a mode nothing counts: ", USER},
	{"an instruction of another kind does not count: ", FIELD_PUT(PCR, mask, SPARCT4_ALL_KINDS ^ NO_KIND)}, {0},
};

static const struct selftest_counters counters[] = {
	{.first = 0, .count = COUNTERS, .event = "Instr_all", .exact = true, .cycles = "Cycles", .interrupt = TRAP,
	 .stop = stops},
};

// Reserved bits of a PIC hold what is written, and a wrap leaves them alone.
static struct selftest_result check_upper(unsigned counter)
{
	selftest_write(SPARCT4_PIC0 + counter, 0xABCDEF01FFFFFFFF);
	selftest_execute_between(control_of(counter), INSTRUCTIONS | HYPERPRIVILEGED | STATUS, STOPPED, 99);
	return selftest_compare(0xABCDEF0100000063, count_of(counter));
}

//
// Levels
//

static struct selftest_result check_both_there(unsigned counter)
{
	return selftest_compare(2000, difference_below(hal_execute_user, counter,
						       INSTRUCTIONS | HYPERPRIVILEGED | USER));
}

static struct selftest_result check_privileged_there(unsigned counter)
{
	return selftest_compare(2000, difference_below(hal_execute_privileged, counter, INSTRUCTIONS | PRIVILEGED));
}

static struct selftest_result check_others_there(unsigned counter)
{
	return selftest_compare(0, difference_below(hal_execute_privileged, counter,
						    INSTRUCTIONS | HYPERPRIVILEGED | USER));
}

// The way to user mode is WRHPR %hpstate in hyperprivileged mode, then one instruction in privileged mode.
static struct selftest_result check_way_down(unsigned counter)
{
	return selftest_compare(1, count_below(hal_execute_user, counter, INSTRUCTIONS | PRIVILEGED, 1000));
}

// A counter of the lowest level that is let run in hyperprivileged mode waits for the change.
static struct selftest_result check_barrier(unsigned)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		set_control(i, INSTRUCTIONS | USER);
		hal_execute(100);
	}
	hal_execute_user(1000);
	stop_all();
	selftest_require(count_of(0) >= 1000);
	return selftest_compare(3 * count_of(0), count_of(1) + count_of(2) + count_of(3));
}

// The lowest level reads an open counter, and not one that a bit closes (Table 10-1). Bit 0: with picnpt it does, bit
// 1: with picnht.
static struct selftest_result check_closed(unsigned counter)
{
	uint64_t value = 0;
	unsigned read;

	set_count(counter, 0x5A00 + counter);
	set_control(counter, 0);
	selftest_require(hal_read_counter_user(counter, &value) && value == 0x5A00 + counter);
	set_control(counter, FIELD(PCR, picnpt));
	read = hal_read_counter_user(counter, &value);
	set_control(counter, FIELD(PCR, picnht));
	return selftest_compare(0, read | hal_read_counter_user(counter, &value) << 1);
}

//
// Overflow
//

static struct selftest_result check_ov(unsigned counter)
{
	count_from(counter, CYCLES | HYPERPRIVILEGED, -50ULL, 1000);
	return selftest_compare(OV, status_of(counter) & OV);
}

static struct selftest_result check_ov_kept(unsigned counter)
{
	check_ov(counter);
	set_control(counter, INSTRUCTIONS | STATUS);
	set_control(counter, STATUS);
	return selftest_compare(OV, status_of(counter) & OV);
}

static struct selftest_result check_ov_cleared(unsigned counter)
{
	check_ov(counter);
	set_control(counter, 0);
	return selftest_compare(0, status_of(counter));
}

static struct selftest_result check_driver_clears_one(unsigned counter)
{
	selftest_start("Cycles:u,Cycles:u,Cycles:u,Cycles:u");
	selftest_require(pmu_current_driver()->enable(0));
	watch_traps(0);
	for (unsigned i = 0; i < COUNTERS; i++)
		check_ov(i);
	selftest_require(pmu_current_driver()->overflow_clear(1ULL << counter));
	return selftest_compare(SPARCT4_COUNTER_MASK & ~(1ULL << counter), overflowed());
}

// The write that stops the counter, and is to clear ov, is the instruction that overflows it: a next-to-commit one.
static struct selftest_result check_rewritten(unsigned counter)
{
	set_count(counter, -101ULL);
	selftest_execute_between(control_of(counter), INSTRUCTIONS | HYPERPRIVILEGED, 0, 100);
	selftest_require(count_of(counter) == 0);
	return selftest_compare(STATUS, status_of(counter));
}

//
// Precise traps
//

static void overflow_precisely(unsigned counter, uint64_t control)
{
	watch_traps(0);
	run_user(counter, INSTRUCTIONS | control, -50ULL, 1000);
	stop_all();
}

static struct selftest_result check_precise_level(unsigned counter)
{
	overflow_precisely(counter, USER | TRAP);
	selftest_require(traps_seen == 1 && precise_seen == 1);
	return selftest_compare(SPARCT4_USER, level_at_trap);
}

static struct selftest_result check_precise_privileged(unsigned)
{
	watch_traps(0);
	run_below(hal_execute_privileged, 0, INSTRUCTIONS | PRIVILEGED | TRAP, -50ULL, 1000);
	stop_all();
	selftest_require(precise_seen == 1);
	return selftest_compare(SPARCT4_PRIVILEGED, level_at_trap);
}

// No instruction but the one that wraps the counter to 0 has been counted.
static struct selftest_result check_precise_state(unsigned status)
{
	overflow_precisely(0, USER | TRAP);
	return status ? selftest_compare(OV, status_at_trap) : selftest_compare(0, count_at_trap);
}

// PCR.ht prevents it, at the lowest level too.
static struct selftest_result check_precise_with_ht(unsigned counter)
{
	overflow_precisely(counter, USER | TRAP | HYPERPRIVILEGED);
	return selftest_compare(0, traps_seen);
}

static struct selftest_result check_precise_here(unsigned counter)
{
	watch_traps(0);
	count_from(counter, INSTRUCTIONS | HYPERPRIVILEGED | TRAP, -50ULL, 1000);
	selftest_require(status_of(counter) & OV);
	return selftest_compare(0, traps_seen);
}

//
// Disrupting traps
//

static void overflow_disrupting(unsigned counter, uint64_t control, unsigned ignore)
{
	watch_traps(ignore);
	run_user(counter, CYCLES | control, -50ULL, 1000);
	stop_all();
}

static struct selftest_result check_disrupting(unsigned counter)
{
	overflow_disrupting(counter, USER | TRAP, 0);
	selftest_require(precise_seen == 0);
	return selftest_compare(1, traps_seen);
}

static struct selftest_result check_disrupting_without_toe(unsigned counter)
{
	overflow_disrupting(counter, USER, 0);
	return selftest_compare(0, traps_seen);
}

// The trap comes again as long as ov and toe are set.
static struct selftest_result check_level(unsigned times)
{
	overflow_disrupting(0, USER | TRAP, times);
	return selftest_compare(times + 1, traps_seen);
}

// While interrupts are off the trap waits.
static struct selftest_result check_waits(unsigned counter)
{
	bool interrupts = hal_interrupts_disable();

	watch_traps(0);
	count_from(counter, CYCLES | HYPERPRIVILEGED | TRAP, -50ULL, 1000);
	set_control(counter, CYCLES | TRAP | STATUS);
	selftest_require(traps_seen == 0);
	hal_interrupts_restore(interrupts);
	hal_execute(100);
	stop_all();
	return selftest_compare(1, traps_seen);
}

//
// The runtime on top: sessions, polling, contexts, the light halt
//

#define CYCLES_SESSION "Cycles:u,Cycles:u:period=1000,Cycles:u:period=1000,Cycles:u:period=1000"

static void run_cycles(void)
{
	selftest_start(CYCLES_SESSION);
	hal_execute_user(5000);
	selftest_stop();
}

static struct selftest_result check_cycles_exact(unsigned event)
{
	run_cycles();
	return selftest_compare(selftest_count(0), selftest_count(event));
}

static uint64_t samples_at(unsigned level)
{
	struct pmu_sample sample;
	uint64_t samples = 0;

	while (pmu_take_sample(&sample))
		samples += sample.source.level == level;
	return samples;
}

static struct selftest_result check_cycles_samples(unsigned)
{
	run_cycles();
	return selftest_compare(3 * (selftest_count(0) / 1000), samples_at(SPARCT4_USER));
}

// A precise trap's sample has the count at which it was due: there is no skid.
static struct selftest_result check_precise_samples(unsigned)
{
	struct pmu_sample sample;
	uint64_t on_time = 0;

	selftest_start("Instr_all:u,Instr_all:u:period=1000");
	hal_execute_user(10500);
	selftest_stop();
	while (pmu_take_sample(&sample))
		on_time += sample.count % 1000 == 0;
	return selftest_compare(selftest_count(0) / 1000, on_time);
}

#define POLLED_SESSION	"Instr_all:k,Instr_all:k:period=1000"
#define POLLED_LONG	300000		/* instructions: several times poll_clocks, whatever the clock's relation */

// By how much the second counter has less than the first, or more: they start and stop one after the other. Not
// inlined, and with the same counters: the code around is the same each time.
__attribute__((noipa)) static uint64_t polled_difference(uint64_t n)
{
	pmu_begin(pmu_current_driver(), false);
	selftest_start(POLLED_SESSION);
	hal_execute(n);
	selftest_stop();
	return selftest_count(1) - selftest_count(0);
}

// Overflows without a trap are not lost: with one behind it, nobody having looked, the second counter has what it has
// without.
static struct selftest_result check_polled_count(unsigned)
{
	const uint64_t expected = polled_difference(100);

	return selftest_compare(expected, polled_difference(POLLED_LONG));
}

static struct selftest_result check_polled_found(unsigned)
{
	struct pmu_statistics statistics;

	selftest_start(POLLED_SESSION);
	for (unsigned i = 0; i < 3; i++) {
		hal_execute(POLLED_LONG);
		hal_execute_user(1000);		// the timer interrupts the lower levels only
	}
	pmu_statistics(&statistics);
	selftest_stop();
	return selftest_compare(1, statistics.polled > 1);
}

static struct selftest_result check_polled_by_hand(unsigned)
{
	selftest_start(POLLED_SESSION);
	hal_execute(2000);
	pmu_poll();
	selftest_require(samples_at(SPARCT4_HYPERPRIVILEGED) == 1);
	hal_execute(2000);
	pmu_poll();
	selftest_stop();
	return selftest_compare(1, samples_at(SPARCT4_HYPERPRIVILEGED));
}

// Where a write sets ov, counters of this mode that trap would do so for ever: the driver leaves ov by writing it as 1.
static bool start_hyperprivileged(const char *events)
{
	set_control(0, STATUS);
	selftest_require(!status_of(0));
	if (!status_of(0))
		selftest_start(events);
	return !status_of(0);
}

// The PCRs are afterwards what they were.
static struct selftest_result check_halt_state(unsigned counter)
{
	uint64_t before;

	if (!start_hyperprivileged("Instr_all:u,Cycles,Instr_all:k,Cycles:k:period=100000"))
		return selftest_compare(1, 0);
	before = selftest_read(control_of(counter));
	selftest_light_halt(5000);
	selftest_require(selftest_read(control_of(counter)) == before);
	return selftest_compare(1, before & FIELD(PCR, sl) ? 1 : 0);
}

__attribute__((noipa)) static uint64_t counted_in_halt(uint32_t ticks)
{
	const uint64_t before = selftest_count(0);

	selftest_light_halt(ticks);
	return selftest_count(0) - before;
}

#define HALT_LONGER	500000		/* ticks */
#define HALT_NOISE	5000		/* cycles that the same instructions may take more or fewer */

// However long it is, what is executed around it is the same.
static struct selftest_result check_halt_uncounted(unsigned)
{
	uint64_t expected;

	if (!start_hyperprivileged("Cycles:plm=11"))
		return selftest_compare(1, 0);
	expected = counted_in_halt(5000);
	return selftest_compare(1, counted_in_halt(5000 + HALT_LONGER) + HALT_NOISE - expected < 2 * HALT_NOISE);
}

// An overflow whose trap is pending when the halt begins ends it, and is served.
static struct selftest_result check_halt_overflow(unsigned)
{
	bool interrupts = hal_interrupts_disable();

	watch_traps(0);
	count_from(0, CYCLES | HYPERPRIVILEGED | TRAP, -50ULL, 1000);
	set_control(0, TRAP | CYCLES | STATUS);
	selftest_light_halt(5000);
	hal_interrupts_restore(interrupts);
	return selftest_compare(1, traps_seen);
}

#define EACH_OF(prefix, name, run) {name prefix "0", run, 0}, {name prefix "1", run, 1}, {name prefix "2", run, 2}, \
				   {name prefix "3", run, 3},
#define EACH_PIC(name, run) EACH_OF("PIC", name, run)
#define EACH_PCR(name, run) EACH_OF("PCR", name, run)
#define EACH_EVENT(prefix, name, run) {prefix "1" name, run, 1}, {prefix "2" name, run, 2}, {prefix "3" name, run, 3},

static const struct selftest_check checks[] = {
	EACH_PIC("reserved bits keep out of the count: ", check_upper)
	EACH_PIC("ht and ut, user: ", check_both_there)
	EACH_PIC("st only, privileged: ", check_privileged_there)
	EACH_PIC("ht and ut, privileged: ", check_others_there)
	EACH_PIC("st only, on the way to user mode: ", check_way_down)
	{"counters without ht start together", check_barrier, 0},
	EACH_PIC("closed, user does not read: ", check_closed)
	{"there is no counter 4", selftest_no_counter, COUNTERS},
	EACH_PCR("ov stays where 1 is written: ", check_ov_kept)
	EACH_PCR("ov goes where 0 is written: ", check_ov_cleared)
	EACH_PCR("the driver clears only ", check_driver_clears_one)
	EACH_PCR("a write that overflows its counter leaves ov, and ntc: ", check_rewritten)
	EACH_PCR("precise trap comes from user level: ", check_precise_level)
	{"precise trap comes from privileged level", check_precise_privileged, 0},
	{"precise trap: no instruction too many is counted", check_precise_state, 0},
	{"precise trap: ov is set, ntc is not", check_precise_state, 1},
	EACH_PCR("no precise trap with ht: ", check_precise_with_ht)
	EACH_PCR("no precise trap in hyperprivileged mode: ", check_precise_here)
	EACH_PCR("disrupting trap, once: ", check_disrupting)
	EACH_PCR("no disrupting trap without toe: ", check_disrupting_without_toe)
	{"disrupting trap comes until ov is cleared", check_level, 3},
	EACH_PCR("disrupting trap waits for interrupts: ", check_waits)
	EACH_EVENT("session: counter ", " of 3 with disrupting traps at once is exact", check_cycles_exact)
	{"session: disrupting traps are samples", check_cycles_samples, 0},
	{"session: precise samples have no skid", check_precise_samples, 0},
	{"polled: no overflow is lost", check_polled_count, 0},
	{"polled: overflows are found", check_polled_found, 0},
	{"polled: looking by hand takes the sample", check_polled_by_hand, 0},
	EACH_PCR("PAL_HALT_LIGHT preserves ", check_halt_state)
	{"PAL_HALT_LIGHT is not counted", check_halt_uncounted, 0},
	{"PAL_HALT_LIGHT: a pending overflow is served", check_halt_overflow, 0},
};

extern const struct pmu_driver pmu_driver_sparct4;

const struct selftest_suite selftest_suite_sparct4 = {
	.driver = &pmu_driver_sparct4,
	.sessions = {
		.overflowing = "Instr_all:u,Instr_all:u:period=1000,Instr_all:u:period=1000,Instr_all:u:period=1000",
		.user = "Instr_all:u,Instr_all:u:period=1000",
		.storm = "Instr_all:u,Instr_all:u:period=50",
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
	SELFTEST_LIST(checks),
};
