/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers in memory, little-endian or big-endian, on a host that is little-endian. */
#ifndef IA64_BYTES_H
#define IA64_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* `size`: 1 to 8. */
static inline uint64_t ia64_read_bytes(const uint8_t *at, unsigned size, bool big)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return __builtin_expect(big, 0) ? __builtin_bswap64(value) >> (64 - 8 * size) : value;
}

static inline void ia64_write_bytes(uint8_t *at, uint64_t value, unsigned size, bool big)
{
	if (__builtin_expect(big, 0))
		value = __builtin_bswap64(value << (64 - 8 * size));
	memcpy(at, &value, size);
}

#endif
