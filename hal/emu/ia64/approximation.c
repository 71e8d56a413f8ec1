// SPDX-License-Identifier: BSD-2-Clause
// Approximations, from which software makes quotients and square roots. The predicate says whether it has to.

#include <math.h>

#include "floating.h"

static struct ia64_float approximation(bool sign, int exponent, double value)
{
	return (struct ia64_float){(uint64_t)value << 53, (uint32_t)(exponent + EXPONENT_BIAS), sign};
}

// What an approximation is of a quotient a/b, or of a root: the result, and whether software goes on from it; or system
// software has to make the whole of it, since an exponent is near the end of its range.
struct approximation {
	struct ia64_float result;
	bool goes_on;
	unsigned flags;
	bool needs_assistance;
};

#define LEAST	(1 - EXPONENT_BIAS)
#define MOST	EXPONENT_BIAS
#define FAULT_SOFTWARE_ASSISTANCE	8	/* ISR's code */

static const struct ia64_float none, infinite = {INTEGER_BIT, EXPONENT_SPECIAL, false};
static const struct ia64_float one = {INTEGER_BIT, EXPONENT_BIAS, false};

// Not a number: as a product of operands that are none, or of 0 and infinity, is. The first operand's NaN goes first.
static struct approximation not_a_number(const struct ia64_float *a, const struct ia64_float *b,
					 const struct real_format *format)
{
	struct approximation r = {.flags = 0};

	r.result = real_multiply_add(b, a, &none, format, &r.flags);
	r.flags &= FLAG_INVALID | FLAG_DENORMAL;
	return r;
}

// Whether iterations from an approximation could leave the range of exponents.
static bool quotient_needs_assistance(const struct real *a, const struct real *b)
{
	const int quotient = a->exponent - b->exponent;

	return b->exponent < LEAST || b->exponent >= MOST - 2 || quotient <= LEAST + 1 || quotient >= MOST ||
	       a->exponent <= LEAST + 63;
}

static struct approximation reciprocal(const struct ia64_float *f, const struct ia64_float *g,
				       const struct real_format *format)
{
	const struct real a = real_of(f), b = real_of(g);
	const bool sign = a.sign != b.sign;
	struct approximation r = {.result.sign = sign, .flags = a.unnormal || b.unnormal ? FLAG_DENORMAL : 0};

	if (a.kind >= REAL_QUIET_NAN || b.kind >= REAL_QUIET_NAN)
		return not_a_number(f, g, format);
	if (a.kind == b.kind && a.kind != REAL_FINITE)
		return not_a_number(&none, &infinite, format);
	if (a.kind == REAL_INFINITE || b.kind == REAL_ZERO) {
		if (a.kind == REAL_FINITE)
			r.flags = FLAG_ZERO_DIVIDE;
		r.result = (struct ia64_float){INTEGER_BIT, EXPONENT_SPECIAL, sign};
	} else if (a.kind == REAL_FINITE && b.kind == REAL_FINITE) {
		const unsigned i = b.significand >> 55 & 255;

		r.needs_assistance = quotient_needs_assistance(&a, &b);
		r.result = approximation(b.sign, -b.exponent - 1, round(2048 / (1 + (2 * i + 1) / 512.0)));
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
		return not_a_number(f, &one, format);
	if (b.kind == REAL_ZERO)
		return (struct approximation){.result.sign = b.sign, .flags = b.unnormal ? FLAG_DENORMAL : 0};
	if (b.sign)
		return (struct approximation){.result = real_indefinite, .flags = FLAG_INVALID};
	if (b.kind == REAL_INFINITE)
		return (struct approximation){.result = *f};
	return (struct approximation){
		approximation(false, -(b.exponent - odd) / 2 - 1, round(odd ? value / sqrt(2) : value)), true,
		b.unnormal ? FLAG_DENORMAL : 0, b.exponent <= LEAST + 63,
	};
}

static enum outcome finish(struct machine *m, const struct op *op, struct approximation a)
{
	const unsigned p2 = op->bits >> 27 & 63;

	if (!ia64_pr(m, op->qp))
		return ia64_put_pr(m, p2, false), OUTCOME_NEXT;
	if (a.needs_assistance)
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
	const struct real_format format = ia64_format(m, status_field(op), BY_FIELD);

	return finish(m, op, reciprocal(F2, F3, &format));
}

static enum outcome frsqrta(struct machine *m, const struct op *op)
{
	const struct real_format format = ia64_format(m, status_field(op), BY_FIELD);

	return finish(m, op, root(F3, &format));
}

// The two of a pair: software goes on if it has to with both.
static struct approximation pair(struct approximation high, struct approximation low)
{
	const uint64_t bits = (uint64_t)real_to_single(&high.result) << 32 | real_to_single(&low.result);

	return (struct approximation){
		real_of_integer(bits), high.goes_on && low.goes_on, high.flags | low.flags * FLAGS_OF_LOW, false,
	};
}

static enum outcome fprcpa(struct machine *m, const struct op *op)
{
	const struct real_format format = ia64_format(m, status_field(op), SINGLE);
	const struct ia64_float a[2] = {real_of_single((uint32_t)(F2->significand >> 32)),
					real_of_single((uint32_t)F2->significand)};
	const struct ia64_float b[2] = {real_of_single((uint32_t)(F3->significand >> 32)),
					real_of_single((uint32_t)F3->significand)};

	if (real_is_nat(F2) || real_is_nat(F3))
		return finish(m, op, (struct approximation){.result = real_nat});
	return finish(m, op, pair(reciprocal(&a[0], &b[0], &format), reciprocal(&a[1], &b[1], &format)));
}

static enum outcome fprsqrta(struct machine *m, const struct op *op)
{
	const struct real_format format = ia64_format(m, status_field(op), SINGLE);
	const struct ia64_float high = real_of_single((uint32_t)(F3->significand >> 32));
	const struct ia64_float low = real_of_single((uint32_t)F3->significand);

	if (real_is_nat(F3))
		return finish(m, op, (struct approximation){.result = real_nat});
	return finish(m, op, pair(root(&high, &format), root(&low, &format)));
}

ia64_execute *const ia64_approximation[ENCODINGS] = {
	[IA64_FRCPA] = frcpa, [IA64_FRSQRTA] = frsqrta, [IA64_FPRCPA] = fprcpa, [IA64_FPRSQRTA] = fprsqrta,
};
