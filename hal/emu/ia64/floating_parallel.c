// SPDX-License-Identifier: BSD-2-Clause
// F unit, pairs of single-precision numbers in a significand. Each number is computed separately;
// the flags are those of both.

#include "floating.h"

static struct ia64_float half(const struct ia64_float *f, bool high)
{
	return real_of_single((uint32_t)(f->significand >> 32 * high));
}

static struct ia64_float pair(uint32_t high, uint32_t low)
{
	return real_of_integer((uint64_t)high << 32 | low);
}

// Computes the result for the high or low halves of the operands, and adds flags to *flags.
typedef uint32_t of_half(struct machine *m, const struct op *op, bool high, unsigned *flags);

static enum outcome both(struct machine *m, const struct op *op, bool nat, of_half *of)
{
	unsigned of_low = 0, of_high = 0;

	if (nat)
		return ia64_put_fr(m, op->d1, real_nat);

	const uint32_t low = of(m, op, false, &of_low), high = of(m, op, true, &of_high);

	return ia64_fp_finish(m, op, pair(high, low), of_high | of_low * FLAGS_OF_LOW);
}

#define NAT_2	real_is_nat(F2)
#define NAT_2_3	(NAT_2 || real_is_nat(F3))

#define PAIR(name, nat, ...)								\
	static uint32_t name##_half(struct machine *m, const struct op *op, bool high,	\
				    unsigned *flags)	\
	{										\
		__VA_ARGS__								\
	}										\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return both(m, op, nat, name##_half);					\
	}

#define SINGLE_BIAS	127

// A result of single precision as a half. After an overflow or underflow that traps, the half keeps
// the last 8 bits of the exponent: 17 bits are for results that are no pairs (volume 1, section
// 5.4.2).
static uint32_t half_of_result(const struct ia64_float *f)
{
	const uint32_t exponent = (f->exponent - (EXPONENT_BIAS - SINGLE_BIAS)) & 0xFF,
		bits = real_to_single(f);

	if (f->exponent == EXPONENT_SPECIAL || !(f->significand & INTEGER_BIT))
		return bits;
	return (bits & ~(0xFFu << 23)) | exponent << 23;
}

static uint32_t multiply_add(struct machine *m, const struct op *op, bool high,
			     bool negates_product, bool negates_addend, unsigned *flags)
{
	const struct real_format format = ia64_format(m, status_field(op), SINGLE_OF_PAIR);
	struct ia64_float a = half(F3, high), b = half(F4, high), c = half(F2, high);
	struct ia64_float result;

	a.sign ^= negates_product && real_of(&a).kind < REAL_QUIET_NAN;
	c.sign ^= negates_addend && real_of(&c).kind < REAL_QUIET_NAN;
	if (!op->s2)	/* nothing is added: a zero has the product's sign */
		c = (struct ia64_float){.sign = a.sign != b.sign};
	result = real_multiply_add(&a, &b, &c, &format, flags);
	return half_of_result(&result);
}

PAIR(fpma, NAT_2_3 || real_is_nat(F4), return multiply_add(m, op, high, false, false, flags);)
PAIR(fpms, NAT_2_3 || real_is_nat(F4), return multiply_add(m, op, high, false, true, flags);)
PAIR(fpnma, NAT_2_3 || real_is_nat(F4), return multiply_add(m, op, high, true, false, flags);)

// The result is the second operand, unless the first one is less (or greater).
static uint32_t select(struct machine *m, const struct op *op, bool high, int order,
		       bool by_magnitude, unsigned *flags)
{
	const struct ia64_float a = half(F2, high), b = half(F3, high);
	struct ia64_float x = a, y = b;

	x.sign &= !by_magnitude;
	y.sign &= !by_magnitude;
	*flags |= ia64_compare_flags(&a, &b, true);
	return real_compare(&x, &y) == order ? real_to_single(&a) : real_to_single(&b);
}

PAIR(fpmin, NAT_2_3, return select(m, op, high, -1, false, flags);)
PAIR(fpmax, NAT_2_3, return select(m, op, high, 1, false, flags);)
PAIR(fpamin, NAT_2_3, return select(m, op, high, -1, true, flags);)
PAIR(fpamax, NAT_2_3, return select(m, op, high, 1, true, flags);)

// The result is all ones if the relation holds. Relations are sets of the orders less, equal,
// greater, unordered.
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static uint32_t compare(struct machine *m, const struct op *op, bool high, unsigned orders,
			bool asks_for_order, unsigned *flags)
{
	const struct ia64_float a = half(F2, high), b = half(F3, high);

	*flags |= ia64_compare_flags(&a, &b, asks_for_order);
	return orders >> (real_compare(&a, &b) + 1) & 1 ? ~0u : 0;
}

PAIR(fpcmp_eq, NAT_2_3, return compare(m, op, high, EQUAL, false, flags);)
PAIR(fpcmp_lt, NAT_2_3, return compare(m, op, high, LESS, true, flags);)
PAIR(fpcmp_le, NAT_2_3, return compare(m, op, high, LESS | EQUAL, true, flags);)
PAIR(fpcmp_unord, NAT_2_3, return compare(m, op, high, UNORDERED, false, flags);)
PAIR(fpcmp_neq, NAT_2_3, return compare(m, op, high, LESS | GREATER | UNORDERED, false, flags);)
PAIR(fpcmp_nlt, NAT_2_3, return compare(m, op, high, EQUAL | GREATER | UNORDERED, true, flags);)
PAIR(fpcmp_nle, NAT_2_3, return compare(m, op, high, GREATER | UNORDERED, true, flags);)
PAIR(fpcmp_ord, NAT_2_3, return compare(m, op, high, LESS | EQUAL | GREATER, false, flags);)

static uint32_t convert(struct machine *m, const struct op *op, bool high, bool is_signed,
			bool truncates, unsigned *flags)
{
	const struct real_format format = ia64_format(m, status_field(op), SINGLE_OF_PAIR);
	const struct ia64_float a = half(F2, high);

	return (uint32_t)real_to_integer(&a, is_signed, truncates ? ROUND_ZERO : format.rounding,
					 32, flags);
}

PAIR(fpcvt_fx, NAT_2, return convert(m, op, high, true, false, flags);)
PAIR(fpcvt_fxu, NAT_2, return convert(m, op, high, false, false, flags);)
PAIR(fpcvt_fx_trunc, NAT_2, return convert(m, op, high, true, true, flags);)
PAIR(fpcvt_fxu_trunc, NAT_2, return convert(m, op, high, false, true, flags);)

#define SIGN		(1ULL << 63 | 1ULL << 31)
#define SIGN_EXPONENT	(511ULL << 55 | 511ULL << 23)
#define MERGE(name, from_first, of_first)						\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		const uint64_t a = F2->significand, b = F3->significand;		\
											\
		return ia64_put_fr(m, op->d1, NAT_2_3 ? real_nat :			\
				   real_of_integer((of_first & from_first) | (b & ~from_first))); \
	}
MERGE(fpmerge_s, SIGN, a)
MERGE(fpmerge_ns, SIGN, ~a)
MERGE(fpmerge_se, SIGN_EXPONENT, a)

ia64_execute *const ia64_floating_parallel[ENCODINGS] = {
	[IA64_FPMA] = fpma, [IA64_FPMS] = fpms, [IA64_FPNMA] = fpnma, [IA64_FPMIN] = fpmin,
	[IA64_FPMAX] = fpmax,
	[IA64_FPAMIN] = fpamin, [IA64_FPAMAX] = fpamax, [IA64_FPCMP_EQ] = fpcmp_eq,
	[IA64_FPCMP_LT] = fpcmp_lt,
	[IA64_FPCMP_LE] = fpcmp_le, [IA64_FPCMP_UNORD] = fpcmp_unord, [IA64_FPCMP_NEQ] = fpcmp_neq,
	[IA64_FPCMP_NLT] = fpcmp_nlt, [IA64_FPCMP_NLE] = fpcmp_nle, [IA64_FPCMP_ORD] = fpcmp_ord,
	[IA64_FPCVT_FX] = fpcvt_fx, [IA64_FPCVT_FXU] = fpcvt_fxu,
	[IA64_FPCVT_FX_TRUNC] = fpcvt_fx_trunc,
	[IA64_FPCVT_FXU_TRUNC] = fpcvt_fxu_trunc, [IA64_FPMERGE_S] = fpmerge_s,
	[IA64_FPMERGE_NS] = fpmerge_ns,
	[IA64_FPMERGE_SE] = fpmerge_se,
};
