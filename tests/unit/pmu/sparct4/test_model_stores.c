// SPDX-License-Identifier: BSD-2-Clause
// The SPARC T4 model: stores to the registers themselves, which race with overflows.

#include "model_traps.h"

//
// Stores to the registers themselves
//

// model.h: a counter that a write stops has still counted the write; one that it starts has not. A
// store is an instruction.
static void a_store_is_counted_by_what_it_stops(void **state)
{
	(void)state;
	SIGNALS({INSTRUCTIONS, 0x10, 1, 0, HYPER});
	store(PCR0, EVENT(INSTRUCTIONS, 0x10) | HT);
	assert_int_equal(get(PIC0), 0);
	run(3);
	store(PCR0, 0);
	assert_int_equal(get(PIC0), 4);
	run(3);
	assert_int_equal(get(PIC0), 4);
	store(PCR0, EVENT(INSTRUCTIONS, 0x10) | HT);
	store(PIC0, 100);
	assert_int_equal(get(PIC0), 100);
	store(PIC0 + 1, 0);
	assert_int_equal(get(PIC0), 101);
}

// "STXA %pcr [...] affect an asynchronous count immediately (before the instruction changing the
// PCR [...] has retired from the pipeline)."
static void a_store_is_counted_by_the_asynchronous_event_that_it_starts(void **state)
{
	(void)state;
	SIGNALS({INSTRUCTIONS, 0x10, 1, 0, HYPER}, {CYCLES, 0, 1, 0, HYPER});
	store(PCR0, ASYNCHRONOUS | HT);
	assert_int_equal(get(PIC0), 1);
	run(3);
	store(PCR0, 0);
	assert_int_equal(get(PIC0), 4);
	store(PCR0, ASYNCHRONOUS | HT);
	store(PCR0, INSTR_ALL | HT);	// stops one at once, starts the other one after it
	assert_int_equal(get(PIC0), 5);
	store(PCR0, ASYNCHRONOUS | HT);	// the instruction's own event
	assert_int_equal(get(PIC0), 6);
	run(1);
	assert_int_equal(get(PIC0), 7);
}

// The programming note: "the PCR is counting instructions and the PIC is set to FFFF_FFFF just
// prior to the write. In this case, if the PCR write sets PCR.ov to zero, hardware re-writes PCR.ov
// to one." The store is a next-to-commit instruction (footnote 1).
static void a_pcr_write_that_overflows_its_pic_leaves_ov_set(void **state)
{
	(void)state;
	set(0, INSTR_ALL | HT, 0xFFFFFFFF);
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, HYPER});
	store(PCR0, INSTR_ALL | HT);
	assert_int_equal(get(PIC0), 0);
	assert_int_equal(get(PCR0), INSTR_ALL | HT | OV | NTC);
}

// "Software should take care to handle this case, for example by disabling counting with the first
// PCR write, then writing the PCR a second time to ensure PCR.ov remains set to 0."
static void a_second_write_clears_that_ov(void **state)
{
	(void)state;
	set(0, INSTR_ALL | HT, 0xFFFFFFFF);
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, HYPER});
	store(PCR0, 0);
	assert_int_equal(get(PCR0), OV | NTC);
	store(PCR0, 0);
	assert_int_equal(get(PCR0), 0);
	assert_int_equal(get(PIC0), 0);
}

// The write clears an ov that was set before.
static void a_pcr_write_clears_an_older_ov(void **state)
{
	(void)state;
	set(0, INSTR_ALL | HT, 0xFFFFFFFF);
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, HYPER});
	run(1);
	store(PCR0, INSTR_ALL | HT);
	assert_int_equal(get(PCR0), INSTR_ALL | HT);
	assert_int_equal(get(PIC0), 1);
}

// "To reliably clear PCRx.ov when counting asynchronous events software should stop counting [...]
// Otherwise, hardware may overwrite PCRx.ov if the associated PIC overflows."
static void an_asynchronous_overflow_may_come_with_the_write_that_clears_ov(void **state)
{
	(void)state;
	set(0, ASYNCHRONOUS | HT | TOE, 0xFFFFFFFF);
	SIGNALS({CYCLES, 0, 1, 0, HYPER});
	run(1);
	put(PIC0, 0xFFFFFFFF);
	requests();
	store(PCR0, ASYNCHRONOUS | HT | TOE);
	assert_int_equal(get(PCR0) & OV, OV);
	assert_int_equal(requests(), 1);	// the line was down meanwhile
	put(PIC0, 0xFFFFFFFF);
	store(PCR0, EVENT(CYCLES, 0) | TOE);
	assert_int_equal(get(PCR0) & OV, 0);
	assert_int_equal(get(PIC0), 0xFFFFFFFF);
}

// User code that may write a PIC: its own store wraps another PIC, or the one that it writes.
static void a_store_to_a_pic_counts_and_traps(void **state)
{
	(void)state;
	set(0, INSTR_ALL | UT | TOE, 0xFFFFFFFF);
	execute(0);
	assert_int_equal(outputs()->headroom, 0);
	assert_true(model->user->write_counter(pmu, 0, 0, 50, 1));
	assert_int_equal(precise(), 1);
	assert_int_equal(get(PCR0) & (OV | NTC), OV | NTC);
	assert_int_equal(get(PIC0), 50);
}

// The programming note on sl 28. With PIC at -1 to -3 and mask 1 to 3, ov is about to be set for
// two cycles; a PCR write in that time overwrites it.
static void a_pcr_write_in_the_race_loses_the_overflow(void **state)
{
	(void)state;
	for (unsigned mask = 1; mask <= 3; mask++)
		for (unsigned left = 1; left <= 3; left++)
			for (unsigned passed = 0; passed <= 3; passed++)
				for (unsigned value = 0; value < 2; value++) {
					const uint64_t pcr = EVENT(COMMITS, mask) | HT;

					no_signals();
					set(0, pcr, BEFORE(left));
					SIGNALS({COMMITS, 3, 3, 0, HYPER});
					run(passed);
					put(PCR0, value ? pcr | OV : EVENT(INSTRUCTIONS, 1) | OV);
					// ov is set, and kept, only after the two cycles.
					assert_int_equal(get(PCR0) & OV, passed >= 2 ? OV : 0);
				}
}

static void outside_the_race_ov_is_set_at_once(void **state)
{
	(void)state;
	// "software should set the PIC outside of the range -1..-3"
	set(0, EVENT(COMMITS, 3) | HT, BEFORE(4));
	SIGNALS({COMMITS, 3, 4, 0, HYPER});
	run(1);
	assert_int_equal(get(PCR0) & OV, OV);
	put(PCR0, EVENT(COMMITS, 3) | HT);
	put(PIC0, BEFORE(1));				// the PCR was set before
	run(1);
	assert_int_equal(get(PCR0) & OV, OV);
}

// "Hardware sets ntc whenever it sets ov on a next-to-commit instruction."
static void in_the_race_ntc_comes_with_ov(void **state)
{
	(void)state;
	for (unsigned commits = 0; commits < 2; commits++) {
		no_signals();
		set(0, EVENT(COMMITS, 1) | HT, BEFORE(1));
		SIGNALS({COMMITS, 1, 1, 0, HYPER, .type = commits ? OCCURRENCE_TYPE_COMMIT : 0});
		run(1);
		assert_int_equal(get(PCR0) & (OV | NTC), 0);
		run(1);
		assert_int_equal(get(PCR0) & (OV | NTC), commits ? OV | NTC : OV);
	}
}

static void in_the_race_the_trap_comes_with_ov(void **state)
{
	(void)state;
	no_signals();
	set(0, EVENT(COMMITS, 1) | HT | TOE, BEFORE(1));
	SIGNALS({COMMITS, 1, 1, 0, HYPER});
	assert_int_equal(outputs()->headroom, 1);
	run(1);
	assert_int_equal(get(PIC0), 0);
	assert_int_equal(get(PCR0) & OV, 0);
	assert_int_equal(outputs()->headroom, 0);
	run(1);
	assert_int_equal(get(PCR0) & OV, OV);
	assert_int_equal(requests(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_store_is_counted_by_what_it_stops),
		TEST(a_store_is_counted_by_the_asynchronous_event_that_it_starts),
		TEST(a_pcr_write_that_overflows_its_pic_leaves_ov_set),
		TEST(a_second_write_clears_that_ov),
		TEST(a_pcr_write_clears_an_older_ov),
		TEST(an_asynchronous_overflow_may_come_with_the_write_that_clears_ov),
		TEST(a_store_to_a_pic_counts_and_traps),
		TEST(a_pcr_write_in_the_race_loses_the_overflow),
		TEST(outside_the_race_ov_is_set_at_once),
		TEST(in_the_race_ntc_comes_with_ov),
		TEST(in_the_race_the_trap_comes_with_ov),
	};

	return cmocka_run_group_tests_name("sparct4 model: stores", tests, find_model,
					   release_model);
}
