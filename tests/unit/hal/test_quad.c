// SPDX-License-Identifier: BSD-2-Clause
// SPARC's long doubles (binary128), compared bit by bit with the compiler's: random numbers, near
// each other and at the ends of their ranges.

#include "unit.h"

#include <string.h>

#include "../../../hal/native/sparc64/quad.h"
#include "../pmu/core/random.h"

#define TURNS 100000

__extension__ typedef __float128 native;

static uint64_t random_bits(void)
{
	static uint64_t x = 0x9E3779B97F4A7C15;

	return random_word(&x);
}

static native native_of(const uint64_t q[2])
{
	const uint64_t words[2] = {q[1], q[0]};		// the less significant half first
	native n;

	memcpy(&n, words, sizeof n);
	return n;
}

// Compares bits. A NaN must be a NaN, but its bits are implementation-defined.
static void assert_same(native expected, const uint64_t q[2])
{
	uint64_t words[2];

	memcpy(words, &expected, sizeof words);
	if (expected != expected) {
		assert_true(native_of(q) != native_of(q));
		return;
	}
	assert_int_equal(q[0], words[1]);
	assert_int_equal(q[1], words[0]);
}

// One of four kinds at random: an exponent near `exponent`, few fraction bits, any bits, an end of
// the range.
static void random_quad(uint64_t q[2], uint64_t exponent)
{
	static const uint64_t ends[] = {0, 1ULL << 48, 0x7FFE000000000000, 0x7FFF000000000000,
					0x7FFF800000000000, 0x3FFF000000000000, 0x0000FFFFFFFFFFFF};

	q[0] = random_bits();
	q[1] = random_bits();
	switch (random_bits() % 4) {
	case 0:
		q[0] = (q[0] & 0x8000FFFFFFFFFFFF) | (exponent + random_bits() % 240 - 120) << 48;
		break;
	case 1:
		q[0] = (q[0] & 0x8000F00000000000) | (exponent + random_bits() % 8) << 48;
		q[1] = 0;
		break;
	case 2:
		break;
	default:
		q[0] = ends[random_bits() % (sizeof ends / sizeof *ends)] | (q[0] & 1ULL << 63);
		q[1] = (uint64_t)0 - random_bits() % 3;
		break;
	}
}

static void arithmetic(void **state)
{
	uint64_t a[2], b[2], result[2];

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		random_quad(a, 0x3FFF);
		random_quad(b, 0x3FFF);
		_Qp_add(result, a, b);
		assert_same(native_of(a) + native_of(b), result);
		_Qp_sub(result, a, b);
		assert_same(native_of(a) - native_of(b), result);
		_Qp_mul(result, a, b);
		assert_same(native_of(a) * native_of(b), result);
		_Qp_div(result, a, b);
		assert_same(native_of(a) / native_of(b), result);
	}
}

// Results that are subnormal, or just above.
static void small_results(void **state)
{
	uint64_t a[2], b[2], result[2];

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		random_quad(a, 0x1FFF);
		random_quad(b, 0x1FFF);
		_Qp_mul(result, a, b);
		assert_same(native_of(a) * native_of(b), result);
		random_quad(b, 0x5FFF);
		_Qp_div(result, a, b);
		assert_same(native_of(a) / native_of(b), result);
	}
}

static void comparisons(void **state)
{
	uint64_t a[2], b[2];

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		random_quad(a, 0x3FFF);
		random_quad(b, 0x3FFF);
		if (i % 8 == 0)
			memcpy(b, a, sizeof b);
		assert_int_equal(_Qp_feq(a, b), native_of(a) == native_of(b));
		assert_int_equal(_Qp_fne(a, b), native_of(a) != native_of(b));
		assert_int_equal(_Qp_flt(a, b), native_of(a) < native_of(b));
		assert_int_equal(_Qp_fle(a, b), native_of(a) <= native_of(b));
		assert_int_equal(_Qp_fgt(a, b), native_of(a) > native_of(b));
		assert_int_equal(_Qp_fge(a, b), native_of(a) >= native_of(b));
		assert_int_equal(_Qp_cmpe(a, b) == 3, native_of(a) != native_of(a) ||
				 native_of(b) != native_of(b));
	}
}

// C leaves conversions beyond an integer's range undefined. Our functions return the nearest
// integer.
static void integers(void **state)
{
	uint64_t q[2];

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		const uint64_t n = random_bits() >> random_bits() % 64;

		_Qp_xtoq(q, (int64_t)n);
		assert_same((native)(int64_t)n, q);
		assert_int_equal(_Qp_qtox(q), (int64_t)n);
		_Qp_uxtoq(q, n);
		assert_same((native)n, q);
		assert_int_equal(_Qp_qtoux(q), n);
		_Qp_itoq(q, (int32_t)n);
		assert_same((native)(int32_t)n, q);
		assert_int_equal(_Qp_qtoi(q), (int32_t)n);
		_Qp_uitoq(q, (uint32_t)n);
		assert_same((native)(uint32_t)n, q);
		assert_int_equal(_Qp_qtoui(q), (uint32_t)n);

		random_quad(q, 0x3FFF + 20);
		if (native_of(q) > -0x1p63 && native_of(q) < 0x1p63)
			assert_int_equal(_Qp_qtox(q), (int64_t)native_of(q));
	}
	_Qp_uxtoq(q, 1ULL << 63);
	assert_int_equal(_Qp_qtox(q), INT64_MAX);
	assert_int_equal(_Qp_qtoi(q), INT32_MAX);
}

static void shorter_formats(void **state)
{
	uint64_t q[2], double_bits;
	uint32_t float_bits;
	double d;
	float f;

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		random_quad(q, i % 2 ? 0x3FFF - 1060 : 0x3FFF - 140);
		if (native_of(q) == native_of(q)) {
			d = (double)native_of(q);
			f = (float)native_of(q);
			memcpy(&double_bits, &d, sizeof d);
			memcpy(&float_bits, &f, sizeof f);
			assert_int_equal(quad_to_double(q), double_bits);
			assert_int_equal(quad_to_float(q), float_bits);
		}
		double_bits = random_bits() >> (i % 3 ? 0 : 12);
		float_bits = (uint32_t)random_bits() >> (i % 3 ? 0 : 9);
		memcpy(&d, &double_bits, sizeof d);
		memcpy(&f, &float_bits, sizeof f);
		quad_from_double(q, double_bits);
		assert_same((native)d, q);
		quad_from_float(q, float_bits);
		assert_same((native)f, q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic), cmocka_unit_test(small_results),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(integers), cmocka_unit_test(shorter_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
