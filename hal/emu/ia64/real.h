/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic of floating-point registers: results are exact, and rounded once. Manual, volume 1,
 * chapter 5. */
#ifndef IA64_REAL_H
#define IA64_REAL_H

#include "machine.h"

#define EXPONENT_BIAS		65535
#define EXPONENT_SPECIAL	0x1FFFF		/* infinities and NaNs */
#define EXPONENT_DENORMAL	0x0C001		/* of double-extended denormals, which have 0 in a
						 * register */
#define INTEGER_BIT		(1ULL << 63)
#define QUIET_BIT		(1ULL << 62)

/* Exceptions, as the flags of a status field (manual, volume 1, section 5.2). */
enum {
	FLAG_INVALID = 1, FLAG_DENORMAL = 2, FLAG_ZERO_DIVIDE = 4, FLAG_OVERFLOW = 8,
	FLAG_UNDERFLOW = 16, FLAG_INEXACT = 32,
	FLAG_GREATER = 64,	/* no exception: rounding has increased the magnitude (ISR.fpa,
				 * section 5.4.1.3) */
	FLAG_FLUSHED = 128,	/* no exception: the result was tiny and became zero */
};

enum rounding { ROUND_NEAREST, ROUND_DOWN, ROUND_UP, ROUND_ZERO };

/* The format of a rounded result: bits of the significand; exponents of the smallest and largest
 * normal number. */
struct real_format {
	unsigned precision;
	int least, most;
	enum rounding rounding;
	bool flushes;		/* flushes tiny results to zero */
	unsigned traps;		/* FLAG_OVERFLOW, FLAG_UNDERFLOW: such a result keeps 17 bits of its
				 * exponent */
};

enum real_kind {
	REAL_ZERO, REAL_FINITE, REAL_INFINITE, REAL_QUIET_NAN, REAL_SIGNALING_NAN, REAL_NAT,
	REAL_UNSUPPORTED,
};

/* A register's value: significand * 2^(exponent - 63), with a normalized significand. `unnormal`:
 * the register's significand is not normalized, or its exponent is 0; or it is a zero with another
 * exponent (a pseudo-zero). */
struct real {
	enum real_kind kind;
	bool sign, unnormal;
	int exponent;
	uint64_t significand;
};

struct real real_of(const struct ia64_float *f);

static inline bool real_is_nat(const struct ia64_float *f)
{
	return f->exponent == FLOAT_EXPONENT_NAT && !f->significand && !f->sign;
}

static inline struct ia64_float real_of_integer(uint64_t significand)
{
	return (struct ia64_float){significand, FLOAT_EXPONENT_INTEGER, false};
}

/* Writes a register. Writing f0 or f1 is an illegal operation. */
static inline enum outcome ia64_put_fr(struct machine *m, unsigned f, struct ia64_float value)
{
	if (f < 2)
		return ia64_illegal(m);
	m->fr[ia64_fr_number(m, f)] = value;
	m->psr |= f < 32 ? PSR_MFL : PSR_MFH;
	return OUTCOME_NEXT;
}

extern const struct ia64_float real_indefinite, real_nat;

/* a * b + c. Adds flags to *flags. If operands are NaNs, the result is the first of b, c, a that is
 * one. */
struct ia64_float real_multiply_add(const struct ia64_float *a, const struct ia64_float *b,
				    const struct ia64_float *c,
				    const struct real_format *format, unsigned *flags);

/* Rounds a register's value to an integer of `bits` bits. */
uint64_t real_to_integer(const struct ia64_float *f, bool is_signed, enum rounding rounding,
			 unsigned bits, unsigned *flags);

/* Returns -1 if a is less than b, 0 if equal, 1 if greater, 2 if unordered. */
int real_compare(const struct ia64_float *a, const struct ia64_float *b);

struct ia64_float real_of_single(uint32_t value);
struct ia64_float real_of_double(uint64_t value);
struct ia64_float real_of_extended(uint64_t significand, uint16_t sign_exponent);
uint32_t real_to_single(const struct ia64_float *f);
uint64_t real_to_double(const struct ia64_float *f);
uint16_t real_to_extended(const struct ia64_float *f);	/* sign and exponent; the significand is the
							 * register's */

#endif
