// SPDX-License-Identifier: BSD-2-Clause
// Samples that the interrupt removes from a full ring: none is lost or repeated; they keep their
// order and payloads; for the CPU's own PMU and the package's.

#include "machine.h"

#include "sample.h"

#define PERIOD		100
#define SAMPLES		(3 * PMU_RING_SAMPLES + 77)
#define RECORDS		8
#define RECORD_BYTES	176
#define AREAS_BYTES	256

static struct pmu_session session;
static uint64_t taken, out_of_order, taken_in_interrupt;
static bool with_record;

// Each sample must be a period after the previous one.
static void take(const struct pmu_sample *sample, const uint64_t *words)
{
	taken++;
	out_of_order += sample->count != taken * PERIOD;
	if (with_record)
		out_of_order += sample->source.words != 1 + RECORD_BYTES / 8 ||
			words[2] != sample->ip;
}

static void take_the_rest(void)
{
	struct pmu_sample sample;
	uint64_t words[PMU_PAYLOAD_WORDS];

	taken_in_interrupt = taken;
	while (pmu_take_sample_with_payload(&sample, words))
		take(&sample, words);
}

static int start(void **state)
{
	taken = out_of_order = taken_in_interrupt = 0;
	with_record = false;
	return machine_start(state);
}

static void run(const char *text, uint64_t samples)
{
	allow_all_interrupts();
	open_and_start(&session, text);
	hal_execute(samples * PERIOD + PERIOD / 2);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_in_range(count_of(&session, 0), with_record ? 1 : samples * PERIOD,
			(samples + 1) * PERIOD);
	assert_int_equal(pmu_close(&session), PMU_OK);
	take_the_rest();
}

static void no_sample_is_lost(void **state)
{
	(void)state;
	pmu_drain(take);
	run("INST_RETIRED.ANY_P:period=100", SAMPLES);
	assert_int_equal(taken, SAMPLES);
	assert_int_equal(out_of_order, 0);
	assert_int_equal(statistics().dropped, 0);
	assert_true(taken_in_interrupt >= SAMPLES - PMU_RING_SAMPLES);
}

static uint64_t last_interrupt;

static void take_one(const struct pmu_sample *sample, const uint64_t *words)
{
	const uint64_t interrupt = statistics().interrupts;

	assert_int_not_equal(interrupt, last_interrupt);
	last_interrupt = interrupt;
	take(sample, words);
}

static void an_interrupt_takes_out_one(void **state)
{
	(void)state;
	last_interrupt = 0;
	pmu_drain(take_one);
	allow_all_interrupts();
	open_and_start(&session, "INST_RETIRED.ANY_P:period=100");
	hal_execute(SAMPLES * PERIOD);
	assert_in_range(taken, SAMPLES - PMU_RING_SAMPLES, SAMPLES);
	assert_int_equal(statistics().dropped, 0);
}

// Counters are frozen meanwhile, so the time of `take` does not count.
static void take_for_long(const struct pmu_sample *sample, const uint64_t *words)
{
	hal_execute(1000);
	take(sample, words);
}

static void what_taking_costs_is_not_counted(void **state)
{
	uint64_t counts[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pmu_begin(nehalem(), false), PMU_OK);
		taken = 0;
		pmu_drain(i ? take_for_long : take);
		allow_all_interrupts();
		open_and_start(&session, "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=100");
		hal_execute(SAMPLES * PERIOD + PERIOD / 2);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		counts[i] = count_of(&session, 0);
		assert_int_equal(pmu_close(&session), PMU_OK);
	}
	assert_int_equal(counts[0], counts[1]);
}

// A payload is one word and a record of 22 words: 712 fill the ring of words, long before the ring
// of samples.
static void no_record_is_lost(void **state)
{
	static _Alignas(4096) uint8_t memory[4096];

	(void)state;
	with_record = true;
	pmu_drain(take);
	assert_null(pmu_give_buffer((uintptr_t)memory, AREAS_BYTES + RECORDS * RECORD_BYTES));
	run("INST_RETIRED.ANY_P:p:period=100", 2000);
	assert_in_range(taken, 1700, 2000);		// events in a record's shadow are not
							// counted
	assert_int_equal(out_of_order, 0);
	assert_int_equal(statistics().dropped, 0);
	assert_true(taken_in_interrupt >= taken - PMU_RING_WORDS / 23);
}

// The program takes a sample itself and is interrupted by an interrupt that finds no space.
static void who_takes_a_sample_is_not_overtaken(void **state)
{
	(void)state;
	pmu_drain(take);
	pmu_this_cpu()->taking = true;
	run("INST_RETIRED.ANY_P:period=100", PMU_RING_SAMPLES + 5);
	assert_int_equal(taken_in_interrupt, 0);
	assert_int_equal(taken, PMU_RING_SAMPLES);
	assert_int_equal(statistics().dropped, 5);
}

static void a_new_begin_forgets_who_takes(void **state)
{
	(void)state;
	pmu_drain(take);
	assert_int_equal(pmu_begin(nehalem(), false), PMU_OK);
	run("INST_RETIRED.ANY_P:period=100", PMU_RING_SAMPLES + 5);
	assert_int_equal(taken_in_interrupt, 0);
	assert_int_equal(statistics().dropped, 5);
	pmu_drain(take);
	pmu_drain(NULL);
	run("INST_RETIRED.ANY_P:period=100", PMU_RING_SAMPLES + 6);
	assert_int_equal(statistics().dropped, 11);
}

// Samples of the package go into the ring when each CPU arrives in the round.
static void no_sample_of_the_package_is_lost(void **state)
{
	const struct pmu_driver *uncore = pmu_driver_find("nehalem-uncore");

	(void)state;
	shim_end();
	assert_true(shim_start("nehalem-uncore", ""));
	assert_int_equal(pmu_begin(uncore, false), PMU_OK);
	pmu_drain(take);
	run("UNC_CLK_UNHALTED:period=100", SAMPLES);
	assert_int_equal(taken, SAMPLES);
	assert_int_equal(out_of_order, 0);
	assert_int_equal(statistics().dropped, 0);
	assert_true(taken_in_interrupt >= SAMPLES - PMU_RING_SAMPLES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, machine_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_sample_is_lost),
		TEST(an_interrupt_takes_out_one),
		TEST(what_taking_costs_is_not_counted),
		TEST(no_record_is_lost),
		TEST(who_takes_a_sample_is_not_overtaken),
		TEST(a_new_begin_forgets_who_takes),
		TEST(no_sample_of_the_package_is_lost),
	};

	return cmocka_run_group_tests_name("drain", tests, NULL, NULL);
}
