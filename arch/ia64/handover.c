// SPDX-License-Identifier: BSD-2-Clause
// The boot loader's parameters: ELILO's for Linux; our machine passes the same.

#include <stddef.h>

#include "arch.h"
#include "layout.h"
#include "ia64/parameters.h"
#include "ia64/traps.h"

#define COMMAND_LINE_SIZE	1024

// An EFI memory descriptor (UEFI specification, 7.2: GetMemoryMap).
struct memory_descriptor {
	uint32_t type;
	uint64_t physical, virtual, pages, attributes;
};

#define EFI_PAGE_SHIFT		12

extern char heap_start[];		// linker script
void arch_main(const struct boot_parameters *parameters, uint64_t clock);

// Whether the memory is free after the boot services have ended: memory of the loader and of the
// boot services, and free memory.
static bool is_free(const struct memory_descriptor *d)
{
	return (d->type >= 1 && d->type <= 4) || d->type == 7;
}

// The end of free memory from `address` on, as far as adjacent descriptors reach in the map's
// order.
static uint64_t end_of_memory(const struct boot_parameters *p, uint64_t address)
{
	uint64_t end = address;

	for (uint64_t at = 0; at + sizeof(struct memory_descriptor) <= p->memory_map_size;
	     at += p->descriptor_size) {
		const struct memory_descriptor *d = (const void *)(uintptr_t)(p->memory_map + at);

		if (is_free(d) && d->physical <= end &&
		    d->physical + (d->pages << EFI_PAGE_SHIFT) > end)
			end = d->physical + (d->pages << EFI_PAGE_SHIFT);
	}
	return end & ~((1ULL << PAGE_SHIFT) - 1);
}

// Called by entry.S.
void arch_main(const struct boot_parameters *parameters, uint64_t clock)
{
	static char command_line[COMMAND_LINE_SIZE];
	static struct arch_handover handover = {.command_line = command_line,
						.protocol = "an unknown boot loader"};

	handover.clock_at_entry = clock;
	handover.memory_end = (uintptr_t)heap_start;
	if (parameters) {
		const char *from = (const char *)(uintptr_t)parameters->command_line;

		for (size_t i = 0; from && i < COMMAND_LINE_SIZE - 1 && from[i]; i++)
			command_line[i] = from[i];
		handover.protocol = "boot parameters";
		if (parameters->descriptor_size)
			handover.memory_end = end_of_memory(parameters, (uintptr_t)heap_start);
	}
	boot_main(&handover);
}
