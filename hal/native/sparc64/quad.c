// SPDX-License-Identifier: BSD-2-Clause
// 128-bit long doubles in integer arithmetic: functions that compilers call on 64-bit SPARC (System
// V ABI, SPARC V9 supplement, chapter 6). In memory the more significant half comes first. Rounds
// to nearest, ties to even.

#include <stdbool.h>
#include <stdint.h>

#include "quad.h"

__extension__ typedef unsigned __int128 wide;

// A format: bits of its fraction and of its exponent.
struct format {
	unsigned fraction, exponent;
};

static const struct format quad = {112, 15}, binary64 = {52, 11}, binary32 = {23, 8};

#define TOP	124		/* highest bit of the significand; bits below a format's fraction
				 * are for rounding */
#define INFINITE INT32_MAX	/* exponent of infinity; with a significand, of NaN */

// significand * 2^(exponent - TOP). Bit TOP of the significand is set unless the significand is 0.
struct number {
	bool negative;
	int32_t exponent;
	wide significand;
};

// Shifts right; if any 1 is shifted out, sets the lowest bit.
static wide shift_right(wide value, unsigned count)
{
	if (count > 127)
		return value != 0;
	return value >> count | ((value & (((wide)1 << count) - 1)) != 0);
}

static struct number normal(struct number n)
{
	if (n.exponent == INFINITE || !n.significand)
		return n;
	for (; n.significand >> (TOP + 1); n.exponent++)
		n.significand = shift_right(n.significand, 1);
	for (; !(n.significand >> TOP); n.exponent--)
		n.significand <<= 1;
	return n;
}

static int32_t bias(struct format f)
{
	return (1 << (f.exponent - 1)) - 1;
}

static struct number unpack(wide bits, struct format f)
{
	const int32_t mask = (1 << f.exponent) - 1, exponent = (int32_t)(bits >> f.fraction) & mask;
	struct number n = {.negative = bits >> (f.fraction + f.exponent) & 1, .exponent = INFINITE,
			   .significand = bits & (((wide)1 << f.fraction) - 1)};

	if (exponent == mask)
		return n;
	if (exponent)
		n.significand |= (wide)1 << f.fraction;
	n.exponent = (exponent ? exponent : 1) - bias(f) + TOP - (int32_t)f.fraction;
	return normal(n);
}

static wide pack(struct number n, struct format f)
{
	const wide sign = (wide)n.negative << (f.fraction + f.exponent);
	const wide infinite = (wide)((1 << f.exponent) - 1) << f.fraction;
	const unsigned below = TOP - f.fraction;
	const wide half = (wide)1 << (below - 1);
	int32_t exponent = n.exponent;
	wide rest, bits;

	if (exponent == INFINITE)
		return sign | infinite | (n.significand ? (wide)1 << (f.fraction - 1) : 0);
	if (!n.significand)
		return sign;
	exponent += bias(f);
	if (exponent >= (1 << f.exponent) - 1)
		return sign | infinite;
	if (exponent < 1) {
		n.significand = shift_right(n.significand, (unsigned)(1 - exponent));
		exponent = 1;
	}
	// The fraction's leading bit adds 1 to the exponent, and so does a carry.
	rest = n.significand & (half * 2 - 1);
	bits = ((wide)(exponent - 1) << f.fraction) + (n.significand >> below);
	return sign | (bits + (rest > half || (rest == half && bits & 1)));
}

static struct number from_memory(const uint64_t q[2])
{
	return unpack((wide)q[0] << 64 | q[1], quad);
}

static void to_memory(uint64_t q[2], struct number n)
{
	const wide bits = pack(n, quad);

	q[0] = (uint64_t)(bits >> 64);
	q[1] = (uint64_t)bits;
}

static bool is_nan(struct number n)
{
	return n.exponent == INFINITE && n.significand;
}

static bool is_zero(struct number n)
{
	return n.exponent != INFINITE && !n.significand;
}

static const struct number nan = {.exponent = INFINITE, .significand = 1},
	infinity = {.exponent = INFINITE};

static struct number with_sign(struct number n, bool negative)
{
	n.negative = negative;
	return n;
}

static struct number sum(struct number a, struct number b)
{
	const bool both_negative = a.negative && b.negative;

	if (is_nan(a) || is_nan(b) ||
	    (a.exponent == INFINITE && b.exponent == INFINITE && a.negative != b.negative))
		return nan;
	if (is_zero(a) && is_zero(b))
		return with_sign(a, both_negative);
	if (a.exponent == INFINITE || is_zero(b))
		return a;
	if (b.exponent == INFINITE || is_zero(a))
		return b;
	if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand))
		return sum(b, a);
	b.significand = shift_right(b.significand, (unsigned)(a.exponent - b.exponent));
	if (a.negative == b.negative)
		a.significand += b.significand;
	else
		a.significand -= b.significand;
	if (!a.significand)
		a.negative = false;
	return normal(a);
}

static struct number product(struct number a, struct number b)
{
	const unsigned below = TOP - 112;
	const uint64_t ah = (uint64_t)(a.significand >> below >> 64),
		al = (uint64_t)(a.significand >> below);
	const uint64_t bh = (uint64_t)(b.significand >> below >> 64),
		bl = (uint64_t)(b.significand >> below);
	const bool negative = a.negative != b.negative;
	wide low = (wide)al * bl, middle = (wide)ah * bl + (wide)al * bh,
		high = (wide)ah * bh + (middle >> 64);

	if (is_nan(a) || is_nan(b) || (a.exponent == INFINITE && is_zero(b)) ||
	    (is_zero(a) && b.exponent == INFINITE))
		return nan;
	if (a.exponent == INFINITE || b.exponent == INFINITE)
		return with_sign(infinity, negative);
	high += low + (middle << 64) < low;
	low += middle << 64;
	// Both factors have 112 bits below the first. The product has 224: keep TOP.
	a.significand = high << (128 - (224 - TOP)) | shift_right(low, 224 - TOP);
	a.exponent += b.exponent;
	return normal(with_sign(a, negative));
}

static struct number quotient(struct number a, struct number b)
{
	const bool negative = a.negative != b.negative;
	wide rest = a.significand, bits = 0;

	if (is_nan(a) || is_nan(b) || (a.exponent == INFINITE && b.exponent == INFINITE) ||
	    (is_zero(a) && is_zero(b)))
		return nan;
	if (a.exponent == INFINITE || is_zero(b))
		return with_sign(infinity, negative);
	if (is_zero(a) || b.exponent == INFINITE)
		return (struct number){.negative = negative};
	for (int i = 0; i <= TOP; i++, rest <<= 1) {
		bits <<= 1;
		if (rest >= b.significand) {
			rest -= b.significand;
			bits |= 1;
		}
	}
	a.significand = bits | (rest != 0);
	a.exponent -= b.exponent;
	return normal(with_sign(a, negative));
}

static struct number from_integer(uint64_t magnitude, bool negative)
{
	return normal((struct number){.negative = negative, .exponent = TOP,
				      .significand = magnitude});
}

// The integer part's magnitude, at most `most`.
static uint64_t integer_part(struct number n, uint64_t most)
{
	wide magnitude;

	if (n.exponent < 0 && n.exponent != INFINITE)
		return 0;
	if (n.exponent >= 64)
		return most;
	magnitude = n.significand >> (TOP - n.exponent);
	return magnitude > most ? most : (uint64_t)magnitude;
}

static int64_t to_signed(struct number n, uint64_t most)
{
	return n.negative ? (int64_t)(0 - integer_part(n, most + 1)) :
	       (int64_t)integer_part(n, most);
}

//
// Functions that compilers call
//

void _Qp_add(uint64_t result[2], const uint64_t a[2], const uint64_t b[2])
{
	to_memory(result, sum(from_memory(a), from_memory(b)));
}

void _Qp_sub(uint64_t result[2], const uint64_t a[2], const uint64_t b[2])
{
	struct number subtrahend = from_memory(b);

	to_memory(result, sum(from_memory(a), with_sign(subtrahend, !subtrahend.negative)));
}

void _Qp_mul(uint64_t result[2], const uint64_t a[2], const uint64_t b[2])
{
	to_memory(result, product(from_memory(a), from_memory(b)));
}

void _Qp_div(uint64_t result[2], const uint64_t a[2], const uint64_t b[2])
{
	to_memory(result, quotient(from_memory(a), from_memory(b)));
}

// 0 equal, 1 less, 2 greater, 3 not comparable.
int _Qp_cmp(const uint64_t a[2], const uint64_t b[2])
{
	const struct number x = from_memory(a), y = from_memory(b);
	const wide left = ((wide)a[0] << 64 | a[1]) << 1, right = ((wide)b[0] << 64 | b[1]) << 1;

	if (is_nan(x) || is_nan(y))
		return 3;
	if ((!left && !right) || (left == right && x.negative == y.negative))
		return 0;
	if (x.negative != y.negative)
		return x.negative ? 1 : 2;
	return (left < right) != x.negative ? 1 : 2;
}

int _Qp_cmpe(const uint64_t a[2], const uint64_t b[2])
{
	return _Qp_cmp(a, b);
}

int _Qp_feq(const uint64_t a[2], const uint64_t b[2])
{
	return _Qp_cmp(a, b) == 0;
}

int _Qp_fne(const uint64_t a[2], const uint64_t b[2])
{
	return _Qp_cmp(a, b) != 0;
}

int _Qp_flt(const uint64_t a[2], const uint64_t b[2])
{
	return _Qp_cmp(a, b) == 1;
}

int _Qp_fle(const uint64_t a[2], const uint64_t b[2])
{
	return _Qp_cmp(a, b) <= 1;
}

int _Qp_fgt(const uint64_t a[2], const uint64_t b[2])
{
	return _Qp_cmp(a, b) == 2;
}

int _Qp_fge(const uint64_t a[2], const uint64_t b[2])
{
	return _Qp_cmp(a, b) % 2 == 0;
}

void _Qp_xtoq(uint64_t result[2], int64_t value)
{
	to_memory(result, from_integer(value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
				       value < 0));
}

void _Qp_uxtoq(uint64_t result[2], uint64_t value)
{
	to_memory(result, from_integer(value, false));
}

void _Qp_itoq(uint64_t result[2], int32_t value)
{
	_Qp_xtoq(result, value);
}

void _Qp_uitoq(uint64_t result[2], uint32_t value)
{
	_Qp_uxtoq(result, value);
}

int64_t _Qp_qtox(const uint64_t q[2])
{
	return to_signed(from_memory(q), INT64_MAX);
}

uint64_t _Qp_qtoux(const uint64_t q[2])
{
	struct number n = from_memory(q);

	return n.negative ? 0 : integer_part(n, UINT64_MAX);
}

int32_t _Qp_qtoi(const uint64_t q[2])
{
	return (int32_t)to_signed(from_memory(q), INT32_MAX);
}

uint32_t _Qp_qtoui(const uint64_t q[2])
{
	struct number n = from_memory(q);

	return n.negative ? 0 : (uint32_t)integer_part(n, UINT32_MAX);
}

// Conversions from and to the shorter formats; libc.S moves these from and to FPU registers.

uint64_t quad_to_double(const uint64_t q[2])
{
	return (uint64_t)pack(from_memory(q), binary64);
}

uint32_t quad_to_float(const uint64_t q[2])
{
	return (uint32_t)pack(from_memory(q), binary32);
}

void quad_from_double(uint64_t result[2], uint64_t bits)
{
	to_memory(result, unpack(bits, binary64));
}

void quad_from_float(uint64_t result[2], uint32_t bits)
{
	to_memory(result, unpack(bits, binary32));
}
