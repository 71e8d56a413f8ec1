// SPDX-License-Identifier: BSD-2-Clause
// Compares arithmetic of ia64's floating-point registers with the host's: fused multiplication and
// addition in single and double precision, sums and products of 80-bit numbers, conversions to
// integers, in each rounding mode, with the flags that IEEE 754 requires. Operands are random, with
// many zeros, denormals, infinities, NaNs and near cancellations.

#include "unit.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "../../../hal/emu/ia64/real.h"

#define CASES 20000

static uint64_t state;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static const int modes[] = {[ROUND_NEAREST] = FE_TONEAREST, [ROUND_DOWN] = FE_DOWNWARD,
			    [ROUND_UP] = FE_UPWARD,
			    [ROUND_ZERO] = FE_TOWARDZERO};

// begin sets the host's rounding mode; end returns the host's flags as those of a status field.
static void begin(enum rounding rounding)
{
	fesetround(modes[rounding]);
	feclearexcept(FE_ALL_EXCEPT);
}

static unsigned end(void)
{
	const int raised = fetestexcept(FE_ALL_EXCEPT);

	fesetround(FE_TONEAREST);
	return (raised & FE_INVALID ? FLAG_INVALID : 0) | (raised & FE_OVERFLOW ? FLAG_OVERFLOW :
							   0) |
	       (raised & FE_UNDERFLOW ? FLAG_UNDERFLOW : 0) | (raised & FE_INEXACT ? FLAG_INEXACT :
							       0);
}

// The host does not report denormal operands.
static void assert_flags(unsigned flags, unsigned expected)
{
	assert_int_equal(flags & ~(unsigned)(FLAG_DENORMAL | FLAG_GREATER), expected);
}

// Draws a sign; an exponent: the lowest or highest, near 1, or any; a fraction: few bits, or any.
static uint64_t draw_number(unsigned exponent_bits, unsigned fraction_bits)
{
	const uint64_t most = (1ULL << exponent_bits) - 1,
		fraction = draw() & ((1ULL << fraction_bits) - 1);
	const uint64_t exponents[] = {0, most, most - 1 - draw() % 60 % most,
				      1 + draw() % 60 % (most - 1),
				      most / 2 + draw() % 5 - 2, most / 2 + draw() % 5 - 2,
				      draw() & most, draw() & most};

	return (draw() & 1) << (exponent_bits + fraction_bits) |
	       exponents[draw() % 8] << fraction_bits |
	       (draw() % 3 ? fraction : fraction & (7ULL << (fraction_bits - 3)));
}

static void multiply_add_double(void **)
{
	for (unsigned i = 0; i < CASES; i++) {
		const struct real_format format = {53, -1022, 1023, (enum rounding)(i % 4), false};
		uint64_t bits[3] = {draw_number(11, 52), draw_number(11, 52), draw_number(11, 52)};
		volatile double x[3], y;
		unsigned flags = 0, expected_flags;
		uint64_t expected;

		if (i % 3 == 0)		/* a * 1 - a, except for the last bits */
			bits[1] = 0x3FF0000000000000, bits[2] = (bits[0] ^ 1ULL << 63) + draw() % 2;
		memcpy((void *)x, bits, sizeof bits);
		begin(format.rounding);
		y = fma(x[0], x[1], x[2]);
		expected_flags = end();
		memcpy(&expected, (void *)&y, sizeof expected);

		const struct ia64_float a = real_of_double(bits[0]), b = real_of_double(bits[1]);
		const struct ia64_float c = real_of_double(bits[2]);
		const struct ia64_float result = real_multiply_add(&a, &b, &c, &format, &flags);

		if (isnan(y))
			assert_in_range(real_to_double(&result) & INT64_MAX, 0x7FF8000000000000,
					INT64_MAX);
		else
			assert_int_equal(real_to_double(&result), expected);
		assert_flags(flags, expected_flags);
	}
}

static void multiply_add_single(void **)
{
	for (unsigned i = 0; i < CASES; i++) {
		const struct real_format format = {24, -126, 127, (enum rounding)(i % 4), false};
		const uint32_t bits[3] = {(uint32_t)draw_number(8, 23),
					  (uint32_t)draw_number(8, 23),
					  (uint32_t)draw_number(8, 23)};
		volatile float x[3], y;
		unsigned flags = 0, expected_flags;
		uint32_t expected;

		memcpy((void *)x, bits, sizeof bits);
		begin(format.rounding);
		y = fmaf(x[0], x[1], x[2]);
		expected_flags = end();
		memcpy(&expected, (void *)&y, sizeof expected);

		const struct ia64_float a = real_of_single(bits[0]), b = real_of_single(bits[1]);
		const struct ia64_float c = real_of_single(bits[2]);
		const struct ia64_float result = real_multiply_add(&a, &b, &c, &format, &flags);

		if (isnan(y))
			assert_in_range(real_to_single(&result) & INT32_MAX, 0x7FC00000, INT32_MAX);
		else
			assert_int_equal(real_to_single(&result), expected);
		assert_flags(flags, expected_flags);
	}
}

struct extended {
	uint64_t significand;
	uint16_t sign_exponent;
};

static struct extended draw_extended(void)
{
	const uint64_t number = draw_number(15, 48);
	const uint16_t sign_exponent = (uint16_t)(number >> 48);
	const uint64_t integer_bit = sign_exponent & 0x7FFF ? INTEGER_BIT : 0;

	return (struct extended){(draw() % 2 ? draw() >> 1 : number << 15 & INT64_MAX) |
				 integer_bit, sign_exponent};
}

static long double host_extended(const struct extended *e)
{
	long double x = 0;

	memcpy(&x, &e->significand, 8);
	memcpy((char *)&x + 8, &e->sign_exponent, 2);
	return x;
}

static void sums_and_products_of_80_bits(void **)
{
	for (unsigned i = 0; i < CASES; i++) {
		const struct real_format format = {64, -16382, 16383, (enum rounding)(i % 4),
						   false};
		const struct extended e[2] = {draw_extended(), draw_extended()};
		const volatile long double x = host_extended(&e[0]), y = host_extended(&e[1]);
		const struct ia64_float a = real_of_extended(e[0].significand, e[0].sign_exponent);
		const struct ia64_float b = real_of_extended(e[1].significand, e[1].sign_exponent);
		const struct ia64_float one = {INTEGER_BIT, EXPONENT_BIAS, false};
		const struct ia64_float nothing = {.sign = a.sign != b.sign};
		const bool adds = i / 4 % 2;
		unsigned flags = 0, expected_flags;
		struct extended expected = {0};
		volatile long double z;

		begin(format.rounding);
		z = adds ? x + y : x * y;
		expected_flags = end();
		memcpy(&expected.significand, (void *)&z, 8);
		memcpy(&expected.sign_exponent, (char *)&z + 8, 2);

		const struct ia64_float result = adds ?
			real_multiply_add(&a, &one, &b, &format, &flags) :
							real_multiply_add(&a, &b, &nothing, &format,
									  &flags);
		if (!isnan(z)) {
			assert_int_equal(result.significand, expected.significand);
			assert_int_equal(real_to_extended(&result), expected.sign_exponent);
		}
		assert_flags(flags, expected_flags);
	}
}

static void integers(void **)
{
	for (unsigned i = 0; i < CASES; i++) {
		const enum rounding rounding = (enum rounding)(i % 4);
		uint64_t bits = draw_number(11, 52);
		volatile double x;
		unsigned flags = 0, expected_flags;
		int64_t expected;

		if (i % 3)		/* most have as many digits as an integer can have */
			bits = (bits & ~(0x7FFULL << 52)) | (1021 + draw() % 68) << 52;
		memcpy((void *)&x, &bits, sizeof bits);
		begin(rounding);
		expected = llrint(x);
		expected_flags = end();

		const struct ia64_float a = real_of_double(bits);

		assert_int_equal(real_to_integer(&a, true, rounding, 64, &flags), expected);
		assert_flags(flags, expected_flags);
	}
}

static void comparisons(void **)
{
	for (unsigned i = 0; i < CASES; i++) {
		const uint64_t first = draw_number(11, 52),
			bits[2] = {first, i % 3 ? draw_number(11, 52) : first};
		const struct ia64_float a = real_of_double(bits[0]), b = real_of_double(bits[1]);
		double x, y;

		memcpy(&x, &bits[0], 8);
		memcpy(&y, &bits[1], 8);
		assert_int_equal(real_compare(&a, &b), isunordered(x, y) ? 2 : x < y ? -1 : x > y);
	}
}

// A value that passes through a register does not change.
static void formats_of_memory(void **)
{
	for (unsigned i = 0; i < CASES; i++) {
		const uint64_t number = draw_number(11, 52), single = draw_number(8, 23);
		const struct ia64_float d = real_of_double(number),
			s = real_of_single((uint32_t)single);

		assert_int_equal(real_to_double(&d), number);
		assert_int_equal(real_to_single(&s), single);
	}
}

static int seed(void **)
{
	state = 88172645463325252;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(multiply_add_double, seed),
		cmocka_unit_test_setup(multiply_add_single, seed),
		cmocka_unit_test_setup(sums_and_products_of_80_bits, seed),
		cmocka_unit_test_setup(integers, seed),
		cmocka_unit_test_setup(comparisons, seed),
		cmocka_unit_test_setup(formats_of_memory, seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
