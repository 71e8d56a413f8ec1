// SPDX-License-Identifier: BSD-2-Clause
// Architectural branch records: CPUID, order, depth, filter, kinds, call stack. SDM 3B, "Last
// Branch Records"; SDM 2A, CPUID leaf 1CH.

#include "steps.h"

enum { LBR_CTL = 0x14CE, LBR_DEPTH = 0x14CF, INFO = 0x1200, FROM = 0x1500, TO = 0x1600 };

#define LBREN		1ULL		// of IA32_LBR_CTL
#define LEVELS		6ULL
#define CALL_STACK	8ULL
#define KINDS		0x7F0000ULL
#define ALL		(LBREN | LEVELS | KINDS)
#define MISPREDICTED	(1ULL << 63)	// of IA32_LBR_x_INFO
#define VALID		(1ULL << 60)
#define RECORDS		32

static int find_processor(void **state)
{
	(void)state;
	take_model("intel-arch-lbr", THREADS);
	return 0;
}

static struct occurrence branch(unsigned i, uint8_t kind)
{
	return (struct occurrence){.code = 0xC4, .n = 1, .ip = 0x1000 + i, .target = 0x2000 + i,
				   .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | kind};
}

static void retire(struct occurrence o)
{
	connect(&o, 1);
	run(1);
}

// Leaf 7, EDX bit 19; leaf 1CH, EAX: bit n is a depth of 8 * (n + 1).
static void cpuid_reports_them(void **state)
{
	uint32_t leaf[4] = {0};

	(void)state;
	model->identification->identify(model, 0, 0, leaf);
	assert_true(leaf[0] >= 0x1C);
	memset(leaf, 0, sizeof leaf);
	model->identification->identify(model, 7, 0, leaf);
	assert_int_equal(leaf[3], 1u << 19);
	model->identification->identify(model, 0x1C, 0, leaf);
	assert_int_equal(leaf[0], 0x8000000B);
	assert_int_equal(leaf[1], 7);
	assert_int_equal(leaf[2], 7);
	assert_int_equal(get(PERF_CAPABILITIES) & 0x3F, 0x3F);
	model = pmu_model_find("intel");
	memset(leaf, 0xFF, sizeof leaf);
	model->identification->identify(model, 7, 0, leaf);
	assert_int_equal(leaf[3], ~(1u << 19));
	model = pmu_model_find("intel-arch-lbr");
}

static void it_has_no_other_records(void **state)
{
	static const uint32_t lacking[] = {LBR_SELECT, LBR_TOS, LBR_FROM, LBR_TO, LBR_INFO};
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < sizeof lacking / sizeof *lacking; i++) {
		assert_false(model->read(pmu, 0, lacking[i], &value));
		assert_false(model->write(pmu, 0, lacking[i], 0, 0));
	}
	assert_false(model->read(pmu, 0, FROM + RECORDS, &value));
}

static void record_0_is_the_youngest(void **state)
{
	static const unsigned depths[] = {8, 16, 32};

	(void)state;
	for (unsigned d = 0; d < 3; d++) {
		put(LBR_DEPTH, depths[d]);
		put(LBR_CTL, ALL);
		for (unsigned i = 1; i <= 50; i++)
			retire(branch(i, OCCURRENCE_KIND_JUMP));
		for (unsigned i = 0; i < RECORDS; i++) {
			const bool used = i < depths[d];

			assert_int_equal(get(FROM + i), used ? 0x1000 + 50 - i : 0);
			assert_int_equal(get(TO + i), used ? 0x2000 + 50 - i : 0);
			assert_int_equal(get(INFO + i) & 0xFFFF, used);
		}
	}
}

static void depth_is_checked_and_clears(void **state)
{
	(void)state;
	assert_int_equal(get(LBR_DEPTH), RECORDS);
	put(LBR_CTL, ALL);
	retire(branch(1, 0));
	for (uint64_t depth = 0; depth <= 256; depth++)
		if (depth != 8 && depth != 16 && depth != 32)
			assert_false(model->write(pmu, 0, LBR_DEPTH, depth, 0));
	assert_false(model->write(pmu, 0, LBR_DEPTH, 1ULL << 32 | 8, 0));
	assert_int_equal(get(FROM), 0x1001);
	put(LBR_DEPTH, RECORDS);
	assert_int_equal(get(FROM) | get(TO) | get(INFO), 0);
}

static void nothing_is_recorded_without_enable(void **state)
{
	(void)state;
	put(DEBUGCTL, LBR);
	put(LBR_CTL, ALL & ~LBREN);
	retire(branch(1, 0));
	assert_int_equal(get(FROM), 0);
}

// Kinds of model.h with their bit of IA32_LBR_CTL, and their type (IA32_LBR_x_INFO, bits 59 to 56).
static const struct {
	uint8_t kind;
	unsigned bit, type;
} kinds[] = {
	{OCCURRENCE_KIND_CONDITIONAL, 16, 0}, {OCCURRENCE_KIND_JUMP, 17, 2},
	{OCCURRENCE_KIND_JUMP_INDIRECT, 18, 1}, {OCCURRENCE_KIND_CALL, 19, 4},
	{OCCURRENCE_KIND_CALL_INDIRECT, 20, 3}, {OCCURRENCE_KIND_RETURN, 21, 5},
	{OCCURRENCE_KIND_FAR, 22, 8},
};

static void each_kind_has_its_bit_and_type(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 7; i++)
		for (unsigned j = 0; j < 7; j++) {
			put(LBR_DEPTH, RECORDS);
			put(LBR_CTL, LBREN | LEVELS | 1ULL << kinds[j].bit);
			retire(branch(1, kinds[i].kind));
			assert_int_equal(get(FROM), i == j ? 0x1001 : 0);
			assert_int_equal(get(INFO) & ~0xFFFFULL, i == j ?
					 VALID | (uint64_t)kinds[i].type << 56 : 0);
		}
}

static void each_level_has_its_bit(void **state)
{
	(void)state;
	for (uint8_t level = 0; level < 4; level++)
		for (unsigned bit = 1; bit <= 2; bit++) {
			struct occurrence o = branch(1, OCCURRENCE_KIND_JUMP);

			o.level = level;
			put(LBR_DEPTH, RECORDS);
			put(LBR_CTL, LBREN | KINDS | 1ULL << bit);
			retire(o);
			assert_int_equal(get(FROM), (level == 0) == (bit == 1) ? 0x1001 : 0);
		}
}

static void addresses_flags_and_cycles(void **state)
{
	struct occurrence o = branch(1, OCCURRENCE_KIND_CONDITIONAL);

	(void)state;
	put(LBR_CTL, ALL);
	retire(o);
	no_signals();
	run(6);
	o.ip = 0xFFFF800000001000;
	o.branch |= OCCURRENCE_WRONG_PATH;
	retire(o);
	assert_int_equal(get(FROM), 0xFFFF800000001000);
	assert_int_equal(get(INFO), MISPREDICTED | VALID | 7);
}

// Call 1 calls 2, which returns; 1 calls 3: the stack has 3 and 1.
static void returns_remove_calls(void **state)
{
	(void)state;
	put(LBR_CTL, LBREN | LEVELS | CALL_STACK | 7ULL << 19);
	retire(branch(1, OCCURRENCE_KIND_CALL));
	retire(branch(2, OCCURRENCE_KIND_CALL_INDIRECT));
	retire(branch(9, OCCURRENCE_KIND_JUMP));
	retire(branch(9, OCCURRENCE_KIND_RETURN));
	retire(branch(3, OCCURRENCE_KIND_CALL));
	assert_int_equal(get(FROM), 0x1003);
	assert_int_equal(get(FROM + 1), 0x1001);
	assert_int_equal(get(FROM + 2), 0);
	for (unsigned i = 0; i < 3; i++)
		retire(branch(9, OCCURRENCE_KIND_RETURN));
	assert_int_equal(get(FROM) | get(TO) | get(INFO), 0);
}

// The branch of the overflow's own cycle is recorded, later ones are not.
static void an_overflow_freezes_them(void **state)
{
	struct occurrence o = branch(1, OCCURRENCE_KIND_JUMP);

	(void)state;
	put(LBR_CTL, ALL);
	put(DEBUGCTL, FREEZE_LBRS_ON_PMI);
	put(PERFEVTSEL0, EVENT(0xC4, 0) | ON | INT);
	put(PMC0, 0xFFFFFFFB);
	connect(&o, 1);
	run(14);
	assert_int_equal(get(GLOBAL_STATUS), LBR_FRZ | 1);
	assert_int_equal(get(LBR_CTL), ALL);
	assert_int_equal(get(FROM + 4), 0x1001);
	assert_int_equal(get(FROM + 5), 0);
	put(STATUS_RESET, LBR_FRZ);
	run(1);
	assert_int_equal(get(FROM + 5), 0x1001);
}

static void reserved_bits_fault(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		assert_int_equal(model->write(pmu, 0, LBR_CTL, 1ULL << bit, 0),
				 (LBREN | LEVELS | CALL_STACK | KINDS) >> bit & 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cpuid_reports_them),
		TEST(it_has_no_other_records),
		TEST(record_0_is_the_youngest),
		TEST(depth_is_checked_and_clears),
		TEST(nothing_is_recorded_without_enable),
		TEST(each_kind_has_its_bit_and_type),
		TEST(each_level_has_its_bit),
		TEST(addresses_flags_and_cycles),
		TEST(returns_remove_calls),
		TEST(an_overflow_freezes_them),
		TEST(reserved_bits_fault),
	};

	return cmocka_run_group_tests_name("intel model: architectural branch records", tests,
					   find_processor, release_model);
}
