/* SPDX-License-Identifier: BSD-2-Clause */
/* Random operands of ia64's floating-point instructions: any register, many of them near the limits of a format. */
#ifndef IA64_RANDOM_H
#define IA64_RANDOM_H

#include "../../../hal/emu/ia64/machine.h"

/* Repeats all numbers. */
void random_begin(void);

uint64_t random_bits(void);
uint64_t random_below(uint64_t limit);
/* Some number around the limit. */
long random_near(long limit);
/* An exponent where a register format, a conversion or single precision has its limit. */
long random_limit(void);
long random_single_limit(void);

struct ia64_float random_operand(void);
/* Does not change infinities and NaNs. Ignores an exponent that the register format cannot have. */
void random_set_exponent(struct ia64_float *f, long exponent);
/* f[0] becomes nearly f[1] * f[2] with the other sign, or something near the product's last bits. */
void random_relate(struct ia64_float f[3]);

/* A number that single precision has, but perhaps with more bits in its significand. */
struct ia64_float random_half(void);
/* Single precision: further bits are left out, exponents beyond the range become its ends. */
uint32_t random_single_of(const struct ia64_float *f);

#endif
