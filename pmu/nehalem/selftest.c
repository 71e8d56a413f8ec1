// SPDX-License-Identifier: BSD-2-Clause
// Self test of the Core i7 / Xeon 5500 core PMU: its description for the shared suite, and its own
// checks. The WRMSR that starts counting is not counted, the one that stops it is (as Linux's KVM
// self test pmu_counters_test.c finds on hardware): n instructions between two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"
#include "stimulus.h"

#define GENERAL		NEHALEM_GENERAL_COUNTERS
#define ALL_BITS	FIELD(IA32_FIXED_CTR, COUNT)

#define FREEZE		FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI)
#define FREEZE_BRANCHES	FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI)
#define BRANCHES	FIELD(IA32_DEBUGCTL, LBR)

extern const struct pmu_driver pmu_driver_nehalem;

//
// Registers and counters
//

SELFTEST_REGISTERS(NEHALEM_REGISTERS, SELFTEST_NUMBERED)

// Address bits that can change while the address stays canonical.
#define ADDRESS FIELD_MASK(0, 47)

// Tries only those bits of IA32_DEBUGCTL that start nothing by themselves: setting TR or BTS would
// make hardware write branch records to the memory that IA32_DS_AREA points to.
static const struct selftest_exception exceptions[] = {
	{.address = MSR_IA32_DEBUGCTL, .count = 1,
	 .untried = REGISTER_BITS(IA32_DEBUGCTL, RW) & ~(FREEZE_BRANCHES | FREEZE)},
	{.address = MSR_IA32_DS_AREA, .count = 1, .untried = ~ADDRESS},
	{.address = MSR_LASTBRANCH_FROM_IP, .count = NEHALEM_BRANCH_RECORDS,
	 .untried = ~(ADDRESS | FIELD(LASTBRANCH_FROM_IP, MISPRED))},
	{.address = MSR_LASTBRANCH_TO_IP, .count = NEHALEM_BRANCH_RECORDS, .untried = ~ADDRESS},
};

#define FIXED(n) \
	.first = NEHALEM_FIRST_FIXED + (n), .count = 1, .readable = true,	\
	.index = NEHALEM_RDPMC_FIXED | (n),	\
	.control = FIELD_MASK((n) * NEHALEM_FIXED_CONTROL_BITS, NEHALEM_FIXED_CONTROL_BITS),	\
	.interrupt = FIELD(IA32_FIXED_CTR_CTRL, PMI##n)

static const struct selftest_counters counters[] = {
	{.first = 0, .count = GENERAL, .readable = true, .index = 0, .event = "INST_RETIRED.ANY_P",
	 .exact = true,
	 .cycles = "CPU_CLK_UNHALTED.THREAD_P", .interrupt = FIELD(IA32_PERFEVTSEL, INT)},
	{FIXED(0), .event = "INST_RETIRED.ANY", .exact = true},
	{FIXED(1), .event = "CPU_CLK_UNHALTED.THREAD", .cycles = "CPU_CLK_UNHALTED.THREAD"},
	{FIXED(2), .event = "CPU_CLK_UNHALTED.REF"},
};

#define FIRST_FIXED	NEHALEM_FIRST_FIXED
#define ALL		(NEHALEM_GENERAL_MASK | NEHALEM_FIXED_MASK)

//
// Registers and counting
//

static uint64_t write_takes_all_48_bits(unsigned counter)
{
	return selftest_written(counter, ALL_BITS);
}

// A write sets the low 32 bits of a general counter (SDM volume 3B, 18.2.2).
static uint64_t write_extends_bit_31(unsigned counter)
{
	return selftest_written(counter, 0x80000000);
}

static uint64_t counts_without_enable_bit(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD(IA32_PERFEVTSEL, EN));
}

// Table 8: unit masks 02 and 04 are x87 and MMX instructions; the known code contains none.
static uint64_t counts_other_unit_masks(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD_PUT(IA32_PERFEVTSEL, EVTMSK, 0x01 ^ 0x06));
}

static uint64_t count_while(void (*execute)(uint64_t), unsigned counter, const char *event,
			    uint64_t n)
{
	selftest_set_event(counter, event, 0);
	selftest_run_by(execute, counter, n);
	return selftest_value(counter);
}

// Every second instruction of the known code is a conditional branch (arch/x86/layout.h).
static uint64_t counts_each_branch(unsigned counter)
{
	return count_while(hal_execute, counter, "BR_INST_RETIRED.ALL_BRANCHES",
			   1000 + selftest_more());
}

static uint64_t counts_each_load(unsigned counter)
{
	return count_while(hal_read_lines, counter, "MEM_INST_RETIRED.LOADS",
			   100 + selftest_more());
}

// Events that known code raises at level 0 (SDM volume 3B, the table of this processor's events):
// branches, cycles, loads of which some miss both caches.
#define RAISED(R)						\
	R("BR_INST_DECODED", hal_execute, 100)			\
	R("BR_INST_EXEC.ANY", hal_execute, 100)			\
	R("BR_INST_EXEC.COND", hal_execute, 100)		\
	R("BR_INST_EXEC.NON_CALLS", hal_execute, 100)		\
	R("BR_INST_EXEC.TAKEN", hal_execute, 100)		\
	R("BRANCH_INSTRUCTIONS_RETIRED", hal_execute, 100)	\
	R("BR_INST_RETIRED.ALL_BRANCHES", hal_execute, 100)	\
	R("CPU_CLK_UNHALTED.REF_P", hal_execute, 10000)		\
	R("MEM_INST_RETIRED.LOADS", hal_read_lines, 100)	\
	R("L1D_ALL_REF.ANY", hal_read_lines, 100)		\
	R("L1D_ALL_REF.CACHEABLE", hal_read_lines, 100)		\
	R("L1D_CACHE_LD.MESI", hal_read_lines, 100)		\
	R("L1D_CACHE_LD.I_STATE", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_DATA_RQSTS.ANY", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_DATA_RQSTS.DEMAND.MESI", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_DATA_RQSTS.DEMAND.I_STATE", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_RQSTS.LOADS", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_RQSTS.LD_MISS", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_RQSTS.REFERENCES", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_RQSTS.MISS", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_TRANSACTIONS.LOAD", hal_read_lines, HAL_LINES_MOST)	\
	R("L2_TRANSACTIONS.ANY", hal_read_lines, HAL_LINES_MOST)

#define ROW(event, execute, n)	SELFTEST_RAISED(event, execute, n),
#define NAME(event, execute, n)	event,

static const struct selftest_raised raised[] = {RAISED(ROW)};
static const char *const raised_names[] = {RAISED(NAME)};

static uint64_t event_counts_at_level_0_alone(unsigned event)
{
	return selftest_counts_raised(&raised[event], 0, 1);
}

// Cycles, which the fixed counters count at level 3 only.
static uint64_t fixed_counter_counts_level_3_alone(unsigned counter)
{
	selftest_set(counter, AT_USER, 0);
	selftest_run_by(hal_execute, counter, 1000);
	selftest_require_equal(selftest_value(counter), 0);
	selftest_run_by(hal_execute_user, counter, 10000);
	return selftest_value(counter) > 0;
}

// The code of the core's other thread at level 3, which all counters count or none, with AnyThr or
// without.
static void execute_user_there(void *)
{
	hal_execute_user(10000);
}

// Returns a bit mask of the counters that count it. `fixed`: control of the fixed counters.
static uint64_t counters_of_other_thread(const char *event, uint64_t fixed)
{
	uint64_t counting = 0;

	for (unsigned i = 0; i < GENERAL; i++)
		selftest_set_event(i, event, 0);
	for (unsigned i = 0; i < NEHALEM_FIXED_COUNTERS; i++)
		selftest_set(FIRST_FIXED + i, AT_USER, 0);
	selftest_write(MSR_IA32_FIXED_CTR_CTRL, fixed);
	selftest_enable(ALL);
	selftest_on_thread(1, execute_user_there, NULL);
	selftest_enable(0);
	for (uint64_t rest = ALL; rest; rest &= rest - 1)
		counting |= selftest_value((unsigned)__builtin_ctzll(rest)) ? rest & -rest : 0;
	return counting;
}

#define FIXED_USER	(FIELD(IA32_FIXED_CTR_CTRL, EN0_USR) |	\
			 FIELD(IA32_FIXED_CTR_CTRL, EN1_USR) |	\
			 FIELD(IA32_FIXED_CTR_CTRL, EN2_USR))
#define FIXED_ANY	(FIELD(IA32_FIXED_CTR_CTRL, AnyThr0) |	\
			 FIELD(IA32_FIXED_CTR_CTRL, AnyThr1) |	\
			 FIELD(IA32_FIXED_CTR_CTRL, AnyThr2))

static uint64_t any_thread_counts_other_thread(unsigned)
{
	return counters_of_other_thread("INST_RETIRED.ANY_P:u:t", FIXED_USER | FIXED_ANY);
}

static uint64_t other_thread_is_not_counted(unsigned)
{
	return counters_of_other_thread("INST_RETIRED.ANY_P:u", FIXED_USER);
}

// SDM volume 3B, the table of this processor's events: "Counter 0, 1 only".
static uint64_t counters_2_and_3_lack_an_event(unsigned)
{
	const uint64_t lacking = BIT(2) | BIT(3);

	for (uint64_t counters = BIT(0) | lacking; counters; counters &= counters - 1)
		selftest_set_event((unsigned)__builtin_ctzll(counters), "L1D_ALL_REF.ANY", 0);
	selftest_enable(BIT(0) | lacking);
	hal_read_lines(16);
	selftest_enable(0);
	selftest_require_equal(selftest_value(0) > 15, true);
	return selftest_sum(lacking);
}

static uint64_t rdpmc_of_general_counter_4_faults(unsigned)
{
	return selftest_counter_faults(GENERAL);
}

static uint64_t rdpmc_of_fixed_counter_3_faults(unsigned)
{
	return selftest_counter_faults(NEHALEM_RDPMC_FIXED | NEHALEM_FIXED_COUNTERS);
}

static uint64_t registers_of_others_fault(unsigned)
{
	selftest_require_absent(MSR_IA32_PMC + GENERAL);
	selftest_require_absent(MSR_IA32_PERFEVTSEL + GENERAL);
	selftest_require_absent(MSR_IA32_FIXED_CTR + NEHALEM_FIXED_COUNTERS);
	selftest_require_absent(MSR_OFFCORE_RSP_0 + 1);
	return true;
}

//
// Cycles, and those that reach a threshold. The core cycle event occurs once in each cycle: the sum
// always reaches 1 and never 2. Only one counter is tried, because each check costs time at boot.
//

#define CYCLES	"CPU_CLK_UNHALTED.THREAD_P"

static uint64_t threshold_1_counts_all_cycles(unsigned counter)
{
	return selftest_all_cycles(counter, CYCLES ":c=1");
}

static uint64_t threshold_2_counts_no_cycle(unsigned counter)
{
	return selftest_no_cycles(counter, CYCLES ":c=2");
}

static uint64_t inverted_threshold_1_counts_no_cycle(unsigned counter)
{
	return selftest_no_cycles(counter, CYCLES ":c=1:i");
}

static uint64_t inverted_threshold_2_counts_all_cycles(unsigned counter)
{
	return selftest_all_cycles(counter, CYCLES ":c=2:i");
}

// Appendix II, of CMASK: "When this field is clear, it has no effect on counting."
static uint64_t inversion_without_threshold_changes_nothing(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_flip(counter, FIELD(IA32_PERFEVTSEL, INV));
	selftest_run(counter, 100);
	return selftest_value(counter);
}

// The guide, on thresholds: for any event, the cycles that reach the threshold and those that do
// not add up to all cycles.
static uint64_t cycles_of_both(const char *event, const char *inverted)
{
	selftest_set_event(0, event, 0);
	selftest_set_event(1, inverted, 0);
	selftest_set(FIRST_FIXED + 1, AT_ALL, 0);
	selftest_run_all(1000);
	selftest_expect(selftest_value(FIRST_FIXED + 1));
	return selftest_sum(BIT(0) | BIT(1));
}

static uint64_t threshold_1_and_its_inverse_are_all_cycles(unsigned)
{
	return cycles_of_both("INST_RETIRED.ANY_P:c=1", "INST_RETIRED.ANY_P:c=1:i");
}

static uint64_t threshold_2_and_its_inverse_are_all_cycles(unsigned)
{
	return cycles_of_both("INST_RETIRED.ANY_P:c=2", "INST_RETIRED.ANY_P:c=2:i");
}

// Reference cycles, which no other counter is sure to count, equal those of the time-stamp counter
// (SDM volume 3B, "Non-Halted Reference Clockticks"). At least: the cycles between the writes that
// start and stop counting; at most: the cycles around both. The counter may advance in steps of a
// slower clock.
#define REFERENCE_TICK 64

static uint64_t counts_reference_cycles_and_wraps(unsigned counter)
{
	uint64_t start, started, stop, stopped, least, most, cycles;

	selftest_set(counter, AT_ALL, -1ULL);
	start = hal_clock();
	selftest_enable(BIT(counter));
	started = hal_clock();
	hal_execute(100);
	stop = hal_clock();
	selftest_enable(0);
	stopped = hal_clock();
	cycles = selftest_value(counter) + 1;
	least = stop - started > REFERENCE_TICK ? stop - started - REFERENCE_TICK : 0;
	most = stopped - start + REFERENCE_TICK;
	selftest_expect(cycles < least ? least : cycles > most ? most : cycles);
	return cycles;
}

// Each visit to level 3 is one assertion of the condition "cycle at level 3".
static uint64_t edge_counts_each_visit(unsigned counter)
{
	selftest_set_event(counter, CYCLES ":u:e:c=1", 0);
	hal_execute(10);
	selftest_run_by(selftest_visit_user, counter, 10);
	return selftest_value(counter);
}

static uint64_t freezes_without_freeze_bit(unsigned counter)
{
	selftest_watch(counter, 0, 0);
	selftest_write(MSR_IA32_DEBUGCTL, 0);
	selftest_overflow_once(counter, INTERRUPTING);
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return selftest_seen()->frozen;
}

//
// Precise records: of retired instructions, by counter 0 (SDM volume 3B, "Processor Event Based
// Sampling")
//

#define RECORD_SIZE	(NEHALEM_PEBS_WORDS * sizeof(uint64_t))
#define RECORDS		4
#define UNTOUCHED	0xFFFFFFFFFFFFFFFF
#define LONG		100000			/* a period that ends after the check */

// The debug store's management area and the buffer, with room for one record more than the
// management area declares.
struct recording {
	_Alignas(64) uint64_t store[NEHALEM_DS_WORDS];
	_Alignas(64) uint64_t records[RECORDS + 1][NEHALEM_PEBS_WORDS];
};

_Static_assert(sizeof(struct recording) <= SELFTEST_OWN_BYTES, "selftest_own");

// Counter 0 makes a record after 100 events, then one in each `period`; `threshold` records
// interrupt.
static void set_records(unsigned threshold, uint64_t period)
{
	struct recording *r = selftest_own();
	uint64_t *store = r->store;

	selftest_watch(0, 0, 0);
	for (unsigned i = 0; i < RECORDS + 1; i++)
		for (unsigned word = 0; word < NEHALEM_PEBS_WORDS; word++)
			r->records[i][word] = UNTOUCHED;
	store[NEHALEM_DS_PEBS_BASE] = store[NEHALEM_DS_PEBS_INDEX] = (uintptr_t)r->records;
	store[NEHALEM_DS_PEBS_MAXIMUM] = (uintptr_t)r->records[RECORDS];
	store[NEHALEM_DS_PEBS_THRESHOLD] = (uintptr_t)r->records + threshold * RECORD_SIZE;
	store[NEHALEM_DS_PEBS_RESET] = -period & ALL_BITS;
	selftest_write(MSR_IA32_DS_AREA, (uintptr_t)store);
	selftest_set(0, AT_ALL, -100ULL);
	selftest_write(MSR_IA32_PEBS_ENABLE, FIELD_PUT(IA32_PEBS_ENABLE, PEBS_EN_PMC, 1));
}

static uint64_t count_records(void)
{
	const struct recording *r = selftest_own();

	return (r->store[NEHALEM_DS_PEBS_INDEX] - (uintptr_t)r->records) / RECORD_SIZE;
}

static uint64_t precise_event_leaves_a_record(unsigned)
{
	set_records(RECORDS, LONG);
	selftest_run(0, 1000);
	return count_records();
}

static uint64_t record_names_its_counter(unsigned)
{
	const struct recording *r = selftest_own();

	set_records(RECORDS, LONG);
	selftest_run(0, 1000);
	return r->records[0][NEHALEM_PEBS_STATUS];
}

static uint64_t record_clears_its_counters_overflow(unsigned)
{
	set_records(RECORDS, LONG);
	selftest_run(0, 1000);
	return selftest_read(MSR_IA32_PERF_GLOBAL_STATUS);
}

// The processor determines the time from an overflow to its record: less than the 300 instructions
// that are left for three of them.
static uint64_t record_reloads_its_counter(unsigned)
{
	set_records(RECORDS, 300);
	selftest_run(0, 1000);
	return count_records();
}

static uint64_t records_at_interrupt(unsigned threshold)
{
	set_records(threshold, 100);
	selftest_run(0, 2000);
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return count_records();
}

static uint64_t first_record_interrupts_at_threshold_1(unsigned)
{
	return records_at_interrupt(1);
}

static uint64_t third_record_interrupts_at_threshold_3(unsigned)
{
	return records_at_interrupt(3);
}

static uint64_t full_buffer_shows_in_status(unsigned)
{
	set_records(2, 100);
	selftest_run(0, 2000);
	return selftest_seen()->status;
}

// The interrupt handler acknowledges it.
static uint64_t full_buffer_is_acknowledged(unsigned)
{
	set_records(2, 100);
	selftest_run(0, 2000);
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return selftest_read(MSR_IA32_PERF_GLOBAL_STATUS);
}

// The threshold is after the buffer's end and is not reached. The events are enough for exactly one
// record too many.
static uint64_t records_after_the_buffers_end(unsigned)
{
	const struct recording *r = selftest_own();
	uint64_t touched = 0;

	set_records(RECORDS + 2, 100);
	selftest_run(0, 590);
	for (unsigned word = 0; word < NEHALEM_PEBS_WORDS; word++)
		touched += r->records[RECORDS][word] != UNTOUCHED;
	return touched;
}

static uint64_t records_without_enable(unsigned)
{
	set_records(RECORDS, 100);
	selftest_write(MSR_IA32_PEBS_ENABLE, 0);
	selftest_run(0, 1000);
	return count_records();
}

static uint64_t ds_area_with_bit_47_faults(unsigned)
{
	return selftest_write_faults(MSR_IA32_DS_AREA, BIT(47));
}

static uint64_t ds_area_with_bit_63_faults(unsigned)
{
	return selftest_write_faults(MSR_IA32_DS_AREA, BIT(63));
}

//
// Branch records of the known code's loop, whose branch is taken each time but the last
//

#define OTHER_KINDS	(FIELD(LBR_SELECT, NEAR_REL_CALL) |	\
			 FIELD(LBR_SELECT, NEAR_INDIRECT_CALL) |	\
			 FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_INDIRECT_JMP) |	\
			 FIELD(LBR_SELECT, NEAR_REL_JMP) | FIELD(LBR_SELECT, FAR_BRANCH))
// 37 instructions: a taken jump over an odd instruction, two moves, and 17 rounds of two
// instructions, whose branch is taken except in the last round (arch/x86/execute.S). The loop
// takes the last 16 of the 17 taken branches.
#define LOOP_INSTRUCTIONS	37
#define LOOP_TAKEN		17
#define KEPT			(LOOP_TAKEN % NEHALEM_BRANCH_RECORDS)

static void run_loop(uint64_t debugctl)
{
	selftest_execute_between(MSR_IA32_DEBUGCTL, debugctl, 0, LOOP_INSTRUCTIONS);
}

// Returns the number of records that equal record 0, which must be of a backward branch.
static uint64_t last_rounds_of_a_loop_are_recorded(unsigned)
{
	uint64_t from, to, alike = 0;

	run_loop(BRANCHES);
	from = selftest_read(MSR_LASTBRANCH_FROM_IP) & FIELD(LASTBRANCH_FROM_IP, ADDRESS);
	to = selftest_read(MSR_LASTBRANCH_TO_IP);
	for (unsigned i = 0; i < NEHALEM_BRANCH_RECORDS; i++)
		alike += (selftest_read(MSR_LASTBRANCH_FROM_IP + i) &
			  FIELD(LASTBRANCH_FROM_IP, ADDRESS)) == from &&
			 selftest_read(MSR_LASTBRANCH_TO_IP + i) == to;
	selftest_require(to && to < from);
	return alike;
}

static uint64_t branches_without_enable(unsigned)
{
	selftest_expect(selftest_read(MSR_LASTBRANCH_TOS));
	hal_execute(LOOP_INSTRUCTIONS);
	return selftest_read(MSR_LASTBRANCH_TOS);
}

// Returns how far the loop advances TOS, modulo 16.
static uint64_t branches_recorded_with(uint64_t filter)
{
	const uint64_t before = selftest_read(MSR_LASTBRANCH_TOS);

	selftest_write(MSR_LBR_SELECT, filter);
	run_loop(BRANCHES);
	return (selftest_read(MSR_LASTBRANCH_TOS) - before) % NEHALEM_BRANCH_RECORDS;
}

static uint64_t each_taken_branch_is_recorded(unsigned)
{
	return branches_recorded_with(0);
}

static uint64_t branches_of_level_0_left_out(unsigned)
{
	return branches_recorded_with(FIELD(LBR_SELECT, CPL_EQ_0));
}

static uint64_t conditional_branches_left_out(unsigned)
{
	return branches_recorded_with(FIELD(LBR_SELECT, JCC));
}

static uint64_t branches_of_level_3_left_out(unsigned)
{
	return branches_recorded_with(FIELD(LBR_SELECT, CPL_NEQ_0));
}

static uint64_t all_other_kinds_left_out(unsigned)
{
	return branches_recorded_with(OTHER_KINDS);
}

static uint64_t branches_of_neither_level(unsigned)
{
	const uint64_t before = selftest_read(MSR_LASTBRANCH_TOS);

	selftest_write(MSR_LBR_SELECT, FIELD(LBR_SELECT, CPL_EQ_0) | FIELD(LBR_SELECT, CPL_NEQ_0));
	selftest_write(MSR_IA32_DEBUGCTL, BRANCHES);
	hal_execute_user(LOOP_INSTRUCTIONS);
	selftest_write(MSR_IA32_DEBUGCTL, 0);
	return (selftest_read(MSR_LASTBRANCH_TOS) - before) % NEHALEM_BRANCH_RECORDS;
}

// The only taken branch of 5 instructions: a jump over an odd one, two moves, a branch that ends
// the only round. It is recorded at TOS + 1. Returns a bit mask of the records that are not 0:
// sources, and from bit 16 up targets.
static uint64_t branch_is_recorded_after_tos(unsigned record)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < NEHALEM_BRANCH_RECORDS; i++) {
		selftest_write(MSR_LASTBRANCH_FROM_IP + i, 0);
		selftest_write(MSR_LASTBRANCH_TO_IP + i, 0);
	}
	selftest_write(MSR_LASTBRANCH_TOS, (record - 1) % NEHALEM_BRANCH_RECORDS);
	selftest_execute_between(MSR_IA32_DEBUGCTL, BRANCHES, 0, 5);
	for (unsigned i = 0; i < NEHALEM_BRANCH_RECORDS; i++)
		found |= (selftest_read(MSR_LASTBRANCH_FROM_IP + i) ? BIT(i) : 0) |
			 (selftest_read(MSR_LASTBRANCH_TO_IP + i) ?
			  BIT(i + NEHALEM_BRANCH_RECORDS) : 0);
	selftest_expect(BIT(record) | BIT(record + NEHALEM_BRANCH_RECORDS));
	return found;
}

// Canonical addresses of the upper half. Returns how many of the records hold them.
static uint64_t records_hold_upper_addresses(unsigned)
{
	uint64_t held = 0;

	for (unsigned i = 0; i < NEHALEM_BRANCH_RECORDS; i++) {
		const uint64_t address = -(1ULL << 47) + i;

		selftest_write(MSR_LASTBRANCH_FROM_IP + i, address);
		selftest_write(MSR_LASTBRANCH_TO_IP + i, address);
		held += (selftest_read(MSR_LASTBRANCH_FROM_IP + i) == address) +
			(selftest_read(MSR_LASTBRANCH_TO_IP + i) == address);
	}
	return held;
}

// Returns IA32_DEBUGCTL.LBR as the interrupt handler reads it.
static uint64_t branches_at_interrupt(unsigned counter, uint64_t debugctl)
{
	selftest_watch(counter, WATCH_CLEARS, MSR_IA32_DEBUGCTL);
	selftest_set(counter, AT_ALL | INTERRUPTING, -30ULL);
	selftest_enable(BIT(counter));
	run_loop(debugctl);
	selftest_require_equal(selftest_seen()->interrupts, 1);
	return selftest_seen()->reading & BRANCHES;
}

static uint64_t overflow_freezes_branches(unsigned counter)
{
	return branches_at_interrupt(counter, BRANCHES | FREEZE_BRANCHES);
}

static uint64_t overflow_without_freeze_bit_keeps_branches(unsigned counter)
{
	return branches_at_interrupt(counter, BRANCHES);
}

//
// The suite
//

static const char *const records[NEHALEM_BRANCH_RECORDS] = {
	"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
};

static const struct selftest_case cases[] = {
	{"width, all 48 bits: #", ALL, ALL_BITS, .run = write_takes_all_48_bits},
	{"a write extends bit 31: #", NEHALEM_GENERAL_MASK, 0xFFFF80000000,
	 .run = write_extends_bit_31},
	{"without EN does not count: #", NEHALEM_GENERAL_MASK, 0, .run = counts_without_enable_bit},
	{"CMASK 1, one event in a cycle: all cycles: #", BIT(0),
	 .run = threshold_1_counts_all_cycles},
	{"CMASK 2, one event in a cycle: none: #", BIT(0), .run = threshold_2_counts_no_cycle},
	{"CMASK 1 with INV, one event in a cycle: none: #", BIT(0),
	 .run = inverted_threshold_1_counts_no_cycle},
	{"CMASK 2 with INV, one event in a cycle: all cycles: #", NEHALEM_GENERAL_MASK,
	 .run = inverted_threshold_2_counts_all_cycles},
	{"INV without CMASK changes nothing: #", BIT(0), 101,
	 .run = inversion_without_threshold_changes_nothing},
	{"other unit masks of the same code do not count: #", NEHALEM_GENERAL_MASK, 0,
	 .run = counts_other_unit_masks},
	{"BR_INST_RETIRED counts each branch: #", BIT(0), 1000, .run = counts_each_branch,
	 .more = 2000},
	{"MEM_INST_RETIRED counts each load: #", BIT(0), 100, .run = counts_each_load, .more = 100},
	{"counts at level 0 alone: #", FIELD_MASK(0, sizeof raised / sizeof *raised), true,
	 .run = event_counts_at_level_0_alone, .names = raised_names},
	{"counts at level 3 alone: #", BIT(FIRST_FIXED + 1) | BIT(FIRST_FIXED + 2), true,
	 .run = fixed_counter_counts_level_3_alone},
	{"with AnyThr all counters count the other thread", 0, ALL,
	 .run = any_thread_counts_other_thread},
	{"without AnyThr no counter counts the other thread", 0, 0,
	 .run = other_thread_is_not_counted},
	{"an event of counters 0 and 1 does not count on 2 and 3", 0, 0,
	 .run = counters_2_and_3_lack_an_event},
	{"CMASK 1, with and without INV: all cycles",
	 .run = threshold_1_and_its_inverse_are_all_cycles},
	{"CMASK 2, with and without INV: all cycles",
	 .run = threshold_2_and_its_inverse_are_all_cycles},
	{"counts cycles and wraps: #", BIT(FIRST_FIXED + 2),
	 .run = counts_reference_cycles_and_wraps},
	{"RDPMC of general counter 4 faults", 0, true, .run = rdpmc_of_general_counter_4_faults},
	{"RDPMC of fixed counter 3 faults", 0, true, .run = rdpmc_of_fixed_counter_3_faults},
	{"registers of other processors fault", 0, true, .run = registers_of_others_fault},
	{"E counts each visit to level 3 once: #", NEHALEM_GENERAL_MASK, 10,
	 .run = edge_counts_each_visit},
	{"overflow does not freeze without the freeze bit: #", ALL, 0,
	 .run = freezes_without_freeze_bit},

	{"a precise event leaves a record", 0, 1, .run = precise_event_leaves_a_record},
	{"a record names its counter", 0, BIT(0), .run = record_names_its_counter},
	{"a record clears its counter's overflow", 0, 0,
	 .run = record_clears_its_counters_overflow},
	{"a record reloads its counter", 0, 3, .run = record_reloads_its_counter},
	{"the first record interrupts at a threshold of 1", 0, 1,
	 .run = first_record_interrupts_at_threshold_1},
	{"the third record interrupts at a threshold of 3", 0, 3,
	 .run = third_record_interrupts_at_threshold_3},
	{"a full buffer of records can be acknowledged", 0, 0, .run = full_buffer_is_acknowledged},
	{"a full buffer of records shows in the status", 0, FIELD(IA32_PERF_GLOBAL_STATUS, OvfBuf),
	 .run = full_buffer_shows_in_status},
	{"no record after the buffer's end", 0, 0, .run = records_after_the_buffers_end},
	{"no record unless enabled", 0, 0, .run = records_without_enable},
	{"IA32_DS_AREA: an address that is not canonical faults: bit 47", 0, true,
	 .run = ds_area_with_bit_47_faults},
	{"IA32_DS_AREA: an address that is not canonical faults: bit 63", 0, true,
	 .run = ds_area_with_bit_63_faults},

	{"branch records: the last 16 rounds of a loop", 0, NEHALEM_BRANCH_RECORDS,
	 .run = last_rounds_of_a_loop_are_recorded},
	{"branch records: each taken branch is one", 0, KEPT, .run = each_taken_branch_is_recorded},
	{"branch records: none unless enabled", .run = branches_without_enable},
	{"branch records: without those of level 0", 0, 0, .run = branches_of_level_0_left_out},
	{"branch records: without conditional ones", 0, 0, .run = conditional_branches_left_out},
	{"branch records: level 0 with those of level 3 left out", 0, KEPT,
	 .run = branches_of_level_3_left_out},
	{"branch records: conditional ones with all others left out", 0, KEPT,
	 .run = all_other_kinds_left_out},
	{"branch records: none of level 0 or 3", 0, 0, .run = branches_of_neither_level},
	{"branch records: a branch is recorded after TOS: #", FIELD_MASK(0, NEHALEM_BRANCH_RECORDS),
	 0,
	 .run = branch_is_recorded_after_tos, .names = records},
	{"branch records: hold addresses of the upper half", 0, 2 * NEHALEM_BRANCH_RECORDS,
	 .run = records_hold_upper_addresses},
	{"branch records: an overflow freezes them", 0, 0, .run = overflow_freezes_branches},
	{"branch records: an overflow without the freeze bit does not freeze them", 0, BRANCHES,
	 .run = overflow_without_freeze_bit_keeps_branches},
};

const struct selftest_suite selftest_suite_nehalem = {
	.driver = &pmu_driver_nehalem,
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	.has = SELFTEST_GLOBAL | SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_NMI |
		SELFTEST_MASKS |
	       SELFTEST_FREEZES | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.enable = MSR_IA32_PERF_GLOBAL_CTRL,
	.status = MSR_IA32_PERF_GLOBAL_STATUS,
	.clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL,
	.freeze_address = MSR_IA32_PERF_GLOBAL_CTRL,
	.freeze_mask = ALL,
	.sessions = {
		[SELFTEST_OVERFLOWING] = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=1000,"
					 "INST_RETIRED.ANY_P:period=1000,"
					 "INST_RETIRED.ANY_P:period=1000,"
					 "INST_RETIRED.ANY_P:period=1000",
		[SELFTEST_AT_USER] = "INST_RETIRED.ANY:u,INST_RETIRED.ANY_P:u:period=1000",
		[SELFTEST_STORM] = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:ctr=0:period=50",
		[SELFTEST_NMIS] = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:ctr=0:period=10",
	},
	SELFTEST_LIST(cases),
};
