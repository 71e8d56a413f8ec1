// SPDX-License-Identifier: BSD-2-Clause
// ACPI's tables (specification 1.0b, 5.2): the root table lists the others by their addresses. The entry of the HPET's
// goes; the device in the namespace finds out by itself that there is none, because its registers are absent.

#include "tables.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BIOS_START	0xE0000u
#define BIOS_END	0x100000u
#define POINTER_STEP	16

struct root_pointer {
	char signature[8];
	uint8_t checksum, oem[6], revision;
	uint32_t root;
};

struct description_header {
	char signature[4];
	uint32_t length;
	uint8_t revision, checksum;
	char oem[6], oem_table[8];
	uint32_t oem_revision, creator, creator_revision;
};

static const struct root_pointer *find_root_pointer(void)
{
	for (uint32_t at = BIOS_START; at < BIOS_END; at += POINTER_STEP)
		if (!memcmp((const void *)(uintptr_t)at, "RSD PTR ", 8))
			return (const void *)(uintptr_t)at;
	return NULL;
}

// All bytes of a table add up to 0.
static void set_checksum(struct description_header *table)
{
	const uint8_t *bytes = (const uint8_t *)table;
	uint8_t sum = 0;

	table->checksum = 0;
	for (uint32_t i = 0; i < table->length; i++)
		sum += bytes[i];
	table->checksum = (uint8_t)-sum;
}

void tables_hide_hpet(void)
{
	const struct root_pointer *pointer = find_root_pointer();
	struct description_header *root;
	uint32_t *entry, *end, *to;

	if (!pointer)
		return;
	root = (void *)(uintptr_t)pointer->root;
	entry = to = (uint32_t *)(root + 1);
	end = entry + (root->length - sizeof *root) / sizeof *entry;
	for (; entry < end; entry++)
		if (memcmp((const void *)(uintptr_t)*entry, "HPET", 4))
			*to++ = *entry;
	root->length -= (uint32_t)((uintptr_t)end - (uintptr_t)to);
	set_checksum(root);
}
