// SPDX-License-Identifier: BSD-2-Clause
// F unit: arithmetic, comparisons, conversions, status fields.

#include "floating.h"

//
// Status fields
//

// The exceptions that software has enabled. Fields 1 to 3 can disable all of them.
static unsigned enabled(const struct machine *m, unsigned sf)
{
	return sf && controls(m, sf) & CONTROL_TD ? 0 : ~(unsigned)m->ar[AR_FPSR] & 63;
}

struct real_format ia64_format(const struct machine *m, unsigned sf, enum precision precision)
{
	static const uint8_t of_pc[4] = {24, 24, 53, 64};
	const unsigned c = controls(m, sf);
	struct real_format f = {.least = -16382, .most = 16383,
				.rounding = (enum rounding)(c >> 4 & 3),
				.flushes = c & CONTROL_FTZ,
				.traps = enabled(m, sf) & (FLAG_OVERFLOW | FLAG_UNDERFLOW)};

	f.precision = precision == BY_FIELD ? of_pc[c >> 2 & 3] : precision == DOUBLE ? 53 : 24;
	if (c & CONTROL_WRE && precision != SINGLE_OF_PAIR) {
		f.least = 1 - EXPONENT_BIAS;
		f.most = EXPONENT_BIAS;
	} else if (precision == SINGLE || precision == SINGLE_OF_PAIR) {
		f.least = -126;
		f.most = 127;
	} else if (precision == DOUBLE) {
		f.least = -1022;
		f.most = 1023;
	}
	return f;
}

#define FAULTS	(FLAG_INVALID | FLAG_DENORMAL | FLAG_ZERO_DIVIDE)
#define TRAPS	(FLAG_OVERFLOW | FLAG_UNDERFLOW | FLAG_INEXACT)

// ISR.code holds the faults of a single number, or of a pair's higher one, in bits 2:0, and those
// of the lower one in 6:4.
bool ia64_fp_faults(struct machine *m, const struct op *op, unsigned flags)
{
	const unsigned faults = FAULTS & enabled(m, status_field(op)), code = (flags & faults) |
				(flags / FLAGS_OF_LOW & faults) << 4;

	if (code)
		ia64_interrupt(m, VECTOR_FP_FAULT, code, 0);
	return code;
}

// Volume 1, figure 5-12: an inexact result is reported together with an overflow or underflow, even
// if it does not trap.
static unsigned traps_of(unsigned flags, unsigned enabled)
{
	unsigned raised = flags & TRAPS & enabled;

	if (raised & (FLAG_OVERFLOW | FLAG_UNDERFLOW))
		raised |= flags & FLAG_INEXACT;
	return raised ? raised | (flags & FLAG_GREATER) : 0;
}

// ISR.code holds the traps of a single number, or of a pair's higher one, in bits 13:11, and fpa in
// 14; those of the lower one are in 10:7.
enum outcome ia64_fp_note(struct machine *m, const struct op *op, unsigned flags)
{
	const unsigned sf = status_field(op), low = flags / FLAGS_OF_LOW, traps = enabled(m, sf);
	const unsigned code = traps_of(flags, traps) << 8 | traps_of(low, traps) << 4;

	m->ar[AR_FPSR] |= (uint64_t)((flags | low) & (FAULTS | TRAPS)) <<
		(FIELD_SHIFT(sf) + FLAGS_SHIFT);
	if (__builtin_expect((flags | low) & FLAG_FLUSHED, 0))
		ia64_see_flush_to_zero(m);
	if (!code)
		return OUTCOME_NEXT;
	ia64_interrupt(m, VECTOR_FP_TRAP, code | TRAP_FP, 0);
	return OUTCOME_TRAP;
}

enum outcome ia64_fp_finish(struct machine *m, const struct op *op, struct ia64_float result,
			    unsigned flags)
{
	if (ia64_fp_faults(m, op, flags))
		return OUTCOME_INTERRUPTION;

	const enum outcome outcome = ia64_put_fr(m, op->d1, result);

	return outcome == OUTCOME_NEXT ? ia64_fp_note(m, op, flags) : outcome;
}

//
// Multiplication and addition. The product's sign is that of a, which nma changes; ms changes the
// sign of the addend.
//

// Changes the sign on request. A pseudo-zero with NaTVal's exponent would become NaTVal, so it gets
// another exponent, which has no meaning.
static struct ia64_float negate(const struct ia64_float *f, bool negates)
{
	struct ia64_float r = *f;

	if (!negates || real_of(f).kind > REAL_INFINITE)
		return r;
	r.sign = !r.sign;
	if (real_is_nat(&r))
		r.exponent = 1;
	return r;
}

// If f2 is f0, nothing is added: the product alone is rounded, and a zero keeps the product's sign.
static struct ia64_float multiply(const struct ia64_float *a, const struct ia64_float *b,
				  const struct real_format *format, unsigned *flags)
{
	const struct ia64_float nothing = {.sign = a->sign != b->sign};

	return real_multiply_add(a, b, &nothing, format, flags);
}

static enum outcome multiply_add(struct machine *m, const struct op *op, enum precision precision,
				 bool negates_product, bool negates_addend)
{
	const struct real_format format = ia64_format(m, status_field(op), precision);
	const struct ia64_float a = negate(F3, negates_product), b = *F4,
		c = negate(F2, negates_addend);
	unsigned flags = 0;
	struct ia64_float result;

	result = op->s2 ? real_multiply_add(&a, &b, &c, &format, &flags) :
		multiply(&a, &b, &format, &flags);
	return ia64_fp_finish(m, op, result, flags);
}

#define EACH_PRECISION(name, negates_product, negates_addend)				\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return multiply_add(m, op, BY_FIELD, negates_product, negates_addend);	\
	}										\
	static enum outcome name##_s(struct machine *m, const struct op *op)		\
	{										\
		return multiply_add(m, op, SINGLE, negates_product, negates_addend);	\
	}										\
	static enum outcome name##_d(struct machine *m, const struct op *op)		\
	{										\
		return multiply_add(m, op, DOUBLE, negates_product, negates_addend);	\
	}
EACH_PRECISION(madd, false, false)
EACH_PRECISION(msub, false, true)
EACH_PRECISION(nmadd, true, false)

//
// Comparisons
//

static bool is_nan(const struct ia64_float *f)
{
	const enum real_kind kind = real_of(f).kind;

	return kind == REAL_QUIET_NAN || kind == REAL_SIGNALING_NAN || kind == REAL_UNSUPPORTED;
}

unsigned ia64_compare_flags(const struct ia64_float *a, const struct ia64_float *b, bool orders)
{
	const struct real x = real_of(a), y = real_of(b);
	const bool nan = is_nan(a) || is_nan(b);
	const bool signaling = x.kind == REAL_SIGNALING_NAN || y.kind == REAL_SIGNALING_NAN ||
			       x.kind == REAL_UNSUPPORTED || y.kind == REAL_UNSUPPORTED;

	if (nan)
		return orders || signaling ? FLAG_INVALID : 0;
	return x.unnormal || y.unnormal ? FLAG_DENORMAL : 0;
}

static enum outcome set_predicates(struct machine *m, const struct op *op, bool result, bool nat)
{
	const unsigned p1 = op->bits >> 6 & 63, p2 = op->bits >> 27 & 63;

	if (p1 == p2)
		return ia64_illegal(m);
	ia64_put_pr(m, p1, result && !nat);
	ia64_put_pr(m, p2, !result && !nat);
	return OUTCOME_NEXT;
}

static enum outcome compare(struct machine *m, const struct op *op, bool is_less, bool is_equal,
			    bool is_unordered)
{
	const bool nat = real_is_nat(F2) || real_is_nat(F3);
	const int order = real_compare(F2, F3);
	const bool result = (order == -1 && is_less) || (order == 0 && is_equal) ||
		(order == 2 && is_unordered);
	const unsigned flags = nat ? 0 : ia64_compare_flags(F2, F3, is_less);

	if (!ia64_pr(m, op->qp))	/* type unc */
		return set_predicates(m, op, false, true);
	if (ia64_fp_faults(m, op, flags))
		return OUTCOME_INTERRUPTION;

	const enum outcome outcome = set_predicates(m, op, result, nat);

	return outcome == OUTCOME_NEXT ? ia64_fp_note(m, op, flags) : outcome;
}

#define COMPARISON(name, is_less, is_equal, is_unordered)				\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return compare(m, op, is_less, is_equal, is_unordered);			\
	}
COMPARISON(fcmp_eq, false, true, false)
COMPARISON(fcmp_lt, true, false, false)
COMPARISON(fcmp_le, true, true, false)
COMPARISON(fcmp_unord, false, false, true)

// Manual, volume 3, fclass: the classes by bits of fclass9.
static bool is_of_class(const struct ia64_float *f, unsigned classes)
{
	const struct real r = real_of(f);
	const bool sign = classes & (r.sign ? 2 : 1);

	switch (r.kind) {
	case REAL_NAT:
		return classes & 0x100;
	case REAL_QUIET_NAN:
		return classes & 0x80;
	case REAL_SIGNALING_NAN:
		return classes & 0x40;
	case REAL_ZERO:
		return sign && classes & (r.unnormal ? 8 : 4);
	case REAL_FINITE:
		return sign && classes & (r.unnormal ? 8 : 0x10);
	case REAL_INFINITE:
		return sign && classes & 0x20;
	case REAL_UNSUPPORTED:
		break;
	}
	return false;
}

static enum outcome fclass(struct machine *m, const struct op *op)
{
	const unsigned classes = (unsigned)op->imm;

	if (!ia64_pr(m, op->qp))
		return set_predicates(m, op, false, true);
	return set_predicates(m, op, is_of_class(F2, classes), real_is_nat(F2) &&
			      !(classes & 0x100));
}

static struct ia64_float magnitude(const struct ia64_float *f)
{
	return (struct ia64_float){f->significand, f->exponent, false};
}

// The result is the second operand if the first one is not less (or greater), or if one of them is
// a NaN.
static enum outcome select(struct machine *m, const struct op *op, int order, bool by_magnitude)
{
	const struct ia64_float a = by_magnitude ? magnitude(F2) : *F2,
		b = by_magnitude ? magnitude(F3) : *F3;
	const bool nat = real_is_nat(F2) || real_is_nat(F3);

	if (nat)
		return ia64_put_fr(m, op->d1, real_nat);
	return ia64_fp_finish(m, op, real_compare(&a, &b) == order ? *F2 : *F3,
			      ia64_compare_flags(F2, F3, true));
}

#define SELECT(name, order, by_magnitude)						\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return select(m, op, order, by_magnitude);				\
	}
SELECT(fmin_, -1, false)
SELECT(fmax_, 1, false)
SELECT(famin, -1, true)
SELECT(famax, 1, true)

//
// Integers
//

static enum outcome convert(struct machine *m, const struct op *op, bool is_signed, bool truncates)
{
	const enum rounding rounding = truncates ? ROUND_ZERO :
		(enum rounding)(controls(m, status_field(op)) >> 4 & 3);
	unsigned flags = 0;

	if (real_is_nat(F2))
		return ia64_put_fr(m, op->d1, real_nat);

	const uint64_t value = real_to_integer(F2, is_signed, rounding, 64, &flags);

	return ia64_fp_finish(m, op, real_of_integer(value), flags);
}

#define CONVERSION(name, is_signed, truncates)						\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return convert(m, op, is_signed, truncates);				\
	}
CONVERSION(fcvt_fx, true, false)
CONVERSION(fcvt_fxu, false, false)
CONVERSION(fcvt_fx_trunc, true, true)
CONVERSION(fcvt_fxu_trunc, false, true)

static enum outcome fcvt_xf(struct machine *m, const struct op *op)
{
	const bool sign = F2->significand >> 63;
	const uint64_t value = sign ? -F2->significand : F2->significand;
	const int zeros = value ? __builtin_clzll(value) : 0;

	if (real_is_nat(F2))
		return ia64_put_fr(m, op->d1, real_nat);
	if (!value)
		return ia64_put_fr(m, op->d1, (struct ia64_float){0});
	return ia64_put_fr(m, op->d1, (struct ia64_float){
		value << zeros, (uint32_t)(FLOAT_EXPONENT_INTEGER - zeros), sign,
	});
}

// Defines an instruction that computes an integer from the significands. Its result is NaTVal if an
// operand is.
#define SIGNIFICANDS(name, nat, value)							\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return ia64_put_fr(m, op->d1, nat ? real_nat : real_of_integer(value));		\
	}
#define NAT_2_3		(real_is_nat(F2) || real_is_nat(F3))
#define NAT_2_3_4	(NAT_2_3 || real_is_nat(F4))
#define A		(F2->significand)
#define B		(F3->significand)
#define PAIR(high, low)	((uint64_t)(high) << 32 | (uint32_t)(low))
SIGNIFICANDS(xma_l, NAT_2_3_4, B * F4->significand + A)
SIGNIFICANDS(xma_hu, NAT_2_3_4, (uint64_t)(((unsigned __int128)B * F4->significand + A) >> 64))
SIGNIFICANDS(xma_h, NAT_2_3_4,
	     (uint64_t)(((unsigned __int128)((__int128)(int64_t)B * (int64_t)F4->significand) +
			 A) >> 64))
SIGNIFICANDS(fselect, NAT_2_3_4, (B & A) | (F4->significand & ~A))
SIGNIFICANDS(fand, NAT_2_3, A & B)
SIGNIFICANDS(fandcm, NAT_2_3, A & ~B)
SIGNIFICANDS(for_, NAT_2_3, A | B)
SIGNIFICANDS(fxor, NAT_2_3, A ^ B)
SIGNIFICANDS(fmix_lr, NAT_2_3, PAIR(A >> 32, B))
SIGNIFICANDS(fmix_r, NAT_2_3, PAIR(A, B))
SIGNIFICANDS(fmix_l, NAT_2_3, PAIR(A >> 32, B >> 32))
SIGNIFICANDS(fsxt_r, NAT_2_3, PAIR(A >> 31 & 1 ? ~0u : 0, B))
SIGNIFICANDS(fsxt_l, NAT_2_3, PAIR(A >> 63 ? ~0u : 0, B >> 32))
SIGNIFICANDS(fswap, NAT_2_3, PAIR(B, A >> 32))
SIGNIFICANDS(fswap_nl, NAT_2_3, PAIR(B ^ 1u << 31, A >> 32))
SIGNIFICANDS(fswap_nr, NAT_2_3, PAIR(B, (A >> 32) ^ 1u << 31))
SIGNIFICANDS(fpack, NAT_2_3, PAIR(real_to_single(F2), real_to_single(F3)))

// Defines an instruction that takes sign and exponent of one operand, and the rest of the other
// one.
#define MERGE(name, sign, exponent)							\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		if (NAT_2_3)								\
			return ia64_put_fr(m, op->d1, real_nat);				\
		return ia64_put_fr(m, op->d1,	\
				   (struct ia64_float){F3->significand, exponent, sign});	\
	}
MERGE(fmerge_s, F2->sign, F3->exponent)
MERGE(fmerge_ns, !F2->sign, F3->exponent)
MERGE(fmerge_se, F2->sign, F2->exponent)

//
// Control
//

static enum outcome fsetc(struct machine *m, const struct op *op)
{
	const unsigned sf = status_field(op);
	const uint64_t value = (controls(m, 0) & (uint64_t)op->imm) | op->imm2;

	if ((value & CONTROL_PC) == 1u << 2 || (sf == 0 && value & CONTROL_TD))
		return ia64_reserved_register(m);
	m->ar[AR_FPSR] = (m->ar[AR_FPSR] & ~(127ULL << FIELD_SHIFT(sf))) |
		(value & 127) << FIELD_SHIFT(sf);
	return OUTCOME_NEXT;
}

static enum outcome fclrf(struct machine *m, const struct op *op)
{
	m->ar[AR_FPSR] &= ~(63ULL << (FIELD_SHIFT(status_field(op)) + FLAGS_SHIFT));
	return OUTCOME_NEXT;
}

// Branches to recovery code if a flag is set that is enabled as an exception, or that is clear in
// field 0.
static enum outcome fchkf(struct machine *m, const struct op *op)
{
	const uint64_t fpsr = m->ar[AR_FPSR];
	const unsigned flags = fpsr >> (FIELD_SHIFT(status_field(op)) + FLAGS_SHIFT) & 63;
	const unsigned first = fpsr >> (FIELD_SHIFT(0) + FLAGS_SHIFT) & 63;

	if (!(flags & ~(unsigned)fpsr & 63) && !(flags & ~first))
		return OUTCOME_NEXT;
	return ia64_go(m, m->ip + (uint64_t)op->imm);
}

#define OF_MULTIPLY(N, name)	[IA64_##N] = name, [IA64_##N##_S] = name##_s, \
	[IA64_##N##_D] = name##_d
#define OF_COMPARE(N, name)	[IA64_FCMP_##N] = name, [IA64_FCMP_##N##_UNC] = name

ia64_execute *const ia64_floating[ENCODINGS] = {
	OF_MULTIPLY(FMA, madd), OF_MULTIPLY(FMS, msub), OF_MULTIPLY(FNMA, nmadd),
	[IA64_XMA_L] = xma_l,
	[IA64_XMA_H] = xma_h, [IA64_XMA_HU] = xma_hu, [IA64_FSELECT] = fselect,
	OF_COMPARE(EQ, fcmp_eq),
	OF_COMPARE(LT, fcmp_lt), OF_COMPARE(LE, fcmp_le), OF_COMPARE(UNORD, fcmp_unord),
	[IA64_FCLASS_M] = fclass,
	[IA64_FCLASS_M_UNC] = fclass, [IA64_FMIN] = fmin_,
	[IA64_FMAX] = fmax_, [IA64_FAMIN] = famin, [IA64_FAMAX] = famax, [IA64_FCVT_FX] = fcvt_fx,
	[IA64_FCVT_FXU] = fcvt_fxu, [IA64_FCVT_FX_TRUNC] = fcvt_fx_trunc,
	[IA64_FCVT_FXU_TRUNC] = fcvt_fxu_trunc,
	[IA64_FCVT_XF] = fcvt_xf, [IA64_FAND] = fand, [IA64_FANDCM] = fandcm, [IA64_FOR] = for_,
	[IA64_FXOR] = fxor,
	[IA64_FMIX_LR] = fmix_lr, [IA64_FMIX_R] = fmix_r, [IA64_FMIX_L] = fmix_l,
	[IA64_FSXT_R] = fsxt_r,
	[IA64_FSXT_L] = fsxt_l, [IA64_FSWAP] = fswap, [IA64_FSWAP_NL] = fswap_nl,
	[IA64_FSWAP_NR] = fswap_nr,
	[IA64_FPACK] = fpack, [IA64_FMERGE_S] = fmerge_s, [IA64_FMERGE_NS] = fmerge_ns,
	[IA64_FMERGE_SE] = fmerge_se,
	[IA64_FSETC] = fsetc, [IA64_FCLRF] = fclrf, [IA64_FCHKF] = fchkf,
};
