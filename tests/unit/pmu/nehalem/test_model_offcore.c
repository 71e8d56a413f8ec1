// SPDX-License-Identifier: BSD-2-Clause
// Events of the nehalem model that a second register qualifies: load latency (the guide, "Latency
// Event") and offcore response (the guide, at Table 9); and events that count for the core.

#include "steps.h"

#include "machine.h"

#define LOADS		EVENT(0x0B, 0x01)	// MEM_INST_RETIRED.LOADS
#define SLOW_LOADS	EVENT(0x0B, 0x10)	// MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD
#define OFFCORE		EVENT(0xB7, 0x01)	// OFFCORE_RESPONSE_0
#define LOAD_LATENCY(n)	(0x100000001ULL << \
			 (n))	// SDM 3B: of IA32_PEBS_ENABLE both bits of a counter

// A load of thread 0 at level 0, as both events.
static struct occurrence load(uint32_t latency)
{
	return (struct occurrence){.code = 0x0B, .sub = 0x11, .n = 1, .latency = latency, .data = 1,
				   .address = 0xFFFF888000001238, .served = 0xA, .ip = 0x400};
}

static uint64_t loads_counted(uint64_t select, uint32_t latency)
{
	const struct occurrence o = load(latency);

	return counted(select, 10, &o, 1);
}

// The guide: "larger than the minimum latency". Table 4's thresholds.
static void load_must_be_slower_than_the_threshold(void **state)
{
	static const uint32_t thresholds[] = {0, 3, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x400,
					      0x4000, 0x8000, 0xFFFF};

	(void)state;
	put(PEBS_ENABLE, LOAD_LATENCY(0));
	for (unsigned i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
		put(LD_LAT, thresholds[i]);
		assert_int_equal(loads_counted(SLOW_LOADS | ON, thresholds[i]), 0);
		assert_int_equal(loads_counted(SLOW_LOADS | ON, thresholds[i] + 1), 10);
		assert_int_equal(loads_counted(SLOW_LOADS | ON, UINT32_MAX), 10);
	}
}

// SDM 3B: "both the PEBS_EN_CTRX and LL_EN_CTRX bits must be set for the counter(s) of interest".
static void load_latency_must_be_enabled_in_both_halves(void **state)
{
	static const uint64_t enables[] = {0, 1, 1ULL << 32, LOAD_LATENCY(1), 0xE0000000FULL,
					   0xF0000000EULL};

	(void)state;
	put(LD_LAT, 4);
	for (unsigned i = 0; i < sizeof enables / sizeof *enables; i++) {
		put(PEBS_ENABLE, enables[i]);
		assert_int_equal(loads_counted(SLOW_LOADS | ON, 100), 0);
	}
	put(PEBS_ENABLE, 0xF0000000FULL);
	assert_int_equal(loads_counted(SLOW_LOADS | ON, 100), 10);
}

static void threshold_is_for_load_latency_only(void **state)
{
	const struct occurrence others[] = {
		{.code = 0x0B, .sub = 0x02, .n = 1}, {.code = 0xCB, .sub = 0x10, .n = 1},
	};

	(void)state;
	put(LD_LAT, 100);
	put(PEBS_ENABLE, LOAD_LATENCY(0));
	assert_int_equal(loads_counted(LOADS | ON, 5), 10);
	assert_int_equal(loads_counted(SLOW_LOADS | LOADS | ON, 5), 10);
	assert_int_equal(counted(EVENT(0x0B, 2) | ON, 10, others, 2), 10);
	assert_int_equal(counted(EVENT(0xCB, 0x10) | ON, 10, others, 2), 10);
	assert_int_equal(counted(SLOW_LOADS | ON, 10, others, 2), 0);
}

// The guide: "only one minimum latency value can be sampled on a core during a given period".
static void threshold_of_one_thread_holds_for_both(void **state)
{
	struct occurrence o = load(20);

	(void)state;
	o.thread = 1;
	put_of(1, LD_LAT, 10);
	put_of(0, LD_LAT, 20);
	put_of(1, PEBS_ENABLE, LOAD_LATENCY(0));
	put_of(1, PERFEVTSEL0, SLOW_LOADS | ON);
	connect(&o, 1);
	run(10);
	assert_int_equal(get_of(1, PMC0), 0);
	put_of(0, LD_LAT, 19);
	run(10);
	assert_int_equal(get_of(1, PMC0), 10);
}

static void set_slow_loads_of(unsigned counter, uint32_t threshold)
{
	attach();
	set_area(4, 4, 1000);
	put(LD_LAT, threshold);
	put(PEBS_ENABLE, LOAD_LATENCY(counter));
	put(PMC0 + counter, before_overflow(counter, 5));
	put(PERFEVTSEL0 + counter, SLOW_LOADS | ON);
}

static void set_slow_loads(uint32_t threshold)
{
	set_slow_loads_of(0, threshold);
}

// The guide: "on the next event satisfying the latency threshold" latency, address and source are
// recorded.
static void record_is_of_the_next_slow_load(void **state)
{
	struct occurrence o = load(31);

	(void)state;
	set_slow_loads(30);
	connect(&o, 1);
	run(5);
	o = load(30);
	connect(&o, 1);
	run(100);
	assert_int_equal(records(), 0);
	o = load(57);
	connect(&o, 1);
	assert_int_equal(outputs()->headroom, 0);
	run(1);
	assert_int_equal(records(), 1);
	assert_int_equal(record_word(0, STATUS_WORD), 1);
	assert_int_equal(record_word(0, ADDRESS_WORD), 0xFFFF888000001238);
	assert_int_equal(record_word(0, SOURCE_WORD), 0xA);
	assert_int_equal(record_word(0, LATENCY_WORD), 57);
	assert_null(outputs()->recorded);	// model.h: set only while registers are read
}

// SDM 3B: "the last update of latency and data source information" is recorded. No manual says
// which of one cycle's loads that is. Here, of equal addresses, it is the one with the smallest
// latency above the threshold, in any order of the event signals.
static void of_several_loads_one_slow_one_of_the_thread_is_recorded(void **state)
{
	struct occurrence list[5] = {load(50), load(40), load(7), load(60), load(70)};

	(void)state;
	list[3].thread = 1;
	list[4].n = 0;
	list[0].served = 0x1E;
	list[1].served = 0x1F;
	set_slow_loads(30);
	connect(list, 5);
	run(14);		// two in a cycle: overflow in the third
	assert_int_equal(records(), 1);
	assert_int_equal(record_word(0, LATENCY_WORD), 40);
	assert_int_equal(record_word(0, SOURCE_WORD), 0xF);
}

static void each_general_counter_records_slow_loads(void **state)
{
	const struct occurrence o = load(57);

	(void)state;
	for (unsigned i = 0; i < GENERAL; i++) {
		reset(-1);
		set_slow_loads_of(i, 30);
		connect(&o, 1);
		run(14);
		assert_int_equal(records(), 1);
		assert_int_equal(record_word(0, LATENCY_WORD), 57);
	}
}

static void assert_no_load_recorded(uint64_t select, uint32_t latency)
{
	const struct occurrence o = load(latency);

	reset(-1);
	set_slow_loads(30);
	put(PERFEVTSEL0, select);
	connect(&o, 1);
	run(14);
	assert_int_equal(records(), 1);
	assert_int_equal(record_word(0, ADDRESS_WORD), 0);
	assert_int_equal(record_word(0, SOURCE_WORD), 0);
	assert_int_equal(record_word(0, LATENCY_WORD), 0);
}

// Latency, address and source are recorded only for slow loads, on a counter that selects load
// latency.
static void record_of_another_event_has_no_load(void **state)
{
	(void)state;
	assert_no_load_recorded(LOADS | ON, 57);
	assert_no_load_recorded(LOADS | SLOW_LOADS | ON, 30);
}

static void load_without_an_address_records_none(void **state)
{
	struct occurrence o = load(57);

	(void)state;
	o.data = 0;
	set_slow_loads(30);
	connect(&o, 1);
	run(14);
	assert_int_equal(record_word(0, ADDRESS_WORD), 0);
	assert_int_equal(record_word(0, LATENCY_WORD), 57);
}

static uint64_t responses_counted(uint64_t selected, uint64_t happened)
{
	const struct occurrence o = {.code = 0xB7, .sub = 1, .n = 1, .opcode = happened};

	put(OFFCORE_RSP_0, selected);
	return counted(OFFCORE | ON, 10, &o, 1);
}

// The guide: "if any of the requests and any of the responses are satisfied".
static void each_request_meets_each_response(void **state)
{
	(void)state;
	for (unsigned request = 0; request < 8; request++)
		for (unsigned response = 8; response < 16; response++) {
			uint64_t happened = 1ULL << request | 1ULL << response;

			assert_int_equal(responses_counted(0xFFFF, happened), 10);
			assert_int_equal(responses_counted(happened, happened), 10);
			assert_int_equal(responses_counted(0xFFFF & ~(1ULL << request), happened),
					 0);
			assert_int_equal(responses_counted(0xFFFF & ~(1ULL << response), happened),
					 0);
		}
}

static void request_or_response_alone_does_not_count(void **state)
{
	(void)state;
	assert_int_equal(responses_counted(0xFF, 0x0101), 0);
	assert_int_equal(responses_counted(0xFF00, 0x0101), 0);
	assert_int_equal(responses_counted(0, 0x0101), 0);
	assert_int_equal(responses_counted(0xFFFF, 0x01), 0);
	assert_int_equal(responses_counted(0xFFFF, 0x100), 0);
	// ANY_DATA.LOCAL_DRAM, the guide's 4011.
	assert_int_equal(responses_counted(0x4011, 0x4010), 10);
	assert_int_equal(responses_counted(0x4011, 0x2010), 0);
}

static void other_unit_masks_of_b7_are_not_qualified(void **state)
{
	const struct occurrence o = {.code = 0xB7, .sub = 2, .n = 1};

	(void)state;
	assert_int_equal(counted(EVENT(0xB7, 2) | ON, 10, &o, 1), 10);
	assert_int_equal(counted(EVENT(0xB7, 3) | ON, 10, &o, 1), 10);
	assert_int_equal(counted(OFFCORE | ON, 10, &o, 1), 0);
}

static void response_selection_of_one_thread_holds_for_both(void **state)
{
	const struct occurrence o = {.code = 0xB7, .sub = 1, .n = 1, .thread = 1, .opcode = 0x0101};

	(void)state;
	put_of(1, PERFEVTSEL0, OFFCORE | ON);
	put_of(0, OFFCORE_RSP_0, 0x0101);
	connect(&o, 1);
	run(10);
	assert_int_equal(get_of(1, PMC0), 10);
	put_of(0, OFFCORE_RSP_0, 0x0201);
	run(10);
	assert_int_equal(get_of(1, PMC0), 10);
}

//
// Counted for the core
//

// Table 1: UOPS_EXECUTED.PORT2_CORE, PORT3_CORE, PORT4_CORE, PORT234_CORE, unlike PORT0, PORT1,
// PORT5, PORT015.
static void memory_ports_count_for_both_threads(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 8; bit++) {
		bool core = bit == 2 || bit == 3 || bit == 4 || bit == 7;

		assert_int_equal(COUNT(EVENT(UOPS, 1U << bit) | ON, 10,
				       {UOPS, (uint16_t)(1U << bit), 1, 1, 0}),
				 core ? 10 : 0);
		assert_int_equal(COUNT(EVENT(UOPS, 1U << bit) | ON | ANY, 10,
				       {UOPS, (uint16_t)(1U << bit), 1, 1, 0}),
				 10);
		assert_int_equal(COUNT(EVENT(UOPS, 1U << bit) | ON, 10,
				       {UOPS, (uint16_t)(1U << bit), 1, 0, 0}), 10);
	}
}

// With mask 3F and without AnyThr, the other thread's uops on ports 0, 1 and 5 do not count.
static void only_the_memory_ports_of_a_mask_count_for_both(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 0x3F) | ON, 10, {UOPS, 0x01, 1, 1, 0},
			       {UOPS, 0x04, 1, 1, 0}), 10);
	assert_int_equal(COUNT(EVENT(0xC2, 0x04) | ON, 10, {0xC2, 0x04, 1, 1, 0}), 0);
}

// Counters of memory ports do not affect counters of other ports.
static void memory_ports_of_one_counter_leave_another_alone(void **state)
{
	(void)state;
	put(PERFEVTSEL0 + 1, EVENT(UOPS, 4) | ON);
	assert_int_equal(COUNT(EVENT(UOPS, 1) | ON | ANY, 10, {UOPS, 5, 1, 1, 0}), 10);
	assert_int_equal(get(PMC0 + 1), 10);
}

static void memory_ports_count_at_the_levels_of_either_thread(void **state)
{
	(void)state;
	assert_int_equal(COUNT(EVENT(UOPS, 4) | EN | USR, 10, {RETIRED, 0, 1, 0, 0},
			       {UOPS, 4, 1, 1, 3}), 10);
	assert_int_equal(COUNT(EVENT(UOPS, 4) | EN | USR | CMASK(1), 10, {RETIRED, 0, 1, 0, 0},
			       {UOPS, 4, 1, 1, 3}),
			 10);
	assert_int_equal(COUNT(EVENT(UOPS, 4) | EN | OS, 10, {RETIRED, 0, 1, 0, 0},
			       {UOPS, 4, 1, 1, 3}), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(load_must_be_slower_than_the_threshold),
		TEST(load_latency_must_be_enabled_in_both_halves),
		TEST(threshold_is_for_load_latency_only),
		TEST(threshold_of_one_thread_holds_for_both),
		TEST(record_is_of_the_next_slow_load),
		TEST(of_several_loads_one_slow_one_of_the_thread_is_recorded),
		TEST(each_general_counter_records_slow_loads),
		TEST(record_of_another_event_has_no_load),
		TEST(load_without_an_address_records_none),
		TEST(each_request_meets_each_response),
		TEST(request_or_response_alone_does_not_count),
		TEST(other_unit_masks_of_b7_are_not_qualified),
		TEST(response_selection_of_one_thread_holds_for_both),
		TEST(memory_ports_count_for_both_threads),
		TEST(only_the_memory_ports_of_a_mask_count_for_both),
		TEST(memory_ports_of_one_counter_leave_another_alone),
		TEST(memory_ports_count_at_the_levels_of_either_thread),
	};

	return cmocka_run_group_tests_name("nehalem model: qualified events", tests, find_model,
					   release_model);
}
