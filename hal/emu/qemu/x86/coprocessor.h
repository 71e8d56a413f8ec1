/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of Knights Corner that QEMU's processors lack: there they are undefined, and the plugin carries them
 * out. */
#ifndef QEMU_COPROCESSOR_H
#define QEMU_COPROCESSOR_H

#include <stddef.h>
#include <stdint.h>

#include "../../model/package.h"
#include "operands.h"
#include "vector.h"

enum lacking_kind { LACKING_NONE, LACKING_SPFLT, LACKING_PREFETCH, LACKING_VECTOR };

struct lacking {
	uint8_t kind;		/* enum lacking_kind */
	uint8_t length;		/* bytes; 0: it is none of these */
	uint8_t number;		/* SPFLT: its register's */
	enum access access;	/* a prefetch: which one */
	struct vector_operation vector;
	uint64_t linear;	/* what a prefetch is of; the vector instruction's operand in memory */
};

/* The instruction that these bytes begin with, of a guest that is at it. */
struct lacking lacking_decode(const uint8_t *bytes, size_t size, const struct operands_by *guest);

#endif
