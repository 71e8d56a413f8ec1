/* SPDX-License-Identifier: BSD-2-Clause */
/* Text and numbers for a register dump, without library functions. */
#ifndef ARCH_PUT_H
#define ARCH_PUT_H

#include <stdint.h>

static inline void put_string(void (*put)(char), const char *s)
{
	while (*s)
		put(*s++);
}

static inline void put_hex(void (*put)(char), uint64_t value)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		put("0123456789abcdef"[value >> shift & 15]);
}

#endif
