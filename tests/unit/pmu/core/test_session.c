// SPDX-License-Identifier: BSD-2-Clause
// Sessions on the shim, which executes one instruction in each cycle and takes no time for the runtime's own work:
// instructions, core cycles and reference cycles are all what hal_execute executed.

#include "machine.h"

#include "ring.h"

#define LENGTH(array) (sizeof array / sizeof *array)

// The same event on a general and on a fixed counter: their registers take writes differently.
#define ON_GENERAL "INST_RETIRED.ANY_P:ctr=1"
#define ON_FIXED "INSTRUCTION_RETIRED:ctr=32"
#define ON_THREE ON_GENERAL "," ON_FIXED ",CPU_CLK_UNHALTED.THREAD"

static void start_session(struct pmu_session *session)
{
	assert_int_equal(pmu_start(session), PMU_OK);
}

static void stop_session(struct pmu_session *session)
{
	assert_int_equal(pmu_stop(session), PMU_OK);
}

static void close_session(struct pmu_session *session)
{
	assert_int_equal(pmu_close(session), PMU_OK);
}

static void assert_counts(struct pmu_session *session, uint64_t expected)
{
	for (unsigned i = 0; i < session->count; i++)
		assert_int_equal(count_of(session, i), expected);
}

static void assert_no_more_samples(void)
{
	struct pmu_sample sample;

	assert_false(pmu_take_sample(&sample));
}

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

// Counters have 48 bits (CPUID leaf 0AH); general ones take writes of 32.
static void counts_go_on_across_wraps_of_the_register(void **state)
{
	static const uint64_t pieces[] = {
		(1ULL << 31) - 3, 1ULL << 31, 1ULL << 32, (1ULL << 48) - 5, 2, 2, 2, 1000, 1ULL << 48, 1ULL << 50,
		(1ULL << 49) + 123456789, 1ULL << 58, 77,
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

// A count is a number of 64 bits. This one passes 2^63, and in the end 2^64 - 1.
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

// hal_execute_user(n) executes n instructions at the lowest level and constant numbers at that and the highest.
static void user_and_os_requests_count_their_levels_only(void **state)
{
	struct pmu_session session;
	uint64_t user, os;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:u:ctr=0,INST_RETIRED.ANY_P:k:ctr=1,INST_RETIRED.ANY:u,"
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

// The hardware freezes the counters when it requests the interrupt (SDM volume 3B, "Freezing LBR and Performance
// Counters on PMI"): with interrupts off nothing is counted after the overflow, at count 1000.
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

// A stop serves the overflow itself; the interrupt that comes then finds nothing.
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

//
// Periods
//

// Counters are armed with at most 2^31 at once, and have 48 bits: periods on either side of both.
static const uint64_t periods[] = {
	2, 3, 10, 1000, 65537, (1ULL << 31) - 1, 1ULL << 31, (1ULL << 31) + 1, (1ULL << 31) + 2, 1ULL << 32,
	(1ULL << 32) + 1, (3ULL << 31) + 1, (1ULL << 40) + 3, (1ULL << 48) - 1, 1ULL << 48, (1ULL << 48) + 1,
	(1ULL << 50) + 7,
};

static void open_with_period(struct pmu_session *session, const char *event, uint64_t period)
{
	struct event_request requests[REQUESTS_MAX];
	unsigned count = read_requests(event, requests);
	struct pmu_refusal refusal;

	requests[count - 1].period = period;
	assert_int_equal(pmu_open(session, requests, count, &refusal), PMU_OK);
}

// The shim's interrupts come with the overflow: there is no skid, and sample k is taken at count k * period.
static void assert_samples(const struct pmu_session *session, unsigned event, uint64_t period, uint64_t samples)
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

// Periods of many turns of the register, up to the longest there is.
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

// The same with a stop and a start after each third of a period; with the shortest ones some stops would leave a
// single event, which is less than a counter may be armed with.
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
				fail_msg("%s, period %llu: count is %lld off", events[i % LENGTH(events)],
					 (unsigned long long)period, (long long)(count_of(&session, 0) - counted));
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
	open_session(&session, "INST_RETIRED.ANY_P:ctr=3:period=100,CPU_CLK_UNHALTED.REF:period=100,"
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
	open_session(&first, "INST_RETIRED.ANY_P:ctr=0:period=300,CPU_CLK_UNHALTED.THREAD_P:ctr=1:period=500");
	open_session(&second, "CPU_CLK_UNHALTED.THREAD:period=700,INST_RETIRED.ANY_P:ctr=2:period=1100");
	assert_int_not_equal(first.number, second.number);
	start_session(&first);
	start_session(&second);
	total = execute(100000);
	while (pmu_take_sample(&sample)) {
		struct pmu_session *owner = sample.source.session == first.number ? &first : &second;
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

// Every call, with interrupts on and off.
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
// The PMU brought up anew
//

static void begin_leaves_nothing_of_what_was(void **state)
{
	struct pmu_session session;
	struct pmu_statistics s;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:period=100,INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD");
	start_session(&session);
	execute(1000);
	assert_int_equal(pmu_begin(nehalem(), false), PMU_OK);
	assert_ptr_equal(pmu_current_driver(), nehalem());
	assert_no_more_samples();
	s = statistics();
	assert_int_equal(s.interrupts | s.overflows | s.spurious | s.unclaimed | s.dropped | s.throttles | s.faults, 0);
	execute(1000);
	assert_int_equal(statistics().interrupts, 0);
	open_session(&session, "INST_RETIRED.ANY_P:period=100,INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD");
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_start, machine_end)

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
