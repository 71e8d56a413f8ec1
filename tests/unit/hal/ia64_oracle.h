/* SPDX-License-Identifier: BSD-2-Clause */
/* Expected results of ia64's floating-point instructions, from mpfr's exact results: Intel Itanium
 * Architecture Software Developer's Manual, volume 1, chapter 5, and volume 3 for frcpa, frsqrta
 * and their parallel forms. */
#ifndef IA64_ORACLE_H
#define IA64_ORACLE_H

#include <mpfr.h>

#include "../../../hal/emu/ia64/machine.h"

#define SPECIAL		0x1FFFF		/* exponent of infinities and NaNs */
#define NATVAL_EXPONENT	0x1FFFE
#define BIAS		65535
#define INTEGER_BIT	(1ULL << 63)
#define QUIET_BIT	(1ULL << 62)

/* Flags of a status field. */
enum { V = 1, D = 2, Z = 4, O = 8, U = 16, I = 32 };

/* Tables 5-5 and 5-6: bits of the significand, exponents of the smallest and largest normal number.
 */
struct target {
	unsigned precision;
	long least, most;
	mpfr_rnd_t mode;
	bool flushes;
	unsigned traps;		/* enabled exceptions */
};

/* `greater`: its magnitude exceeds the exact result's. `p2`: of an approximation. `assistance`:
 * only a fault for software assistance. The flags of a pair's low number are separate. */
struct expected {
	struct ia64_float result;
	unsigned flags;
	bool p2, assistance, greater;
	unsigned low_flags;
	bool low_greater;
};

/* To be called before the first and after the last of the other functions. */
void oracle_begin(void);
void oracle_end(void);

/* f[1] * f[2] + f[0], with the signs of the product and of f[0] changed on request. `adds`: f[0] is
 * not f0. */
struct expected oracle_multiply_add(const struct ia64_float f[3], bool negates_product,
				    bool negates_addend, bool adds, const struct target *t);
/* The integer has 64 bits, or 32. */
struct expected oracle_to_integer(const struct ia64_float *f, bool is_signed, unsigned bits,
				  mpfr_rnd_t mode);
struct expected oracle_of_integer(const struct ia64_float *f);
/* The lower or higher half of f[1] * f[2] + f[0] in 128 bits. f[0] is unsigned, f[1] and f[2] are
 * signed in the signed forms. */
struct expected oracle_integer_multiply_add(const struct ia64_float f[3], bool is_signed,
					    bool high);
struct expected oracle_reciprocal(const struct ia64_float *f2, const struct ia64_float *f3);
struct expected oracle_root(const struct ia64_float *f3);

/* Pairs of single-precision numbers, in a register's significand. */
struct ia64_float oracle_half(const struct ia64_float *f, bool high);
struct expected oracle_half_reciprocal(const struct ia64_float *f2, const struct ia64_float *f3);
struct expected oracle_half_root(const struct ia64_float *f3);
/* Both results in a register, as single-precision numbers or as integers of 32 bits. */
struct expected oracle_pair(const struct expected *high, const struct expected *low,
			    bool of_integers);
bool oracle_is_natval(const struct ia64_float *f);

#endif
