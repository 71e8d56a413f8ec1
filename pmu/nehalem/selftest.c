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
	.first = NEHALEM_FIRST_FIXED + (n), .count = 1, .readable = true, .index = NEHALEM_RDPMC_FIXED | (n),	\
	.control = FIELD_MASK((n) * NEHALEM_FIXED_CONTROL_BITS, NEHALEM_FIXED_CONTROL_BITS),			\
	.interrupt = FIELD(IA32_FIXED_CTR_CTRL, PMI##n)

static const struct selftest_counters counters[] = {
	{.first = 0, .count = GENERAL, .readable = true, .index = 0, .event = "INST_RETIRED.ANY_P", .exact = true,
	 .cycles = "CPU_CLK_UNHALTED.THREAD_P", .interrupt = FIELD(IA32_PERFEVTSEL, INT)},
	{FIXED(0), .event = "INST_RETIRED.ANY", .exact = true},
	{FIXED(1), .event = "CPU_CLK_UNHALTED.THREAD", .cycles = "CPU_CLK_UNHALTED.THREAD"},
	{FIXED(2), .event = "CPU_CLK_UNHALTED.REF"},
};

#define FIRST_FIXED	NEHALEM_FIRST_FIXED
#define BIT(counter)	(1ULL << (counter))

// Reference cycles, which no other counter is sure to count, equal those of the time-stamp counter
// (SDM volume 3B, "Non-Halted Reference Clockticks"). At least: the cycles between the writes that
// start and stop counting; at most: the cycles around both. The counter may advance in steps of a
// slower clock.
#define REFERENCE_TICK 64

static uint64_t find_reference(unsigned counter, uint64_t)
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

//
// Precise records: of retired instructions, by counter 0
//

#define RECORD_SIZE	(NEHALEM_PEBS_WORDS * sizeof(uint64_t))
#define RECORDS		4
#define UNTOUCHED	0xFFFFFFFFFFFFFFFF

// The debug store's management area and the buffer, with room for one record more than the
// management area declares.
struct recording {
	_Alignas(64) uint64_t store[NEHALEM_DS_WORDS];
	_Alignas(64) uint64_t records[RECORDS + 1][NEHALEM_PEBS_WORDS];
};

_Static_assert(sizeof(struct recording) <= SELFTEST_OWN_BYTES, "selftest_own");

// Counter 0 makes a record after 100 events, then one in each `period`; `threshold` records
// interrupt.
#define RECORD(threshold, period) WATCH(0), FIND(set_records, (uint64_t)(threshold) << 32 | (period))

static uint64_t set_records(unsigned, uint64_t threshold_and_period)
{
	struct recording *r = selftest_own();
	uint64_t *store = r->store;

	for (unsigned i = 0; i < RECORDS + 1; i++)
		for (unsigned word = 0; word < NEHALEM_PEBS_WORDS; word++)
			r->records[i][word] = UNTOUCHED;
	store[NEHALEM_DS_PEBS_BASE] = store[NEHALEM_DS_PEBS_INDEX] = (uintptr_t)r->records;
	store[NEHALEM_DS_PEBS_MAXIMUM] = (uintptr_t)r->records[RECORDS];
	store[NEHALEM_DS_PEBS_THRESHOLD] = (uintptr_t)r->records + (threshold_and_period >> 32) * RECORD_SIZE;
	store[NEHALEM_DS_PEBS_RESET] = -(threshold_and_period & UINT32_MAX) & ALL_BITS;
	selftest_write(MSR_IA32_DS_AREA, (uintptr_t)store);
	selftest_set(0, AT_ALL, -100ULL);
	selftest_write(MSR_IA32_PEBS_ENABLE, FIELD_PUT(IA32_PEBS_ENABLE, PEBS_EN_PMC, 1));
	return 0;
}

static uint64_t find_records(unsigned, uint64_t)
{
	const struct recording *r = selftest_own();

	return (r->store[NEHALEM_DS_PEBS_INDEX] - (uintptr_t)r->records) / RECORD_SIZE;
}

static uint64_t find_record_status(unsigned, uint64_t)
{
	const struct recording *r = selftest_own();

	return r->records[0][NEHALEM_PEBS_STATUS];
}

static uint64_t find_touched_behind(unsigned, uint64_t)
{
	const struct recording *r = selftest_own();
	uint64_t touched = 0;

	for (unsigned word = 0; word < NEHALEM_PEBS_WORDS; word++)
		touched += r->records[RECORDS][word] != UNTOUCHED;
	return touched;
}

//
// Branch records of the known code's loop, whose branch is taken each time but the last
//

#define OTHER_KINDS	(FIELD(LBR_SELECT, NEAR_REL_CALL) | FIELD(LBR_SELECT, NEAR_INDIRECT_CALL) |	\
			 FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_INDIRECT_JMP) |	\
			 FIELD(LBR_SELECT, NEAR_REL_JMP) | FIELD(LBR_SELECT, FAR_BRANCH))
// 37 instructions: a taken jump over an odd instruction, two moves, and 17 rounds of two
// instructions, whose branch is taken except in the last round (arch/x86/execute.S). The loop
// takes the last 16 of the 17 taken branches.
#define LOOP_INSTRUCTIONS	37
#define LOOP_TAKEN		17

static uint64_t run_loop(unsigned, uint64_t debugctl)
{
	selftest_execute_between(MSR_IA32_DEBUGCTL, debugctl, 0, LOOP_INSTRUCTIONS);
	return 0;
}

static uint64_t run_loop_counted(unsigned it, uint64_t debugctl)
{
	selftest_enable(BIT(it));
	return run_loop(it, debugctl);
}

// Returns the number of records that equal record 0, which must be of a backward branch.
static uint64_t find_records_alike(unsigned, uint64_t)
{
	const uint64_t from = selftest_read(MSR_LASTBRANCH_FROM_IP) & FIELD(LASTBRANCH_FROM_IP, ADDRESS);
	const uint64_t to = selftest_read(MSR_LASTBRANCH_TO_IP);
	uint64_t alike = 0;

	for (unsigned i = 0; i < NEHALEM_BRANCH_RECORDS; i++)
		alike += (selftest_read(MSR_LASTBRANCH_FROM_IP + i) & FIELD(LASTBRANCH_FROM_IP, ADDRESS)) == from &&
			 selftest_read(MSR_LASTBRANCH_TO_IP + i) == to;
	selftest_require(to && to < from);
	return alike;
}

// Returns how far TOS advances, modulo 16.
static uint64_t find_recorded(unsigned, uint64_t filter)
{
	const uint64_t before = selftest_read(MSR_LASTBRANCH_TOS);

	selftest_write(MSR_LBR_SELECT, filter);
	run_loop(0, BRANCHES);
	return (selftest_read(MSR_LASTBRANCH_TOS) - before) % NEHALEM_BRANCH_RECORDS;
}

//
// The suite
//

#define ALL	(NEHALEM_GENERAL_MASK | NEHALEM_FIXED_MASK)
#define CYCLES	"CPU_CLK_UNHALTED.THREAD_P"
#define REFERENCES "L1D_ALL_REF.ANY"
#define CYCLES_OF_BOTH(event)									\
	BY(0), SET_EVENT(event, 0), BY(1), SET_EVENT(event ":i", 0),				\
	BY(FIRST_FIXED + 1), SET(AT_ALL, 0), RUN_ALL(1000), VALUE, EXPECT(1), SUM(BIT(0) | BIT(1))
#define KEPT	(LOOP_TAKEN % NEHALEM_BRANCH_RECORDS)
#define BRANCHES_AT_INTERRUPT(debugctl)								\
	WATCH_READING(WATCH_CLEARS, MSR_IA32_DEBUGCTL), SET(AT_ALL | INTERRUPTING, -30ULL),		\
	FIND(run_loop_counted, debugctl), SEEN(interrupts), REQUIRE(1), SEEN(reading), BITS(BRANCHES)

static const struct selftest_case cases[] = {
	{"width, all 48 bits: #", ALL, ALL_BITS, DO(WRITTEN(ALL_BITS))},
	// A write sets the low 32 bits of a general counter (SDM volume 3B, 18.2.2).
	{"a write extends bit 31: #", NEHALEM_GENERAL_MASK, 0xFFFF80000000, DO(WRITTEN(0x80000000))},
	{"without EN does not count: #", NEHALEM_GENERAL_MASK, 0, DO(STOPPED_BY(FIELD(IA32_PERFEVTSEL, EN)))},
	// The core cycle event occurs once in each cycle: the sum always reaches 1 and never 2.
	// Only one counter is tried, because each check costs time at boot.
	{"CMASK 1, one event in a cycle: all cycles: #", BIT(0), DO(ALL_CYCLES(CYCLES ":c=1"))},
	{"CMASK 2, one event in a cycle: none: #", BIT(0), DO(NO_CYCLES(CYCLES ":c=2"))},
	{"CMASK 1 with INV, one event in a cycle: none: #", BIT(0), DO(NO_CYCLES(CYCLES ":c=1:i"))},
	{"CMASK 2 with INV, one event in a cycle: all cycles: #", BIT(0), DO(ALL_CYCLES(CYCLES ":c=2:i"))},
	// Appendix II, of CMASK: "When this field is clear, it has no effect on counting."
	{"INV without CMASK changes nothing: #", BIT(0), 101,
	 DO(SET(AT_ALL, 0), FLIP(FIELD(IA32_PERFEVTSEL, INV)), RUN(100), VALUE)},
	// Table 8: unit masks 02 and 04 are x87 and MMX instructions; the known code contains none.
	{"other unit masks of the same code do not count: #", BIT(0), 0,
	 DO(STOPPED_BY(FIELD_PUT(IA32_PERFEVTSEL, EVTMSK, 0x01 ^ 0x06)))},
	// Every second instruction of the known code is a conditional branch (arch/x86/layout.h).
	{"BR_INST_RETIRED counts each branch: #", BIT(0), 1000, .more = 2000,
	 DO(SET_EVENT("BR_INST_RETIRED.ALL_BRANCHES", 0), RUN_BY(hal_execute, 1000), VALUE)},
	{"MEM_INST_RETIRED counts each load: #", BIT(0), 100, .more = 100,
	 DO(SET_EVENT("MEM_INST_RETIRED.LOADS", 0), RUN_BY(hal_read_lines, 100), VALUE)},
	// SDM volume 3B, the table of this processor's events: "Counter 0, 1 only".
	{"an event of counters 0 and 1 does not count on 2 and 3", 0, 0,
	 DO(SET_EVENT(REFERENCES, 0), BY(2), SET_EVENT(REFERENCES, 0), BY(3), SET_EVENT(REFERENCES, 0),
	    EXECUTE(selftest_enable, BIT(0) | BIT(2) | BIT(3)), EXECUTE(hal_read_lines, 16), STOP_ALL,
	    SUM(BIT(0)), ABOVE(15), REQUIRE(true), SUM(BIT(2) | BIT(3)))},
	// The guide, on thresholds: for any event, the cycles that reach the threshold and those
	// that do not add up to all cycles.
	{"CMASK 1, with and without INV: all cycles", DO(CYCLES_OF_BOTH("INST_RETIRED.ANY_P:c=1"))},
	{"CMASK 2, with and without INV: all cycles", DO(CYCLES_OF_BOTH("INST_RETIRED.ANY_P:c=2"))},
	{"counts cycles and wraps: #", BIT(FIRST_FIXED + 2), DO(FIND(find_reference, 0))},
	{"RDPMC of general counter 4 faults", 0, true, DO(COUNTER_FAULTS(GENERAL))},
	{"RDPMC of fixed counter 3 faults", 0, true, DO(COUNTER_FAULTS(NEHALEM_RDPMC_FIXED | NEHALEM_FIXED_COUNTERS))},
	{"registers of other processors fault", 0, true,
	 DO(ABSENT(MSR_IA32_PMC + GENERAL), ABSENT(MSR_IA32_PERFEVTSEL + GENERAL),
	    ABSENT(MSR_IA32_FIXED_CTR + NEHALEM_FIXED_COUNTERS), ABSENT(MSR_OFFCORE_RSP_0 + 1))},
	// Each visit to level 3 is one assertion of the condition "cycle at level 3".
	{"E counts each visit to level 3 once", 0, 10,
	 DO(SET_EVENT(CYCLES ":u:e:c=1", 0), EXECUTE(hal_execute, 10), RUN_BY(selftest_visit_user, 10), VALUE)},
	{"overflow does not freeze without the freeze bit: #", ALL, 0,
	 DO(WATCH(0), WRITE(MSR_IA32_DEBUGCTL, 0), OVERFLOW_ONCE(INTERRUPTING), SEEN(interrupts), REQUIRE(1),
	    SEEN(frozen))},

	{"a precise event leaves a record", 0, 1, DO(RECORD(RECORDS, 100000), RUN(1000), FIND(find_records, 0))},
	{"a record names its counter", 0, BIT(0), DO(RECORD(RECORDS, 100000), RUN(1000), FIND(find_record_status, 0))},
	{"a record clears its counter's overflow", 0, 0,
	 DO(RECORD(RECORDS, 100000), RUN(1000), READ(MSR_IA32_PERF_GLOBAL_STATUS))},
	// The processor determines the time from an overflow to its record: less than the 300
	// instructions that are left for three of them.
	{"a record reloads its counter", 0, 3, DO(RECORD(RECORDS, 300), RUN(1000), FIND(find_records, 0))},
	{"the first record interrupts at a threshold of 1", 0, 1,
	 DO(RECORD(1, 100), RUN(2000), SEEN(interrupts), REQUIRE(1), FIND(find_records, 0))},
	{"the third record interrupts at a threshold of 3", 0, 3,
	 DO(RECORD(3, 100), RUN(2000), SEEN(interrupts), REQUIRE(1), FIND(find_records, 0))},
	{"a full buffer of records shows in the status", 0, FIELD(IA32_PERF_GLOBAL_STATUS, OvfBuf),
	 DO(RECORD(2, 100), RUN(2000), SEEN(status))},
	// The threshold is after the buffer's end and is not reached. The events are enough for
	// exactly one record too many.
	{"no record after the buffer's end", 0, 0,
	 DO(RECORD(RECORDS + 2, 100), RUN(590), FIND(find_touched_behind, 0))},
	{"no record unless enabled", 0, 0,
	 DO(RECORD(RECORDS, 100), WRITE(MSR_IA32_PEBS_ENABLE, 0), RUN(1000), FIND(find_records, 0))},
	{"IA32_DS_AREA: an address that is not canonical faults: bit 47", 0, true,
	 DO(WRITE_FAULTS(MSR_IA32_DS_AREA, BIT(47)))},
	{"IA32_DS_AREA: an address that is not canonical faults: bit 63", 0, true,
	 DO(WRITE_FAULTS(MSR_IA32_DS_AREA, BIT(63)))},

	{"branch records: the last 16 rounds of a loop", 0, NEHALEM_BRANCH_RECORDS,
	 DO(FIND(run_loop, BRANCHES), FIND(find_records_alike, 0))},
	{"branch records: each taken branch is one", 0, KEPT, DO(FIND(find_recorded, 0))},
	{"branch records: none unless enabled",
	 DO(READ(MSR_LASTBRANCH_TOS), EXPECT(1), EXECUTE(hal_execute, LOOP_INSTRUCTIONS), READ(MSR_LASTBRANCH_TOS))},
	{"branch records: without those of level 0", 0, 0, DO(FIND(find_recorded, FIELD(LBR_SELECT, CPL_EQ_0)))},
	{"branch records: without conditional ones", 0, 0, DO(FIND(find_recorded, FIELD(LBR_SELECT, JCC)))},
	{"branch records: level 0 with those of level 3 left out", 0, KEPT,
	 DO(FIND(find_recorded, FIELD(LBR_SELECT, CPL_NEQ_0)))},
	{"branch records: conditional ones with all others left out", 0, KEPT, DO(FIND(find_recorded, OTHER_KINDS))},
	// IA32_DEBUGCTL as the interrupt handler reads it.
	{"branch records: an overflow freezes them", 0, 0, DO(BRANCHES_AT_INTERRUPT(BRANCHES | FREEZE_BRANCHES))},
	{"branch records: an overflow without the freeze bit does not freeze them", 0, BRANCHES,
	 DO(BRANCHES_AT_INTERRUPT(BRANCHES))},
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
	.freeze_mask = ALL,
	.sessions = {
		[SELFTEST_OVERFLOWING] = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=1000,"
					 "INST_RETIRED.ANY_P:period=1000,INST_RETIRED.ANY_P:period=1000,"
					 "INST_RETIRED.ANY_P:period=1000",
		[SELFTEST_AT_USER] = "INST_RETIRED.ANY:u,INST_RETIRED.ANY_P:u:period=1000",
		[SELFTEST_STORM] = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:ctr=0:period=50",
		[SELFTEST_NMIS] = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:ctr=0:period=10",
	},
	SELFTEST_LIST(cases),
};
