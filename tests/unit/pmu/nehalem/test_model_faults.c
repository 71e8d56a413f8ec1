// SPDX-License-Identifier: BSD-2-Clause
// The nehalem model's faults: what a scenario shows on a PMU that works, and cannot show with the fault.

#include "steps.h"

#include "machine.h"

#include "../faults.h"

static uint64_t stuck_unit_mask(void)
{
	put(PERFEVTSEL0 + 1, EVENT(0, 0xFF));
	return get(PERFEVTSEL0 + 1);
}

static uint64_t highest_bit(void)
{
	put(FIXED_CTR0, 1ULL << 47);
	return get(FIXED_CTR0);
}

static uint64_t extended_write(void)
{
	put(PMC0, 0x80000000);
	return get(PMC0);
}

static uint64_t reserved_bit(void)
{
	return model->write(pmu, 0, PERFEVTSEL0, 1U << 19, 0);
}

static uint64_t two_thousand_events(void)
{
	return COUNT(EVENT(UOPS, 1) | ON, 2000, {UOPS, 1, 1, 0, 0});
}

static uint64_t rdpmc_above_bit_31(void)
{
	uint64_t value;

	put(FIXED_CTR0, 1ULL << 40);
	assert_true(model->read_counter(pmu, 0, 0x40000000, &value));
	return value;
}

static uint64_t count_without_en(void)
{
	return COUNT(EVENT(UOPS, 1) | OS | USR, 10, {UOPS, 1, 1, 0, 0});
}

static uint64_t cycles_behind_a_wrap(void)
{
	put(FIXED_CTR_CTRL, FIXED_CONTROL(1, FIXED_OS | FIXED_USR));
	put(FIXED_CTR0 + 1, COUNTER_MAX);
	put(GLOBAL_CTRL, 1ULL << 33);
	busy();
	run(10);
	return get(FIXED_CTR0 + 1);
}

static uint64_t count_without_global_enable(void)
{
	put(FIXED_CTR_CTRL, FIXED_CONTROL(1, FIXED_OS | FIXED_USR));
	put(GLOBAL_CTRL, 0);
	busy();
	run(10);
	return get(FIXED_CTR0 + 1);
}

static uint64_t count_without_usr(void)
{
	return COUNT(EVENT(UOPS, 1) | EN | OS, 10, {UOPS, 1, 1, 0, 3});
}

static uint64_t count_without_os(void)
{
	return COUNT(EVENT(UOPS, 1) | EN | USR, 10, {UOPS, 1, 1, 0, 0});
}

static uint64_t events_equal_to_cmask(void)
{
	return COUNT(EVENT(UOPS, 1) | ON | CMASK(2), 10, {UOPS, 1, 2, 0, 0});
}

static uint64_t events_with_inv(void)
{
	return COUNT(EVENT(UOPS, 1) | ON | INV | CMASK(2), 10, {UOPS, 1, 2, 0, 0});
}

static uint64_t one_edge(void)
{
	return COUNT(EDGE, 10, {UOPS, 1, 1, 0, 0});
}

static void overflow_counter_0(uint64_t flags)
{
	set_counter(0, flags, before_overflow(0, 5));
	busy();
	run(14);
}

static uint64_t status_after_overflow(void)
{
	overflow_counter_0(0);
	return get(GLOBAL_STATUS);
}

static uint64_t requests_with_int(void)
{
	overflow_counter_0(INT);
	return outputs()->requests;
}

static uint64_t requests_without_int(void)
{
	overflow_counter_0(0);
	return outputs()->requests;
}

static uint64_t control_after_freeze(void)
{
	put(DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	overflow_counter_0(INT);
	return get(GLOBAL_CTRL);
}

static uint64_t status_after_clearing_one(void)
{
	overflow_all();
	put(GLOBAL_OVF_CTRL, 1);
	return get(GLOBAL_STATUS);
}

static uint64_t status_after_clearing_all(void)
{
	overflow_all();
	put(GLOBAL_OVF_CTRL, ALL_BITS);
	return get(GLOBAL_STATUS);
}

static uint64_t count_after_overflow(void)
{
	overflow_counter_0(0);
	return get(PMC0);
}

static uint64_t status_after_simultaneous_overflows(void)
{
	overflow_all();
	return get(GLOBAL_STATUS);
}

static uint64_t reload_after_overflow(void)
{
	overflow_counter_0(0);
	put(PMC0, 1000);
	return get(PMC0);
}

static uint64_t requests_after_enable(void)
{
	put(GLOBAL_CTRL, ALL_BITS);
	return outputs()->requests;
}

static uint64_t count_in_a_frozen_halt(void)
{
	set_counter(5, 0, 0);
	put(GLOBAL_CTRL, 0);
	no_signals();
	run(10);
	return get(FIXED_CTR0 + 1);
}

static uint64_t global_control_after_reset(void)
{
	return get(GLOBAL_CTRL);
}

static uint64_t counter_2_after_reset(void)
{
	return get(PMC0 + 2);
}

static uint64_t clock_of_both_threads(void)
{
	return COUNT(EVENT(CYCLES, 0) | ON | ANY, 10, {CYCLES, 0, 1, 0, 0}, {CYCLES, 0, 1, 1, 0});
}

static uint64_t uops_of_the_other_thread(void)
{
	return COUNT(EVENT(UOPS, 4) | ON, 10, {UOPS, 4, 1, 1, 0});
}

static uint64_t loads_of_30_cycles(uint32_t threshold)
{
	const struct occurrence load = {.code = 0x0B, .sub = 0x10, .n = 1, .latency = 30};

	put(LD_LAT, threshold);
	put(PEBS_ENABLE, 0x100000001);
	return counted(EVENT(0x0B, 0x10) | ON, 10, &load, 1);
}

static uint64_t fast_loads(void)
{
	return loads_of_30_cycles(31);
}

static uint64_t loads_at_the_threshold(void)
{
	return loads_of_30_cycles(30);
}

static uint64_t other_response(void)
{
	const struct occurrence response = {.code = 0xB7, .sub = 1, .n = 1, .opcode = 0x0101};

	put(OFFCORE_RSP_0, 0x0201);
	return counted(EVENT(0xB7, 1) | ON, 10, &response, 1);
}

// Records in cycles 14, 28, and so on.
static void record_for(uint64_t cycles, unsigned size, unsigned threshold)
{
	attach();
	set_area(size, threshold, 5);
	set_precise(1, 0, 5);
	busy();
	run(cycles);
}

static uint64_t index_of_a_full_buffer(void)
{
	record_for(28, 1, 9);
	return area_word(PEBS_INDEX);
}

static uint64_t index_with_records_off(void)
{
	attach();
	set_area(4, 4, 5);
	set_precise(1, 0, 5);
	put(PEBS_ENABLE, 0);
	busy();
	run(14);
	return area_word(PEBS_INDEX);
}

static uint64_t counter_after_record(void)
{
	record_for(14, 4, 4);
	return get(PMC0);
}

static uint64_t requests_at_the_threshold(void)
{
	record_for(14, 4, 1);
	return outputs()->requests;
}

static uint64_t status_of_a_record(void)
{
	record_for(14, 4, 4);
	return record_word(0, STATUS_WORD);
}

static uint64_t no_address(void)
{
	return model->write(pmu, 0, DS_AREA, 1ULL << 47, 0);
}

#define LBR		1U
#define FREEZE_LBRS	(1U << 11)

static void record_branches(uint64_t cycles)
{
	const struct occurrence branch = {
		.code = 0xC4, .sub = 4, .n = 1, .ip = 0x1000, .target = 0x2000,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_RETURN,
	};

	put(DEBUGCTL, get(DEBUGCTL) | LBR);
	connect(&branch, 1);
	run(cycles);
}

static uint64_t records_after_interrupt(void)
{
	put(DEBUGCTL, FREEZE_LBRS);
	put(PERFEVTSEL0, EVENT(0xC4, 4) | ON | INT);
	put(PMC0, before_overflow(0, 5));
	record_branches(14);
	return get(LBR_TOS);
}

static uint64_t filtered_branches(void)
{
	put(LBR_SELECT, 1U << 5);
	record_branches(3);
	return get(LBR_TOS);
}

static uint64_t three_branches(void)
{
	record_branches(3);
	return get(LBR_TOS);
}

static uint64_t source_of_a_branch(void)
{
	record_branches(1);
	return get(LBR_FROM + 1);
}

static uint64_t status_after_signal(void)
{
	put(DEBUGCTL, 1U << 13);
	model->signal(pmu, 0);
	return get(GLOBAL_STATUS);
}

static const struct fault_scenario faults[] = {
	{"reset-value", global_control_after_reset, 0xF},
	{"select-stuck", stuck_unit_mask, EVENT(0, 0xFF)},
	{"counter-stuck", counter_2_after_reset, 0},
	{"counter-narrow", highest_bit, 1ULL << 47},
	{"wrap-skips", cycles_behind_a_wrap, 9},
	{"sign-missing", extended_write, 0xFFFF80000000},
	{"access-unchecked", reserved_bit, false},
	{"count-lost", two_thousand_events, 2000},
	{"rdpmc-short", rdpmc_above_bit_31, 1ULL << 40},
	{"en-ignored", count_without_en, 0},
	{"global-ignored", count_without_global_enable, 0},
	{"usr-ignored", count_without_usr, 0},
	{"os-ignored", count_without_os, 0},
	{"cmask-wrong", events_equal_to_cmask, 10},
	{"inv-ignored", events_with_inv, 0},
	{"edge-ignored", one_edge, 1},
	{"status-lost", status_after_overflow, 1},
	{"int-missing", requests_with_int, 1},
	{"int-always", requests_without_int, 0},
	{"freeze-missing", control_after_freeze, 0},
	{"acknowledge-all", status_after_clearing_one, ALL_BITS & ~1ULL},
	{"acknowledge-lost", status_after_clearing_all, 0},
	{"residue-lost", count_after_overflow, 9},
	{"simultaneous-lost", status_after_simultaneous_overflows, ALL_BITS},
	{"reload-ignored", reload_after_overflow, 1000},
	{"line-stuck", requests_after_enable, 0},
	{"halt-counted", count_in_a_frozen_halt, 0},
	{"clock-summed", clock_of_both_threads, 10},
	{"port234-by-thread", uops_of_the_other_thread, 10},
	{"ldlat-ignored", fast_loads, 0},
	{"ldlat-equal", loads_at_the_threshold, 0},
	{"offcore-ignored", other_response, 0},
	{"pebs-index-overrun", index_of_a_full_buffer, BUFFER + RECORD},
	{"pebs-reset-ignored", counter_after_record, COUNTER_MAX + 1 - 5},
	{"pebs-threshold-ignored", requests_at_the_threshold, 1},
	{"pebs-status-lost", status_of_a_record, 1},
	{"pebs-always", index_with_records_off, BUFFER},
	{"ds-uncanonical", no_address, false},
	{"lbr-not-frozen", records_after_interrupt, 5},
	{"lbr-filter-ignored", filtered_branches, 0},
	{"lbr-tos-stuck", three_branches, 3},
	{"lbr-swapped", source_of_a_branch, 0x1000},
	{"uncore-signal-lost", status_after_signal, 1ULL << 61},
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
	assert_faults_show(faults, FAULTS, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_fault_has_a_scenario),
		TEST(every_fault_shows_in_its_scenario),
	};

	return cmocka_run_group_tests_name("nehalem model: faults", tests, find_model, release_model);
}
