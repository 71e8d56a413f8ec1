// SPDX-License-Identifier: BSD-2-Clause
// What the boot loader left in memory, copied out before page 0 goes away.

#include <stddef.h>

#include "arch.h"
#include "x86/processors.h"
#include "x86/traps.h"

#define MULTIBOOT_LOADER_MAGIC	0x2BADB002u
#define MULTIBOOT_HAS_MEMORY	(1u << 0)
#define MULTIBOOT_HAS_COMMAND	(1u << 2)
#define PVH_MAGIC		0x336EC578u
#define PVH_MEMORY_RAM		1u

// The first fields of the Multiboot 1 information (specification 0.6.96, section 3.3).
struct multiboot_information {
	uint32_t flags, memory_lower_kib, memory_upper_kib, boot_device, command_line;
};

// The start of Xen's struct hvm_start_info (xen/include/public/arch-x86/hvm/start_info.h).
struct pvh_start_info {
	uint32_t magic, version, flags, modules;
	uint64_t module_list, command_line, acpi_table;
	uint64_t memory_map;
	uint32_t memory_map_entries, reserved;
};

struct pvh_memory_entry {
	uint64_t address, size;
	uint32_t type, reserved;
};

#define ABOVE_1_MIB 0x100000
#define COMMAND_LINE_SIZE 1024

extern uint64_t arch_clock_at_entry;	// entry.S
void arch_main(uint32_t magic, const void *information);

static char command_line[COMMAND_LINE_SIZE];

static void copy_command_line(uint64_t address)
{
	const char *from = (const char *)(uintptr_t)address;

	for (size_t i = 0; address && i < COMMAND_LINE_SIZE - 1 && from[i]; i++)
		command_line[i] = from[i];
}

static uint64_t multiboot_memory_end(const struct multiboot_information *m)
{
	return m->flags & MULTIBOOT_HAS_MEMORY ? ABOVE_1_MIB + m->memory_upper_kib * 1024ULL : 0;
}

static uint64_t pvh_memory_end(const struct pvh_start_info *p)
{
	const struct pvh_memory_entry *map = (const void *)(uintptr_t)p->memory_map;

	for (uint32_t i = 0; i < p->memory_map_entries; i++)
		if (map[i].type == PVH_MEMORY_RAM && map[i].address <= ABOVE_1_MIB &&
		    map[i].address + map[i].size > ABOVE_1_MIB)
			return map[i].address + map[i].size;
	return 0;
}

// Called by entry.S.
void arch_main(uint32_t magic, const void *information)
{
	const struct multiboot_information *multiboot = information;
	const struct pvh_start_info *pvh = information;
	static struct arch_handover handover = {.command_line = command_line, .protocol = "unknown"};

	handover.clock_at_entry = arch_clock_at_entry;
	if (magic == MULTIBOOT_LOADER_MAGIC) {
		handover.protocol = "Multiboot 1";
		handover.memory_end = multiboot_memory_end(multiboot);
		if (multiboot->flags & MULTIBOOT_HAS_COMMAND)
			copy_command_line(multiboot->command_line);
	} else if (pvh->magic == PVH_MAGIC) {
		handover.protocol = "PVH";
		handover.memory_end = pvh_memory_end(pvh);
		copy_command_line(pvh->command_line);
	}
	x86_processors_prepare();
	x86_traps_start();
	x86_memory_protect(handover.memory_end);
	boot_main(&handover);
}
