// SPDX-License-Identifier: BSD-2-Clause
// The nehalem model's precise records: cases without a record, hostile areas, and runs without a
// stop. Cycles as in test_model_pebs.c.

#include "steps.h"

#include "machine.h"

//
// No record
//

// SDM 3B, "If the bounds checks fail, the PEBS will be skipped entirely": the counter has
// overflowed in cycle 19 and counts on.
static void full_buffer_is_not_overrun(void **state)
{
	(void)state;
	attach();
	set_area(1, 4, 5);
	set_precise(1, 0, 5);
	busy();
	run(27);
	assert_int_equal(records(), 1);
	assert_int_equal(outputs()->requests, 0);
	assert_int_equal(outputs()->headroom, 0);
	run(1);
	assert_int_equal(records(), 1);
	for (unsigned i = 0; i < RECORD / 8; i++)
		assert_int_equal(record_word(1, i), 0);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(GLOBAL_STATUS), OVF_BUF | 1);
	assert_int_equal(get(PMC0), 28 - 19);
	assert_int_equal(outputs()->headroom, COUNTER_MAX - 9 + 1 + SHADOW);
}

static const struct hostile_area {
	uint64_t area, base, index, maximum;
} hostile_areas[] = {
	{0x900000, BUFFER, BUFFER, BUFFER + 1000},			// no memory there
	{0, BUFFER, BUFFER, BUFFER + 1000},
	{~0ULL, BUFFER, BUFFER, BUFFER + 1000},
	// ends in the middle of the words
	{MEMORY + MEMORY_SIZE - 64, BUFFER, BUFFER, BUFFER + 1000},
	{AREA, BUFFER, 0x900000, 0x910000},				// no memory at the index
	{AREA, 0, MEMORY + MEMORY_SIZE - 175, ~0ULL},			// one byte too long
	{AREA, 0, MEMORY - 1, ~0ULL},
	{AREA, 0, ~0ULL, ~0ULL},
	{AREA, 0, -175ULL, ~0ULL},
	{AREA, 0, -175ULL, 1},
	{AREA, BUFFER, BUFFER - 8, BUFFER + 1000},			// before the buffer
	{AREA, BUFFER, BUFFER, BUFFER + 175},				// one byte too short
	{AREA, BUFFER, BUFFER, BUFFER - 1},
};

static void hostile_areas_get_nothing_written(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof hostile_areas / sizeof *hostile_areas; i++) {
		const struct hostile_area *hostile = &hostile_areas[i];
		uint8_t before[MEMORY_SIZE];

		reset(-1);
		attach();
		set_area(4, 4, 1000);
		set_area_word(PEBS_BASE, hostile->base);
		set_area_word(PEBS_INDEX, hostile->index);
		set_area_word(PEBS_MAXIMUM, hostile->maximum);
		put(DS_AREA, hostile->area);
		memcpy(before, machine.memory, sizeof before);
		set_precise(1, 0, 5);
		busy();
		run(14);
		assert_memory_equal(before, machine.memory, sizeof before);
		assert_int_equal(get(GLOBAL_STATUS), OVF_BUF | 1);
		assert_int_equal(outputs()->requests, 1);
		assert_int_equal(get(PMC0), 14 - 5);
	}
}

static void without_a_processor_nothing_is_recorded(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	put(DS_AREA, AREA);
	set_precise(1, INT, 5);
	busy();
	run(5);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	run(100);
	assert_int_equal(get(PMC0), 100);
}

static void reset_takes_the_processor_away(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	model->reset(model, pmu, -1, 0);
	connected_count = 0;
	put(DS_AREA, AREA);
	set_precise(1, 0, 5);
	busy();
	run(100);
	assert_int_equal(records(), 0);
	assert_int_equal(get(PMC0), 95);
}

static void disarm(unsigned counter, uint32_t address, uint64_t value)
{
	reset(-1);
	attach();
	set_area(4, 4, 1000);
	set_precise(1U << counter, 0, 5);
	busy();
	run(8);
	put(address, value);
	run(4);
	set_precise(1U << counter, 0, 500);
	run(100);
	assert_int_equal(records(), 0);
	assert_int_equal(get(GLOBAL_STATUS), 1U << counter);
	assert_int_equal(get(PMC0 + counter), COUNTER_MAX + 1 - 500 + 100);
}

static void disabling_a_counter_gives_up_its_record(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GENERAL; i++) {
		disarm(i, PEBS_ENABLE, 0);
		disarm(i, PEBS_ENABLE, GENERAL_BITS & ~(1ULL << i));
		disarm(i, PERFEVTSEL0 + i, (EVENT(RETIRED, 0) | ON) & ~EN);
		disarm(i, PERFEVTSEL0 + i, EVENT(CYCLES, 0) | ON);
	}
}

static void disabling_a_counter_leaves_the_records_of_others(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(3, 0, 5);
	busy();
	run(8);
	put(PERFEVTSEL0 + 1, 0);
	run(6);
	assert_int_equal(records(), 1);
	assert_int_equal(get(PMC0), COUNTER_MAX + 1 - 1000);
}

// A freeze, and its end.
static void global_disable_only_delays_the_record(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 1000);
	set_precise(1, 0, 5);
	busy();
	run(8);
	put(GLOBAL_CTRL, 0);
	run(100);
	assert_int_equal(records(), 0);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	put(GLOBAL_CTRL, ALL_BITS);
	assert_int_equal(outputs()->headroom, 0);
	run(1);
	assert_int_equal(records(), 1);
}

//
// Runs without a stop
//

static void huge_run_fills_the_buffer_and_ends(void **state)
{
	(void)state;
	attach();
	set_area(20, 20, 5);
	set_precise(0xF, 0, 5);
	busy();
	run(1ULL << 40);
	assert_int_equal(records(), 20);
	// In cycle 14 * 21 the buffer is full. The counters have counted since their overflow, 9
	// cycles before.
	for (unsigned i = 0; i < GENERAL; i++)
		assert_int_equal(get(PMC0 + i), (1ULL << 40) - 14 * 21 + 9);
	assert_int_equal(get(GLOBAL_STATUS), OVF_BUF | 0xF);
	assert_int_equal(outputs()->requests, 1);
}

static void huge_steps_and_runs_end(void **state)
{
	(void)state;
	attach();
	set_area(1, 1, 5);
	set_precise(0xF, INT, 5);
	SIGNALS({RETIRED, 0, UINT32_MAX, 0, 0}, {RETIRED, 0, UINT32_MAX, 0, 3});
	run(UINT64_MAX);
	assert_int_equal(records(), 1);
	assert_int_equal(outputs()->requests, 1);
	// No record is left afterwards.
	set_area(4, 4, 1000);
	put(PEBS_ENABLE, 0);
	set_precise(1, 0, 5);
	busy();
	run(14);
	assert_int_equal(records(), 1);
}

// The record overwrites the management area with registers: base becomes 4 and maximum 6 more than
// the first register, which leaves no room for another record. Then the index is stored.
static void record_upon_its_own_area_ends(void **state)
{
	(void)state;
	attach();
	set_area(4, 4, 5);
	set_area_word(PEBS_BASE, 0);
	set_area_word(PEBS_INDEX, AREA);
	set_area_word(PEBS_MAXIMUM, ~0ULL);
	set_area_word(PEBS_THRESHOLD, 0);
	set_precise(1, 0, 5);
	busy();
	run(1ULL << 40);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(area_word(PEBS_INDEX), AREA + RECORD);
	assert_int_equal(area_word(PEBS_MAXIMUM), machine.mark + 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(full_buffer_is_not_overrun),
		TEST(hostile_areas_get_nothing_written),
		TEST(without_a_processor_nothing_is_recorded),
		TEST(reset_takes_the_processor_away),
		TEST(disabling_a_counter_gives_up_its_record),
		TEST(disabling_a_counter_leaves_the_records_of_others),
		TEST(global_disable_only_delays_the_record),
		TEST(huge_run_fills_the_buffer_and_ends),
		TEST(huge_steps_and_runs_end),
		TEST(record_upon_its_own_area_ends),
	};

	return cmocka_run_group_tests_name("nehalem model: limits of PEBS", tests, find_model,
					   release_model);
}
