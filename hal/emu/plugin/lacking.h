/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of Knights Corner that QEMU's processors lack: there they are undefined, and the monitor has the plugin
 * carry them out. */
#ifndef PLUGIN_LACKING_H
#define PLUGIN_LACKING_H

#include <stddef.h>
#include <stdint.h>

#include "../model/package.h"
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

/* The guest, when it is at an instruction: general registers by their numbers in instructions; the linear addresses of
 * the instruction, and of what FS and GS begin with; the width of its code. */
struct lacking_guest {
	uint64_t registers[16], ip, fs, gs;
	unsigned bits;
};

/* The instruction that these bytes begin with. */
struct lacking lacking_decode(const uint8_t *bytes, size_t size, const struct lacking_guest *guest);

#endif
