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
		selftest_write(control_of(i), counters >> i & 1 ? selftest_select(i) | STATUS :
			       STOPPED);
}

// Runs one counter. Several counters start together only at a lower level.
static void run(uint64_t counters, uint64_t n)
{
	const unsigned counter = (unsigned)__builtin_ctzll(counters);

	selftest_execute_between(control_of(counter), selftest_select(counter) | STATUS, STOPPED,
				 n);
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
	{.first = 0, .count = COUNTERS, .event = "Instr_all", .exact = true, .cycles = "Cycles",
	 .interrupt = TRAP},
};

//
// Counting (Table 10-1, sl, mask and modes; Table 10-2)
//

static uint64_t counts_with_sl_0(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD_PUT(PCR, sl, SPARCT4_SL_INSTRUCTIONS));
}

static uint64_t counts_without_a_mode(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD(PCR, ut));
}

// sl 3, mask 2: floating point and cryptography; the code has none.
static uint64_t counts_another_kind(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD_PUT(PCR, mask, SPARCT4_ALL_KINDS ^ 0x02));
}

// The number of instructions of each kind in a round of hal_execute_kinds. By footnotes 7 to 9 a
// block store is a store, WRY an SPR ring op, and LDSTUB, PREFETCH, SETHI, NOP and SUB are others.
static const struct {
	const char *event;
	uint8_t in_round;
} kinds[] = {
	{"Branches:k", 2}, {"Instr_ld:k", 1}, {"Instr_st:k", 2}, {"SPR_ring_ops:k", 1},
	{"Instr_other:k", 6},
	{"Branches_sl4:k", 2}, {"Br_taken:k", 1}, {"Sw_count_intr:k", 1}, {"Atomics:k", 1},
	{"SW_prefetch:k", 1},
	{"Block_ld_st:k", 1}, {"Instr_all:k", 12},
};

static const char *const kind_names[] = {
	"branches", "loads", "stores", "SPR ring ops", "others", "sl 4: branches",
	"sl 4: taken branches",
	"sl 4: software counts", "sl 4: atomics", "sl 4: prefetches", "sl 4: block stores", "all",
};

#define EACH_KIND	FIELD_MASK(0, sizeof kinds / sizeof *kinds)

// Returns the count of 100 more rounds. The loop's taken branch counts once in each round, too.
static uint64_t counts_each_kind(unsigned kind)
{
	const unsigned counter = kind % COUNTERS;
	uint64_t counts[2];

	for (unsigned i = 0; i < 2; i++) {
		selftest_set_event(counter, kinds[kind].event, 0);
		selftest_run_by(hal_execute_kinds, counter, (i + 1) * 100);
		counts[i] = selftest_value(counter);
	}
	selftest_expect(kinds[kind].in_round * 100);
	return counts[1] - counts[0];
}

// Reserved bits of a PIC hold written values, and a wrap does not change them.
static uint64_t reserved_bits_keep_out_of_the_count(unsigned counter)
{
	selftest_set(counter, AT_OS, 0);
	selftest_write_value(counter, 0xABCDEF01FFFFFFFF);
	selftest_run(counter, 99);
	return selftest_value(counter);
}

//
// Privilege levels (Table 10-1, ht, st, ut)
//

static uint64_t count_while(void (*execute)(uint64_t), unsigned counter, unsigned at, uint64_t n)
{
	selftest_set(counter, at, 0);
	selftest_run_by(execute, counter, n);
	return selftest_value(counter);
}

static uint64_t ht_and_ut_count_user(unsigned counter)
{
	return count_while(hal_execute_user, counter, AT_OS | AT_USER, 1000 + selftest_more());
}

static uint64_t st_counts_privileged(unsigned counter)
{
	return count_while(hal_execute_privileged, counter, AT_PRIVILEGED, 1000 + selftest_more());
}

static uint64_t ht_and_ut_count_privileged(unsigned counter)
{
	return count_while(hal_execute_privileged, counter, AT_OS | AT_USER,
			   1000 + selftest_more());
}

// The way to user mode is WRHPR %hpstate in hyperprivileged mode, then one instruction in
// privileged mode.
static uint64_t st_counts_on_the_way_to_user_mode(unsigned counter)
{
	return count_while(hal_execute_user, counter, AT_PRIVILEGED, 1000);
}

// A counter of the lowest level that is enabled in hyperprivileged mode starts when the level
// changes.
static uint64_t counters_without_ht_start_together(unsigned)
{
	selftest_set_all(AT_USER, 0);
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

//
// Access to the PIC (Table 10-1, picnpt and picnht)
//

#define KNOWN_VALUE 0x5A5A

// The lowest level can read an open counter, and cannot read one that a bit closes. Returns bit 0:
// it can with picnpt; bit 1: with picnht.
static uint64_t user_reads_closed_counter(unsigned counter)
{
	uint64_t value = 0;
	unsigned read;

	selftest_write_value(counter, KNOWN_VALUE);
	selftest_write_control(counter, 0);
	selftest_require(hal_read_counter_user(counter, &value) && value == KNOWN_VALUE);
	selftest_write_control(counter, FIELD(PCR, picnpt));
	read = hal_read_counter_user(counter, &value);
	selftest_write_control(counter, FIELD(PCR, picnht));
	return read | hal_read_counter_user(counter, &value) << 1;
}

// Closes the counter by picnpt (bit 0 of `by`) and picnht (bit 1).
static void close_counter(unsigned counter, uint64_t by)
{
	selftest_write_control(counter,
			       FIELD_PUT(PCR, picnpt, by & 1) | FIELD_PUT(PCR, picnht, by >> 1));
}

// Both bits close the PIC to accesses, including writes (Table 10-3: RW). Returns bits: user mode
// can write the PIC with neither bit (0), with picnpt (1), with picnht (2), with both (3).
static uint64_t user_writes_open_counter_only(unsigned counter)
{
	uint64_t found = 0;

	for (uint64_t closed = 0; closed <= 3; closed++) {
		selftest_write_value(counter, 0);
		close_counter(counter, closed);
		found |= (uint64_t)hal_write_counter_user(counter, 0xA5A5) << closed;
		selftest_require(selftest_value(counter) == (closed ? 0 : 0xA5A5));
	}
	return found;
}

// Privileged software can access the PIC only if picnht = 0; picnpt does not affect it. Returns
// bits: it can read with picnpt (0), with picnht (1), with both (2).
static uint64_t picnht_closes_to_privileged_code(unsigned counter)
{
	uint64_t value = 0, found = 0;

	selftest_write_value(counter, KNOWN_VALUE);
	for (uint64_t closed = 1; closed <= 3; closed++) {
		close_counter(counter, closed);
		if (hal_read_counter_privileged(counter, &value) && value == KNOWN_VALUE)
			found |= BIT(closed - 1);
	}
	return found;
}

static uint64_t counter_4_faults(unsigned)
{
	return selftest_counter_faults(COUNTERS);
}

//
// Overflow status: ov and ntc (Table 10-1)
//

// Overflows in hyperprivileged mode, without a trap.
static void overflow_here(unsigned counter)
{
	selftest_set_event(counter, "Cycles:k", -50ULL);
	selftest_run(counter, 1000);
}

static uint64_t ov_stays_where_1_is_written(unsigned counter)
{
	overflow_here(counter);
	selftest_write_control(counter, CYCLES | STATUS);
	selftest_write_control(counter, STATUS);
	return selftest_control(counter) & OV;
}

static uint64_t ov_goes_where_0_is_written(unsigned counter)
{
	overflow_here(counter);
	if (!selftest_require_equal(selftest_control(counter) & OV, OV))
		return 0;
	selftest_write_control(counter, 0);
	return selftest_control(counter) & STATUS;
}

// The write that stops the counter and clears ov is also the instruction that overflows it: a
// next-to-commit instruction.
static void overflow_by_rewrite(unsigned counter)
{
	selftest_set(counter, AT_OS, -101ULL);
	selftest_execute_between(control_of(counter), selftest_select(counter), 0, 100);
}

static uint64_t ov_and_ntc_go_where_0_is_written(unsigned counter)
{
	overflow_by_rewrite(counter);
	if (!selftest_require_equal(selftest_control(counter) & STATUS, STATUS))
		return 0;
	selftest_write_control(counter, 0);
	return selftest_control(counter) & STATUS;
}

static uint64_t driver_clears_only_one(unsigned counter)
{
	selftest_start("Cycles:u,Cycles:u,Cycles:u,Cycles:u");
	selftest_watch(counter, 0, 0);
	selftest_require(pmu_current_driver()->enable(0));
	for (unsigned i = 0; i < COUNTERS; i++)
		overflow_here(i);
	selftest_require(pmu_current_driver()->overflow_clear(BIT(counter)));
	selftest_expect(ALL & ~BIT(counter));
	return overflowed();
}

static uint64_t write_that_overflows_leaves_status(unsigned counter)
{
	overflow_by_rewrite(counter);
	selftest_require_equal(selftest_value(counter), 0);
	return selftest_control(counter) & STATUS;
}

// WRPR is a next-to-commit instruction (Table 10-1, footnote 1). On the way to user mode it is the
// only instruction that st counts.
static uint64_t wrpr_that_overflows_leaves_status(unsigned counter)
{
	selftest_set(counter, AT_PRIVILEGED, -1ULL);
	selftest_run_by(hal_execute_user, counter, 100);
	return selftest_control(counter) & STATUS;
}

//
// Precise traps (10.2 and 10.3)
//

// Requires one interrupt, by a precise trap.
static bool require_precise_trap(void)
{
	return selftest_require_equal(selftest_seen()->interrupts, 1) &&
	       selftest_require_equal(selftest_seen()->precise, true);
}

static uint64_t precise_trap_comes_from_user_level(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_overflow_once(counter, INTERRUPTING);
	require_precise_trap();
	return selftest_seen()->level;
}

static uint64_t precise_trap_comes_from_privileged_level(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_set(counter, AT_PRIVILEGED | INTERRUPTING, -50ULL);
	selftest_run_by(hal_execute_privileged, counter, 1000);
	selftest_require_equal(selftest_seen()->precise, true);
	return selftest_seen()->level;
}

// Only the instruction that wraps the counter to 0 has been counted.
static uint64_t count_at_precise_trap(unsigned counter)
{
	selftest_watch(counter, 0, SPARCT4_PIC0);
	selftest_overflow_once(counter, INTERRUPTING);
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return selftest_seen()->reading;
}

static uint64_t status_at_precise_trap(unsigned counter)
{
	selftest_watch(counter, 0, SPARCT4_PCR0);
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->reading & STATUS;
}

// Events that known code raises in hyperprivileged mode (Table 10-2): cache misses, and jumps whose
// targets the branch target cache does not have.
static void execute_far_once(uint64_t)
{
	hal_execute_far();
}

static const struct selftest_raised raised[] = {
	SELFTEST_RAISED("DC_miss", hal_read_lines, 1024),
	SELFTEST_RAISED("DC_miss_local_hit", hal_read_lines, HAL_LINES_MOST),
	SELFTEST_RAISED("IC_miss", execute_far_once, 1),
	SELFTEST_RAISED("BTC_miss", execute_far_once, 1),
};

static const char *const raised_names[] = {"DC_miss", "DC_miss_local_hit", "IC_miss", "BTC_miss"};

static uint64_t event_counts_at_level_0_alone(unsigned event)
{
	return selftest_counts_raised(&raised[event], event % COUNTERS, (event + 1) % COUNTERS);
}

#define ROUNDS		20
#define LINES		1024		/* four times the L1 data cache */
#define RANDOM_BRANCHES	256

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
	hal_execute_random(RANDOM_BRANCHES);
	return 0;
}

static int execute_far(void)
{
	hal_execute_far();
	return 0;
}

// The last of `events` events that this code causes in user mode overflows the counter, and traps.
static void trap_in_user_code(unsigned counter, const char *event, uint64_t events,
			      int (*code)(void))
{
	selftest_set_event(counter, event, -events);
	selftest_flip(counter, TRAP);
	selftest_enable(BIT(counter));
	hal_run_user(code);
	selftest_enable(0);
}

// The fifth event traps. Expects the address of the round's instruction of this kind.
static uint64_t address_of_precise_trap(unsigned counter, const char *event, enum hal_kind kind)
{
	selftest_watch(counter, 0, 0);
	trap_in_user_code(counter, event, 5, execute_kinds);
	if (!require_precise_trap())
		return 0;
	selftest_expect(hal_kind_address(kind));
	return selftest_seen()->ip;
}

// Table 10-1, toe: "TPC will contain the address of an instruction that generated the counter
// overflow event".
static uint64_t tpc_is_that_of_the_overflow(unsigned counter)
{
	return address_of_precise_trap(counter, "Sw_count_intr:u", HAL_COUNTED);
}

static uint64_t tpc_of_an_atomic_is_its_own(unsigned counter)
{
	return address_of_precise_trap(counter, "Atomics:u", HAL_ATOMIC);
}

static uint64_t status_at_precise_trap_of_an_atomic(unsigned counter)
{
	selftest_watch(counter, 0, SPARCT4_PCR0);
	trap_in_user_code(counter, "Atomics:u", 5, execute_kinds);
	require_precise_trap();
	return selftest_seen()->reading & STATUS;
}

// An event of each precise group except sl 3, and code that causes it often (Table 10-2).
static const struct {
	const char *event;
	int (*code)(void);
} precise_groups[] = {
	{"Br_taken:u", execute_kinds}, {"IC_miss_nospec:u", execute_far},
	{"DC_miss_nospec:u", read_lines},
	{"Br_mispred:u", execute_random},
};

static const char *const group_names[] = {"4", "5", "16", "25"};

#define EACH_GROUP	FIELD_MASK(0, sizeof precise_groups / sizeof *precise_groups)

static uint64_t group_is_precise(unsigned group)
{
	selftest_watch(0, 0, 0);
	trap_in_user_code(group % COUNTERS, precise_groups[group].event, 10,
			  precise_groups[group].code);
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return selftest_seen()->precise;
}

// PCR.ht prevents precise traps, at the lowest level too.
static uint64_t precise_traps_with_ht(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_set(counter, AT_OS | AT_USER | INTERRUPTING, -50ULL);
	selftest_run_by(hal_execute_user, counter, 1000);
	return selftest_seen()->interrupts;
}

static uint64_t precise_traps_in_hyperprivileged_mode(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_set(counter, AT_OS | INTERRUPTING, -50ULL);
	selftest_run(counter, 1000);
	selftest_require_equal(selftest_control(counter) & OV, OV);
	return selftest_seen()->interrupts;
}

//
// Disrupting traps (10.2)
//

// `trap`: TRAP or 0.
static void overflow_cycles_of_user(unsigned counter, uint64_t trap)
{
	selftest_set_event(counter, "Cycles:u", -50ULL);
	selftest_flip(counter, trap);
	selftest_run_by(hal_execute_user, counter, 1000);
}

static uint64_t disrupting_trap_comes_once(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	overflow_cycles_of_user(counter, TRAP);
	selftest_require_equal(selftest_seen()->precise, false);
	return selftest_seen()->interrupts;
}

static uint64_t disrupting_traps_without_toe(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	overflow_cycles_of_user(counter, 0);
	return selftest_seen()->interrupts;
}

// The trap repeats while ov and toe are set: three times the handler does nothing.
static uint64_t disrupting_trap_comes_until_ov_is_cleared(unsigned counter)
{
	selftest_watch(counter, 3, 0);
	overflow_cycles_of_user(counter, TRAP);
	return selftest_seen()->interrupts;
}

// Overflows in hyperprivileged mode. The trap waits while the counter stands still.
static void leave_trap_pending(unsigned counter)
{
	selftest_set_event(counter, "Cycles:k", -50ULL);
	selftest_flip(counter, TRAP);
	selftest_run(counter, 1000);
	selftest_write_control(counter, CYCLES | TRAP | STATUS);
}

static uint64_t disrupting_trap_waits_for_interrupts(unsigned counter)
{
	hal_interrupts_disable();
	selftest_watch(counter, 0, 0);
	leave_trap_pending(counter);
	if (!selftest_require_equal(selftest_seen()->interrupts, 0))
		return 0;
	hal_interrupts_restore(true);
	hal_execute(100);
	selftest_enable(0);
	return selftest_seen()->interrupts;
}

//
// Sessions with traps
//

// Three counters with disrupting traps at once, next to one that only counts.
static void sample_cycles(void)
{
	selftest_start("Cycles:u,Cycles:u:period=1000,Cycles:u:period=1000,Cycles:u:period=1000");
	hal_execute_user(5000);
	selftest_stop();
}

static uint64_t disrupting_counter_is_exact(unsigned event)
{
	sample_cycles();
	selftest_expect(selftest_count(0));
	return selftest_count(event);
}

static uint64_t disrupting_traps_are_samples(unsigned)
{
	sample_cycles();
	selftest_expect(3 * (selftest_count(0) / 1000));
	return selftest_samples(SPARCT4_USER);
}

// Returns the number of samples with the exact count at which they were due: precise traps have no
// skid.
static uint64_t precise_samples_have_no_skid(unsigned)
{
	struct pmu_sample sample;
	uint64_t on_time = 0;

	selftest_start_listed(SELFTEST_AT_USER);
	hal_execute_user(10500);
	selftest_stop();
	selftest_expect(selftest_count(0) / 1000);
	while (pmu_take_sample(&sample))
		on_time += sample.count % 1000 == 0;
	return on_time;
}

// Leaves a running counter in the state after a lost precise trap: ov and ntc are set, and no trap
// comes. The counter counts in this mode until its control value is written. That store, a
// next-to-commit instruction, overflows it. Returns whether it did.
static bool lose_trap(unsigned counter)
{
	const uint64_t running = selftest_control(counter);
	const uint64_t here = FIELD_PUT(PCR, sl, SPARCT4_SL_INSTRUCTIONS) |
			      FIELD_PUT(PCR, mask, SPARCT4_ALL_KINDS) | FIELD(PCR, ht);

	selftest_write_control(counter, 0);
	selftest_write_value(counter, (uint32_t)-101);
	selftest_execute_between(control_of(counter), here, running | STATUS, 100);
	return (selftest_control(counter) & STATUS) == STATUS;
}

// Counts the instructions of a program that traps after another counter's trap was lost. The number
// must equal that of a run without the lost trap. The traps come in a loop, so that a skipped
// instruction changes the number.
static uint64_t lost_trap_skips_no_instruction(unsigned)
{
	uint64_t before;

	selftest_start("Instr_all:u:period=1000:ctr=0,Atomics:u:period=10:ctr=1");
	before = selftest_count(0);
	hal_execute_user(2500);
	selftest_expect(selftest_count(0) - before);
	selftest_require(lose_trap(1));
	before = selftest_count(0);
	hal_execute_user(2500);
	return selftest_count(0) - before;
}

#define LOST_LONG	2000000		/* instructions: several times lost_clocks */

static uint64_t lost_trap_is_found_by_looking(unsigned)
{
	selftest_start("Instr_all:u:period=1000:ctr=0");
	if (!selftest_require_equal(lose_trap(0), true))
		return 0;
	hal_execute(LOST_LONG);
	hal_execute_user(10);
	return selftest_statistics().polled > 0;
}

//
// Polled sessions: the counters overflow without a trap
//

#define POLLED_LONG	300000		/* instructions: a multiple of poll_clocks at any clock
					 * ratio */

static void start_polled(void)
{
	selftest_start("Instr_all:k,Instr_all:k:period=1000");
}

// After another overflow that no poll has seen, the second counter still agrees with the first.
// Returns the second count less the first one: they start and stop one after the other.
static uint64_t polled_counter_loses_no_overflow(unsigned)
{
	start_polled();
	hal_execute(100 + selftest_more());
	selftest_stop();
	return selftest_count(1) - selftest_count(0);
}

// The timer interrupts lower levels only.
static uint64_t polls_find_overflows(unsigned)
{
	uint64_t polled;

	start_polled();
	for (unsigned i = 0; i < 3; i++) {
		hal_execute(POLLED_LONG);
		hal_execute_user(1000);
	}
	polled = selftest_statistics().polled;
	selftest_stop();
	return polled > 1;
}

static uint64_t poll_takes_the_sample(unsigned)
{
	start_polled();
	hal_execute(2000);
	pmu_poll();
	if (!selftest_require_equal(selftest_samples(SPARCT4_HYPERPRIVILEGED), 1))
		return 0;
	hal_execute(2000);
	pmu_poll();
	selftest_stop();
	return selftest_samples(SPARCT4_HYPERPRIVILEGED);
}

//
// PAL_HALT_LIGHT
//

// Requires that a write of 1 does not set ov. The driver writes 1 to keep ov, so with such a defect
// the trapping counters of this mode would trap for ever.
static bool start_here(const char *events)
{
	selftest_write(SPARCT4_PCR0, STATUS);
	if (!selftest_require_equal(selftest_read(SPARCT4_PCR0) & STATUS, 0))
		return false;
	selftest_start(events);
	return true;
}

// The halt restores the PCRs.
static uint64_t halt_preserves_pcr(unsigned counter)
{
	if (!start_here("Instr_all:u,Cycles,Instr_all:k,Cycles:k:period=100000") ||
	    !selftest_require_equal((selftest_control(counter) & FIELD(PCR, sl)) > 0, true))
		return 0;
	selftest_expect(selftest_control(counter));
	selftest_light_halt(5000);
	return selftest_control(counter);
}

__attribute__((noipa)) static uint64_t counted_in_halt(uint32_t ticks)
{
	const uint64_t before = selftest_count(0);

	selftest_light_halt(ticks);
	return selftest_count(0) - before;
}

#define HALT_NOISE	5000		/* cycles by which the same instructions may differ */

// Halts of different length add the same count, that of the instructions around them.
static uint64_t halt_is_not_counted(unsigned)
{
	uint64_t expected;

	if (!start_here("Cycles:plm=11"))
		return 0;
	expected = counted_in_halt(5000);
	return counted_in_halt(505000) + HALT_NOISE - expected < 2 * HALT_NOISE;
}

// The trap that is pending when the halt begins ends the halt.
static uint64_t overflow_before_halt_is_served(unsigned counter)
{
	hal_interrupts_disable();
	selftest_watch(counter, 0, 0);
	leave_trap_pending(counter);
	selftest_light_halt(5000);
	hal_interrupts_restore(true);
	return selftest_seen()->interrupts;
}

//
// The suite
//

static const char *const numbers[] = {"0", "1", "2", "3"};

static const struct selftest_case cases[] = {
	{"sl 0 counts nothing: #", ALL, 0, .run = counts_with_sl_0},
	{"without a mode nothing counts: #", ALL, 0, .run = counts_without_a_mode},
	{"an instruction of another kind does not count: #", ALL, 0, .run = counts_another_kind},
	{"counts the instructions of known code: #", EACH_KIND, .run = counts_each_kind,
	 .names = kind_names},
	{"reserved bits keep out of the count: #", ALL, 0xABCDEF0100000063,
	 .run = reserved_bits_keep_out_of_the_count},

	{"ht and ut, user: #", ALL, 2000, .run = ht_and_ut_count_user, .more = 2000},
	{"st only, privileged: #", ALL, 2000, .run = st_counts_privileged, .more = 2000},
	{"ht and ut, privileged: #", ALL, 0, .run = ht_and_ut_count_privileged, .more = 2000},
	{"st only, on the way to user mode: #", ALL, 1, .run = st_counts_on_the_way_to_user_mode},
	{"counters without ht start together", .run = counters_without_ht_start_together},
	{"closed, user does not read: #", ALL, 0, .run = user_reads_closed_counter},
	{"closed, user does not write: #", ALL, 1, .run = user_writes_open_counter_only},
	{"picnht alone closes to privileged code: #", ALL, 1,
	 .run = picnht_closes_to_privileged_code},
	{"there is no counter 4", 0, true, .run = counter_4_faults},

	{"ov stays where 1 is written: #", ALL, OV, .run = ov_stays_where_1_is_written,
	 .control = true},
	{"ov goes where 0 is written: #", ALL, 0, .run = ov_goes_where_0_is_written,
	 .control = true},
	{"ov and ntc go where 0 is written: #", ALL, 0, .run = ov_and_ntc_go_where_0_is_written,
	 .control = true},
	{"the driver clears only #", ALL, .run = driver_clears_only_one, .control = true},
	{"a write that overflows its counter leaves ov, and ntc: #", ALL, STATUS,
	 .run = write_that_overflows_leaves_status, .control = true},
	{"WRPR that overflows its counter leaves ov, and ntc: #", ALL, STATUS,
	 .run = wrpr_that_overflows_leaves_status, .control = true},

	{"precise trap comes from user level: #", ALL, SPARCT4_USER,
	 .run = precise_trap_comes_from_user_level,
	 .control = true},
	{"precise trap comes from privileged level", 0, SPARCT4_PRIVILEGED,
	 .run = precise_trap_comes_from_privileged_level},
	{"precise trap: no instruction too many is counted", 0, 0, .run = count_at_precise_trap},
	{"precise trap: ov is set, ntc is not", 0, OV, .run = status_at_precise_trap},
	{"precise trap: TPC is that of the overflow's instruction: #", ALL,
	 .run = tpc_is_that_of_the_overflow,
	 .control = true},
	{"precise trap of an atomic: TPC is its own", .run = tpc_of_an_atomic_is_its_own},
	{"precise trap of an atomic: ov and ntc are set", 0, STATUS,
	 .run = status_at_precise_trap_of_an_atomic},
	{"sl # is precise", EACH_GROUP, true, .run = group_is_precise, .names = group_names},
	{"no precise trap with ht: #", ALL, 0, .run = precise_traps_with_ht, .control = true},
	{"no precise trap in hyperprivileged mode: #", ALL, 0,
	 .run = precise_traps_in_hyperprivileged_mode,
	 .control = true},

	{"disrupting trap, once: #", ALL, 1, .run = disrupting_trap_comes_once, .control = true},
	{"no disrupting trap without toe: #", ALL, 0, .run = disrupting_traps_without_toe,
	 .control = true},
	{"disrupting trap comes until ov is cleared", 0, 4,
	 .run = disrupting_trap_comes_until_ov_is_cleared},
	{"disrupting trap waits for interrupts: #", ALL, 1,
	 .run = disrupting_trap_waits_for_interrupts,
	 .control = true},

	{"session: counter # of 3 with disrupting traps at once is exact", 0xE,
	 .run = disrupting_counter_is_exact,
	 .names = numbers},
	{"session: disrupting traps are samples", .run = disrupting_traps_are_samples},
	{"session: precise samples have no skid", .run = precise_samples_have_no_skid},
	{"precise trap: one of another counter that was lost skips no instruction",
	 .run = lost_trap_skips_no_instruction},
	{"precise trap: one that was lost is found by looking", 0, true,
	 .run = lost_trap_is_found_by_looking},
	{"polled: no overflow is lost", 0, 0, .run = polled_counter_loses_no_overflow,
	 .more = POLLED_LONG},
	{"polled: overflows are found", 0, true, .run = polls_find_overflows},
	{"polled: looking by hand takes the sample", 0, 1, .run = poll_takes_the_sample},

	{"PAL_HALT_LIGHT preserves #", ALL, .run = halt_preserves_pcr, .control = true},
	{"PAL_HALT_LIGHT is not counted", 0, true, .run = halt_is_not_counted},
	{"PAL_HALT_LIGHT: a pending overflow is served", 0, 1,
	 .run = overflow_before_halt_is_served},
	{"counts in hyperprivileged mode alone: #", FIELD_MASK(0, sizeof raised / sizeof *raised),
	 true,
	 .run = event_counts_at_level_0_alone, .names = raised_names},
};

extern const struct pmu_driver pmu_driver_sparct4;

const struct selftest_suite selftest_suite_sparct4 = {
	.driver = &pmu_driver_sparct4,
	.sessions = {
		[SELFTEST_OVERFLOWING] =
			"Instr_all:u,Instr_all:u:period=1000,Instr_all:u:period=1000,"
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
