// SPDX-License-Identifier: BSD-2-Clause
// The SPARC T4 model's faults: what a scenario shows on a PMU that works, and cannot show with the fault.

#include "steps.h"

#include "../faults.h"

static uint64_t pcr_after_reset(void)
{
	return get(PCR0 + 1);
}

static uint64_t whole_select(void)
{
	put(PCR0 + 1, EVENT(31, 0));
	return get(PCR0 + 1);
}

static uint64_t pic_after_reset(void)
{
	return get(PIC0 + 2);
}

static uint64_t highest_bit(void)
{
	put(PIC0, 0x80000000);
	return get(PIC0);
}

static uint64_t reserved_bits(void)
{
	put(PCR0, ~0ULL << 19);
	return get(PCR0);
}

static uint64_t pic_4(void)
{
	return model->write_counter(pmu, 0, 4, 0, 0);
}

static uint64_t closed_to_privileged(void)
{
	put(PCR0, PICNHT);
	be_at(PRIVILEGED);
	return model->write_counter(pmu, 0, 0, 0, 0);
}

static uint64_t closed_to_user(void)
{
	put(PCR0, PICNPT);
	be_at(USER);
	return model->write_counter(pmu, 0, 0, 0, 0);
}

static uint64_t branches_among_loads(void)
{
	return COUNT(EVENT(INSTRUCTIONS, 1) | ALL, 10, {INSTRUCTIONS, 1, 1}, {INSTRUCTIONS, 4, 2});
}

static uint64_t user_without_ut(void)
{
	return COUNT(INSTR_ALL | ST | HT, 10, {INSTRUCTIONS, 1, 1, 0, USER});
}

static uint64_t privileged_without_st(void)
{
	return COUNT(INSTR_ALL | UT | HT, 10, {INSTRUCTIONS, 1, 1, 0, PRIVILEGED});
}

static uint64_t hyperprivileged_without_ht(void)
{
	return COUNT(INSTR_ALL | UT | ST, 10, {INSTRUCTIONS, 1, 1, 0, HYPER});
}

// Counter 0 wraps with an instruction in user mode.
static void wrap(uint64_t pcr, uint8_t type)
{
	set(0, pcr, 0xFFFFFFFF);
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, USER, .type = type}, {CYCLES, 0, 1, 0, USER});
	run(1);
}

static uint64_t ov_of_a_wrap(void)
{
	wrap(INSTR_ALL | UT, 0);
	return get(PCR0) & OV;
}

static uint64_t ov_written_as_1(void)
{
	put(PCR0, OV);
	return get(PCR0);
}

static uint64_t ov_written_as_0(void)
{
	wrap(INSTR_ALL | UT, 0);
	put(PCR0, 0);
	return get(PCR0);
}

static uint64_t ov_behind_the_write_of_another(void)
{
	wrap(INSTR_ALL | UT, 0);
	put(PCR0 + 1, 0);
	return get(PCR0) & OV;
}

static uint64_t ov_that_a_write_causes(void)
{
	set(0, INSTR_ALL | HT, 0xFFFFFFFF);
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, HYPER});
	store(PCR0, 0);
	return get(PCR0) & OV;
}

static uint64_t ntc_of_a_wrap(void)
{
	wrap(INSTR_ALL | UT, OCCURRENCE_TYPE_COMMIT);
	return get(PCR0) & NTC;
}

static uint64_t ov_of_two_wraps(void)
{
	set(3, INSTR_ALL | UT, 0xFFFFFFFF);
	wrap(INSTR_ALL | UT, 0);
	return (get(PCR0) & OV) + (get(PCR0 + 3) & OV);
}

static uint64_t traps_without_toe(void)
{
	wrap(INSTR_ALL | UT, 0);
	return outputs()->precise;
}

static uint64_t precise_trap(void)
{
	wrap(INSTR_ALL | UT | TOE, 0);
	return outputs()->precise;
}

static uint64_t precise_trap_at_the_next_instruction(void)
{
	wrap(INSTR_ALL | UT | TOE, 0);
	outputs()->precise = 0;
	run(1);
	return outputs()->precise;
}

static uint64_t precise_trap_with_ht(void)
{
	wrap(INSTR_ALL | ALL | TOE, 0);
	return outputs()->precise;
}

static uint64_t disrupting_trap(void)
{
	wrap(EVENT(CYCLES, 0) | UT | TOE, 0);
	return outputs()->requests + outputs()->held;
}

static const struct fault_scenario faults[] = {
	{"reset-value", pcr_after_reset, 0},
	{"select-stuck", whole_select, EVENT(31, 0)},
	{"counter-stuck", pic_after_reset, 0},
	{"counter-narrow", highest_bit, 0x80000000},
	{"reserved-sticks", reserved_bits, 0},
	{"access-unchecked", pic_4, false},
	{"picnht-ignored", closed_to_privileged, false},
	{"picnpt-ignored", closed_to_user, false},
	{"mask-ignored", branches_among_loads, 10},
	{"ut-ignored", user_without_ut, 0},
	{"st-ignored", privileged_without_st, 0},
	{"ht-ignored", hyperprivileged_without_ht, 0},
	{"ov-lost", ov_of_a_wrap, OV},
	{"ov-writable", ov_written_as_1, 0},
	{"ov-uncleared", ov_written_as_0, 0},
	{"clear-all", ov_behind_the_write_of_another, OV},
	{"rewrite-missing", ov_that_a_write_causes, OV},
	{"ntc-missing", ntc_of_a_wrap, NTC},
	{"simultaneous-lost", ov_of_two_wraps, 2 * OV},
	{"toe-ignored", traps_without_toe, 0},
	{"precise-lost", precise_trap, 1},
	{"precise-late", precise_trap, 1},
	{"precise-late", precise_trap_at_the_next_instruction, 0},
	{"precise-in-hyperprivileged", precise_trap_with_ht, 0},
	{"disrupting-missing", disrupting_trap, 2},
};

#define SCENARIOS (sizeof faults / sizeof *faults)

static void every_fault_shows_in_its_scenario(void **state)
{
	(void)state;
	assert_faults_show(faults, SCENARIOS, 0);
}

static void every_fault_has_a_scenario(void **state)
{
	(void)state;
	assert_faults_have_scenarios(faults, SCENARIOS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_fault_shows_in_its_scenario),
		TEST(every_fault_has_a_scenario),
	};

	return cmocka_run_group_tests_name("sparct4 model: faults", tests, find_model, release_model);
}
