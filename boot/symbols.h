/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for code addresses, from a table that the image's second link adds (tools/symbols). */
#ifndef BOOT_SYMBOLS_H
#define BOOT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t address;
	const char *name;
};

/* Returns the function at an address, or NULL. */
const struct symbol *symbol_find(uint64_t address);

/* Returns the first address of the function at an address, or 0. */
uint64_t symbol_start(uint64_t address);

/* Functions are numbered from 0 in order of address. Return a function, or NULL; its end; the
 * number of the function at an address, or SIZE_MAX. */
const struct symbol *symbol_at(size_t number);
uint64_t symbol_end(size_t number);
size_t symbol_number(uint64_t address);

#define SYMBOLS_BUILD_ID 41	/* characters of a build ID with the final 0 */

/* Formats the image's build ID in hexadecimal; "": it has none. */
void symbols_build_id(char text[SYMBOLS_BUILD_ID]);

#endif
