/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot loader of the guest: puts a kernel and its modules where they belong. */
#ifndef GUEST_LOAD_H
#define GUEST_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/multiboot.h"

/* What the image's own boot loader gave: copied, because the guest's memory is written over it. */
#define LOAD_MEMORY_ENTRIES	32
#define LOAD_MODULES		16	/* the first one is the kernel */

struct load_source {
	struct multiboot_memory memory[LOAD_MEMORY_ENTRIES];	/* without the monitor's memory */
	unsigned memory_entries;
	uint64_t memory_end;		/* of memory below 4 GiB, as the guest has it */
	struct multiboot_module module[LOAD_MODULES];
	unsigned modules;
};

/* Copies what the guest is to get. NULL: done; else why not. */
const char *load_read(const struct multiboot_information *information, struct load_source *source);

/* How the guest begins: in protected mode without paging, or, if there are page tables, in 64-bit mode; with these
 * registers. And how its PMU counts. */
struct load_entry {
	uint32_t address, eax, ebx, esi;
	uint32_t tables;		/* CR3; 0: 32-bit */
	uint32_t descriptors;		/* where its descriptor table is; 0: it has none */
	uint16_t descriptors_size;
	uint16_t selector;		/* of its code; that of data is the next one */
	bool clock_only;
};

/* Writes the guest's memory. NULL: done; else why the kernel cannot be loaded, or does not fit. */
const char *load_guest(const struct load_source *source, struct load_entry *entry);

#endif
