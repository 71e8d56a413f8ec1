// SPDX-License-Identifier: BSD-2-Clause
// The itanium model's faults: what a scenario shows on a PMU that works, and cannot show with the fault.

#include "steps.h"

#include "../faults.h"

#define TRACE_ALL	0xFF8FULL	/* PMC12: all branches, at all levels */

static uint64_t tag_all_after_reset(void)
{
	return get(PMC + 13);
}

static uint64_t stuck_unit_mask(void)
{
	headroom_state();
	put(PMC + 5, ALL_LEVELS | UMASK(15));
	return get(PMC + 5);
}

static uint64_t zero_in_pmd6(void)
{
	put(PMD + 6, 0);
	return get(PMD + 6);
}

static uint64_t highest_bit(void)
{
	put(PMD + 4, 1U << 31);
	return get(PMD + 4);
}

static uint64_t negative(void)
{
	put(PMD + 4, -5);
	return get(PMD + 4);
}

static uint64_t reserved_bit(void)
{
	return model->write(pmu, 0, PMV, 1 << 8, 0);
}

// What counter 4 counts in ten cycles, each with one occurrence.
static uint64_t ten(uint64_t control, struct occurrence o)
{
	put(PMC + 4, control);
	put(PMD + 4, 0);
	connect(&o, 1);
	run(10);
	return get(PMD + 4);
}

#define TEN(control, ...) ten(control, (struct occurrence){__VA_ARGS__})

static uint64_t two_thousand_events(void)
{
	headroom_state();
	set_counter(4, ES(CYCLES));
	SIGNALS({.code = CYCLES, .n = 1});
	run(2000);
	return get(PMD + 4);
}

static uint64_t count_while_frozen(void)
{
	headroom_state();
	put(PMC + 0, FR);
	return TEN(ALL_LEVELS | ES(CYCLES), .code = CYCLES, .n = 1);
}

static uint64_t count_at_another_level(void)
{
	headroom_state();
	return TEN(PLM(7) | ES(CYCLES), .code = CYCLES, .n = 1, .level = 3);
}

static uint64_t privileged_count_without_pp(void)
{
	headroom_state();
	return TEN(ALL_LEVELS | PM | ES(CYCLES), .code = CYCLES, .n = 1);
}

static uint64_t ia32_count_of_an_itanium_monitor(void)
{
	headroom_state();
	return TEN(ALL_LEVELS | ISM(2) | ES(CYCLES), .code = CYCLES, .n = 1, .isa = 1);
}

static uint64_t count_of_another_sub_event(void)
{
	headroom_state();
	return TEN(ALL_LEVELS | ES(L2_FLUSH_DETAILS) | UMASK(1), .code = L2_FLUSH_DETAILS, .sub = 2, .n = 1);
}

static uint64_t events_equal_to_threshold(void)
{
	headroom_state();
	return TEN(ALL_LEVELS | ES(BUS_LIVE) | THRESHOLD(2), .code = BUS_LIVE, .n = 2);
}

// Counters 4 and 5 wrap in the third and in the fifth of ten cycles.
static void two_overflows(uint64_t control)
{
	headroom_state();
	set_counter(4, ES(BUS_LIVE) | control);
	set_counter(5, ES(BUS_LIVE));
	put(PMD + 4, -6);
	put(PMD + 5, -9);
	SIGNALS({.code = BUS_LIVE, .n = 2});
	run(4);
	get(PMC + 0);
	run(6);
}

static uint64_t status_after_overflows(void)
{
	two_overflows(0);
	return get(PMC + 0);
}

static uint64_t status_of_the_first_overflow(void)
{
	two_overflows(OI);
	return get(PMC + 0);
}

static uint64_t requests_of_an_overflow(void)
{
	two_overflows(OI);
	return outputs()->requests;
}

static uint64_t requests_without_oi(void)
{
	two_overflows(0);
	return outputs()->requests;
}

static uint64_t requests_with_pmv_masked(void)
{
	two_overflows(0);
	put(PMV, PMV_M);
	put(PMC + 4, ALL_LEVELS | ES(BUS_LIVE) | OI);
	put(PMD + 4, -2);
	run(10);
	return outputs()->requests;
}

static uint64_t requests_after_unfreezing(void)
{
	two_overflows(OI);
	outputs()->requests = 0;
	put(PMC + 0, 0);
	return outputs()->requests;
}

static uint64_t residue(void)
{
	two_overflows(0);
	headroom_state();
	set_counter(4, ES(BUS_LIVE) | OI);
	put(PMD + 4, -1);
	run(10);
	return get(PMD + 4);
}

static uint64_t status_after_simultaneous_overflows(void)
{
	headroom_state();
	for (uint32_t n = 4; n < 8; n++) {
		set_counter(n, ES(CYCLES));
		put(PMD + n, -3);
	}
	SIGNALS({.code = CYCLES, .n = 1});
	run(3);
	return get(PMC + 0);
}

static uint64_t requests_of_the_timer(void)
{
	headroom_state();
	put(ITM, get(ITC) + 10);
	put(ITV, 0);
	run(20);
	return outputs()->requests;
}

static uint64_t requests_of_the_masked_timer(void)
{
	headroom_state();
	put(ITM, get(ITC) + 10);
	put(ITV, PMV_M);
	run(20);
	return outputs()->requests;
}

static uint64_t closed_read(void)
{
	headroom_state();
	put(PMD + 4, 1234);
	put(PSR, PSR_SP);
	return user_get(4);
}

static uint64_t read_at_level_0(void)
{
	headroom_state();
	put(PMD + 4, 1234);
	put(PSR, PSR_SP);
	return get_at(0, 4);
}

static uint64_t count_out_of_code_range(void)
{
	headroom_state();
	put(PMC + 13, 0);
	return TEN(ALL_LEVELS | ES(L1I_DEMAND_READS), .code = L1I_DEMAND_READS, .n = 1);
}

static uint64_t count_of_another_opcode(void)
{
	headroom_state();
	put(PMC + 8, 8ULL << 60 | 0x3FFFFFF8);
	return TEN(ALL_LEVELS | ES(NOPS_RETIRED), .code = NOPS_RETIRED, .n = 1, .type = OCCURRENCE_TYPE_B);
}

static uint64_t count_out_of_data_range(void)
{
	headroom_state();
	put(PMC + 11, 0);
	return TEN(ALL_LEVELS | ES(LOADS_RETIRED), .code = LOADS_RETIRED, .n = 1);
}

static uint64_t captured_fetch(void)
{
	headroom_state();
	put(PMC + 10, ALL_LEVELS);
	HAPPENS({.code = L2_INST_DEMAND_READS, .n = 1, .ip = 0x120, .latency = 4});
	put(PMC + 0, FR);
	return get(PMD + 0) & ~2ULL;
}

static uint64_t full_after_eight_branches(void)
{
	headroom_state();
	put(PMC + 12, TRACE_ALL);
	SIGNALS({.code = BRANCH_PREDICTOR, .n = 1, .branch = OCCURRENCE_BRANCH});
	run(8);
	put(PMC + 0, FR);
	return get(PMD + 16);
}

static uint64_t branch_that_is_not_taken(void)
{
	full_after_eight_branches();
	return get(PMD + 8);
}

static const struct fault_scenario faults[] = {
	{"reset-value", tag_all_after_reset, 1},
	{"pmc-stuck", stuck_unit_mask, ALL_LEVELS | UMASK(15)},
	{"counter-stuck", zero_in_pmd6, 0},
	{"counter-narrow", highest_bit, 0xFFFFFFFF80000000},
	{"sign-missing", negative, (uint64_t)-5},
	{"access-unchecked", reserved_bit, false},
	{"count-lost", two_thousand_events, 2000},
	{"freeze-ignored", count_while_frozen, 0},
	{"plm-ignored", count_at_another_level, 0},
	{"pm-ignored", privileged_count_without_pp, 0},
	{"ism-ignored", ia32_count_of_an_itanium_monitor, 0},
	{"umask-ignored", count_of_another_sub_event, 0},
	{"threshold-wrong", events_equal_to_threshold, 0},
	{"overflow-lost", status_after_overflows, OVERFLOW(4) | OVERFLOW(5)},
	{"sticky-lost", status_after_overflows, OVERFLOW(4) | OVERFLOW(5)},
	{"simultaneous-lost", status_after_simultaneous_overflows, 0xF0},
	{"residue-lost", residue, 1},
	{"oi-ignored", requests_of_an_overflow, 1},
	{"oi-always", requests_without_oi, 0},
	{"freeze-missing", status_of_the_first_overflow, OVERFLOW(4) | FR},
	{"interrupt-missing", requests_of_an_overflow, 1},
	{"interrupt-twice", requests_after_unfreezing, 0},
	{"mask-ignored", requests_with_pmv_masked, 0},
	{"timer-missing", requests_of_the_timer, 1},
	{"timer-mask-ignored", requests_of_the_masked_timer, 0},
	{"user-read-open", closed_read, 0},
	{"read-closed", read_at_level_0, 1234},
	{"ibr-ignored", count_out_of_code_range, 0},
	{"opcode-ignored", count_of_another_opcode, 0},
	{"dbr-ignored", count_out_of_data_range, 0},
	{"ear-valid-missing", captured_fetch, 0x121},
	{"ear-threshold-wrong", captured_fetch, 0x121},
	{"btb-wrap", full_after_eight_branches, 8},
	{"btb-slot", branch_that_is_not_taken, 0xD},
};

#define FAULTS (sizeof faults / sizeof *faults)

static void every_fault_has_a_scenario(void **state)
{
	(void)state;
	assert_faults_have_scenarios(faults, FAULTS);
}

static void every_fault_shows_in_its_scenario(void **state)
{
	(void)state;
	assert_faults_show(faults, FAULTS, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_fault_has_a_scenario),
		TEST(every_fault_shows_in_its_scenario),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
