// SPDX-License-Identifier: BSD-2-Clause
// The SPARC T4 model: overflows, and the two kinds of traps.

#include "model_traps.h"

//
// ov and ntc
//

// Table 10-1: ov is "set to 1 when PIC wraps from 2^32 - 1 to 0".
static void a_wrap_sets_ov(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		set(i, INSTR_ALL | UT, BEFORE(3));
		execute(2);
		assert_int_equal(get(PIC0 + i), 0xFFFFFFFF);
		assert_int_equal(get(PCR0 + i), INSTR_ALL | UT);
		execute(1);
		assert_int_equal(get(PIC0 + i), 0);
		assert_int_equal(get(PCR0 + i), INSTR_ALL | UT | OV);
	}
}

// "Once set, ov remains set until reset by software."; "can be reset by software but can never be
// written to 1".
static void ov_stays_until_it_is_written_as_0(void **state)
{
	(void)state;
	set(0, INSTR_ALL | UT, BEFORE(1));
	execute(5);
	no_signals();
	put(PCR0, INSTR_ALL | UT | OV);
	assert_int_equal(get(PCR0), INSTR_ALL | UT | OV);
	put(PCR0, OV | NTC);
	assert_int_equal(get(PCR0), OV);
	put(PCR0, INSTR_ALL | UT);
	assert_int_equal(get(PCR0), INSTR_ALL | UT);
	put(PCR0, INSTR_ALL | UT | OV);
	assert_int_equal(get(PCR0), INSTR_ALL | UT);
}

// "Each PCR.ov bit is independent of other PCR.ov bits."
static void clearing_one_ov_leaves_the_others(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++)
		set(i, INSTR_ALL | UT, BEFORE(1));
	execute(1);
	put(PCR0 + 2, INSTR_ALL | UT);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get(PCR0 + i) & OV, i == 2 ? 0 : OV);
}

// "PIC0 may overflow due to an ITLB miss event and PIC1 may simultaneously overflow due to a data
// cache miss event. Both PCR0.ov and PCR1.ov will be set".
static void simultaneous_overflows_all_set_their_ov(void **state)
{
	(void)state;
	set(0, EVENT(5, 0x10) | UT | TOE, BEFORE(1));
	set(1, EVENT(16, 0x07) | UT | TOE, BEFORE(1));
	SIGNALS({5, 0x10, 1, 0, USER}, {16, 0x01, 1, 0, USER});
	run(1);
	assert_int_equal(get(PCR0) & OV, OV);
	assert_int_equal(get(PCR0 + 1) & OV, OV);
	assert_int_equal(precise(), 1);
}

// "Set to 1 when PIC wraps from 2^32 - 1 to 0 on a next-to-commit (ntc) instruction"; "Hardware
// sets ntc whenever it sets ov on a next-to-commit instruction."
static void ntc_is_set_with_ov_at_a_next_to_commit_instruction(void **state)
{
	(void)state;
	set(0, INSTR_ALL | UT, BEFORE(2));
	set(1, INSTR_ALL | UT, BEFORE(1));
	set(2, EVENT(4, 0x08) | UT, BEFORE(2));
	execute(1);
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, USER, .type = OCCURRENCE_TYPE_COMMIT},
		{4, 0x10, 1, 0, USER});
	run(1);
	assert_int_equal(get(PCR0) & (OV | NTC), OV | NTC);
	assert_int_equal(get(PCR0 + 1) & (OV | NTC), OV);	// wrapped before
	assert_int_equal(get(PCR0 + 2) & (OV | NTC), 0);	// counts something else
	no_signals();
	put(PCR0, INSTR_ALL | UT | NTC);
	assert_int_equal(get(PCR0) & (OV | NTC), NTC);
	put(PCR0, INSTR_ALL | UT);
	assert_int_equal(get(PCR0) & (OV | NTC), 0);
}

// For each kind of occurrence that a counter counts: a condition, or an event together with one
// (group 8: conditions 1, 2, 4).
static void ntc_is_set_of_conditions_and_of_events_next_to_them(void **state)
{
	static const uint64_t events[] = {EVENT(TAG_WAITS, 1), EVENT(CYCLES, 0), EVENT(8, 1),
					  EVENT(8, 8)};

	(void)state;
	for (unsigned commits = 0; commits < 2; commits++) {
		const uint8_t type = commits ? OCCURRENCE_TYPE_COMMIT : 0;

		no_signals();
		for (unsigned i = 0; i < COUNTERS; i++)
			set(i, events[i] | UT, BEFORE(1));
		SIGNALS({TAG_WAITS, 1, 1, 0, USER, .type = type},
			{CYCLES, 0, 1, 0, USER, .type = type},
			{8, 9, 1, 0, USER, .type = type});
		run(1);
		for (unsigned i = 0; i < COUNTERS; i++)
			assert_int_equal(get(PCR0 + i) & (OV | NTC), commits ? OV | NTC : OV);
	}
}

// A backend with an instruction clock reports a commit without new signals. Also without a trap,
// and while the last overflow is not served.
static void ntc_is_set_by_a_commit_of_the_signals_as_they_are(void **state)
{
	static const uint64_t behind[] = {1, 2, 1, 0};

	(void)state;
	for (unsigned trapping = 0; trapping < 2; trapping++) {
		no_signals();
		set(0, INSTR_ALL | UT, BEFORE(3));
		set(1, INSTR_ALL | UT, BEFORE(2));
		set(2, INSTR_ALL | UT | (trapping ? TOE : 0), BEFORE(3));
		set(3, INSTR_ALL | UT, BEFORE(4));
		SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, USER});
		run(2);
		model->machine->commit(pmu);
		assert_int_equal(precise(), trapping);
		run(1);
		assert_int_equal(get(PCR0) & (OV | NTC), OV | NTC);
		assert_int_equal(get(PCR0 + 1) & (OV | NTC), OV);	// wrapped before
		assert_int_equal(get(PCR0 + 2) & (OV | NTC), OV | NTC);
		assert_int_equal(get(PCR0 + 3) & (OV | NTC), OV);	// wraps after it
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(get(PIC0 + i), behind[i]);
	}
}

// Any number of events per cycle, any length of a run.
static void counts_go_round_exactly(void **state)
{
	(void)state;
	set(0, EVENT(3, 1) | ALL, 5);
	set(1, EVENT(3, 2) | ALL, 0xFFFFFFF0);
	SIGNALS({3, 1, 3}, {3, 2, 0xFFFFFFFF});
	run(1ULL << 40);
	// 5 + 3 * 2^40; 2^32 - 16 - 2^40 + 2^72: modulo 2^32.
	assert_int_equal(get(PIC0), 5);
	assert_int_equal(get(PIC0 + 1), 0xFFFFFFF0);
	run((1ULL << 61) + 7);
	assert_int_equal(get(PIC0), 5 + 21);
	assert_int_equal(get(PIC0 + 1), 0xFFFFFFF0 - 7);
	assert_int_equal(get(PCR0) & OV, OV);
	assert_int_equal(get(PCR0 + 1) & OV, OV);
}

//
// Precise traps
//

// Section 10.3: with toe the overflow of a precise event is a precise trap at its instruction;
// headroom predicts it.
static void precise_events_trap_at_their_instruction(void **state)
{
	static const struct {
		unsigned sl, bit;
	} events[] = {{3, 0x01}, {4, 0x20}, {5, 0x08}, {16, 0x04}, {25, 0x01}};

	(void)state;
	for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
		set(0, EVENT(events[i].sl, events[i].bit) | UT | TOE, BEFORE(5));
		SIGNALS({(uint16_t)events[i].sl, (uint16_t)events[i].bit, 1, 0, USER});
		assert_int_equal(outputs()->headroom, 4);
		run(4);
		assert_int_equal(precise(), 0);
		assert_int_equal(outputs()->headroom, 0);
		run(1);
		assert_int_equal(precise(), 1);
		assert_int_equal(requests(), 0);
		assert_int_equal(outputs()->held, 0);
	}
}

static void without_toe_nothing_traps(void **state)
{
	(void)state;
	set(0, INSTR_ALL | UT, BEFORE(5));
	set(1, ASYNCHRONOUS | UT, BEFORE(5));
	execute(0);
	assert_true(outputs()->headroom >= MODEL_FAR);
	execute(20);
	assert_int_equal(get(PCR0) & OV, OV);
	assert_int_equal(precise(), 0);
	assert_int_equal(requests(), 0);
	assert_int_equal(outputs()->held, 0);
}

// "Additionally, setting PCR.ht == 1 prevents any precise_performance_event trap from occurring."
static void with_ht_no_precise_trap(void **state)
{
	(void)state;
	set(0, INSTR_ALL | ALL | TOE, BEFORE(5));
	execute(0);
	assert_true(outputs()->headroom >= MODEL_FAR);
	execute(5);
	assert_int_equal(precise(), 0);
	assert_int_equal(get(PCR0) & OV, OV);
}

// "If HPSTATE.hpriv == 1, the trap is lost, even if PCR.ht == 0." Here the event's signal still has
// user mode.
static void in_hyperprivileged_mode_precise_traps_are_lost(void **state)
{
	(void)state;
	set(0, INSTR_ALL | UT | TOE, BEFORE(1));
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, USER}, {31, 0, 1, 0, HYPER});
	run(1);
	assert_int_equal(get(PCR0) & OV, OV);
	assert_int_equal(precise(), 0);
	execute(3);
	assert_int_equal(precise(), 0);		// lost permanently
}

static void a_precise_trap_comes_in_privileged_mode(void **state)
{
	(void)state;
	set(0, INSTR_ALL | ST | TOE, BEFORE(2));
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, PRIVILEGED});
	run(2);
	assert_int_equal(precise(), 1);
}

// An old ov, or toe set later, does not trap; the next wrap does.
static void only_a_wrap_traps_precisely(void **state)
{
	(void)state;
	set(0, INSTR_ALL | UT, BEFORE(1));
	execute(1);
	put(PCR0, INSTR_ALL | UT | TOE | OV);
	execute(10);
	assert_int_equal(precise(), 0);
	put(PIC0, BEFORE(1));
	execute(1);
	assert_int_equal(precise(), 1);
}

//
// Disrupting traps
//

// Section 10.3, Table 10-1: "Events in other event groups".
static void other_events_raise_the_line(void **state)
{
	static const unsigned precise_groups[] = {3, 4, 5, 16, 25};

	(void)state;
	for (unsigned sl = 1; sl < 32; sl++) {
		bool is_precise = false;

		for (unsigned i = 0; i < 5; i++)
			is_precise |= sl == precise_groups[i];
		if (is_precise || (sl >= 12 && sl <= 15) || sl == 27 || sl == 28 || sl > 28)
			continue;
		set(0, EVENT(sl, 1) | UT | TOE, BEFORE(5));
		SIGNALS({(uint16_t)sl, 1, 1, 0, USER});
		assert_int_equal(outputs()->headroom, 4);
		run(4);
		assert_int_equal(requests(), 0);
		run(1);
		assert_int_equal(requests(), 1);
		assert_int_equal(outputs()->held, 1);
		assert_int_equal(precise(), 0);
		put(PCR0, 0);
		assert_int_equal(outputs()->held, 0);
	}
}

// ht and the mode affect precise traps only.
static void disrupting_traps_come_in_hyperprivileged_mode_too(void **state)
{
	(void)state;
	set(0, ASYNCHRONOUS | ALL | TOE, BEFORE(2));
	SIGNALS({CYCLES, 0, 1, 0, HYPER});
	run(2);
	assert_int_equal(requests(), 1);
}

// "The trap handler for a disrupting_performance_event trap must clear PCRx.ov, otherwise hardware
// may continuously trigger a trap."
static void the_line_is_up_until_the_cause_is_gone(void **state)
{
	static const uint64_t still[] = {ASYNCHRONOUS | UT | TOE | OV, TOE | OV,
					 EVENT(COMMITS, 1) | TOE | OV};
	static const uint64_t gone[] = {ASYNCHRONOUS | UT | TOE, ASYNCHRONOUS | UT | OV,
					INSTR_ALL | UT | TOE | OV, 0};

	(void)state;
	for (unsigned i = 0; i < sizeof gone / sizeof *gone; i++) {
		set(0, ASYNCHRONOUS | UT | TOE, BEFORE(1));
		execute(1);
		no_signals();
		assert_int_equal(requests(), 1);
		for (unsigned j = 0; j < sizeof still / sizeof *still; j++) {
			put(PCR0, still[j]);
			assert_int_equal(outputs()->held, 1);
			assert_int_equal(requests(), 0);	// it has not risen again
		}
		put(PCR0, gone[i]);
		assert_int_equal(outputs()->held, 0);
	}
}

// All counters of a strand share one line.
static void the_line_stays_up_for_any_counter(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++)
		set(i, ASYNCHRONOUS | UT | TOE, BEFORE(1 + i));
	execute(COUNTERS);
	assert_int_equal(requests(), 1);
	no_signals();
	for (unsigned i = 0; i < COUNTERS; i++) {
		assert_int_equal(outputs()->held, 1);
		put(PCR0 + i, 0);
	}
	assert_int_equal(outputs()->held, 0);
	assert_int_equal(requests(), 0);
}

// While the line is up, further overflows have no effect, so runs need not stop for them.
static void headroom_does_not_stop_at_what_raises_nothing(void **state)
{
	(void)state;
	set(0, ASYNCHRONOUS | UT | TOE, BEFORE(1));
	set(1, ASYNCHRONOUS | UT | TOE, BEFORE(10));
	execute(1);
	assert_true(outputs()->headroom >= MODEL_FAR);
	requests();
	run(20);
	assert_int_equal(get(PCR0 + 1) & OV, OV);
	assert_int_equal(requests(), 0);
}

// "Hardware ANDs the value of toe with ov to produce a trap."
static void setting_toe_behind_an_overflow_raises_the_line(void **state)
{
	(void)state;
	set(0, ASYNCHRONOUS | UT, BEFORE(1));
	execute(1);
	assert_int_equal(requests(), 0);
	put(PCR0, ASYNCHRONOUS | UT | TOE | OV);
	assert_int_equal(requests(), 1);
	assert_int_equal(outputs()->held, 1);
}

// A request that has not been taken falls with its cause.
static void an_untaken_request_goes_with_the_line(void **state)
{
	(void)state;
	set(0, ASYNCHRONOUS | UT | TOE, BEFORE(1));
	execute(1);
	assert_int_equal(outputs()->requests, 1);
	put(PCR0, ASYNCHRONOUS | UT);
	assert_int_equal(outputs()->requests, 0);
}

static void several_traps_are_foreseen(void **state)
{
	(void)state;
	set(0, INSTR_ALL | UT | TOE, BEFORE(30));
	set(1, EVENT(3, 4) | UT | TOE, BEFORE(31));
	set(2, ASYNCHRONOUS | UT | TOE, BEFORE(12));
	set(3, INSTR_ALL | UT, BEFORE(2));
	SIGNALS({INSTRUCTIONS, 4, 3, 0, USER}, {CYCLES, 0, 1, 0, USER});
	// 30 events left at 3 per cycle wrap in the 10th cycle, 31 in the 11th, 12 at 1 in the
	// 12th.
	assert_int_equal(outputs()->headroom, 9);
	run(10);
	assert_int_equal(precise(), 1);
	assert_int_equal(outputs()->headroom, 0);
	run(1);
	assert_int_equal(precise(), 1);
	assert_int_equal(outputs()->headroom, 0);
	run(1);
	assert_int_equal(requests(), 1);
	assert_int_equal(precise(), 0);
	// Counter 0 has continued to 6: it wraps with 2^32 - 6 more.
	assert_int_equal(outputs()->headroom, (0x100000000 - 6 - 1) / 3);
}

// Each strand has its own traps; headroom ends at the first one.
static void each_strand_takes_its_own_traps(void **state)
{
	(void)state;
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		put_of(strand, PIC0, BEFORE(10 + strand));
		put_of(strand, PCR0, INSTR_ALL | UT | TOE);
		put_of(strand, PIC0 + 1, BEFORE(10 + strand));
		put_of(strand, PCR0 + 1, ASYNCHRONOUS | UT | TOE);
	}
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 5, USER}, {CYCLES, 0, 1, 5, USER},
		{CYCLES, 0, 1, 2, USER});
	assert_int_equal(outputs()->headroom, 11);
	run(12);
	assert_int_equal(precise(), 0);
	assert_int_equal(requests(), 1U << 2);
	assert_int_equal(outputs()->held, 1U << 2);
	assert_int_equal(outputs()->headroom, 2);
	run(3);
	assert_int_equal(precise(), 1U << 5);
	assert_int_equal(requests(), 1U << 5);
	assert_int_equal(outputs()->held, 1U << 5 | 1U << 2);
	put_of(2, PCR0 + 1, 0);
	assert_int_equal(outputs()->held, 1U << 5);
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		assert_int_equal(get_of(strand, PCR0) & OV, strand == 5 ? OV : 0);
		assert_int_equal(get_of(strand, PCR0 + 1) & OV, strand == 5 ? OV : 0);
	}
}

// A store is an instruction of the strand that executes it, and a cycle of all strands.
static void a_store_is_its_own_strands(void **state)
{
	(void)state;
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		put_of(strand, PIC0, 0xFFFFFFFF);
		put_of(strand, PCR0, INSTR_ALL | HT);
	}
	SIGNALS({INSTRUCTIONS, 0x10, 1, 3, HYPER}, {INSTRUCTIONS, 0x20, 1, 4, HYPER});
	assert_true(model->write(pmu, 3, PIC0 + 1, 0, 1));
	no_signals();
	for (unsigned strand = 0; strand < STRANDS; strand++)
		assert_int_equal(get_of(strand, PCR0) & (OV | NTC), strand == 3 ? OV | NTC :
				 strand == 4 ? OV : 0);
}

// The programming note on sl 28 with two strands at once: each strand has its own window.
static void windows_are_their_strands(void **state)
{
	(void)state;
	no_signals();
	put_of(7, PIC0, BEFORE(1));
	put_of(7, PCR0, EVENT(COMMITS, 1) | ALL);
	SIGNALS({COMMITS, 1, 1, 7, USER}, {COMMITS, 1, 1, 1, USER});
	run(1);
	put_of(1, PIC0, BEFORE(1));
	put_of(1, PCR0, EVENT(COMMITS, 1) | ALL);
	assert_int_equal(get_of(7, PCR0) & OV, 0);
	run(1);
	assert_int_equal(get_of(7, PCR0) & OV, OV);
	assert_int_equal(get_of(1, PCR0) & OV, 0);
	run(1);
	assert_int_equal(get_of(1, PCR0) & OV, OV);
}

// The instruction that leaves hyperprivileged mode is hyperprivileged: its trap is lost, even if
// the mode is the lower one already. WRPR %pstate is privileged: it traps, and has executed
// (footnote 1 of Table 10-1).
static void a_change_of_the_mode_traps_as_the_old_mode_does(void **state)
{
	(void)state;
	set(0, INSTR_ALL | HT | TOE, BEFORE(1));
	SIGNALS({INSTRUCTIONS, 0x10, 1, 0, HYPER, .type = OCCURRENCE_TYPE_COMMIT},
		{CYCLES, 0, 1, 0, PRIVILEGED});
	run(1);
	assert_int_equal(precise(), 0);
	assert_int_equal(get(PCR0) & (OV | NTC), OV | NTC);
	no_signals();
	set(0, INSTR_ALL | ST | TOE, BEFORE(1));
	SIGNALS({INSTRUCTIONS, 0x10, 1, 0, PRIVILEGED, .type = OCCURRENCE_TYPE_COMMIT},
		{CYCLES, 0, 1, 0, USER});
	run(1);
	assert_int_equal(precise(), 1);
	assert_int_equal(get(PCR0) & (OV | NTC), OV | NTC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_wrap_sets_ov),
		TEST(ov_stays_until_it_is_written_as_0),
		TEST(clearing_one_ov_leaves_the_others),
		TEST(simultaneous_overflows_all_set_their_ov),
		TEST(ntc_is_set_with_ov_at_a_next_to_commit_instruction),
		TEST(ntc_is_set_of_conditions_and_of_events_next_to_them),
		TEST(ntc_is_set_by_a_commit_of_the_signals_as_they_are),
		TEST(counts_go_round_exactly),
		TEST(precise_events_trap_at_their_instruction),
		TEST(without_toe_nothing_traps),
		TEST(with_ht_no_precise_trap),
		TEST(in_hyperprivileged_mode_precise_traps_are_lost),
		TEST(a_precise_trap_comes_in_privileged_mode),
		TEST(only_a_wrap_traps_precisely),
		TEST(other_events_raise_the_line),
		TEST(disrupting_traps_come_in_hyperprivileged_mode_too),
		TEST(the_line_is_up_until_the_cause_is_gone),
		TEST(the_line_stays_up_for_any_counter),
		TEST(headroom_does_not_stop_at_what_raises_nothing),
		TEST(setting_toe_behind_an_overflow_raises_the_line),
		TEST(an_untaken_request_goes_with_the_line),
		TEST(several_traps_are_foreseen),
		TEST(each_strand_takes_its_own_traps),
		TEST(a_store_is_its_own_strands),
		TEST(windows_are_their_strands),
		TEST(a_change_of_the_mode_traps_as_the_old_mode_does),
	};

	return cmocka_run_group_tests_name("sparct4 model: overflows", tests, find_model,
					   release_model);
}
