// SPDX-License-Identifier: BSD-2-Clause
// A buffer for the bytes of an output file: bytes_out.h.

#include "bytes_out.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(struct bytes_out *o, size_t size)
{
	size_t room = o->room ? o->room : 4096;
	uint8_t *more;

	if (o->failed || o->room - o->size >= size)
		return !o->failed;
	while (room - o->size < size)
		room *= 2;
	more = realloc(o->byte, room);
	o->failed = !more;
	if (more) {
		o->byte = more;
		o->room = room;
	}
	return more;
}

void bytes_add(struct bytes_out *o, const void *bytes, size_t size)
{
	if (!size || !make_room(o, size))
		return;
	memcpy(o->byte + o->size, bytes, size);
	o->size += size;
}

void bytes_add_zeros(struct bytes_out *o, size_t size)
{
	if (!size || !make_room(o, size))
		return;
	memset(o->byte + o->size, 0, size);
	o->size += size;
}

void bytes_add_number(struct bytes_out *o, uint64_t number, unsigned size)
{
	bytes_add_zeros(o, size);
	bytes_set_number(o, o->size - size, number, size);
}

void bytes_set_number(struct bytes_out *o, size_t at, uint64_t number, unsigned size)
{
	for (unsigned i = 0; !o->failed && i < size; i++)
		o->byte[at + i] = (uint8_t)(number >> 8 * i);
}

void bytes_free(struct bytes_out *o)
{
	free(o->byte);
	*o = (struct bytes_out){0};
}
