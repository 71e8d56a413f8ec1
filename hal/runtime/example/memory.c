// SPDX-License-Identifier: BSD-2-Clause
// Memory functions, for the library and for calls that the compiler makes.

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *to, const void *from, size_t size)
{
	void *const start = to;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return start;
}

void *memset(void *to, int value, size_t size)
{
	void *const start = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
	return start;
}
