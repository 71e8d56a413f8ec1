/* SPDX-License-Identifier: BSD-2-Clause */
/* Random operands of ia64's floating-point instructions: all kinds of registers, often near the
 * limits of a format. */
#ifndef IA64_RANDOM_H
#define IA64_RANDOM_H

#include "../../../hal/emu/ia64/machine.h"

/* Restarts the sequence of numbers. */
void random_begin(void);

uint64_t random_bits(void);
uint64_t random_below(uint64_t limit);
/* A number near the limit. */
long random_near(long limit);
/* An exponent at a limit of a register format, a conversion, or single precision. */
long random_limit(void);
long random_single_limit(void);

struct ia64_float random_operand(void);
/* Sets the exponent; does not change infinities and NaNs, and ignores an exponent that the register
 * format lacks. */
void random_set_exponent(struct ia64_float *f, long exponent);
/* Makes f[0] nearly f[1] * f[2] with the opposite sign, or a number near the product's last
 * bits. */
void random_relate(struct ia64_float f[3]);

/* A number in the range of single precision, possibly with more bits in its significand. */
struct ia64_float random_half(void);
/* Converts to single precision: drops further bits, and limits exponents to the range. */
uint32_t random_single_of(const struct ia64_float *f);

#endif
