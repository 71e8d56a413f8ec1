/* SPDX-License-Identifier: BSD-2-Clause */
/* Function names by address. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct named {
	uint64_t address, end;
	char *name;
};

/* Empty if all zero. */
struct names {
	struct named *of;
	size_t count, room;
};

/* Adds a function from `address` up to, not including, `end`. False: no memory. */
bool names_add(struct names *names, uint64_t address, uint64_t end, const char *name);

/* Sorts the functions; required before the first look-up. */
void names_sort(struct names *names);

/* The function that contains an address; NULL: none. If functions overlap, the one that begins
 * last. */
const struct named *names_find(const struct names *names, uint64_t address);

void names_free(struct names *names);

#define NAMES_PLACE 160

/* "function+0x12"; "0x4012" if no function contains the address. */
const char *names_place(const struct names *names, uint64_t address, char text[NAMES_PLACE]);

/* The name of the function that contains an address; if none does, "(elsewhere)", or "0x4012",
 * formatted in `text`. */
const char *names_function(const struct names *names, uint64_t address);
const char *names_or_address(const struct names *names, uint64_t address, char text[NAMES_PLACE]);

#endif
