// SPDX-License-Identifier: BSD-2-Clause
// Sessions on the shim, which executes one instruction per cycle and spends no time in the runtime:
// instructions, core cycles and reference cycles all equal the instructions of hal_execute.

#include "one_session.h"

//
// Errors
//

static void a_session_starts_once_and_stops_once(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session, ON_GENERAL);
	assert_int_equal(pmu_stop(&session), PMU_STOPPED);
	start_session(&session);
	assert_int_equal(pmu_start(&session), PMU_STARTED);
	assert_counts(&session, execute(1000));
	stop_session(&session);
	assert_int_equal(pmu_stop(&session), PMU_STOPPED);
	close_session(&session);
}

static void a_closed_session_does_nothing(void **state)
{
	struct pmu_session session;
	uint64_t count;

	(void)state;
	open_session(&session, ON_GENERAL);
	close_session(&session);
	assert_int_equal(pmu_start(&session), PMU_CLOSED);
	assert_int_equal(pmu_stop(&session), PMU_CLOSED);
	assert_int_equal(pmu_read(&session, 0, &count), PMU_CLOSED);
	assert_int_equal(pmu_close(&session), PMU_CLOSED);
}

static void an_event_that_the_session_lacks_is_not_read(void **state)
{
	struct pmu_session session;
	uint64_t count;

	(void)state;
	open_session(&session, ON_GENERAL);
	assert_int_not_equal(pmu_read(&session, 1, &count), PMU_OK);
	assert_int_not_equal(pmu_read(&session, PMU_SESSION_EVENTS, &count), PMU_OK);
	assert_int_not_equal(pmu_read(&session, UINT32_MAX, &count), PMU_OK);
	close_session(&session);
}

static void periods_are_0_or_from_2_to_half_of_all(void **state)
{
	static const struct {
		uint64_t period;
		enum pmu_error error;
	} periods[] = {
		{0, PMU_OK}, {1, PMU_BAD_PERIOD}, {2, PMU_OK}, {UINT64_MAX >> 1, PMU_OK},
		{1ULL << 63, PMU_BAD_PERIOD}, {UINT64_MAX, PMU_BAD_PERIOD},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(periods); i++) {
		struct event_request requests[REQUESTS_MAX];
		unsigned count = read_requests("ARITH.MUL," ON_FIXED, requests);
		struct pmu_session session;
		struct pmu_refusal refusal;

		requests[1].period = periods[i].period;
		assert_int_equal(pmu_open(&session, requests, count, &refusal), periods[i].error);
		if (periods[i].error)
			assert_int_equal(refusal.events, 1 << 1);
		else
			close_session(&session);
	}
}

static void close_gives_counters_back_and_stops_a_running_session(void **state)
{
	struct pmu_session first, second, other;
	uint64_t counted;

	(void)state;
	open_session(&other, "CPU_CLK_UNHALTED.THREAD,CPU_CLK_UNHALTED.THREAD_P:ctr=0");
	start_session(&other);
	open_session(&first, ON_GENERAL "," ON_FIXED);
	start_session(&first);
	counted = execute(1000);
	close_session(&first);
	counted += execute(1000);
	open_session(&second, ON_GENERAL "," ON_FIXED);
	counted += execute(1000);
	assert_counts(&second, 0);
	start_session(&second);
	assert_counts(&second, execute(500));
	close_session(&second);
	assert_counts(&other, counted + 503);
	close_session(&other);
}

//
// Counts
//

static void counts_are_exact_over_start_stop_and_start(void **state)
{
	struct pmu_session session;
	uint64_t counted = 0;

	(void)state;
	open_session(&session, ON_THREE ",CPU_CLK_UNHALTED.REF," "CPU_CLK_UNHALTED.REF_P");
	assert_counts(&session, 0);
	execute(1000);
	assert_counts(&session, 0);
	for (uint64_t n = 2; n < 1000000; n *= 3) {
		start_session(&session);
		assert_counts(&session, counted);
		counted += execute(n);
		assert_counts(&session, counted);
		stop_session(&session);
		assert_counts(&session, counted);
		execute(12345);
		assert_counts(&session, counted);
	}
	close_session(&session);
}

// Counters have 48 bits (CPUID leaf 0AH); general counters accept writes of 32 bits.
static void counts_go_on_across_wraps_of_the_register(void **state)
{
	static const uint64_t pieces[] = {
		(1ULL << 31) - 3, 1ULL << 31, 1ULL << 32, (1ULL << 48) - 5, 2, 2, 2, 1000,
		1ULL << 48, 1ULL << 50, (1ULL << 49) + 123456789, 1ULL << 58, 77,
	};

	(void)state;
	for (int stopping = 0; stopping < 2; stopping++) {
		struct pmu_session session;
		uint64_t counted = 0;

		open_session(&session, ON_THREE);
		start_session(&session);
		for (size_t i = 0; i < LENGTH(pieces); i++) {
			counted += execute(pieces[i]);
			assert_counts(&session, counted);
			if (!stopping)
				continue;
			stop_session(&session);
			assert_counts(&session, counted);
			start_session(&session);
		}
		assert_true(counted > 1ULL << 58);
		close_session(&session);
	}
}

static void every_wrap_is_one_interrupt_and_no_sample(void **state)
{
	struct pmu_session session;
	struct pmu_statistics s;

	(void)state;
	open_session(&session, ON_THREE);
	start_session(&session);
	hal_execute(10ULL << 48);
	s = statistics();
	assert_int_equal(s.interrupts, 10);
	assert_int_equal(s.overflows, 3 * 10);
	assert_int_equal(s.spurious, 0);
	assert_no_more_samples();
	close_session(&session);
}

// A count has 64 bits. This one passes 2^63, and finally 2^64 - 1.
static void counts_of_64_bits_take_no_samples_that_nobody_asked_for(void **state)
{
	struct pmu_session session;
	uint64_t counted = 0;

	(void)state;
	open_session(&session, ON_GENERAL);
	start_session(&session);
	for (unsigned i = 0; i < 9; i++) {
		counted += execute(1ULL << 61);
		assert_counts(&session, counted);
	}
	assert_no_more_samples();
	assert_int_equal(session.counter[0].samples, 0);
	close_session(&session);
}

static void sessions_count_side_by_side_each_its_own_time(void **state)
{
	struct pmu_session first, second;
	uint64_t in_first = 0, in_second = 0, n;

	(void)state;
	open_session(&first, ON_GENERAL ",CPU_CLK_UNHALTED.THREAD");
	open_session(&second, ON_FIXED ",CPU_CLK_UNHALTED.REF_P:ctr=3");
	start_session(&first);
	in_first += execute(100);
	start_session(&second);
	n = execute((1ULL << 48) + 7);
	in_first += n;
	in_second += n;
	stop_session(&first);
	in_second += execute(10000);
	start_session(&first);
	n = execute(1ULL << 49);
	in_first += n;
	in_second += n;
	close_session(&second);
	in_first += execute(55);
	assert_counts(&first, in_first);
	open_session(&second, ON_FIXED);
	start_session(&second);
	n = execute(321);
	assert_counts(&second, n);
	assert_counts(&first, in_first + n);
	close_session(&second);
	close_session(&first);
}

//
// Privilege levels
//

// hal_execute_user(n) executes n instructions at the lowest level, plus constant numbers at that
// level and the highest.
static void user_and_os_requests_count_their_levels_only(void **state)
{
	struct pmu_session session;
	uint64_t user, os;

	(void)state;
	open_session(&session,
		     "INST_RETIRED.ANY_P:u:ctr=0,INST_RETIRED.ANY_P:k:ctr=1,INST_RETIRED.ANY:u,"
			       "CPU_CLK_UNHALTED.THREAD:k,CPU_CLK_UNHALTED.REF");
	start_session(&session);
	hal_execute_user(2);
	user = count_of(&session, 0);
	os = count_of(&session, 1);
	hal_execute_user(1002);
	assert_int_equal(count_of(&session, 0) - user, user + 1000);
	assert_int_equal(count_of(&session, 1) - os, os);
	user = count_of(&session, 0);
	os = count_of(&session, 1) + execute(500);
	assert_int_equal(count_of(&session, 0), user);
	assert_int_equal(count_of(&session, 2), user);
	assert_int_equal(count_of(&session, 1), os);
	assert_int_equal(count_of(&session, 3), os);
	assert_int_equal(count_of(&session, 4), user + os);
	close_session(&session);
}

static void a_sample_says_the_level_it_interrupted(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:period=1000");
	start_session(&session);
	hal_execute_user(1200);
	hal_execute(1000);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.count, 1000);
	assert_int_equal(sample.source.level, 3);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.count, 2000);
	assert_int_equal(sample.source.level, 0);
	close_session(&session);
}

//
// Reading
//

// The hardware freezes the counters when it requests the interrupt (SDM volume 3B, "Freezing LBR
// and Performance Counters on PMI"). With interrupts disabled nothing counts after the overflow, at
// count 1000.
static void a_count_is_right_while_its_overflow_is_pending(void **state)
{
	static const char *const events[] = {ON_GENERAL ":period=1000", ON_FIXED ":period=1000"};

	(void)state;
	for (size_t i = 0; i < LENGTH(events); i++) {
		struct pmu_session session;
		struct pmu_sample sample;
		uint64_t n;

		open_session(&session, events[i]);
		start_session(&session);
		n = execute(400);
		assert_int_equal(hal_interrupts_disable(), true);
		n += execute(400);
		assert_counts(&session, n);
		execute(5000);
		assert_counts(&session, 1000);
		assert_no_more_samples();
		hal_interrupts_restore(true);
		assert_counts(&session, 1000);
		assert_int_equal(session.counter[0].samples, 1);
		assert_true(pmu_take_sample(&sample));
		assert_int_equal(sample.count, 1000);
		n = execute(10);
		assert_counts(&session, 1000 + n);
		close_session(&session);
	}
}

static void a_wrap_is_counted_while_its_overflow_is_pending(void **state)
{
	struct pmu_session session;
	uint64_t n;

	(void)state;
	open_session(&session, ON_GENERAL "," ON_FIXED);
	start_session(&session);
	n = execute((1ULL << 48) - 100);
	hal_interrupts_disable();
	assert_counts(&session, n);
	execute(200);
	assert_counts(&session, 1ULL << 48);
	hal_interrupts_restore(true);
	assert_counts(&session, 1ULL << 48);
	n = execute(200);
	assert_counts(&session, (1ULL << 48) + n);
	close_session(&session);
}

// A stop serves the overflow itself; the pending interrupt is then spurious.
static void a_stop_with_an_overflow_pending_serves_it_once(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;
	uint64_t n;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:period=1000");
	start_session(&session);
	hal_interrupts_disable();
	execute(5000);
	stop_session(&session);
	assert_counts(&session, 1000);
	hal_interrupts_restore(true);
	assert_counts(&session, 1000);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.count, 1000);
	assert_no_more_samples();
	assert_int_equal(statistics().overflows, 1);
	start_session(&session);
	n = execute(1500);
	assert_counts(&session, 1000 + n);
	assert_int_equal(session.counter[0].samples, 2);
	close_session(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_session_starts_once_and_stops_once),
		TEST(a_closed_session_does_nothing),
		TEST(an_event_that_the_session_lacks_is_not_read),
		TEST(periods_are_0_or_from_2_to_half_of_all),
		TEST(close_gives_counters_back_and_stops_a_running_session),
		TEST(counts_are_exact_over_start_stop_and_start),
		TEST(counts_go_on_across_wraps_of_the_register),
		TEST(every_wrap_is_one_interrupt_and_no_sample),
		TEST(counts_of_64_bits_take_no_samples_that_nobody_asked_for),
		TEST(sessions_count_side_by_side_each_its_own_time),
		TEST(user_and_os_requests_count_their_levels_only),
		TEST(a_sample_says_the_level_it_interrupted),
		TEST(a_count_is_right_while_its_overflow_is_pending),
		TEST(a_wrap_is_counted_while_its_overflow_is_pending),
		TEST(a_stop_with_an_overflow_pending_serves_it_once),
	};

	return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
