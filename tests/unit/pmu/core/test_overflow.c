// SPDX-License-Identifier: BSD-2-Clause
// The overflow interrupt: serving, clearing, counting and sampling, also while further overflows
// occur. Runs on overflow_device.h, where events can occur before any access, and on the shim.

#include "overflow_device.h"

//
// One interrupt
//

// Serve, clear, read the status again, continue. If the hardware does not freeze, stop the counters
// first. No second read if stopped counters cannot change (pmu_signal.hold).
static void an_interrupt_clears_serves_looks_again_and_goes_on(void **state)
{
	static const struct {
		uint32_t features;
		unsigned overflows;
		const char *log;
		bool nothing_more;
	} cases[] = {
		{PMU_FEATURE_FREEZE, 1, "scrwsE"}, {PMU_FEATURE_FREEZE, 2, "scrwrwsE"},
		{0, 1, "escrwsE"}, {0, 2, "escrwrwsE"},
		{0, 1, "escrwE", .nothing_more = true}, {0, 2, "escrwrwE", .nothing_more = true},
		{PMU_FEATURE_FREEZE, 1, "scrwE", .nothing_more = true},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(cases[i].features, WIDE, WIDE_ARM);
		nothing_more = cases[i].nothing_more;
		run_two(&session, 1000, 1000);
		arrive(0, 1000);
		arrive(1, cases[i].overflows == 2 ? 1000 : 10);
		interrupt();
		assert_string_equal(device.log, cases[i].log);
		assert_int_equal(device.enabled, session.counters);
		assert_int_equal(device.status, 0);
	}
	nothing_more = false;
}

static void an_overflow_is_counted_sampled_and_armed_again(void **state)
{
	struct pmu_session session;
	struct pmu_statistics s;

	(void)state;
	run_one(&session, 1000);
	happen(0, 1000);
	interrupt();
	assert_sample(1000, 0);
	assert_int_equal(device.counter[0], (1ULL << WIDE) - 1000);
	assert_int_equal(count_of(&session, 0), 1000);
	happen(0, 1000);
	interrupt();
	assert_sample(2000, 0);
	assert_no_more_samples();
	s = statistics();
	assert_int_equal(s.interrupts, 2);
	assert_int_equal(s.overflows, 2);
	assert_int_equal(s.spurious | s.unclaimed | s.dropped | s.throttles | s.faults, 0);
	assert_int_equal(session.counter[0].samples, 2);
}

// The reload is the period less the events since the overflow.
static void events_behind_the_overflow_stay_in_count_and_period(void **state)
{
	struct pmu_session session;
	struct pmu_statistics s;

	(void)state;
	run_one(&session, 1000);
	happen(0, 1007);
	interrupt();
	assert_sample(1007, 0);
	assert_int_equal(device.counter[0], (1ULL << WIDE) - 993);
	happen(0, 993 + 3);
	interrupt();
	assert_sample(2003, 0);
	happen(0, 997 + 30);
	interrupt();
	assert_sample(3030, 0);
	s = statistics();
	assert_int_equal(s.skid_least, 3);
	assert_int_equal(s.skid_most, 30);
	assert_int_equal(session.counter[0].slipped, 0);
}

static void a_counter_without_period_gives_no_samples(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 0);
	happen(0, (1ULL << WIDE) - 1);
	assert_int_equal(device.status, 0);
	happen(0, 5);
	interrupt();
	assert_no_more_samples();
	assert_int_equal(statistics().overflows, 1);
	assert_int_equal(count_of(&session, 0), (1ULL << WIDE) + 4);
}

// Status bits of no session's counter; one is beyond any counter.
static void a_status_that_nobody_claims_is_counted_and_cleared(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 1000);
	device.status |= 1ULL << 3 | 1ULL << 63;
	interrupt();
	assert_int_equal(statistics().unclaimed, 2);
	assert_int_equal(statistics().overflows, 1);
	assert_int_equal(device.status, 0);
	assert_int_equal(count_of(&session, 0), 1000);
}

static void samples_without_room_are_counted_and_the_count_goes_on(void **state)
{
	struct pmu_session session;

	(void)state;
	allow_all_interrupts();
	run_one(&session, 100);
	for (unsigned i = 0; i < PMU_RING_SAMPLES + 3; i++) {
		happen(0, 100);
		interrupt();
	}
	assert_int_equal(statistics().dropped, 3);
	assert_int_equal(session.counter[0].samples, PMU_RING_SAMPLES + 3);
	assert_int_equal(count_of(&session, 0), 100 * (PMU_RING_SAMPLES + 3));
	for (unsigned i = 1; i <= PMU_RING_SAMPLES; i++)
		assert_sample(100 * i, 0);
	assert_no_more_samples();
}

static uint64_t time_for_a_read;

static void take_time(char kind)
{
	if (kind == READ)
		hal_execute(time_for_a_read);
}

static void clocks_are_those_of_the_shortest_and_longest_interrupt(void **state)
{
	static const uint64_t times[] = {500, 100, 900, 300};
	uint64_t constant = execute(100) - 100;
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	device.meanwhile = take_time;
	for (size_t i = 0; i < LENGTH(times); i++) {
		time_for_a_read = times[i];
		happen(0, 1000);
		interrupt();
	}
	assert_int_equal(statistics().clocks_least, 100 + constant);
	assert_int_equal(statistics().clocks_most, 900 + constant);
}

//
// Overflows during the service of an interrupt
//

static void overflow_before_first_clear(char kind)
{
	if (kind == CLEAR && logged(CLEAR) == 0)
		arrive(1, 1000);
}

static void only_the_status_that_was_seen_is_acknowledged(void **state)
{
	struct pmu_session session;

	(void)state;
	run_two(&session, 1000, 1000);
	happen(0, 1000);
	device.meanwhile = overflow_before_first_clear;
	interrupt();
	assert_string_equal(device.log, "scrwscrwsE");
	assert_int_equal(device.cleared, 1 << 1);
	assert_sample(1000, 0);
	assert_sample(1000, 1);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().overflows, 2);
	assert_int_equal(count_of(&session, 0), 1000);
	assert_int_equal(count_of(&session, 1), 1000);
}

static void overflow_at_second_look(char kind)
{
	if (kind == STATUS && logged(STATUS) == 1)
		arrive(0, 1001);
}

static void a_counter_that_overflows_again_is_served_again(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 1000);
	device.meanwhile = overflow_at_second_look;
	interrupt();
	assert_string_equal(device.log, "scrwscrwsE");
	assert_sample(1000, 0);
	assert_sample(2001, 0);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().throttles, 0);
	assert_int_equal(count_of(&session, 0), 2001);
}

static void overflows_without_end_are_served_so_often_and_throttled(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	device.meanwhile = overflow_at_every_look;
	interrupt();
	device.meanwhile = NULL;
	assert_int_equal(logged(STATUS), PMU_ROUNDS + 1);
	assert_int_equal(device.log[device.logged - 1], ENABLE);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().overflows, PMU_ROUNDS);
	assert_int_equal(statistics().throttles, 1);
	assert_true(session.counter[0].throttled);
	assert_int_equal(count_of(&session, 0), device.counted[0]);
}

// A counter without samples cannot be throttled; the interrupt must end nevertheless.
static void a_status_that_cannot_be_cleared_does_not_keep_the_interrupt(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 0);
	happen(0, (1ULL << WIDE) - 1);
	happen(0, 1);
	device.status_stuck = true;
	interrupt();
	assert_in_range(logged(STATUS), 1, PMU_ROUNDS + 1);
	assert_int_equal(device.log[device.logged - 1], ENABLE);
	assert_int_equal(statistics().throttles, 0);
}

//
// Reads interrupted by an NMI
//

static struct {
	char kind;		// before this access of a read,
	unsigned number;	// the number within its kind, from 1,
	uint64_t events;	// so many events occur
} nmi;

static void nmi_before_access(char kind)
{
	if (kind != nmi.kind || logged(kind) + 1 != nmi.number)
		return;
	device.meanwhile = NULL;
	happen(0, nmi.events);
	interrupt();
}

// Half a period has been counted; or a whole one, with an overflow that is not served yet.
static void a_read_is_right_whenever_an_nmi_comes(void **state)
{
	static const struct {
		uint64_t before;
		char kind;
		unsigned number;
		uint64_t events;
	} cases[] = {
		{500, READ, 1, 500}, {500, READ, 1, 700}, {500, STATUS, 1, 500},
		{500, STATUS, 1, 700},
		{1000, READ, 1, 0}, {1000, STATUS, 1, 0}, {1000, READ, 2, 0}, {1300, READ, 2, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		run_one(&session, 1000);
		happen(0, cases[i].before);
		nmi = (__typeof__(nmi)){cases[i].kind, cases[i].number, cases[i].events};
		device.meanwhile = nmi_before_access;
		assert_int_equal(count_of(&session, 0), cases[i].before + cases[i].events);
		assert_null(device.meanwhile);
		assert_int_equal(statistics().overflows, 1);
	}
}

static void spurious_nmi_before_status(char kind)
{
	if (kind != STATUS)
		return;
	device.meanwhile = NULL;
	interrupt();
	device.meanwhile = spurious_nmi_before_status;
}

static void a_read_ends_however_many_nmis_come(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 500);
	device.meanwhile = spurious_nmi_before_status;
	assert_int_equal(count_of(&session, 0), 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DEVICE(an_interrupt_clears_serves_looks_again_and_goes_on),
		ON_DEVICE(an_overflow_is_counted_sampled_and_armed_again),
		ON_DEVICE(events_behind_the_overflow_stay_in_count_and_period),
		ON_DEVICE(a_counter_without_period_gives_no_samples),
		ON_DEVICE(a_status_that_nobody_claims_is_counted_and_cleared),
		ON_DEVICE(samples_without_room_are_counted_and_the_count_goes_on),
		ON_DEVICE(clocks_are_those_of_the_shortest_and_longest_interrupt),
		ON_DEVICE(only_the_status_that_was_seen_is_acknowledged),
		ON_DEVICE(a_counter_that_overflows_again_is_served_again),
		ON_DEVICE(overflows_without_end_are_served_so_often_and_throttled),
		ON_DEVICE(a_status_that_cannot_be_cleared_does_not_keep_the_interrupt),
		ON_DEVICE(a_read_is_right_whenever_an_nmi_comes),
		ON_DEVICE(a_read_ends_however_many_nmis_come),
	};

	return cmocka_run_group_tests_name("overflow interrupt", tests, NULL, NULL);
}
