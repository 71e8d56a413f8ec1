/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing arrays. */
#ifndef GROW_H
#define GROW_H

#include <stdlib.h>

/* Makes room for one more element in an array of `count` elements of `size` bytes, which has room
 * for *room. Returns the array, perhaps moved. NULL: no memory; the array is unchanged. */
static inline void *grow(void *array, size_t count, size_t *room, size_t size)
{
	const size_t more = *room ? 2 * *room : 256;
	void *grown;

	if (count < *room)
		return array;
	grown = reallocarray(array, more, size);
	if (grown)
		*room = more;
	return grown;
}

#endif
