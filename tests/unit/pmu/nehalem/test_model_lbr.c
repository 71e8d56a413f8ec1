// SPDX-License-Identifier: BSD-2-Clause
// The nehalem model's branch records: filter, order, freeze. The guide, "Last Branch Record (LBR)";
// SDM 3B, "Last Branch, Interrupt, and Exception Recording" for Nehalem. Also the package's signal,
// which freezes them, too.

#include "steps.h"

#define LBR			1ULL		// of IA32_DEBUGCTL
#define FREEZE_LBRS_ON_PMI	(1ULL << 11)
#define UNCORE_PMI_EN		(1ULL << 13)
#define MISPREDICTED		(1ULL << 63)	// of a source
#define OVF_UNCORE		(1ULL << 61)
#define BRANCH_RETIRED		0xC4
#define MISPREDICTED_BRANCH	0xC5

// A taken branch of thread 0 at level 0, number `i` of a program.
static struct occurrence branch(unsigned i)
{
	return (struct occurrence){.code = BRANCH_RETIRED, .sub = 4, .n = 1, .ip = 0x1000 + i,
				   .target = 0x2000 + i,
				   .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN};
}

static void retire(struct occurrence o)
{
	connect(&o, 1);
	run(1);
}

static void assert_record(unsigned record, uint64_t from, uint64_t to)
{
	assert_int_equal(get(LBR_FROM + record), from);
	assert_int_equal(get(LBR_TO + record), to);
}

static void nothing_is_recorded_without_lbr(void **state)
{
	(void)state;
	put(DEBUGCTL, 0x7FC2);
	retire(branch(0));
	assert_int_equal(get(LBR_TOS), 0);
	assert_record(0, 0, 0);
	assert_record(1, 0, 0);
}

// The guide: "16 source-target sets in a rotating buffer".
static void the_youngest_16_are_kept(void **state)
{
	(void)state;
	put(DEBUGCTL, LBR);
	for (unsigned i = 1; i <= 21; i++) {
		retire(branch(i));
		assert_int_equal(get(LBR_TOS), i % 16);
		assert_record(i % 16, 0x1000 + i, 0x2000 + i);
	}
	for (unsigned i = 6; i <= 21; i++)
		assert_record(i % 16, 0x1000 + i, 0x2000 + i);
}

// SDM volume 4: LASTBRANCH_TOS is read and written.
static void the_next_one_follows_the_top_that_was_written(void **state)
{
	(void)state;
	put(DEBUGCTL, LBR);
	retire(branch(1));
	put(LBR_TOS, 14);
	retire(branch(2));
	assert_int_equal(get(LBR_TOS), 15);
	assert_record(15, 0x1002, 0x2002);
	retire(branch(3));
	assert_int_equal(get(LBR_TOS), 0);
	assert_record(0, 0x1003, 0x2003);
	assert_record(1, 0x1001, 0x2001);
}

static void only_taken_branches_are_recorded(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	put(DEBUGCTL, LBR);
	o.branch = OCCURRENCE_BRANCH;
	retire(o);
	o.branch = OCCURRENCE_BRANCH | OCCURRENCE_WRONG_PATH;
	retire(o);
	assert_int_equal(get(LBR_TOS), 0);
}

// A branch with several unit-mask bits is one branch: mask 4 means all of them.
static void a_branch_in_several_spellings_is_recorded_once(void **state)
{
	struct occurrence list[4] = {branch(1), branch(1), branch(1), branch(1)};

	(void)state;
	put(DEBUGCTL, LBR);
	list[0].sub = 0;
	list[1].sub = 1;
	list[2].sub = 7;
	list[3].code = MISPREDICTED_BRANCH;
	connect(list, 4);
	run(1);
	assert_int_equal(get(LBR_TOS), 1);
	assert_record(1, 0x1001, 0x2001);
}

static void source_says_that_it_was_mispredicted(void **state)
{
	static const uint8_t wrong[] = {OCCURRENCE_WRONG_PATH, OCCURRENCE_WRONG_TARGET,
					OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET};

	(void)state;
	put(DEBUGCTL, LBR);
	for (unsigned i = 0; i < 3; i++) {
		struct occurrence o = branch(1);

		o.branch |= wrong[i];
		retire(o);
		assert_record(i + 1, MISPREDICTED | 0x1001, 0x2001);
	}
}

// Bits 62:48 of a source, 63:48 of a target are copies of bit 47.
static void addresses_are_extended(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	put(DEBUGCTL, LBR);
	o.ip = 0xFFFF800000001000;
	o.target = 0xFFFFFFFFFFFFFFFE;
	retire(o);
	assert_record(1, 0x7FFF800000001000, 0xFFFFFFFFFFFFFFFE);
	o.branch |= OCCURRENCE_WRONG_PATH;
	retire(o);
	assert_record(2, 0xFFFF800000001000, 0xFFFFFFFFFFFFFFFE);
}

static void threads_have_records_of_their_own(void **state)
{
	struct occurrence list[2] = {branch(1), branch(2)};

	(void)state;
	list[1].thread = 1;
	put_of(1, DEBUGCTL, LBR);
	connect(list, 2);
	run(1);
	assert_int_equal(get_of(0, LBR_TOS), 0);
	assert_int_equal(get_of(1, LBR_TOS), 1);
	assert_int_equal(get_of(1, LBR_FROM + 1), 0x1002);
	assert_int_equal(get_of(1, LBR_TO + 1), 0x2002);
}

// SDM volume 4, MSRs of processors based on Nehalem: LBR_SELECT's scope is the core,
// IA32_DEBUGCTL's and the records' the thread.
static void the_filter_of_one_thread_holds_for_both(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	o.thread = 1;
	put_of(1, DEBUGCTL, LBR);
	put(LBR_SELECT, 1);			// excludes ring 0
	assert_int_equal(get_of(1, LBR_SELECT), 1);
	retire(o);
	assert_int_equal(get_of(1, LBR_TOS), 0);
	o.level = 3;
	retire(o);
	assert_int_equal(get_of(1, LBR_TOS), 1);
	put_of(1, LBR_SELECT, 0);
	assert_int_equal(get(LBR_SELECT), 0);
	assert_int_equal(get(DEBUGCTL), 0);
}

static bool is_recorded(uint64_t select, uint8_t level, uint8_t kind)
{
	struct occurrence o = branch(1);
	uint64_t before = get(LBR_TOS);

	o.level = level;
	o.branch |= kind;
	put(LBR_SELECT, select);
	retire(o);
	return get(LBR_TOS) != before;
}

// Table 7: kind by kind, in the order of model.h, each with its bit.
static const struct {
	uint8_t kind;
	unsigned bit;
} kinds[] = {
	{OCCURRENCE_KIND_CONDITIONAL, 2}, {OCCURRENCE_KIND_CALL, 3},
	{OCCURRENCE_KIND_CALL_INDIRECT, 4},
	{OCCURRENCE_KIND_RETURN, 5}, {OCCURRENCE_KIND_JUMP_INDIRECT, 6}, {OCCURRENCE_KIND_JUMP, 7},
	{OCCURRENCE_KIND_FAR, 8},
};

static void each_kind_can_be_left_out(void **state)
{
	(void)state;
	put(DEBUGCTL, LBR);
	for (unsigned i = 0; i < 7; i++)
		for (unsigned j = 0; j < 7; j++) {
			assert_int_equal(is_recorded(1ULL << kinds[j].bit, 0, kinds[i].kind),
					 i != j);
			assert_int_equal(is_recorded(0x1FC & ~(1ULL << kinds[j].bit), 3,
						     kinds[i].kind), i == j);
		}
}

static void an_unknown_kind_is_left_out_with_all_kinds(void **state)
{
	(void)state;
	put(DEBUGCTL, LBR);
	assert_true(is_recorded(0, 0, 0));
	for (unsigned i = 0; i < 7; i++)
		assert_true(is_recorded(0x1FC & ~(1ULL << kinds[i].bit), 0, 0));
	assert_false(is_recorded(0x1FC, 0, 0));
}

// Bit 0 excludes ring 0, bit 1 the others.
static void each_level_can_be_left_out(void **state)
{
	(void)state;
	put(DEBUGCTL, LBR);
	for (uint8_t level = 0; level < 4; level++) {
		assert_true(is_recorded(0, level, OCCURRENCE_KIND_CALL));
		assert_int_equal(is_recorded(1, level, OCCURRENCE_KIND_CALL), level != 0);
		assert_int_equal(is_recorded(2, level, OCCURRENCE_KIND_CALL), level == 0);
		assert_false(is_recorded(3, level, OCCURRENCE_KIND_CALL));
	}
}

// Three branches in a cycle, the second twice, for 1001 cycles: 4004 branches, 4004 % 16 = 4.
static void equal_cycles_leave_the_records_of_the_last(void **state)
{
	static const unsigned order[] = {1, 2, 2, 3};
	struct occurrence list[3] = {branch(1), branch(2), branch(3)};

	(void)state;
	for (unsigned at_once = 0; at_once < 2; at_once++) {
		reset(-1);
		put(DEBUGCTL, LBR);
		list[1].n = 2;
		connect(list, 3);
		for (unsigned i = 0; i < 1001; i++)
			run(!at_once);
		run(at_once ? 1001 : 0);
		assert_int_equal(get(LBR_TOS), 4);
		for (unsigned i = 0; i < 16; i++)
			assert_record((i + 5) % 16, 0x1000 + order[i % 4], 0x2000 + order[i % 4]);
	}
}

static void huge_runs_end(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	put(DEBUGCTL, LBR);
	o.n = UINT32_MAX;		// 15 modulo 16, as 2^64 - 1: 15 * 15 = 225 = 1 modulo 16
	connect(&o, 1);
	run(UINT64_MAX);
	assert_int_equal(get(LBR_TOS), 1);
}

// SDM 3B, "Freezing LBR and Performance Counters on PMI": the branches of the overflow's own cycle
// are recorded.
static void interrupt_stops_the_records(void **state)
{
	(void)state;
	for (unsigned int_set = 0; int_set < 2; int_set++) {
		struct occurrence o = branch(1);

		reset(-1);
		put(DEBUGCTL, LBR | FREEZE_LBRS_ON_PMI);
		put(PERFEVTSEL0, EVENT(BRANCH_RETIRED, 4) | ON | (int_set ? INT : 0));
		put(PMC0, before_overflow(0, 5));
		connect(&o, 1);
		run(14);
		assert_int_equal(get(DEBUGCTL), FREEZE_LBRS_ON_PMI | (int_set ? 0 : LBR));
		assert_int_equal(get(LBR_TOS), int_set ? 5 : 14);
		assert_int_equal(get(PMC0), 9);		// counters continue
		put(DEBUGCTL, LBR | FREEZE_LBRS_ON_PMI);
		run(1);
		assert_int_equal(get(LBR_TOS), int_set ? 6 : 15);
	}
}

static void interrupt_without_the_freeze_does_not_stop_them(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	put(DEBUGCTL, LBR | FREEZE_PERFMON_ON_PMI);
	put(PERFEVTSEL0, EVENT(BRANCH_RETIRED, 4) | ON | INT);
	put(PMC0, before_overflow(0, 5));
	connect(&o, 1);
	run(14);
	assert_int_equal(get(DEBUGCTL), LBR | FREEZE_PERFMON_ON_PMI);
	assert_int_equal(get(LBR_TOS), 14);
	assert_int_equal(get(PMC0), 0);
}

static void huge_run_with_frozen_records_ends(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	put(DEBUGCTL, LBR | FREEZE_LBRS_ON_PMI);
	put(PERFEVTSEL0, EVENT(BRANCH_RETIRED, 4) | ON | INT);
	o.n = UINT32_MAX;
	connect(&o, 1);
	run(UINT64_MAX);
	assert_int_equal(get(DEBUGCTL), FREEZE_LBRS_ON_PMI);
	assert_int_equal(outputs()->requests, 1);
}

static void taken_branches_count_as_events_do(void **state)
{
	struct occurrence list[2] = {branch(1), branch(1)};

	(void)state;
	list[1].code = MISPREDICTED_BRANCH;
	list[1].sub = 2;
	assert_int_equal(counted(EVENT(BRANCH_RETIRED, 4) | ON, 10, list, 2), 10);
	assert_int_equal(counted(EVENT(MISPREDICTED_BRANCH, 2) | ON, 10, list, 2), 10);
	assert_int_equal(counted(EVENT(MISPREDICTED_BRANCH, 4) | ON, 10, list, 2), 0);
}

static void branches_matter_to_records_and_to_their_events(void **state)
{
	(void)state;
	assert_false(outputs()->branches_matter);
	put_of(1, DEBUGCTL, LBR);
	assert_true(outputs()->branches_matter);
	put_of(1, DEBUGCTL, 0);
	assert_false(outputs()->branches_matter);
	for (unsigned event = BRANCH_RETIRED; event <= MISPREDICTED_BRANCH; event++) {
		put_of(1, PERFEVTSEL0 + 3, EVENT(event, 4) | ON);
		assert_true(outputs()->branches_matter);
		put_of(1, GLOBAL_CTRL, 7);
		assert_false(outputs()->branches_matter);
		put_of(1, GLOBAL_CTRL, 15);
		put_of(1, PERFEVTSEL0 + 3, EVENT(event, 4) | OS | USR);
		assert_false(outputs()->branches_matter);
	}
	put_of(1, PERFEVTSEL0 + 3, EVENT(RETIRED, 4) | ON);
	assert_false(outputs()->branches_matter);
}

//
// The package's signal
//

// SDM 3B: IA32_DEBUGCTL.UNCORE_PMI_EN enables a logical processor to receive the uncore's
// interrupt; bit 61 of the status.
static void signal_interrupts_the_threads_that_want_it(void **state)
{
	(void)state;
	put_of(1, DEBUGCTL, UNCORE_PMI_EN);
	model->machine->signal(pmu, 0);
	assert_int_equal(outputs()->requests, 0);
	assert_int_equal(get_of(0, GLOBAL_STATUS), 0);
	model->machine->signal(pmu, 1);
	assert_int_equal(outputs()->requests, 2);
	assert_int_equal(get_of(1, GLOBAL_STATUS), OVF_UNCORE);
	assert_int_equal(get_of(0, GLOBAL_STATUS), 0);
	put_of(1, GLOBAL_OVF_CTRL, OVF_UNCORE);
	assert_int_equal(get_of(1, GLOBAL_STATUS), 0);
}

static void signal_leaves_the_status_of_counters(void **state)
{
	(void)state;
	put(DEBUGCTL, UNCORE_PMI_EN);
	overflow_all();
	model->machine->signal(pmu, 0);
	assert_int_equal(get(GLOBAL_STATUS), ALL_BITS | OVF_UNCORE);
}

static void signal_freezes_as_any_interrupt(void **state)
{
	const uint64_t freezes = UNCORE_PMI_EN | FREEZE_PERFMON_ON_PMI | FREEZE_LBRS_ON_PMI;

	(void)state;
	put(DEBUGCTL, LBR | freezes);
	set_counter(0, 0, 0);
	set_counter_of(1, 0, 0, 0);
	busy();
	run(10);
	model->machine->signal(pmu, 0);
	run(10);
	assert_int_equal(get(GLOBAL_CTRL), 0);
	assert_int_equal(get(DEBUGCTL), freezes);
	assert_int_equal(get(PMC0), 10);
	assert_int_equal(get_of(1, PMC0), 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_recorded_without_lbr),
		TEST(the_youngest_16_are_kept),
		TEST(the_next_one_follows_the_top_that_was_written),
		TEST(only_taken_branches_are_recorded),
		TEST(a_branch_in_several_spellings_is_recorded_once),
		TEST(source_says_that_it_was_mispredicted),
		TEST(addresses_are_extended),
		TEST(threads_have_records_of_their_own),
		TEST(the_filter_of_one_thread_holds_for_both),
		TEST(each_kind_can_be_left_out),
		TEST(an_unknown_kind_is_left_out_with_all_kinds),
		TEST(each_level_can_be_left_out),
		TEST(equal_cycles_leave_the_records_of_the_last),
		TEST(huge_runs_end),
		TEST(interrupt_stops_the_records),
		TEST(interrupt_without_the_freeze_does_not_stop_them),
		TEST(huge_run_with_frozen_records_ends),
		TEST(taken_branches_count_as_events_do),
		TEST(branches_matter_to_records_and_to_their_events),
		TEST(signal_interrupts_the_threads_that_want_it),
		TEST(signal_leaves_the_status_of_counters),
		TEST(signal_freezes_as_any_interrupt),
	};

	return cmocka_run_group_tests_name("nehalem model: branch records", tests, find_model,
					   release_model);
}
