// SPDX-License-Identifier: BSD-2-Clause
// Finds ACPI's tables: from the boot loader's pointer, or by the BIOS search.

#include "acpi.h"

#include <stdbool.h>
#include <stddef.h>

#include "x86/early.h"

#define BIOS_DATA_SEGMENT_AT	0x40Eu		/* 16 bits: the extended BIOS data area */
#define BIOS_DATA_SIZE		0x400u
#define BIOS_START		0xE0000u
#define BIOS_END		0x100000u
#define POINTER_ALIGNMENT	16u

#define TABLE_MOST		0x100000u	/* longest valid table, in bytes */

// ACPI 5.2.5.3. Fields after `rsdt` exist from revision 2 on.
struct __attribute__((packed)) pointer {
	char signature[8];
	uint8_t checksum;
	char names[6];
	uint8_t revision;
	uint32_t rsdt;
	uint32_t length;
	uint64_t xsdt;
};

#define POINTER_SIZE_OF_ALL offsetof(struct pointer, length)

static bool is_whole(const void *bytes, uint32_t size)
{
	uint8_t sum = 0;

	for (uint32_t i = 0; i < size; i++)
		sum += ((const uint8_t *)bytes)[i];
	return !sum;
}

static bool is_named(const char *is, const char *name, uint32_t size)
{
	while (size && *is == *name)
		is++, name++, size--;
	return !size;
}

static bool is_pointer(const struct pointer *p)
{
	return is_named(p->signature, "RSD PTR ", sizeof p->signature) &&
	       is_whole(p, POINTER_SIZE_OF_ALL);
}

// Compares the signature first, because it rarely matches.
static const struct pointer *search(uint32_t from, uint32_t size)
{
	for (uint32_t at = from; at < from + size; at += POINTER_ALIGNMENT)
		if (*(const volatile char *)(uintptr_t)at == 'R' &&
		    is_pointer((const void *)(uintptr_t)at))
			return (const void *)(uintptr_t)at;
	return NULL;
}

static const struct pointer *find_pointer(void)
{
	const struct pointer *p = (const void *)(uintptr_t)x86_early.acpi;

	if (p)
		return is_pointer(p) ? p : NULL;
	if (x86_early.protocol == X86_PROTOCOL_EFI)	// no BIOS
		return NULL;
	p = search((uint32_t)*(const volatile uint16_t *)(uintptr_t)BIOS_DATA_SEGMENT_AT << 4,
		   BIOS_DATA_SIZE);
	return p ? p : search(BIOS_START, BIOS_END - BIOS_START);
}

const struct acpi_header *acpi_table_at(uint64_t address)
{
	const struct acpi_header *t = (const void *)(uintptr_t)address;

	return address && address <= UINT32_MAX - TABLE_MOST && t->length >= sizeof *t &&
	       t->length <= TABLE_MOST &&
		is_whole(t, t->length) ? t : NULL;
}

const void *acpi_find(const char signature[4], uint32_t least)
{
	static const struct pointer *p;
	const struct acpi_header *root = NULL, *table;
	uint32_t size = sizeof(uint64_t);

	if (!p)
		p = find_pointer();
	if (p && p->revision >= 2)
		root = acpi_table_at(p->xsdt);
	if (p && !root) {
		root = acpi_table_at(p->rsdt);
		size = sizeof(uint32_t);
	}
	if (!root)
		return NULL;
	for (uint32_t at = sizeof *root; at + size <= root->length; at += size) {
		const uint32_t *const entry = (const void *)((const uint8_t *)root + at);

		table = acpi_table_at(size == sizeof(uint64_t) && entry[1] ? UINT64_MAX : entry[0]);
		if (table && is_named(table->signature, signature, sizeof table->signature) &&
		    table->length >= least)
			return table;
	}
	return NULL;
}
