// SPDX-License-Identifier: BSD-2-Clause
// Divisions of 128 bits, digit by digit, compared with the compiler's: random numbers of all
// lengths, and numbers next to powers of two.

#include "unit.h"

// The source is included with its functions renamed: they have the names of the compiler's
// functions, which compute the expected results.
#define __udivmodti4	our_udivmodti4
#define __udivti3	our_udivti3
#define __umodti3	our_umodti3
#define __divmodti4	our_divmodti4
#define __divti3	our_divti3
#define __modti3	our_modti3
#include "../../../arch/x86/divide.c"
#include "../pmu/core/random.h"

#define TURNS 100000

static wide random_wide(void)
{
	static uint64_t x = 0x9E3779B97F4A7C15;
	const wide bits = (wide)random_word(&x) << 64 | random_word(&x);

	return bits >> random_word(&x) % 128;
}

static void check(wide a, wide b)
{
	const __int128 x = (__int128)a, y = (__int128)b;
	__int128 rest;
	wide left;

	if (!b)
		return;
	assert_true(our_udivti3(a, b) == a / b);
	assert_true(our_umodti3(a, b) == a % b);
	assert_true(our_udivmodti4(a, b, &left) == a / b && left == a % b);
	if (y == -1 && x == (__int128)((wide)1 << 127))
		return;			// the quotient overflows
	assert_true(our_divti3(x, y) == x / y);
	assert_true(our_modti3(x, y) == x % y);
	assert_true(our_divmodti4(x, y, &rest) == x / y && rest == x % y);
}

static void random_numbers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TURNS; i++) {
		const wide a = random_wide(), b = random_wide();

		check(a, b);
		check(-a, b);
		check(a, -b);
		check(-a, -b);
	}
}

static void ends(void **state)
{
	static const wide least = 1;

	(void)state;
	for (unsigned i = 0; i < 128; i++)
		for (unsigned j = 0; j < 128; j++)
			for (unsigned k = 0; k < 9; k++)
				check((least << i) - 1 + k % 3, (least << j) - 1 + k / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_numbers),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests_name("divide", tests, NULL, NULL);
}
