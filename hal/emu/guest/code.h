/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's code: its width, and its bytes by address. */
#ifndef GUEST_CODE_H
#define GUEST_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "vmcb.h"

/* The width of the guest's code: 16, 32 or 64. */
unsigned code_bits(const struct vmcb *vmcb);

/* The linear address of an instruction. */
uint64_t code_linear(const struct vmcb *vmcb, uint64_t ip);

/* The bytes at a linear address, up to the end of its page, by their physical address. NULL: the guest has no memory
 * there. */
const uint8_t *code_reach(const struct vmcb *vmcb, uint64_t linear);

#endif
