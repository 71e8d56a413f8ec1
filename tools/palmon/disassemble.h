/* SPDX-License-Identifier: BSD-2-Clause */
/* A function's instructions, as objdump prints them. */
#ifndef DISASSEMBLE_H
#define DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "needs.h"

struct instruction {
	uint64_t address;		/* of Itanium's: the bundle's, and the slot in the lowest bits */
	char *text;
};

struct listing {
	struct instruction *instruction;
	size_t count, room;
};

/* The objdump for an image's instruction set. */
const struct need *objdump_for(const char *architecture);

/* Lists what lies from `start` up to `end` in an ELF file; `objdump`: NULL for the one for its instruction set. False
 * after a complaint: it cannot be executed, or fails. */
bool listing_read(struct listing *listing, const char *elf, const char *objdump, uint64_t start, uint64_t end);
void listing_free(struct listing *listing);

#endif
