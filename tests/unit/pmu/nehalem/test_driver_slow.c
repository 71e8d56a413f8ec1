// SPDX-License-Identifier: BSD-2-Clause
// The Nehalem driver with register accesses that take time, as on a processor: counters continue
// meanwhile, and overflow between any two accesses. For this test the driver is compiled again,
// with accesses that take cycles.

#include "pmu/core/machine.h"
#include "pmu/core/random.h"
#include "pmu/slow.h"

#include "path.h"

// The source is included with other names: the driver is also linked with the shim's accesses.
#define pmu_driver_nehalem	slow_driver
#define reg_read		slow_read
#define reg_write		slow_write
#include "../../../../pmu/nehalem/driver.c"
#undef reg_read
#undef reg_write

static int slow_start(void **state)
{
	(void)state;
	if (!shim_start("nehalem", "") || pmu_begin(&slow_driver, false) != PMU_OK)
		return -1;
	allow_all_interrupts();
	return 0;
}

// The same event on two counters; the second one samples.
#define PAIR_1 "INST_RETIRED.ANY_P:ctr=0,INST_RETIRED.ANY_P:ctr=1"
#define PAIR_2 "INST_RETIRED.ANY_P:ctr=2,INST_RETIRED.ANY_P:ctr=3"

static void open_pair(struct pmu_session *session, const char *text, uint64_t period)
{
	struct event_request requests[REQUESTS_MAX];
	struct pmu_refusal refusal;

	assert_int_equal(read_requests(text, requests), 2);
	requests[1].period = period;
	assert_int_equal(pmu_open(session, requests, 2, &refusal), PMU_OK);
}

static void assert_agree(struct pmu_session *session)
{
	assert_int_equal(count_of(session, 1), count_of(session, 0));
}

// Two counters count the same events; one of them overflows. At any place in start, stop or
// interrupt that it does, their counts agree.
static void an_overflow_between_two_accesses_is_not_lost(void **state)
{
	uint64_t random = 0x9E3779B97F4A7C15, overflows = 0;

	(void)state;
	for (unsigned run = 0; run < 300; run++) {
		struct pmu_session session;

		cycles_an_access = run % 4;
		open_pair(&session, PAIR_1, random_between(&random, 20, 90));
		for (unsigned i = 0; i < 50; i++) {
			assert_int_equal(pmu_start(&session), PMU_OK);
			hal_execute(random_between(&random, 2, 60));
			assert_int_equal(pmu_stop(&session), PMU_OK);
			assert_agree(&session);
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
	for (unsigned run = 0; run < 300; run++) {
		struct pmu_session session, other;

		cycles_an_access = 1 + run % 3;
		open_pair(&session, PAIR_1, random_between(&random, 20, 90));
		open_pair(&other, PAIR_2, random_between(&random, 20, 90));
		assert_int_equal(pmu_start(&session), PMU_OK);
		for (unsigned i = 0; i < 20; i++) {
			hal_execute(random_between(&random, 2, 60));
			assert_int_equal(pmu_start(&other), PMU_OK);
			hal_execute(random_between(&random, 2, 60));
			assert_int_equal(pmu_stop(&other), PMU_OK);
			assert_agree(&other);
		}
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_agree(&session);
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_int_equal(pmu_close(&other), PMU_OK);
	}
}

// The same while all counting is frozen for a moment.
static void nor_while_counting_is_frozen_and_goes_on(void **state)
{
	uint64_t random = 0xBF58476D1CE4E5B9;

	(void)state;
	for (unsigned run = 0; run < 300; run++) {
		struct pmu_session session;

		cycles_an_access = 1 + run % 3;
		open_pair(&session, PAIR_1, random_between(&random, 20, 90));
		assert_int_equal(pmu_start(&session), PMU_OK);
		for (unsigned i = 0; i < 20; i++) {
			uint64_t frozen;
			bool interrupts;

			hal_execute(random_between(&random, 2, 60));
			interrupts = hal_interrupts_disable();
			assert_true(slow_driver.freeze(&frozen));
			assert_true(slow_driver.thaw(frozen));
			hal_interrupts_restore(interrupts);
		}
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_agree(&session);
		assert_int_equal(pmu_close(&session), PMU_OK);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, slow_start, machine_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_overflow_between_two_accesses_is_not_lost),
		TEST(nor_while_another_session_starts_and_stops),
		TEST(nor_while_counting_is_frozen_and_goes_on),
	};

	return cmocka_run_group_tests_name("nehalem driver, slow registers", tests, NULL, NULL);
}
