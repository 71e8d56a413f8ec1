// SPDX-License-Identifier: BSD-2-Clause
// The nehalem model's functions for backends: the time at which a write takes effect, halts, runs
// of any length, CPUID, the clock.

#include "steps.h"

//
// Writes and halts
//

// model.h: a write takes effect after its own cycles.
static void stopping_write_is_counted_itself(void **state)
{
	(void)state;
	set_counter(0, 0, 0);
	busy();
	run(10);
	assert_true(model->write(pmu, 0, GLOBAL_CTRL, 0, 3));
	run(10);
	assert_int_equal(get(PMC0), 13);
}

static void starting_write_is_not_counted_itself(void **state)
{
	(void)state;
	set_counter(0, 0, 0);
	put(GLOBAL_CTRL, 0);
	busy();
	assert_true(model->write(pmu, 0, GLOBAL_CTRL, 1, 3));
	run(10);
	assert_int_equal(get(PMC0), 10);
}

static void counter_write_overrides_what_its_own_cycles_count(void **state)
{
	(void)state;
	set_counter(0, 0, before_overflow(0, 2));
	busy();
	assert_true(model->write(pmu, 0, PMC0, 1000, 3));
	assert_int_equal(get(PMC0), 1000);
	assert_int_equal(get(GLOBAL_STATUS), 1);
}

static void clearing_write_clears_what_overflows_in_its_own_cycles(void **state)
{
	(void)state;
	set_counter(0, INT, before_overflow(0, 2));
	busy();
	assert_true(model->write(pmu, 0, GLOBAL_OVF_CTRL, 1, 3));
	assert_int_equal(get(GLOBAL_STATUS), 0);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(PMC0), 1);
}

// The freeze comes first, in the write's own cycles; then the written value holds.
static void enabling_write_outlasts_a_freeze_in_its_own_cycles(void **state)
{
	(void)state;
	set_race(0);
	assert_true(model->write(pmu, 0, GLOBAL_CTRL, 2, 8));
	run(10);
	assert_int_equal(get(GLOBAL_CTRL), 2);
	assert_int_equal(get(PMC0 + 1), 15);
}

static void a_run_of_no_cycles_changes_nothing(void **state)
{
	struct snapshot before;
	uint64_t headroom;

	(void)state;
	set_race(0);
	put(PERFEVTSEL0 + 1, EDGE);
	before = take_snapshot();
	headroom = outputs()->headroom;
	run(0);
	assert_nothing_changed(&before);
	assert_int_equal(outputs()->headroom, headroom);
	assert_int_equal(outputs()->requests, 0);
}

static void halt_counts_inverted_conditions_only(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(CYCLES, 0) | ON);
	put(PERFEVTSEL0 + 1, EVENT(CYCLES, 0) | ON | CMASK(1));
	put(PERFEVTSEL0 + 2, EVENT(CYCLES, 0) | ON | CMASK(1) | INV);
	put(PERFEVTSEL0 + 3, EVENT(CYCLES, 0) | ON | CMASK(1) | INV | E);
	put(FIXED_CTR_CTRL, 0x333);
	put(GLOBAL_CTRL, ALL_BITS);
	busy();
	run(10);
	no_signals();
	run(100);
	assert_int_equal(get(PMC0), 10);
	assert_int_equal(get(PMC0 + 1), 10);
	assert_int_equal(get(PMC0 + 2), 100);
	assert_int_equal(get(PMC0 + 3), 1);
	for (unsigned i = 0; i < FIXED; i++)
		assert_int_equal(get(FIXED_CTR0 + i), 10);
}

// (start + step * cycles) modulo 2^48
static uint64_t after(uint64_t counter, uint64_t step, uint64_t cycles)
{
	return (uint64_t)(((unsigned __int128)step * cycles + counter) & COUNTER_MAX);
}

static void huge_runs_count_modulo_the_width(void **state)
{
	static const uint64_t lengths[] = {1ULL << 48, (1ULL << 62) + 5, 1ULL << 63, UINT64_MAX - 1,
					   UINT64_MAX};

	(void)state;
	for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		reset(-1);
		set_counter(4, 0, 12345);
		put(PERFEVTSEL0, EVENT(UOPS, 1) | ON);
		SIGNALS({RETIRED, 0, 1, 0, 0}, {UOPS, 1, UINT32_MAX, 0, 0});
		run(lengths[i]);
		run(lengths[i]);
		assert_int_equal(get(FIXED_CTR0),
				 after(after(12345, 1, lengths[i]), 1, lengths[i]));
		assert_int_equal(get(PMC0), after(after(0, UINT32_MAX, lengths[i]), UINT32_MAX,
						  lengths[i]));
		assert_int_equal(get(GLOBAL_STATUS), counter_bit(0) | counter_bit(4));
	}
}

// 2^31 events in each of 2^33 cycles are 2^64: the counter has its old value, and has overflowed.
static void overflow_of_all_64_bits_shows(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(UOPS, 1) | ON | INT);
	put(PMC0, 77);
	SIGNALS({UOPS, 1, 1U << 31, 0, 0});
	run(1ULL << 33);
	assert_int_equal(get(PMC0), 77);
	assert_int_equal(get(GLOBAL_STATUS), 1);
	assert_int_equal(outputs()->requests, 1);
}

static void huge_run_with_interrupts_raises_the_line(void **state)
{
	(void)state;
	set_counter(4, INT, 1);
	busy();
	run(1ULL << 63);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(FIXED_CTR0), after(1, 1, 1ULL << 63));
	assert_int_equal(outputs()->headroom, COUNTER_MAX - get(FIXED_CTR0));
}

static void huge_run_stops_at_a_freeze(void **state)
{
	(void)state;
	set_race(3);
	run(1ULL << 63);
	run(UINT64_MAX);
	assert_frozen_in_cycle_5(3);
}

static void huge_run_of_a_stopped_pmu_changes_nothing(void **state)
{
	struct snapshot before = take_snapshot();

	(void)state;
	run(UINT64_MAX);
	run(UINT64_MAX);
	assert_nothing_changed(&before);
	assert_int_equal(outputs()->requests, 0);
}

//
// CPUID and the instruction clock
//

// SDM 2A, leaf 0AH: EAX version 3, 4 counters, 48 bits, 7 bits in EBX; EBX a set bit: event not
// available; EDX 3 fixed counters of 48 bits.
static void cpuid_0a_describes_the_pmu(void **state)
{
	uint32_t registers[4] = {0xDEAD, 0xBEEF, 0xFFFFFFFF, 0xFFFFFFFF};

	(void)state;
	model->identification->identify(model, 0x0A, 0, registers);
	assert_int_equal(registers[0] & 0xFF, 3);
	assert_int_equal(registers[0] >> 8 & 0xFF, GENERAL);
	assert_int_equal(registers[0] >> 16 & 0xFF, 48);
	assert_int_equal(registers[0] >> 24, 7);
	assert_int_equal(registers[2], 0);
	assert_int_equal(registers[3], FIXED | 48 << 5);
}

// SDM 2A: EBX bit 0 core cycles, 1 instructions retired, 2 reference cycles, 3 and 4 last-level
// cache references and misses, 5 and 6 branches and mispredicted ones. Those that the clock raises
// are available.
static void cpuid_0a_offers_what_the_clock_raises(void **state)
{
	static const uint64_t architectural[] = {
		EVENT(CYCLES, 0), EVENT(RETIRED, 0), EVENT(CYCLES, 1), EVENT(0x2E, 0x4F),
		EVENT(0x2E, 0x41), EVENT(0xC4, 0), EVENT(0xC5, 0),
	};
	uint32_t registers[4] = {0};
	size_t count;
	const struct occurrence *clock = model_clock(model, 0, 0, &count);

	(void)state;
	model->identification->identify(model, 0x0A, 0, registers);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(counted(architectural[i] | ON, 10, clock, count) == 0,
				 registers[1] >> i & 1);
	assert_int_equal(registers[1] >> 7, 0);
}

// SDM 2A, leaf 0: EBX, EDX, ECX spell the vendor; EAX is the highest leaf.
static void cpuid_0_says_intel_and_reaches_leaf_0a(void **state)
{
	uint32_t low[4] = {5, 0, 0, 0}, high[4] = {0x16, 0, 0, 0};
	uint32_t vendor[3];

	(void)state;
	model->identification->identify(model, 0, 0, low);
	model->identification->identify(model, 0, 0, high);
	assert_int_equal(low[0], 0x0A);
	assert_int_equal(high[0], 0x16);
	memcpy(vendor, (const uint32_t[]){low[1], low[3], low[2]}, sizeof vendor);
	assert_memory_equal(vendor, "GenuineIntel", sizeof vendor);
}

// SDM 3B, appendix on performance-monitoring events: Core i7 and Xeon 5500 are 06_1AH: EAX bits
// 11:8 family, 19:16 and 7:4 model, no extended family, type 0.
static void cpuid_1_says_family_6_model_1a(void **state)
{
	uint32_t registers[4] = {~0U, ~0U, ~0U, ~0U};

	(void)state;
	model->identification->identify(model, 1, 0, registers);
	assert_int_equal(registers[0] >> 4, 0x106A);
}

// SDM 2A, leaf 1: ECX bits 15 PDCM (IA32_PERF_CAPABILITIES exists), 2 DTES64, EDX bit 21 DS: a
// debug store of 64-bit words. ECX bit 4 DS-CPL is 0, because there is no branch trace store.
static void cpuid_1_has_capabilities_and_a_debug_store(void **state)
{
	uint32_t set[4] = {~0U, ~0U, ~0U, ~0U}, clear[4] = {0};

	(void)state;
	model->identification->identify(model, 1, 0, set);
	assert_int_equal(set[1], ~0U);
	assert_int_equal(set[2], ~(1U << 4));
	assert_int_equal(set[3], ~0U);
	model->identification->identify(model, 1, 0, clear);
	assert_int_equal(clear[1], 0);
	assert_int_equal(clear[2], 1U << 15 | 1U << 2);
	assert_int_equal(clear[3], 1U << 21);
}

static void cpuid_of_other_leaves_is_left_alone(void **state)
{
	static const uint32_t leaves[] = {2, 4, 7, 9, 0xB, 0x80000001, 0x8000000A, UINT32_MAX};

	(void)state;
	for (unsigned i = 0; i < sizeof leaves / sizeof *leaves; i++) {
		uint32_t registers[4] = {0x12345678, 0x9ABCDEF0, 0x0F1E2D3C, 0x4B5A6978};
		const uint32_t before[4] = {0x12345678, 0x9ABCDEF0, 0x0F1E2D3C, 0x4B5A6978};

		model->identification->identify(model, leaves[i], 0, registers);
		assert_memory_equal(registers, before, sizeof before);
	}
}

// Returns the count of a thread's counter in ten cycles of an instruction clock.
static uint64_t clock_count(unsigned thread, unsigned level, uint64_t select)
{
	size_t count;
	const struct occurrence *clock = model_clock(model, thread, level, &count);

	reset(-1);
	put_of(thread, PERFEVTSEL0, select);
	set_inputs(clock, count);
	run(10);
	return get_of(thread, PMC0);
}

// model.h: a cycle in which the thread retires one instruction at the level. SDM 3B gives
// instructions and both kinds of cycles, table 1 also INST_RETIRED.ANY_P with unit mask 01.
static void clock_retires_one_instruction_in_each_cycle(void **state)
{
	static const uint64_t events[] = {EVENT(RETIRED, 0), EVENT(RETIRED, 1), EVENT(CYCLES, 0),
					  EVENT(CYCLES, 1)};

	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned level = 0; level < 4; level++)
			for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
				assert_int_equal(clock_count(thread, level, events[i] | ON), 10);
				assert_int_equal(clock_count(thread, level,
							     events[i] | EN | (level ? OS : USR)),
							     0);
				assert_int_equal(clock_count(thread, level,
							     events[i] | EN | (level ? USR : OS)),
							     10);
			}
}

static void clock_moves_the_fixed_counters_of_its_thread(void **state)
{
	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		size_t count;
		const struct occurrence *clock = model_clock(model, thread, 3, &count);

		reset(-1);
		for (unsigned i = GENERAL; i < COUNTERS; i++) {
			set_counter_of(0, i, 0, 0);
			set_counter_of(1, i, 0, 0);
		}
		set_inputs(clock, count);
		run(10);
		for (unsigned i = GENERAL; i < COUNTERS; i++) {
			assert_int_equal(get_of(thread, counter_address(i)), 10);
			assert_int_equal(get_of(!thread, counter_address(i)), 0);
		}
	}
}

static void clock_raises_no_other_event(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 256; code++)
		if (code != RETIRED && code != CYCLES) {
			assert_int_equal(clock_count(0, 0, EVENT(code, 0) | ON), 0);
			assert_int_equal(clock_count(0, 0, EVENT(code, 0xFF) | ON), 0);
		}
	assert_int_equal(clock_count(0, 0, EVENT(RETIRED, 0xFE) | ON), 0);
	assert_int_equal(clock_count(0, 0, EVENT(CYCLES, 0xFE) | ON), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stopping_write_is_counted_itself),
		TEST(starting_write_is_not_counted_itself),
		TEST(counter_write_overrides_what_its_own_cycles_count),
		TEST(clearing_write_clears_what_overflows_in_its_own_cycles),
		TEST(enabling_write_outlasts_a_freeze_in_its_own_cycles),
		TEST(a_run_of_no_cycles_changes_nothing),
		TEST(halt_counts_inverted_conditions_only),
		TEST(huge_runs_count_modulo_the_width),
		TEST(overflow_of_all_64_bits_shows),
		TEST(huge_run_with_interrupts_raises_the_line),
		TEST(huge_run_stops_at_a_freeze),
		TEST(huge_run_of_a_stopped_pmu_changes_nothing),
		TEST(cpuid_0a_describes_the_pmu),
		TEST(cpuid_0a_offers_what_the_clock_raises),
		TEST(cpuid_0_says_intel_and_reaches_leaf_0a),
		TEST(cpuid_1_says_family_6_model_1a),
		TEST(cpuid_1_has_capabilities_and_a_debug_store),
		TEST(cpuid_of_other_leaves_is_left_alone),
		TEST(clock_retires_one_instruction_in_each_cycle),
		TEST(clock_moves_the_fixed_counters_of_its_thread),
		TEST(clock_raises_no_other_event),
	};

	return cmocka_run_group_tests_name("nehalem model: backend", tests, find_model,
					   release_model);
}
