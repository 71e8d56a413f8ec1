// SPDX-License-Identifier: BSD-2-Clause
// Prediction of branches: sizes of tables, and the stage of each prediction. Expected values follow
// from predictor.h's sizes and the order in the Itanium processor's reference manual, 7.8
// (BRANCH_PREDICTOR).

#include "unit.h"

#include "../../../hal/emu/ia64/predictor.h"

static struct ia64_predictor_branch at(uint64_t bundle)
{
	return (struct ia64_predictor_branch){.bundle = bundle, .slot = 2, .dynamic = true,
					      .target = 0x9000};
}

static void execute(struct ia64_predictor *p, uint64_t bundle, bool taken)
{
	const struct ia64_predictor_branch b = at(bundle);

	ia64_predictor_learn(p, &b, taken, 0x9000);
}

static unsigned stage(struct ia64_predictor *p, uint64_t bundle)
{
	const struct ia64_predictor_branch b = at(bundle);

	return ia64_predict(p, &b).stage;
}

static void a_set_has_four_entries(void **state)
{
	static struct ia64_predictor p;
	const uint64_t apart = 128 * 16;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		execute(&p, 0x10000 + i * apart, false);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(stage(&p, 0x10000 + i * apart), 2);
	execute(&p, 0x10000 + 4 * apart, false);
	assert_int_equal(stage(&p, 0x10000), 3);
	assert_int_equal(stage(&p, 0x10000 + apart), 2);
}

static void four_registers_and_64_cached_targets(void **state)
{
	static struct ia64_predictor p;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		ia64_predictor_announce(&p, 0x10000 + i * 16, 0x9000, true);
	assert_int_equal(stage(&p, 0x10000), 3);
	assert_int_equal(stage(&p, 0x10010), 1);
	for (unsigned i = 0; i < 65; i++)
		ia64_predictor_announce(&p, 0x20000 + i * 16, 0x9000, false);
	assert_int_equal(stage(&p, 0x20000), 3);
	assert_int_equal(stage(&p, 0x20010), 2);
}

static void eight_returns_are_remembered(void **state)
{
	static struct ia64_predictor p;
	struct ia64_predictor_branch call = {.bundle = 0, .call = true},
		back = {.bundle = 0x70000, .is_return = true};

	(void)state;
	back.hinted = true;
	for (unsigned i = 1; i <= 9; i++) {
		call.bundle = i * 0x1000;
		ia64_predictor_learn(&p, &call, true, 0x70000);
	}
	for (unsigned i = 9; i >= 2; i--) {
		assert_int_equal(ia64_predict(&p, &back).target, i * 0x1000 + 16);
		ia64_predictor_learn(&p, &back, true, 0);
	}
	assert_int_not_equal(ia64_predict(&p, &back).target, 0x1000 + 16);
}

// A period that four outcomes distinguish is learned: here taken, taken, taken, not taken.
static void a_short_period_is_learned(void **state)
{
	static struct ia64_predictor p;
	const struct ia64_predictor_branch b = at(0x10000);

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		const bool taken = i % 4 != 3;

		if (i >= 50)
			assert_int_equal(ia64_predict(&p, &b).taken, taken);
		ia64_predictor_learn(&p, &b, taken, 0x9000);
	}
}

static void static_hints_leave_the_tables_alone(void **state)
{
	static struct ia64_predictor p, before;
	struct ia64_predictor_branch b = at(0x10000);

	(void)state;
	b.dynamic = false;
	ia64_predictor_learn(&p, &b, true, 0x9000);
	assert_memory_equal(&p, &before, sizeof p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_has_four_entries),
		cmocka_unit_test(four_registers_and_64_cached_targets),
		cmocka_unit_test(eight_returns_are_remembered),
		cmocka_unit_test(a_short_period_is_learned),
		cmocka_unit_test(static_hints_leave_the_tables_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
