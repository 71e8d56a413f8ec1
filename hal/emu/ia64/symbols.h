/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols: a program's functions, from its ELF file. */
#ifndef IA64_SYMBOLS_H
#define IA64_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbols {
	struct symbol {
		char *name;
		uint64_t address;
	} *list;			/* by rising addresses */
	size_t count;
};

/* Reads the functions of the ELF file in `file`. The list is empty if the symbol table is absent or
 * cannot be read. */
struct symbols symbols_read(const uint8_t *file, size_t size);
void symbols_free(struct symbols *symbols);

/* Returns the function with the highest address that is not above `address`; NULL: none. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t address);
/* Returns the function of this name; NULL: none. */
const struct symbol *symbols_find(const struct symbols *symbols, const char *name);

#endif
