// SPDX-License-Identifier: BSD-2-Clause
// Branch prediction: mispredictions of known patterns, worked out by hand from predictor.h and the
// model's README. Counters of two bits start at "strongly taken" in the target table, and at
// "weakly not taken" where the outcome history selects them. A branch enters the target table when
// it is taken.

#include "unit.h"

#include <string.h>

#include "../../../hal/emu/model/predictor.h"

static struct processor_predictor has;
static struct predictor p;

static void begin(const struct processor_predictor *geometry)
{
	has = *geometry;
	memset(&p, 0, sizeof p);
	p.has = &has;
}

// The Pentium's predictor: one counter with each target, no history.
static const struct processor_predictor plain = {.targets = {.ways = 4, .sets = 64}};

static struct processor_predictor with_patterns(unsigned history)
{
	return (struct processor_predictor){
		.targets = {.ways = 4, .sets = 64}, .patterns = 1024, .history = history,
		.decoder = true,
	};
}

static const struct predictor_branch conditional = {
	.address = 0x1000, .behind = 0x1002, .target = 0x900, .conditional = true,
};

static struct predicted see_conditional(bool taken)
{
	struct predictor_branch b = conditional;

	b.taken = taken;
	b.target = taken ? b.target : b.behind;
	return predictor_see(&p, 0, &b);
}

// Mispredictions in `turns` repetitions of a pattern: 'T' taken, 'N' not taken.
static unsigned mispredictions(const char *pattern, unsigned turns)
{
	unsigned wrong = 0;

	for (; turns; turns--)
		for (const char *outcome = pattern; *outcome; outcome++)
			wrong += see_conditional(*outcome == 'T').wrong_path;
	return wrong;
}

// The first execution is not predicted. Then each exit is mispredicted: the counter goes from 3 to
// 2, and back to 3.
static void a_loop_s_exit_is_wrong_each_time(void **state)
{
	(void)state;
	begin(&plain);
	assert_true(see_conditional(true).missed);
	assert_int_equal(mispredictions("TTTTTTTTN", 1), 1);
	assert_int_equal(mispredictions("TTTTTTTTTN", 100), 100);
	assert_int_equal(mispredictions("TN", 100), 100);
}

// Counters: 3; N wrong, 2; N wrong, 1; T wrong, 2; N wrong, 1; N 0; T wrong, 1; N 0; N 0; and so
// on.
static void a_counter_needs_two_to_change_its_mind(void **state)
{
	(void)state;
	begin(&plain);
	assert_int_equal(mispredictions("TNN", 1), 2);
	assert_int_equal(mispredictions("TNN", 1), 2);
	assert_int_equal(mispredictions("TNN", 100), 100);
}

static void what_is_never_taken_is_never_predicted(void **state)
{
	(void)state;
	begin(&plain);
	for (unsigned i = 0; i < 10; i++)
		assert_true(see_conditional(false).missed);
	assert_int_equal(mispredictions("N", 10), 0);
}

// Two outcomes distinguish the three positions of T, T, N. Counters by outcomes: 00 T wrong; 01 T
// wrong; 11 N; 10 T wrong; from then on all predictions are right.
static void outcomes_tell_a_short_loop_s_exit(void **state)
{
	const struct processor_predictor geometry = with_patterns(2);

	(void)state;
	begin(&geometry);
	assert_int_equal(mispredictions("TTN", 1), 2);
	assert_int_equal(mispredictions("TTN", 1), 1);
	assert_int_equal(mispredictions("TTN", 100), 0);
}

// Two outcomes do not distinguish the positions of T, T, T, N: after 11, T and N alternate, and the
// counter goes from 1 to 2 and back, always wrong. First 00, 01, 11 and 11 are wrong, then 10, 11
// and 11.
static void a_longer_loop_s_exit_is_wrong_and_so_is_what_is_before_it(void **state)
{
	const struct processor_predictor geometry = with_patterns(2);

	(void)state;
	begin(&geometry);
	assert_int_equal(mispredictions("TTTN", 1), 4);
	assert_int_equal(mispredictions("TTTN", 1), 3);
	assert_int_equal(mispredictions("TTTN", 100), 200);
}

// A linear feedback shift register of seven bits: its last seven outcomes determine the next one.
static bool next_outcome(unsigned *bits)
{
	const bool outcome = (*bits ^ *bits >> 1) & 1;

	*bits = *bits >> 1 | (unsigned)outcome << 6;
	return outcome;
}

// The sequence repeats after 127 outcomes. Within one period the last seven outcomes have every
// value except zero once, so that each counter has been right or has learned.
static void pseudo_random_outcomes_are_learned_if_the_history_is_long_enough(void **state)
{
	const struct processor_predictor geometry = with_patterns(7);
	unsigned bits = 1, wrong = 0;

	(void)state;
	begin(&geometry);
	for (unsigned i = 0; i < 7 + 127; i++)
		see_conditional(next_outcome(&bits));
	for (unsigned i = 0; i < 10 * 127; i++)
		wrong += see_conditional(next_outcome(&bits)).wrong_path;
	assert_int_equal(wrong, 0);
}

// A history of four outcomes is too short. The expected mispredictions are computed here, with one
// counter for each value of four outcomes.
static void too_short_a_history_does_not_learn_them(void **state)
{
	const struct processor_predictor geometry = with_patterns(4);
	int counters[16], *counter;
	unsigned bits = 1, expected = 0, wrong = 0, last = 0;

	(void)state;
	begin(&geometry);
	for (unsigned i = 0; i < 16; i++)
		counters[i] = 1;
	for (unsigned i = 0; i < 10 * 127; i++) {
		const bool taken = next_outcome(&bits);

		wrong += see_conditional(taken).wrong_path;
		counter = &counters[last % 16];
		expected += taken != (*counter >= 2);
		*counter += taken ? *counter < 3 : -(*counter > 0);
		last = last * 2 + taken;
	}
	assert_int_equal(wrong, expected);
	assert_in_range(wrong, 400, 900);
}

// A history of eighteen outcomes predicts the exit of a loop of fourteen, although the index has
// only ten bits.
static void a_long_history_is_folded(void **state)
{
	const struct processor_predictor geometry = with_patterns(18);

	(void)state;
	begin(&geometry);
	mispredictions("TTTTTTTTTTTTTN", 40);
	assert_int_equal(mispredictions("TTTTTTTTTTTTTN", 100), 0);
}

//
// Targets
//

static struct predicted see(uint64_t address, uint64_t target)
{
	return predictor_see(&p, 0, &(struct predictor_branch){
		.address = address, .behind = address + 5, .target = target, .taken = true,
	});
}

static struct predicted see_call(uint64_t address, uint64_t target)
{
	return predictor_see(&p, 0, &(struct predictor_branch){
		.address = address, .behind = address + 5, .target = target, .taken = true,
		.call = true,
	});
}

static struct predicted see_return(uint64_t address, uint64_t target)
{
	return predictor_see(&p, 0, &(struct predictor_branch){
		.address = address, .behind = address + 1, .target = target, .taken = true,
		.is_return = true,
	});
}

static struct predicted see_indirect(uint64_t address, uint64_t target)
{
	return predictor_see(&p, 0, &(struct predictor_branch){
		.address = address, .behind = address + 2, .target = target, .taken = true,
		.indirect = true,
	});
}

static bool is_wrong(struct predicted is)
{
	return is.wrong_path || is.wrong_target;
}

// The address's low bits select one of 64 sets: five branches 64 bytes apart do not fit into four
// ways.
static void the_table_has_sets_and_ways(void **state)
{
	(void)state;
	begin(&plain);
	for (unsigned i = 0; i < 4; i++)
		assert_true(see(0x1000 + 64 * i, 0x5000).missed);
	for (unsigned i = 0; i < 4; i++)
		assert_false(see(0x1000 + 64 * i, 0x5000).missed);
	assert_false(see(0x1000, 0x5000).missed);
	assert_true(see(0x1000 + 64 * 4, 0x5000).missed);	// replaces the second branch
	assert_false(see(0x1000, 0x5000).missed);
	assert_true(see(0x1000 + 64, 0x5000).missed);
	assert_true(see(0x1001, 0x5000).missed);
}

static void without_a_decoder_what_is_missed_is_not_predicted(void **state)
{
	(void)state;
	begin(&plain);
	assert_false(is_wrong(see(0x1000, 0x5000)));
	assert_false(is_wrong(see_indirect(0x2000, 0x5000)));
	assert_false(is_wrong(see_indirect(0x2000, 0x5000)));
	assert_true(see_indirect(0x2000, 0x6000).wrong_target);
	assert_false(is_wrong(see_indirect(0x2000, 0x6000)));
}

// Without a return stack, the predicted target of a return is its last one.
static void returns_without_a_stack_are_wrong_when_the_caller_changes(void **state)
{
	(void)state;
	begin(&plain);
	see_call(0x1000, 0x5000);
	assert_true(see_return(0x5010, 0x1005).missed);
	see_call(0x1000, 0x5000);
	assert_false(is_wrong(see_return(0x5010, 0x1005)));
	see_call(0x2000, 0x5000);
	assert_true(see_return(0x5010, 0x2005).wrong_target);
}

static void the_decoder_redirects_once(void **state)
{
	struct processor_predictor geometry = with_patterns(2);
	struct predicted is;

	(void)state;
	geometry.returns = 4;
	begin(&geometry);
	is = see(0x1000, 0x5000);
	assert_true(is.missed && is.redirected && !is_wrong(is));
	is = see(0x1000, 0x5000);
	assert_true(!is.missed && !is.redirected && !is_wrong(is));
	assert_true(see_call(0x2000, 0x5000).redirected);
	is = see_return(0x5010, 0x2005);
	assert_true(is.missed && is.redirected && !is_wrong(is));
	is = see_indirect(0x3000, 0x5000);	// no part of the predictor knows its target
	assert_true(is.missed && !is.redirected && is.wrong_target);
	assert_false(is_wrong(see_indirect(0x3000, 0x5000)));
}

// A conditional branch that is not in the target table is predicted by its outcome history. The
// test removes the branch from the table and repeats history 0, until its counter predicts "taken".
static void the_decoder_asks_the_outcomes(void **state)
{
	const struct processor_predictor geometry = with_patterns(1);
	struct predicted is;

	(void)state;
	begin(&geometry);
	is = see_conditional(false);
	assert_true(is.missed && !is.redirected && !is_wrong(is));
	is = see_conditional(true);
	assert_true(is.missed && !is.redirected && is.wrong_path);
	memset(p.targets, 0, sizeof p.targets);
	p.thread[0].outcomes = 0;
	see_conditional(true);		// history 0 again: its counter was 0, then 1, and is 2 now
	memset(p.targets, 0, sizeof p.targets);
	p.thread[0].outcomes = 0;
	is = see_conditional(true);
	assert_true(is.missed && is.redirected && !is_wrong(is));
}

// The fifth call overwrites the first one's return address.
static void the_stack_has_as_many_returns_as_it_has_places(void **state)
{
	struct processor_predictor geometry = with_patterns(2);

	(void)state;
	geometry.returns = 4;
	begin(&geometry);
	for (unsigned i = 1; i <= 5; i++)
		see_call(0x1000 * i, 0x1000 * (i + 1));
	for (unsigned i = 5; i >= 2; i--)
		assert_false(is_wrong(see_return(0x8000 + i, 0x1000 * i + 5)));
	assert_true(see_return(0x8001, 0x1005).wrong_target);
}

// The target table's entry is stale if the branch goes elsewhere. With a return stack, returns do
// not use the table.
static void the_table_s_target_is_stale_when_the_branch_goes_elsewhere(void **state)
{
	struct processor_predictor geometry = with_patterns(2);

	(void)state;
	geometry.returns = 4;
	begin(&geometry);
	assert_false(see_indirect(0x1000, 0x5000).stale);
	assert_false(see_indirect(0x1000, 0x5000).stale);
	assert_true(see_indirect(0x1000, 0x6000).stale);
	assert_false(see_indirect(0x1000, 0x6000).stale);
	see_return(0x5010, 0x2005);
	assert_false(see_return(0x5010, 0x3005).stale);
	see_conditional(true);
	assert_false(see_conditional(false).stale);	// it is not taken
	begin(&plain);
	see_return(0x5010, 0x2005);
	assert_true(see_return(0x5010, 0x3005).stale);
}

// A jump goes to one target after a taken branch, to another after an untaken one. The target table
// holds the last target, which is wrong each time. Once it was wrong, the indirect predictor learns
// the target by history: the first jump is missed, the second and third are wrong.
static void outcomes_say_where_an_indirect_jump_goes(void **state)
{
	struct processor_predictor geometry = with_patterns(2);
	unsigned wrong = 0;

	(void)state;
	geometry.indirect = (struct cache_geometry){.ways = 4, .sets = 16};
	geometry.indirect_history = 1;
	begin(&geometry);
	for (unsigned i = 0; i < 100; i++) {
		see_conditional(i % 2);
		wrong += is_wrong(see_indirect(0x4000, i % 2 ? 0x5000 : 0x6000));
	}
	assert_int_equal(wrong, 3);
	geometry.indirect.ways = 0;
	begin(&geometry);
	wrong = 0;
	for (unsigned i = 0; i < 100; i++) {
		see_conditional(i % 2);
		wrong += is_wrong(see_indirect(0x4000, i % 2 ? 0x5000 : 0x6000));
	}
	assert_int_equal(wrong, 100);
}

static void threads_have_outcomes_and_returns_of_their_own(void **state)
{
	struct processor_predictor geometry = with_patterns(2);
	struct predictor_branch call = {
		.address = 0x1000, .behind = 0x1005, .target = 0x5000, .taken = true, .call = true,
	};

	(void)state;
	geometry.returns = 4;
	begin(&geometry);
	see_call(0x2000, 0x5000);
	assert_true(predictor_see(&p, 1, &call).missed);
	assert_false(is_wrong(see_return(0x5010, 0x2005)));
	assert_false(see(0x1000, 0x5000).missed);	// threads share the table
	see_conditional(true);
	assert_int_equal(p.thread[1].outcomes, 0);
}

//
// The short path
//

static uint64_t random_number(void)
{
	static uint64_t state = 0x123456789ABCDEF;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

// A random branch of a program with 300 branches. A branch keeps its kind, and mostly its target.
static struct predictor_branch choose(void)
{
	const uint64_t which = random_number() % 300, kind = which % 8;
	struct predictor_branch b = {
		.address = 0x1000 + 3 * which, .behind = 0x1002 + 3 * which,
		.target = 0x8000 + 16 * which,
		.conditional = kind < 4, .call = kind == 4, .is_return = kind == 5,
		.indirect = kind == 6,
	};

	b.taken = !b.conditional || random_number() % (2 + which % 4);
	if (!b.taken)
		b.target = b.behind;
	else if (b.is_return || b.indirect || random_number() % 64 == 0)
		b.target += random_number() % 4;
	return b;
}

#define BRANCHES 200000

// Two identical predictors see the same random branches; one of them uses the short path where it
// can. All predictions and the final states must be equal. Returns how many branches took the short
// path.
static unsigned compare(const struct processor_predictor *geometry)
{
	static struct predictor other;
	unsigned short_ways = 0;

	begin(geometry);
	other = p;
	for (unsigned i = 0; i < BRANCHES; i++) {
		const struct predictor_branch b = choose();
		const unsigned thread = random_number() % PREDICTOR_THREADS;
		const struct predicted is = predictor_see(&p, thread, &b);
		struct predicted by_other = {0};

		if (!b.call && !b.is_return && !b.indirect &&
		    predictor_see_known(&other, thread, b.address, b.target, b.conditional, b.taken,
					&by_other.wrong_path))
			short_ways++;
		else
			by_other = predictor_see(&other, thread, &b);
		assert_memory_equal(&by_other, &is, sizeof is);
	}
	assert_memory_equal(&other, &p, sizeof p);
	return short_ways;
}

static void the_short_way_is_the_same(void **state)
{
	struct processor_predictor geometry = with_patterns(18);

	(void)state;
	assert_in_range(compare(&plain), BRANCHES / 8, BRANCHES);
	assert_in_range(compare(&geometry), BRANCHES / 8, BRANCHES);
	geometry.indirect = (struct cache_geometry){.ways = 4, .sets = 16};
	geometry.indirect_history = 8;
	geometry.returns = 16;
	assert_in_range(compare(&geometry), BRANCHES / 8, BRANCHES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_s_exit_is_wrong_each_time),
		cmocka_unit_test(a_counter_needs_two_to_change_its_mind),
		cmocka_unit_test(what_is_never_taken_is_never_predicted),
		cmocka_unit_test(outcomes_tell_a_short_loop_s_exit),
		cmocka_unit_test(a_longer_loop_s_exit_is_wrong_and_so_is_what_is_before_it),
		cmocka_unit_test(pseudo_random_outcomes_are_learned_if_the_history_is_long_enough),
		cmocka_unit_test(too_short_a_history_does_not_learn_them),
		cmocka_unit_test(a_long_history_is_folded),
		cmocka_unit_test(the_table_has_sets_and_ways),
		cmocka_unit_test(the_table_s_target_is_stale_when_the_branch_goes_elsewhere),
		cmocka_unit_test(without_a_decoder_what_is_missed_is_not_predicted),
		cmocka_unit_test(returns_without_a_stack_are_wrong_when_the_caller_changes),
		cmocka_unit_test(the_decoder_redirects_once),
		cmocka_unit_test(the_decoder_asks_the_outcomes),
		cmocka_unit_test(the_stack_has_as_many_returns_as_it_has_places),
		cmocka_unit_test(outcomes_say_where_an_indirect_jump_goes),
		cmocka_unit_test(threads_have_outcomes_and_returns_of_their_own),
		cmocka_unit_test(the_short_way_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
