/* SPDX-License-Identifier: BSD-2-Clause */
/* The prompt for people: steps, stops at addresses, shows registers, memory, and code as instructions. The log. */
#ifndef IA64_DEBUG_H
#define IA64_DEBUG_H

#include <stdio.h>

#include "machine.h"

/* A program's functions, from its ELF file. */
struct symbols {
	struct symbol {
		char *name;
		uint64_t address;
	} *list;			/* by rising addresses */
	size_t count;
};

/* Those of the ELF file in `file`; none if it has no symbol table, or one that cannot be read. */
struct symbols symbols_read(const uint8_t *file, size_t size);
void symbols_free(struct symbols *symbols);
/* The one that an address lies in or behind; NULL: there is none below it. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t address);
const struct symbol *symbols_find(const struct symbols *symbols, const char *name);

/* The general registers of the frame, the predicates, the branch registers, where it is. */
void ia64_print_state(const struct machine *m, FILE *out);

/* Executes up to `count` instructions. Writes a line of each: bundle, slot, privilege level, predicate; what the
 * registers held that its r3 and r2 fields name, and what r1's holds now, whether it uses them or not; text. Behind it
 * are lines of what it has done: a word, and numbers.
 *	load, store, semaphore, prefetch: address, size, level; check: a check load that the ALAT spares memory
 *	fill, spill: of the register stack engine; a fill ahead of an instruction completes the last one's frame
 *	branch: taken, where to, level
 *	interruption: instead of an instruction; the offset of its vector
 * Ends early if `out` has an error. As ia64_run. */
enum outcome ia64_log(struct machine *m, uint64_t count, FILE *out);

/* Takes commands from `in`, a line each, until the input ends, `quit`, or the program has ended; at most `count`
 * instructions are executed. How it ended: as ia64_run. */
enum outcome ia64_debug(struct machine *m, const struct symbols *symbols, uint64_t count, FILE *in, FILE *out);

#endif
