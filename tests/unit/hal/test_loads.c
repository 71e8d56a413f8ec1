// SPDX-License-Identifier: BSD-2-Clause
// Loads that retire, counted by hand: one for each instruction that loads and retires, the one that took longest.

#include "unit.h"

#include <string.h>

#include "../../../hal/emu/plugin/loads.c"

#define ABOVE 39

static struct loads loads;
static uint64_t at;
static unsigned raised[HAPPENING_COUNT];

static void add(size_t count, const enum happening what[LOADS_RAISE_MOST])
{
	for (size_t i = 0; i < count; i++)
		raised[what[i]]++;
}

static void load(uint64_t position, uint64_t ip, uint32_t latency, bool translated)
{
	const struct load l = {
		.occurrence = {.ip = ip, .latency = latency}, .translated = translated,
		.source = latency > ABOVE ? HAPPENING_LOAD_L3 : HAPPENING_LOAD_L1D,
	};
	enum happening what[LOADS_RAISE_MOST];

	add(loads_see(&loads, &at, position, &l, ABOVE, what), what);
}

static void retire(uint64_t position)
{
	enum happening what[LOADS_RAISE_MOST];

	add(loads_retire(&loads, &at, position, ABOVE, what), what);
}

static int begin(void **state)
{
	(void)state;
	loads = (struct loads){0};
	at = 0;
	memset(raised, 0, sizeof raised);
	return 0;
}

static void each_retires_with_its_instruction(void **state)
{
	(void)state;
	load(1, 0x10, 4, false);
	assert_int_equal(raised[HAPPENING_LOAD_L1D], 0);
	load(3, 0x20, 47, true);
	assert_int_equal(raised[HAPPENING_LOAD_L1D], 1);
	retire(3);
	retire(3);
	assert_int_equal(raised[HAPPENING_LOAD_L3], 1);
	assert_int_equal(raised[HAPPENING_LOAD_TLB_MISS], 1);
	assert_int_equal(raised[HAPPENING_LOAD_SLOW], 1);
	assert_int_equal(loads.slow.ip, 0x20);
	load(4, 0x30, 39, false);		// not above
	retire(4);
	assert_int_equal(raised[HAPPENING_LOAD_SLOW], 1);
	assert_int_equal(loads.slow.ip, 0x20);
	assert_int_equal(loads.retired.ip, 0x30);
}

static void of_several_the_longest_does(void **state)
{
	(void)state;
	load(1, 0x10, 4, false);
	load(1, 0x10, 40, false);
	load(1, 0x10, 4, false);
	retire(1);
	assert_int_equal(raised[HAPPENING_LOAD_L3], 1);
	assert_int_equal(raised[HAPPENING_LOAD_L1D], 0);
}

static void what_has_not_retired_waits(void **state)
{
	(void)state;
	load(1, 0x10, 40, false);	// the first iteration of a string
	retire(0);
	assert_int_equal(raised[HAPPENING_LOAD_L3], 0);
	load(1, 0x10, 4, false);
	retire(1);
	assert_int_equal(raised[HAPPENING_LOAD_L3], 1);
	assert_int_equal(raised[HAPPENING_LOAD_L1D], 0);

	load(2, 0x20, 40, false);	// interrupted
	load(2, 0x30, 4, false);
	retire(2);
	assert_int_equal(raised[HAPPENING_LOAD_L3], 1);
	assert_int_equal(raised[HAPPENING_LOAD_L1D], 1);
}

// Near a record each quantum is as long as that asks for. After 4,096 of one instruction it is 16,384, and then 64.
static void waiting_takes_one_instruction_in_256(void **state)
{
	unsigned steps = 0;

	(void)state;
	while (loads_wait(1, 1, MODEL_FAR) == 1 && steps < 10000) {
		loads_pass(1, 1);
		steps++;
	}
	assert_in_range(steps, 4096, 4096 + 4096 / 255 + 1);	// each gives one back
	for (unsigned again = 0; again < 3; again++) {
		assert_int_equal(loads_wait(1, 1, MODEL_FAR), 16384);
		assert_int_equal(loads_wait(1, 1, 100), 100);
		loads_pass(1, 16384);
		for (steps = 0; loads_wait(1, 1, MODEL_FAR) == 1 && steps < 1000; steps++)
			loads_pass(1, 1);
		assert_in_range(steps, 64, 65);
	}
}

static void frequent_events_do_not_overflow_within_a_quantum(void **state)
{
	uint64_t left = 100000;

	(void)state;
	while (left > 16) {
		const uint64_t quantum = loads_wait(2, left, MODEL_FAR);

		assert_int_equal(quantum, left);
		loads_pass(2, quantum);
		left -= (quantum + 2) / 3;	// each third instruction
	}
}

// One in 10,000: then quanta are longer than the events that are left, and these become fewer each time.
static void rare_ones_may(void **state)
{
	uint64_t left = 100, quanta = 0;

	(void)state;
	while (left > 16 && quanta < 1000) {
		const uint64_t quantum = loads_wait(3, left, MODEL_FAR);

		assert_in_range(quantum, left, 16384);
		loads_pass(3, quantum);
		left -= quantum / 10000 < left ? quantum / 10000 : left;
		quanta++;
	}
	assert_in_range(quanta, 1, 200);	// 84 events are 840,000 instructions, of at most 16,384
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_retires_with_its_instruction, begin),
		cmocka_unit_test_setup(of_several_the_longest_does, begin),
		cmocka_unit_test_setup(what_has_not_retired_waits, begin),
		cmocka_unit_test(waiting_takes_one_instruction_in_256),
		cmocka_unit_test(frequent_events_do_not_overflow_within_a_quantum),
		cmocka_unit_test(rare_ones_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
