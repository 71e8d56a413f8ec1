/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of Knights Corner that are undefined on QEMU's processors; the plugin executes
 * them. */
#ifndef QEMU_COPROCESSOR_H
#define QEMU_COPROCESSOR_H

#include <stddef.h>
#include <stdint.h>

#include "../../model/package.h"
#include "operands.h"
#include "pipes.h"
#include "vector.h"

enum lacking_kind { LACKING_NONE, LACKING_SPFLT, LACKING_PREFETCH, LACKING_VECTOR };

struct lacking {
	uint8_t kind;		/* enum lacking_kind */
	uint8_t length;		/* bytes; 0: not one of these instructions */
	uint8_t number;		/* SPFLT: general register */
	enum access access;	/* prefetches only */
	struct vector_operation vector;
	struct pipes_class pipes;
	uint64_t linear;	/* address of a prefetch or of a vector instruction's memory
				 * operand */
};

/* Decodes the first instruction of these bytes. `guest`: the registers before it. */
struct lacking lacking_decode(const uint8_t *bytes, size_t size, const struct operands_by *guest);

#endif
