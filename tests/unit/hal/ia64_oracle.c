// SPDX-License-Identifier: BSD-2-Clause
// ia64's floating point by mpfr: its exact results, rounded here into registers.

#include <stdlib.h>

#include "ia64_oracle.h"

static const struct ia64_float indefinite = {INTEGER_BIT | QUIET_BIT, SPECIAL, true};
static const struct ia64_float natval = {0, NATVAL_EXPONENT, false};

//
// Values of registers
//

// Table 5-2. Pseudo-zeros and numbers with the exponent 0 are unnormalized, too.
enum kind { ZERO, FINITE, INFINITE, QUIET_NAN, SIGNALING_NAN, UNSUPPORTED, NATVAL };

struct value {
	enum kind kind;
	bool sign, unnormalized;
	struct ia64_float f;
};

static struct value value_of(const struct ia64_float *f)
{
	struct value v = {FINITE, f->sign, !(f->significand & INTEGER_BIT) || !f->exponent, *f};

	if (f->exponent == SPECIAL) {
		v.kind = f->significand < INTEGER_BIT ? UNSUPPORTED :
			f->significand == INTEGER_BIT ? INFINITE :
			 f->significand & QUIET_BIT ? QUIET_NAN : SIGNALING_NAN;
		v.unnormalized = false;
	} else if (!f->significand) {
		v.kind = f->exponent == NATVAL_EXPONENT && !f->sign ? NATVAL : ZERO;
		v.unnormalized = f->exponent && v.kind == ZERO;
	}
	return v;
}

// A finite number. The exponent 0 stands for that of double-extended denormals (section 5.1.2).
static void get_number(mpfr_t x, const struct ia64_float *f)
{
	const long exponent = f->exponent ? (long)f->exponent - BIAS : -16382;

	mpfr_set_ui_2exp(x, f->significand, exponent - 63, MPFR_RNDN);
	mpfr_setsign(x, x, f->sign, MPFR_RNDN);
}

static struct ia64_float zero(bool sign)
{
	return (struct ia64_float){0, 0, sign};
}

static struct ia64_float infinity(bool sign)
{
	return (struct ia64_float){INTEGER_BIT, SPECIAL, sign};
}

//
// Expected results of instructions
//

// Numbers of 64 bits; a number that is wide enough to need no rounding; integers.
#define WIDE 72
static mpfr_t x, y, z, wide, rounded;
static mpz_t whole, factor, modulus;

// If mpfr has discarded a part of `wide`, sets its last bit.
static void stick(int inexact)
{
	if (!inexact || mpfr_min_prec(wide) == WIDE)
		return;
	if (mpfr_signbit(wide))
		mpfr_nextbelow(wide);
	else
		mpfr_nextabove(wide);
}

static uint64_t significand_of(mpfr_t number)
{
	mpfr_mul_2si(number, number, 64 - mpfr_get_exp(number), MPFR_RNDN);
	mpfr_abs(number, number, MPFR_RNDN);
	return mpfr_get_ui(number, MPFR_RNDN);
}

// Section 5.4.3: the number is denormalized, then rounded; an inexact result is an underflow.
static struct ia64_float round_tiny(const struct target *t, struct expected *e)
{
	const bool sign = mpfr_signbit(wide);
	uint64_t significand;

	if (t->flushes) {
		e->flags |= U | I;
		return zero(sign);
	}
	mpfr_mul_2si(wide, wide, (long)t->precision - 1 - t->least, MPFR_RNDN);
	mpfr_set_prec(rounded, WIDE);
	if (mpfr_rint(rounded, wide, t->mode))
		e->flags |= U | I;
	e->greater = mpfr_cmpabs(rounded, wide) > 0;
	if (mpfr_zero_p(rounded))
		return zero(sign);
	mpfr_abs(rounded, rounded, MPFR_RNDN);
	significand = mpfr_get_ui(rounded, MPFR_RNDN) << (64 - t->precision);
	return (struct ia64_float){
		significand, significand < INTEGER_BIT && t->least == -16382 ? 0 :
			(uint32_t)(t->least + BIAS), sign,
	};
}

// Rounds `wide`, which is not 0, into a register. After an overflow or underflow that traps, the
// register has the last 17 bits of the exponent (sections 5.4.1.3 and 8.1.2.4: rounded as with an
// unlimited exponent).
static struct ia64_float round_wide(const struct target *t, struct expected *e)
{
	const bool sign = mpfr_signbit(wide);
	bool away, inexact;
	long exponent;

	mpfr_set_prec(rounded, t->precision);
	inexact = mpfr_set(rounded, wide, t->mode);
	exponent = mpfr_get_exp(rounded) - 1;
	if (exponent < t->least && !(t->traps & U))
		return round_tiny(t, e);
	if (exponent > t->most && !(t->traps & O)) {
		away = t->mode == MPFR_RNDN || t->mode == (sign ? MPFR_RNDD : MPFR_RNDU);
		e->flags |= O | I;
		e->greater = away;
		return away ? infinity(sign) : (struct ia64_float){
			~0ULL << (64 - t->precision), (uint32_t)(t->most + BIAS), sign,
		};
	}
	e->flags |= (inexact ? I : 0) | (exponent < t->least ? U : exponent > t->most ? O : 0);
	e->greater = mpfr_cmpabs(rounded, wide) > 0;
	return (struct ia64_float){significand_of(rounded), (uint32_t)(exponent + BIAS) & SPECIAL,
				   sign};
}

// Handles operands that are NaNs or unsupported, in order of priority. Returns true if they
// determine the result.
static bool propagates(const struct value *v, unsigned count, struct expected *e)
{
	unsigned signaling = 0, unsupported = 0;

	for (unsigned i = 0; i < count; i++) {
		signaling += v[i].kind == SIGNALING_NAN;
		unsupported += v[i].kind == UNSUPPORTED;
		if (v[i].kind == NATVAL) {
			e->result = natval;
			return true;
		}
	}
	e->flags = signaling || unsupported ? V : 0;
	e->result = indefinite;
	for (unsigned i = 0; i < count && !unsupported; i++)
		if (v[i].kind == QUIET_NAN || v[i].kind == SIGNALING_NAN) {
			e->result = v[i].f;
			e->result.significand |= QUIET_BIT;
			return true;
		}
	return unsupported;
}

static struct expected invalid(struct ia64_float result)
{
	return (struct expected){.result = result, .flags = V};
}

struct expected oracle_multiply_add(const struct ia64_float f[3], bool negates_product,
				    bool negates_addend,
					   bool adds, const struct target *t)
{
	const struct value f2 = value_of(&f[0]), f3 = value_of(&f[1]), f4 = value_of(&f[2]);
	const struct value order[3] = {f4, adds ? f2 : f3, f3};
	const bool sign = f3.sign ^ f4.sign ^ negates_product,
		addend_sign = f2.sign ^ negates_addend;
	const bool infinite = f3.kind == INFINITE || f4.kind == INFINITE;
	const bool is_zero = f3.kind == ZERO || f4.kind == ZERO;
	const bool is_true_zero = (f3.kind == ZERO && !f3.unnormalized) ||
		(f4.kind == ZERO && !f4.unnormalized);
	struct expected e = {.flags = 0};

	if (propagates(order, 3, &e))
		return e;
	if (infinite && (is_true_zero || (adds && f2.kind == INFINITE && addend_sign != sign)))
		return invalid(indefinite);
	e.flags = f3.unnormalized || f4.unnormalized || (adds && f2.unnormalized) ? D : 0;
	if (infinite || (adds && f2.kind == INFINITE)) {
		e.result = infinity(infinite ? sign : addend_sign);
		return e;
	}
	if (is_zero && !adds) {
		e.result = zero(sign);
		return e;
	}
	if (is_zero && f2.kind == ZERO) {
		e.result = zero(sign == addend_sign ? sign : t->mode == MPFR_RNDD);
		return e;
	}
	get_number(x, &f[1]);
	get_number(y, &f[2]);
	mpfr_setsign(x, x, f3.sign ^ negates_product, MPFR_RNDN);
	if (adds) {
		get_number(z, &f[0]);
		mpfr_setsign(z, z, addend_sign, MPFR_RNDN);
		stick(mpfr_fma(wide, x, y, z, MPFR_RNDZ));
	} else {
		stick(mpfr_mul(wide, x, y, MPFR_RNDZ));
	}
	e.result = mpfr_zero_p(wide) ? zero(t->mode == MPFR_RNDD) : round_wide(t, &e);
	return e;
}

static struct ia64_float integer(mpz_t value)
{
	mpz_fdiv_r(value, value, modulus);
	return (struct ia64_float){mpz_get_ui(value), 0x1003E, false};
}

struct expected oracle_to_integer(const struct ia64_float *f, bool is_signed, unsigned bits,
				  mpfr_rnd_t mode)
{
	const struct ia64_float no_integer = {1ULL << (bits - 1), 0x1003E, false};
	const struct value v = value_of(f);
	struct expected e = {.flags = v.unnormalized ? D : 0};

	if (v.kind == NATVAL)
		return (struct expected){.result = natval};
	if (v.kind > FINITE)
		return invalid(no_integer);
	get_number(x, f);
	mpfr_set_prec(rounded, WIDE);
	e.flags |= mpfr_rint(rounded, x, mode) ? I : 0;
	e.greater = mpfr_cmpabs(rounded, x) > 0;
	if (!mpfr_zero_p(rounded) && mpfr_get_exp(rounded) > 65)
		return invalid(no_integer);
	mpfr_get_z(whole, rounded, MPFR_RNDN);
	mpz_set_ui(factor, 1);
	mpz_mul_2exp(factor, factor, is_signed ? bits - 1 : bits);
	if (mpz_cmp(whole, factor) >= 0)
		return invalid(no_integer);
	if (is_signed)
		mpz_neg(factor, factor);
	else
		mpz_set_ui(factor, 0);
	if (mpz_cmp(whole, factor) < 0)
		return invalid(no_integer);
	e.result = integer(whole);
	return e;
}

struct expected oracle_of_integer(const struct ia64_float *f)
{
	const struct target exact = {64, -65534, 65535, MPFR_RNDN, false, 0};
	struct expected e = {.flags = 0};

	if (value_of(f).kind == NATVAL)
		return (struct expected){.result = natval};
	mpfr_set_si(wide, (long)f->significand, MPFR_RNDN);
	if (f->significand)
		e.result = round_wide(&exact, &e);
	return e;
}

struct expected oracle_integer_multiply_add(const struct ia64_float f[3], bool is_signed, bool high)
{
	for (unsigned i = 0; i < 3; i++)
		if (value_of(&f[i]).kind == NATVAL)
			return (struct expected){.result = natval};
	if (is_signed) {
		mpz_set_si(whole, (long)f[1].significand);
		mpz_set_si(factor, (long)f[2].significand);
	} else {
		mpz_set_ui(whole, f[1].significand);
		mpz_set_ui(factor, f[2].significand);
	}
	mpz_mul(whole, whole, factor);
	mpz_add_ui(whole, whole, f[0].significand);
	if (high)
		mpz_fdiv_q_2exp(whole, whole, 64);
	return (struct expected){.result = integer(whole)};
}

static void keep_number(struct ia64_float *result, bool sign, long exponent, uint64_t of_table)
{
	*result = (struct ia64_float){of_table << 53, (uint32_t)(exponent + BIAS), sign};
}

static long exponent_of(const struct ia64_float *f)
{
	get_number(x, f);
	return mpfr_get_exp(x) - 1;
}

// Volume 3, frcpa: the table's entry i is 2048/(1 + (2i+1)/512), rounded.
struct expected oracle_reciprocal(const struct ia64_float *f2, const struct ia64_float *f3)
{
	const struct value v[2] = {value_of(f2), value_of(f3)};
	const bool sign = v[0].sign != v[1].sign;
	struct expected e = {.flags = 0};
	long a, b, divisor;

	if (propagates(v, 2, &e))
		return e;
	if (v[0].kind == v[1].kind && v[0].kind != FINITE)
		return invalid(indefinite);
	if (v[0].kind == FINITE && v[1].kind == ZERO)
		return (struct expected){.result = infinity(sign), .flags = Z};
	e.flags = v[0].unnormalized || v[1].unnormalized ? D : 0;
	if (v[0].kind == INFINITE)
		e.result = infinity(sign);
	else if (v[0].kind == ZERO || v[1].kind == INFINITE)
		e.result = zero(sign);
	if (v[0].kind != FINITE || v[1].kind != FINITE)
		return e;
	a = exponent_of(f2);
	b = exponent_of(f3);
	if (b <= -65535 || b >= 65533 || a - b <= -65533 || a - b >= 65535 || a <= -65471)
		return (struct expected){.assistance = true};
	get_number(x, f3);
	divisor = 513 + 2 * (long)(significand_of(x) >> 55 & 255);
	keep_number(&e.result, v[1].sign, -b - 1,
		    (2 * 2048 * 512 + (uint64_t)divisor) / (2 * (uint64_t)divisor));
	e.p2 = true;
	return e;
}

// Volume 3, frsqrta: 2048/sqrt(1 + (2k+1)/256), rounded; for odd exponents divided by sqrt(2).
struct expected oracle_root(const struct ia64_float *f3)
{
	const struct value v = value_of(f3);
	struct expected e = {.flags = 0};
	long b;

	if (propagates(&v, 1, &e))
		return e;
	if (v.sign && v.kind != ZERO)
		return invalid(indefinite);
	e.flags = v.unnormalized ? D : 0;
	e.result = v.kind == INFINITE ? infinity(false) : zero(v.sign);
	if (v.kind != FINITE)
		return e;
	b = exponent_of(f3);
	if (b <= -65471)
		return (struct expected){.assistance = true};
	get_number(x, f3);
	mpfr_set_ui(wide, 257 + 2 * (significand_of(x) >> 56 & 127), MPFR_RNDN);
	mpfr_mul_2si(wide, wide, -8 + (b & 1), MPFR_RNDN);
	mpfr_rec_sqrt(wide, wide, MPFR_RNDN);
	mpfr_mul_2si(wide, wide, 11, MPFR_RNDN);
	mpfr_rint(wide, wide, MPFR_RNDN);
	keep_number(&e.result, false, -((b - (b & 1)) / 2) - 1, mpfr_get_ui(wide, MPFR_RNDN));
	e.p2 = true;
	return e;
}

//
// Pairs of single-precision numbers
//

bool oracle_is_natval(const struct ia64_float *f)
{
	return value_of(f).kind == NATVAL;
}

// Volume 1, table 5-2: a single-precision denormal has the exponent of the smallest normal number.
struct ia64_float oracle_half(const struct ia64_float *f, bool high)
{
	const uint32_t bits = (uint32_t)(high ? f->significand >> 32 : f->significand),
		exponent = bits >> 23 & 255;
	const uint64_t fraction = (uint64_t)(bits & 0x7FFFFF) << 40;
	const bool sign = bits >> 31;

	if (exponent == 255)
		return (struct ia64_float){INTEGER_BIT | fraction, SPECIAL, sign};
	if (exponent)
		return (struct ia64_float){INTEGER_BIT | fraction, exponent + BIAS - 127, sign};
	return fraction ? (struct ia64_float){fraction, BIAS - 126, sign} : zero(sign);
}

// Volume 3, fprcpa: if a number is too small or too large for its reciprocal, the result is
// infinite or 0, with the number's sign. p2 is also 0 if Newton-Raphson iterations could leave the
// range of single precision: the limits are those of frcpa (with 24 bits instead of 64, exponents
// of -126 to 127), without a fault.
struct expected oracle_half_reciprocal(const struct ia64_float *f2, const struct ia64_float *f3)
{
	struct expected e = oracle_reciprocal(f2, f3);
	long a, b;

	if (!e.p2)
		return e;
	a = exponent_of(f2);
	b = exponent_of(f3);
	if (b < -126 || b > 124)
		e.result = b < 0 ? infinity(f3->sign) : zero(f3->sign);
	e.p2 = b >= -126 && b <= 124 && a - b >= -124 && a - b <= 126 && a >= -102;
	return e;
}

// Volume 3, fprsqrta: also returns the reciprocal of the root for 0 and infinity, unlike frsqrta;
// p2 is 0 for small numbers.
struct expected oracle_half_root(const struct ia64_float *f3)
{
	const struct value v = value_of(f3);
	struct expected e = oracle_root(f3);

	if (v.kind == ZERO)
		e.result = infinity(v.sign);
	else if (v.kind == INFINITE && !v.sign)
		e.result = zero(false);
	else if (e.p2)
		e.p2 = exponent_of(f3) >= -102;
	return e;
}

// An overflow or underflow that traps leaves the last 8 bits of a number's exponent: volume 1,
// section 5.4.2.
static uint32_t single_of(const struct ia64_float *f)
{
	const uint32_t sign = (uint32_t)f->sign << 31, fraction = f->significand >> 40 & 0x7FFFFF;

	if (f->exponent == SPECIAL)
		return sign | 255u << 23 | fraction;
	return sign | (f->significand & INTEGER_BIT ? (f->exponent - (BIAS - 127)) & 255 : 0) <<
	       23 | fraction;
}

struct expected oracle_pair(const struct expected *high, const struct expected *low,
			    bool of_integers)
{
	const uint32_t h = of_integers ? (uint32_t)high->result.significand :
		single_of(&high->result);
	const uint32_t l = of_integers ? (uint32_t)low->result.significand :
		single_of(&low->result);

	return (struct expected){
		.result = {(uint64_t)h << 32 | l, 0x1003E, false}, .flags = high->flags,
		.greater = high->greater,
		.low_flags = low->flags, .low_greater = low->greater, .p2 = high->p2 && low->p2,
	};
}

void oracle_begin(void)
{
	mpfr_inits2(64, x, y, z, (mpfr_ptr)NULL);
	mpfr_inits2(WIDE, wide, rounded, (mpfr_ptr)NULL);
	mpz_inits(whole, factor, modulus, (mpz_ptr)NULL);
	mpz_setbit(modulus, 64);
}

void oracle_end(void)
{
	mpfr_clears(x, y, z, wide, rounded, (mpfr_ptr)NULL);
	mpz_clears(whole, factor, modulus, (mpz_ptr)NULL);
	mpfr_free_cache();
}
