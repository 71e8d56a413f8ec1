/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores of four bytes, as kernels write to devices with. */
#ifndef GUEST_STORE_H
#define GUEST_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct svm_frame;

struct store {
	unsigned length;	/* of the instruction; 0: it is none that is known here */
	bool immediate;		/* what is stored is `value`; else it is the general register of that number */
	uint32_t value;
};

/* Looks at `size` bytes in code of so many bits (16, 32, 64): MOV of a register or an immediate to memory, wherever. */
struct store store_decode(const uint8_t *bytes, size_t size, unsigned bits);

/* The guest's next instruction, which is a store: how long it is, and what it stores. 0: it is not known here. */
unsigned store_next(const struct svm_frame *frame, uint32_t *value);

/* Whether the byte in front of the guest's next instruction is HLT's. */
bool store_is_behind_halt(const struct svm_frame *frame);

#endif
