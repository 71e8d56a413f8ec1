/* SPDX-License-Identifier: BSD-2-Clause */
/* The Multiboot specification, version 0.6.96: the kernel's header (section 3.1), and the
 * information passed to it (3.3). */
#ifndef X86_MULTIBOOT_H
#define X86_MULTIBOOT_H

#define MULTIBOOT_HEADER_MAGIC	0x1BADB002
#define MULTIBOOT_LOADER_MAGIC	0x2BADB002
#define MULTIBOOT_HEADER_SEARCH	8192		/* the header is within these first bytes, at a
						 * multiple of 4 */

/* Header flags. 15:0 are requirements. */
#define MULTIBOOT_PAGE_ALIGN	(1 << 0)
#define MULTIBOOT_WANTS_MEMORY	(1 << 1)
#define MULTIBOOT_WANTS_VIDEO	(1 << 2)
#define MULTIBOOT_HAS_ADDRESSES	(1 << 16)
#define MULTIBOOT_REQUIREMENTS	0xFFFF

#ifndef __ASSEMBLER__

#include <stdint.h>

struct multiboot_header {
	uint32_t magic, flags, checksum;
	/* With MULTIBOOT_HAS_ADDRESSES: the load addresses of the file's parts. */
	uint32_t header_address, load_address, load_end_address, bss_end_address, entry_address;
};

/* Information flags. */
#define MULTIBOOT_MEMORY	(1u << 0)
#define MULTIBOOT_COMMAND_LINE	(1u << 2)
#define MULTIBOOT_MODULES	(1u << 3)
#define MULTIBOOT_MEMORY_MAP	(1u << 6)
#define MULTIBOOT_LOADER_NAME	(1u << 9)

struct multiboot_information {
	uint32_t flags, memory_lower_kib, memory_upper_kib, boot_device, command_line;
	uint32_t module_count, modules;
	uint32_t symbols[4];
	uint32_t memory_map_size, memory_map;
	uint32_t drives_size, drives, configuration_table, loader_name;
};

struct multiboot_module {
	uint32_t start, end, command_line, reserved;
};

struct __attribute__((packed)) multiboot_memory {
	uint32_t size;		/* of the fields that follow; the next entry comes after them */
	uint64_t start, length;
	uint32_t type;
};

#define MULTIBOOT_MEMORY_RAM 1

#endif
#endif
