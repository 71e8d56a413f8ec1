/* SPDX-License-Identifier: BSD-2-Clause */
/* What a SPARC V9 instruction refers to in memory, by its encoding. */
#ifndef QEMU_SPARC64_OPERANDS_H
#define QEMU_SPARC64_OPERANDS_H

#include <stdint.h>

#include "../../model/through.h"

struct sparc64_access {
	uint8_t size;			/* bytes, which are aligned to their number; 0: it does not refer to memory */
	bool commits;			/* a block-commit store: what it writes leaves no copy in a cache */
	enum through_access access;	/* else: how it refers to a line */
};

/* `asi`: what the ASI register holds, or SPARC64_ASI_UNKNOWN (sparc64_class.h), which is taken for one of memory. */
struct sparc64_access sparc64_access_of(uint32_t instruction, int asi);

/* Where the first of these bytes is, by the general registers. */
uint64_t sparc64_access_address(uint32_t instruction, const uint64_t registers[32]);

#endif
