/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of distinct elements, found by the bytes of their keys. */
#ifndef DISTINCT_H
#define DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct distinct_slot {
	uint64_t hash;			/* of the key */
	void *element;			/* NULL: the slot is unused */
};

/* Empty if all zero. The caller allocates and frees the elements. */
struct distinct {
	struct distinct_slot *slot;
	size_t count, room;		/* room: number of slots, 0 or a power of two */
};

/* Finds the element that has this key. `same` tells whether an element has it. Returns the place of
 * the pointer to the element. If it points to NULL there is no such element; the caller sets it to
 * the new one at once. NULL: no memory. */
void **distinct_find(struct distinct *set, const void *key, size_t size,
		     bool (*same)(const void *element, const void *key, size_t size));

/* Frees the set, and calls `release` with each element. */
void distinct_free(struct distinct *set, void (*release)(void *element));

#endif
