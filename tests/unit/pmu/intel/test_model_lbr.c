// SPDX-License-Identifier: BSD-2-Clause
// The branch records of each format: order, flags, cycles, filter, call stack, freeze. SDM 3B,
// "Last Branch, Interrupt, and Exception Recording", its sections "LBR Stack and Intel 64
// Processors" (formats), "LBR Stack Size and TOS Pointer Range", "Filtering of Last Branch
// Records", "LBR Call Stack".

#include "steps.h"

#define MISPREDICTED	(1ULL << 63)
#define CALLSTACK	(1ULL << 9)	// of MSR_LBR_SELECT
#define TAKEN		(OCCURRENCE_BRANCH | OCCURRENCE_TAKEN)

// Formats 4 (Haswell: flags in the source) and 5 (Skylake and Ice Lake: LBR_INFO).
static const struct {
	const char *name;
	unsigned format, depth;
} processors[] = {{"intel", 5, 32}, {"intel-haswell", 4, 16}, {"intel-skylake", 5, 32}};
#define PROCESSORS	(sizeof processors / sizeof *processors)

// The inputs of the previous model end with it.
static void become(const char *name)
{
	release_model(NULL);
	take_model(name, THREADS);
	reset(-1);
}

static int begin(void **state)
{
	(void)state;
	become("intel");
	return 0;
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup(name, begin)

static struct occurrence branch(unsigned i)
{
	return (struct occurrence){.code = 0xC4, .n = 1, .ip = 0x1000 + i, .target = 0x2000 + i,
				   .branch = TAKEN};
}

static void retire(struct occurrence o)
{
	connect(&o, 1);
	run(1);
}

static void each_reports_its_format(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PROCESSORS; p++) {
		become(processors[p].name);
		assert_int_equal(get(PERF_CAPABILITIES) & 0x3F, processors[p].format);
	}
	become("intel-guest");
	assert_int_equal(get(PERF_CAPABILITIES) & 0x3F, 0);
}

static bool exists(uint32_t address)
{
	uint64_t value;

	return model->read(pmu, 0, address, &value);
}

static void each_has_the_registers_of_its_depth(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PROCESSORS; p++) {
		become(processors[p].name);
		for (unsigned i = 0; i < 64; i++) {
			assert_int_equal(exists(LBR_FROM + i), i < processors[p].depth);
			assert_int_equal(exists(LBR_TO + i), i < processors[p].depth);
			assert_int_equal(exists(LBR_INFO + i), i < processors[p].depth &&
					 processors[p].format == 5);
		}
		assert_false(model->write(pmu, 0, LBR_TOS, processors[p].depth, 0));
		put(LBR_TOS, processors[p].depth - 1);
	}
	become("intel-guest");
	assert_false(exists(LBR_FROM) || exists(LBR_TO) || exists(LBR_INFO) || exists(LBR_TOS) ||
		     exists(LBR_SELECT));
}

static void the_youngest_are_kept(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PROCESSORS; p++) {
		const unsigned depth = processors[p].depth;

		become(processors[p].name);
		put(DEBUGCTL, LBR);
		for (unsigned i = 1; i <= depth + 5; i++)
			retire(branch(i));
		assert_int_equal(get(LBR_TOS), 5);
		for (unsigned i = 6; i <= depth + 5; i++) {
			assert_int_equal(get(LBR_FROM + i % depth), 0x1000 + i);
			assert_int_equal(get(LBR_TO + i % depth), 0x2000 + i);
		}
	}
}

// Three branches in a cycle, the second twice: 4 a cycle. 1001 cycles leave TOS at 4004 modulo the
// depth, which is 4 for 16 and for 32.
static void equal_cycles_leave_the_records_of_the_last(void **state)
{
	static const unsigned order[] = {1, 2, 2, 3};
	struct occurrence list[3] = {branch(1), branch(2), branch(3)};

	(void)state;
	list[1].n = 2;
	for (unsigned p = 0; p < PROCESSORS; p++) {
		const unsigned depth = processors[p].depth;

		become(processors[p].name);
		put(DEBUGCTL, LBR);
		connect(list, 3);
		run(1001);
		assert_int_equal(get(LBR_TOS), 4);
		for (unsigned i = 0; i < depth; i++)
			assert_int_equal(get(LBR_FROM + (i + 5) % depth), 0x1000 + order[i % 4]);
	}
}

static void flags_are_where_the_format_has_them(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	o.ip = 0xFFFF800000001000;
	o.target = 0xFFFFFFFFFFFFFFFE;
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		o.branch = TAKEN | (wrong ? OCCURRENCE_WRONG_TARGET : 0);
		become("intel-haswell");
		put(DEBUGCTL, LBR);
		retire(o);
		// Bits 63 to 61 are flags, 60 to 48 copies of bit 47.
		assert_int_equal(get(LBR_FROM + 1), 0x1FFF800000001000 |
				 (wrong ? MISPREDICTED : 0));
		assert_int_equal(get(LBR_TO + 1), 0xFFFFFFFFFFFFFFFE);
		become("intel-skylake");
		put(DEBUGCTL, LBR);
		retire(o);
		assert_int_equal(get(LBR_FROM + 1), 0xFFFF800000001000);
		assert_int_equal(get(LBR_TO + 1), 0xFFFFFFFFFFFFFFFE);
		assert_int_equal(get(LBR_INFO + 1) & ~0xFFFFULL, wrong ? MISPREDICTED : 0);
	}
}

static void writes_are_extended(void **state)
{
	(void)state;
	become("intel-haswell");
	// Bits 62 to 47 must be equal (Linux, arch/x86/events/intel/lbr.c); bit 63 is a flag.
	put(LBR_FROM, 0x7FFF800000001000);
	assert_int_equal(get(LBR_FROM), 0x7FFF800000001000);
	put(LBR_FROM, 0x8000000000001000);
	assert_int_equal(get(LBR_FROM), 0x8000000000001000);
	assert_false(model->write(pmu, 0, LBR_FROM, 0x1FFF800000001000, 0));
	assert_false(model->write(pmu, 0, LBR_FROM, 0x0000800000001000, 0));
	assert_false(model->write(pmu, 0, LBR_FROM + 15, 0x4000000000001000, 0));
	put(LBR_TO, 0xE000000000000000);
	assert_int_equal(get(LBR_TO), 0);
	become("intel-skylake");
	put(LBR_FROM, 0xE000000000000000);
	assert_int_equal(get(LBR_FROM), 0);
	put(LBR_TO, 0x0000800000000000);
	assert_int_equal(get(LBR_TO), 0xFFFF800000000000);
}

// LBR_INFO, bits 15 to 0: cycles since the previous record; they saturate.
static void cycles_since_the_previous_record(void **state)
{
	static const uint64_t between[] = {1, 7, 0xFFFE, 0xFFFF, 0x10000, 1ULL << 40};

	(void)state;
	put(DEBUGCTL, LBR);
	retire(branch(0));
	for (unsigned i = 0; i < sizeof between / sizeof *between; i++) {
		no_signals();
		run(between[i] - 1);
		retire(branch(i));
		assert_int_equal(get(LBR_INFO + i + 2),
				 between[i] < 0xFFFF ? between[i] : 0xFFFF);
	}
}

// A saved state has the time since the youngest record, whatever the engine's time is.
static void cycles_survive_a_save(void **state)
{
	(void)state;
	put(DEBUGCTL, LBR);
	retire(branch(0));
	no_signals();
	run(40);
	model->persist->sync(pmu);
	assert_true(model->persist->restore(pmu));
	run(2);
	retire(branch(1));
	assert_int_equal(get(LBR_INFO + 2), 43);
}

static bool is_recorded(uint64_t select, uint8_t level, uint8_t kind)
{
	struct occurrence o = branch(1);
	const uint64_t before = get(LBR_TOS);

	o.level = level;
	o.branch |= kind;
	put(LBR_SELECT, select);
	retire(o);
	return get(LBR_TOS) != before;
}

// The kinds of model.h in its order are bits 2 to 8: conditional, relative call, indirect call,
// return, indirect jump, relative jump, far branch.
static void each_kind_and_level_can_be_left_out(void **state)
{
	(void)state;
	put(DEBUGCTL, LBR);
	for (unsigned i = 0; i < 7; i++)
		for (unsigned j = 0; j < 7; j++)
			assert_int_equal(is_recorded(4ULL << j, 0, (uint8_t)((i + 1) << 4)),
					 i != j);
	for (uint8_t level = 0; level < 4; level++) {
		assert_int_equal(is_recorded(1, level, OCCURRENCE_KIND_CALL), level != 0);
		assert_int_equal(is_recorded(2, level, OCCURRENCE_KIND_CALL), level == 0);
	}
}

static void threads_have_records_and_filters_of_their_own(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	o.thread = 1;
	put_of(1, DEBUGCTL, LBR);
	put(LBR_SELECT, 0x1FF);
	retire(o);
	assert_int_equal(get_of(0, LBR_TOS), 0);
	assert_int_equal(get_of(1, LBR_TOS), 1);
	assert_int_equal(get_of(1, LBR_FROM + 1), 0x1001);
}

// Call 1 calls 2, which returns; 1 calls 3: the stack has 1 and 3. Jumps are left out.
static void returns_remove_calls(void **state)
{
	static const uint8_t kinds[] = {OCCURRENCE_KIND_CALL, OCCURRENCE_KIND_JUMP,
					OCCURRENCE_KIND_CALL_INDIRECT, OCCURRENCE_KIND_RETURN,
					OCCURRENCE_KIND_CALL};

	(void)state;
	put(DEBUGCTL, LBR);
	put(LBR_SELECT, CALLSTACK | 0x1C4);
	for (unsigned i = 0; i < sizeof kinds; i++) {
		struct occurrence o = branch(i);

		o.branch |= kinds[i];
		retire(o);
	}
	assert_int_equal(get(LBR_TOS), 2);
	assert_int_equal(get(LBR_FROM + 1), 0x1000);
	assert_int_equal(get(LBR_FROM + 2), 0x1004);
	for (unsigned i = 0; i < 2; i++) {
		struct occurrence o = branch(9);

		o.branch |= OCCURRENCE_KIND_RETURN;
		retire(o);
	}
	assert_int_equal(get(LBR_TOS), 0);
	assert_int_equal(get(LBR_FROM + 1) | get(LBR_TO + 1) | get(LBR_INFO + 1), 0);
	assert_int_equal(get(LBR_FROM + 2) | get(LBR_TO + 2) | get(LBR_INFO + 2), 0);
}

// Version 4: LBR_Frz stops the records, and IA32_DEBUGCTL.LBR stays. Before: LBR is cleared. The
// branch of the overflow's own cycle is recorded.
static void an_overflow_freezes_them(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PROCESSORS; p++) {
		const bool clears = !strcmp(processors[p].name, "intel-haswell");
		struct occurrence o = branch(1);

		become(processors[p].name);
		put(DEBUGCTL, LBR | FREEZE_LBRS_ON_PMI);
		put(PERFEVTSEL0, EVENT(0xC4, 0) | ON | INT);
		put(PMC0, 0xFFFFFFFB);
		connect(&o, 1);
		run(14);
		assert_int_equal(get(LBR_TOS), 5);
		assert_int_equal(get(DEBUGCTL), FREEZE_LBRS_ON_PMI | (clears ? 0 : LBR));
		assert_int_equal(get(GLOBAL_STATUS), 1 | (clears ? 0 : LBR_FRZ));
		assert_int_equal(get(PMC0), 9);
		if (clears)
			put(DEBUGCTL, LBR);
		else
			put(STATUS_RESET, LBR_FRZ);
		run(1);
		assert_int_equal(get(LBR_TOS), 6);
	}
}

static void huge_runs_end(void **state)
{
	struct occurrence o = branch(1);

	(void)state;
	put(DEBUGCTL, LBR);
	o.n = UINT32_MAX;		// 31 modulo 32, as 2^64 - 1: 31 * 31 = 961 = 1 modulo 32
	connect(&o, 1);
	run(UINT64_MAX);
	assert_int_equal(get(LBR_TOS), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_reports_its_format),
		TEST(each_has_the_registers_of_its_depth),
		TEST(the_youngest_are_kept),
		TEST(equal_cycles_leave_the_records_of_the_last),
		TEST(flags_are_where_the_format_has_them),
		TEST(writes_are_extended),
		TEST(cycles_since_the_previous_record),
		TEST(cycles_survive_a_save),
		TEST(each_kind_and_level_can_be_left_out),
		TEST(threads_have_records_and_filters_of_their_own),
		TEST(returns_remove_calls),
		TEST(an_overflow_freezes_them),
		TEST(huge_runs_end),
	};

	return cmocka_run_group_tests_name("intel model: branch records", tests, find_model,
					   release_model);
}
