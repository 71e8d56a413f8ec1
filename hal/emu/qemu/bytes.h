/* SPDX-License-Identifier: BSD-2-Clause */
/* GLib's array of bytes, through which QEMU passes memory and registers. One for all: the plugin's callbacks do not
 * overlap. */
#ifndef QEMU_BYTES_H
#define QEMU_BYTES_H

#include <string.h>

#include "qemu_plugin.h"

/* The array, with `size` bytes from `from`; NULL: any bytes. */
static inline GByteArray *bytes_of(const void *from, size_t size)
{
	static GByteArray *bytes;

	if (!bytes)
		bytes = g_byte_array_new();
	g_byte_array_set_size(bytes, (unsigned)size);
	if (from)
		memcpy(bytes->data, from, size);
	return bytes;
}

#endif
