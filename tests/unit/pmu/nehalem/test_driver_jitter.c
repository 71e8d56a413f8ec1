// SPDX-License-Identifier: BSD-2-Clause
// Precise events with random periods: the processor starts each period from the value that the
// driver has stored in the debug store before, so the driver chooses period k + 1 when it takes
// record k. tests/unit/pmu/core/test_session_jitter.c names the source of the known periods.

#include "driver.h"

#include "counter.h"

#define IP		0x401234ULL
#define AREA_THRESHOLD	7	/* SDM 3B, "DS Save Area" */

static const struct occurrence retired[] = {{.code = 0xC0, .sub = 1, .n = 1, .level = 3, .ip = IP}};

static const uint64_t known[] = {925, 836, 1016, 874, 1195};
#define KNOWN	(sizeof known / sizeof *known)
#define ALL	(925 + 836 + 1016 + 874 + 1195)
#define EACH	(SHADOW + 1)	/* cycles from overflow to record; their events are lost */

static void open_random(struct pmu_session *session, uint64_t period, uint8_t jitter, uint32_t seed)
{
	struct event_request r = request(&instructions, 0, EVENT_PRECISE, period);

	r.jitter = jitter;
	r.seed = seed;
	open_requests(session, &r, 1);
	assert_int_equal(pmu_start(session), PMU_OK);
}

// Each record interrupts, even in a buffer of many records.
static void each_record_has_a_period_of_its_own(void **state)
{
	struct pmu_session session;
	struct pmu_sample s;
	uint64_t count = 0;

	(void)state;
	give_buffer(16);
	open_random(&session, 1000, 25, 1234567);
	deliver(retired, 1, ALL + KNOWN * EACH + 100);
	assert_int_equal(statistics().interrupts, KNOWN);
	assert_int_equal(count_of(&session, 0), ALL + 100);
	for (size_t k = 0; k < KNOWN; k++) {
		count += known[k];
		assert_true(pmu_take_sample(&s));
		assert_int_equal(s.count, count);
	}
	assert_false(pmu_take_sample(&s));
	assert_int_equal(session.counter[0].slipped, 0);
	assert_int_equal(pmu_sampled(&session.counter[0]), ALL);
	assert_int_equal(pmu_not_sampled(&session.counter[0], ALL + 100), 100);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// Without random periods records are again taken several at a time: the fourth of seven interrupts.
static void later_sessions_interrupt_as_before(void **state)
{
	struct pmu_session session;

	(void)state;
	give_buffer(7);
	open_random(&session, 1000, 25, 1);
	deliver(retired, 1, 3000);
	assert_int_equal(pmu_close(&session), PMU_OK);
	open_random(&session, 1000, 0, 0);
	deliver(retired, 1, 3 * (1000 + EACH) + 100);
	assert_int_equal(memory[AREA_INDEX] - (uintptr_t)memory, AREAS_BYTES + 3 * RECORD_BYTES);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// If an interrupt is late, the processor starts several periods from the same value. Here the
// fourth record is made to interrupt: the periods are 925, then 836 four times; the next one is
// known again. The sum stays right, and the difference from the chosen periods is reported as late.
static void records_that_are_taken_together_are_in_the_sum(void **state)
{
	struct pmu_session session;
	struct pmu_sample s;
	uint64_t count = 925;

	(void)state;
	give_buffer(16);
	open_random(&session, 1000, 25, 1234567);
	memory[AREA_THRESHOLD] = (uintptr_t)memory + AREAS_BYTES + 4 * RECORD_BYTES;
	deliver(retired, 1, 925 + 3 * 836 + 4 * EACH + 50);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(count_of(&session, 0), 925 + 3 * 836 + 50);
	for (unsigned k = 0; k < 4; k++, count += 836) {
		assert_true(pmu_take_sample(&s));
		assert_int_equal(s.count, count);
	}
	assert_int_equal(pmu_sampled(&session.counter[0]), 925 + 836 + 1016 + 874);
	assert_int_equal(pmu_sampled(&session.counter[0]) +
			 pmu_not_sampled(&session.counter[0], 925 + 3 * 836 + 50),
			 925 + 3 * 836 + 50);
	assert_int_equal(session.counter[0].reload,
			 pmu_random_period(&session.counter[0], session.counter[0].samples + 1));
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// The shortest periods with the widest range; and 2^31 - 1, from which a precise period cannot
// grow: "a counter is armed for a whole period at once".
static void hostile_periods_are_exact(void **state)
{
	static const struct {
		uint64_t period, shortest, longest;
	} cases[] = {
		{2, 2, 2}, {3, 2, 4}, {10, 2, 18},
		{(1ULL << 31) - 1, (1ULL << 31) - 1, (1ULL << 31) - 1},
		{(1ULL << 31) - 101, (1ULL << 31) - 201, (1ULL << 31) - 1},
	};

	(void)state;
	give_buffer(16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pmu_session session;
		struct pmu_sample s;
		uint64_t count = 0, samples = 0;

		open_random(&session, cases[i].period, 100, (uint32_t)i);
		assert_int_equal(pmu_shortest_period(&session.counter[0]), cases[i].shortest);
		assert_int_equal(pmu_longest_period(&session.counter[0]), cases[i].longest);
		for (unsigned turn = 0; i < 3 && turn < 200; turn++) {
			deliver(retired, 1, 100);
			for (; pmu_take_sample(&s); count = s.count, samples++)
				assert_in_range(s.count - count, cases[i].shortest,
						cases[i].longest);
		}
		if (i < 3) {
			const uint64_t all = count_of(&session, 0);

			// 20,000 events: the counted ones, and the 9 lost ones from each overflow
			// to its record.
			for (; pmu_take_sample(&s); count = s.count)
				samples++;
			assert_int_equal(session.counter[0].samples, samples);
			assert_in_range(20000 - (all + samples * EACH), 0, EACH - 1);
			assert_true(all - count <= cases[i].longest);
			assert_int_equal(pmu_sampled(&session.counter[0]), count);
		}
		assert_int_equal(pmu_close(&session), PMU_OK);
	}
}

// Saved and restored within each period: the same periods follow.
static void a_context_keeps_its_periods(void **state)
{
	struct pmu_context context;
	struct pmu_session session;
	struct pmu_sample s;
	uint64_t count = 0;

	(void)state;
	give_buffer(16);
	open_random(&session, 1000, 25, 1234567);
	for (size_t k = 0; k < KNOWN; k++) {
		deliver(retired, 1, 400);
		assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
		deliver(retired, 1, 5000);
		assert_int_equal(pmu_context_restore(&context), PMU_OK);
		deliver(retired, 1, known[k] - 400 + EACH);
		count += known[k];
		assert_true(pmu_take_sample(&s));
		assert_int_equal(s.count, count);
	}
	assert_int_equal(pmu_close(&session), PMU_OK);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_record_has_a_period_of_its_own),
		TEST(later_sessions_interrupt_as_before),
		TEST(records_that_are_taken_together_are_in_the_sum),
		TEST(hostile_periods_are_exact),
		TEST(a_context_keeps_its_periods),
	};

	return cmocka_run_group_tests_name("nehalem driver, random periods", tests, NULL, NULL);
}
