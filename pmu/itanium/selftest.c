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
	{.address = ITANIUM_PMD(n), .count = (number), .with_address = ITANIUM_PMC(control), \
	 .with_value = ALL_LEVELS}

static const struct selftest_exception exceptions[] = {
	LEFT_OUT(ITANIUM_PSR), LEFT_OUT(ITANIUM_DCR), LEFT_OUT(ITANIUM_ITC), LEFT_OUT(ITANIUM_ITM),
	LEFT_OUT(ITANIUM_ITV),
	DATA(0, 2, 10), DATA(2, 2, 11), DATA(4, 1, 4), DATA(5, 1, 5), DATA(6, 1, 6), DATA(7, 1, 7),
	DATA(8, 9, 12), DATA(17, 1, 11),
};

#define RETIRING	0x30	/* in the checks counters 4 and 5 count instructions, 6 and 7
				 * cycles */
#define CYCLING		0xC0
#define COUNTERS(from)	.first = (from), .count = 2, .cycles = "CPU_CYCLES", \
	.interrupt = FIELD(PMC4, oi)

static const struct selftest_counters counters[] = {
	{COUNTERS(FIRST), .event = "IA64_INST_RETIRED", .exact = true},
	{COUNTERS(FIRST + 2), .event = "CPU_CYCLES"},
};

//
// Starting and stopping
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

static void run_privileged(uint64_t, uint64_t n)
{
	count_with(FIELD(PSR, pp), n);
}

static void acknowledge(uint64_t overflowed)
{
	selftest_require(pmu_current_driver()->overflow_clear(overflowed));
}

//
// Registers
//

// Returns the bits that hold both 0 and 1.
static uint64_t bits_that_hold(uint32_t address, uint64_t bits)
{
	uint64_t clear;

	change_register(address, bits, 0);
	clear = selftest_read(address) & bits;
	change_register(address, 0, bits);
	return clear ^ (selftest_read(address) & bits);
}

static uint64_t psr_up_holds(unsigned)
{
	return bits_that_hold(ITANIUM_PSR, FIELD(PSR, up));
}

static uint64_t psr_pp_holds(unsigned)
{
	return bits_that_hold(ITANIUM_PSR, FIELD(PSR, pp));
}

static uint64_t psr_sp_holds(unsigned)
{
	return bits_that_hold(ITANIUM_PSR, FIELD(PSR, sp));
}

static uint64_t dcr_pp_holds(unsigned)
{
	return bits_that_hold(ITANIUM_DCR, FIELD(DCR, pp));
}

#define ADDRESSES	(BIT(0) | BIT(2) | BIT(17)) /* data registers that hold event addresses */
#define ADDRESS_SIGN	FIELD_MASK(ITANIUM_ADDRESS_BITS, 10)

// Bits 60:51 of event addresses are copies of bit 50, whatever is written there.
static uint64_t address_is_extended_from_bit_50(unsigned number)
{
	selftest_write(ITANIUM_PMC(10), ALL_LEVELS);
	selftest_write(ITANIUM_PMC(11), ALL_LEVELS);
	selftest_write_value(number, ADDRESS_SIGN);
	if (!selftest_require_equal(selftest_value(number) & ADDRESS_SIGN, 0))
		return 0;
	selftest_write_value(number, 1ULL << (ITANIUM_ADDRESS_BITS - 1));
	return selftest_value(number) & ADDRESS_SIGN;
}

// The manual's 6.2.2: 32 bits, which read as sign-extended.
static uint64_t count_is_extended_from_bit_31(unsigned counter)
{
	return selftest_written(counter, 0x80000000);
}

static uint64_t count_has_32_bits(unsigned counter)
{
	return selftest_written(counter, 0xABCDEF0112345678);
}

// At the highest level, in the Itanium instruction set.
static uint64_t status_shows_level_and_instruction_set(unsigned)
{
	return selftest_read(ITANIUM_PSR) & (FIELD(PSR, cpl) | FIELD(PSR, is));
}

#define JUMP	(1ULL << 40)	/* clocks, more than the check takes */

static uint64_t clock_can_be_written(unsigned)
{
	const uint64_t before = selftest_read(ITANIUM_ITC);
	uint64_t after;

	selftest_write(ITANIUM_ITC, before + JUMP);
	after = selftest_read(ITANIUM_ITC);
	selftest_write(ITANIUM_ITC, after - JUMP);
	return (after - before) / JUMP;
}

// ITV (ASDM volume 2, 3.3.4.2), masked. Returns the vectors' bits that hold.
static uint64_t timer_vector_holds(unsigned)
{
	const uint64_t owners = selftest_read(ITANIUM_ITV), vector = FIELD(ITV, vector),
		masked = FIELD(ITV, m);
	uint64_t set, clear;

	selftest_write(ITANIUM_ITV, masked | vector | FIELD(ITV, ignored_12) |
		       FIELD(ITV, ignored_17));
	set = selftest_read(ITANIUM_ITV);
	selftest_write(ITANIUM_ITV, masked);
	clear = selftest_read(ITANIUM_ITV);
	selftest_write(ITANIUM_ITV, owners);
	return set ^ clear;
}

static uint64_t timer_reserved_bits_fault(unsigned)
{
	return selftest_write_faults(ITANIUM_ITV, FIELD(ITV, m) | BIT(ITV_reserved_8_LOW)) &&
	       selftest_write_faults(ITANIUM_ITV, FIELD(ITV, m) | BIT(ITV_reserved_13_LOW));
}

static uint64_t timer_ignored_bits_read_0(unsigned)
{
	return selftest_read(ITANIUM_ITV) & (FIELD(ITV, ignored_12) | FIELD(ITV, ignored_17));
}

//
// Counting (6.2.1 and 6.2.2)
//

#define NO_EVENT	0x7A		/* no event has this code (7.8) */

static uint64_t counts_while_off(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD(PMC4, ism));
}

static uint64_t counts_another_event_than_retired(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD_PUT(PMC4, es, ITANIUM_EVENT_RETIRED ^ NO_EVENT));
}

static uint64_t counts_another_event_than_cycles(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD_PUT(PMC4, es, ITANIUM_EVENT_CYCLES ^ NO_EVENT));
}

static uint64_t counts_while_frozen(unsigned counter)
{
	selftest_set_event(counter, "CPU_CYCLES", 0);
	change_register(ITANIUM_PSR, 0, FIELD(PSR, pp));
	hal_execute(100);
	return selftest_value(counter);
}

// Cycles are one in each cycle: they never exceed a threshold of 1.
static uint64_t threshold_1_counts_no_cycle(unsigned counter)
{
	return selftest_no_cycles(counter, "CPU_CYCLES:c=1");
}

//
// Privileged and user monitors (6.2.1). A privileged monitor counts with PSR.pp, a user monitor
// with PSR.up.
//

static void set_user_monitor(unsigned counter)
{
	selftest_flip(counter, FIELD(PMC4, pm));
}

static uint64_t privileged_monitor_counts_with_pp(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	count_with(FIELD(PSR, pp), 100);
	return selftest_value(counter);
}

static uint64_t privileged_monitor_counts_with_up(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	count_with(FIELD(PSR, up), 100);
	return selftest_value(counter);
}

static uint64_t user_monitor_counts_with_pp(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	set_user_monitor(counter);
	count_with(FIELD(PSR, pp), 100);
	return selftest_value(counter);
}

static uint64_t user_monitor_counts_with_up(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	set_user_monitor(counter);
	count_with(FIELD(PSR, up), 100);
	return selftest_value(counter);
}

// mov r = pmd[r] at the lowest level (ASDM volume 2, 7.2.1).
#define KNOWN_VALUE 0x5A5A

// `sp`: PSR.sp or 0.
static uint64_t value_read_by_user(unsigned counter, uint64_t sp)
{
	uint64_t value = ~0ULL;

	change_register(ITANIUM_PSR, FIELD(PSR, sp), sp);
	selftest_require(hal_read_counter_user(counter, &value));
	return value;
}

static uint64_t user_reads_user_monitor(unsigned counter)
{
	selftest_set_event(counter, "CPU_CYCLES", KNOWN_VALUE);
	set_user_monitor(counter);
	return value_read_by_user(counter, 0);
}

static uint64_t user_reads_privileged_monitor(unsigned counter)
{
	selftest_set_event(counter, "CPU_CYCLES", KNOWN_VALUE);
	return value_read_by_user(counter, 0);
}

static uint64_t user_reads_with_sp(unsigned counter)
{
	selftest_set_event(counter, "CPU_CYCLES", KNOWN_VALUE);
	set_user_monitor(counter);
	return value_read_by_user(counter, FIELD(PSR, sp));
}

// Nothing is closed to the highest level.
static uint64_t level_0_reads_closed_counter(unsigned counter)
{
	uint64_t value = ~0ULL;

	selftest_set_event(counter, "CPU_CYCLES", KNOWN_VALUE);
	change_register(ITANIUM_PSR, 0, FIELD(PSR, sp));
	selftest_require(reg_read_counter(counter, &value));
	return value;
}

// Returns the counts that an interrupt adds. Its handler executes with PSR.pp = DCR.pp, and then
// PSR.pp is restored. The first counter counts at all levels, the next one at the highest level
// only, which is the handler's.
static uint64_t count_of_interruption(uint64_t interruption)
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

static uint64_t interruptions_do_not_count(unsigned)
{
	return count_of_interruption(0);
}

static uint64_t dcr_pp_counts_interruptions(unsigned)
{
	return count_of_interruption(FIELD(DCR, pp));
}

//
// Instruction sets (6.2.1, ism): a set bit turns one off
//

static uint64_t count_of_sets(unsigned counter, unsigned ism)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_flip(counter, FIELD_PUT(PMC4, ism, ism));
	selftest_run(counter, 100);
	return selftest_value(counter);
}

static uint64_t ism_0_counts_itanium(unsigned counter)
{
	return count_of_sets(counter, 0);
}

static uint64_t ism_1_does_not_count_itanium(unsigned counter)
{
	return count_of_sets(counter, 1);
}

static uint64_t ism_2_counts_itanium(unsigned counter)
{
	return count_of_sets(counter, 2);
}

static uint64_t ism_3_counts_nothing(unsigned counter)
{
	return count_of_sets(counter, 3);
}

//
// Tags (6.1.3.1) by the opcode matchers PMC8 and PMC9, and by address ranges. Unit masks 3 and 2
// count the instructions that PMC8 and PMC9 tag (Table 7-30).
//

static const char *const matchers[] = {"PMC8", "PMC9"};
static const char *const code_pairs[] = {"IBR0-1", "IBR2-3", "IBR4-5", "IBR6-7"};
static const uint8_t unit_mask_of[] = {3, 2};

#define EACH_MATCHER	FIELD_MASK(0, 2)
#define EACH_PAIR	FIELD_MASK(0, ITANIUM_BREAKPOINTS)
#define OTHER(matcher)	((matcher) ^ 1)

static void count_tagged(unsigned unit_mask)
{
	selftest_set(FIRST, AT_ALL, 0);
	selftest_flip(FIRST, FIELD_PUT(PMC4, umask, unit_mask));
}

static uint64_t tagged(void)
{
	selftest_run(FIRST, 100);
	return selftest_value(FIRST);
}

static void match_no_type(unsigned matcher)
{
	selftest_write(ITANIUM_PMC(8 + matcher), FIELD(PMC8, mask));
}

// No pair of address registers matches, at any level.
static void match_no_range(void)
{
	selftest_write(ITANIUM_PMC(13), 0);
}

// Only the first pair matches: instructions in the lower half of region 0, where firmware executes.
static void match_range_of_firmware(void)
{
	selftest_write(ITANIUM_IBR(0), 0);
	selftest_write(ITANIUM_IBR(1), FIELD_PUT(IBR1, plm, ALL_LEVELS));
	match_no_range();
}

static uint64_t any_opcode_is_tagged(unsigned matcher)
{
	count_tagged(unit_mask_of[matcher]);
	return tagged();
}

static uint64_t no_type_is_tagged(unsigned matcher)
{
	count_tagged(unit_mask_of[matcher]);
	match_no_type(matcher);
	return tagged();
}

static uint64_t other_matcher_does_not_concern(unsigned matcher)
{
	count_tagged(unit_mask_of[matcher]);
	match_no_type(OTHER(matcher));
	return tagged();
}

static uint64_t instruction_in_range_is_tagged(unsigned matcher)
{
	count_tagged(unit_mask_of[matcher]);
	match_range_of_firmware();
	return tagged();
}

static uint64_t instruction_out_of_ranges_is_tagged(unsigned matcher)
{
	count_tagged(unit_mask_of[matcher]);
	match_no_range();
	return tagged();
}

static uint64_t ranges_do_not_concern_with_ta(unsigned matcher)
{
	count_tagged(unit_mask_of[matcher]);
	selftest_write(ITANIUM_PMC(13), FIELD(PMC13, ta));
	return tagged();
}

// A breakpoint takes the registers for itself.
static uint64_t breakpoint_disables_the_range(unsigned matcher)
{
	count_tagged(unit_mask_of[matcher]);
	match_range_of_firmware();
	selftest_write(ITANIUM_IBR(7), FIELD(IBR1, x));
	return tagged();
}

// Firmware executes in the lower half of region 0, and far from addresses with this bit.
#define FAR	(1ULL << 49)

// One pair of instruction breakpoint registers (6.2.4) has this range and these levels, the others
// contain no code. Returns the count of instructions with the tag of PMC8.
static uint64_t count_in_range(unsigned pair, uint64_t address, uint64_t control)
{
	count_tagged(unit_mask_of[0]);
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		selftest_write(ITANIUM_IBR(2 * i), i == pair ? address : FAR);
		selftest_write(ITANIUM_IBR(2 * i + 1), i == pair ? control : FIELD(IBR1, mask));
	}
	match_no_range();
	return tagged();
}

#define AT_LEVELS(levels)	FIELD_PUT(IBR1, plm, levels)

// The mask compares one bit of the address, and no other one.
static uint64_t range_contains_code(unsigned pair)
{
	return count_in_range(pair, FAR - 1, AT_LEVELS(ALL_LEVELS) | FAR);
}

static uint64_t range_is_elsewhere(unsigned pair)
{
	return count_in_range(pair, FAR, AT_LEVELS(ALL_LEVELS) | FAR);
}

static uint64_t range_of_level_0(unsigned pair)
{
	return count_in_range(pair, 0, AT_LEVELS(1));
}

static uint64_t range_of_other_levels(unsigned pair)
{
	return count_in_range(pair, 0, AT_LEVELS(ALL_LEVELS & ~1));
}

static uint64_t range_taken_by_breakpoint(unsigned pair)
{
	return count_in_range(pair, 0, AT_LEVELS(ALL_LEVELS) | FIELD(IBR1, x));
}

// The opcode matchers (6.2.5) compare all bits with an encoding of ones, which no instruction of
// the known code has.
static uint64_t other_opcodes_are_not_tagged(unsigned matcher)
{
	for (unsigned i = 0; i < 2; i++)
		selftest_write(ITANIUM_PMC(8 + i), REGISTER_BITS(PMC8, RW) & ~FIELD(PMC8, match));
	selftest_write(ITANIUM_PMC(8 + matcher), REGISTER_BITS(PMC8, RW) & ~FIELD(PMC8, mask));
	count_tagged(unit_mask_of[matcher]);
	return tagged();
}

static uint64_t unit_mask_0_counts_untagged(unsigned)
{
	count_tagged(0);
	match_no_type(0);
	match_no_range();
	return tagged();
}

// The slots of taken branches and the absence of one (7.8, BRANCH_TAKEN_SLOT) are counted
// separately: together they are all branches.
static uint64_t unit_masks_are_disjoint(unsigned)
{
	selftest_set_event(6, "BRANCH_TAKEN_SLOT.SLOT_0+SLOT_1+SLOT_2", 0);
	selftest_set_event(5, "BRANCH_TAKEN_SLOT.NO_TAKEN_BRANCH", 0);
	selftest_set_event(4, "BRANCH_TAKEN_SLOT", 0);
	selftest_run(4, 100);
	selftest_require_equal(selftest_value(5) > 0, true);
	selftest_require_equal(selftest_value(6) > 0, true);
	selftest_expect(selftest_value(4));
	return selftest_sum(BIT(5) | BIT(6));
}

//
// Loads: address ranges (6.1.3), the data event address register (6.2.7)
//

#define LINE 128	/* of the caches, the longest, bytes */

// Lines: the checks load the first words of some of them.
static volatile uint64_t loaded[3][LINE / sizeof(uint64_t)];

static void load(uint64_t times)
{
	while (times--)
		hal_load(loaded[0]);
	hal_load(loaded[1]);
}

static const char *const pairs[] = {"DBR0-1", "DBR2-3", "DBR4-5", "DBR6-7"};


// The other pairs of data address ranges contain only words that are not loaded.
static uint64_t only_loads_in_the_range_count(unsigned pair)
{
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		selftest_write(ITANIUM_DBR(2 * i), (uintptr_t)loaded[i == pair ? 0 : 2]);
		selftest_write(ITANIUM_DBR(2 * i + 1), FIELD(DBR1, mask) & -sizeof **loaded);
	}
	selftest_write(ITANIUM_PMC(11), 0);
	selftest_set_event(FIRST, "LOADS_RETIRED", 0);
	selftest_run_counters_by(load, ALL_COUNTERS, 3);
	return selftest_value(FIRST);
}

// Loads until the data event address register (6.2.7) has captured a load of at least 4 <<
// threshold cycles. Returns its latency; 0: none was captured.
#define LOADS_MOST 100

static uint64_t capture_load(unsigned threshold)
{
	selftest_write(ITANIUM_PMC(11), FIELD_PUT(PMC11, plm, ALL_LEVELS) | FIELD(PMC11, pm) |
		       FIELD(PMC11, pt) |
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
static uint64_t load_address_is_captured(unsigned)
{
	selftest_require(capture_load(0));
	return selftest_read(ITANIUM_PMD(2)) ^ (uintptr_t)loaded[0];
}

// A load whose latency equals the threshold is captured. If no load has exactly this latency, the
// check has no result.
static uint64_t load_as_long_as_threshold_is_captured(unsigned)
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

// Events that loads raise at level 0 (7.4): the first of each pair of lines misses the caches.
static const struct selftest_raised raised[] = {
	SELFTEST_RAISED("LOADS_RETIRED", load, 10),
	SELFTEST_RAISED("DATA_REFERENCES_RETIRED", load, 10),
	SELFTEST_RAISED("L1D_READS_RETIRED", load, 10),
	SELFTEST_RAISED("L1D_READ_MISSES_RETIRED", load, 10),
};

static const char *const raised_names[] = {
	"LOADS_RETIRED", "DATA_REFERENCES_RETIRED", "L1D_READS_RETIRED", "L1D_READ_MISSES_RETIRED",
};

static uint64_t event_counts_at_level_0_alone(unsigned event)
{
	return selftest_counts_raised(&raised[event], FIRST, FIRST + 1);
}

// Loads with PMC8 matching these types of instructions.
static uint64_t loads_of_types(uint64_t types)
{
	selftest_write(ITANIUM_PMC(8), FIELD(PMC8, mask) | types);
	selftest_write(ITANIUM_PMC(11), FIELD(PMC11, pt));
	selftest_set_event(FIRST, "LOADS_RETIRED", 0);
	selftest_run_by(load, FIRST, 3);
	return selftest_value(FIRST);
}

static uint64_t loads_have_type_m(unsigned)
{
	return loads_of_types(FIELD(PMC8, m)) > 0;
}

static uint64_t loads_have_no_other_type(unsigned)
{
	return loads_of_types(FIELD(PMC8, b) | FIELD(PMC8, f) | FIELD(PMC8, i));
}

// Two pairs of data ranges with different masks: one contains the loaded word alone, the others
// nothing. The check loads the word three times, and another one once.
static uint64_t data_range_has_its_own_mask(unsigned pair)
{
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		selftest_write(ITANIUM_DBR(2 * i), i == pair ? (uintptr_t)loaded[0] : FAR);
		selftest_write(ITANIUM_DBR(2 * i + 1),
			       i == pair ? FIELD(DBR1, mask) & -sizeof **loaded : FAR);
	}
	selftest_write(ITANIUM_PMC(11), 0);
	selftest_set_event(FIRST, "LOADS_RETIRED", 0);
	selftest_run_by(load, FIRST, 3);
	return selftest_value(FIRST);
}

// A captured load is at least as long as the threshold (6.2.7): with a threshold of 128 cycles no
// shorter one is captured.
static uint64_t shorter_loads_are_not_captured(unsigned)
{
	const unsigned threshold = 5;
	const uint64_t latency = capture_load(threshold);

	return !latency || latency >= 4ULL << threshold;
}

// Captures no load, because the monitor does not count Itanium instructions, or only with PSR.up.
static uint64_t captured_with(uint64_t control)
{
	uint64_t captured = 0;

	selftest_write(ITANIUM_PMC(11), control | FIELD(PMC11, pt));
	for (unsigned i = 0; i < 10; i++) {
		selftest_write(ITANIUM_PMD(17), 0);
		stop_and_unfreeze();
		change_register(ITANIUM_PSR, 0, FIELD(PSR, pp));
		hal_load(loaded[0]);
		change_register(ITANIUM_PSR, STOPPED, 0);
		selftest_write(ITANIUM_PMC(0), FREEZE);
		captured += (selftest_read(ITANIUM_PMD(17)) & FIELD(PMD17, valid)) != 0;
	}
	return captured;
}

static uint64_t privileged_monitor_captures(unsigned)
{
	return captured_with(FIELD_PUT(PMC11, plm, ALL_LEVELS) | FIELD(PMC11, pm)) > 0;
}

static uint64_t user_monitor_captures_nothing(unsigned)
{
	return captured_with(FIELD_PUT(PMC11, plm, ALL_LEVELS));
}

static uint64_t other_instruction_set_captures_nothing(unsigned)
{
	return captured_with(FIELD_PUT(PMC11, plm, ALL_LEVELS) | FIELD(PMC11, pm) |
			     FIELD_PUT(PMC11, ism, 1));
}

//
// Branch trace buffer (6.2.8)
//

#define TAKEN		2
#define NOT_TAKEN	1

// Executes code with branches. The buffer captures the taken ones, or those not taken, with any
// predictor and any outcome of the prediction. `index`: PMD16 before.
// Returns PMD16.
static uint64_t trace_branches_of(unsigned n, unsigned index, unsigned taken)
{
	selftest_write(ITANIUM_PMC(12), FIELD_PUT(PMC12, plm, ALL_LEVELS) | FIELD(PMC12, pm) |
		       FIELD(PMC12, tar) |
					FIELD_PUT(PMC12, tm, taken) | FIELD(PMC12, ptm) |
					FIELD(PMC12, ppm) |
					FIELD(PMC12, bpt) | FIELD(PMC12, bac));
	selftest_write(ITANIUM_PMD(16), index);
	count_with(FIELD(PSR, pp), n);
	selftest_write(ITANIUM_PMC(0), FREEZE);
	return selftest_read(ITANIUM_PMD(16));
}

static uint64_t trace_branches(unsigned taken)
{
	return trace_branches_of(100, 0, taken);
}

static uint64_t traced_branches_are_counted(unsigned counter)
{
	selftest_set_event(counter, "BRANCH_EVENT", 0);
	trace_branches(TAKEN);
	return selftest_value(counter) > 0;
}

static uint64_t taken_branches_fill_the_trace(unsigned)
{
	return trace_branches(TAKEN) & FIELD(PMD16, full);
}

// Slot 3 says that none of the bundle's branches was taken.
static uint64_t branch_not_taken_has_slot_3(unsigned)
{
	const uint64_t traced = trace_branches(NOT_TAKEN) & (FIELD(PMD16, bbi) |
							     FIELD(PMD16, full));

	selftest_require_equal(traced > 0, true);
	return selftest_read(ITANIUM_PMD(8)) & FIELD(PMD8, slot);
}

// The few taken branches of 10 instructions are recorded from the index (bbi) up: source, marked by
// b, and target, marked by mp alone unless a branch in its bundle takes its entry (6.2.8). Returns
// bit 0: the entry at the index is a source; bit 1: the next one is recorded; bit 2: the one before
// is not.
static const char *const trace_entries[ITANIUM_TRACE_ENTRIES] = {
	"PMD8", "PMD9", "PMD10", "PMD11", "PMD12", "PMD13", "PMD14", "PMD15",
};

static uint64_t trace_begins_at_index(unsigned index)
{
	const uint64_t b = FIELD(PMD8, b), mp = FIELD(PMD8, mp);
	uint64_t first, second, last;

	selftest_write(ITANIUM_PMC(12), ALL_LEVELS);	// so that the entries keep 0
	for (unsigned i = 0; i < ITANIUM_TRACE_ENTRIES; i++)
		selftest_write(ITANIUM_PMD(8 + i), 0);
	trace_branches_of(10, index, TAKEN);
	first = selftest_read(ITANIUM_PMD(8 + index));
	second = selftest_read(ITANIUM_PMD(8 + (index + 1) % ITANIUM_TRACE_ENTRIES));
	last = selftest_read(ITANIUM_PMD(8 + (index + ITANIUM_TRACE_ENTRIES - 1) %
					 ITANIUM_TRACE_ENTRIES));
	return (first & b && first & FIELD(PMD8, address)) |
	       (second & (b | mp) && second & FIELD(PMD8, address)) << 1 |
	       !last << 2;
}

//
// Interrupts: the interval timer (ASDM volume 2, 3.3.4.2), PMV, freezes (6.2.3)
//

// Interrupts when the clock reaches the match, on the monitors' vector. Returns the number of
// interrupts.
static uint64_t interrupts_by_timer(unsigned counter, bool masked)
{
	uint64_t owners, vector;

	selftest_watch(counter, 0, 0);
	owners = selftest_read(ITANIUM_ITV);
	vector = FIELD_GET(PMV, vector, selftest_read(ITANIUM_PMV));
	selftest_write(ITANIUM_ITM, selftest_read(ITANIUM_ITC) + 500);
	selftest_write(ITANIUM_ITV, FIELD_PUT(ITV, vector, vector) | FIELD_PUT(ITV, m, masked));
	hal_execute(20000);
	selftest_write(ITANIUM_ITV, owners);
	return selftest_seen()->interrupts;
}

static uint64_t clock_interrupts_once_at_match(unsigned counter)
{
	return interrupts_by_timer(counter, false);
}

static uint64_t itv_m_masks_the_timer(unsigned counter)
{
	return interrupts_by_timer(counter, true);
}

static uint64_t pmv_m_masks_the_overflow(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	change_register(ITANIUM_PMV, 0, FIELD(PMV, m));
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->interrupts;
}

// A freeze stops all counters. Another counter must have counted the 50 cycles before the overflow,
// and the cycles that the overflowed counter has added since, as the interrupt handler reads them.
// The handler itself does nothing else.
static uint64_t freeze_stops_other_counters(unsigned counter)
{
	const unsigned other = counter == FIRST ? FIRST + 1 : FIRST;

	selftest_watch(counter, WATCH_NOTHING | WATCH_READS, 0);
	selftest_set_event(other, "CPU_CYCLES", 0);
	selftest_set_event(counter, "CPU_CYCLES", -50ULL);
	selftest_flip(counter, FIELD(PMC4, oi));
	count_with(FIELD(PSR, pp), 1000);
	selftest_expect(50 + selftest_seen()->reading);
	return selftest_value(other);
}

//
// PAL_HALT_LIGHT restores PMC0 with its overflow bits
//

#define FREEZE_AND_OVERFLOWS	(FREEZE | 0xA0)

static uint64_t pmc0_after_halt(uint64_t pmc0)
{
	selftest_write(ITANIUM_PMC(0), pmc0);
	selftest_light_halt(5000);
	return selftest_read(ITANIUM_PMC(0));
}

static uint64_t halt_preserves_0(unsigned)
{
	return pmc0_after_halt(0);
}

static uint64_t halt_preserves_freeze(unsigned)
{
	return pmc0_after_halt(FREEZE);
}

static uint64_t halt_preserves_overflow_bits(unsigned)
{
	return pmc0_after_halt(FREEZE_AND_OVERFLOWS);
}

//
// The suite
//

static const struct selftest_case cases[] = {
	{"holds: PSR.up", 0, FIELD(PSR, up), .run = psr_up_holds},
	{"holds: PSR.pp", 0, FIELD(PSR, pp), .run = psr_pp_holds},
	{"holds: PSR.sp", 0, FIELD(PSR, sp), .run = psr_sp_holds},
	{"holds: DCR.pp", 0, FIELD(DCR, pp), .run = dcr_pp_holds},
	{"event address is extended from bit 50: #", ADDRESSES, ADDRESS_SIGN,
	 .run = address_is_extended_from_bit_50},
	{"reads as extended from bit 31: #", ALL_COUNTERS, 0xFFFFFFFF80000000,
	 .run = count_is_extended_from_bit_31},
	{"width, 32 bits: #", ALL_COUNTERS, 0x12345678, .run = count_has_32_bits},

	{"off, the others on, does not count: #", ALL_COUNTERS, 0, .run = counts_while_off},
	{"another event does not count: #", RETIRING, 0, .run = counts_another_event_than_retired},
	{"another event does not count: #", CYCLING, 0, .run = counts_another_event_than_cycles},
	{"frozen does not count: #", ALL_COUNTERS, 0, .run = counts_while_frozen},
	{"threshold 1, one event in a cycle: #", ALL_COUNTERS, .run = threshold_1_counts_no_cycle},

	{"privileged monitor counts with PSR.pp", 0, 101, .run = privileged_monitor_counts_with_pp},
	{"privileged monitor does not count with PSR.up", 0, 0,
	 .run = privileged_monitor_counts_with_up},
	{"user monitor does not count with PSR.pp", 0, 0, .run = user_monitor_counts_with_pp},
	{"user monitor counts with PSR.up", 0, 101, .run = user_monitor_counts_with_up},
	{"user reads a user monitor: #", ALL_COUNTERS, KNOWN_VALUE, .run = user_reads_user_monitor},
	{"user reads 0 of a privileged monitor: #", ALL_COUNTERS, 0,
	 .run = user_reads_privileged_monitor},
	{"user reads 0 with PSR.sp: #", ALL_COUNTERS, 0, .run = user_reads_with_sp},
	{"level 0 reads PMDs that are closed to users: #", ALL_COUNTERS, KNOWN_VALUE,
	 .run = level_0_reads_closed_counter},
	{"without DCR.pp interruptions do not count", .run = interruptions_do_not_count},
	{"with DCR.pp interruptions count", .run = dcr_pp_counts_interruptions},

	{"ism 0 counts Itanium instructions", 0, 101, .run = ism_0_counts_itanium},
	{"ism 1 counts no Itanium instructions", 0, 0, .run = ism_1_does_not_count_itanium},
	{"ism 2 counts Itanium instructions", 0, 101, .run = ism_2_counts_itanium},
	{"ism 3 counts nothing", 0, 0, .run = ism_3_counts_nothing},
	{"any opcode is tagged by #", EACH_MATCHER, 101, .run = any_opcode_is_tagged,
	 .names = matchers},
	{"no type of instruction is tagged by #", EACH_MATCHER, 0, .run = no_type_is_tagged,
	 .names = matchers},
	{"the other opcode matcher does not concern #", EACH_MATCHER, 101,
	 .run = other_matcher_does_not_concern,
	 .names = matchers},
	{"an instruction in the range is tagged by #", EACH_MATCHER, 101,
	 .run = instruction_in_range_is_tagged,
	 .names = matchers},
	{"an instruction out of all ranges is not tagged by #", EACH_MATCHER, 0,
	 .run = instruction_out_of_ranges_is_tagged, .names = matchers},
	{"with PMC13.ta ranges do not concern #", EACH_MATCHER, 101,
	 .run = ranges_do_not_concern_with_ta,
	 .names = matchers},
	{"a breakpoint disables the range of #", EACH_MATCHER, 0,
	 .run = breakpoint_disables_the_range,
	 .names = matchers},
	{"unit mask 0 counts untagged instructions", 0, 101, .run = unit_mask_0_counts_untagged},
	{"unit masks select disjoint sub-events", .run = unit_masks_are_disjoint},

	{"only loads in the range count: #", EACH_PAIR, 3, .run = only_loads_in_the_range_count,
	 .names = pairs},
	{"a load's address is captured", .run = load_address_is_captured},
	{"a load as long as the threshold is captured",
	 .run = load_as_long_as_threshold_is_captured},
	{"BRANCH_EVENT counts branches that are traced: #", ALL_COUNTERS, true,
	 .run = traced_branches_are_counted},
	{"many taken branches fill the branch trace", 0, FIELD(PMD16, full),
	 .run = taken_branches_fill_the_trace},
	{"a branch that is not taken has slot 3", 0, FIELD_PUT(PMD8, slot, 3),
	 .run = branch_not_taken_has_slot_3},

	{"counts at level 0 alone: #", FIELD_MASK(0, sizeof raised / sizeof *raised), true,
	 .run = event_counts_at_level_0_alone, .names = raised_names},
	{"instructions in the range are tagged: #", EACH_PAIR, 101, .run = range_contains_code,
	 .names = code_pairs},
	{"instructions out of the range are not tagged: #", EACH_PAIR, 0, .run = range_is_elsewhere,
	 .names = code_pairs},
	{"a range of level 0 contains its instructions: #", EACH_PAIR, 101, .run = range_of_level_0,
	 .names = code_pairs},
	{"a range of other levels does not: #", EACH_PAIR, 0, .run = range_of_other_levels,
	 .names = code_pairs},
	{"a breakpoint takes the registers: #", EACH_PAIR, 0, .run = range_taken_by_breakpoint,
	 .names = code_pairs},
	{"another opcode is not tagged: #", 3, 0, .run = other_opcodes_are_not_tagged,
	 .names = matchers},
	{"loads have type M", 0, true, .run = loads_have_type_m},
	{"loads have no other type", 0, 0, .run = loads_have_no_other_type},
	{"a data range has its own mask: #", EACH_PAIR, 3, .run = data_range_has_its_own_mask,
	 .names = pairs},
	{"loads shorter than the threshold are not captured", 0, true,
	 .run = shorter_loads_are_not_captured},
	{"a privileged monitor captures loads with PSR.pp", 0, true,
	 .run = privileged_monitor_captures},
	{"a user monitor captures none with PSR.pp", 0, 0, .run = user_monitor_captures_nothing},
	{"a monitor of the other instruction set captures none", 0, 0,
	 .run = other_instruction_set_captures_nothing},
	{"the branch trace begins at its index: #", FIELD_MASK(0, ITANIUM_TRACE_ENTRIES), 7,
	 .run = trace_begins_at_index, .names = trace_entries},

	{"PSR.cpl is 0, PSR.is 0", 0, 0, .run = status_shows_level_and_instruction_set},
	{"the clock can be written", 0, 1, .run = clock_can_be_written},
	{"holds: ITV.vector", 0, FIELD(ITV, vector), .run = timer_vector_holds},
	{"reserved bits fault: ITV", 0, true, .run = timer_reserved_bits_fault},
	{"ignored bits read 0: ITV", 0, 0, .run = timer_ignored_bits_read_0},
	{"the clock reaches the match: one interrupt", 0, 1, .run = clock_interrupts_once_at_match},
	{"ITV.m masks the timer's interrupt", 0, 0, .run = itv_m_masks_the_timer},
	{"PMV.m masks the interrupt: #", ALL_COUNTERS, 0, .run = pmv_m_masks_the_overflow},
	{"the other counters stop: #", ALL_COUNTERS, .run = freeze_stops_other_counters},

	{"PAL_HALT_LIGHT preserves PMC0: 0", 0, 0, .run = halt_preserves_0},
	{"PAL_HALT_LIGHT preserves PMC0: fr", 0, FREEZE, .run = halt_preserves_freeze},
	{"PAL_HALT_LIGHT preserves PMC0: fr and overflow bits", 0, FREEZE_AND_OVERFLOWS,
	 .run = halt_preserves_overflow_bits},
};

extern const struct pmu_driver pmu_driver_itanium;

const struct selftest_suite selftest_suite_itanium = {
	.driver = &pmu_driver_itanium,
	.has = SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_FREEZES | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.start = start,
	.run = run_privileged,
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
