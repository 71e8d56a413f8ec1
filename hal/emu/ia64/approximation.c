// SPDX-License-Identifier: BSD-2-Clause
// Approximations, from which software computes quotients and square roots. The target predicate
// tells whether it must.

#include "floating.h"

#include <math.h>

static struct ia64_float approximation(bool sign, int exponent, double value)
{
	return (struct ia64_float){(uint64_t)value << 53, (uint32_t)(exponent + EXPONENT_BIAS),
				   sign};
}

// An approximation of a reciprocal, or of the reciprocal of a square root.
struct approximation {
	struct ia64_float result;
	bool goes_on;		/* software refines it; otherwise it is final */
	unsigned flags;
	bool leaves_range;	/* iterations from it could leave the range of exponents */
};

#define FAULT_SOFTWARE_ASSISTANCE	8	/* ISR's code */

// The formats in which software iterates: of registers, and of pairs.
static const struct real_format of_register = {.precision = 64, .least = 1 - EXPONENT_BIAS,
					       .most = EXPONENT_BIAS};
static const struct real_format of_pair = {.precision = 24, .least = -126, .most = 127};

static const struct ia64_float zero, infinite = {INTEGER_BIT, EXPONENT_SPECIAL, false};
static const struct ia64_float one = {INTEGER_BIT, EXPONENT_BIAS, false};

// The result is a NaN: the first operand that is one, or the default NaN for products of 0 and
// infinity.
static struct approximation not_a_number(const struct ia64_float *a, const struct ia64_float *b)
{
	struct approximation r = {.flags = 0};

	r.result = real_multiply_add(b, a, &zero, &of_register, &r.flags);
	r.flags &= FLAG_INVALID | FLAG_DENORMAL;
	return r;
}

// Whether a divisor and its reciprocal are normal numbers, with a margin for the iterations.
static bool has_reciprocal(const struct real *b, const struct real_format *format)
{
	return b->exponent >= format->least && b->exponent < format->most - 2;
}

// Whether a dividend, or the operand of a root, is so small that intermediate results can lose
// their last bits.
static bool is_small(const struct real *a, const struct real_format *format)
{
	return a->exponent <= format->least + (int)format->precision - 1;
}

static bool quotient_leaves_range(const struct real *a, const struct real *b,
				  const struct real_format *format)
{
	const int quotient = a->exponent - b->exponent;

	return !has_reciprocal(b, format) || quotient <= format->least + 1 ||
	       quotient >= format->most ||
	       is_small(a, format);
}

static struct approximation reciprocal(const struct ia64_float *f, const struct ia64_float *g,
				       const struct real_format *format)
{
	const struct real a = real_of(f), b = real_of(g);
	const bool sign = a.sign != b.sign;
	struct approximation r = {.result.sign = sign, .flags = a.unnormal ||
				  b.unnormal ? FLAG_DENORMAL : 0};

	if (a.kind >= REAL_QUIET_NAN || b.kind >= REAL_QUIET_NAN)
		return not_a_number(f, g);
	if (a.kind == b.kind && a.kind != REAL_FINITE)
		return not_a_number(&zero, &infinite);
	if (a.kind == REAL_INFINITE || b.kind == REAL_ZERO) {
		if (a.kind == REAL_FINITE)
			r.flags = FLAG_ZERO_DIVIDE;
		r.result = (struct ia64_float){INTEGER_BIT, EXPONENT_SPECIAL, sign};
	} else if (a.kind == REAL_FINITE && b.kind == REAL_FINITE) {
		const unsigned i = b.significand >> 55 & 255;

		r.leaves_range = quotient_leaves_range(&a, &b, format);
		r.result = approximation(b.sign, -b.exponent - 1,
					 round(2048 / (1 + (2 * i + 1) / 512.0)));
		r.goes_on = true;
	}
	return r;
}

static struct approximation root(const struct ia64_float *f, const struct real_format *format)
{
	const struct real b = real_of(f);
	const bool odd = b.exponent & 1;
	const unsigned k = b.significand >> 56 & 127;
	const double value = 2048 / sqrt(1 + (2 * k + 1) / 256.0);

	if (b.kind >= REAL_QUIET_NAN)
		return not_a_number(f, &one);
	if (b.kind == REAL_ZERO)
		return (struct approximation){.result.sign = b.sign,
					      .flags = b.unnormal ? FLAG_DENORMAL : 0};
	if (b.sign)
		return (struct approximation){.result = real_indefinite, .flags = FLAG_INVALID};
	if (b.kind == REAL_INFINITE)
		return (struct approximation){.result = *f};
	return (struct approximation){
		approximation(false, -(b.exponent - odd) / 2 - 1,
			      round(odd ? value / sqrt(2) : value)), true,
		b.unnormal ? FLAG_DENORMAL : 0, is_small(&b, format),
	};
}

static enum outcome finish(struct machine *m, const struct op *op, struct approximation a)
{
	const unsigned p2 = op->bits >> 27 & 63;

	if (!ia64_pr(m, op->qp))
		return ia64_put_pr(m, p2, false), OUTCOME_NEXT;
	if (a.leaves_range)
		return ia64_interrupt(m, VECTOR_FP_FAULT, FAULT_SOFTWARE_ASSISTANCE, 0);
	if (ia64_fp_faults(m, op, a.flags))
		return OUTCOME_INTERRUPTION;

	const enum outcome outcome = ia64_put_fr(m, op->d1, a.result);

	if (outcome != OUTCOME_NEXT)
		return outcome;
	ia64_put_pr(m, p2, a.goes_on);
	return ia64_fp_note(m, op, a.flags);
}

static enum outcome frcpa(struct machine *m, const struct op *op)
{
	return finish(m, op, reciprocal(F2, F3, &of_register));
}

static enum outcome frsqrta(struct machine *m, const struct op *op)
{
	return finish(m, op, root(F3, &of_register));
}

//
// Pairs. No fault requests software assistance: if p2 is 0, software repeats the computation with
// single numbers (volume 3, fprcpa and fprsqrta).
//

static struct ia64_float half(const struct ia64_float *f, bool high)
{
	return real_of_single((uint32_t)(f->significand >> 32 * high));
}

// If the reciprocal exceeds the exponents of single precision, the result is infinite or 0, with
// the divisor's sign.
static struct approximation half_reciprocal(const struct ia64_float *f2,
					    const struct ia64_float *f3, bool high)
{
	const struct ia64_float a = half(f2, high), b = half(f3, high);
	const struct real divisor = real_of(&b);
	struct approximation r = reciprocal(&a, &b, &of_pair);

	if (r.goes_on && !has_reciprocal(&divisor, &of_pair)) {
		r.result = divisor.exponent < 0 ? infinite : zero;
		r.result.sign = divisor.sign;
	}
	r.goes_on = r.goes_on && !r.leaves_range;
	return r;
}

// 0 becomes infinite, and infinity 0: fprsqrta returns a root's reciprocal where frsqrta returns
// the root.
static struct approximation half_root(const struct ia64_float *f3, bool high)
{
	const struct ia64_float b = half(f3, high);
	const enum real_kind kind = real_of(&b).kind;
	struct approximation r = root(&b, &of_pair);

	if (kind == REAL_ZERO || (kind == REAL_INFINITE && !b.sign)) {
		r.result = kind == REAL_ZERO ? infinite : zero;
		r.result.sign = b.sign;
	}
	r.goes_on = r.goes_on && !r.leaves_range;
	return r;
}

// Software refines both results, or none.
static struct approximation pair(struct approximation high, struct approximation low)
{
	const uint64_t bits = (uint64_t)real_to_single(&high.result) << 32 |
		real_to_single(&low.result);

	return (struct approximation){
		real_of_integer(bits), high.goes_on && low.goes_on,
		high.flags | low.flags * FLAGS_OF_LOW, false,
	};
}

static enum outcome fprcpa(struct machine *m, const struct op *op)
{
	if (real_is_nat(F2) || real_is_nat(F3))
		return finish(m, op, (struct approximation){.result = real_nat});
	return finish(m, op, pair(half_reciprocal(F2, F3, true), half_reciprocal(F2, F3, false)));
}

static enum outcome fprsqrta(struct machine *m, const struct op *op)
{
	if (real_is_nat(F3))
		return finish(m, op, (struct approximation){.result = real_nat});
	return finish(m, op, pair(half_root(F3, true), half_root(F3, false)));
}

ia64_execute *const ia64_approximation[ENCODINGS] = {
	[IA64_FRCPA] = frcpa, [IA64_FRSQRTA] = frsqrta, [IA64_FPRCPA] = fprcpa,
	[IA64_FPRSQRTA] = fprsqrta,
};
