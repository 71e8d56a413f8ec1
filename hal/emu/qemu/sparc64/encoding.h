/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of SPARC V9's instructions (Oracle SPARC Architecture 2011, chapter 6). */
#ifndef QEMU_SPARC64_ENCODING_H
#define QEMU_SPARC64_ENCODING_H

#include <stdint.h>
#include <string.h>

#define BITS(i, low, width)	((i) >> (low) & ((1u << (width)) - 1))
#define SIGNED(i, low, width)	((int32_t)((i) << (32 - (low) - (width))) >> (32 - (width)))

#define RD(i)			BITS(i, 25, 5)
#define RS1(i)			BITS(i, 14, 5)
#define RS2(i)			BITS(i, 0, 5)
#define IMMEDIATE(i)		BITS(i, 13, 1)
#define SIMM13(i)		SIGNED(i, 0, 13)
#define IMM_ASI(i)		BITS(i, 5, 8)

/* True if an address space is one of these. */
#define IS_IN(asi, ...) (memchr((const uint8_t[]){__VA_ARGS__}, (asi), \
				sizeof((const uint8_t[]){__VA_ARGS__})) != NULL)

#endif
