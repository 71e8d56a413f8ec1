/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's next instruction, through its page tables. */
#ifndef GUEST_FETCH_H
#define GUEST_FETCH_H

#include <stddef.h>
#include <stdint.h>

#include "decode.h"
#include "vmcb.h"

/* In code of how many bits the guest is: 16, 32, 64. */
unsigned fetch_code_bits(const struct vmcb *vmcb);

/* The bytes at the guest's instruction pointer; how many there are, which are fewer if the next page is not there. */
size_t fetch(const struct vmcb *vmcb, uint8_t bytes[DECODE_LONGEST]);

#endif
