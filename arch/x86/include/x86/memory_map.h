/* SPDX-License-Identifier: BSD-2-Clause */
/* A boot loader's memory map, which is untrusted: entries may be in any order, overlap, be empty,
 * or be cut short. Addresses without an entry are no memory. */
#ifndef X86_MEMORY_MAP_H
#define X86_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/multiboot.h"

#define X86_MEMORY_RAM 1u	/* in all formats */

enum x86_memory_format {
	X86_MEMORY_MULTIBOOT,	/* struct multiboot_memory: each entry contains its size */
	X86_MEMORY_PVH,		/* struct x86_pvh_memory */
	X86_MEMORY_LINUX,	/* struct x86_pvh_memory without `reserved`; coreboot's too */
};

/* Xen's struct hvm_memmap_table_entry (xen/include/public/arch-x86/hvm/start_info.h). */
struct __attribute__((packed)) x86_pvh_memory {
	uint64_t start, length;
	uint32_t type, reserved;
};

struct x86_memory_map {
	const uint8_t *entries;
	uint32_t size;		/* of the map in bytes; 0: no map */
	enum x86_memory_format format;
};

/* Largest valid map, in bytes. */
#define X86_MEMORY_MAP_MOST 0x10000u

struct x86_memory_range {
	uint64_t start, end;	/* end: first address after the range */
	uint32_t type;
};

static inline struct x86_memory_range x86_memory_range(uint64_t start, uint64_t length,
						       uint32_t type)
{
	return (struct x86_memory_range){start, length > UINT64_MAX - start ? UINT64_MAX :
					 start + length, type};
}

/* Reads the entry at *offset and moves *offset to the next one; 0 is the first. False: there are no
 * more. */
static inline bool x86_memory_next(const struct x86_memory_map *map, uint32_t *offset,
				   struct x86_memory_range *range)
{
	const uint32_t left = (map->size < X86_MEMORY_MAP_MOST ? map->size : X86_MEMORY_MAP_MOST) -
		*offset;

	if (map->format != X86_MEMORY_MULTIBOOT) {
		const struct x86_pvh_memory *entry = (const void *)(map->entries + *offset);
		const uint32_t size = map->format == X86_MEMORY_PVH ? sizeof *entry :
			offsetof(struct x86_pvh_memory, reserved);

		if (left < size)
			return false;
		*range = x86_memory_range(entry->start, entry->length, entry->type);
		*offset += size;
	} else {
		const struct multiboot_memory *entry = (const void *)(map->entries + *offset);
		const uint32_t head = sizeof entry->size;

		if (left < sizeof *entry || entry->size < sizeof *entry - head ||
		    entry->size > left - head)
			return false;
		*range = x86_memory_range(entry->start, entry->length, entry->type);
		*offset += head + entry->size;
	}
	return true;
}

/* Returns the end of the memory that begins at `from`, across any number of entries; `from` if
 * there is none. */
static inline uint64_t x86_memory_end(const struct x86_memory_map *map, uint64_t from)
{
	struct x86_memory_range range;
	uint64_t end = from;
	bool longer;

	do {
		longer = false;
		for (uint32_t offset = 0; x86_memory_next(map, &offset, &range);)
			if (range.type == X86_MEMORY_RAM && range.start <= end && range.end > end) {
				end = range.end;
				longer = true;
			}
	} while (longer);
	for (uint32_t offset = 0; x86_memory_next(map, &offset, &range);)
		if (range.type != X86_MEMORY_RAM && range.start < end && range.end > from &&
		    range.start < range.end)
			end = range.start > from ? range.start : from;
	return end;
}

#endif
