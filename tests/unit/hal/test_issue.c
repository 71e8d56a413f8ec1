// SPDX-License-Identifier: BSD-2-Clause
// In-order issue (hal/emu/model/issue.h), counted by hand.

#include "unit.h"

#include "../../../hal/emu/model/issue.h"

#define WIDTH	4
#define AX	(1u << 0)
#define CX	(1u << 1)

static void four_issue_in_a_cycle(void **state)
{
	struct issue i = {0};

	(void)state;
	for (unsigned n = 0; n < 9; n++)
		assert_int_equal(issue_next(&i, WIDTH, 0), 1 + n / 4);
	assert_int_equal(i.busy, 3);
}

static void one_issues_in_each_cycle(void **state)
{
	struct issue i = {0};

	(void)state;
	for (unsigned n = 1; n < 5; n++)
		assert_int_equal(issue_next(&i, 1, 0), n);
}

// An instruction waits for the registers that it reads; later instructions wait with it.
static void readers_wait(void **state)
{
	struct issue i = {0};

	(void)state;
	assert_int_equal(issue_next(&i, WIDTH, 0), 1);
	issue_write(&i, AX, 1 + 40);
	assert_int_equal(issue_next(&i, WIDTH, CX), 1);
	assert_int_equal(issue_next(&i, WIDTH, AX | CX), 41);
	assert_int_equal(issue_next(&i, WIDTH, 0), 41);
	assert_int_equal(i.busy, 2);
}

// The later write of a register replaces the earlier one's time.
static void a_register_that_is_written_again_does_not_wait(void **state)
{
	struct issue i = {0};

	(void)state;
	issue_next(&i, WIDTH, 0);
	issue_write(&i, AX, 1 + 40);
	issue_next(&i, WIDTH, 0);
	issue_write(&i, AX, 1 + 1);
	assert_int_equal(issue_next(&i, WIDTH, AX), 2);
}

static void waiting_ends_a_cycle(void **state)
{
	struct issue i = {0};

	(void)state;
	issue_next(&i, WIDTH, 0);
	issue_wait(&i, WIDTH, 10);
	issue_wait(&i, WIDTH, 5);	// already past
	for (unsigned n = 0; n < 5; n++)
		assert_int_equal(issue_next(&i, WIDTH, 0), 10 + n / 4);
	assert_int_equal(i.busy, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_issue_in_a_cycle),
		cmocka_unit_test(one_issues_in_each_cycle),
		cmocka_unit_test(readers_wait),
		cmocka_unit_test(a_register_that_is_written_again_does_not_wait),
		cmocka_unit_test(waiting_ends_a_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
