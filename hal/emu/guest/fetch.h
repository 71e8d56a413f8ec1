/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's next instruction, through its page tables. */
#ifndef GUEST_FETCH_H
#define GUEST_FETCH_H

#include <stdint.h>

#include "vmcb.h"

/* Of an instruction whose opcode has two bytes, the one behind 0FH; else 0. */
uint8_t fetch_two_byte_opcode(const struct vmcb *vmcb);

#endif
