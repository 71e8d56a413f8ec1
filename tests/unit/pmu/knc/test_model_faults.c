// SPDX-License-Identifier: BSD-2-Clause
// The Knights Corner model's faults: what a scenario shows on a PMU that works, and cannot show with the fault.

#include "steps.h"

#include "../faults.h"

#define INSTRUCTION (EVENT(INSTRUCTIONS, 0) | ON)

static uint64_t global_after_reset(void)
{
	return get(GLOBAL);
}

static uint64_t select_1(void)
{
	put(SEL1, EVENT(0xFF, 0xFF));
	return get(SEL1);
}

static uint64_t counter_1(void)
{
	return get(CNTR1);
}

static uint64_t highest_bit(void)
{
	put(CNTR0, 0x8000000000);
	return get(CNTR0);
}

static uint64_t bit_31(void)
{
	put(CNTR0, 0x80000000);
	return get(CNTR0);
}

static uint64_t reserved_bit(void)
{
	return model->write(pmu, 0, SEL0, 1U << 19, 0);
}

static uint64_t rdpmc(uint32_t index)
{
	uint64_t value;

	put(CNTR0, COUNTER_MAX);
	return model->read_counter(pmu, 0, index, &value) ? value : UINT64_MAX;
}

static uint64_t rdpmc_0(void)
{
	return rdpmc(0);
}

static uint64_t rdpmc_2(void)
{
	return rdpmc(2);
}

static uint64_t without_en(void)
{
	return COUNT(INSTRUCTION & ~EN, 5, {INSTRUCTIONS, 0, 1});
}

static uint64_t without_global(void)
{
	set(1, INSTRUCTION, 0);
	busy();
	run(5);
	return get(CNTR1);
}

static uint64_t level_3_without_usr(void)
{
	return COUNT(INSTRUCTION & ~USR, 5, {INSTRUCTIONS, 0, 1, 0, 3});
}

static uint64_t level_0_without_os(void)
{
	return COUNT(INSTRUCTION & ~OS, 5, {INSTRUCTIONS, 0, 1, 0, 0});
}

static uint64_t all_threads(void)
{
	return COUNT(INSTRUCTION | ANY, 5, {INSTRUCTIONS, 0, 1, 0}, {INSTRUCTIONS, 0, 1, 3});
}

static uint64_t own_thread(void)
{
	return COUNT(INSTRUCTION, 5, {INSTRUCTIONS, 0, 1, 0}, {INSTRUCTIONS, 0, 1, 3});
}

static uint64_t snoop_in_anothers_cycle(void)
{
	return COUNT(EVENT(0xE6, 0x10) | ON, 5, {0xE6, 0x10, 1, 2});
}

static uint64_t control_of_another(void)
{
	put_of(2, GLOBAL, 3);
	return get_of(1, GLOBAL);
}

static uint64_t counted_with_spflt(uint64_t control)
{
	put(SPFLT, control);
	return COUNT(INSTRUCTION, 5, {INSTRUCTIONS, 0, 1});
}

static uint64_t left_to_it_and_not_preferred(void)
{
	return counted_with_spflt(1);
}

static uint64_t left_to_it_and_preferred(void)
{
	return counted_with_spflt(1 | USER_PREF);
}

static uint64_t not_left_to_it(void)
{
	return counted_with_spflt(2);
}

static uint64_t preference(void)
{
	model->spflt(pmu, 0, true, 0);
	return get(SPFLT);
}

static uint64_t as_many_as_cmask(void)
{
	return COUNT(INSTRUCTION | CMASK(2), 5, {INSTRUCTIONS, 0, 2});
}

static uint64_t fewer_than_cmask(void)
{
	return COUNT(INSTRUCTION | CMASK(2) | INV, 5, {INSTRUCTIONS, 0, 1});
}

static uint64_t edges(void)
{
	return COUNT(INSTRUCTION | E, 5, {INSTRUCTIONS, 0, 1});
}

static uint64_t event_that_does_not_exist(void)
{
	return COUNT(EVENT(0x05, 0) | ON, 5, {CYCLES, 0, 1});
}

static uint64_t event_0(void)
{
	return COUNT(EVENT(DATA_READ, 0) | ON, 5, {DATA_READ, 0, 1});
}

static uint64_t event_of_another_unit(void)
{
	return COUNT(EVENT(INSTRUCTIONS, 0x20) | ON, 5, {INSTRUCTIONS, 0, 1});
}

static uint64_t halted(void)
{
	busy();
	no_signals();
	set(0, INSTRUCTION, 0);
	put(GLOBAL, 1);
	run(5);
	return get(CNTR0);
}

// Counters of thread 0 that overflow in the next cycle, with these bits in their selects.
static void overflow_both(uint64_t flags)
{
	set(0, INSTRUCTION | flags, COUNTER_MAX);
	set(1, INSTRUCTION | flags, COUNTER_MAX);
	put(GLOBAL, 3);
	busy();
	run(1);
}

static uint64_t status_of_both(void)
{
	overflow_both(0);
	return get(STATUS);
}

static uint64_t status_read_twice(void)
{
	overflow_both(0);
	get(STATUS);
	return get(STATUS);
}

static uint64_t status_cleared(void)
{
	overflow_both(0);
	put(OVF_CTRL, 2);
	return get(STATUS);
}

static uint64_t requests_with(uint64_t flags)
{
	overflow_both(flags);
	return outputs()->requests;
}

static uint64_t requests_with_int(void)
{
	return requests_with(INT);
}

static uint64_t requests_without_int(void)
{
	return requests_with(0);
}

static uint64_t request_once_cleared(void)
{
	overflow_both(INT);
	put(OVF_CTRL, 3);
	outputs()->requests = 0;
	return requests_with(INT);
}

static uint64_t request_while_it_is_up(void)
{
	overflow_both(INT);
	outputs()->requests = 0;
	return requests_with(INT);
}

static uint64_t request_of_thread_2(void)
{
	set_of(2, 0, INSTRUCTION | INT, COUNTER_MAX);
	put_of(2, GLOBAL, 1);
	SIGNALS({INSTRUCTIONS, 0, 1, 2});
	run(1);
	return outputs()->requests;
}

static uint64_t clock_while_nothing_counts(void)
{
	busy();
	run(5);
	return get(TSC);
}

static uint64_t clock_while_halted(void)
{
	put(GLOBAL, 3);
	no_signals();
	run(5);
	return get(TSC);
}

static uint64_t clock_that_another_writes(void)
{
	put_of(1, TSC, 100);
	return get(TSC);
}

static const struct fault_scenario faults[] = {
	{"reset-value", global_after_reset, 0},
	{"select-stuck", select_1, 0xFFFF},
	{"counter-stuck", counter_1, 0},
	{"counter-narrow", highest_bit, 0x8000000000},
	{"sign-extended", bit_31, 0x80000000},
	{"access-unchecked", reserved_bit, false},
	{"rdpmc-short", rdpmc_0, COUNTER_MAX},
	{"rdpmc-unchecked", rdpmc_2, UINT64_MAX},
	{"en-ignored", without_en, 0},
	{"global-ignored", without_global, 0},
	{"usr-ignored", level_3_without_usr, 0},
	{"os-ignored", level_0_without_os, 0},
	{"levels-swapped", level_3_without_usr, 0},
	{"levels-swapped", level_0_without_os, 0},
	{"any-ignored", all_threads, 10},
	{"any-always", own_thread, 5},
	{"no-thread-filtered", snoop_in_anothers_cycle, 5},
	{"threads-share", control_of_another, 0},
	{"spflt-ignored", left_to_it_and_not_preferred, 0},
	{"spflt-inverted", left_to_it_and_not_preferred, 0},
	{"spflt-inverted", left_to_it_and_preferred, 5},
	{"spflt-always", not_left_to_it, 5},
	{"spflt-lost", preference, USER_PREF},
	{"cmask-wrong", as_many_as_cmask, 5},
	{"inv-ignored", fewer_than_cmask, 5},
	{"edge-ignored", edges, 1},
	{"illegal-counted", event_that_does_not_exist, 0},
	{"event-0-unused", event_0, 5},
	{"umask-ignored", event_of_another_unit, 0},
	{"halt-counted", halted, 0},
	{"status-lost", status_of_both, 3},
	{"status-fades", status_read_twice, 3},
	{"simultaneous-lost", status_of_both, 3},
	{"clear-all", status_cleared, 1},
	{"clear-lost", status_cleared, 1},
	{"int-missing", requests_with_int, 1},
	{"int-always", requests_without_int, 0},
	{"line-stuck", request_once_cleared, 1},
	{"line-repeats", request_while_it_is_up, 0},
	{"line-of-thread-0", request_of_thread_2, 1 << 2},
	{"clock-stops", clock_while_nothing_counts, 5},
	{"clock-halts", clock_while_halted, 5},
	{"clock-split", clock_that_another_writes, 100},
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

	return cmocka_run_group_tests_name("knc model: faults", tests, find_model, release_model);
}
