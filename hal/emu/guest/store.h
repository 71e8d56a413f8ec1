/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes stores of four bytes, by which kernels write to devices. */
#ifndef GUEST_STORE_H
#define GUEST_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct svm_frame;

#define STORE_LONGEST 15	/* bytes of an instruction */

struct store {
	unsigned length;	/* of the instruction; 0: not known here */
	bool immediate;		/* `value` is stored; else the general register with that number is */
	uint32_t value;
};

/* Decodes `size` bytes in code of so many bits (16, 32, 64): MOV of a register or an immediate to any memory. */
struct store store_decode(const uint8_t *bytes, size_t size, unsigned bits);

/* The length of the guest's next instruction, a store, and the value it stores. 0: it is not known here. */
unsigned store_next(const struct svm_frame *frame, uint32_t *value);

/* Whether the byte before the guest's next instruction is HLT. */
bool store_is_behind_halt(const struct svm_frame *frame);

#endif
