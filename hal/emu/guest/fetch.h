/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's next instruction, through its page tables. */
#ifndef GUEST_FETCH_H
#define GUEST_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "vmcb.h"

#define FETCH_TWO_BYTES 0x0F

/* The opcode of the guest's next instruction; `second` follows FETCH_TWO_BYTES. Bytes that cannot be read are 0.
 * `too_long`: the instruction has more than 15 bytes. */
struct opcode_bytes {
	uint8_t first, second;
	bool too_long;
};

struct opcode_bytes fetch_opcode(const struct vmcb *vmcb);

/* The second byte of a two-byte opcode, or 0. */
static inline uint8_t fetch_two_byte_opcode(const struct vmcb *vmcb)
{
	return fetch_opcode(vmcb).second;
}

/* Whether the guest's next instruction is a repeated string instruction. */
bool fetch_is_repeat(const struct vmcb *vmcb);

#endif
