// SPDX-License-Identifier: BSD-2-Clause
// The Knights Corner model: overflows, the interrupt lines, and the functions for backends.

#include "steps.h"

#define INSTRUCTION (EVENT(INSTRUCTIONS, 0) | ON)

// Returns the value from which a counter overflows with the `left`th event.
static uint64_t before_overflow(uint64_t left)
{
	return COUNTER_MAX + 1 - left;
}

static void overflow_at(unsigned thread, unsigned counter, uint64_t flags, uint64_t left)
{
	set_of(thread, counter, INSTRUCTION | flags, before_overflow(left));
	put_of(thread, GLOBAL, 3);
}

static uint32_t take_requests(void)
{
	uint32_t requests = outputs()->requests;

	outputs()->requests = 0;
	return requests;
}

// Returns true if the line of thread 0 rises in exactly the `left`th of the following cycles.
static void assert_rises_after(uint64_t left)
{
	assert_int_equal(outputs()->headroom, left - 1);
	run(left - 1);
	assert_int_equal(take_requests(), 0);
	run(1);
	assert_int_equal(take_requests(), 1);
}

//
// Status
//

// 1.4.3.5: an overflow sets the bit, even without an interrupt; the bit is sticky.
static void overflow_sets_its_sticky_bit(void **state)
{
	(void)state;
	busy();
	for (unsigned counter = 0; counter < COUNTERS; counter++) {
		put(OVF_CTRL, 3);
		overflow_at(0, counter, 0, 5);
		run(4);
		assert_int_equal(get(STATUS), 0);
		assert_int_equal(get(CNTR0 + counter), COUNTER_MAX);
		run(1);
		assert_int_equal(get(STATUS), 1 << counter);
		assert_int_equal(get(CNTR0 + counter), 0);
		run(100);
		put(CNTR0 + counter, 0);
		put(SEL0 + counter, 0);
		put(GLOBAL, 0);
		assert_int_equal(get(STATUS), 1 << counter);
		assert_int_equal(get(STATUS), 1 << counter);
	}
	assert_int_equal(outputs()->requests, 0);
}

static void status_is_per_thread(void **state)
{
	(void)state;
	overflow_at(2, 1, 0, 1);
	SIGNALS({INSTRUCTIONS, 0, 1, 2});
	run(1);
	for (unsigned thread = 0; thread < THREADS; thread++)
		assert_int_equal(get_of(thread, STATUS), thread == 2 ? 2 : 0);
	put_of(1, OVF_CTRL, 3);
	assert_int_equal(get_of(2, STATUS), 2);
}

// Table 1-9: "For each bit that is set, the corresponding overflow status is cleared."
static void each_bit_clears_its_own(void **state)
{
	(void)state;
	busy();
	for (uint64_t cleared = 0; cleared < 4; cleared++) {
		overflow_at(0, 0, 0, 1);
		overflow_at(0, 1, 0, 1);
		run(1);
		assert_int_equal(get(STATUS), 3);
		put(OVF_CTRL, cleared);
		assert_int_equal(get(STATUS), 3 & ~cleared);
	}
}

static void all_overflows_of_a_cycle_are_seen(void **state)
{
	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned counter = 0; counter < COUNTERS; counter++)
			overflow_at(thread, counter, INT, 3);
	SIGNALS({INSTRUCTIONS, 0, 1, 0}, {INSTRUCTIONS, 0, 1, 1}, {INSTRUCTIONS, 0, 1, 2},
		{INSTRUCTIONS, 0, 1, 3});
	run(2);
	assert_int_equal(take_requests(), 0);
	run(1);
	assert_int_equal(take_requests(), 0xF);
	for (unsigned thread = 0; thread < THREADS; thread++)
		assert_int_equal(get_of(thread, STATUS), 3);
}

static void events_beyond_the_overflow_are_kept(void **state)
{
	(void)state;
	SIGNALS({INSTRUCTIONS, 0, 4});
	overflow_at(0, 0, 0, 6);
	run(2);
	assert_int_equal(get(CNTR0), 2);
	assert_int_equal(get(STATUS), 1);
}

//
// The line
//

// Table 1-5, INT; 1.4.3.9: the line rises when a counter needs service, and not again while it is
// high.
static void the_line_rises_once(void **state)
{
	(void)state;
	busy();
	overflow_at(0, 0, INT, 3);
	overflow_at(0, 1, INT, 5);
	assert_rises_after(3);
	assert_true(outputs()->headroom >= MODEL_FAR);
	run(10);
	assert_int_equal(take_requests(), 0);
	assert_int_equal(get(STATUS), 3);
	assert_int_equal(outputs()->held, 0);
}

// It falls with the last status bit of a counter with INT, not before, and can then rise again.
static void the_line_falls_with_the_last_status_bit(void **state)
{
	(void)state;
	busy();
	overflow_at(0, 0, INT, 1);
	overflow_at(0, 1, INT, 1);
	run(1);
	assert_int_equal(take_requests(), 1);
	put(OVF_CTRL, 1);
	put(CNTR0, before_overflow(2));
	run(2);
	assert_int_equal(take_requests(), 0);
	put(OVF_CTRL, 3);
	put(CNTR0, before_overflow(2));
	assert_rises_after(2);
}

// A status bit of a counter without INT does not raise it.
static void a_counter_without_int_is_not_on_the_line(void **state)
{
	(void)state;
	busy();
	overflow_at(0, 0, 0, 1);
	overflow_at(0, 1, INT, 4);
	assert_rises_after(4);
	put(OVF_CTRL, 2);
	put(CNTR1, before_overflow(2));
	assert_int_equal(get(STATUS), 1);
	assert_rises_after(2);
}

// DECISIONS.md: the line is the AND of status and INT; a change of either can move it.
static void int_raises_and_lowers_the_line(void **state)
{
	(void)state;
	busy();
	overflow_at(0, 0, 0, 1);
	run(1);
	put(GLOBAL, 0);
	assert_int_equal(take_requests(), 0);
	put(SEL0, INT);
	assert_int_equal(take_requests(), 1);
	put(SEL0, INT | USR);
	assert_int_equal(take_requests(), 0);
	put(SEL0, 0);
	put(SEL0, INT);
	assert_int_equal(take_requests(), 1);
}

// 1.4.3.8: the interrupt goes to the APIC of the counter's thread, also with thread count mode.
static void each_thread_has_its_own_line(void **state)
{
	(void)state;
	SIGNALS({INSTRUCTIONS, 0, 1, 1});
	overflow_at(3, 0, INT | ANY, 2);
	overflow_at(1, 0, INT, 4);
	run(3);
	assert_int_equal(take_requests(), 1 << 3);
	run(1);
	assert_int_equal(take_requests(), 1 << 1);
	put_of(3, OVF_CTRL, 1);
	put_of(3, CNTR0, COUNTER_MAX);
	run(1);
	assert_int_equal(take_requests(), 1 << 3);
}

// A request stays until the backend takes it, because an APIC has seen the edge.
static void a_request_outlasts_the_line(void **state)
{
	(void)state;
	busy();
	overflow_at(0, 0, INT, 1);
	run(1);
	put(OVF_CTRL, 1);
	assert_int_equal(outputs()->requests, 1);
}

// Counters that are stopped, filtered, or that count another event raise nothing.
static void headroom_is_far_while_nothing_can_rise(void **state)
{
	(void)state;
	assert_true(outputs()->headroom >= MODEL_FAR);
	busy();
	overflow_at(0, 0, INT, 3);
	assert_int_equal(outputs()->headroom, 2);
	put(SPFLT, 1);
	assert_true(outputs()->headroom >= MODEL_FAR);
	put(SPFLT, 0);
	put(GLOBAL, 2);
	assert_true(outputs()->headroom >= MODEL_FAR);
	put(GLOBAL, 3);
	no_signals();
	assert_true(outputs()->headroom >= MODEL_FAR);
	run(UINT64_MAX);
	busy();
	assert_rises_after(3);
}

// (7 - 1) / 2 cycles pass before the seventh event; a condition adds one; its edge is the next
// cycle's only.
static void headroom_knows_what_a_counter_adds(void **state)
{
	(void)state;
	SIGNALS({INSTRUCTIONS, 0, 2});
	overflow_at(0, 0, INT, 7);
	assert_rises_after(4);
	put(OVF_CTRL, 3);
	overflow_at(0, 0, INT | CMASK(2), 7);
	assert_rises_after(7);
	put(OVF_CTRL, 3);
	put(GLOBAL, 0);
	run(1);
	overflow_at(0, 0, INT | E, 2);
	assert_true(outputs()->headroom >= MODEL_FAR);
	run(1);
	put(GLOBAL, 0);
	run(1);
	put(GLOBAL, 1);
	assert_rises_after(1);
}

//
// Writes and their own cycles (model.h)
//

static void stopping_write_is_counted_itself(void **state)
{
	(void)state;
	busy();
	set(0, INSTRUCTION, 0);
	put(GLOBAL, 1);
	run(5);
	assert_true(model->write(pmu, 0, GLOBAL, 0, 1));
	run(5);
	assert_int_equal(get(CNTR0), 6);
}

static void starting_write_is_not_counted_itself(void **state)
{
	(void)state;
	busy();
	set(0, INSTRUCTION, 0);
	assert_true(model->write(pmu, 0, GLOBAL, 1, 1));
	assert_int_equal(get(CNTR0), 0);
	run(5);
	assert_int_equal(get(CNTR0), 5);
}

static void counter_write_overrides_what_its_own_cycles_count(void **state)
{
	(void)state;
	busy();
	set(0, INSTRUCTION, 0);
	put(GLOBAL, 1);
	assert_true(model->write(pmu, 0, CNTR0, 100, 1));
	assert_int_equal(get(CNTR0), 100);
}

static void clearing_write_clears_what_overflows_in_its_own_cycles(void **state)
{
	(void)state;
	busy();
	overflow_at(0, 0, INT, 1);
	assert_true(model->write(pmu, 0, OVF_CTRL, 1, 1));
	assert_int_equal(get(STATUS), 0);
	assert_int_equal(take_requests(), 1);	// the line was high for a moment
	put(CNTR0, before_overflow(1));
	run(1);
	assert_int_equal(take_requests(), 1);
}

static void runs_of_any_length_count_modulo_40_bits(void **state)
{
	(void)state;
	SIGNALS({INSTRUCTIONS, 0, 3});
	set(0, INSTRUCTION, 0);
	put(GLOBAL, 1);
	run(UINT64_MAX);
	assert_int_equal(get(CNTR0), (unsigned __int128)3 * UINT64_MAX & COUNTER_MAX);
	assert_int_equal(get(STATUS), 1);
	put(CNTR0, 0);
	put(OVF_CTRL, 1);
	run(0);
	assert_int_equal(get(CNTR0), 0);
	SIGNALS({INSTRUCTIONS, 0, UINT32_MAX}, {INSTRUCTIONS, 0, UINT32_MAX});
	run(1);
	assert_int_equal(get(CNTR0), 2ULL * UINT32_MAX);
	run(200);
	assert_int_equal(get(CNTR0), 201 * 2ULL * UINT32_MAX & COUNTER_MAX);
	assert_int_equal(get(STATUS), 1);	// 201 * 2 * (2^32 - 1) is more than 2^40
}

//
// The instruction clock, branches, CPUID
//

// Each cycle is one instruction, one unhalted clock and one cycle of stage E, and no other event of
// Table 1-6.
static void the_clock_executes_one_instruction_in_each_cycle(void **state)
{
	(void)state;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned level = 0; level < 4; level++)
			for (unsigned code = 0; code < 256; code++)
				for (unsigned umask = 0; umask < 0x30; umask += 0x10) {
					const bool happens = umask == 0 &&
						(code == INSTRUCTIONS || code == CYCLES ||
									    code == STAGE_E);
					size_t count;
					const struct occurrence *clock =
						model_clock(model, thread, level, &count);

					set_of(thread, 0,
					       EVENT(code, umask) | EN | (level ? USR : OS), 0);
					set_of(!thread, 0, EVENT(code, umask) | ON, 0);
					put_of(thread, GLOBAL, 1);
					put_of(!thread, GLOBAL, 1);
					set_inputs(clock, count);
					run(10);
					assert_int_equal(get_of(thread, CNTR0), happens ? 10 : 0);
					assert_int_equal(get_of(!thread, CNTR0), 0);
				}
}

// Table 1-6, BRANCHES: taken and not taken, all kinds.
static void every_branch_is_one_event(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind <= OCCURRENCE_KIND_FAR; kind += OCCURRENCE_KIND_CONDITIONAL)
		for (unsigned taken = 0; taken < 2; taken++) {
			const struct occurrence branch = {
				.n = 1, .thread = 1, .level = 3, .ip = 0x1000, .target = 0x2000,
				.branch = (uint8_t)(OCCURRENCE_BRANCH | kind |
						    (taken ? OCCURRENCE_TAKEN : 0)),
			};
			struct occurrence signals[MODEL_BRANCH_MOST];
			size_t count = vpmu_branch_raises(model, &branch, signals);

			no_signals();
			set_of(1, 0, EVENT(BRANCHES, 0) | EN | USR, 0);
			set_of(1, 1, EVENT(0x2B, 0) | EN | USR, 0);
			put_of(1, GLOBAL, 3);
			set_inputs(signals, count);
			run(1);
			no_signals();
			assert_int_equal(get_of(1, CNTR0), 1);
			assert_int_equal(get_of(1, CNTR1), 0);
		}
}

static void an_event_is_counted_by_its_code_and_whole_unit_mask(void **state)
{
	const struct occurrence o = {INSTRUCTIONS, 0, 1}, vector = {INSTRUCTIONS, 0x20, 1},
		none = {0x55, 0, 1};

	(void)state;
	assert_true(model->machine->counts(&o, INSTRUCTIONS, 0));
	assert_false(model->machine->counts(&o, INSTRUCTIONS, 0x20));
	assert_false(model->machine->counts(&o, CYCLES, 0));
	assert_true(model->machine->counts(&vector, INSTRUCTIONS, 0x20));
	assert_false(model->machine->counts(&vector, INSTRUCTIONS, 0));
	assert_false(model->machine->counts(&none, 0x55, 0));
}

// Intel SDM 2A, CPUID; /proc/cpuinfo of a Knights Corner coprocessor of 60 cores
// (github.com/mesonbuild/meson, 9067): "GenuineIntel", "cpuid level: 4", family 11, model 1,
// stepping 3.
static void cpuid_is_knights_corners(void **state)
{
	uint32_t zero[4] = {0x0D, 0, 0, 0}, one[4] = {0, 0, 0, 0};
	uint32_t vendor[3];

	(void)state;
	model->identification->identify(model, 0, 0, zero);
	assert_int_equal(zero[0], 4);
	memcpy(vendor, (const uint32_t[]){zero[1], zero[3], zero[2]}, sizeof vendor);
	assert_memory_equal(vendor, "GenuineIntel", sizeof vendor);
	model->identification->identify(model, 1, 0, one);
	assert_int_equal(one[0] >> 8 & 0xF, 11);
	assert_int_equal(one[0] >> 4 & 0xF, 1);
	assert_int_equal(one[0] & 0xF, 3);
	assert_int_equal(one[0] >> 12, 0);	// no extended family or model, type 0
}

// The processor's flags: fpu vme de pse tsc msr pae mce cx8 apic mtrr mca pat fxsr ht. Of SDM 2A's
// bits of EDX it lacks SEP 11, PGE 13, CMOV 15, PSE-36 17, CLFSH 19, MMX 23, SSE 25, SSE2 26. EBX
// 23:16 is the number of threads; 31:24, the APIC ID, is the machine's.
static void cpuid_1_has_its_features_and_threads(void **state)
{
	static const unsigned has[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 16, 24, 28};
	uint32_t all[4] = {~0U, ~0U, ~0U, ~0U}, none[4] = {0}, expected = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof has / sizeof *has; i++)
		expected |= 1U << has[i];
	model->identification->identify(model, 1, 0, all);
	assert_int_equal(all[1], 0xFF04FFFF);
	assert_int_equal(all[2], 0);
	assert_int_equal(all[3], expected);
	model->identification->identify(model, 1, 0, none);
	assert_int_equal(none[1], 0x00040000);
	assert_int_equal(none[3], 1U << 28);
}

// SDM 2A, leaf 4: EAX 4:0 is 0 after the last cache; 25:14 threads that share it, 31:26 cores, each
// less 1. Leaves 5 to 3FFFFFFFH do not exist, so neither do 0AH and 0BH. syscall nx lm lahf_lm are
// bits 11, 20, 29 of EDX, 0 of ECX.
static void cpuid_of_other_leaves(void **state)
{
	uint32_t cache[4] = {0xFFFFC121, 1, 2, 3}, end[4] = {0, 1, 2, 3},
		extended[4] = {1, 2, ~0U, ~0U};

	(void)state;
	model->identification->identify(model, 4, 0, cache);
	assert_int_equal(cache[0], 3U << 14 | 0x121);
	assert_int_equal(cache[3], 3);
	model->identification->identify(model, 4, 3, end);
	assert_int_equal(end[0], 0);
	for (uint32_t leaf = 5; leaf < 0x20; leaf++) {
		uint32_t registers[4] = {1, 2, 3, 4};

		model->identification->identify(model, leaf, 0, registers);
		assert_memory_equal(registers, ((uint32_t[4]){0}), sizeof registers);
	}
	model->identification->identify(model, 0x80000001, 0, extended);
	assert_int_equal(extended[2], 1);
	assert_int_equal(extended[3], 1U << 11 | 1U << 20 | 1U << 29);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t registers[4] = {1, 2, 3, 4};
		const uint32_t before[4] = {1, 2, 3, 4};

		model->identification->identify(model, (const uint32_t[]){2, 0x40000000, 0x80000000,
								   UINT32_MAX}[i], 0,
						registers);
		assert_memory_equal(registers, before, sizeof before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(overflow_sets_its_sticky_bit),
		TEST(status_is_per_thread),
		TEST(each_bit_clears_its_own),
		TEST(all_overflows_of_a_cycle_are_seen),
		TEST(events_beyond_the_overflow_are_kept),
		TEST(the_line_rises_once),
		TEST(the_line_falls_with_the_last_status_bit),
		TEST(a_counter_without_int_is_not_on_the_line),
		TEST(int_raises_and_lowers_the_line),
		TEST(each_thread_has_its_own_line),
		TEST(a_request_outlasts_the_line),
		TEST(headroom_is_far_while_nothing_can_rise),
		TEST(headroom_knows_what_a_counter_adds),
		TEST(stopping_write_is_counted_itself),
		TEST(starting_write_is_not_counted_itself),
		TEST(counter_write_overrides_what_its_own_cycles_count),
		TEST(clearing_write_clears_what_overflows_in_its_own_cycles),
		TEST(runs_of_any_length_count_modulo_40_bits),
		TEST(the_clock_executes_one_instruction_in_each_cycle),
		TEST(every_branch_is_one_event),
		TEST(an_event_is_counted_by_its_code_and_whole_unit_mask),
		TEST(cpuid_is_knights_corners),
		TEST(cpuid_1_has_its_features_and_threads),
		TEST(cpuid_of_other_leaves),
	};

	return cmocka_run_group_tests_name("knc model: overflows and backends", tests, find_model,
					   release_model);
}
