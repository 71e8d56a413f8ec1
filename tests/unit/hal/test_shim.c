// SPDX-License-Identifier: BSD-2-Clause
// The machine of the host shim: time, interrupts, halt, instructions of known kinds.

#include "unit.h"

#include "hal.h"
#include "image_run.h"
#include "shim.h"
#include "stimulus.h"

static int start(void **state)
{
	(void)state;
	return shim_start("nehalem", "") ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

static void unknown_target_or_fault_is_refused(void **state)
{
	(void)state;
	assert_false(shim_start("nobody", ""));
	assert_false(shim_start("nehalem", "no-such-fault"));
	assert_false(shim_start("nehalem", "stuck:0x186:64:0"));
	assert_false(shim_start("nehalem", "stuck:0x186:1"));
	assert_true(shim_start("nehalem", "stuck:0x186:1:1"));
}

static void clock_advances_by_what_is_executed(void **state)
{
	uint64_t before = hal_clock(), short_time, long_time;

	(void)state;
	hal_execute(1000);
	short_time = hal_clock() - before;
	hal_execute(3000);
	long_time = hal_clock() - before - short_time;
	assert_int_equal(long_time - short_time, 2000);
}

static void interrupts_are_on_after_start_and_restored(void **state)
{
	(void)state;
	assert_true(hal_interrupts_disable());
	assert_false(hal_interrupts_disable());
	hal_interrupts_restore(true);
	assert_true(hal_interrupts_disable());
}

static unsigned woken_calls;
static uint64_t woken_at;

static void woken(void)
{
	woken_calls++;
	woken_at = hal_clock();
}

static void alarm_ends_a_halt_after_its_time(void **state)
{
	uint64_t before = hal_clock();

	(void)state;
	woken_calls = 0;
	hal_interrupts_disable();
	hal_alarm(12345);
	hal_halt(woken);
	assert_int_equal(woken_at - before, 12345);
	assert_int_equal(woken_calls, 1);
	assert_true(hal_clock() > woken_at);	// the alarm's handler has run, too
	assert_false(hal_interrupts_disable());
}

//
// Instructions of known kinds, on SPARC T4
//

static int start_sparct4(void **state)
{
	(void)state;
	return shim_start("sparct4", "") ? 0 : -1;
}

// Table 10-1: sl in bits 15:11, mask in 10:5, ht 4, ut 2, toe 1.
#define PCR0		0x6400
#define PIC0		0xB000
#define PCR(sl, mask)	((sl) << 11 | (mask) << 5)
#define HT		(1u << 4)
#define UT		(1u << 2)
#define TOE		(1u << 1)

static void start_counter(uint64_t value, uint64_t pcr)
{
	assert_true(reg_write(PCR0, 0));
	assert_true(reg_write(PIC0, value));
	assert_true(reg_write(PCR0, pcr));
}

static uint64_t count(void)
{
	uint64_t value;

	assert_true(reg_read(PIC0, &value));
	return value;
}

// By hand, from the list in hal.h. A round has 12 instructions: 2 branches, 1 load, 2 stores, 1 SPR
// ring op, 6 others (Table 10-2, sl 3). For sl 4 it has both branches and one of each other kind;
// mask 02 counts taken branches, of which the last round has none.
static void rounds_have_the_kinds_that_hal_h_lists(void **state)
{
	static const struct {
		unsigned sl, mask, expected;
	} rows[] = {
		{3, 0x01, 20}, {3, 0x02, 0}, {3, 0x04, 10}, {3, 0x08, 20}, {3, 0x10, 10},
		{3, 0x20, 60},
		{3, 0x3F, 120},
		{4, 0x01, 20}, {4, 0x02, 9}, {4, 0x04, 10}, {4, 0x08, 10}, {4, 0x10, 10},
		{4, 0x20, 10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		start_counter(0, PCR(rows[i].sl, rows[i].mask) | HT);
		hal_execute_kinds(10);
		assert_int_equal(count(), rows[i].expected);
	}
}

static uint64_t trapped_at;
static unsigned traps;

static void on_trap(uint64_t ip, unsigned level)
{
	trapped_at = ip;
	traps++;
	assert_int_equal(level, 3);
	assert_true(hal_pmi_precise());
	assert_true(reg_write(PCR0, 0));
}

static int three_rounds(void)
{
	hal_execute_kinds(3);
	return 17;
}

static void precise_trap_comes_at_the_instruction_s_address(void **state)
{
	(void)state;
	traps = 0;
	hal_pmi_attach(on_trap, HAL_PMI_VECTOR);
	start_counter(-2u, PCR(4, 0x10) | UT | TOE);
	assert_int_equal(hal_run_user(three_rounds), 17);
	assert_int_equal(traps, 1);
	assert_int_equal(trapped_at, hal_kind_address(HAL_PREFETCH));
	assert_int_equal(hal_kind_address(HAL_PREFETCH), hal_kind_address(HAL_COUNTED) + 8);
}

static void each_line_misses_and_each_random_branch_is_mispredicted(void **state)
{
	(void)state;
	start_counter(0, PCR(16, 0x07) | HT);
	hal_read_lines(1000);
	assert_int_equal(count(), 1000);
	start_counter(0, PCR(25, 0x0F) | HT);
	hal_execute_random(300);
	assert_int_equal(count(), 300);
	start_counter(0, PCR(5, 0x07) | HT);
	hal_execute_far();
	assert_true(count() >= 320);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unknown_target_or_fault_is_refused, start, end),
		cmocka_unit_test_setup_teardown(clock_advances_by_what_is_executed, start, end),
		cmocka_unit_test_setup_teardown(interrupts_are_on_after_start_and_restored, start,
						end),
		cmocka_unit_test_setup_teardown(alarm_ends_a_halt_after_its_time, start, end),
		cmocka_unit_test_setup_teardown(rounds_have_the_kinds_that_hal_h_lists,
						start_sparct4, end),
		cmocka_unit_test_setup_teardown(precise_trap_comes_at_the_instruction_s_address,
						start_sparct4, end),
		cmocka_unit_test_setup_teardown(
			each_line_misses_and_each_random_branch_is_mispredicted, start_sparct4,
						end),
	};

	return cmocka_run_group_tests_name("shim", tests, NULL, NULL);
}
