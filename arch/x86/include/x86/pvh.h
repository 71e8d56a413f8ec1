/* SPDX-License-Identifier: BSD-2-Clause */
/* PVH, the protocol by which Xen, QEMU and others start an ELF kernel (Xen, docs/misc/pvh.pandoc,
 * include/public/arch-x86/hvm/start_info.h). Entries of the memory map are struct
 * x86_pvh_memory. */
#ifndef X86_PVH_H
#define X86_PVH_H

#include <stdint.h>

#define PVH_MAGIC		0x336EC578u
#define PVH_HAS_MEMORY_MAP	1u	/* from this version on */

/* The ELF note with the entry address. */
#define PVH_NOTE_NAME		"Xen"
#define PVH_NOTE_ENTRY		18

struct pvh_start_info {
	uint32_t magic, version, flags, modules;
	uint64_t module_list, command_line, acpi_table;
	uint64_t memory_map;
	uint32_t memory_map_entries, reserved;
};

struct pvh_module {
	uint64_t start, size, command_line, reserved;
};

#endif
