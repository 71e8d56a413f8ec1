// SPDX-License-Identifier: BSD-2-Clause
// The itanium driver on the shim: recorders in samples of any event (6.1.2.2), samples by time
// (6.1.2.1, ASDM volume 2, 3.3.4.2), and the effects of ev and oi (Table 6-6). On the shim every
// instruction takes one cycle, and an interrupt handler takes none.

#include "driver_sessions.h"

#define REG_ITM	0x401u
#define REG_ITV	0x448u
#define REG_ITC	0x62Cu
#define MASKED	(1ULL << 16)

//
// Recorders with any trigger
//

// "By configuring a performance counter to count, for instance, the number of data cache misses or
// retired instructions": the sample carries the last capture.
static void any_event_samples_the_data_address(void **state)
{
	static const struct occurrence signals[2] = {load,
						     {.code = 0x08, .n = 3,
						      .type = OCCURRENCE_TYPE_I}};
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;
	unsigned samples = 0;

	(void)state;
	allow_all_interrupts();
	open_and_start(&session, "IA64_INST_RETIRED:dear:lat=32:period=1500");
	connect(signals, 2);
	hal_execute(5000);
	connect(NULL, 0);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	while (pmu_take_sample_with_payload(&sample, words)) {
		samples++;
		assert_has_load(&sample, words);
		assert_int_equal(explain("IA64_INST_RETIRED:dear:lat=32", words, 3, parts), 5);
		assert_string_equal(parts[1].name, "ip");
		assert_int_equal(parts[1].value, 0x4000000000012340);
	}
	assert_int_equal(samples, 10);
	pmu_close(&session);
}

static void any_event_samples_the_branches_before_it(void **state)
{
	static const struct occurrence signals[2] = {
		{.code = 0x0F, .n = 1, .type = OCCURRENCE_TYPE_B, .slot = 2,
		 .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN, .served = 1, .ip = 0x2000,
		 .target = 0x3000},
		{.code = 0x12, .n = 1},
	};
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_and_start(&session, "CPU_CYCLES:dear:lbr:period=10");
	deliver(signals, 2, 19);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&sample, words));
	assert_int_equal(sample.source.words, 3 + 9);
	assert_int_equal(words[2] & 1, 0);			// no load has missed
	assert_int_equal(words[3], 8 | 4);			// ten branches and their targets
	assert_int_equal(explain("CPU_CYCLES:dear:lbr", words, 12, parts), 1 + 4 * 4 + 1);
	assert_string_equal(parts[0].name, "valid");
	assert_int_equal(parts[0].value, 0);
	assert_string_equal(parts[1].name, "branch");
	assert_int_equal(parts[1].value, 0x2000);
	assert_string_equal(parts[17].name, "last");
	assert_int_equal(parts[17].value, 11);
	assert_int_equal(explain("CPU_CYCLES:dear:lbr", words, 9, parts), 0);
	pmu_close(&session);
}

// "The event address registers indicate to software whether or not a qualified event was captured":
// in this interval, not in an earlier one.
static void what_was_captured_is_told_once(void **state)
{
	static const char *const triggers[] = {"CPU_CYCLES:dear:period=1000",
					       "ITC:dear:period=1000"};

	(void)state;
	for (size_t i = 0; i < LENGTH(triggers); i++) {
		uint64_t words[PMU_PAYLOAD_WORDS];
		const struct occurrence signals[2] = {{.code = 0x12, .n = 1}, load};
		struct pmu_session session;
		struct pmu_sample sample;

		open_and_start(&session, triggers[i]);
		for (unsigned interval = 0; interval < 6; interval++) {
			connect(signals, interval % 3 ? 1 : 2);
			hal_execute(500 - 3);
			connect(signals, 1);
			hal_execute(500 - 3);
		}
		connect(NULL, 0);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		for (unsigned interval = 0; interval < 6; interval++) {
			assert_true(pmu_take_sample_with_payload(&sample, words));
			assert_int_equal(words[2] & 1, interval % 3 == 0);
		}
		assert_false(pmu_take_sample(&sample));
		pmu_close(&session);
	}
}

// Two counters that overflow at once have equal samples.
static void recorders_are_shared(void **state)
{
	static const struct occurrence signals[2] = {{.code = 0x12, .n = 1}, load};
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_and_start(&session, "CPU_CYCLES:dear:period=1000,CPU_CYCLES:dear:period=1000");
	connect(signals, 2);
	hal_execute(1500);
	connect(NULL, 0);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(pmu_take_sample_with_payload(&sample, words));
		assert_int_equal(words[2], 0x4000000000012345);
	}
	pmu_close(&session);
}

//
// Samples by time
//

// One sample for each period, from first to last: the time of an interrupt does not delay the next
// sample.
static void the_timer_samples_each_interval(void **state)
{
	static const uint64_t periods[] = {2, 3, 50, 1000, 65537, (1ULL << 32) + 5, 10000000019};

	(void)state;
	allow_all_interrupts();
	for (size_t p = 0; p < LENGTH(periods); p++) {
		struct event_request r = request("ITC");
		struct pmu_refusal refusal;
		struct pmu_session session;
		struct pmu_sample sample;
		uint64_t start, executed, n = 0;

		r.period = periods[p];
		assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_OK);
		assert_int_equal(session.counters, 1ULL << 32);
		start = hal_clock();
		assert_int_equal(pmu_start(&session), PMU_OK);
		executed = execute(periods[p] * 7 + 1);
		assert_int_equal(count_of(&session, 0), executed);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(session.counter[0].samples, executed / periods[p]);
		assert_int_equal(session.counter[0].slipped, 0);
		while (pmu_take_sample(&sample)) {
			assert_int_equal(sample.clock, start + ++n * periods[p]);
			assert_int_equal(sample.count, n * periods[p]);
		}
		assert_int_equal(n, executed / periods[p]);
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_int_equal(get(REG_ITV) & MASKED, MASKED);
	}
	assert_int_equal(statistics().spurious, 0);
}

// Samples by time and by events at once, in sessions that start and stop: nothing is lost.
static void time_and_events_are_sampled_next_to_each_other(void **state)
{
	struct pmu_session time, events;
	uint64_t all = 0, both = 0;

	(void)state;
	allow_all_interrupts();
	open_session(&time, "ITC:period=700,CPU_CYCLES");
	open_session(&events, "IA64_INST_RETIRED:period=300,CPU_CYCLES:period=1400,CPU_CYCLES");
	assert_int_equal(pmu_start(&time), PMU_OK);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t n;

		all += execute(100 + 7 * i);
		assert_int_equal(pmu_start(&events), PMU_OK);
		n = execute(200 + i);
		all += n;
		both += n;
		assert_int_equal(pmu_stop(&events), PMU_OK);
	}
	assert_int_equal(pmu_stop(&time), PMU_OK);
	hal_execute(5000);			// time of a stopped session is not counted
	assert_int_equal(count_of(&time, 0), all);
	assert_int_equal(count_of(&time, 1), all);
	assert_int_equal(time.counter[0].samples, all / 700);
	for (unsigned event = 0; event < 3; event++)
		assert_int_equal(count_of(&events, event), both);
	assert_int_equal(events.counter[0].samples, both / 300);
	assert_int_equal(events.counter[1].samples, both / 1400);
	pmu_close(&time);
	pmu_close(&events);
}

// Time continues in a light halt, monitors do not (6.2.9).
static void a_halt_takes_time(void **state)
{
	struct pmu_session session;
	uint64_t before;

	(void)state;
	open_session(&session, "ITC,CPU_CYCLES");
	before = hal_clock();
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute(1000 - 3);
	hal_interrupts_disable();
	hal_alarm(500);
	assert_int_equal(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status, PAL_SUCCESS);
	hal_interrupts_restore(true);
	assert_int_equal(count_of(&session, 0), hal_clock() - before);
	assert_in_range(count_of(&session, 1), 1000, 1500 - 1);
	assert_true(count_of(&session, 0) >= 1500);
	pmu_close(&session);
}

// The driver leaves the timer to other software, e.g. an operating system's clock.
static void a_timer_in_use_is_refused(void **state)
{
	struct event_request r = request("ITC:period=1000");
	struct pmu_refusal refusal;
	struct pmu_session session;
	char why[256];

	(void)state;
	put(REG_ITV, 0xEF);
	put(REG_ITM, 12345678);
	assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_UNFIT);
	pmu_explain(itanium(), PMU_UNFIT, &refusal, &r, why, sizeof why);
	assert_non_null(strstr(why, "interval timer"));
	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	assert_int_equal(get(REG_ITV), 0xEF);
	assert_int_equal(get(REG_ITM), 12345678);
	open_and_start(&session, "CPU_CYCLES:period=100,IA64_INST_RETIRED");
	hal_execute(1000);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	pmu_close(&session);
	assert_int_equal(get(REG_ITV), 0xEF);
	assert_int_equal(get(REG_ITM), 12345678);
}

// With a counter that may not interrupt, the timer interrupts often enough: before that counter can
// have counted 2^32 twice, at most 7 in a cycle (6.2.2). The timer belongs to its session: a
// counter of a later session would not be polled when it ends.
static void the_timer_looks_at_silent_counters(void **state)
{
	struct event_request later = request("IA64_INST_RETIRED:oi=0");
	struct pmu_session session, other;
	struct pmu_refusal refusal;
	char why[256];

	(void)state;
	open_and_start(&session, "ITC,CPU_CYCLES:oi=0");
	assert_true(get(REG_ITM) - get(REG_ITC) <= (2ULL << 32) / 7);
	hal_execute(1ULL << 29);
	assert_true(get(REG_ITM) - get(REG_ITC) <= (2ULL << 32) / 7);
	assert_int_equal(pmu_open(&other, &later, 1, &refusal), PMU_UNFIT);
	pmu_explain(itanium(), PMU_UNFIT, &refusal, &later, why, sizeof why);
	assert_non_null(strstr(why, "interval timer"));
	pmu_close(&session);
	assert_int_equal(pmu_open(&other, &later, 1, &refusal), PMU_OK);
	pmu_close(&other);
}

// The time of a context stands still while the context is put aside.
static void a_context_keeps_its_time(void **state)
{
	struct pmu_context context;
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	allow_all_interrupts();
	open_and_start(&session, "ITC:period=100,CPU_CYCLES:period=100");
	executed = execute(1234);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	hal_execute(5000);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	executed += execute(4321);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	for (unsigned event = 0; event < 2; event++) {
		assert_int_equal(count_of(&session, event), executed);
		assert_int_equal(session.counter[event].samples, executed / 100);
	}
	pmu_close(&session);
}

// A storm of timer interrupts is throttled like any other one.
static void a_storm_of_the_timer_is_throttled(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	pmu_limit_interrupts(20, UINT64_MAX >> 1);
	open_and_start(&session, "ITC:period=50,CPU_CYCLES");
	executed = execute(100000);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().interrupts, 21);
	assert_int_equal(statistics().throttles, 1);
	assert_int_equal(count_of(&session, 0), executed);
	assert_int_equal(count_of(&session, 1), executed);
	pmu_close(&session);
}

//
// ev and oi (Table 6-6)
//

// "PMC[4] external notification strobes the BPM0 pin, ...": at each overflow, "regardless of the
// setting of the oi bit".
static void an_overflow_with_ev_strobes_its_pin(void **state)
{
	static const char *const texts[] = {"CPU_CYCLES:ev:period=100", "CPU_CYCLES:period=100"};

	(void)state;
	for (int counter = 4; counter < 8; counter++)
		for (unsigned plain = 0; plain < 2; plain++) {
			struct event_request r = request(texts[plain]);
			struct pmu_refusal refusal;
			struct pmu_session session;

			r.counter = (int8_t)counter;
			assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_OK);
			vpmu_outputs(shim_vpmu())->strobes = 0;
			assert_int_equal(pmu_start(&session), PMU_OK);
			hal_execute(90);
			assert_int_equal(vpmu_outputs(shim_vpmu())->strobes, 0);
			hal_execute(100);
			assert_int_equal(vpmu_outputs(shim_vpmu())->strobes,
					 plain ? 0 : 1u << (counter - 4));
			assert_int_equal(pmu_close(&session), PMU_OK);
		}
}

// A counter that may not interrupt is polled often enough.
static void a_silent_counter_counts_beyond_its_width(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	open_and_start(&session, "CPU_CYCLES:oi=0,IA64_INST_RETIRED:oi=0:ev,CPU_CYCLES");
	executed = execute(30000000000);
	for (unsigned event = 0; event < 3; event++)
		assert_int_equal(count_of(&session, event), executed);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	for (unsigned event = 0; event < 3; event++)
		assert_int_equal(count_of(&session, event), executed);
	assert_int_equal(statistics().interrupts, executed >> 32);	// the third one's
	assert_int_equal(statistics().doubtful, 0);
	pmu_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(any_event_samples_the_data_address),
		TEST(any_event_samples_the_branches_before_it),
		TEST(what_was_captured_is_told_once),
		TEST(recorders_are_shared),
		TEST(the_timer_samples_each_interval),
		TEST(time_and_events_are_sampled_next_to_each_other),
		TEST(a_halt_takes_time),
		TEST(a_timer_in_use_is_refused),
		TEST(the_timer_looks_at_silent_counters),
		TEST(a_context_keeps_its_time),
		TEST(a_storm_of_the_timer_is_throttled),
		TEST(an_overflow_with_ev_strobes_its_pin),
		TEST(a_silent_counter_counts_beyond_its_width),
	};

	return cmocka_run_group_tests_name("itanium driver: samples", tests, NULL, NULL);
}
