/* SPDX-License-Identifier: BSD-2-Clause */
/* Which instructions are branches, and which are privileged, in all modes (SDM volume 2, chapter 2 and appendix A;
 * volume 3A, "Privileged Instructions"). */
#ifndef GUEST_BRANCH_H
#define GUEST_BRANCH_H

#include <stddef.h>
#include <stdint.h>

#include "decode.h"

/* Looks at `size` bytes, at most DECODE_LONGEST, at `ip`, in code of so many bits (16, 32, 64). Only of a conditional
 * branch `next` is where it goes if it is not taken: all others are always taken. */
struct decoded branch_decode(const uint8_t *bytes, size_t size, uint64_t ip, unsigned bits);

#endif
