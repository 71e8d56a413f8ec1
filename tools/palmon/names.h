/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions by address. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct named {
	uint64_t address, end;
	char *name;
};

/* All zero: there are none. */
struct names {
	struct named *of;
	size_t count, room;
};

/* Adds a function from `address` up to, not including, `end`. False: no memory. */
bool names_add(struct names *names, uint64_t address, uint64_t end, const char *name);

/* Before any is looked for. */
void names_sort(struct names *names);

/* The one that an address lies in; NULL: in none. Of functions that overlap the one that begins last. */
const struct named *names_find(const struct names *names, uint64_t address);

void names_free(struct names *names);

#define NAMES_PLACE 160

/* "function+0x12", or "0x4012" if it is in none. */
const char *names_place(const struct names *names, uint64_t address, char text[NAMES_PLACE]);

#endif
