// SPDX-License-Identifier: BSD-2-Clause
// Samples with random periods (jitter=, seed=): the periods, and exact sums.
//
// A period is `period - spread` plus one of 2 * spread + 1 numbers. The upper 32 bits of a
// SplitMix64 output select the number: bits * (2 * spread + 1) / 2^32, rounded down.

#include <stdio.h>

#include "one_session.h"
#include "portable.h"

// The first five outputs for seed 1234567, from Rosetta Code, "Pseudo-random numbers/Splitmix64":
// 6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
// 16408922859458223821. With period 1,000 and 25 percent they select among 501 periods from 750 up.
static const uint64_t known[] = {925, 836, 1016, 874, 1195};

// Takes the next sample and returns its period, from count *before. The shim has no skid.
static uint64_t next_sample(uint64_t *before)
{
	struct pmu_sample sample;
	uint64_t period;

	assert_true(pmu_take_sample(&sample));
	period = sample.count - *before;
	*before = sample.count;
	return period;
}

static void periods_are_those_of_the_seed(void **state)
{
	static const char *const events[] = {
		"INST_RETIRED.ANY_P:ctr=1:period=1000:jitter=25:seed=1234567",
		"INSTRUCTION_RETIRED:ctr=32:period=1000:jitter=25:seed=1234567",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(events); i++) {
		struct pmu_session session;
		uint64_t count = 0;

		open_session(&session, events[i]);
		start_session(&session);
		execute(925 + 836 + 1016 + 874 + 1195);
		for (size_t k = 0; k < LENGTH(known); k++)
			assert_int_equal(next_sample(&count), known[k]);
		assert_no_more_samples();
		close_session(&session);
	}
}

// Defaults of a request. Samples of the latency event are random by default: the guide, Appendix I,
// "General Exploration".
static void defaults_are_documented(void **state)
{
	static const struct {
		const char *text;
		uint8_t jitter;
		uint32_t seed;
	} cases[] = {
		{"INST_RETIRED.ANY_P:period=1000", 0, 0},
		{"INST_RETIRED.ANY_P:period=1000:seed=7", 0, 0},
		{"INST_RETIRED.ANY_P:period=1000:jitter=10", 10, 1},
		{"INST_RETIRED.ANY_P:period=1000:jitter=10:seed=0", 10, 0},
		{"INST_RETIRED.ANY_P:period=1000:seed=4294967295:jitter=100", 100, UINT32_MAX},
		{"MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=1000", 25, 1},
		{"MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=1000:seed=9", 25, 9},
		{"MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=1000:jitter=0", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct event_request r = request_of(nehalem(), cases[i].text);

		assert_int_equal(r.jitter, cases[i].jitter);
		assert_int_equal(r.seed, cases[i].seed);
	}
}

// Periods are never below 2 events, for which a counter can be armed, whatever jitter is requested.
static void no_jitter_leads_out_of_the_periods_that_there_are(void **state)
{
	static const struct {
		uint64_t period, shortest, longest;
		unsigned jitter;
	} cases[] = {
		{2, 2, 2, 100}, {3, 2, 4, 100}, {3, 3, 3, 33}, {4, 3, 5, 25}, {10, 2, 18, 100},
		{10, 10, 10, 9},
		{199, 2, 396, 99}, {1000, 1000, 1000, 0},
		{(1ULL << 48) - 1, (1ULL << 48) - (1ULL << 31),
		(1ULL << 48) - 2 + (1ULL << 31), 100},
		{UINT64_MAX >> 1, UINT64_MAX >> 1, UINT64_MAX >> 1, 100},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct event_request r = request_of(nehalem(), ON_GENERAL);
		struct pmu_refusal refusal;
		struct pmu_session session;

		r.period = cases[i].period;
		r.jitter = (uint8_t)cases[i].jitter;
		assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_OK);
		assert_int_equal(pmu_shortest_period(&session.counter[0]), cases[i].shortest);
		assert_int_equal(pmu_longest_period(&session.counter[0]), cases[i].longest);
		close_session(&session);
	}
}

// Compared with a counter without samples: the count is equal, it is the sum of all periods and the
// remainder, and each period of the range occurs.
static void sums_are_exact(void **state)
{
	static const struct {
		const char *sampled;
		uint64_t shortest, longest;
	} cases[] = {
		{"period=2:jitter=100", 2, 2}, {"period=3:jitter=100:seed=5", 2, 4},
		{"period=10:jitter=100", 2, 18},
		{"period=50:jitter=97:seed=0", 2, 98},
		{"period=97:jitter=25:seed=4294967295", 73, 121},
	};

	(void)state;
	allow_all_interrupts();
	for (size_t i = 0; i < LENGTH(cases); i++) {
		uint64_t sum = 0, count = 0, seen[100] = {0};
		struct pmu_session session;
		char text[120];

		snprintf(text, sizeof text, "INST_RETIRED.ANY_P:ctr=2,INST_RETIRED.ANY_P:ctr=0:%s",
			 cases[i].sampled);
		open_session(&session, text);
		start_session(&session);
		for (unsigned turn = 0; turn < 200; turn++) {
			struct pmu_sample sample;

			execute(100);
			while (pmu_take_sample(&sample)) {
				assert_in_range(sample.count - count, cases[i].shortest,
						cases[i].longest);
				seen[(sample.count - count) % LENGTH(seen)]++;
				sum += sample.count - count;
				count = sample.count;
			}
		}
		stop_session(&session);
		assert_int_equal(count_of(&session, 1), count_of(&session, 0));
		assert_int_equal(session.counter[1].slipped, 0);
		assert_int_equal(pmu_sampled(&session.counter[1]), sum);
		assert_int_equal(sum + pmu_not_sampled(&session.counter[1], count_of(&session, 1)),
				 count_of(&session, 0));
		for (uint64_t period = cases[i].shortest; i < 3 && period <= cases[i].longest;
		     period++)
			assert_true(seen[period] > 0);
		close_session(&session);
	}
}

// Stops, starts and saved contexts in between change no period: at least 9 events are left at each.
static void periods_go_on_where_they_stopped(void **state)
{
	struct pmu_session session;
	struct pmu_context context;
	uint64_t count = 0;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:period=1000:jitter=25:seed=1234567");
	for (unsigned turn = 0; turn < 3; turn++) {
		start_session(&session);
		execute(700);
		stop_session(&session);
		start_session(&session);
		execute(600);
		assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
		assert_int_equal(pmu_context_restore(&context), PMU_OK);
		execute(330);
		stop_session(&session);
	}
	assert_int_equal(session.counter[0].slipped, 0);
	for (size_t k = 0; k < LENGTH(known); k++)
		assert_int_equal(next_sample(&count), known[k]);
	close_session(&session);
}

// The bytes of a context (palmon-state(5)) determine its periods.
static void they_go_on_behind_a_context_as_bytes(void **state)
{
	struct pmu_session session, read;
	struct pmu_context context;
	static uint8_t bytes[PMU_PORTABLE_MOST];
	uint64_t count = 0;
	size_t size;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:period=1000:jitter=25:seed=1234567");
	start_session(&session);
	execute(1000);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	size = pmu_portable_write(&context, bytes, sizeof bytes);
	pmu_portable_forget(&context);
	assert_int_equal(pmu_portable_read(nehalem(), bytes, size, &read, 1, &context),
			 PMU_PORTABLE_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	execute(3900);
	for (size_t k = 0; k < LENGTH(known); k++)
		assert_int_equal(next_sample(&count), known[k]);
	assert_no_more_samples();
	assert_int_equal(read.counter[0].slipped, 0);
	close_session(&read);
}

// With interrupts disabled for many periods samples are late, and the sum includes their delays.
static void late_samples_are_in_the_sum(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session,
		     "INST_RETIRED.ANY_P:ctr=2,INST_RETIRED.ANY_P:ctr=0:period=10:jitter=100");
	for (unsigned turn = 0; turn < 50; turn++) {
		bool interrupts = hal_interrupts_disable();
		const struct pmu_counter *c = &session.counter[1];

		start_session(&session);
		execute(3 + 7 * turn % 60);
		hal_interrupts_restore(interrupts);
		execute(3);
		stop_session(&session);
		assert_int_equal(count_of(&session, 1), count_of(&session, 0));
		assert_int_equal(pmu_sampled(c) + pmu_not_sampled(c, count_of(&session, 1)),
				 count_of(&session, 0));
	}
	close_session(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(periods_are_those_of_the_seed),
		TEST(defaults_are_documented),
		TEST(no_jitter_leads_out_of_the_periods_that_there_are),
		TEST(sums_are_exact),
		TEST(periods_go_on_where_they_stopped),
		TEST(they_go_on_behind_a_context_as_bytes),
		TEST(late_samples_are_in_the_sum),
	};

	return cmocka_run_group_tests_name("random periods", tests, NULL, NULL);
}
