// SPDX-License-Identifier: BSD-2-Clause
// Self test of the Core i7 / Xeon 5500 core PMU: what it says of itself to the shared suite, and what only it has. An
// instruction that starts counting with its write of a control register is not counted, one that stops it is (as
// Linux's KVM self test pmu_counters_test.c finds on hardware): n instructions between two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"

#define GENERAL		NEHALEM_GENERAL_COUNTERS
#define COUNTERS	(NEHALEM_GENERAL_COUNTERS + NEHALEM_FIXED_COUNTERS)
#define COUNT		FIELD(IA32_FIXED_CTR, COUNT)

#define FREEZE		FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI)
#define FREEZE_BRANCHES	FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI)
#define BRANCHES	FIELD(IA32_DEBUGCTL, LBR)

extern const struct pmu_driver pmu_driver_nehalem;

//
// Registers and counters
//

SELFTEST_REGISTERS(NEHALEM_REGISTERS, SELFTEST_NUMBERED)

// Of an address the bits that can differ without making it one that is not canonical.
#define ADDRESS FIELD_MASK(0, 47)

// Of IA32_DEBUGCTL only the bits that start nothing by themselves are tried: setting TR or BTS would make real
// hardware write branch records to wherever IA32_DS_AREA points.
static const struct selftest_exception exceptions[] = {
	{.address = MSR_IA32_DEBUGCTL, .count = 1,
	 .untried = REGISTER_BITS(IA32_DEBUGCTL, RW) & ~(FREEZE_BRANCHES | FREEZE)},
	{.address = MSR_IA32_DS_AREA, .count = 1, .untried = ~ADDRESS},
	{.address = MSR_LASTBRANCH_FROM_IP, .count = NEHALEM_BRANCH_RECORDS,
	 .untried = ~(ADDRESS | FIELD(LASTBRANCH_FROM_IP, MISPRED))},
	{.address = MSR_LASTBRANCH_TO_IP, .count = NEHALEM_BRANCH_RECORDS, .untried = ~ADDRESS},
};

// A write reaches the low 32 bits of a general counter (SDM volume 3B, 18.2.2).
static const struct selftest_written written_general[] = {
	{"width, all 48 bits: ", COUNT, COUNT}, {"a write extends bit 31: ", 0x80000000, 0xFFFF80000000}, {0},
}, written_fixed[] = {
	{"width, all 48 bits: ", COUNT, COUNT}, {0},
};

static const struct selftest_stop stop_general[] = {
	{"without EN does not count: ", FIELD(IA32_PERFEVTSEL, EN)}, {0},
};

// Core cycles are one in each cycle: they reach 1 always, and 2 never.
static const struct selftest_condition conditions[] = {
	{"CMASK 1, one event in a cycle: all cycles: ", "CPU_CLK_UNHALTED.THREAD_P:c=1", true},
	{"CMASK 2, one event in a cycle: none: ", "CPU_CLK_UNHALTED.THREAD_P:c=2", false},
	{"CMASK 1 with INV, one event in a cycle: none: ", "CPU_CLK_UNHALTED.THREAD_P:c=1:i", false},
	{"CMASK 2 with INV, one event in a cycle: all cycles: ", "CPU_CLK_UNHALTED.THREAD_P:c=2:i", true}, {0},
};

#define FIXED(n) \
	.first = NEHALEM_FIRST_FIXED + (n), .count = 1, .readable = true, .index = NEHALEM_RDPMC_FIXED | (n),	\
	.control = FIELD_MASK((n) * NEHALEM_FIXED_CONTROL_BITS, NEHALEM_FIXED_CONTROL_BITS),			\
	.interrupt = FIELD(IA32_FIXED_CTR_CTRL, PMI##n), .written = written_fixed

#define GENERAL_FROM(n) \
	.first = (n), .readable = true, .index = (n), .event = "INST_RETIRED.ANY_P", .exact = true,		\
	.cycles = "CPU_CLK_UNHALTED.THREAD_P", .interrupt = FIELD(IA32_PERFEVTSEL, INT),			\
	.written = written_general, .stop = stop_general

// Conditions are tried with one of them: each check costs some 13,000 instructions at boot.
static const struct selftest_counters counters[] = {
	{GENERAL_FROM(0), .count = 1, .condition = conditions},
	{GENERAL_FROM(1), .count = GENERAL - 1},
	{FIXED(0), .event = "INST_RETIRED.ANY", .exact = true},
	{FIXED(1), .event = "CPU_CLK_UNHALTED.THREAD", .cycles = "CPU_CLK_UNHALTED.THREAD"},
	{FIXED(2), .event = "CPU_CLK_UNHALTED.REF"},
};

#define FIRST_FIXED	NEHALEM_FIRST_FIXED
#define BIT(counter)	(1ULL << (counter))

// Reference cycles, which no other counter is sure to count, are those of the time-stamp counter (SDM volume 3B,
// "Non-Halted Reference Clockticks"): as many as it has passed between the writes that start and stop them, at least,
// and as it has passed around both, at most. They may come by the tick of a slower clock.
#define REFERENCE_TICK 64

static struct selftest_result check_wrap_reference(unsigned counter)
{
	uint64_t start, started, stop, stopped, least, most, cycles;

	selftest_set(counter, SELFTEST_ALL, false, -1ULL);
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
	return selftest_compare(cycles < least ? least : cycles > most ? most : cycles, cycles);
}

static struct selftest_result check_absent(unsigned)
{
	static const uint32_t absent[] = {
		MSR_IA32_PMC + GENERAL, MSR_IA32_PERFEVTSEL + GENERAL,
		MSR_IA32_FIXED_CTR + NEHALEM_FIXED_COUNTERS, MSR_OFFCORE_RSP_0 + 1,
	};

	return selftest_absent(absent, sizeof absent / sizeof *absent);
}

// The guide, on thresholds: for any event, the cycles that reach the threshold and those that do not are all cycles.
static struct selftest_result check_identity(unsigned cmask)
{
	selftest_set_event(0, cmask == 1 ? "INST_RETIRED.ANY_P:c=1" : "INST_RETIRED.ANY_P:c=2", 0);
	selftest_set_event(1, cmask == 1 ? "INST_RETIRED.ANY_P:c=1:i" : "INST_RETIRED.ANY_P:c=2:i", 0);
	selftest_set(FIRST_FIXED + 1, SELFTEST_ALL, false, 0);
	selftest_run_counters(BIT(0) | BIT(1) | BIT(FIRST_FIXED + 1), 1000);
	return selftest_compare(selftest_value(FIRST_FIXED + 1), selftest_value(0) + selftest_value(1));
}

// Cycles at the lowest level begin anew with each visit there.
static struct selftest_result check_edge(unsigned visits)
{
	return selftest_compare(visits, selftest_count_visits(0, "CPU_CLK_UNHALTED.THREAD_P:u:e:c=1", visits));
}

static struct selftest_result check_no_freeze(unsigned counter)
{
	selftest_watch(HAL_PMI_VECTOR);
	selftest_write(MSR_IA32_DEBUGCTL, 0);
	selftest_overflow_once(counter, true);
	selftest_require(selftest_seen().interrupts == 1);
	return selftest_compare(0, selftest_seen().frozen);
}

//
// Precise records: of retired instructions, by counter 0
//

#define RECORD_SIZE	(NEHALEM_PEBS_WORDS * sizeof(uint64_t))
#define RECORDS		4
#define UNTOUCHED	0xFFFFFFFFFFFFFFFF

// The debug store's management area, and behind it a buffer with a record more than it is told of.
static _Alignas(64) uint64_t store[NEHALEM_DS_WORDS];
static _Alignas(64) uint64_t records[RECORDS + 1][NEHALEM_PEBS_WORDS];

// Counter 0 leaves a record 100 events from now, then one in each `period`; `threshold` of them interrupt.
static void set_records(unsigned threshold, uint64_t period)
{
	for (unsigned i = 0; i < RECORDS + 1; i++)
		for (unsigned word = 0; word < NEHALEM_PEBS_WORDS; word++)
			records[i][word] = UNTOUCHED;
	store[NEHALEM_DS_PEBS_BASE] = store[NEHALEM_DS_PEBS_INDEX] = (uintptr_t)records;
	store[NEHALEM_DS_PEBS_MAXIMUM] = (uintptr_t)records[RECORDS];
	store[NEHALEM_DS_PEBS_THRESHOLD] = (uintptr_t)records + threshold * RECORD_SIZE;
	store[NEHALEM_DS_PEBS_RESET] = -period & COUNT;
	selftest_watch(HAL_PMI_VECTOR);
	selftest_write(MSR_IA32_DS_AREA, (uintptr_t)store);
	selftest_set(0, SELFTEST_ALL, false, -100ULL);
	selftest_write(MSR_IA32_PEBS_ENABLE, FIELD_PUT(IA32_PEBS_ENABLE, PEBS_EN_PMC, 1));
}

static uint64_t records_written(void)
{
	return (store[NEHALEM_DS_PEBS_INDEX] - (uintptr_t)records) / RECORD_SIZE;
}

static struct selftest_result check_record(unsigned)
{
	set_records(RECORDS, 100000);
	selftest_run_counters(BIT(0), 1000);
	return selftest_compare(1, records_written());
}

static struct selftest_result check_record_status(unsigned unused)
{
	check_record(unused);
	return selftest_compare(BIT(0), records[0][NEHALEM_PEBS_STATUS]);
}

static struct selftest_result check_record_clears(unsigned unused)
{
	check_record(unused);
	return selftest_compare(0, selftest_read(MSR_IA32_PERF_GLOBAL_STATUS));
}

// How long it takes from an overflow to its record is the processor's business: less than the 300 instructions that are
// left here for three of them.
static struct selftest_result check_record_reload(unsigned)
{
	set_records(RECORDS, 300);
	selftest_run_counters(BIT(0), 1000);
	return selftest_compare(3, records_written());
}

static struct selftest_result check_record_interrupt(unsigned threshold)
{
	set_records(threshold, 100);
	selftest_run_counters(BIT(0), 2000);
	return selftest_compare(threshold, selftest_seen().interrupts == 1 ? records_written() : 0);
}

static struct selftest_result check_record_buffer_status(unsigned)
{
	set_records(2, 100);
	selftest_run_counters(BIT(0), 2000);
	return selftest_compare(FIELD(IA32_PERF_GLOBAL_STATUS, OvfBuf), selftest_seen().status);
}

// The threshold lies behind the buffer's end and is not reached. There are events for one record too many, no more.
static struct selftest_result check_record_room(unsigned)
{
	uint64_t touched = 0;

	set_records(RECORDS + 2, 100);
	selftest_run_counters(BIT(0), 590);
	for (unsigned word = 0; word < NEHALEM_PEBS_WORDS; word++)
		touched += records[RECORDS][word] != UNTOUCHED;
	return selftest_compare(0, touched);
}

static struct selftest_result check_record_off(unsigned)
{
	set_records(RECORDS, 100);
	selftest_write(MSR_IA32_PEBS_ENABLE, 0);
	selftest_run_counters(BIT(0), 1000);
	return selftest_compare(0, records_written());
}

static struct selftest_result check_store_canonical(unsigned bit)
{
	return selftest_compare(1, !reg_write(MSR_IA32_DS_AREA, 1ULL << bit));
}

//
// Branch records: of the known code's loop, whose branch is taken each time but the last
//

#define OTHER_KINDS	(FIELD(LBR_SELECT, NEAR_REL_CALL) | FIELD(LBR_SELECT, NEAR_INDIRECT_CALL) |	\
			 FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_INDIRECT_JMP) |	\
			 FIELD(LBR_SELECT, NEAR_REL_JMP) | FIELD(LBR_SELECT, FAR_BRANCH))
// Of 37 instructions three are a jump over an odd one, which is taken, and two moves; the others are 17 rounds of two,
// whose branch is taken but for the last (arch/x86/execute.S). More than 16, so that all records are the loop's.
#define LOOP_INSTRUCTIONS	37
#define LOOP_TAKEN		17

static uint64_t top_of_stack(void)
{
	return selftest_read(MSR_LASTBRANCH_TOS);
}

static void record_loop(void)
{
	selftest_execute_between(MSR_IA32_DEBUGCTL, BRANCHES, 0, LOOP_INSTRUCTIONS);
}

// What the code is made of is this processor's business too: all records are of one branch, backwards.
static struct selftest_result check_branches(unsigned)
{
	uint64_t from, to, alike = 0;

	record_loop();
	from = selftest_read(MSR_LASTBRANCH_FROM_IP) & FIELD(LASTBRANCH_FROM_IP, ADDRESS);
	to = selftest_read(MSR_LASTBRANCH_TO_IP);
	for (unsigned i = 0; i < NEHALEM_BRANCH_RECORDS; i++)
		alike += (selftest_read(MSR_LASTBRANCH_FROM_IP + i) & FIELD(LASTBRANCH_FROM_IP, ADDRESS)) == from &&
			 selftest_read(MSR_LASTBRANCH_TO_IP + i) == to;
	return selftest_compare(to && to < from ? NEHALEM_BRANCH_RECORDS : ~0ULL, alike);
}

static struct selftest_result check_branches_off(unsigned)
{
	uint64_t before = top_of_stack();

	hal_execute(LOOP_INSTRUCTIONS);
	return selftest_compare(before, top_of_stack());
}

static struct selftest_result check_branches_left_out(unsigned filter)
{
	uint64_t before = top_of_stack();

	selftest_write(MSR_LBR_SELECT, filter);
	record_loop();
	return selftest_compare(before, top_of_stack());
}

static struct selftest_result check_branches_kept(unsigned filter)
{
	uint64_t before = top_of_stack();

	selftest_write(MSR_LBR_SELECT, filter);
	record_loop();
	return selftest_compare((before + LOOP_TAKEN) % NEHALEM_BRANCH_RECORDS, top_of_stack());
}

static volatile uint64_t debugctl_at_interrupt;

// The debug control as the interrupt finds it, which lets no branch be recorded any more.
static void on_interrupt(uint64_t, unsigned)
{
	debugctl_at_interrupt = selftest_read(MSR_IA32_DEBUGCTL);
	selftest_write(MSR_IA32_DEBUGCTL, debugctl_at_interrupt & ~BRANCHES);
	selftest_enable(0);
	selftest_acknowledge(BIT(0));
	hal_pmi_end();
}

static struct selftest_result check_branches_freeze(unsigned freezes)
{
	debugctl_at_interrupt = ~0ULL;
	hal_pmi_attach(on_interrupt, HAL_PMI_VECTOR);
	selftest_set(0, SELFTEST_ALL, true, -30ULL);
	selftest_enable(BIT(0));
	selftest_execute_between(MSR_IA32_DEBUGCTL, BRANCHES | freezes, 0, LOOP_INSTRUCTIONS);
	return selftest_compare(freezes ? 0 : BRANCHES, debugctl_at_interrupt & BRANCHES);
}

//
// The suite
//

#define EACH_COUNTER(name, run)									\
	{name "IA32_PMC0", run, 0}, {name "IA32_PMC1", run, 1}, {name "IA32_PMC2", run, 2},	\
	{name "IA32_PMC3", run, 3}, {name "IA32_FIXED_CTR0", run, FIRST_FIXED},			\
	{name "IA32_FIXED_CTR1", run, FIRST_FIXED + 1}, {name "IA32_FIXED_CTR2", run, FIRST_FIXED + 2},

static const struct selftest_check checks[] = {
	{"counts cycles and wraps: IA32_FIXED_CTR2", check_wrap_reference, FIRST_FIXED + 2},
	{"RDPMC of general counter 4 faults", selftest_no_counter, GENERAL},
	{"RDPMC of fixed counter 3 faults", selftest_no_counter, NEHALEM_RDPMC_FIXED | NEHALEM_FIXED_COUNTERS},
	{"registers of other processors fault", check_absent, 0},
	{"CMASK 1, with and without INV: all cycles", check_identity, 1},
	{"CMASK 2, with and without INV: all cycles", check_identity, 2},
	{"E counts each visit to level 3 once", check_edge, 10},
	EACH_COUNTER("overflow does not freeze unless told to: ", check_no_freeze)
	{"a precise event leaves a record", check_record, 0},
	{"a record says whose it is", check_record_status, 0},
	{"a record clears its counter's overflow", check_record_clears, 0},
	{"a record sets its counter anew", check_record_reload, 0},
	{"the first record interrupts if it is to", check_record_interrupt, 1},
	{"the third record interrupts if it is to", check_record_interrupt, 3},
	{"a full buffer of records shows in the status", check_record_buffer_status, 0},
	{"no record behind the buffer", check_record_room, 0},
	{"no record unless enabled", check_record_off, 0},
	{"IA32_DS_AREA: an address that is not canonical faults: bit 47", check_store_canonical, 47},
	{"IA32_DS_AREA: an address that is not canonical faults: bit 63", check_store_canonical, 63},
	{"branch records: the last 16 rounds of a loop", check_branches, 0},
	{"branch records: each taken branch is one", check_branches_kept, 0},
	{"branch records: none unless enabled", check_branches_off, 0},
	{"branch records: without those of level 0", check_branches_left_out, FIELD(LBR_SELECT, CPL_EQ_0)},
	{"branch records: without conditional ones", check_branches_left_out, FIELD(LBR_SELECT, JCC)},
	{"branch records: level 0 with those of level 3 left out", check_branches_kept, FIELD(LBR_SELECT, CPL_NEQ_0)},
	{"branch records: conditional ones with all others left out", check_branches_kept, OTHER_KINDS},
	{"branch records: an overflow freezes them", check_branches_freeze, FREEZE_BRANCHES},
	{"branch records: an overflow does not freeze them unless told to", check_branches_freeze, 0},
};

const struct selftest_suite selftest_suite_nehalem = {
	.driver = &pmu_driver_nehalem,
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	.has = SELFTEST_GLOBAL | SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_NMI | SELFTEST_MASKS |
	       SELFTEST_FREEZES | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.enable = MSR_IA32_PERF_GLOBAL_CTRL,
	.status = MSR_IA32_PERF_GLOBAL_STATUS,
	.clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL,
	.freeze_address = MSR_IA32_PERF_GLOBAL_CTRL,
	.freeze_mask = NEHALEM_GENERAL_MASK | NEHALEM_FIXED_MASK,
	.sessions = {
		.overflowing = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=1000,INST_RETIRED.ANY_P:period=1000,"
			       "INST_RETIRED.ANY_P:period=1000,INST_RETIRED.ANY_P:period=1000",
		.user = "INST_RETIRED.ANY:u,INST_RETIRED.ANY_P:u:period=1000",
		.storm = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:ctr=0:period=50",
		.nmi = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:ctr=0:period=10",
	},
	SELFTEST_LIST(checks),
};
