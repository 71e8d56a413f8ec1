// SPDX-License-Identifier: BSD-2-Clause
// The host shim's machine: time, interrupts, halt.

#include "unit.h"

#include "hal.h"
#include "shim.h"

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
	assert_true(hal_clock() > woken_at);	// its handler has run
	assert_false(hal_interrupts_disable());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unknown_target_or_fault_is_refused, start, end),
		cmocka_unit_test_setup_teardown(clock_advances_by_what_is_executed, start, end),
		cmocka_unit_test_setup_teardown(interrupts_are_on_after_start_and_restored, start, end),
		cmocka_unit_test_setup_teardown(alarm_ends_a_halt_after_its_time, start, end),
	};

	return cmocka_run_group_tests_name("shim", tests, NULL, NULL);
}
