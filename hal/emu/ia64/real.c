// SPDX-License-Identifier: BSD-2-Clause
// Arithmetic of numbers in floating-point registers.

#include "real.h"

#include "machine.h"

typedef unsigned __int128 uint128;

const struct ia64_float real_indefinite = {INTEGER_BIT | QUIET_BIT, EXPONENT_SPECIAL, true};
const struct ia64_float real_nat = {0, FLOAT_EXPONENT_NAT, false};

struct real real_of(const struct ia64_float *f)
{
	struct real r = {.sign = f->sign, .significand = f->significand};

	if (f->exponent == FLOAT_EXPONENT_NAT && !f->significand && !f->sign) {
		r.kind = REAL_NAT;
	} else if (f->exponent == EXPONENT_SPECIAL) {
		r.kind = !(f->significand & INTEGER_BIT) ? REAL_UNSUPPORTED :
			 f->significand == INTEGER_BIT ? REAL_INFINITE :
			 f->significand & QUIET_BIT ? REAL_QUIET_NAN : REAL_SIGNALING_NAN;
	} else if (!f->significand) {
		r.kind = REAL_ZERO;
		r.unnormal = f->exponent;
	} else {
		const int shift = __builtin_clzll(f->significand);

		r.kind = REAL_FINITE;
		r.unnormal = shift || !f->exponent;
		r.significand <<= shift;
		r.exponent = (f->exponent ? (int)f->exponent : EXPONENT_DENORMAL) - EXPONENT_BIAS -
			shift;
	}
	return r;
}

static struct ia64_float zero(bool sign)
{
	return (struct ia64_float){.sign = sign};
}

static struct ia64_float infinity(bool sign)
{
	return (struct ia64_float){INTEGER_BIT, EXPONENT_SPECIAL, sign};
}

// Whether a number is rounded away from zero. `half` is the highest bit of
// the discarded part; `rest` tells whether any lower bit is set.
static bool rounds_away(enum rounding rounding, bool sign, bool odd, bool half, bool rest)
{
	switch (rounding) {
	case ROUND_NEAREST:
		return half && (rest || odd);
	case ROUND_DOWN:
		return sign && (half || rest);
	case ROUND_UP:
		return !sign && (half || rest);
	case ROUND_ZERO:
		break;
	}
	return false;
}

// Rounds a normalized significand of 128 bits to its upper `bits`; its last bit tells whether
// further bits are set. Returns the flags. A carry makes *result 2^64, that is, 0.
static unsigned round_significand(uint128 value, unsigned bits, enum rounding rounding, bool sign,
				  uint64_t *result)
{
	const unsigned drop = 128 - bits;
	const uint128 dropped = value & (((uint128)1 << drop) - 1), half = (uint128)1 << (drop - 1);
	uint128 kept = value >> drop;
	const bool greater = rounds_away(rounding, sign, kept & 1, dropped & half,
					 dropped & (half - 1));

	*result = (uint64_t)((kept + greater) << (64 - bits));
	return (dropped ? FLAG_INEXACT : 0) | (greater ? FLAG_GREATER : 0);
}

static struct ia64_float overflow(bool sign, const struct real_format *f, unsigned *flags)
{
	const bool to_infinity = f->rounding == ROUND_NEAREST ||
		f->rounding == (sign ? ROUND_DOWN : ROUND_UP);

	*flags |= FLAG_OVERFLOW | FLAG_INEXACT | (to_infinity ? FLAG_GREATER : 0);
	return to_infinity ? infinity(sign) :
	       (struct ia64_float){~0ULL << (64 - f->precision),
				   (uint32_t)(f->most + EXPONENT_BIAS), sign};
}

// A result below the smallest normal number gets that number's exponent and fewer bits; in
// double-extended format exponent 0.
static struct ia64_float denormal(bool sign, int exponent, uint128 value,
				  const struct real_format *f, unsigned *flags)
{
	const unsigned shift = (unsigned)(f->least - exponent);
	uint128 shifted = shift > 127 ? 1 : value >> shift |
		!!(value & (((uint128)1 << shift) - 1));
	uint32_t least = (uint32_t)(f->least + EXPONENT_BIAS);
	uint64_t significand;
	unsigned inexact;

	if (f->flushes) {
		*flags |= FLAG_UNDERFLOW | FLAG_INEXACT | FLAG_FLUSHED;
		return zero(sign);
	}
	inexact = round_significand(shifted, f->precision, f->rounding, sign, &significand);
	if (inexact)
		*flags |= FLAG_UNDERFLOW | inexact;
	if (!(significand & INTEGER_BIT) && least == EXPONENT_DENORMAL)
		least = 0;
	return significand ? (struct ia64_float){significand, least, sign} : zero(sign);
}

// Rounds value * 2^(exponent - 127), with a normalized value.
static struct ia64_float round_real(bool sign, int exponent, uint128 value,
				    const struct real_format *f, unsigned *flags)
{
	uint64_t significand;
	const unsigned inexact = round_significand(value, f->precision, f->rounding, sign,
						   &significand);
	const int rounded = exponent + !significand;
	/* tininess is detected after rounding with an unlimited exponent */
	const unsigned exceeds = rounded < f->least ? FLAG_UNDERFLOW :
		rounded > f->most ? FLAG_OVERFLOW : 0;

	if (exceeds & ~f->traps)
		return exceeds == FLAG_UNDERFLOW ? denormal(sign, exponent, value, f, flags) :
		       overflow(sign, f, flags);
	*flags |= exceeds | inexact;
	return (struct ia64_float){
		significand ? significand : INTEGER_BIT,
		(uint32_t)(rounded + EXPONENT_BIAS) & EXPONENT_SPECIAL, sign,
	};
}

// If an operand is a NaN, the result is the first such operand, made quiet.
static bool propagate(const struct ia64_float *const operands[3], const struct real values[3],
		      unsigned *flags, struct ia64_float *result)
{
	bool found = false;

	for (unsigned i = 0; i < 3; i++)
		if (values[i].kind == REAL_NAT) {
			*result = real_nat;
			return true;
		}
	for (unsigned i = 0; i < 3; i++)
		if (values[i].kind == REAL_UNSUPPORTED) {
			*flags |= FLAG_INVALID;
			*result = real_indefinite;
			return true;
		}
	for (unsigned i = 0; i < 3; i++) {
		if (values[i].kind != REAL_QUIET_NAN && values[i].kind != REAL_SIGNALING_NAN)
			continue;
		*flags |= values[i].kind == REAL_SIGNALING_NAN ? FLAG_INVALID : 0;
		if (!found)
			*result = *operands[i];
		found = true;
	}
	if (found)
		result->significand |= QUIET_BIT;
	return found;
}

// A number of 256 bits, the higher half first.
struct wide {
	uint128 high, low;
};

// Shifts right; lost bits set the last bit. Only the highest bit of `low` may be set.
static struct wide shift_right(struct wide v, unsigned count)
{
	struct wide r;

	if (count > 255)
		return (struct wide){0, v.high || v.low};
	if (count >= 128) {
		const unsigned c = count - 128;
		const bool lost = v.low || (c && v.high << (128 - c));

		return (struct wide){0, v.high >> c | lost};
	}
	if (!count)
		return v;
	r.high = v.high >> count;
	r.low = v.low >> count | v.high << (128 - count);
	return r;
}

static bool less(struct wide a, struct wide b)
{
	return a.high != b.high ? a.high < b.high : a.low < b.low;
}

static struct wide difference(struct wide a, struct wide b)
{
	return (struct wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

static struct wide sum(struct wide a, struct wide b)
{
	const uint128 low = a.low + b.low;

	return (struct wide){a.high + b.high + (low < a.low), low};
}

static unsigned leading_zeros(uint128 v)
{
	return v >> 64 ? (unsigned)__builtin_clzll((uint64_t)(v >> 64)) :
	       64u + (unsigned)__builtin_clzll((uint64_t)v);
}

// Adds two numbers whose highest bit is bit 254; `exponent` is that bit's exponent in the greater
// number.
static struct ia64_float add(bool sign_a, struct wide a, int exponent_a, bool sign_b, struct wide b,
			     int exponent_b, const struct real_format *f, unsigned *flags)
{
	const int exponent = exponent_a > exponent_b ? exponent_a : exponent_b;
	struct wide total;
	bool sign = sign_a;

	a = shift_right(a, (unsigned)(exponent - exponent_a));
	b = shift_right(b, (unsigned)(exponent - exponent_b));
	if (sign_a == sign_b) {
		total = sum(a, b);
	} else if (less(a, b)) {
		total = difference(b, a);
		sign = sign_b;
	} else {
		total = difference(a, b);
	}
	if (!total.high && !total.low)
		return zero(f->rounding == ROUND_DOWN);

	const unsigned zeros = total.high ? leading_zeros(total.high) :
		128 + leading_zeros(total.low);
	const uint128 top = zeros >= 128 ? total.low << (zeros - 128) :
			    zeros ? total.high << zeros | total.low >> (128 - zeros) : total.high;
	const bool more = zeros < 128 && (zeros ? total.low << zeros : total.low);

	return round_real(sign, exponent + 1 - (int)zeros, top | more, f, flags);
}

struct ia64_float real_multiply_add(const struct ia64_float *a, const struct ia64_float *b,
				    const struct ia64_float *c,
				    const struct real_format *f, unsigned *flags)
{
	const struct ia64_float *const operands[3] = {b, c, a};
	const struct real values[3] = {real_of(b), real_of(c), real_of(a)};
	const struct real *const y = &values[0], *const z = &values[1], *const x = &values[2];
	const bool sign = x->sign != y->sign, infinite = x->kind == REAL_INFINITE ||
		y->kind == REAL_INFINITE;
	const bool is_zero = x->kind == REAL_ZERO || y->kind == REAL_ZERO;
	/* times infinity: infinity */
	const bool is_pseudo_zero = is_zero && (x->unnormal || y->unnormal);
	struct ia64_float result;

	if (propagate(operands, values, flags, &result))
		return result;
	if ((infinite && is_zero && !is_pseudo_zero) ||
	    (infinite && z->kind == REAL_INFINITE && z->sign != sign)) {
		*flags |= FLAG_INVALID;
		return real_indefinite;
	}
	*flags |= x->unnormal || y->unnormal || z->unnormal ? FLAG_DENORMAL : 0;
	if (infinite)
		return infinity(sign);
	if (z->kind == REAL_INFINITE)
		return infinity(z->sign);
	if (is_zero && z->kind == REAL_ZERO)
		return zero(sign == z->sign ? sign : f->rounding == ROUND_DOWN);

	const struct wide addend = {(uint128)z->significand << 63, 0};
	if (is_zero)
		return round_real(z->sign, z->exponent, (uint128)z->significand << 64, f, flags);

	const uint128 product = (uint128)x->significand * y->significand;
	const bool carry = product >> 127;
	const uint128 normal = carry ? product : product << 1;
	const int exponent = x->exponent + y->exponent + carry;
	if (z->kind == REAL_ZERO)
		return round_real(sign, exponent, normal, f, flags);
	return add(sign, (struct wide){normal >> 1, normal << 127}, exponent, z->sign, addend,
		   z->exponent, f, flags);
}

uint64_t real_to_integer(const struct ia64_float *f, bool is_signed, enum rounding rounding,
			 unsigned bits, unsigned *flags)
{
	const uint64_t indefinite = 1ULL << (bits - 1);
	const uint64_t most = is_signed ? indefinite - 1 : indefinite | (indefinite - 1);
	const struct real r = real_of(f);
	uint128 value = (uint128)r.significand << 64;
	uint64_t integer;
	unsigned inexact;

	if (r.kind == REAL_ZERO)
		return *flags |= r.unnormal ? FLAG_DENORMAL : 0, 0;
	if (r.kind != REAL_FINITE || r.exponent > 64)
		return *flags |= FLAG_INVALID, indefinite;
	if (r.exponent < 64) {
		const unsigned shift = (unsigned)(63 - r.exponent);

		value = shift > 127 ? 1 : value >> shift | !!(value & (((uint128)1 << shift) - 1));
	} else {
		return *flags |= FLAG_INVALID, indefinite;
	}
	inexact = round_significand(value, 64, rounding, r.sign, &integer);
	if ((!integer && value >> 64) || integer > (r.sign ? (is_signed ? indefinite : 0) : most))
		return *flags |= FLAG_INVALID, indefinite;
	*flags |= inexact | (r.unnormal ? FLAG_DENORMAL : 0);
	return (r.sign ? -integer : integer) & (indefinite | (indefinite - 1));
}

int real_compare(const struct ia64_float *a, const struct ia64_float *b)
{
	const struct real x = real_of(a), y = real_of(b);

	if (x.kind > REAL_INFINITE || y.kind > REAL_INFINITE)
		return 2;
	if (x.kind == REAL_ZERO && y.kind == REAL_ZERO)
		return 0;
	if (x.kind == REAL_ZERO)
		return y.sign ? 1 : -1;
	if (y.kind == REAL_ZERO || x.sign != y.sign)
		return x.sign ? -1 : 1;

	const int greater = x.sign ? -1 : 1;
	if (x.kind != y.kind)
		return x.kind == REAL_INFINITE ? greater : -greater;
	if (x.kind == REAL_INFINITE)
		return 0;
	if (x.exponent != y.exponent)
		return x.exponent > y.exponent ? greater : -greater;
	return x.significand == y.significand ? 0 : x.significand > y.significand ? greater :
	       -greater;
}

//
// Memory formats: bits of the exponent, and of the fraction below the integer bit
//

static struct ia64_float of_memory(bool sign, uint32_t exponent, uint64_t fraction,
				   unsigned exponent_bits)
{
	const uint32_t most = (1u << exponent_bits) - 1, bias = most >> 1;

	if (exponent == most)
		return (struct ia64_float){INTEGER_BIT | fraction, EXPONENT_SPECIAL, sign};
	if (exponent)
		return (struct ia64_float){INTEGER_BIT | fraction, exponent + EXPONENT_BIAS - bias,
					   sign};
	return fraction ? (struct ia64_float){fraction, EXPONENT_BIAS + 1 - bias, sign} :
	       zero(sign);
}

struct ia64_float real_of_single(uint32_t value)
{
	return of_memory(value >> 31, value >> 23 & 0xFF, (uint64_t)(value & 0x7FFFFF) << 40, 8);
}

struct ia64_float real_of_double(uint64_t value)
{
	return of_memory(value >> 63, value >> 52 & 0x7FF, (value & 0xFFFFFFFFFFFFFULL) << 11, 11);
}

struct ia64_float real_of_extended(uint64_t significand, uint16_t sign_exponent)
{
	const bool sign = sign_exponent >> 15;
	const uint32_t exponent = sign_exponent & 0x7FFF;

	if (exponent == 0x7FFF)
		return (struct ia64_float){significand, EXPONENT_SPECIAL, sign};
	return (struct ia64_float){significand, exponent ? exponent + EXPONENT_BIAS - 16383 : 0,
				   sign};
}

// Shortens an exponent: its highest bit and its lowest bits.
static uint32_t short_exponent(const struct ia64_float *f, unsigned bits)
{
	return f->exponent >> 16 << (bits - 1) | (f->exponent & ((1u << (bits - 1)) - 1));
}

// The exponent in a format that does not store the integer bit: 0 if the bit is 0.
static uint32_t hiding_exponent(const struct ia64_float *f, unsigned bits)
{
	return f->significand & INTEGER_BIT ? short_exponent(f, bits) : 0;
}

uint32_t real_to_single(const struct ia64_float *f)
{
	return (uint32_t)f->sign << 31 | hiding_exponent(f, 8) << 23 |
	       (f->significand >> 40 & 0x7FFFFF);
}

uint64_t real_to_double(const struct ia64_float *f)
{
	return (uint64_t)f->sign << 63 | (uint64_t)hiding_exponent(f, 11) << 52 |
	       (f->significand >> 11 & 0xFFFFFFFFFFFFF);
}

uint16_t real_to_extended(const struct ia64_float *f)
{
	return (uint16_t)(f->sign << 15 | short_exponent(f, 15));
}
