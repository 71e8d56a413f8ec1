/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian integers as bytes, on processors of any byte order; a checksum of bytes. */
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Returns the integer in `count` bytes, 1-8. */
static inline uint64_t bytes_get(const uint8_t *at, unsigned count)
{
	uint64_t value = 0;

	while (count--)
		value = value << 8 | at[count];
	return value;
}

/* Stores the low `count` bytes. */
static inline void bytes_put(uint8_t *at, unsigned count, uint64_t value)
{
	for (; count--; value >>= 8)
		*at++ = (uint8_t)value;
}

/* Extends a CRC-32 (IEEE 802.3) by `count` bytes. The first call passes 0. */
static inline uint32_t bytes_checksum(uint32_t crc, const uint8_t *bytes, size_t count)
{
	static const uint32_t of_four_bits[] = {
		0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158,
		0x5005713C,
		0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278,
		0xBDBDF21C,
	};

	for (crc = ~crc; count; count--) {
		crc ^= *bytes++;
		crc = crc >> 4 ^ of_four_bits[crc & 15];
		crc = crc >> 4 ^ of_four_bits[crc & 15];
	}
	return ~crc;
}

#endif
