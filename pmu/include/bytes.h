/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as bytes, the lowest one first whatever the processor's order, and a checksum of bytes. */
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>

/* A number of `count` bytes, 1-8. */
static inline uint64_t bytes_get(const uint8_t *at, unsigned count)
{
	uint64_t value = 0;

	while (count--)
		value = value << 8 | at[count];
	return value;
}

/* The number's upper bytes are left out. */
static inline void bytes_put(uint8_t *at, unsigned count, uint64_t value)
{
	for (; count--; value >>= 8)
		*at++ = (uint8_t)value;
}

/* CRC-32 as in IEEE 802.3 of some bytes with this one, 0 if there are none, and of `count` more. */
static inline uint32_t bytes_checksum(uint32_t crc, const uint8_t *bytes, size_t count)
{
	for (crc = ~crc; count; count--) {
		crc ^= *bytes++;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (-(crc & 1) & 0xEDB88320);
	}
	return ~crc;
}

#endif
