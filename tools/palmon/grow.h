/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow with what is put in. */
#ifndef GROW_H
#define GROW_H

#include <stdlib.h>

/* An array of `count` elements of this size, with room for *room: where it is with room for one more. NULL: no memory;
 * it is as it was. */
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
