/* SPDX-License-Identifier: BSD-2-Clause */
/* Operands and results of integer and multimedia instructions. */
#ifndef IA64_INTEGER_H
#define IA64_INTEGER_H

#include "machine.h"

#define S2 ia64_gr(m, op->s2)
#define S3 ia64_gr(m, op->s3)
#define NAT2 ia64_nat(m, op->s2)
#define NAT3 ia64_nat(m, op->s3)
#define IMM ((uint64_t)op->imm)

/* Defines an instruction that writes a value and its NaT bit to r1. */
#define WRITES(name, value, nat)							\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return ia64_put(m, op->d1, value, nat);					\
	}

/* A mask of the low `length` bits. */
static inline uint64_t mask(unsigned length)
{
	return length >= 64 ? ~0ULL : (1ULL << length) - 1;
}

/* Sign-extends the low `length` bits of a value. */
static inline uint64_t extend(uint64_t value, unsigned length)
{
	return (uint64_t)((int64_t)(value << (64 - length)) >> (64 - length));
}

#endif
