// SPDX-License-Identifier: BSD-2-Clause
// libvpmu's public functions (hal/vpmu/library/palmon/vpmu.h): create, registers, scaling.
// Registers and fields: Nehalem: Appendix II of the performance analysis guide and SDM volume 3B,
// "Architectural Performance Monitoring Version 3"; Knights Corner: 327357-001, 1.4.3; SPARC T4
// Supplement 10.2 and 10.3; Itanium reference manual chapter 6.

#include "libvpmu_registers.h"

//
// Creation
//

static void every_target_is_made_in_the_memory_it_asks_for_and_not_in_less(void **state)
{
	unsigned targets = 0;

	(void)state;
	for (; vpmu_target(targets); targets++) {
		const char *target = vpmu_target(targets);
		const size_t size = vpmu_core_size(target);
		uint8_t *memory = aligned_alloc(VPMU_ALIGNMENT, size + VPMU_ALIGNMENT);
		struct vpmu_core *none = NULL;

		memset(memory, 0x5A, size + VPMU_ALIGNMENT);
		assert_int_equal(size % VPMU_ALIGNMENT, 0);
		assert_int_equal(vpmu_core_create(&none, memory, size - 1, target, NULL, 0),
				 VPMU_ERROR_MEMORY);
		for (size_t off = 1; off < VPMU_ALIGNMENT; off *= 2)
			assert_int_equal(vpmu_core_create(&none, memory + off, size, target, NULL,
							  0),
					 VPMU_ERROR_MEMORY);
		assert_int_equal(vpmu_core_create(&none, NULL, size, target, NULL, 0),
				 VPMU_ERROR_MEMORY);
		assert_null(none);
		for (size_t i = 0; i < size + VPMU_ALIGNMENT; i++)
			assert_int_equal(memory[i], 0x5A);
		assert_int_equal(vpmu_core_create(&none, memory, size, target, NULL, 0), VPMU_OK);
		for (size_t i = size; i < size + VPMU_ALIGNMENT; i++)
			assert_int_equal(memory[i], 0x5A);
		free(memory);
	}
	assert_int_equal(targets, 8);
}

static void an_unknown_target_has_no_size_and_is_not_made(void **state)
{
	static uint8_t memory[8192] __attribute__((aligned(VPMU_ALIGNMENT)));
	struct vpmu_core *none = NULL;

	(void)state;
	assert_int_equal(vpmu_core_size("pentium"), 0);
	assert_int_equal(vpmu_core_create(&none, memory, sizeof memory, "pentium", NULL, 0),
			 VPMU_ERROR_TARGET);
	assert_int_equal(vpmu_core_create(&none, memory, sizeof memory, "", NULL, 0),
			 VPMU_ERROR_TARGET);
	assert_null(none);
}

static void a_core_has_the_threads_of_its_manual(void **state)
{
	static const struct {
		const char *target;
		unsigned threads;
	} of[] = {{"nehalem", 2}, {"knc", 4}, {"itanium", 1}, {"sparct4", 8}};

	(void)state;
	for (unsigned i = 0; i < LENGTH(of); i++) {
		assert_int_equal(vpmu_core_threads(make(of[i].target, NULL)), of[i].threads);
		end(NULL);
	}
}

static void features_of_more_or_fewer_counters_than_there_can_be_are_refused(void **state)
{
	static const struct vpmu_event event = {0};
	static const struct {
		const char *target;
		struct vpmu_features features;
		bool taken;
	} cases[] = {
		{"nehalem", {.general = 4, .fixed = 3}, true},
		{"nehalem", {.general = 0, .fixed = 0}, true},
		{"nehalem", {.general = 5, .fixed = 3}, false},
		{"nehalem", {.general = 4, .fixed = 4}, false},
		{"nehalem", {.general = 4, .events = &event}, true},
		{"nehalem", {.general = 4, .event_count = 1}, false},
		{"knc", {.general = 2}, true},
		{"knc", {.general = 2, .fixed = 1}, false},
		{"itanium", {.general = 4}, true},
		{"itanium", {.general = 3}, false},
		{"sparct4", {.general = 1}, true},
		{"sparct4-dram", {.general = 3}, false},
		{"nehalem-uncore", {.general = 8, .fixed = 1}, true},
		{"nehalem-uncore", {.general = 8, .fixed = 2}, false},
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		const size_t size = vpmu_core_size(cases[i].target);
		void *memory = aligned_alloc(VPMU_ALIGNMENT, size);
		struct vpmu_core *made;

		assert_int_equal(vpmu_core_create(&made, memory, size, cases[i].target,
						  &cases[i].features, 0),
				 cases[i].taken ? VPMU_OK : VPMU_ERROR_FEATURES);
		free(memory);
	}
}

// At reset IA32_PERF_GLOBAL_CTRL enables the general counters, and event selects are 0. INIT
// changes no MSR (SDM volume 3A, Table "Processor States Following Power-up, Reset, or INIT").
static void resets_put_registers_back_and_init_does_not(void **state)
{
	(void)state;
	make("nehalem", NULL);
	put(1, PERFEVTSEL0, INSTRUCTIONS);
	put(1, GLOBAL_CTRL, 0);
	vpmu_core_set_level(core, 1, 3);
	vpmu_core_set_halted(core, 1, true);
	assert_int_equal(vpmu_core_reset(core, VPMU_RESET_INIT, 1, 0), VPMU_OK);
	assert_int_equal(get(1, PERFEVTSEL0), INSTRUCTIONS);
	assert_int_equal(get(1, GLOBAL_CTRL), 0);
	go(1, 1);			// INIT ended the halt, and level 3
	assert_int_equal(vpmu_core_reset(core, VPMU_RESET_INIT, 2, 0), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_reset(core, (enum vpmu_reset)3, 0, 0), VPMU_ERROR_ARGUMENT);
	for (enum vpmu_reset kind = VPMU_RESET_COLD; kind <= VPMU_RESET_WARM; kind++) {
		put(1, PERFEVTSEL0, INSTRUCTIONS);
		put(1, GLOBAL_CTRL, 0);
		assert_int_equal(vpmu_core_reset(core, kind, 0, 0), VPMU_OK);
		assert_int_equal(get(1, PERFEVTSEL0), 0);
		assert_int_equal(get(1, GLOBAL_CTRL), 0xF);
	}
	end(NULL);
	make("sparct4", NULL);
	assert_int_equal(vpmu_core_reset(core, VPMU_RESET_INIT, 0, 0), VPMU_ERROR_ARGUMENT);
}

//
// Registers
//

static void accesses_are_done_fault_are_ignored_or_are_not_its_own(void **state)
{
	uint64_t value;

	(void)state;
	make("nehalem", NULL);
	assert_int_equal(vpmu_core_write(core, 0, PERFEVTSEL0, INSTRUCTIONS, 0), VPMU_DONE);
	// reserved
	assert_int_equal(vpmu_core_write(core, 0, PERFEVTSEL0, 1ULL << 19, 0), VPMU_FAULT);
	// read-only
	assert_int_equal(vpmu_core_write(core, 0, CAPABILITIES, 0, 0), VPMU_FAULT);
	assert_int_equal(get(0, PERFEVTSEL0), INSTRUCTIONS);
	assert_int_equal(vpmu_core_read(core, 0, 0x10, &value), VPMU_NOT_MINE);
	assert_int_equal(value, 0);
	assert_int_equal(vpmu_core_write(core, 0, 0x10, 0, 0), VPMU_NOT_MINE);
	// no such thread
	assert_int_equal(vpmu_core_read(core, 2, PERFEVTSEL0, &value), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_write(core, 2, PERFEVTSEL0, 0, 0), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_read(core, ~0u, PERFEVTSEL0, &value), VPMU_NOT_MINE);
	end(NULL);
	// Writes have no effect: PMC1-3 (Table 6-7), unimplemented PMCs (ASDM volume 2, 7.2.1).
	make("itanium", NULL);
	assert_int_equal(vpmu_core_write(core, 0, 1, ~0ULL, 0), VPMU_IGNORED);
	assert_int_equal(vpmu_core_write(core, 0, 0x40, ~0ULL, 0), VPMU_IGNORED);
	assert_int_equal(get(0, 0x40), 0);
}

// SDM volume 2, WRMSR (0F 30), RDMSR (0F 32), RDPMC (0F 33). A reset enables all general counters
// globally (SDM volume 3B), so that the counter counts the instructions after the write of its
// event select.
static void instructions_are_executed_and_have_been_counted(void **state)
{
	uint64_t rax = 0x5300C0, rdx = 0;

	(void)state;
	make("nehalem", NULL);
	assert_int_equal(vpmu_core_execute(core, 0, VPMU_WRMSR, &rax, 0x186, &rdx), VPMU_DONE);
	rax = 1;
	assert_int_equal(vpmu_core_execute(core, 0, VPMU_WRMSR, &rax, 0xFFFFFFFF0000038F, &rdx),
			 VPMU_DONE);
	rax = rdx = ~0ULL;
	assert_int_equal(vpmu_core_execute(core, 0, VPMU_RDMSR, &rax, 0x186, &rdx), VPMU_DONE);
	assert_int_equal(rax, 0x5300C0);
	assert_int_equal(rdx, 0);
	assert_int_equal(vpmu_core_execute(core, 0, VPMU_RDPMC, &rax, 0, &rdx), VPMU_DONE);
	assert_int_equal(rax, 2);
	assert_int_equal(vpmu_core_execute(core, 0, VPMU_RDPMC, &rax, 99, &rdx), VPMU_FAULT);
	assert_int_equal(vpmu_core_execute(core, 0, VPMU_RDMSR, &rax, 0x10, &rdx), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_execute(core, 0, 0xA2, &rax, 0xC1, &rdx), VPMU_NOT_MINE);
	assert_int_equal(rax, 2);
	assert_int_equal(vpmu_core_execute(core, 9, VPMU_WRMSR, &rax, 0xC1, &rdx), VPMU_NOT_MINE);
	assert_int_equal(get(0, 0xC1), 3);
}

static void registers_fault_below_the_highest_level_and_rdpmc_does_not(void **state)
{
	uint64_t value;

	(void)state;
	make("nehalem", NULL);
	put(0, PMC0 + 3, 5);
	assert_int_equal(vpmu_core_set_level(core, 0, 3), VPMU_OK);
	assert_int_equal(vpmu_core_read(core, 0, PMC0 + 3, &value), VPMU_FAULT);
	assert_int_equal(vpmu_core_write(core, 0, PMC0 + 3, 6, 0), VPMU_FAULT);
	assert_int_equal(vpmu_core_read(core, 0, 0x10, &value), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_read_counter(core, 0, 3, &value), VPMU_DONE);
	assert_int_equal(value, 5);
	assert_int_equal(vpmu_core_read_counter(core, 0, 4, &value), VPMU_FAULT);
	assert_int_equal(vpmu_core_read_counter(core, 0, 0x40000002, &value), VPMU_DONE);
	assert_int_equal(vpmu_core_read_counter(core, 0, 0x40000003, &value), VPMU_FAULT);
	assert_int_equal(vpmu_core_write_counter(core, 0, 0, 0, 0), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_set_level(core, 0, 4), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_set_level(core, 2, 0), VPMU_ERROR_ARGUMENT);
	vpmu_core_set_level(core, 0, 0);
	assert_int_equal(get(0, PMC0 + 3), 5);
}

// Table 10-1: picnpt denies user mode the PIC. Only hyperprivileged software may access PCRs.
static void a_pic_is_reached_at_any_level_by_one_access_if_its_pcr_lets_it(void **state)
{
	uint64_t value;

	(void)state;
	make("sparct4", NULL);
	put(0, PIC0, 7);
	vpmu_core_set_level(core, 0, 3);
	assert_int_equal(vpmu_core_read(core, 0, PIC0, &value), VPMU_DONE);
	assert_int_equal(value, 7);
	assert_int_equal(vpmu_core_write(core, 0, PIC0, 8, 1), VPMU_DONE);
	assert_int_equal(vpmu_core_write_counter(core, 0, 0, 9, 1), VPMU_DONE);
	assert_int_equal(vpmu_core_write_counter(core, 0, 4, 9, 1), VPMU_FAULT);
	assert_int_equal(vpmu_core_read(core, 0, PCR0, &value), VPMU_FAULT);
	assert_int_equal(vpmu_core_write(core, 0, PCR0, 0, 1), VPMU_FAULT);
	vpmu_core_set_level(core, 0, 0);
	put(0, PCR0, T4_NPT);
	vpmu_core_set_level(core, 0, 3);
	assert_int_equal(vpmu_core_read(core, 0, PIC0, &value), VPMU_FAULT);
	assert_int_equal(value, 0);
	assert_int_equal(vpmu_core_write(core, 0, PIC0, 1, 1), VPMU_FAULT);
	vpmu_core_set_level(core, 0, 1);
	assert_int_equal(get(0, PIC0), 9);
}

// 1.4.3: SPFLT. On other processors its opcode is undefined.
static void spflt_lets_counters_count_that_are_left_to_it(void **state)
{
	(void)state;
	make("knc", NULL);
	put(3, KNC_SELECT0, KNC_INSTRUCTIONS | USR | OS | EN);
	put(3, KNC_SPFLT, 1);
	put(3, KNC_CTRL, 3);
	go(3, 10);
	assert_int_equal(get(3, KNC_COUNT0), 0);
	assert_int_equal(vpmu_core_spflt(core, 3, true, 1), VPMU_DONE);
	go(3, 10);
	assert_int_equal(get(3, KNC_COUNT0), 10);
	assert_int_equal(vpmu_core_spflt(core, 4, true, 1), VPMU_NOT_MINE);
	end(NULL);
	make("nehalem", NULL);
	assert_int_equal(vpmu_core_spflt(core, 0, true, 1), VPMU_NOT_MINE);
}

//
// Time
//

static void scaling_is_exact_in_128_bits(void **state)
{
	static const struct {
		uint64_t count, enabled, running, scaled;
		bool fits;
	} cases[] = {
		{1000, 300, 100, 3000, true},
		{1, 10, 3, 3, true},				// 3 1/3
		{2, 10, 3, 6, true},				// 6 2/3
		{0, 10, 3, 0, true},
		{5, 0, 7, 0, true},
		{5, 7, 0, 0, false},				// it never ran
		{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, true},
		{UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1, true},
		{UINT64_MAX, 2, 1, UINT64_MAX, false},
		{1ULL << 63, 2, 1, UINT64_MAX, false},		// 2^64
		{1ULL << 63, 2, 2, 1ULL << 63, true},
		{(1ULL << 32) + 1, (1ULL << 32) - 1, 1, UINT64_MAX, true},	// 2^64 - 1
		{0xFEDCBA9876543210, 1000000007, 1000000009, 0xFEDCBA8FE9143F39, true},
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		uint64_t scaled = 1;

		assert_int_equal(vpmu_scale(cases[i].count, cases[i].enabled, cases[i].running,
					    &scaled),
				 cases[i].fits);
		assert_true(scaled == cases[i].scaled);
	}
}

static void times_are_those_it_was_to_run_and_ran(void **state)
{
	const struct vpmu_occurrence instruction = {.code = INSTRUCTIONS, .n = 1, .thread = 1};
	uint64_t enabled, running;

	(void)state;
	make("nehalem", NULL);
	go(1, 100);
	assert_int_equal(vpmu_core_deschedule(core, 1, 300), VPMU_OK);
	vpmu_core_deliver(core, &instruction, 1, 50);
	assert_int_equal(vpmu_core_write(core, 1, GLOBAL_CTRL, 0, 1), VPMU_DONE);
	assert_int_equal(vpmu_core_times(core, 1, &enabled, &running), VPMU_OK);
	assert_int_equal(enabled, 451);
	assert_int_equal(running, 151);
	assert_int_equal(vpmu_core_times(core, 0, &enabled, &running), VPMU_OK);
	assert_int_equal(enabled, 0);
	assert_int_equal(running, 0);
	assert_int_equal(vpmu_core_deschedule(core, 2, 1), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_times(core, 2, &enabled, &running), VPMU_ERROR_ARGUMENT);
}

static void every_error_has_its_words(void **state)
{
	(void)state;
	for (int error = VPMU_OK; error <= VPMU_ERROR_OTHER; error++)
		assert_string_not_equal(vpmu_error_text((enum vpmu_error)error), "unknown error");
	assert_string_equal(vpmu_error_text((enum vpmu_error)99), "unknown error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_target_is_made_in_the_memory_it_asks_for_and_not_in_less),
		TEST(an_unknown_target_has_no_size_and_is_not_made),
		TEST(a_core_has_the_threads_of_its_manual),
		TEST(features_of_more_or_fewer_counters_than_there_can_be_are_refused),
		TEST(resets_put_registers_back_and_init_does_not),
		TEST(accesses_are_done_fault_are_ignored_or_are_not_its_own),
		TEST(instructions_are_executed_and_have_been_counted),
		TEST(registers_fault_below_the_highest_level_and_rdpmc_does_not),
		TEST(a_pic_is_reached_at_any_level_by_one_access_if_its_pcr_lets_it),
		TEST(spflt_lets_counters_count_that_are_left_to_it),
		TEST(scaling_is_exact_in_128_bits),
		TEST(times_are_those_it_was_to_run_and_ran),
		TEST(every_error_has_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
