// SPDX-License-Identifier: BSD-2-Clause
// The overflow interrupt: storms are throttled, and counts stay exact.

#include "overflow_device.h"

//
// Throttling
//

// Throttles a counter of a new session with period 1000.
static void throttle(struct pmu_session *session)
{
	struct pmu_sample sample;

	device.meanwhile = overflow_at_every_look;
	interrupt();
	device.meanwhile = NULL;
	assert_true(session->counter[0].throttled);
	while (pmu_take_sample(&sample))
		;
}

static void a_throttled_counter_counts_on_without_samples(void **state)
{
	static const uint64_t pieces[] = {1000, 5000, 1ULL << 33, (1ULL << WIDE) - 1, 12345};
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	throttle(&session);
	for (size_t i = 0; i < LENGTH(pieces); i++) {
		happen(0, pieces[i]);
		if (device.line)
			interrupt();
		assert_int_equal(count_of(&session, 0), device.counted[0]);
	}
	assert_no_more_samples();
	assert_int_equal(statistics().throttles, 1);
}

// 2^33 cannot be written to the register.
static void a_throttled_counter_counts_on_when_stopped_and_started(void **state)
{
	static const uint64_t pieces[] = {1000, 1ULL << 33, 12345};
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	throttle(&session);
	for (size_t i = 0; i < LENGTH(pieces); i++) {
		happen(0, pieces[i]);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(count_of(&session, 0), device.counted[0]);
		start_session(&session);
		assert_int_equal(count_of(&session, 0), device.counted[0]);
	}
}

static void overflow_after(uint64_t clocks, unsigned counter)
{
	hal_execute(clocks);
	happen(counter, 1000);
	interrupt();
}

// Counter 0 of two overflows as often as allowed in this time, and once more.
static void storm(struct pmu_session *session)
{
	run_two(session, 1000, 1000);
	pmu_limit_interrupts(FEW, SHORT_TIME);
	for (unsigned i = 0; i < FEW; i++)
		overflow_after(10, 0);
	assert_int_equal(statistics().throttles, 0);
	overflow_after(10, 0);
	assert_int_equal(statistics().throttles, 1);
}

static void a_storm_is_throttled_with_the_next_interrupt(void **state)
{
	struct pmu_session session;
	uint64_t samples;

	(void)state;
	storm(&session);
	assert_true(session.counter[0].throttled);
	assert_false(session.counter[1].throttled);
	samples = session.counter[0].samples;
	for (unsigned i = 0; i < 10; i++)
		happen(0, 1000);
	assert_false(device.line);
	assert_int_equal(session.counter[0].samples, samples);
	assert_int_equal(count_of(&session, 0), device.counted[0]);
}

static void every_counter_of_a_storm_is_throttled(void **state)
{
	struct pmu_session session;

	(void)state;
	storm(&session);
	for (unsigned i = 0; i <= FEW; i++)
		overflow_after(10, 1);
	assert_true(session.counter[1].throttled);
	assert_int_equal(statistics().throttles, 2);
}

// Its register wraps in a storm. It has no samples any more, so it is not throttled again.
static void a_counter_is_throttled_once(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	throttle(&session);
	pmu_limit_interrupts(1, 1ULL << 40);
	for (unsigned i = 0; i < 5; i++) {
		happen(0, (1ULL << WIDE) - 1);
		happen(0, (1ULL << WIDE) - 1);
		interrupt();
	}
	assert_int_equal(statistics().throttles, 1);
	assert_int_equal(count_of(&session, 0), device.counted[0]);
}

static void after_a_storm_the_other_counter_goes_on(void **state)
{
	struct pmu_session session;

	(void)state;
	storm(&session);
	for (unsigned i = 0; i < 10; i++)
		overflow_after(SHORT_TIME, 1);
	assert_false(session.counter[1].throttled);
	assert_int_equal(session.counter[1].samples, 10);
	assert_int_equal(statistics().throttles, 1);
}

static void interrupts_with_time_between_them_are_no_storm(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	pmu_limit_interrupts(FEW, SHORT_TIME);
	for (unsigned i = 0; i < 100; i++)
		overflow_after(SHORT_TIME / (FEW - 1) + 1, 0);
	assert_int_equal(statistics().throttles, 0);
	assert_int_equal(session.counter[0].samples, 100);
}

static void every_window_has_its_own_interrupts(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	pmu_limit_interrupts(FEW, SHORT_TIME);
	for (unsigned window = 0; window < 20; window++) {
		overflow_after(2 * SHORT_TIME, 0);
		overflow_after(10, 0);
	}
	assert_int_equal(statistics().throttles, 0);
	for (unsigned i = 0; i < 2 * FEW; i++)
		overflow_after(10, 0);
	assert_int_equal(statistics().throttles, 1);
}

static void a_limit_of_no_interrupts_stays_one(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	pmu_limit_interrupts(0, SHORT_TIME);
	overflow_after(2 * SHORT_TIME, 0);
	overflow_after(10, 0);
	overflow_after(10, 0);
	assert_true(session.counter[0].throttled);
}

// hal_clock units between the handler's first and last clock read.
#define HANDLER 100

static void take_handler_time(char kind)
{
	if (kind == STATUS && device.logged == 0)
		shim_deliver(NULL, 0, HANDLER);
}

// After a window without a storm, a window whose interrupts are `between` clocks apart, from the
// end of one to the beginning of the next. Counters are throttled in the interrupt after this
// window, if at all.
static void interrupts_separately(uint64_t between)
{
	device.meanwhile = take_handler_time;
	for (unsigned i = 0; i <= FEW + FEW; i++) {
		shim_deliver(NULL, 0, i <= FEW ? 1000 * HANDLER : between);
		happen(0, 1000);
		forget_log();
		interrupt();
	}
	device.meanwhile = NULL;
}

// pmu/README.md, "Storms": a sixth of the time, divided by the number of threads that share the
// clock: all threads, or those that take samples.
static void a_handler_with_more_than_a_sixth_of_the_time_is_a_storm(void **state)
{
	static const struct {
		unsigned threads, taking;
		uint64_t times;
	} cases[] = {{0, 0, 6}, {1, 0, 6}, {4, 0, 24}, {4, 1, 6}, {4, 3, 18}};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		for (uint64_t more = 0; more < 2; more++) {
			const uint64_t between = (cases[i].times - 1) * HANDLER - 1 + more;
			struct pmu_session session;

			begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
			stub.threads = cases[i].threads;
			run_one(&session, 1000);
			pmu_limit_interrupts(FEW, 0);
			pmu_share_clock(cases[i].taking);
			interrupts_separately(between);
			assert_int_equal(statistics().interrupts, 2 * FEW + 1);
			assert_int_equal(session.counter[0].throttled, !more);
			assert_int_equal(statistics().throttles, !more);
			assert_int_equal(statistics().storm_handler_clocks,
					 more ? 0 : FEW * HANDLER);
			assert_int_equal(statistics().storm_clocks,
					 more ? 0 : FEW * (between + HANDLER));
			assert_int_equal(count_of(&session, 0), device.counted[0]);
		}
}

// Without a caller's limit: after 2000 interrupts.
static void a_handler_that_takes_all_the_time_is_stopped(void **state)
{
	struct pmu_session session;
	unsigned interrupts = 0;

	(void)state;
	run_one(&session, 1000);
	device.meanwhile = take_handler_time;
	for (; interrupts < 5000 && !session.counter[0].throttled; interrupts++) {
		happen(0, 1000);
		forget_log();
		interrupt();
	}
	assert_int_equal(interrupts, 2001);
	assert_int_equal(statistics().interrupts, 2001);
	assert_int_equal(count_of(&session, 0), device.counted[0]);
}

// On the shim a handler takes no time; here its register writes do.
#define CLOCKS_OF_WRITE 40

static void take_write_time(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	shim_deliver(NULL, 0, CLOCKS_OF_WRITE);
}

// Each target's own handler, with events of level 3: with a period that leaves little time to the
// program, the counter is throttled after 2000 interrupts, and its count equals that of a counter
// without samples.
static void periods_too_short_for_the_handler_are_throttled_on_every_target(void **state)
{
	static const unsigned periods[] = {0, 41, 200};		// first the least one

	(void)state;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		for (unsigned i = 0; (*d)->retired && i < 2 * LENGTH(periods); i++) {
			const unsigned period = periods[i / 2] ? periods[i / 2] :
				(*d)->shape->arm_least;
			struct pmu_session session;
			char text[128];

			assert_true(shim_start((*d)->name, ""));
			assert_int_equal(pmu_begin(*d, i % 2), PMU_OK);
			shim_watch_writes(take_write_time);
			snprintf(text, sizeof text, "%s:u,%s:u:period=%u", (*d)->retired,
				 (*d)->retired, period);
			open_and_start(&session, text);
			hal_execute_user(500000);
			assert_int_equal(pmu_stop(&session), PMU_OK);
			shim_watch_writes(NULL);
			assert_true(session.counter[1].throttled);
			assert_int_equal(statistics().throttles, 1);
			assert_int_equal(statistics().interrupts, 2001);
			assert_int_equal(count_of(&session, 1), count_of(&session, 0));
			shim_end();
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DEVICE(a_throttled_counter_counts_on_without_samples),
		ON_DEVICE(a_throttled_counter_counts_on_when_stopped_and_started),
		ON_DEVICE(a_storm_is_throttled_with_the_next_interrupt),
		ON_DEVICE(every_counter_of_a_storm_is_throttled),
		ON_DEVICE(a_counter_is_throttled_once),
		ON_DEVICE(after_a_storm_the_other_counter_goes_on),
		ON_DEVICE(interrupts_with_time_between_them_are_no_storm),
		ON_DEVICE(every_window_has_its_own_interrupts),
		ON_DEVICE(a_limit_of_no_interrupts_stays_one),
		ON_DEVICE(a_handler_with_more_than_a_sixth_of_the_time_is_a_storm),
		ON_DEVICE(a_handler_that_takes_all_the_time_is_stopped),
		cmocka_unit_test_teardown(
			periods_too_short_for_the_handler_are_throttled_on_every_target,
			machine_end),
	};

	return cmocka_run_group_tests_name("overflow interrupt: throttling", tests, NULL, NULL);
}
