// SPDX-License-Identifier: BSD-2-Clause
// libvpmu as a hypervisor calls it: hal/vpmu/library/palmon/vpmu.h. Registers and their fields: for Nehalem Appendix
// II of the performance analysis guide and SDM volume 3B, "Architectural Performance Monitoring Version 3"; Knights
// Corner: 327357-001, 1.4.3; SPARC T4 Supplement 10.2 and 10.3; Itanium reference manual chapter 6.

#include "libvpmu.h"

// Nehalem
enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, DEBUGCTL = 0x1D9, FIXED_CTR0 = 0x309, FIXED_CTR_CTRL = 0x38D,
	GLOBAL_STATUS = 0x38E, GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390, PEBS_ENABLE = 0x3F1, CAPABILITIES = 0x345,
	DS_AREA = 0x600,
};

#define USR		(1ULL << 16)
#define OS		(1ULL << 17)
#define INT		(1ULL << 20)
#define ANY		(1ULL << 21)
#define EN		(1ULL << 22)
#define INSTRUCTIONS	0xC0ULL
#define CYCLES		0x3CULL
#define BRANCHES	0xC4ULL
#define WIDTH_48	(1ULL << 48)

// Knights Corner
enum { KNC_COUNT0 = 0x20, KNC_SELECT0 = 0x28, KNC_SPFLT = 0x2C, KNC_CTRL = 0x2F };
#define KNC_INSTRUCTIONS 0x16ULL

// SPARC T4
enum { PCR0 = 0x6400, PIC0 = 0xB000 };
#define T4_SL(sl)	((uint64_t)(sl) << 11)
#define T4_OV		1ULL
#define T4_TOE		2ULL
#define T4_UT		4ULL
#define T4_ST		8ULL
#define T4_HT		16ULL
#define T4_ALL_KINDS	(0x3FULL << 5)
#define T4_NPT		(1ULL << 16)

static void go(unsigned thread, uint64_t instructions)
{
	assert_int_equal(vpmu_core_advance(core, thread, instructions, instructions), VPMU_OK);
}

//
// Making one
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
		assert_int_equal(vpmu_core_create(&none, memory, size - 1, target, NULL, 0), VPMU_ERROR_MEMORY);
		for (size_t off = 1; off < VPMU_ALIGNMENT; off *= 2)
			assert_int_equal(vpmu_core_create(&none, memory + off, size, target, NULL, 0),
					 VPMU_ERROR_MEMORY);
		assert_int_equal(vpmu_core_create(&none, NULL, size, target, NULL, 0), VPMU_ERROR_MEMORY);
		assert_null(none);
		for (size_t i = 0; i < size + VPMU_ALIGNMENT; i++)
			assert_int_equal(memory[i], 0x5A);
		assert_int_equal(vpmu_core_create(&none, memory, size, target, NULL, 0), VPMU_OK);
		for (size_t i = size; i < size + VPMU_ALIGNMENT; i++)
			assert_int_equal(memory[i], 0x5A);
		free(memory);
	}
	assert_int_equal(targets, 6);
}

static void an_unknown_target_has_no_size_and_is_not_made(void **state)
{
	static uint8_t memory[8192] __attribute__((aligned(VPMU_ALIGNMENT)));
	struct vpmu_core *none = NULL;

	(void)state;
	assert_int_equal(vpmu_core_size("pentium"), 0);
	assert_int_equal(vpmu_core_create(&none, memory, sizeof memory, "pentium", NULL, 0), VPMU_ERROR_TARGET);
	assert_int_equal(vpmu_core_create(&none, memory, sizeof memory, "", NULL, 0), VPMU_ERROR_TARGET);
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

static void offers_of_more_or_fewer_counters_than_there_can_be_are_refused(void **state)
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

		assert_int_equal(vpmu_core_create(&made, memory, size, cases[i].target, &cases[i].features, 0),
				 cases[i].taken ? VPMU_OK : VPMU_ERROR_FEATURES);
		free(memory);
	}
}

// IA32_PERF_GLOBAL_CTRL resets with the general counters enabled, selects with 0. INIT changes no MSR (SDM volume 3A,
// Table "Processor States Following Power-up, Reset, or INIT").
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
	go(1, 1);			// neither halted nor at level 3
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
	assert_int_equal(vpmu_core_write(core, 0, PERFEVTSEL0, 1ULL << 19, 0), VPMU_FAULT);	// reserved
	assert_int_equal(vpmu_core_write(core, 0, CAPABILITIES, 0, 0), VPMU_FAULT);		// read-only
	assert_int_equal(get(0, PERFEVTSEL0), INSTRUCTIONS);
	assert_int_equal(vpmu_core_read(core, 0, 0x10, &value), VPMU_NOT_MINE);
	assert_int_equal(value, 0);
	assert_int_equal(vpmu_core_write(core, 0, 0x10, 0, 0), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_read(core, 2, PERFEVTSEL0, &value), VPMU_NOT_MINE);		// no such thread
	assert_int_equal(vpmu_core_write(core, 2, PERFEVTSEL0, 0, 0), VPMU_NOT_MINE);
	assert_int_equal(vpmu_core_read(core, ~0u, PERFEVTSEL0, &value), VPMU_NOT_MINE);
	end(NULL);
	// Table 6-7: PMC1-3 hold nothing; ASDM volume 2, 7.2.1: so do PMCs that are not there.
	make("itanium", NULL);
	assert_int_equal(vpmu_core_write(core, 0, 1, ~0ULL, 0), VPMU_IGNORED);
	assert_int_equal(vpmu_core_write(core, 0, 0x40, ~0ULL, 0), VPMU_IGNORED);
	assert_int_equal(get(0, 0x40), 0);
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

// Table 10-1: picnpt keeps user mode from the PIC; PCRs are the hyperprivileged software's.
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

// What a write stops has counted the write, what it starts has not.
static void a_write_counts_itself_for_what_it_stops(void **state)
{
	(void)state;
	make("nehalem", NULL);
	assert_int_equal(vpmu_core_write(core, 0, PERFEVTSEL0, INSTRUCTIONS | OS | EN, 1), VPMU_DONE);
	assert_int_equal(get(0, PMC0), 0);
	go(0, 10);
	assert_int_equal(vpmu_core_write(core, 0, GLOBAL_CTRL, 0, 1), VPMU_DONE);
	assert_int_equal(get(0, PMC0), 11);
	go(0, 10);
	assert_int_equal(get(0, PMC0), 11);
}

// 1.4.3: SPFLT; elsewhere the opcode is undefined.
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
// What happens
//

static void instructions_and_cycles_are_counted_apart(void **state)
{
	(void)state;
	make("nehalem", NULL);
	put(0, PERFEVTSEL0, INSTRUCTIONS | USR | OS | EN);
	put(0, PERFEVTSEL0 + 1, CYCLES | USR | OS | EN);
	assert_int_equal(vpmu_core_advance(core, 0, 7, 20), VPMU_OK);		// 7 of 20 cycles
	assert_int_equal(get(0, PMC0), 7);
	assert_int_equal(get(0, PMC0 + 1), 20);
	assert_int_equal(vpmu_core_advance(core, 0, 50, 20), VPMU_OK);		// 3 in 10, 2 in 10
	assert_int_equal(get(0, PMC0), 57);
	assert_int_equal(get(0, PMC0 + 1), 40);
	assert_int_equal(vpmu_core_advance(core, 0, 0, 5), VPMU_OK);
	assert_int_equal(get(0, PMC0), 57);
	assert_int_equal(get(0, PMC0 + 1), 45);
	assert_int_equal(vpmu_core_advance(core, 0, 1, 0), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_advance(core, 0, UINT64_MAX, 1), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_advance(core, 2, 1, 1), VPMU_ERROR_ARGUMENT);
	assert_int_equal(get(0, PMC0), 57);
	assert_int_equal(get(0, PMC0 + 1), 45);
}

// SDM volume 3B: AnyThread with 3CH counts "cycles while at least one logical processor is not in a halt state". What
// is told one after the other passes one after the other; what is told together passes at once.
static void a_clock_of_any_thread_counts_the_cycles_of_the_core(void **state)
{
	const struct vpmu_occurrence together[] = {
		{.code = 0x3C, .n = 1, .thread = 0}, {.code = 0x3C, .n = 1, .thread = 1},
		{.code = 0xC0, .n = 1, .thread = 0}, {.code = 0xC0, .n = 1, .thread = 1},
	};

	(void)state;
	make("nehalem", NULL);
	put(0, PERFEVTSEL0, CYCLES | USR | OS | EN | ANY);
	put(0, PERFEVTSEL0 + 1, INSTRUCTIONS | USR | OS | EN | ANY);
	assert_int_equal(vpmu_core_advance(core, 0, 10, 10), VPMU_OK);
	assert_int_equal(vpmu_core_advance(core, 1, 10, 10), VPMU_OK);
	assert_int_equal(get(0, PMC0), 20);
	assert_int_equal(vpmu_core_feed(core, together, LENGTH(together), 10), VPMU_OK);
	assert_int_equal(get(0, PMC0), 30);
	assert_int_equal(get(0, PMC0 + 1), 40);
	assert_int_equal(vpmu_core_set_halted(core, 0, true), VPMU_OK);
	assert_int_equal(vpmu_core_advance(core, 1, 10, 10), VPMU_OK);
	assert_int_equal(get(0, PMC0), 40);
	assert_int_equal(vpmu_core_set_halted(core, 1, true), VPMU_OK);
	assert_int_equal(vpmu_core_advance(core, 1, 0, 10), VPMU_OK);
	assert_int_equal(get(0, PMC0), 40);
}

static void each_thread_counts_its_own_level_and_sleep(void **state)
{
	(void)state;
	make("knc", NULL);
	for (unsigned thread = 0; thread < 4; thread++) {
		put(thread, KNC_SELECT0, KNC_INSTRUCTIONS | USR | EN);
		put(thread, KNC_CTRL, 1);
	}
	vpmu_core_set_level(core, 1, 3);
	vpmu_core_set_level(core, 2, 3);
	for (unsigned thread = 0; thread < 4; thread++)
		go(thread, 10 + thread);
	assert_int_equal(vpmu_core_set_halted(core, 2, true), VPMU_OK);
	assert_int_equal(vpmu_core_advance(core, 2, 1, 1), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_advance(core, 2, 0, 100), VPMU_OK);
	vpmu_core_set_halted(core, 2, false);
	go(2, 5);
	vpmu_core_set_level(core, 1, 0);
	vpmu_core_set_level(core, 2, 0);
	assert_int_equal(get(0, KNC_COUNT0), 0);
	assert_int_equal(get(1, KNC_COUNT0), 11);
	assert_int_equal(get(2, KNC_COUNT0), 17);
	assert_int_equal(get(3, KNC_COUNT0), 0);
}

// USR enables the counter at levels 1 to 3; INV: it counts the cycles with no event, whoever's they are.
static void a_level_is_known_at_once_whoever_executes(void **state)
{
	(void)state;
	make("nehalem", NULL);
	put(1, PERFEVTSEL0, USR | EN | 1ULL << 23 | 1ULL << 24);
	go(0, 10);
	for (unsigned halted = 0; halted < 2; halted++) {
		vpmu_core_set_halted(core, 1, halted);
		go(0, 10);
		assert_int_equal(vpmu_core_set_level(core, 1, 3), VPMU_OK);
		go(0, 10);
		assert_int_equal(vpmu_core_set_level(core, 1, 0), VPMU_OK);
		go(0, 10);
		assert_int_equal(get(1, PMC0), 10 * (halted + 1));
	}
}

static void occurrences_are_counted_by_all_threads_they_name(void **state)
{
	const struct vpmu_occurrence list[] = {
		{.code = INSTRUCTIONS, .n = 3, .thread = 0, .level = 0},
		{.code = INSTRUCTIONS, .n = 2, .thread = 1, .level = 3},
	};
	struct vpmu_occurrence wrong;

	(void)state;
	make("nehalem", NULL);
	put(0, PERFEVTSEL0, INSTRUCTIONS | OS | EN);
	put(1, PERFEVTSEL0, INSTRUCTIONS | USR | EN);
	assert_int_equal(vpmu_core_feed(core, list, 2, 10), VPMU_OK);
	wrong = list[0];
	wrong.thread = 2;
	assert_int_equal(vpmu_core_feed(core, &wrong, 1, 10), VPMU_ERROR_ARGUMENT);
	wrong = list[0];
	wrong.level = 4;
	assert_int_equal(vpmu_core_feed(core, &wrong, 1, 10), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_feed(core, list, VPMU_OCCURRENCES_MOST + 1, 10), VPMU_ERROR_ARGUMENT);
	vpmu_core_set_level(core, 1, 0);
	assert_int_equal(get(0, PMC0), 30);
	assert_int_equal(get(1, PMC0), 20);
}

static void branches_are_wanted_and_counted(void **state)
{
	const struct vpmu_occurrence branch = {
		.branch = VPMU_BRANCH | VPMU_BRANCH_TAKEN | VPMU_KIND_CONDITIONAL, .ip = 0x1000, .target = 0x2000,
	};

	(void)state;
	make("nehalem", NULL);
	assert_int_equal(vpmu_core_wants(core), 0);
	put(0, PERFEVTSEL0, BRANCHES | OS | EN);
	put(0, PERFEVTSEL0 + 1, INSTRUCTIONS | OS | USR | EN);
	assert_int_equal(vpmu_core_wants(core), VPMU_WANTS_BRANCHES | VPMU_WANTS_LEVELS);
	assert_int_equal(vpmu_core_branch(core, 0, &branch), VPMU_OK);
	go(0, 9);
	assert_int_equal(vpmu_core_branch(core, 0, &branch), VPMU_OK);
	assert_int_equal(get(0, PMC0), 2);
	assert_int_equal(get(0, PMC0 + 1), 11);
	assert_int_equal(vpmu_core_branch(core, 2, &branch), VPMU_ERROR_ARGUMENT);
}

//
// Lines
//

static void headroom_is_the_cycle_of_the_overflow(void **state)
{
	(void)state;
	make("nehalem", NULL);
	put(0, PERFEVTSEL0, INSTRUCTIONS | USR | OS | EN | INT);
	assert_int_equal(vpmu_core_headroom(core, 1), VPMU_FAR);
	put(0, PMC0, (uint32_t)-1000);
	assert_int_equal(vpmu_core_headroom(core, 0), 1000);
	go(0, 999);
	assert_int_equal(vpmu_core_headroom(core, 0), 1);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	go(0, 1);
	assert_int_equal(vpmu_core_take_lines(core, 1), 0);
	assert_int_equal(vpmu_core_take_lines(core, 0), VPMU_LINE_ROSE);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	assert_int_equal(get(0, GLOBAL_STATUS), 1);
	assert_int_equal(vpmu_core_take_lines(core, 2), 0);
	assert_int_equal(vpmu_core_take_lines(core, ~0u), 0);
	assert_int_equal(vpmu_core_headroom(core, 2), VPMU_FAR);
}

// Section 10.3: a disrupting trap's condition is a level, and ends with ov; cycles (sl 26) overflow like that.
static void a_level_rises_is_held_and_falls(void **state)
{
	(void)state;
	make("sparct4", NULL);
	vpmu_core_set_level(core, 0, 0);
	put(0, PCR0, T4_SL(26) | T4_UT | T4_TOE);
	put(0, PIC0, (uint32_t)-10);
	vpmu_core_set_level(core, 0, 3);
	assert_int_equal(vpmu_core_headroom(core, 0), 10);
	go(0, 10);
	assert_int_equal(vpmu_core_take_lines(core, 0), VPMU_LINE_ROSE | VPMU_LINE_HELD);
	assert_int_equal(vpmu_core_take_lines(core, 0), VPMU_LINE_HELD);
	vpmu_core_set_level(core, 0, 0);
	put(0, PCR0, T4_SL(26) | T4_UT | T4_TOE);
	assert_int_equal(vpmu_core_take_lines(core, 0), VPMU_LINE_FELL);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
}

// The same section: instructions (sl 3) trap precisely.
static void a_precise_trap_is_told(void **state)
{
	(void)state;
	make("sparct4", NULL);
	put(0, PCR0, T4_SL(3) | T4_ALL_KINDS | T4_UT | T4_TOE);
	put(0, PIC0, (uint32_t)-10);
	vpmu_core_set_level(core, 0, 3);
	go(0, 9);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	go(0, 1);
	assert_int_equal(vpmu_core_take_lines(core, 0), VPMU_LINE_PRECISE);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
}

// Table 10-2, "Virtual processor-specific", and footnote 13: fetch-0-all (sl 8, mask 02) is of all strands, and counted
// by each in its own mode; fetch-0 (mask 01) is its own.
static void strands_see_what_others_do_where_the_event_is_of_all(void **state)
{
	const struct vpmu_occurrence now[] = {
		{.code = 26, .n = 1, .thread = 0, .level = 3}, {.code = 26, .n = 1, .thread = 1},
		{.code = 8, .sub = 3, .n = 1, .thread = 6, .level = 3},
	};

	(void)state;
	make("sparct4", NULL);
	for (unsigned strand = 0; strand < 8; strand++) {
		put(strand, PCR0, T4_SL(8) | 2ULL << 5 | T4_UT | T4_ST);
		put(strand, PCR0 + 1, T4_SL(8) | 1ULL << 5 | T4_UT | T4_ST);
	}
	assert_int_equal(vpmu_core_feed(core, now, LENGTH(now), 10), VPMU_OK);
	assert_int_equal(get(0, PIC0), 10);
	assert_int_equal(get(1, PIC0), 0);		// hyperprivileged
	assert_int_equal(get(6, PIC0), 10);
	assert_int_equal(get(0, PIC0 + 1), 0);
	assert_int_equal(get(6, PIC0 + 1), 10);
}

static void each_strand_executes_for_itself(void **state)
{
	(void)state;
	make("sparct4", NULL);
	for (unsigned strand = 0; strand < 8; strand++)
		put(strand, PCR0, T4_SL(3) | T4_ALL_KINDS | T4_HT);
	for (unsigned strand = 0; strand < 8; strand++)
		go(strand, 10 + strand);
	for (unsigned strand = 0; strand < 8; strand++)
		assert_int_equal(get(strand, PIC0), 10 + strand);
	assert_int_equal(vpmu_core_write(core, 8, PCR0, 0, 0), VPMU_NOT_MINE);
}

// The last programming note of section 10.2. WRHPR %hpstate, then WRPR %pstate, on the way from hyperprivileged to user
// mode; both are next-to-commit instructions (Table 10-1, footnote 1).
static void an_instruction_that_changes_the_level_is_the_old_ones_and_its_cycle_the_new_ones(void **state)
{
	static const uint64_t modes[] = {T4_HT, T4_ST, T4_UT};

	(void)state;
	for (unsigned mode = 0; mode < 3; mode++) {
		make("sparct4", NULL);
		put(0, PIC0, UINT32_MAX);
		put(0, PCR0, T4_SL(3) | T4_ALL_KINDS | modes[mode]);
		put(0, PCR0 + 1, T4_SL(26) | modes[mode]);
		assert_int_equal(vpmu_core_change_level(core, 0, 1), VPMU_OK);
		assert_int_equal(vpmu_core_change_level(core, 0, 3), VPMU_OK);
		vpmu_core_set_level(core, 0, 0);
		// Instructions: one hyperprivileged, one privileged. Cycles: one privileged, one of user mode.
		assert_int_equal(get(0, PIC0), mode == 2 ? UINT32_MAX : 0);
		assert_int_equal(get(0, PCR0) >> 18 & 1, mode != 2);		// ntc
		assert_int_equal(get(0, PIC0 + 1), mode == 0 ? 0 : 1);
		end(NULL);
	}
	make("sparct4", NULL);
	assert_int_equal(vpmu_core_change_level(core, 0, 4), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_change_level(core, 8, 0), VPMU_ERROR_ARGUMENT);
	vpmu_core_set_halted(core, 0, true);
	assert_int_equal(vpmu_core_change_level(core, 0, 3), VPMU_ERROR_ARGUMENT);
	end(NULL);
	// Elsewhere all of it is at the level it was.
	make("nehalem", NULL);
	put(0, PERFEVTSEL0, INSTRUCTIONS | OS | EN);
	put(0, PERFEVTSEL0 + 1, CYCLES | OS | EN);
	assert_int_equal(vpmu_core_change_level(core, 0, 3), VPMU_OK);
	go(0, 10);
	vpmu_core_set_level(core, 0, 0);
	assert_int_equal(get(0, PMC0), 1);
	assert_int_equal(get(0, PMC0 + 1), 1);
}

// UNCORE_PERF_GLOBAL_CTRL: EN_PMI_CORE in 51:48; the fixed counter's enable and PMI are bits 0 and 2 of 395H.
static void the_packages_pmu_signals_cores_and_a_core_takes_the_signal(void **state)
{
	(void)state;
	make("nehalem-uncore", NULL);
	put(0, 0x394, WIDTH_48 - 20);
	put(0, 0x395, 5);
	put(0, 0x391, 1ULL << 32 | 0xAULL << 48);
	assert_int_equal(vpmu_core_headroom(core, 0), 20);
	go(0, 20);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	assert_int_equal(vpmu_core_take_lines(core, 1), VPMU_LINE_ROSE);
	assert_int_equal(vpmu_core_take_lines(core, 2), 0);
	assert_int_equal(vpmu_core_take_lines(core, 3), VPMU_LINE_ROSE);
	assert_int_equal(vpmu_core_take_lines(core, 3), 0);
	end(NULL);
	make("nehalem", NULL);
	put(1, DEBUGCTL, 1 << 13);
	vpmu_core_signal(core, 1);
	vpmu_core_signal(core, 0);
	vpmu_core_signal(core, 2);
	assert_int_equal(vpmu_core_take_lines(core, 1), VPMU_LINE_ROSE);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	assert_int_equal(get(1, GLOBAL_STATUS), 1ULL << 61);
}

// PMC4.ev strobes a pin; es 12h counts cycles.
static void strobes_are_told_once(void **state)
{
	(void)state;
	make("itanium", NULL);
	put(0, 0x500, 4);			// PSR.up
	put(0, 4, 0x12 << 8 | 0x10 | 0xF);	// PMC4: es, ev, plm
	put(0, 0x104, (uint32_t)-3);
	put(0, 0, 0);				// PMC0: not frozen
	go(0, 2);
	assert_int_equal(vpmu_core_take_strobes(core), 0);
	go(0, 1);
	assert_int_equal(vpmu_core_take_strobes(core), 1);
	assert_int_equal(vpmu_core_take_strobes(core), 0);
}

//
// Records
//

static struct {
	uint64_t area[12], records[2 * 22];
} memory;

static bool reach(uint64_t address, size_t size)
{
	return address < sizeof memory && size <= sizeof memory - address;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	if (reach(address, size))
		memcpy(to, (char *)&memory + address, size);
	return reach(address, size);
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	(void)context;
	if (reach(address, size))
		memcpy((char *)&memory + address, from, size);
	return reach(address, size);
}

static void read_registers(void *context, unsigned thread, uint64_t registers[VPMU_REGISTERS])
{
	for (unsigned i = 0; i < VPMU_REGISTERS; i++)
		registers[i] = *(const uint64_t *)context + thread;
}

// SDM volume 3B, "PEBS": the fourth to seventh words are base, index, maximum, threshold; then the counters' resets.
static void records_are_written_into_the_guests_memory(void **state)
{
	static uint64_t context = 0x1234;
	static const struct vpmu_guest guest = {&context, read_memory, write_memory, read_registers};

	(void)state;
	memset(&memory, 0, sizeof memory);
	memory.area[4] = memory.area[5] = sizeof memory.area;
	memory.area[6] = memory.area[7] = sizeof memory;
	make("nehalem", NULL);
	vpmu_core_attach(core, &guest);
	put(1, DS_AREA, 0);
	put(1, PEBS_ENABLE, 1);
	put(1, PERFEVTSEL0, INSTRUCTIONS | OS | EN);
	put(1, PMC0, (uint32_t)-5);
	go(1, 100);
	assert_int_equal(memory.area[5], sizeof memory.area + 22 * 8);
	assert_int_equal(memory.records[1], 0x1235);
	vpmu_core_attach(core, NULL);
	put(1, PMC0, (uint32_t)-5);
	go(1, 100);
	assert_int_equal(memory.area[5], sizeof memory.area + 22 * 8);
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
		{5, 7, 0, 0, false},				// nothing ran
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

		assert_int_equal(vpmu_scale(cases[i].count, cases[i].enabled, cases[i].running, &scaled),
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
	vpmu_core_feed(core, &instruction, 1, 50);
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

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_target_is_made_in_the_memory_it_asks_for_and_not_in_less),
		TEST(an_unknown_target_has_no_size_and_is_not_made),
		TEST(a_core_has_the_threads_of_its_manual),
		TEST(offers_of_more_or_fewer_counters_than_there_can_be_are_refused),
		TEST(resets_put_registers_back_and_init_does_not),
		TEST(accesses_are_done_fault_are_ignored_or_are_not_its_own),
		TEST(registers_fault_below_the_highest_level_and_rdpmc_does_not),
		TEST(a_pic_is_reached_at_any_level_by_one_access_if_its_pcr_lets_it),
		TEST(a_write_counts_itself_for_what_it_stops),
		TEST(spflt_lets_counters_count_that_are_left_to_it),
		TEST(instructions_and_cycles_are_counted_apart),
		TEST(a_clock_of_any_thread_counts_the_cycles_of_the_core),
		TEST(each_thread_counts_its_own_level_and_sleep),
		TEST(a_level_is_known_at_once_whoever_executes),
		TEST(occurrences_are_counted_by_all_threads_they_name),
		TEST(branches_are_wanted_and_counted),
		TEST(headroom_is_the_cycle_of_the_overflow),
		TEST(a_level_rises_is_held_and_falls),
		TEST(a_precise_trap_is_told),
		TEST(strands_see_what_others_do_where_the_event_is_of_all),
		TEST(each_strand_executes_for_itself),
		TEST(an_instruction_that_changes_the_level_is_the_old_ones_and_its_cycle_the_new_ones),
		TEST(the_packages_pmu_signals_cores_and_a_core_takes_the_signal),
		TEST(strobes_are_told_once),
		TEST(records_are_written_into_the_guests_memory),
		TEST(scaling_is_exact_in_128_bits),
		TEST(times_are_those_it_was_to_run_and_ran),
		TEST(every_error_has_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
