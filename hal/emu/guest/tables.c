// SPDX-License-Identifier: BSD-2-Clause
// What the firmware has written for programs to read: ACPI's tables, and the BIOS's map of memory.
//
// ACPI's tables (specification 1.0b, 5.2): the root table lists the others by their addresses. The entry of the HPET's
// goes; the device in the namespace finds out by itself that there is none, because its registers are absent.

#include "tables.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "monitor_memory.h"
#include "x86/cpu.h"

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

uint32_t tables_root_pointer(void)
{
	return (uint32_t)(uintptr_t)find_root_pointer();
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

//
// The BIOS
//

// SeaBIOS's list for INT 15H, function E820H, in its last 64 KiB, as an array of these.
struct __attribute__((packed)) bios_memory {
	uint64_t start, length;
	uint32_t type;
};

#define BIOS_DATA_START		0xF0000u
#define BIOS_MEMORY_RAM		1
#define UPPER_START		0x100000u

// The processor bridge's configuration (82441FX): who may write F0000H to FFFFFH.
#define CONFIGURATION_ADDRESS	0xCF8
#define CONFIGURATION_BYTE	0xCFD		/* of register 59H */
#define BRIDGE_REGISTER		0x80000058u
#define BRIDGE_WRITABLE		0x20

// In the clock's memory: what is above 16 MiB, in units of 64 KiB; low byte, high byte.
#define CLOCK_INDEX		0x70
#define CLOCK_VALUE		0x71
#define CLOCK_MEMORY		0x34
#define CLOCK_MEMORY_START	0x1000000u


static void shorten_bios_map(void)
{
	for (uint32_t at = BIOS_DATA_START; at <= BIOS_END - sizeof(struct bios_memory); at++) {
		struct bios_memory *m = (void *)(uintptr_t)at;

		if (m->start == UPPER_START && m->type == BIOS_MEMORY_RAM && m->start + m->length > MONITOR_START &&
		    m->start + m->length <= UINT32_MAX)
			m->length = MONITOR_START - UPPER_START;
	}
}

void tables_hide_monitor(void)
{
	const uint32_t units = (MONITOR_START - CLOCK_MEMORY_START) / 0x10000;
	uint8_t bridge;

	__asm__ volatile("outl %0, %1" : : "a"(BRIDGE_REGISTER), "Nd"((uint16_t)CONFIGURATION_ADDRESS));
	bridge = x86_inb(CONFIGURATION_BYTE);
	x86_outb(CONFIGURATION_BYTE, bridge | BRIDGE_WRITABLE);
	shorten_bios_map();
	x86_outb(CONFIGURATION_BYTE, bridge);
	for (unsigned byte = 0; byte < 2; byte++) {
		x86_outb(CLOCK_INDEX, (uint8_t)(CLOCK_MEMORY + byte));
		x86_outb(CLOCK_VALUE, (uint8_t)(units >> 8 * byte));
	}
}
