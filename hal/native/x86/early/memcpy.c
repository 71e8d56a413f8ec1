// SPDX-License-Identifier: BSD-2-Clause
// memcpy for the console drivers' 32-bit code, which links no C library.

#include <string.h>

void *memcpy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}
