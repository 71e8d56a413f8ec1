/* SPDX-License-Identifier: BSD-2-Clause */
/* Which instructions are branches, in all modes (SDM volume 2, chapter 2 and appendix A). */
#ifndef GUEST_BRANCH_H
#define GUEST_BRANCH_H

#include <stddef.h>
#include <stdint.h>

#include "decode.h"

/* Looks at `size` bytes, at most DECODE_LONGEST, at `ip`, in code of so many bits (16, 32, 64). Only for a conditional
 * branch `next` is the address if it is not taken: all others are always taken. */
struct decoded branch_decode(const uint8_t *bytes, size_t size, uint64_t ip, unsigned bits);

/* The bits of an instruction pointer in code of so many bits. */
static inline uint64_t ip_mask(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : (1ULL << bits) - 1;
}

/* The number of prefix bytes at the start of these bytes. */
size_t branch_prefixes(const uint8_t *bytes, size_t size, unsigned bits);

#endif
