/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes vPMUs, and corrects the checksum of an image that a test has changed. */
#ifndef LIBVPMU_IMAGE_H
#define LIBVPMU_IMAGE_H

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "core.h"

#define IMAGE_MOST	4096
#define LENGTH(array)	(sizeof array / sizeof *array)

static inline struct vpmu_core *make(const char *target, const struct vpmu_features *features,
				     uint64_t seed)
{
	const size_t size = vpmu_core_size(target);
	void *memory = aligned_alloc(VPMU_ALIGNMENT, size);
	struct vpmu_core *core;

	assert_non_null(memory);
	memset(memory, 0xA5, size);
	assert_int_equal(vpmu_core_create(&core, memory, size, target, features, seed), VPMU_OK);
	return core;
}

/* CRC-32 of IEEE 802.3, one bit at a time, into the image's last four bytes. */
static inline void fix_checksum(uint8_t *image, size_t length)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < length - 4; i++) {
		crc ^= image[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	for (unsigned i = 0; i < 4; i++)
		image[length - 4 + i] = (uint8_t)(~crc >> 8 * i);
}

#endif
