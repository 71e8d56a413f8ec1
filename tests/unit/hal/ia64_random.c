// SPDX-License-Identifier: BSD-2-Clause
// Random operands of ia64's floating-point instructions.

#include "ia64_oracle.h"
#include "ia64_random.h"

static uint64_t state;

void random_begin(void)
{
	state = 88172645463325252;
}

uint64_t random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

uint64_t random_below(uint64_t limit)
{
	return (random_bits() >> 8) % limit;
}

static const long limits[] = {-65534, -16382, -1022, -126, 0, 63, 127, 1023, 16383, 65535};

static uint64_t draw_significand(void)
{
	static const uint8_t precisions[] = {24, 53, 64};
	const unsigned kept = precisions[random_below(3)];
	const uint64_t any = random_bits() | INTEGER_BIT, ones = ~0ULL << (64 - kept);

	switch (random_below(8)) {
	case 0:
		return INTEGER_BIT;
	case 1:
		return ones;
	case 2:
		return INTEGER_BIT | (1ULL << random_below(63));
	case 3:		/* half-way between two of a precision */
		return kept == 64 ? any : (any & ones) | 1ULL << (63 - kept);
	case 4:
		return any & ones;
	default:
		return any;
	}
}

long random_near(long limit)
{
	return limit + (random_below(2) ? (long)random_below(5) - 2 : (long)random_below(140) - 70);
}

long random_limit(void)
{
	return limits[random_below(10)];
}

// An exponent near one of the limits, or any.
static long draw_exponent(void)
{
	const long exponent = random_below(4) ? random_near(random_limit()) :
		(long)random_below(131071) - 65534;

	return exponent < -65534 || exponent > 65535 ? 0 : exponent;
}

struct ia64_float random_operand(void)
{
	struct ia64_float f = {draw_significand(), (uint32_t)(draw_exponent() + BIAS),
			       random_bits() >> 40 & 1};
	const unsigned kind = (unsigned)random_below(40);

	if (kind < 6 && kind != 3)
		f.exponent = SPECIAL;
	if (kind == 0)
		f.significand = INTEGER_BIT;
	else if (kind == 1)
		/* unsupported */
		f.significand = random_bits() >> 1 & ~(random_below(4) ? 0 : ~0ULL);
	else if (kind == 3)
		f.significand = 0;					/* pseudo-zero */
	else if (kind == 6)
		f = (struct ia64_float){0, 0, f.sign};
	else if (kind == 7)
		f = (struct ia64_float){INTEGER_BIT, BIAS, f.sign};
	else if (kind == 8)
		f = (struct ia64_float){0, NATVAL_EXPONENT, false};
	else if (kind == 9)
		f.exponent = 0;
	else if (kind < 15)
		f.significand >>= random_below(64);
	if (kind == 3 && !random_below(4))
		f.exponent = NATVAL_EXPONENT;
	if (kind >= 8 && kind < 10 && random_below(2))
		f.exponent = 0x1003E;					/* an integer */
	return f;
}

void random_set_exponent(struct ia64_float *f, long exponent)
{
	if (f->exponent != SPECIAL && exponent > -65535 && exponent <= 65535)
		f->exponent = (uint32_t)(exponent + BIAS);
}

void random_relate(struct ia64_float f[3])
{
	const long product = (long)f[1].exponent + (long)f[2].exponent - 2 * BIAS;
	const unsigned __int128 exact = (unsigned __int128)f[1].significand * f[2].significand;
	const bool carry = exact >> 127;

	f[0].sign = f[1].sign == f[2].sign;
	switch (random_below(3)) {
	case 0:
		f[0].significand = (uint64_t)(exact >> (63 + carry)) + random_below(3) - 1;
		random_set_exponent(&f[0], product + carry);
		break;
	case 1:
		random_set_exponent(&f[0], product + random_near((long)random_below(9) * 64 - 256));
		break;
	default:
		f[0].sign = random_bits() >> 40 & 1;
		random_set_exponent(&f[0],
				    product + (random_below(2) ? 24 : 53) + (long)random_below(5) -
				    2);
		break;
	}
}

//
// Single precision
//

// Exponents: denormals, the smallest one, limits of approximations, integers of 32 bits.
static const long single_limits[] = {-149, -126, -103, 0, 24, 31, 125, 127};

long random_single_limit(void)
{
	return single_limits[random_below(8)];
}

struct ia64_float random_half(void)
{
	struct ia64_float f = {draw_significand(), SPECIAL, random_bits() >> 40 & 1};
	const unsigned kind = (unsigned)random_below(20);

	if (kind == 0)
		f.significand = INTEGER_BIT;
	else if (kind == 1)
		/* a NaN, quiet or not */
		f.significand = random_bits() << 20 | INTEGER_BIT | 1ULL << 40;
	else if (kind == 2)
		f = (struct ia64_float){0, 0, f.sign};
	else if (kind == 3)
		f = (struct ia64_float){INTEGER_BIT, BIAS, f.sign};
	else
		f.exponent = (uint32_t)(BIAS +
					(random_below(4) ? random_near(random_single_limit()) :
						(long)random_below(277) - 149));
	return f;
}

uint32_t random_single_of(const struct ia64_float *f)
{
	const uint32_t sign = (uint32_t)f->sign << 31, fraction = f->significand >> 40 & 0x7FFFFF;
	const long exponent = (long)f->exponent - BIAS;

	if (f->exponent == SPECIAL)
		return sign | 255u << 23 | fraction;
	if (!f->significand || exponent < -149)
		return sign;
	if (exponent < -126)
		return sign | (uint32_t)(f->significand >> (40 - 126 - exponent));
	return sign | (uint32_t)((exponent < 127 ? exponent : 127) + 127) << 23 | fraction;
}
