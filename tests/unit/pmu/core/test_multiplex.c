// SPDX-License-Identifier: BSD-2-Clause
// Multiplexing on each target: groups of events take turns on the same counters. Slice k (from 0)
// counts TICKS instructions for group k mod GROUPS, and the last slice those that are left.

#include "by_timer.h"

#define GROUPS		3

// Slices 0 to 122 are whole; slice 123 has 457 instructions. Group 0 has slices 0, 3, ..., 123;
// group 1 has 1, 4, ..., 121; group 2 has 2, 5, ..., 122.
static const struct {
	uint64_t slices, count;
} by_hand[GROUPS] = {{42, 41457}, {41, 41000}, {41, 41000}};

static struct pmu_session session[GROUPS];
static struct pmu_group group[GROUPS];
static struct pmu_multiplex multiplex;

static void begin(const char *target)
{
	begin_target(target);
	multiplex = (struct pmu_multiplex){.group = group, .count = GROUPS};
}

// Each group counts the same two events, on the same two counters.
static void make_groups(unsigned t, uint64_t before)
{
	for (unsigned g = 0; g < GROUPS; g++) {
		open_two(&session[g], t, ":u");
		if (before) {
			assert_int_equal(pmu_start(&session[g]), PMU_OK);
			for (unsigned e = 0; e < 2; e++)
				assert_true(pmu_current_driver()->write(
					session[g].counter[e].address, before));
			assert_int_equal(pmu_stop(&session[g]), PMU_OK);
		}
		assert_int_equal(pmu_group_make(&group[g]), PMU_OK);
	}
}

// Returns the counts of the same code without multiplexing: some instructions at this level follow
// it, which are in the last slice.
static struct counts plain_counts(unsigned t)
{
	static struct pmu_session plain;
	struct counts counts;

	open_two(&plain, t, ":u");
	assert_int_equal(pmu_start(&plain), PMU_OK);
	hal_execute_user(INSTRUCTIONS);
	assert_int_equal(pmu_stop(&plain), PMU_OK);
	for (unsigned e = 0; e < 2; e++) {
		counts.of[e] = count_of(&plain, e);
		assert_true(counts.of[e] - INSTRUCTIONS < 10);
	}
	assert_int_equal(pmu_close(&plain), PMU_OK);
	return counts;
}

// Returns the count of a group in one run.
static uint64_t expected(unsigned g, uint64_t plain)
{
	return by_hand[g].count + (g ? 0 : plain - INSTRUCTIONS);
}

static void run(void)
{
	assert_int_equal(pmu_multiplex_start(&multiplex, TICKS), PMU_OK);
	hal_execute_user(INSTRUCTIONS);
	assert_int_equal(pmu_multiplex_stop(&multiplex), PMU_OK);
}

static void close_groups(void)
{
	for (unsigned g = 0; g < GROUPS; g++)
		assert_int_equal(pmu_group_close(&group[g]), PMU_OK);
}

static void each_group_counts_its_slices(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		struct counts plain;
		uint64_t sum = 0;

		begin(targets[t].target);
		plain = plain_counts(t);
		make_groups(t, 0);
		run();
		for (unsigned g = 0; g < GROUPS; g++) {
			assert_int_equal(count_of(&session[g], 0), expected(g, plain.of[0]));
			assert_int_equal(count_of(&session[g], 1), expected(g, plain.of[1]));
			assert_int_equal(group[g].slices, by_hand[g].slices);
			assert_int_equal(group[g].missed, 0);
			sum += count_of(&session[g], 0);
		}
		assert_int_equal(sum, plain.of[0]);
		assert_int_equal(statistics().faults, 0);
		close_groups();
	}
}

// Instructions execute at the same rate in each slice: one in a clock.
static void the_scaled_count_is_within_the_clocks_outside(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		begin(targets[t].target);
		make_groups(t, 0);
		run();
		for (unsigned g = 0; g < GROUPS; g++) {
			const uint64_t clocks = pmu_multiplex_clocks(&multiplex);
			uint64_t scaled;

			// The start and the stop are in the first and the last slice.
			assert_true(group[g].clocks - by_hand[g].count < 100);
			assert_true(clocks - INSTRUCTIONS < 100);
			assert_true(pmu_scale(count_of(&session[g], 0), group[g].clocks, clocks,
					      &scaled));
			// count / clocks >= 1 - 99/41000: at most 299 of 123,457 are missing.
			assert_true(scaled <= clocks && INSTRUCTIONS - 299 <= scaled);
		}
		close_groups();
	}
}

// The registers overflow in the sixth slice of each group.
static void an_overflow_in_a_slice_is_counted(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		const uint64_t before = (1ULL << targets[t].bits) - 5500;
		struct counts plain;

		begin(targets[t].target);
		plain = plain_counts(t);
		make_groups(t, before);
		run();
		for (unsigned g = 0; g < GROUPS; g++)
			for (unsigned e = 0; e < 2; e++)
				assert_int_equal(count_of(&session[g], e),
						 before + expected(g, plain.of[e]));
		close_groups();
	}
}

// Groups of events with periods, the second of which is longer than a slice. Each sample is that of
// its group, and the sums are exact.
static void samples_are_those_of_the_slices(void **state)
{
	static const uint64_t period[GROUPS] = {777, 2500, 1000};

	(void)state;
	FOR_EACH_TARGET(t) {
		uint64_t samples[GROUPS] = {0};
		struct pmu_sample sample;
		struct counts plain;
		char text[128];

		begin(targets[t].target);
		plain = plain_counts(t);
		for (unsigned g = 0; g < GROUPS; g++) {
			snprintf(text, sizeof text, "%s:u:period=%u", targets[t].retired,
				 (unsigned)period[g]);
			open_session(&session[g], text);
			assert_int_equal(pmu_group_make(&group[g]), PMU_OK);
		}
		run();
		while (pmu_take_sample(&sample)) {
			unsigned g = 0;

			while (session[g].number != sample.source.session)
				assert_true(++g < GROUPS);
			samples[g]++;
			assert_true(sample.count - samples[g] * period[g] < 10);
		}
		for (unsigned g = 0; g < GROUPS; g++) {
			const struct pmu_counter *c = &session[g].counter[0];
			const uint64_t count = count_of(&session[g], 0);

			assert_int_equal(count, expected(g, plain.of[0]));
			assert_int_equal(pmu_sampled(c) + pmu_not_sampled(c, count), count);
			assert_int_equal(samples[g], c->samples);
			// One overflow may wait for its interrupt when the last slice ends.
			assert_true(count / period[g] - samples[g] <= 1);
		}
		assert_int_equal(statistics().dropped, 0);
		close_groups();
	}
}

static void a_second_start_adds(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		struct counts plain;

		begin(targets[t].target);
		plain = plain_counts(t);
		make_groups(t, 0);
		run();
		run();
		for (unsigned g = 0; g < GROUPS; g++) {
			assert_int_equal(count_of(&session[g], 0), 2 * expected(g, plain.of[0]));
			assert_int_equal(group[g].slices, 2 * by_hand[g].slices);
		}
		close_groups();
	}
}

// A group without others counts without interruption: its count is that of a plain session.
static void one_group_counts_everything(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		struct counts plain;

		begin(targets[t].target);
		plain = plain_counts(t);
		open_two(&session[0], t, ":u");
		assert_int_equal(pmu_group_make(&group[0]), PMU_OK);
		multiplex.count = 1;
		run();
		assert_int_equal(count_of(&session[0], 0), plain.of[0]);
		assert_int_equal(group[0].slices, 1);
		assert_int_equal(group[0].clocks, pmu_multiplex_clocks(&multiplex));
		assert_int_equal(pmu_group_close(&group[0]), PMU_OK);
	}
}

static void closed_groups_leave_all_counters(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		begin(targets[t].target);
		make_groups(t, 0);
		run();
		close_groups();
		for (unsigned g = 0; g < GROUPS; g++)
			assert_int_equal(pmu_close(&session[g]), PMU_CLOSED);
		make_groups(t, 0);
		run();
		assert_int_equal(count_of(&session[1], 0), by_hand[1].count);
		close_groups();
	}
}

static void wrong_calls_are_refused(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		begin(targets[t].target);
		assert_int_equal(pmu_group_make(&group[0]), PMU_CLOSED);
		open_and_start(&session[0], targets[t].retired);
		assert_int_equal(pmu_group_make(&group[0]), PMU_STARTED);
		assert_int_equal(pmu_close(&session[0]), PMU_OK);
		make_groups(t, 0);
		assert_int_equal(pmu_multiplex_start(&multiplex, PMU_TICKS_LEAST - 1),
				 PMU_BAD_PERIOD);
		assert_int_equal(pmu_multiplex_start(&multiplex, 1ULL << 32), PMU_BAD_PERIOD);
		assert_int_equal(pmu_multiplex_stop(&multiplex), PMU_STOPPED);
		assert_int_equal(pmu_multiplex_start(&multiplex, TICKS), PMU_OK);
		assert_int_equal(pmu_multiplex_start(&multiplex, TICKS), PMU_STARTED);
		assert_int_equal(pmu_multiplex_stop(&multiplex), PMU_OK);
		assert_int_equal(pmu_multiplex_stop(&multiplex), PMU_STOPPED);
		close_groups();
		make_groups(t, 0);
		{
			static struct pmu_session other;

			open_session(&other, targets[t].retired);
			assert_int_equal(pmu_multiplex_start(&multiplex, TICKS), PMU_CONFLICT);
		}
	}
}

// A new beginning ends the turns; the timer calls nothing any more.
static void a_new_beginning_ends_the_turns(void **state)
{
	(void)state;
	FOR_EACH_TARGET(t) {
		begin(targets[t].target);
		make_groups(t, 0);
		assert_int_equal(pmu_multiplex_start(&multiplex, TICKS), PMU_OK);
		assert_int_equal(pmu_begin(pmu_driver_find(targets[t].target), false), PMU_OK);
		hal_execute_user(INSTRUCTIONS);
		assert_int_equal(group[1].slices, 0);
		assert_int_equal(pmu_multiplex_stop(&multiplex), PMU_STOPPED);
	}
}

// Threads 0 and 1 of a core share OFFCORE_RSP_0 (performance analysis guide, Table 9). While thread
// 1 needs another value in it, the group misses its slices, and the other group keeps its own.
static void a_group_whose_register_is_taken_misses_its_slices(void **state)
{
	static struct pmu_session other;
	struct counts plain;
	uint64_t scaled;

	(void)state;
	begin("nehalem");
	plain = plain_counts(0);
	multiplex.count = 2;
	open_session(&session[0], "INST_RETIRED.ANY_P:u");
	assert_int_equal(pmu_group_make(&group[0]), PMU_OK);
	open_session(&session[1], "INST_RETIRED.ANY_P:u,OFFCORE_RESPONSE_0:msr=0x4001");
	assert_int_equal(pmu_group_make(&group[1]), PMU_OK);
	shim_cpu(1);
	assert_int_equal(pmu_begin(pmu_driver_find("nehalem"), false), PMU_OK);
	open_session(&other, "OFFCORE_RESPONSE_0:msr=0x4002");
	shim_cpu(0);
	assert_int_equal(pmu_multiplex_start(&multiplex, TICKS), PMU_OK);
	hal_execute_user(10 * TICKS + 500);
	assert_int_equal(pmu_multiplex_stop(&multiplex), PMU_OK);
	// Slices 0, 2, ..., 10, of which the last one has 500 instructions; 1, 3, ..., 9.
	assert_int_equal(group[0].slices, 6);
	assert_int_equal(count_of(&session[0], 0), 5 * TICKS + 500 + plain.of[0] - INSTRUCTIONS);
	assert_int_equal(group[1].slices, 0);
	assert_int_equal(group[1].missed, 5);
	assert_int_equal(count_of(&session[1], 0), 0);
	assert_false(pmu_scale(0, group[1].clocks, 1, &scaled));
}

// ITC counts by the timer that ends slices and takes samples by time (6.1.2.1).
static void the_timer_as_a_counter_is_refused(void **state)
{
	struct pmu_refusal refusal;
	char text[200];

	(void)state;
	begin("itanium");
	open_session(&session[0], "ITC");
	assert_int_equal(pmu_group_make(&group[0]), PMU_TIMER);
	assert_int_equal(pmu_sample_by_time(TICKS), PMU_TIMER);
	assert_int_equal(pmu_sample_by_time(0), PMU_OK);
	assert_int_equal(pmu_close(&session[0]), PMU_OK);
	assert_int_equal(pmu_sample_by_time(TICKS), PMU_OK);
	assert_int_equal(try_session(&session[0], "ITC"), PMU_TIMER);
	assert_int_equal(pmu_sample_by_time(0), PMU_OK);
	open_session(&session[0], "CPU_CYCLES");
	assert_int_equal(pmu_group_make(&group[0]), PMU_OK);
	open_session(&session[1], "CPU_CYCLES");
	assert_int_equal(pmu_group_make(&group[1]), PMU_OK);
	multiplex.count = 2;
	assert_int_equal(pmu_multiplex_start(&multiplex, TICKS), PMU_OK);
	assert_int_equal(open_text(&session[2], "CPU_CYCLES,ITC", &refusal), PMU_TIMER);
	assert_int_equal(refusal.events, 2);
	pmu_explain(pmu_current_driver(), PMU_TIMER, &refusal, NULL, text, sizeof text);
	assert_string_equal(text, "an event counts by the timer that ends slices and takes samples "
				  "by time");
}

static void scaled_counts_are_rounded(void **state)
{
	static const struct {
		uint64_t count, part, whole, scaled;
	} rows[] = {
		{0, 1, 3, 0},
		{10, 1, 3, 30},
		{10, 3, 3, 10},
		{10, 3, 10, 33},		// 33.3
		{5, 3, 4, 7},			// 6.67
		{1, 2, 3, 2},			// 1.5
		{1ULL << 40, 1ULL << 40, 3ULL << 40, 3ULL << 40},
		{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
		{UINT64_MAX, 1, 2, UINT64_MAX},
	};
	uint64_t scaled;

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(pmu_scale(rows[i].count, rows[i].part, rows[i].whole, &scaled));
		assert_int_equal(scaled, rows[i].scaled);
	}
	assert_false(pmu_scale(0, 0, 0, &scaled));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_group_counts_its_slices, driver_end),
		cmocka_unit_test_teardown(the_scaled_count_is_within_the_clocks_outside,
					  driver_end),
		cmocka_unit_test_teardown(an_overflow_in_a_slice_is_counted, driver_end),
		cmocka_unit_test_teardown(samples_are_those_of_the_slices, driver_end),
		cmocka_unit_test_teardown(a_second_start_adds, driver_end),
		cmocka_unit_test_teardown(one_group_counts_everything, driver_end),
		cmocka_unit_test_teardown(closed_groups_leave_all_counters, driver_end),
		cmocka_unit_test_teardown(wrong_calls_are_refused, driver_end),
		cmocka_unit_test_teardown(a_new_beginning_ends_the_turns, driver_end),
		cmocka_unit_test_teardown(a_group_whose_register_is_taken_misses_its_slices,
					  driver_end),
		cmocka_unit_test_teardown(the_timer_as_a_counter_is_refused, driver_end),
		cmocka_unit_test(scaled_counts_are_rounded),
	};

	return cmocka_run_group_tests_name("multiplexing", tests, NULL, NULL);
}
