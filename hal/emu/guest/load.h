/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts a Multiboot kernel and its modules where they belong. */
#ifndef GUEST_LOAD_H
#define GUEST_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/multiboot.h"

/* What the boot loader gave: copied, because the guest's memory is written over it. */
#define LOAD_MEMORY_ENTRIES	32
#define LOAD_MODULES		16	/* the first one is the kernel */

struct load_source {
	struct multiboot_memory memory[LOAD_MEMORY_ENTRIES];	/* without the monitor's memory */
	unsigned memory_entries;
	struct multiboot_module module[LOAD_MODULES];
	unsigned modules;
};

/* Copies what the guest is to get. NULL: done; else why not. */
const char *load_read(const struct multiboot_information *information, struct load_source *source);

/* Where the guest begins, and how its PMU counts. */
struct load_entry {
	uint32_t address, information;
	bool clock_only;
};

/* Writes the guest's memory. NULL: done; else why the kernel cannot be loaded, or does not fit. */
const char *load_guest(const struct load_source *source, struct load_entry *entry);

#endif
