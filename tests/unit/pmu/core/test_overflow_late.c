// SPDX-License-Identifier: BSD-2-Clause
// The overflow interrupt: spurious ones, late ones, and faulting register accesses.

#include "overflow_device.h"

//
// Spurious interrupts
//

static void an_interrupt_without_an_overflow_is_spurious(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 10);
	interrupt();
	assert_string_equal(device.log, "sesE");
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().spurious, 1);
	assert_int_equal(statistics().overflows, 0);
	assert_int_equal(count_of(&session, 0), 10);
}

static void an_event_before_every_access(char kind)
{
	(void)kind;
	happen(0, 1);
}

// No overflow has frozen the counters in a spurious interrupt: one can overflow before any of its
// accesses. The next interrupt then belongs to that overflow.
static void an_overflow_within_a_spurious_interrupt_loses_nothing(void **state)
{
	(void)state;
	for (unsigned left = 1; left <= 8; left++) {
		struct pmu_session session;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		run_one(&session, 1000);
		happen(0, 1000 - left);
		device.meanwhile = an_event_before_every_access;
		interrupt();
		if (device.line)
			interrupt();
		device.meanwhile = NULL;
		assert_int_equal(count_of(&session, 0), device.counted[0]);
	}
}

// The line is masked until the handler's end, so that overflow causes no further interrupt.
static void an_overflow_within_a_spurious_interrupt_is_served_by_it(void **state)
{
	(void)state;
	for (unsigned left = 1; left <= 2; left++) {
		struct pmu_session session;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		nothing_more = true;
		run_one(&session, 1000);
		happen(0, 1000 - left);
		device.meanwhile = an_event_before_every_access;
		interrupt();
		device.meanwhile = NULL;
		nothing_more = false;
		assert_int_equal(statistics().overflows, 1);
		assert_int_equal(device.status, 0);
		assert_int_equal(device.enabled, session.counters);
		assert_int_equal(count_of(&session, 0), device.counted[0]);
	}
}

// This fault raises the line whenever a counter is enabled: at the end of each interrupt.
static void spurious_interrupts_without_end_end_masked(void **state)
{
	struct pmu_session session;
	uint64_t counted = 0;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:ctr=0");
	pmu_limit_interrupts(FEW, 1ULL << 40);
	assert_int_equal(pmu_start(&session), PMU_OK);
	for (unsigned i = 0; i < 100; i++)
		counted += execute(100);
	assert_int_equal(statistics().interrupts, FEW + 1);
	assert_int_equal(statistics().spurious, FEW + 1);
	assert_int_equal(count_of(&session, 0), counted);
}

static void spurious_interrupts_with_time_between_them_go_on(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:ctr=0");
	pmu_limit_interrupts(FEW, SHORT_TIME);
	assert_int_equal(pmu_start(&session), PMU_OK);
	// shim_deliver checks the line after each piece.
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(shim_deliver(NULL, 0, SHORT_TIME), SHORT_TIME);
	assert_int_equal(statistics().spurious, 100);
}

//
// Late interrupts
//

// With a period of 1000: a sample that leaves fewer than two events of the next period is late by
// that period, too.
static void a_late_interrupt_keeps_the_count_and_says_how_late_it_was(void **state)
{
	static const struct {
		uint64_t residue, slipped;
	} cases[] = {
		{0, 0}, {1, 0}, {998, 0}, {999, 999}, {1000, 1000}, {1001, 1001}, {2500, 2500},
		{1000000, 1000000},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;
		uint64_t count = 1000 + cases[i].residue;

		run_one(&session, 1000);
		happen(0, count);
		interrupt();
		assert_sample(count, 0);
		assert_no_more_samples();
		assert_int_equal(count_of(&session, 0), count);
		assert_int_equal(session.counter[0].slipped, cases[i].slipped);
		assert_progress(&session.counter[0], count);
		happen(0, session.counter[0].due - count - 1);
		assert_false(device.line);
		happen(0, 1);
		interrupt();
		assert_int_equal(session.counter[0].samples, 2);
		assert_progress(&session.counter[0], device.counted[0]);
		assert_int_equal(pmu_close(&session), PMU_OK);
		while (pmu_take_sample(&(struct pmu_sample){0}))
			;
	}
}

// Periods of the greatest distance for arming and a little more, and residues that leave little of
// it.
static void a_counter_is_never_armed_closer_than_it_may_be(void **state)
{
	static const struct {
		uint64_t period, happens;
	} cases[] = {
		{1000, 1000}, {1000, 1997}, {1000, 1998}, {1000, 1999}, {2, 2}, {2, 3}, {3, 4},
		{WIDE_ARM + 1, WIDE_ARM}, {WIDE_ARM + 2, WIDE_ARM}, {WIDE_ARM + 2, WIDE_ARM + 1},
		{WIDE_ARM + 9, WIDE_ARM + 8}, {2 * WIDE_ARM + 1, WIDE_ARM},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(0, WIDE, WIDE_ARM);
		run_one(&session, cases[i].period);
		happen(0, cases[i].happens);
		interrupt();
		if (device.least_left < PMU_ARM_LEAST)
			fail_msg("period %llu, %llu events: armed %llu before the overflow",
				 (unsigned long long)cases[i].period,
				 (unsigned long long)cases[i].happens,
				 (unsigned long long)device.least_left);
		assert_int_equal(count_of(&session, 0), cases[i].happens);
	}
}

// A driver may need a greater distance.
static void a_counter_is_never_armed_closer_than_its_driver_needs(void **state)
{
	static const struct {
		uint64_t period, happens;
	} cases[] = {
		{1000, 1000}, {1000, 1995}, {1000, 1996}, {1000, 1997}, {1000, 1999}, {5, 5},
		{5, 6}, {6, 8},
		{WIDE_ARM + 1, WIDE_ARM}, {WIDE_ARM + 4, WIDE_ARM}, {WIDE_ARM + 4, WIDE_ARM + 1},
		{WIDE_ARM + 9, WIDE_ARM + 6}, {2 * WIDE_ARM + 1, WIDE_ARM},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(0, WIDE, WIDE_ARM);
		shape.arm_least = 5;
		run_one(&session, cases[i].period);
		happen(0, cases[i].happens);
		interrupt();
		assert_true(device.least_left >= 5);
		assert_int_equal(count_of(&session, 0), cases[i].happens);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		start_session(&session);
		assert_true(device.least_left >= 5);
		assert_int_equal(count_of(&session, 0), cases[i].happens);
	}
}

static void every_driver_says_how_close_it_may_be_armed(void **state)
{
	(void)state;
	for (const struct pmu_driver *const *driver = pmu_drivers; *driver; driver++)
		assert_true((*driver)->shape->arm_least >= PMU_ARM_LEAST);
}

static void a_start_arms_no_closer_than_it_may_be(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 999);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	start_session(&session);
	assert_true(device.least_left >= PMU_ARM_LEAST);
	assert_int_equal(count_of(&session, 0), 999);
}

//
// Register accesses that fault
//

static void every_fault_in_the_interrupt_is_counted(void **state)
{
	static const struct {
		char kind;
		unsigned number;
		uint32_t features;
	} cases[] = {
		{STOP, 1, 0}, {STATUS, 1, PMU_FEATURE_FREEZE}, {STATUS, 1, 0},
		{READ, 1, PMU_FEATURE_FREEZE},
		{READ, 2, PMU_FEATURE_FREEZE}, {WRITE, 1, PMU_FEATURE_FREEZE},
		{WRITE, 2, PMU_FEATURE_FREEZE},
		{CLEAR, 1, PMU_FEATURE_FREEZE}, {STATUS, 2, PMU_FEATURE_FREEZE},
		{ENABLE, 1, PMU_FEATURE_FREEZE},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(cases[i].features, WIDE, WIDE_ARM);
		run_two(&session, 1000, 1000);
		arrive(0, 1000);
		arrive(1, 1000);
		device.faulty = cases[i].kind;
		device.faulty_number = cases[i].number;
		interrupt();
		assert_int_equal(statistics().faults, 1);
		assert_int_equal(device.log[device.logged - 1], ENABLE);
	}
}

static void a_status_that_cannot_be_read_loses_nothing(void **state)
{
	static const struct {
		unsigned number, overflows;
	} cases[] = {{1, 1}, {2, 1}};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		run_one(&session, 1000);
		happen(0, 1000);
		device.faulty = STATUS;
		device.faulty_number = cases[i].number;
		interrupt();
		assert_int_equal(statistics().overflows, cases[i].overflows);
		assert_int_equal(session.counter[0].samples, cases[i].overflows);
		assert_int_equal(count_of(&session, 0), 1000);
	}
}

static void every_fault_in_a_call_is_returned(void **state)
{
	static const struct {
		enum pmu_error (*call)(struct pmu_session *session);
		bool running;
		char kind;
		unsigned number;
	} cases[] = {
		{begin_again, false, RESET, 1}, {pmu_start, false, PROGRAM, 1},
		{pmu_start, false, ENABLE, 1},
		{pmu_stop, true, STOP, 1}, {pmu_stop, true, STATUS, 1}, {pmu_stop, true, READ, 1},
		{pmu_stop, true, READ, 2}, {pmu_stop, true, ENABLE, 1},
		{pmu_close, false, RELEASE, 1},
		{pmu_close, true, STOP, 1}, {pmu_close, true, RELEASE, 1},
		{read_first, true, READ, 1},
		{read_first, true, STATUS, 1},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session, other;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		open_on(&other, 2, (const uint64_t[]){0}, 1);
		start_session(&other);
		open_on(&session, 0, (const uint64_t[]){0, 1000}, 2);
		if (cases[i].running)
			start_session(&session);
		device.faulty = cases[i].kind;
		device.faulty_number = cases[i].number;
		assert_int_equal(cases[i].call(&session), PMU_FAULT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DEVICE(an_interrupt_without_an_overflow_is_spurious),
		ON_DEVICE(an_overflow_within_a_spurious_interrupt_loses_nothing),
		ON_DEVICE(an_overflow_within_a_spurious_interrupt_is_served_by_it),
		WITH_LINE_STUCK(spurious_interrupts_without_end_end_masked),
		WITH_LINE_STUCK(spurious_interrupts_with_time_between_them_go_on),
		ON_DEVICE(a_late_interrupt_keeps_the_count_and_says_how_late_it_was),
		ON_DEVICE(a_counter_is_never_armed_closer_than_it_may_be),
		ON_DEVICE(a_counter_is_never_armed_closer_than_its_driver_needs),
		ON_DEVICE(every_driver_says_how_close_it_may_be_armed),
		ON_DEVICE(a_start_arms_no_closer_than_it_may_be),
		ON_DEVICE(every_fault_in_the_interrupt_is_counted),
		ON_DEVICE(a_status_that_cannot_be_read_loses_nothing),
		ON_DEVICE(every_fault_in_a_call_is_returned),
	};

	return cmocka_run_group_tests_name("overflow interrupt: late and spurious", tests, NULL,
					   NULL);
}
