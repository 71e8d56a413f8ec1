/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory operands of SPARC V9 instructions, by their encoding. */
#ifndef QEMU_SPARC64_OPERANDS_H
#define QEMU_SPARC64_OPERANDS_H

#include <stdint.h>

#include "../../model/through.h"

struct sparc64_access {
	uint8_t size;			/* bytes, and alignment; 0: no memory reference */
	bool commits;			/* block-commit store: no cache keeps a copy of the line */
	enum through_access access;	/* kind of access, unless `commits` */
};

/* `asi`: value of the ASI register, or SPARC64_ASI_UNKNOWN (class.h), which counts as memory. */
struct sparc64_access sparc64_access_of(uint32_t instruction, int asi);

/* Returns the address of the first byte, computed from the general registers. */
uint64_t sparc64_access_address(uint32_t instruction, const uint64_t registers[32]);

#endif
