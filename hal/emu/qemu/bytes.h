/* SPDX-License-Identifier: BSD-2-Clause */
/* A GLib byte array, the form in which QEMU passes memory and registers. One array suffices,
 * because the plugin's callbacks never overlap. */
#ifndef QEMU_BYTES_H
#define QEMU_BYTES_H

#include <string.h>

#include "qemu_plugin.h"

/* Returns the array with `size` bytes copied from `from`; NULL: uninitialized. */
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
