// SPDX-License-Identifier: BSD-2-Clause
// Counting, overflows and records through libvpmu's public functions. test_libvpmu.c names the
// manuals.

#include "libvpmu_registers.h"

//
// Registers
//

// A counter that a register write stops has counted the writing instruction; one that it starts has
// not.
static void a_write_counts_itself_for_what_it_stops(void **state)
{
	(void)state;
	make("nehalem", NULL);
	assert_int_equal(vpmu_core_write(core, 0, PERFEVTSEL0, INSTRUCTIONS | OS | EN, 1),
			 VPMU_DONE);
	assert_int_equal(get(0, PMC0), 0);
	go(0, 10);
	assert_int_equal(vpmu_core_write(core, 0, GLOBAL_CTRL, 0, 1), VPMU_DONE);
	assert_int_equal(get(0, PMC0), 11);
	go(0, 10);
	assert_int_equal(get(0, PMC0), 11);
}

//
// Activity
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

// SDM volume 3B: AnyThread with 3CH counts "cycles while at least one logical processor is not in a
// halt state". Cycles from two calls of vpmu_core_advance add up; one call of vpmu_core_deliver
// reports cycles of both threads as simultaneous.
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
	assert_int_equal(vpmu_core_deliver(core, together, LENGTH(together), 10), VPMU_OK);
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

// USR enables the counter at levels 1 to 3. INV makes it count the cycles without an event,
// including those in which the other thread executes.
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
	assert_int_equal(vpmu_core_deliver(core, list, 2, 10), VPMU_OK);
	wrong = list[0];
	wrong.thread = 2;
	assert_int_equal(vpmu_core_deliver(core, &wrong, 1, 10), VPMU_ERROR_ARGUMENT);
	wrong = list[0];
	wrong.level = 4;
	assert_int_equal(vpmu_core_deliver(core, &wrong, 1, 10), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_deliver(core, list, VPMU_OCCURRENCES_MOST + 1, 10),
			 VPMU_ERROR_ARGUMENT);
	vpmu_core_set_level(core, 1, 0);
	assert_int_equal(get(0, PMC0), 30);
	assert_int_equal(get(1, PMC0), 20);
}

static void branches_are_wanted_and_counted(void **state)
{
	const struct vpmu_occurrence branch = {
		.branch = VPMU_BRANCH | VPMU_BRANCH_TAKEN | VPMU_KIND_CONDITIONAL, .ip = 0x1000,
		.target = 0x2000,
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

// Section 10.3: the condition of a disrupting trap is a level that lasts until ov is cleared. An
// overflow of cycles (sl 26) causes a disrupting trap.
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

// Table 10-2, "Virtual processor-specific", and footnote 13: fetch-0-all (sl 8, mask 02) counts the
// fetches of all strands; each strand counts them in its own mode. fetch-0 (mask 01) counts the
// strand's own.
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
	assert_int_equal(vpmu_core_deliver(core, now, LENGTH(now), 10), VPMU_OK);
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

// The last programming note of section 10.2. WRHPR %hpstate, then WRPR %pstate, on the way from
// hyperprivileged to user mode; both are next-to-commit instructions (Table 10-1, footnote 1).
static void an_instruction_that_changes_the_level_is_the_old_ones_its_cycle_the_new_ones(
	void **state)
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
		// Instructions: one hyperprivileged, one privileged. Cycles: one privileged, one of
		// user mode.
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
	// On other targets both count at the old level.
	make("nehalem", NULL);
	put(0, PERFEVTSEL0, INSTRUCTIONS | OS | EN);
	put(0, PERFEVTSEL0 + 1, CYCLES | OS | EN);
	assert_int_equal(vpmu_core_change_level(core, 0, 3), VPMU_OK);
	go(0, 10);
	vpmu_core_set_level(core, 0, 0);
	assert_int_equal(get(0, PMC0), 1);
	assert_int_equal(get(0, PMC0 + 1), 1);
}

// Table 10-1, ntc: set when a next-to-commit instruction overflows the counter. 2^64 - 1 cycles
// leave a counter of 32 bits at its highest value; the instruction's own cycle overflows it.
static void a_commit_overflows_after_any_number_of_cycles(void **state)
{
	(void)state;
	make("sparct4", NULL);
	put(0, PIC0, 0);
	put(0, PCR0, T4_SL(26) | T4_HT);
	go(0, UINT64_MAX);
	assert_int_equal(vpmu_core_commit(core, 0), VPMU_OK);
	assert_int_equal(get(0, PIC0), 0);
	assert_int_equal(get(0, PCR0) >> 18 & 1, 1);
}

// UNCORE_PERF_GLOBAL_CTRL: EN_PMI_CORE in 51:48; the fixed counter's enable and PMI are bits 0 and
// 2 of 395H.
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

// PMC4.ev makes an overflow strobe a pin. es 12h counts cycles.
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

// SDM volume 3B, "PEBS": words 4 to 7 of the management area (from 0) are base, index, maximum and
// threshold; the counters' reset values follow.
static void records_are_written_into_the_guests_memory(void **state)
{
	static uint64_t context = 0x1234;
	static const struct vpmu_guest guest = {&context, read_memory, write_memory,
						read_registers};

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_write_counts_itself_for_what_it_stops),
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
		TEST(an_instruction_that_changes_the_level_is_the_old_ones_its_cycle_the_new_ones),
		TEST(a_commit_overflows_after_any_number_of_cycles),
		TEST(the_packages_pmu_signals_cores_and_a_core_takes_the_signal),
		TEST(strobes_are_told_once),
		TEST(records_are_written_into_the_guests_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
