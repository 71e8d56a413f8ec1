// SPDX-License-Identifier: BSD-2-Clause
// Sessions on the shim: periods, several counters, delivery, a repeated pmu_begin. Time as in
// test_session.c.

#include "one_session.h"

//
// Periods
//

static void open_with_period(struct pmu_session *session, const char *event, uint64_t period)
{
	struct event_request requests[REQUESTS_MAX];
	unsigned count = read_requests(event, requests);
	struct pmu_refusal refusal;

	requests[count - 1].period = period;
	assert_int_equal(pmu_open(session, requests, count, &refusal), PMU_OK);
}

// The shim interrupts at the overflow: there is no skid, and sample k is taken at count k * period.
static void assert_samples(const struct pmu_session *session, unsigned event, uint64_t period,
			   uint64_t samples)
{
	for (uint64_t k = 1; k <= samples; k++) {
		struct pmu_sample sample;

		assert_true(pmu_take_sample(&sample));
		assert_int_equal(sample.count, k * period);
		assert_int_equal(sample.source.session, session->number);
		assert_int_equal(sample.source.event, event);
		assert_int_equal(sample.source.counter, session->counter[event].number);
		assert_int_equal(sample.source.level, 0);
	}
	assert_no_more_samples();
	assert_int_equal(session->counter[event].samples, samples);
	assert_int_equal(session->counter[event].slipped, 0);
}

static void samples_come_at_multiples_of_any_period(void **state)
{
	static const char *const events[] = {"ARITH.MUL," ON_GENERAL, "ARITH.MUL," ON_FIXED};

	(void)state;
	for (size_t i = 0; i < LENGTH(periods) * LENGTH(events); i++) {
		uint64_t period = periods[i / LENGTH(events)], counted;
		struct pmu_session session;

		open_with_period(&session, events[i % LENGTH(events)], period);
		start_session(&session);
		counted = execute(5 * period + period / 2);
		assert_int_equal(count_of(&session, 1), counted);
		assert_int_equal(count_of(&session, 0), 0);
		assert_samples(&session, 1, period, counted / period);
		close_session(&session);
	}
	assert_int_equal(statistics().skid_most, 0);
}

// Periods of many wraps of the register, up to the longest one.
static void the_longest_periods_end_in_a_sample(void **state)
{
	static const uint64_t longest[] = {1ULL << 62, 3ULL << 61, UINT64_MAX >> 1};

	(void)state;
	for (size_t i = 0; i < LENGTH(longest); i++) {
		struct pmu_session session;

		open_with_period(&session, ON_GENERAL, longest[i]);
		start_session(&session);
		execute(longest[i] - 1000);
		assert_no_more_samples();
		execute(2000);
		assert_samples(&session, 0, longest[i], 1);
		close_session(&session);
	}
}

// The same, with a stop and a start after each third of a period. With the shortest periods some
// stops would leave a single event, which is less than arm_least.
static void sampling_goes_on_where_it_stopped(void **state)
{
	static const char *const events[] = {ON_GENERAL, ON_FIXED};

	(void)state;
	for (size_t i = 0; i < LENGTH(periods) * LENGTH(events); i++) {
		uint64_t period = periods[i / LENGTH(events)], counted = 0;
		struct pmu_session session;

		if (period < 10)
			continue;
		open_with_period(&session, events[i % LENGTH(events)], period);
		for (unsigned piece = 0; piece < 10; piece++) {
			start_session(&session);
			counted += execute(period / 3);
			stop_session(&session);
			execute(1000);
			if (count_of(&session, 0) != counted)
				fail_msg("%s, period %llu: count is %lld off",
					 events[i % LENGTH(events)],
					 (unsigned long long)period,
					 (long long)(count_of(&session, 0) - counted));
		}
		assert_samples(&session, 0, period, counted / period);
		close_session(&session);
	}
}

static void samples_are_as_many_as_periods_have_passed(void **state)
{
	static const uint64_t short_periods[] = {2, 3, 7, 100, 4099};

	(void)state;
	allow_all_interrupts();
	for (size_t i = 0; i < LENGTH(short_periods); i++) {
		struct pmu_session session;
		struct pmu_sample sample;
		uint64_t counted, dropped = statistics().dropped, samples, in_ring = 0;

		open_with_period(&session, ON_GENERAL, short_periods[i]);
		start_session(&session);
		counted = execute(20011);
		stop_session(&session);
		samples = counted / short_periods[i];
		assert_counts(&session, counted);
		assert_int_equal(session.counter[0].samples, samples);
		while (pmu_take_sample(&sample))
			assert_int_equal(sample.count, ++in_ring * short_periods[i]);
		assert_int_equal(in_ring, samples < PMU_RING_SAMPLES ? samples : PMU_RING_SAMPLES);
		assert_int_equal(statistics().dropped - dropped, samples - in_ring);
		close_session(&session);
	}
}

//
// Several counters
//

static void counters_that_overflow_in_one_cycle_are_served_in_one_interrupt(void **state)
{
	static const uint8_t numbers[] = {0, 3, 34};
	struct pmu_session session;
	struct pmu_statistics s;

	(void)state;
	open_session(&session,
		     "INST_RETIRED.ANY_P:ctr=3:period=100,CPU_CLK_UNHALTED.REF:period=100,"
			       "CPU_CLK_UNHALTED.THREAD_P:ctr=0:period=100," ON_FIXED);
	start_session(&session);
	assert_counts(&session, execute(1050));
	for (uint64_t k = 1; k <= 10; k++)
		for (size_t i = 0; i < LENGTH(numbers); i++) {
			struct pmu_sample sample;

			assert_true(pmu_take_sample(&sample));
			assert_int_equal(sample.count, k * 100);
			assert_int_equal(sample.source.counter, numbers[i]);
		}
	assert_no_more_samples();
	s = statistics();
	assert_int_equal(s.interrupts, 10);
	assert_int_equal(s.overflows, 30);
	close_session(&session);
}

static void samples_say_whose_they_are(void **state)
{
	struct pmu_session first, second;
	uint64_t seen[2][2] = {{0}}, total;
	struct pmu_sample sample;

	(void)state;
	open_session(&first,
		     "INST_RETIRED.ANY_P:ctr=0:period=300,"
		     "CPU_CLK_UNHALTED.THREAD_P:ctr=1:period=500");
	open_session(&second,
		     "CPU_CLK_UNHALTED.THREAD:period=700,INST_RETIRED.ANY_P:ctr=2:period=1100");
	assert_int_not_equal(first.number, second.number);
	start_session(&first);
	start_session(&second);
	total = execute(100000);
	while (pmu_take_sample(&sample)) {
		struct pmu_session *owner = sample.source.session == first.number ? &first :
			&second;
		uint64_t *n = &seen[owner == &second][sample.source.event];

		assert_int_equal(sample.source.session, owner->number);
		assert_in_range(sample.source.event, 0, 1);
		assert_int_equal(sample.source.counter, owner->counter[sample.source.event].number);
		assert_int_equal(sample.count, ++*n * owner->counter[sample.source.event].period);
	}
	assert_int_equal(seen[0][0], total / 300);
	assert_int_equal(seen[0][1], total / 500);
	assert_int_equal(seen[1][0], total / 700);
	assert_int_equal(seen[1][1], total / 1100);
	assert_counts(&first, total);
	assert_counts(&second, total);
	close_session(&first);
	close_session(&second);
}

static void samples_are_stamped_with_the_time_they_were_taken(void **state)
{
	struct pmu_session session;
	uint64_t start, ip = 0;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:period=1000");
	execute(500);
	start = hal_clock();
	start_session(&session);
	execute(10000);
	for (uint64_t k = 1; k <= 10; k++) {
		struct pmu_sample sample;

		assert_true(pmu_take_sample(&sample));
		assert_int_equal(sample.clock, start + k * 1000);
		assert_true(sample.ip > ip);
		ip = sample.ip;
	}
	close_session(&session);
}

//
// Delivery
//

static void a_vector_waits_for_interrupts_and_an_nmi_does_not(void **state)
{
	(void)state;
	for (int non_maskable = 0; non_maskable < 2; non_maskable++) {
		struct pmu_session session;
		uint64_t n;

		assert_int_equal(pmu_begin(nehalem(), non_maskable), PMU_OK);
		open_session(&session, "INST_RETIRED.ANY_P:period=100");
		start_session(&session);
		hal_interrupts_disable();
		n = execute(1050);
		assert_counts(&session, non_maskable ? n : 100);
		assert_int_equal(session.counter[0].samples, non_maskable ? n / 100 : 0);
		hal_interrupts_restore(true);
		assert_counts(&session, non_maskable ? n : 100);
		assert_int_equal(session.counter[0].samples, non_maskable ? n / 100 : 1);
		close_session(&session);
	}
}

static void nmi_counts_are_exact_across_wraps_with_interrupts_off(void **state)
{
	struct pmu_session session;
	uint64_t counted = 0;

	(void)state;
	assert_int_equal(pmu_begin(nehalem(), true), PMU_OK);
	open_session(&session, ON_THREE);
	hal_interrupts_disable();
	start_session(&session);
	for (unsigned i = 0; i < 10; i++) {
		counted += execute((1ULL << 48) + i);
		assert_counts(&session, counted);
	}
	stop_session(&session);
	assert_counts(&session, counted);
	assert_false(hal_interrupts_disable());
	hal_interrupts_restore(true);
	close_session(&session);
}

// Each call, with interrupts enabled and disabled.
static void calls_leave_interrupts_as_they_found_them(void **state)
{
	(void)state;
	for (int on = 0; on < 2; on++) {
		struct pmu_session session;
		uint64_t count;

		hal_interrupts_restore(on);
		open_session(&session, "INST_RETIRED.ANY_P:period=1000");
		start_session(&session);
		execute(1500);
		assert_int_equal(pmu_read(&session, 0, &count), PMU_OK);
		stop_session(&session);
		close_session(&session);
		assert_int_equal(hal_interrupts_disable(), on);
	}
}

//
// pmu_begin, called again
//

static void begin_leaves_nothing_of_what_was(void **state)
{
	struct pmu_session session;
	struct pmu_statistics s;

	(void)state;
	open_session(&session,
		     "INST_RETIRED.ANY_P:period=100,INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD");
	start_session(&session);
	execute(1000);
	assert_int_equal(pmu_begin(nehalem(), false), PMU_OK);
	assert_ptr_equal(pmu_current_driver(), nehalem());
	assert_no_more_samples();
	s = statistics();
	assert_int_equal(s.interrupts | s.overflows | s.spurious | s.unclaimed | s.dropped |
			 s.throttles | s.faults, 0);
	execute(1000);
	assert_int_equal(statistics().interrupts, 0);
	open_session(&session,
		     "INST_RETIRED.ANY_P:period=100,INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD");
	assert_counts(&session, 0);
	start_session(&session);
	assert_counts(&session, execute(1000));
	close_session(&session);
}

static void drivers_are_found_by_name(void **state)
{
	(void)state;
	assert_string_equal(pmu_driver_find("nehalem")->name, "nehalem");
	assert_null(pmu_driver_find("nehale"));
	assert_null(pmu_driver_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_come_at_multiples_of_any_period),
		TEST(the_longest_periods_end_in_a_sample),
		TEST(sampling_goes_on_where_it_stopped),
		TEST(samples_are_as_many_as_periods_have_passed),
		TEST(counters_that_overflow_in_one_cycle_are_served_in_one_interrupt),
		TEST(samples_say_whose_they_are),
		TEST(samples_are_stamped_with_the_time_they_were_taken),
		TEST(a_vector_waits_for_interrupts_and_an_nmi_does_not),
		TEST(nmi_counts_are_exact_across_wraps_with_interrupts_off),
		TEST(calls_leave_interrupts_as_they_found_them),
		TEST(begin_leaves_nothing_of_what_was),
		TEST(drivers_are_found_by_name),
	};

	return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
