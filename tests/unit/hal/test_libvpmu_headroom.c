// SPDX-License-Identifier: BSD-2-Clause
// Worst-case headroom: how many instructions and cycles cannot change an interrupt line, whatever
// the guest executes. test_libvpmu.c names the manuals for registers. The largest increment of an
// event is from manuals: Knights Corner executes two instructions in a cycle, and its vector unit
// processes 16 elements in each (Guide, Table 1-6); Nehalem retires four uops in a cycle, and each
// instruction once; the T4 Supplement's Table 10-2 lists the kinds of instructions.

#include "libvpmu_registers.h"
#include "pmu/core/random.h"

#define KNC_ON		(INT | EN | USR | OS)
#define KNC_COUNT(left)	((1ULL << 40) - 1 - (left))	// `left` more events do not overflow
#define CMASK(n)	((uint64_t)(n) << 24)

static void assert_headroom(uint64_t instructions, uint64_t cycles)
{
	const struct vpmu_headroom headroom = vpmu_core_worst_headroom(core);

	assert_int_equal(headroom.instructions, instructions);
	assert_int_equal(headroom.cycles, cycles);
}

static void make_knc(uint64_t select)
{
	make("knc", NULL);
	put(0, KNC_COUNT0, KNC_COUNT(999));
	put(0, KNC_SELECT0, select);
	put(0, KNC_CTRL, 1);
}

static void events_limit_instructions_or_cycles(void **state)
{
	static const struct {
		uint64_t select, instructions, cycles;
	} rows[] = {
		{KNC_ON | 0x16, 999, VPMU_FAR},			// instructions executed
		{KNC_ON | 0x2016, 999, VPMU_FAR},		// instructions of the vector unit
		{KNC_ON | 0x12, 999, VPMU_FAR},			// branches
		{KNC_ON | 0x2A, VPMU_FAR, 999},			// cycles
		{KNC_ON | ANY | 0x2A, VPMU_FAR, 999 / 4},	// of four threads
		{KNC_ON | ANY | 0x16, 999, VPMU_FAR},
		{KNC_ON | 0x00, VPMU_FAR, 999 / 2},		// data reads, in both pipes
		{KNC_ON | 0x2018, VPMU_FAR, 999 / 32},		// elements
		{KNC_ON | CMASK(1) | 0x2018, VPMU_FAR, 999},	// cycles with elements
		{KNC_ON | CMASK(1) | 0x16, VPMU_FAR, 999},	// cycles with instructions
		{(KNC_ON & ~INT) | 0x16, VPMU_FAR, VPMU_FAR},
		{(KNC_ON & ~EN) | 0x16, VPMU_FAR, VPMU_FAR},
		{KNC_ON | 0xFF, VPMU_FAR, VPMU_FAR},		// no event: nothing counts
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		make_knc(rows[i].select);
		assert_headroom(rows[i].instructions, rows[i].cycles);
		end(NULL);
	}
}

// Two counters, one of instructions and one of cycles, each limit their unit. The result covers all
// threads.
static void several_counters_limit_both(void **state)
{
	(void)state;
	make_knc(KNC_ON | 0x16);
	put(3, KNC_COUNT0 + 1, KNC_COUNT(50));
	put(3, KNC_SELECT0 + 1, KNC_ON | 0x2A);
	put(3, KNC_CTRL, 2);
	assert_headroom(999, 50);
	put(3, KNC_SELECT0 + 1, KNC_ON | 0x12);
	assert_headroom(50, VPMU_FAR);
}

// Activity within the headroom raises no line. The next instruction may.
static void the_line_rises_right_behind_it(void **state)
{
	const struct vpmu_occurrence elements = {.code = 0x18, .sub = 0x20, .n = 32};
	struct vpmu_headroom headroom;

	(void)state;
	make_knc(KNC_ON | 0x16);
	headroom = vpmu_core_worst_headroom(core);
	go(0, headroom.instructions);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	assert_headroom(0, VPMU_FAR);
	go(0, 1);
	assert_int_equal(vpmu_core_take_lines(core, 0) & VPMU_LINE_ROSE, VPMU_LINE_ROSE);
	end(NULL);
	make_knc(KNC_ON | 0x2018);
	headroom = vpmu_core_worst_headroom(core);
	assert_int_equal(vpmu_core_deliver(core, &elements, 1, headroom.cycles), VPMU_OK);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	assert_int_equal(vpmu_core_deliver(core, &elements, 1, 1), VPMU_OK);
	assert_int_equal(vpmu_core_take_lines(core, 0) & VPMU_LINE_ROSE, VPMU_LINE_ROSE);
}

static void unit_masks_that_are_joined_add_up(void **state)
{
	static const struct {
		uint64_t select, instructions, cycles;
	} rows[] = {
		{0x01C0, 999, VPMU_FAR},		// instructions
		{0x03C0, 999 / 2, VPMU_FAR},		// and x87 instructions
		{0x02C2, VPMU_FAR, 999 / 4},		// slots, four in a cycle
		{0x01C2, VPMU_FAR, 999 / 8},		// uops, two in a slot
		{0x03C2, VPMU_FAR, 999 / 12},		// both
		{0x81C0, 0, 0},				// a unit mask that no event has
		{0x01FE, 0, 0},				// a code that no event has
		{0x01FE | CMASK(2), VPMU_FAR, 999},
	};

	(void)state;
	make("nehalem", NULL);
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		put(0, PERFEVTSEL0, USR | OS | EN | INT | rows[i].select);
		put(0, PMC0, (uint32_t)-1000);		// sign-extended
		assert_headroom(rows[i].instructions, rows[i].cycles);
	}
	put(0, PERFEVTSEL0, 0);
	put(0, FIXED_CTR0, WIDTH_48 - 1000);
	put(0, FIXED_CTR0 + 1, WIDTH_48 - 50);
	put(0, FIXED_CTR_CTRL, 0xBB);
	put(0, GLOBAL_CTRL, 3ULL << 32);
	assert_headroom(999, 49);
}

#define UNCORE_SELECT0	0x3C0
#define UNCORE_PMC0	0x3B0
#define UNCORE_CTRL	0x391
#define UNCORE_CORE0	(1ULL << 48)		// an overflow signals it
#define UNCORE_FIXED	(1ULL << 32)

// The guide: the global queue's read tracker has 32 entries (before Table 24). At most one line
// arrives in a cycle (Table 30).
static void an_uncore_has_a_headroom_in_cycles(void **state)
{
	static const struct {
		uint64_t select, control, cycles;
	} rows[] = {
		{INT | EN | 0x010A, UNCORE_CORE0 | 1, 999},		// lines in M state
		{INT | EN | 0x030A, UNCORE_CORE0 | 1, 999 / 2},		// and lines in E state
		// entries of the read tracker
		{INT | EN | 0x0102, UNCORE_CORE0 | 1, 999 / 32},
		{INT | EN | CMASK(1) | 0x0102, UNCORE_CORE0 | 1, 999},	// cycles with entries
		{INT | EN | 0x010A, 1, VPMU_FAR},			// no core is signalled
		{EN | 0x010A, UNCORE_CORE0 | 1, VPMU_FAR},
		{INT | EN | 0x010A, UNCORE_CORE0, VPMU_FAR},
		{INT | EN | 0x01FE, UNCORE_CORE0 | 1, 0},		// a code that no event has
	};

	(void)state;
	make("nehalem-uncore", NULL);
	put(0, UNCORE_PMC0, WIDTH_48 - 1000);
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		put(0, UNCORE_SELECT0, rows[i].select);
		put(0, UNCORE_CTRL, rows[i].control);
		assert_headroom(rows[i].cycles ? VPMU_FAR : 0, rows[i].cycles);
	}
	put(0, 0x394, WIDTH_48 - 50);				// the clock
	put(0, 0x395, 5);
	put(0, UNCORE_CTRL, UNCORE_CORE0 | UNCORE_FIXED);
	assert_headroom(VPMU_FAR, 49);
}

// The queue holds 32 entries, which these requests fill in the first cycle; it cannot hold more.
static void a_full_queue_signals_right_behind_it(void **state)
{
	const struct vpmu_occurrence requests = {.code = 0x03, .sub = 1, .n = 32};

	(void)state;
	make("nehalem-uncore", NULL);
	put(0, UNCORE_SELECT0, INT | EN | 0x0102);
	put(0, UNCORE_CTRL, UNCORE_CORE0 | 1);
	put(0, UNCORE_PMC0, WIDTH_48 - 1000);
	assert_headroom(VPMU_FAR, 31);
	assert_int_equal(vpmu_core_deliver(core, &requests, 1, 31), VPMU_OK);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	assert_int_equal(vpmu_core_deliver(core, &requests, 1, 1), VPMU_OK);
	assert_int_equal(vpmu_core_take_lines(core, 0) & VPMU_LINE_ROSE, VPMU_LINE_ROSE);
}

// The pipeline executes one stage E in a cycle (Guide, Table 1-6). A hypervisor that reports two
// instructions in a cycle reports two, and reaches the overflow sooner than the headroom states.
static void more_than_a_cycle_can_have_goes_beyond_it(void **state)
{
	(void)state;
	make_knc(KNC_ON | 0x2E);
	assert_headroom(VPMU_FAR, 999);
	assert_int_equal(vpmu_core_advance(core, 0, 998, 499), VPMU_OK);
	assert_int_equal(vpmu_core_take_lines(core, 0), 0);
	assert_headroom(VPMU_FAR, 1);
	assert_int_equal(vpmu_core_advance(core, 0, 2, 1), VPMU_OK);
	assert_int_equal(vpmu_core_take_lines(core, 0) & VPMU_LINE_ROSE, VPMU_LINE_ROSE);
}

// Knights Corner's events and their largest number in a cycle.
static const struct {
	uint8_t code, umask;
	bool retired;
	uint8_t most;
} events[] = {
	{0x16, 0, true, 1}, {0x12, 0, true, 1}, {0x2A, 0, false, 1}, {0x00, 0, false, 2},
	{0x18, 0x20, false, 32},
};

static unsigned below(unsigned limit)
{
	static uint64_t random = 1;

	return (unsigned)(random_next(&random) % limit);
}

// A thread's events in one cycle: the largest possible numbers, or random ones.
static size_t random_cycle(struct vpmu_occurrence *happens, uint8_t thread, bool retires, bool all)
{
	size_t count = 0;

	for (unsigned i = 0; i < LENGTH(events); i++)
		if (!events[i].retired || retires)
			happens[count++] = (struct vpmu_occurrence){
				.code = events[i].code, .sub = events[i].umask, .thread = thread,
				.n = all ? events[i].most : below(events[i].most + 1u),
			};
	return count;
}

// Random counters in all threads, of which three execute.
static void random_programs_stay_within_it(void **state)
{
	unsigned full = 0;

	(void)state;
	for (unsigned program = 0; program < 300; program++) {
		struct vpmu_headroom headroom;

		make("knc", NULL);
		for (unsigned i = 0; i < 8; i++) {
			const unsigned event = below(LENGTH(events));

			put(i / 2, KNC_COUNT0 + i % 2, KNC_COUNT(below(3000)));
			put(i / 2, KNC_SELECT0 + i % 2,
			    (KNC_ON & ~(below(4) ? 0 : INT)) | (below(2) ? ANY : 0) |
							events[event].code |
							(uint64_t)events[event].umask << 8);
			put(i / 2, KNC_CTRL, 3);
		}
		for (headroom = vpmu_core_worst_headroom(core); headroom.cycles % VPMU_FAR;
		     headroom.cycles--) {
			struct vpmu_occurrence happens[3 * LENGTH(events)];
			size_t count = 0;

			for (uint8_t thread = 0; thread < 3; thread++) {
				const bool retires = headroom.instructions && below(2);

				headroom.instructions -= retires;
				count += random_cycle(&happens[count], thread, retires,
						      program % 3);
			}
			assert_int_equal(vpmu_core_deliver(core, happens, count, 1), VPMU_OK);
		}
		for (unsigned thread = 0; thread < 4; thread++)
			assert_int_equal(vpmu_core_take_lines(core, thread), 0);
		full += !headroom.cycles;
		end(NULL);
	}
	assert_true(full > 200);
}

// PEBS interrupts at the buffer's threshold, not at the overflow, so that there is no headroom.
static void precise_records_leave_none(void **state)
{
	static const struct vpmu_guest guest = {NULL, no_read, no_write, no_registers};

	(void)state;
	make("nehalem", NULL);
	vpmu_core_attach(core, &guest);
	put(0, PERFEVTSEL0, USR | OS | EN | 0x01C0);
	assert_headroom(VPMU_FAR, VPMU_FAR);
	put(0, PEBS_ENABLE, 1);
	assert_headroom(0, 0);
}

static void other_targets(void **state)
{
	(void)state;
	make("sparct4", NULL);
	put(0, PIC0, (uint32_t)-1000);
	put(0, PCR0, T4_SL(3) | T4_ALL_KINDS | T4_TOE | T4_UT);
	assert_headroom(999, VPMU_FAR);					// whatever the level is now
	vpmu_core_set_level(core, 0, 3);
	assert_headroom(999, VPMU_FAR);
	vpmu_core_set_level(core, 0, 0);
	put(0, PCR0, T4_SL(3) | 0x05 << 5 | T4_TOE | T4_UT);		// branches and loads
	assert_headroom(999 / 2, VPMU_FAR);
	put(0, PCR0, T4_SL(26) | T4_TOE | T4_UT);
	assert_headroom(VPMU_FAR, 999);
	end(NULL);
	make("itanium", NULL);
	put(0, 0x104, (uint32_t)-1000);
	put(0, 4, 0x08 << 8 | 1 << 5 | 0xF);				// PMC4: es, oi, plm
	put(0, 0, 0);							// PMC0: not frozen
	assert_headroom(999, VPMU_FAR);
	put(0, 4, 0x6C << 8 | 1 << 5 | 0xF);				// loads, two a cycle
	assert_headroom(VPMU_FAR, 999 / 2);
	put(0, 4, 0x12 << 8 | 1 << 5 | 0xF);				// cycles
	assert_headroom(VPMU_FAR, 999);
	end(NULL);
	make("sparct4-dram", NULL);					// never interrupts
	assert_headroom(VPMU_FAR, VPMU_FAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_limit_instructions_or_cycles),
		TEST(several_counters_limit_both),
		TEST(the_line_rises_right_behind_it),
		TEST(random_programs_stay_within_it),
		TEST(unit_masks_that_are_joined_add_up),
		TEST(an_uncore_has_a_headroom_in_cycles),
		TEST(a_full_queue_signals_right_behind_it),
		TEST(more_than_a_cycle_can_have_goes_beyond_it),
		TEST(precise_records_leave_none),
		TEST(other_targets),
	};

	return cmocka_run_group_tests_name("libvpmu: headroom", tests, NULL, NULL);
}
