// SPDX-License-Identifier: BSD-2-Clause
// The sparct4 driver on the shim: PAL, counters that are open to programs, modes and strands.

#include "pmu/sparct4/driver.h"

#include "backend.h"
#include "cpus.h"
#include "pal.h"
#include "portable.h"
#include "stimulus.h"

//
// PAL
//

static _Alignas(64) uint64_t memory[16];

// Four counters of 32 bits; cycles sl 26, instructions sl 3 with mask 3F (Table 10-2): all count
// both.
static void pal_answers(void **state)
{
	struct pal_ret r;

	(void)state;
	shim_allow_memory(memory, sizeof memory);
	hal_interrupts_disable();
	r = pal_call(PAL_PERF_MON_INFO, (uintptr_t)memory, 0, 0);
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 0x031A2004);
	for (unsigned word = 0; word < 16; word++)
		assert_int_equal(memory[word], word % 4 ? 0 : 0xF);
	r = pal_call(PALMON_MONITOR_FEATURES, 0, 0, 0);
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 32 << 8);
	assert_int_equal(r.v2, 0xF);
	assert_int_equal(r.v3, PMU_FEATURE_USER_READ);
	r = pal_call(PALMON_MONITOR_EVENTS, 0, 0, 0);
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 26);
	assert_int_equal(r.v2, 3 | 0x3F << 16);
	assert_int_equal(pal_call(PALMON_MONITOR_EVENTS, 1, 0, 0).status, PAL_INVALID_ARGUMENT);
	assert_int_equal(pal_call(PALMON_MONITOR_EVENTS, 0, 1, 0).status, PAL_INVALID_ARGUMENT);
	assert_int_equal(pal_call(PALMON_MONITOR_EVENTS, 0, 0, 1).status, PAL_INVALID_ARGUMENT);
	assert_int_equal(pal_call(514, 0, 0, 0).status, PAL_UNIMPLEMENTED);
	assert_int_equal(pal_call(PAL_CACHE_INFO, 0, 1, 0).status, PAL_UNIMPLEMENTED);
}

// Events of an instruction clock: all instructions, and cycles.
static void events_that_happen(void **state)
{
	(void)state;
	for (unsigned sl = 0; sl < 64; sl++)
		for (unsigned mask = 0; mask < 64; mask++)
			assert_int_equal(hal_event_happens(false, (uint16_t)sl, (uint8_t)mask),
					 (sl == 3 && mask == 0x3F) || sl == 26);
}

//
// Counters that are open to programs
//

static bool user_writes(unsigned counter, uint64_t value)
{
	bool written;

	vpmu_set_level(shim_vpmu(), USER);
	written = vpmu_write_counter(shim_vpmu(), counter, value, 0);
	vpmu_set_level(shim_vpmu(), HYPERPRIVILEGED);
	return written;
}

// All counters are closed before the session starts and after it stops; the session's others
// always.
static void an_open_counter_is_read_while_it_counts(void **state)
{
	struct pmu_session session;
	uint64_t value;

	(void)state;
	open_session(&session, "Instr_all:u:open:ctr=2,Instr_all:u:ctr=1");
	for (unsigned i = 0; i < 4; i++)
		assert_false(hal_read_counter_user(i, &value));
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute_user(100);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(hal_read_counter_user(i, &value), i == 2);
	assert_true(hal_read_counter_user(2, &value));
	assert_int_equal(value, 103);			// the shim executes 3 more than requested
	assert_int_equal(count_of(&session, 0), 103);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	for (unsigned i = 0; i < 4; i++) {
		assert_false(hal_read_counter_user(i, &value));
		assert_false(user_writes(i, 0));
	}
}

// The count continues from a program's value. Only the counter's bits of the value matter
// (Table 10-3), at any read: while it counts, when it stops, in another counter's trap, in a poll.
static void what_a_program_writes_reaches_nothing_but_its_count(void **state)
{
	static const uint64_t written[] = {0xFFFFFFFF00000000, 0xFFFFFFFFFFFFFFFF,
					   0x8000000000000000};
	// One event wraps the second value: 2^32 more.
	static const uint64_t counts[] = {1000, 0x100000000 + 999, 1000};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned way = 0; way < 4; way++) {
			struct pmu_session session, other;
			struct pmu_sample sample;
			uint64_t samples = 0;

			open_and_start(&session,
				       way == 2 ? "Instr_other:u:open,Instr_other:u:period=100" :
							    "Instr_other:u:open");
			if (way == 1)
				open_and_start(&other, "Cycles:k");
			assert_true(user_writes(0, written[i]));
			instructions(USER, 0x1000, NOT_EXECUTED, 1000);
			if (way == 3)
				pmu_poll();
			if (way)
				assert_int_equal(pmu_stop(&session), PMU_OK);
			assert_int_equal(count_of(&session, 0), counts[i]);
			for (; pmu_take_sample(&sample); samples++)
				assert_int_equal(sample.source.event, 1);
			assert_int_equal(samples, way == 2 ? 10 : 0);
			if (way == 2)
				assert_int_equal(count_of(&session, 1), 1000);
			if (way == 1)
				assert_int_equal(pmu_close(&other), PMU_OK);
			assert_int_equal(pmu_close(&session), PMU_OK);
		}
}

// A program can overflow it repeatedly; no trap comes.
static void a_program_causes_no_traps_with_an_open_counter(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "Instr_all:u:open,Cycles:u:open");
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(user_writes(0, UINT32_MAX));
		assert_true(user_writes(1, UINT32_MAX));
		instructions(USER, 0x1000, NOT_EXECUTED, 3);
	}
	assert_int_equal(statistics().interrupts, 0);
	assert_int_equal(shim_traps().retried + shim_traps().done, 0);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().throttles, 0);
	assert_int_equal(statistics().faults, 0);
}

// The context is saved as bytes and restored: the counter is open again while it counts.
static void an_open_counter_stays_open_across_contexts(void **state)
{
	static uint8_t bytes[PMU_PORTABLE_MOST];
	struct pmu_session session, copy;
	struct pmu_context context;
	uint64_t value;
	size_t size;

	(void)state;
	open_and_start(&session, "Instr_all:u:open,Instr_all:u:period=1000");
	hal_execute_user(100);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_false(hal_read_counter_user(0, &value));
	size = pmu_portable_write(&context, bytes, sizeof bytes);
	assert_true(size);
	pmu_portable_forget(&context);
	assert_int_equal(pmu_portable_read(sparct4(), bytes, size, &copy, 1, &context),
			 PMU_PORTABLE_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_true(hal_read_counter_user(0, &value));
	assert_false(hal_read_counter_user(1, &value));
	hal_execute_user(100);
	assert_int_equal(count_of(&copy, 0), 206);
}

//
// Modes and strands
//

// The last programming note of section 10.2. The way to user mode is WRHPR %hpstate in
// hyperprivileged mode, then WRPR %pstate in privileged mode: precise events count them there,
// cycles one mode later. The shim executes 3 more instructions than requested.
static void mode_changing_instructions_are_the_old_ones_their_cycles_the_new_ones(
	void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "Instr_all:plm=2,Instr_all:u,Cycles:plm=2,Cycles:u");
	hal_execute_user(100);
	assert_int_equal(count_of(&session, 0), 1);
	assert_int_equal(count_of(&session, 1), 103);
	assert_int_equal(count_of(&session, 2), 1);
	assert_int_equal(count_of(&session, 3), 104);
	hal_execute_privileged(100);
	assert_int_equal(count_of(&session, 0), 1 + 1 + 103);
	assert_int_equal(count_of(&session, 1), 103);
	assert_int_equal(count_of(&session, 2), 1 + 2 + 103);
	assert_int_equal(count_of(&session, 3), 104);
}

// WRPR %pstate is a next-to-commit instruction (Table 10-1, footnote 1): its precise trap comes
// after it.
static void the_instruction_that_leaves_privileged_mode_is_sampled_once(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_and_start(&session, "Instr_all:plm=2:period=4");
	for (unsigned i = 0; i < 8; i++)
		hal_execute_user(100);
	assert_int_equal(count_of(&session, 0), 8);
	assert_true(pmu_take_sample(&sample));
	assert_true(pmu_take_sample(&sample));
	assert_false(pmu_take_sample(&sample));
	assert_int_equal(shim_traps().done, 2);
	assert_int_equal(shim_traps().wrong, 0);
}

// Footnote 13, with a session on another strand of the core, and one on another core.
static void sessions_of_other_strands_count_what_is_of_all(void **state)
{
	static const struct occurrence signals[] = {
		{.code = 24, .sub = 2, .n = 1, .level = USER}, {.code = 26, .n = 1, .level = USER},
	};
	static const unsigned cpus[] = {0, 1, 2};
	struct pmu_session sessions[3];

	(void)state;
	assert_int_equal(hal_cpus_start(), 4);
	for (unsigned i = 0; i < 3; i++) {
		shim_cpu(cpus[i]);
		if (i)
			assert_int_equal(pmu_begin(sparct4(), false), PMU_OK);
		open_and_start(&sessions[i], "L2_dirty_evict,Cycles:plm=11");
	}
	shim_cpu(0);
	shim_deliver(signals, sizeof signals / sizeof *signals, 50);
	shim_deliver(NULL, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		shim_cpu(cpus[i]);
		assert_int_equal(count_of(&sessions[i], 0), i < 2 ? 50 : 0);
		assert_int_equal(count_of(&sessions[i], 1), i == 0 ? 50 : 0);
	}
	shim_cpu(0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, driver_start, driver_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pal_answers),
		TEST(events_that_happen),
		TEST(an_open_counter_is_read_while_it_counts),
		TEST(what_a_program_writes_reaches_nothing_but_its_count),
		TEST(a_program_causes_no_traps_with_an_open_counter),
		TEST(an_open_counter_stays_open_across_contexts),
		TEST(mode_changing_instructions_are_the_old_ones_their_cycles_the_new_ones),
		TEST(the_instruction_that_leaves_privileged_mode_is_sampled_once),
		TEST(sessions_of_other_strands_count_what_is_of_all),
	};

	return cmocka_run_group_tests_name("sparct4: driver, programs", tests, NULL, NULL);
}
