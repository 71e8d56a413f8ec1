// SPDX-License-Identifier: BSD-2-Clause
// A virtual PMU around a model: faults, the instruction clock, the interrupt line. Registers and
// fields: Appendix II of the performance analysis guide and SDM volume 3B, "Architectural
// Performance Monitoring Version 3".

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "vpmu.h"

#define LENGTH(array) (sizeof array / sizeof *array)

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, PERFEVTSEL1 = 0x187, FIXED_CTR0 = 0x309,
	FIXED_CTR1 = 0x30A,
	FIXED_CTR_CTRL = 0x38D, GLOBAL_STATUS = 0x38E, GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390,
	NO_REGISTER = 0x38C,
};

#define USR		(1ULL << 16)
#define OS		(1ULL << 17)
#define INT		(1ULL << 20)
#define EN		(1ULL << 22)
#define INSTRUCTIONS	0xC0	/* instructions retired, unit mask 0 */
#define CYCLES		0x3C
#define MODULUS		(1ULL << 48)

static struct vpmu vpmu;

static bool start_with(unsigned thread, const char *fault)
{
	return vpmu_start(&vpmu, vpmu.model, vpmu.state, thread, fault, 0);
}

// The memory is first filled with 0xDB, which cannot be mistaken for a reset PMU.
static int start(void **state)
{
	const struct pmu_model *model = pmu_model_find("nehalem");
	void *memory = aligned_alloc(MODEL_ALIGNMENT, vpmu_state_size(model));

	(void)state;
	if (!memory)
		return -1;
	memset(memory, 0xDB, vpmu_state_size(model));
	return vpmu_start(&vpmu, model, memory, 0, "", 0) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	free(vpmu.state);
	return 0;
}

static uint64_t value_of(uint32_t address)
{
	uint64_t value = 0;

	assert_true(vpmu_read(&vpmu, address, &value));
	return value;
}

static void put(uint32_t address, uint64_t value)
{
	assert_true(vpmu_write(&vpmu, address, value, 0));
}

// Makes counter 0 count from `value` with this select.
static void count_from(uint64_t value, uint64_t select)
{
	put(GLOBAL_CTRL, 0);
	put(PERFEVTSEL0, select | EN);
	put(PMC0, value);
	put(GLOBAL_CTRL, 1);
}

//
// Faults
//

static void a_model_is_found_by_its_name(void **state)
{
	(void)state;
	assert_string_equal(pmu_model_find("nehalem")->name, "nehalem");
	assert_null(pmu_model_find("nehale"));
	assert_null(pmu_model_find("nehalem "));
	assert_null(pmu_model_find(""));
}

static void every_fault_of_the_model_is_known_and_nothing_else_is(void **state)
{
	static const char *const unknown[] = {
		"reset-valu", "reset-valuee", "RESET-VALUE", "reset-value ", " ", "none", "0",
	};

	(void)state;
	assert_true(start_with(0, NULL));
	assert_true(start_with(0, ""));
	for (const char *const *fault = vpmu_faults(vpmu.model); *fault; fault++)
		assert_true(start_with(0, *fault));
	for (size_t i = 0; i < LENGTH(unknown); i++)
		assert_false(start_with(0, unknown[i]));
}

// An absent register faults; the next register does not.
static void each_access_to_an_absent_register_faults(void **state)
{
	static const char *const none[] = {
		"absent:", "absent:x", "absent:0x186:0", "absent:0x18a", "absent:0x100000186",
	};
	const struct pmu_model *whole = vpmu.model;
	uint64_t value = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(none); i++)
		assert_false(start_with(0, none[i]));
	assert_true(start_with(0, "nehalem/absent:0x186"));
	assert_false(vpmu_read(&vpmu, PERFEVTSEL0, &value));
	assert_false(vpmu_write(&vpmu, PERFEVTSEL0, 0, 0));
	put(PERFEVTSEL1, EN);
	assert_int_equal(value_of(PERFEVTSEL1), EN);
	vpmu.model = whole;
	assert_true(start_with(0, ""));
	assert_int_equal(value_of(PERFEVTSEL0), 0);
}

// IA32_PERF_GLOBAL_CTRL resets with all general counters enabled; with the fault it resets to 0.
static void a_fault_is_switched_on_until_the_next_start(void **state)
{
	(void)state;
	assert_int_equal(value_of(GLOBAL_CTRL), 0xF);
	assert_true(start_with(0, "reset-value"));
	assert_int_equal(value_of(GLOBAL_CTRL), 0);
	assert_false(start_with(0, "no-such-fault"));
	assert_int_equal(value_of(GLOBAL_CTRL), 0xF);
}

static const char *const malformed[] = {
	"stuck", "stuck:", "stuck:0x186", "stuck:0x186:", "stuck:0x186:1", "stuck:0x186:1:",
	"stuck::1:1",
	"stuck:0x186::1", "stuck:0x186:1:2", "stuck:0x186:64:0", "stuck:0x186:1:1:",
	"stuck:0x186:1:1:1",
	"stuck:0x186:1:1 ", "stuck:0x186:1:1x", "stuck:0x186:1x:1", "stuck:0x186 :1:1",
	"stuck:x:1:1",
	"stuck:0x186:one:1", "stuck:0x186,1,1", "stuck:0x100000186:1:1",
	"stuck:18446744073709552006:1:1",
	"stuck:0x186:18446744073709551617:1", "stuck:0x186:1:18446744073709551617",
	"Stuck:0x186:1:1",
	"sticky:0x186:1:1", "stuck 0x186:1:1", "xstuck:0x186:1:1",
};

// C's strtoull accepts leading blanks and signs. Numbers of faults must not have them.
static const char *const signed_or_blank[] = {
	"stuck: 0x186:1:1", "stuck:0x186: 1:1", "stuck:0x186:1: 1", "stuck:\t0x186:1:1",
	"stuck:+0x186:1:1",
	"stuck:0x186:+1:1", "stuck:-18446744073709551226:1:1",
	"stuck:0x186:-18446744073709551615:1",
	"stuck:0x186:-0:1",
};

static void assert_all_refused(const char *const *faults, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (start_with(0, faults[i]))
			fail_msg("'%s' is taken", faults[i]);
		put(PERFEVTSEL0, 2);
		assert_int_equal(value_of(PERFEVTSEL0), 2);
		put(PERFEVTSEL0, 0);
		assert_int_equal(value_of(PERFEVTSEL0), 0);
	}
}

static void malformed_stuck_bits_are_refused_and_nothing_is_stuck(void **state)
{
	(void)state;
	assert_all_refused(malformed, LENGTH(malformed));
}

static void numbers_of_stuck_bits_have_no_signs_and_blanks(void **state)
{
	(void)state;
	assert_all_refused(signed_or_blank, LENGTH(signed_or_blank));
}

static void a_stuck_bit_reads_as_it_is_stuck(void **state)
{
	static const struct {
		const char *fault;
		uint32_t address;
		uint64_t written, read;
	} cases[] = {
		{"stuck:0x186:1:1", PERFEVTSEL0, 0, 2},
		{"stuck:0x186:1:1", PERFEVTSEL0, 0xFFFF, 0xFFFF},
		{"stuck:0x186:1:0", PERFEVTSEL0, 0xFFFF, 0xFFFD},
		{"stuck:390:0:1", PERFEVTSEL0, 0x10, 0x11},
		{"stuck:0x186:63:1", PERFEVTSEL0, 5, 1ULL << 63 | 5},
		{"stuck:0x309:47:0", FIXED_CTR0, MODULUS - 1, (MODULUS >> 1) - 1},
		{"stuck:0x187:0:1", PERFEVTSEL0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		assert_true(start_with(0, cases[i].fault));
		put(cases[i].address, cases[i].written);
		assert_int_equal(value_of(cases[i].address), cases[i].read);
	}
}

// A stuck bit affects reads only. A counter counts although its EN reads 0; a counter's bit that
// reads 1 does not change its carries.
static void a_stuck_bit_is_stuck_for_who_reads_it_only(void **state)
{
	(void)state;
	assert_true(start_with(0, "stuck:0x186:22:0"));
	count_from(0, INSTRUCTIONS | OS);
	vpmu_run(&vpmu, 100);
	assert_int_equal(value_of(PERFEVTSEL0), INSTRUCTIONS | OS);
	assert_int_equal(value_of(PMC0), 100);
	assert_true(start_with(0, "stuck:0xC1:3:1"));
	count_from(0, INSTRUCTIONS | OS);
	vpmu_run(&vpmu, 16);
	assert_int_equal(value_of(PMC0), 16 | 8);
}

static void a_register_that_is_not_there_faults_and_cannot_be_stuck(void **state)
{
	uint64_t value = 77;

	(void)state;
	assert_false(start_with(0, "stuck:0x38C:0:1"));
	assert_false(start_with(0, "stuck:0xC5:0:1"));		// after the last of four counters
	assert_true(start_with(0, "stuck:0xC4:0:1"));
	assert_false(vpmu_read(&vpmu, NO_REGISTER, &value));
	assert_int_equal(value, 77);
	assert_false(vpmu_write(&vpmu, NO_REGISTER, 0, 0));
}

//
// The instruction clock
//

static void a_cycle_is_an_instruction_and_a_core_clock(void **state)
{
	static const uint64_t selects[] = {INSTRUCTIONS | OS, CYCLES | OS, INSTRUCTIONS | OS | USR};

	(void)state;
	for (size_t i = 0; i < LENGTH(selects); i++) {
		count_from(5, selects[i]);
		vpmu_run(&vpmu, 0);
		assert_int_equal(value_of(PMC0), 5);
		vpmu_run(&vpmu, 1);
		assert_int_equal(value_of(PMC0), 6);
		vpmu_run(&vpmu, 1ULL << 40);
		assert_int_equal(value_of(PMC0), 6 + (1ULL << 40));
	}
}

// OS: level 0. USR: levels above 0.
static void what_is_executed_is_at_the_level_that_was_set(void **state)
{
	static const struct {
		uint64_t select;
		uint64_t counts[4];	// of ten instructions at each level
	} cases[] = {
		{INSTRUCTIONS | OS, {10, 0, 0, 0}}, {INSTRUCTIONS | USR, {0, 10, 10, 10}},
		{INSTRUCTIONS | OS | USR, {10, 10, 10, 10}}, {INSTRUCTIONS, {0, 0, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		for (unsigned level = 0; level < 4; level++) {
			count_from(0, cases[i].select);
			vpmu_set_level(&vpmu, level);
			vpmu_set_level(&vpmu, level);
			vpmu_run(&vpmu, 10);
			vpmu_set_level(&vpmu, 0);
			assert_int_equal(value_of(PMC0), cases[i].counts[level]);
		}
}

static void whether_the_level_matters_follows_from_what_counts(void **state)
{
	static const struct {
		uint64_t select;
		bool matters;
	} cases[] = {
		{INSTRUCTIONS | OS, true}, {INSTRUCTIONS | USR, true},
		{INSTRUCTIONS | OS | USR, false},
		{INSTRUCTIONS, false},
	};

	(void)state;
	assert_false(vpmu_level_matters(&vpmu));
	for (size_t i = 0; i < LENGTH(cases); i++) {
		count_from(0, cases[i].select);
		assert_int_equal(vpmu_level_matters(&vpmu), cases[i].matters);
		put(GLOBAL_CTRL, 0);
		assert_false(vpmu_level_matters(&vpmu));
	}
}

static void nothing_counts_while_halted(void **state)
{
	(void)state;
	count_from(0, INSTRUCTIONS | OS);
	put(FIXED_CTR_CTRL, 0x33);		// instructions and core cycles, at all levels
	put(GLOBAL_CTRL, 3ULL << 32 | 1);
	vpmu_run(&vpmu, 10);
	vpmu_set_halted(&vpmu, true);
	vpmu_run(&vpmu, 1000);
	assert_int_equal(vpmu_headroom(&vpmu), MODEL_FAR);
	vpmu_set_halted(&vpmu, false);
	vpmu_run(&vpmu, 10);
	assert_int_equal(value_of(PMC0), 20);
	assert_int_equal(value_of(FIXED_CTR0), 20);
	assert_int_equal(value_of(FIXED_CTR1), 20);
}

static void a_level_set_while_halted_holds_afterwards(void **state)
{
	(void)state;
	count_from(0, INSTRUCTIONS | USR);
	vpmu_set_halted(&vpmu, true);
	vpmu_set_level(&vpmu, 3);
	vpmu_run(&vpmu, 100);
	assert_int_equal(value_of(PMC0), 0);
	vpmu_set_halted(&vpmu, false);
	vpmu_run(&vpmu, 7);
	assert_int_equal(value_of(PMC0), 7);
}

// A counter that the write stops has counted the writing instruction; one that it starts has not.
static void a_write_takes_effect_behind_its_own_instructions(void **state)
{
	(void)state;
	count_from(0, INSTRUCTIONS | OS);
	assert_true(vpmu_write(&vpmu, GLOBAL_CTRL, 0, 1));
	assert_int_equal(value_of(PMC0), 1);
	assert_true(vpmu_write(&vpmu, GLOBAL_CTRL, 1, 1));
	assert_int_equal(value_of(PMC0), 1);
	vpmu_run(&vpmu, 10);
	assert_true(vpmu_write(&vpmu, PMC0, 100, 1));
	assert_int_equal(value_of(PMC0), 100);
}

// RDPMC: general counters from 0, fixed ones with bit 30 set (SDM volume 2B).
static void counters_are_read_without_privilege(void **state)
{
	static const uint32_t faulting[] = {4, 31, 1u << 30 | 3, 1u << 31, UINT32_MAX};
	uint64_t value = 0;

	(void)state;
	count_from(3, INSTRUCTIONS | OS);
	put(FIXED_CTR1, 1ULL << 40 | 9);
	assert_true(vpmu_read_counter(&vpmu, 0, &value));
	assert_int_equal(value, 3);
	assert_true(vpmu_read_counter(&vpmu, 1u << 30 | 1, &value));
	assert_int_equal(value, 1ULL << 40 | 9);
	for (size_t i = 0; i < LENGTH(faulting); i++)
		assert_false(vpmu_read_counter(&vpmu, faulting[i], &value));
}

static void threads_have_registers_and_a_clock_of_their_own(void **state)
{
	uint64_t other = 1;

	(void)state;
	assert_true(start_with(1, ""));
	count_from(0, INSTRUCTIONS | OS | INT);
	vpmu_run(&vpmu, 100);
	assert_int_equal(value_of(PMC0), 100);
	assert_true(vpmu.model->read(vpmu.state, 0, PMC0, &other));
	assert_int_equal(other, 0);
	count_from(MODULUS - 5, INSTRUCTIONS | OS | INT);
	vpmu_run(&vpmu, 5);
	assert_true(vpmu_take_request(&vpmu));
	assert_true(vpmu.model->read(vpmu.state, 0, GLOBAL_STATUS, &other));
	assert_int_equal(other, 0);
}

//
// The line
//

static void headroom_ends_with_the_cycle_that_raises_the_line(void **state)
{
	static const uint64_t lefts[] = {1, 2, 3, 10, 1000, 1ULL << 20, 1ULL << 31};

	(void)state;
	for (size_t i = 0; i < LENGTH(lefts); i++) {
		count_from(MODULUS - lefts[i], INSTRUCTIONS | OS | INT);
		assert_int_equal(vpmu_headroom(&vpmu), lefts[i]);
		vpmu_run(&vpmu, lefts[i] - 1);
		assert_int_equal(vpmu_headroom(&vpmu), 1);
		assert_false(vpmu_take_request(&vpmu));
		vpmu_run(&vpmu, 1);
		assert_true(vpmu_take_request(&vpmu));
		assert_false(vpmu_take_request(&vpmu));
		assert_int_equal(value_of(PMC0), 0);
		assert_int_equal(value_of(GLOBAL_STATUS), 1);
		put(GLOBAL_OVF_CTRL, 1);
	}
}

// The line may rise in the middle of a long run.
static void a_request_is_seen_however_far_the_clock_has_run(void **state)
{
	(void)state;
	count_from(MODULUS - 10, INSTRUCTIONS | OS | INT);
	vpmu_run(&vpmu, 1000000);
	assert_true(vpmu_take_request(&vpmu));
	assert_int_equal(value_of(PMC0), 1000000 - 10);
	assert_int_equal(vpmu_headroom(&vpmu), MODULUS - (1000000 - 10));
}

static void what_cannot_raise_the_line_has_no_end_of_headroom(void **state)
{
	(void)state;
	assert_int_equal(vpmu_headroom(&vpmu), MODEL_FAR);
	count_from(MODULUS - 10, INSTRUCTIONS | OS);		// no INT
	assert_int_equal(vpmu_headroom(&vpmu), MODEL_FAR);
	vpmu_run(&vpmu, 100);
	assert_false(vpmu_take_request(&vpmu));
	assert_int_equal(value_of(GLOBAL_STATUS), 1);
	count_from(MODULUS - 10, INSTRUCTIONS | USR | INT);	// does not count at level 0
	assert_int_equal(vpmu_headroom(&vpmu), MODEL_FAR);
	vpmu_set_level(&vpmu, 3);
	assert_int_equal(vpmu_headroom(&vpmu), 10);
	put(GLOBAL_CTRL, 0);
	assert_int_equal(vpmu_headroom(&vpmu), MODEL_FAR);
}

static void of_several_counters_the_first_to_overflow_is_the_headroom(void **state)
{
	(void)state;
	count_from(MODULUS - 50, INSTRUCTIONS | OS | INT);
	put(PERFEVTSEL1, CYCLES | OS | EN | INT);
	put(PMC0 + 1, MODULUS - 20);
	put(FIXED_CTR_CTRL, 0x9);		// instructions at level 0, interrupting
	put(FIXED_CTR0, MODULUS - 70);
	put(GLOBAL_CTRL, 1ULL << 32 | 3);
	assert_int_equal(vpmu_headroom(&vpmu), 20);
	vpmu_run(&vpmu, 20);
	assert_int_equal(vpmu_headroom(&vpmu), 30);
	vpmu_run(&vpmu, 30);
	assert_int_equal(vpmu_headroom(&vpmu), 20);
}

//
// Events on the instruction clock
//

static void only_instructions_and_clocks_happen(void **state)
{
	static const struct {
		uint16_t code;
		uint8_t umask;
		bool happens;
	} cases[] = {
		{0xC0, 0x00, true},	// instructions: the architectural event, and the guide's
		{0xC0, 0x01, true},
		{0x3C, 0x00, true},	// core cycles
		{0x3C, 0x01, true},	// reference cycles
		{0xC0, 0x02, false}, {0xC4, 0x00, false}, {0xC5, 0x00, false}, {0x2E, 0x4F, false},
		{0x2E, 0x41, false},
		{0x0E, 0x01, false}, {0xC2, 0x01, false}, {0x00, 0x00, false},
	};

	(void)state;
	for (unsigned level = 0; level < 4; level += 3)
		for (size_t i = 0; i < LENGTH(cases); i++) {
			vpmu_set_level(&vpmu, level);
			assert_int_equal(vpmu_event_happens(&vpmu, false, cases[i].code,
							    cases[i].umask),
					 cases[i].happens);
		}
}

// vpmu_event_happens is true exactly for the events that a counter counts.
static void what_is_said_to_happen_is_what_counts(void **state)
{
	unsigned happens = 0;

	(void)state;
	for (unsigned code = 0; code < 256; code++)
		for (unsigned umask = 0; umask < 256; umask++) {
			bool said = vpmu_event_happens(&vpmu, false, (uint16_t)code,
						       (uint8_t)umask);

			count_from(0, code | umask << 8 | OS | USR);
			vpmu_run(&vpmu, 10);
			assert_int_equal(value_of(PMC0) != 0, said);
			happens += said;
		}
	assert_int_not_equal(happens, 0);
}

//
// Two threads, and branches
//

#define ANY_THREAD	(1ULL << 21)

static void a_thread_is_added_without_a_reset(void **state)
{
	struct vpmu other;
	uint64_t value;

	(void)state;
	assert_true(start_with(0, "stuck:0x186:16:1"));
	count_from(100, INSTRUCTIONS | OS);
	vpmu_run(&vpmu, 5);
	vpmu_start_thread(&other, &vpmu, 1);
	assert_int_equal(value_of(PMC0), 105);
	assert_true(vpmu_read(&other, PMC0, &value));
	assert_int_equal(value, 0);
	assert_true(vpmu_read(&other, PERFEVTSEL0, &value));
	assert_int_equal(value, USR);		// the fault applies to both threads
}

// The guide, Appendix II: AnyThr counts both threads of the core. vpmu_resume selects the executing
// thread.
static void a_thread_counts_the_other_if_it_is_told_to(void **state)
{
	struct vpmu other;

	(void)state;
	vpmu_start_thread(&other, &vpmu, 1);
	put(PERFEVTSEL1, INSTRUCTIONS | OS | ANY_THREAD | EN);
	count_from(0, INSTRUCTIONS | OS);
	put(GLOBAL_CTRL, 3);
	vpmu_resume(&other);
	vpmu_run(&other, 7);
	vpmu_resume(&vpmu);
	vpmu_run(&vpmu, 30);
	assert_int_equal(value_of(PMC0), 30);
	assert_int_equal(value_of(PMC0 + 1), 37);
}

// Table 6 of the guide: unit mask 01H counts conditional branches, 02H near calls, 04H all. The
// architectural event has none.
static void a_branch_counts_by_its_kind(void **state)
{
	static const struct {
		uint8_t kind;
		unsigned masks;		// that count it
	} cases[] = {
		{OCCURRENCE_KIND_CONDITIONAL, 1 | 4}, {OCCURRENCE_KIND_CALL, 2 | 4}, 
		{OCCURRENCE_KIND_CALL_INDIRECT, 2 | 4},
		{OCCURRENCE_KIND_RETURN, 4}, {OCCURRENCE_KIND_JUMP, 4},
		{OCCURRENCE_KIND_JUMP_INDIRECT, 4},
		{OCCURRENCE_KIND_FAR, 4},
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++)
		for (unsigned mask = 0; mask < 8; mask++) {
			const struct occurrence branch =
				{.branch = (uint8_t)(OCCURRENCE_BRANCH | cases[i].kind)};

			count_from(0, 0xC4 | mask << 8 | OS);
			assert_true(vpmu_branches_matter(&vpmu));
			vpmu_run(&vpmu, 3);
			vpmu_branch(&vpmu, &branch);
			vpmu_run(&vpmu, 3);
			assert_int_equal(value_of(PMC0), !mask || mask & cases[i].masks);
		}
	count_from(0, INSTRUCTIONS | OS);
	assert_false(vpmu_branches_matter(&vpmu));
}

static void branches_happen_to_branch_events(void **state)
{
	uint8_t mask = 0;
	bool exact;

	(void)state;
	while (++mask)
		assert_int_equal(vpmu_happens(vpmu.model, 0xC4, mask, 0, 1, MODEL_UNIT_CLOCK,
					      &exact), !!(mask & 7));
	assert_true(vpmu_happens(vpmu.model, 0xC4, 0, 0, 1, MODEL_UNIT_CLOCK, &exact) && exact);
	assert_true(vpmu_happens(vpmu.model, 0xC5, 0, 0, 1, MODEL_UNIT_CLOCK, &exact) && !exact);
	assert_false(vpmu_happens(vpmu.model, 0xC5, 1, 0, 1, MODEL_UNIT_CLOCK, &exact));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

// Haswell has 4 general counters, its base has 8 (SDM volume 4, IA32_PMC4 to 7).
static void a_variant_has_the_name_of_its_target_and_its_own_defects(void **unused)
{
	enum { PMC4 = 0xC5, PERF_CAPABILITIES = 0x345 };
	const struct pmu_model *target = pmu_model_find("intel"),
		*variant = pmu_model_find("intel-haswell");
	void *state = aligned_alloc(MODEL_ALIGNMENT, vpmu_state_size(variant));
	uint64_t value;

	(void)unused;
	assert_ptr_equal(pmu_model_base(variant), target);
	assert_ptr_equal(pmu_model_base(target), target);
	assert_true(vpmu_start(&vpmu, variant, state, 0, "freeze-missing", 0));
	assert_string_equal(vpmu.model->name, "intel-haswell");
	assert_true(vpmu_read(&vpmu, PERF_CAPABILITIES, &value));
	assert_false(vpmu_read(&vpmu, PMC4, &value));
	assert_true(vpmu_start(&vpmu, target, state, 0, "freeze-missing", 0));
	assert_true(vpmu_read(&vpmu, PMC4, &value));
	free(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_model_is_found_by_its_name),
		cmocka_unit_test(a_variant_has_the_name_of_its_target_and_its_own_defects),
		TEST(every_fault_of_the_model_is_known_and_nothing_else_is),
		TEST(each_access_to_an_absent_register_faults),
		TEST(a_fault_is_switched_on_until_the_next_start),
		TEST(malformed_stuck_bits_are_refused_and_nothing_is_stuck),
		TEST(numbers_of_stuck_bits_have_no_signs_and_blanks),
		TEST(a_stuck_bit_reads_as_it_is_stuck),
		TEST(a_stuck_bit_is_stuck_for_who_reads_it_only),
		TEST(a_register_that_is_not_there_faults_and_cannot_be_stuck),
		TEST(a_cycle_is_an_instruction_and_a_core_clock),
		TEST(what_is_executed_is_at_the_level_that_was_set),
		TEST(whether_the_level_matters_follows_from_what_counts),
		TEST(nothing_counts_while_halted),
		TEST(a_level_set_while_halted_holds_afterwards),
		TEST(a_write_takes_effect_behind_its_own_instructions),
		TEST(counters_are_read_without_privilege),
		TEST(threads_have_registers_and_a_clock_of_their_own),
		TEST(headroom_ends_with_the_cycle_that_raises_the_line),
		TEST(a_request_is_seen_however_far_the_clock_has_run),
		TEST(what_cannot_raise_the_line_has_no_end_of_headroom),
		TEST(of_several_counters_the_first_to_overflow_is_the_headroom),
		TEST(only_instructions_and_clocks_happen),
		TEST(what_is_said_to_happen_is_what_counts),
		TEST(a_thread_is_added_without_a_reset),
		TEST(a_thread_counts_the_other_if_it_is_told_to),
		TEST(a_branch_counts_by_its_kind), TEST(branches_happen_to_branch_events),
	};

	return cmocka_run_group_tests_name("virtual PMU", tests, NULL, NULL);
}
