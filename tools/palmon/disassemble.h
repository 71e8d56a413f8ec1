/* SPDX-License-Identifier: BSD-2-Clause */
/* Disassembles a function with objdump. */
#ifndef DISASSEMBLE_H
#define DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "needs.h"

struct instruction {
	uint64_t address;		/* Itanium: of the bundle, plus the slot's number */
	char *text;
};

struct listing {
	struct instruction *instruction;
	size_t count, room;
};

/* The objdump for an image's instruction set. */
const struct need *objdump_for(const char *architecture);

/* Disassembles an ELF file from `start` up to `end`. `objdump`: its path; NULL: the one for the
 * file's instruction set. False after a complaint: objdump cannot be executed, or fails. */
bool listing_read(struct listing *listing, const char *elf, const char *objdump, uint64_t start,
		  uint64_t end);
void listing_free(struct listing *listing);

#endif
