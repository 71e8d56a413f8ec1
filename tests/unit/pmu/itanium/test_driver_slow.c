// SPDX-License-Identifier: BSD-2-Clause
// The itanium driver with slow register accesses, as on a processor: counters continue during an
// access, and can overflow between any two. The driver is compiled a second time for this, with
// accesses that take a cycle.

#include "pmu/itanium/driver.h"

#include "pmu/core/random.h"
#include "pmu/slow.h"
#include "path.h"

// The source is included with other names: the driver is also linked with the shim's accesses.
#define pmu_driver_itanium	slow_driver
#define itanium_timer_program	slow_timer_program
#define itanium_timer_release	slow_timer_release
#define itanium_timer_enable	slow_timer_enable
#define itanium_timer_read	slow_timer_read
#define itanium_timer_write	slow_timer_write
#define itanium_timer_is_due	slow_timer_is_due
#define reg_read		slow_read
#define reg_write		slow_write
#include "../../../../pmu/itanium/driver.c"
#include "../../../../pmu/itanium/driver_timer.c"
#undef reg_read
#undef reg_write

static int slow_start(void **state)
{
	(void)state;
	return shim_start("itanium", "") && pmu_begin(&slow_driver, false) == PMU_OK ? 0 : -1;
}

static void open_requests(struct pmu_session *session, const char *text, uint64_t period)
{
	struct event_request requests[2];
	struct pmu_refusal refusal;

	requests[0] = requests[1] = request(text);
	requests[1].period = period;
	assert_int_equal(pmu_open(session, requests, 2, &refusal), PMU_OK);
}

// Two counters count the same events, and one overflows: at any point in start, stop or interrupt,
// the counts agree.
static void an_overflow_between_two_accesses_is_not_lost(void **state)
{
	uint64_t random = 0x9E3779B97F4A7C15;
	uint64_t overflows = 0;

	(void)state;
	allow_all_interrupts();
	for (unsigned run = 0; run < 300; run++) {
		struct pmu_session session;

		cycles_an_access = run % 4;
		open_requests(&session, "CPU_CYCLES", random_between(&random, 20, 90));
		for (unsigned i = 0; i < 50; i++) {
			assert_int_equal(pmu_start(&session), PMU_OK);
			hal_execute(random_between(&random, 2, 60));
			assert_int_equal(pmu_stop(&session), PMU_OK);
			assert_int_equal(count_of(&session, 1), count_of(&session, 0));
		}
		overflows += session.counter[1].samples;
		assert_int_equal(pmu_close(&session), PMU_OK);
	}
	assert_true(overflows > 1000);
}

// The same while another session starts and stops.
static void nor_while_another_session_starts_and_stops(void **state)
{
	uint64_t random = 0xD1B54A32D192ED03;

	(void)state;
	allow_all_interrupts();
	for (unsigned run = 0; run < 300; run++) {
		struct pmu_session session, other;

		cycles_an_access = 1 + run % 3;
		open_requests(&session, "CPU_CYCLES", random_between(&random, 20, 90));
		open_requests(&other, "CPU_CYCLES", random_between(&random, 20, 90));
		assert_int_equal(pmu_start(&session), PMU_OK);
		for (unsigned i = 0; i < 20; i++) {
			hal_execute(random_between(&random, 2, 60));
			assert_int_equal(pmu_start(&other), PMU_OK);
			hal_execute(random_between(&random, 2, 60));
			assert_int_equal(pmu_stop(&other), PMU_OK);
			assert_int_equal(count_of(&other, 1), count_of(&other, 0));
		}
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(count_of(&session, 1), count_of(&session, 0));
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_int_equal(pmu_close(&other), PMU_OK);
	}
}

// A freeze at each distance from an overflow: the returned status has the overflow bit, or no
// counter has overflowed.
static void a_freeze_sees_the_overflow_it_races_with(void **state)
{
	(void)state;
	cycles_an_access = 1;
	for (uint64_t distance = 1; distance < 30; distance++) {
		struct event_request r = request("CPU_CYCLES");
		struct pmu_counter c = {
			.select = slow_driver.encode(&r, 4), .number = 4,
			.address = slow_driver.address(4),
			.start = (1ULL << 32) - distance,
		};
		uint64_t saved = 0, value = 0;

		assert_int_equal(pmu_begin(&slow_driver, false), PMU_OK);
		assert_true(slow_driver.program(&c, 1));
		hal_interrupts_disable();
		assert_true(slow_driver.enable(0x10));
		assert_true(slow_driver.freeze(&saved));
		assert_true(slow_driver.read(c.address, &value));
		assert_int_equal(!!(saved & 0x10), value < c.start);
		assert_int_equal(get(PMC(0)) & 0xF0, saved & 0xF0);
		hal_interrupts_restore(true);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, slow_start, driver_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_overflow_between_two_accesses_is_not_lost),
		TEST(nor_while_another_session_starts_and_stops),
		TEST(a_freeze_sees_the_overflow_it_races_with),
	};

	return cmocka_run_group_tests_name("itanium driver, slow registers", tests, NULL, NULL);
}
