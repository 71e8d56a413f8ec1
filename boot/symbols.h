/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for code addresses: a table that the image's second link adds (tools/symbols). */
#ifndef BOOT_SYMBOLS_H
#define BOOT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t address;
	const char *name;
};

/* The function an address lies in; NULL if it is in none. */
const struct symbol *symbol_find(uint64_t address);

/* Where it begins; 0 if it is in none. */
uint64_t symbol_start(uint64_t address);

/* Functions by number, from 0 in order of address; NULL: there are not so many. Where one ends. Of an address; SIZE_MAX
 * if it is in none. */
const struct symbol *symbol_at(size_t number);
uint64_t symbol_end(size_t number);
size_t symbol_number(uint64_t address);

#define SYMBOLS_BUILD_ID 41	/* characters of a build ID, with its end */

/* The image's, in hexadecimal; empty: it has none. */
void symbols_build_id(char text[SYMBOLS_BUILD_ID]);

#endif
