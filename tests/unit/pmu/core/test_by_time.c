// SPDX-License-Identifier: BSD-2-Clause
// Samples by time (Xeon Phi guide, 1.3.1.2; Itanium manual, 6.1.2.1) on each target: the timer
// interrupts at a regular interval, and no event is lost between two samples. Expected counts are
// those of the same code without samples, and cycles that pass in an interval.

#include "by_timer.h"

static struct pmu_session session;

static void begin(unsigned t)
{
	begin_target(targets[t].target);
}

// Executes and counts the instructions. Returns the counts of the two events.
static struct counts counts_of(uint64_t instructions, uint64_t ticks)
{
	assert_int_equal(pmu_start(&session), PMU_OK);
	if (ticks)
		assert_int_equal(pmu_sample_by_time(ticks), PMU_OK);
	hal_execute_user(instructions);
	assert_int_equal(pmu_sample_by_time(0), PMU_OK);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	return (struct counts){{count_of(&session, 0), count_of(&session, 1)}};
}

// Takes all samples. Returns their number of each event, and the sums of the intervals.
static unsigned take_intervals(struct counts *sum, uint64_t *longest_cycles)
{
	struct pmu_sample sample;
	unsigned samples[2] = {0};
	uint64_t last[2] = {0};

	*sum = (struct counts){{0}};
	*longest_cycles = 0;
	while (pmu_take_sample(&sample)) {
		const unsigned event = sample.source.event;
		const uint64_t interval = sample.count - last[event];

		assert_true(sample.count >= last[event]);
		last[event] = sample.count;
		samples[event]++;
		sum->of[event] += interval;
		if (event && interval > *longest_cycles)
			*longest_cycles = interval;
	}
	assert_int_equal(samples[0], samples[1]);
	return samples[0];
}

static void intervals_add_up_to_the_count(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		struct counts plain, sampled, sum;
		uint64_t longest;
		unsigned samples;

		begin(t);
		open_two(&session, t, "");
		plain = counts_of(INSTRUCTIONS, 0);
		assert_false(pmu_take_sample(&(struct pmu_sample){0}));
		pmu_close(&session);
		begin(t);
		open_two(&session, t, "");
		sampled = counts_of(INSTRUCTIONS, TICKS);
		samples = take_intervals(&sum, &longest);
		assert_int_equal(samples, INSTRUCTIONS / TICKS);
		assert_int_equal(longest, TICKS);
		for (unsigned e = 0; e < 2; e++) {
			assert_true(plain.of[e] - INSTRUCTIONS < 100);
			assert_int_equal(sampled.of[e], plain.of[e]);
			// The rest is less than an interval.
			assert_true(sum.of[e] <= sampled.of[e] &&
				    sampled.of[e] - sum.of[e] < TICKS);
		}
		assert_int_equal(statistics().faults, 0);
		assert_int_equal(statistics().dropped, 0);
	}
}

// Counters that overflow between two samples.
static void an_overflow_between_samples_is_counted(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		const struct pmu_driver *driver = pmu_driver_find(targets[t].target);
		const uint64_t before = (1ULL << targets[t].bits) - 5500;
		struct counts sampled, plain, sum;
		uint64_t longest;

		begin(t);
		open_two(&session, t, "");
		plain = counts_of(INSTRUCTIONS, 0);
		pmu_close(&session);
		begin(t);
		open_two(&session, t, "");
		assert_int_equal(pmu_start(&session), PMU_OK);
		for (unsigned e = 0; e < 2; e++) {
			uint64_t value = 0;

			assert_true(driver->read(session.counter[e].address, &value));
			assert_true(driver->write(session.counter[e].address, before + value));
		}
		assert_int_equal(pmu_stop(&session), PMU_OK);
		sampled = counts_of(INSTRUCTIONS, TICKS);
		assert_int_equal(take_intervals(&sum, &longest), INSTRUCTIONS / TICKS);
		for (unsigned e = 0; e < 2; e++) {
			assert_int_equal(sampled.of[e], before + plain.of[e]);
			assert_true(sampled.of[e] - sum.of[e] < TICKS);
		}
	}
}

// Only events without a period are sampled by time; the others by their overflows.
static void an_event_with_a_period_keeps_it(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		unsigned samples[2] = {0};
		struct pmu_sample sample;
		struct counts counts;
		char text[128];

		begin(t);
		snprintf(text, sizeof text, "%s:period=7777,%s", targets[t].retired,
			 targets[t].cycles);
		open_session(&session, text);
		counts = counts_of(INSTRUCTIONS, TICKS);
		while (pmu_take_sample(&sample))
			samples[sample.source.event]++;
		assert_int_equal(samples[0], counts.of[0] / 7777);
		assert_int_equal(samples[1], INSTRUCTIONS / TICKS);
	}
}

static void only_running_sessions_are_sampled(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		begin(t);
		open_two(&session, t, "");
		assert_int_equal(pmu_sample_by_time(TICKS), PMU_OK);
		hal_execute_user(INSTRUCTIONS);
		assert_false(pmu_take_sample(&(struct pmu_sample){0}));
		// A new beginning ends the timer.
		begin(t);
		open_two(&session, t, "");
		assert_int_equal(pmu_start(&session), PMU_OK);
		assert_int_equal(pmu_sample_by_time(TICKS), PMU_OK);
		assert_int_equal(pmu_begin(pmu_driver_find(targets[t].target), false), PMU_OK);
		open_two(&session, t, "");
		assert_int_equal(pmu_start(&session), PMU_OK);
		hal_execute_user(INSTRUCTIONS);
		assert_false(pmu_take_sample(&(struct pmu_sample){0}));
	}
}

static void ticks_out_of_range_are_refused(void **state)
{
	(void)state;
	begin(0);
	assert_int_equal(pmu_sample_by_time(PMU_TICKS_LEAST - 1), PMU_BAD_PERIOD);
	assert_int_equal(pmu_sample_by_time(1ULL << 32), PMU_BAD_PERIOD);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(intervals_add_up_to_the_count, driver_end),
		cmocka_unit_test_teardown(an_overflow_between_samples_is_counted, driver_end),
		cmocka_unit_test_teardown(an_event_with_a_period_keeps_it, driver_end),
		cmocka_unit_test_teardown(only_running_sessions_are_sampled, driver_end),
		cmocka_unit_test_teardown(ticks_out_of_range_are_refused, driver_end),
	};

	return cmocka_run_group_tests_name("samples by time", tests, NULL, NULL);
}
