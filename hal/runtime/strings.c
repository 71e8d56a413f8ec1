// SPDX-License-Identifier: BSD-2-Clause
// C library functions that parse event names, for hosts without them. Not visible outside the
// library. They behave as in POSIX, for ASCII.

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hal.h"

#undef errno

int *__errno_location(void)
{
	return runtime_error_number();
}

int tolower(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

size_t strlen(const char *s)
{
	size_t length = 0;

	while (s[length])
		length++;
	return length;
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size && *a && *a == *b; a++, b++)
		size--;
	return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

int strncasecmp(const char *a, const char *b, size_t size)
{
	for (; size && *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++, b++)
		size--;
	return size ? tolower((unsigned char)*a) - tolower((unsigned char)*b) : 0;
}

void *memchr(const void *memory, int c, size_t size)
{
	for (const unsigned char *m = memory; size; m++, size--)
		if (*m == (unsigned char)c)
			return (void *)(uintptr_t)m;
	return NULL;
}

char *strchr(const char *s, int c)
{
	return memchr(s, c, strlen(s) + 1);
}

char *strrchr(const char *s, int c)
{
	for (size_t i = strlen(s) + 1; i--;)
		if (s[i] == (char)c)
			return (char *)(uintptr_t)&s[i];
	return NULL;
}

static size_t span(const char *s, const char *set, bool in)
{
	size_t length = 0;

	while (s[length] && (strchr(set, s[length]) != NULL) == in)
		length++;
	return length;
}

size_t strspn(const char *s, const char *set)
{
	return span(s, set, true);
}

size_t strcspn(const char *s, const char *set)
{
	return span(s, set, false);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
	      int (*compare)(const void *, const void *))
{
	while (count) {
		const char *const middle = (const char *)base + count / 2 * size;
		const int order = compare(key, middle);

		if (!order)
			return (void *)(uintptr_t)middle;
		if (order > 0)
			base = middle + size;
		count = order > 0 ? count - count / 2 - 1 : count / 2;
	}
	return NULL;
}

static int digit_of(char c)
{
	c = (char)tolower((unsigned char)c);
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

// Base 10 or 16, with or without 0x. Callers have excluded leading blanks and signs.
unsigned long long strtoull(const char *restrict text, char **restrict end, int base)
{
	unsigned long long value = 0;
	const char *at = text;

	if (base == 16 && at[0] == '0' && tolower((unsigned char)at[1]) == 'x' &&
	    digit_of(at[2]) < 16)
		at += 2;
	for (; digit_of(*at) < base; at++) {
		if (value > (ULLONG_MAX - (unsigned)digit_of(*at)) / (unsigned)base)
			*__errno_location() = ERANGE;
		value = value * (unsigned)base + (unsigned)digit_of(*at);
	}
	if (end)
		*end = (char *)(uintptr_t)at;
	return value;
}
