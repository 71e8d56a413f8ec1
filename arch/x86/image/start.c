// SPDX-License-Identifier: BSD-2-Clause
// From a 64-bit boot loader to the image's link address; position-independent 64-bit code.

#include "x86/image.h"

#include "layout.h"

#define PAGE_PRESENT_WRITE	3u
#define PAGE_LARGE		0x80u
#define ENTRIES			512u		/* of a page table */
#define GIB			(1ULL << 30)
#define FIRST_GIBS		4u		/* always mapped */

extern const char image_base[];			// linker script
extern uint64_t early_pml4[ENTRIES], early_pdpt[ENTRIES],
	early_page_directories[FIRST_GIBS * ENTRIES];	// ../tables.S

noreturn void image_enter_linux(const struct linux_parameters *parameters);
noreturn void image_move(const void *from, const uint64_t *pml4, uint32_t entered);	// move.S

static void map_gib(uint64_t *directory, uint64_t gib)
{
	for (unsigned i = 0; i < ENTRIES; i++)
		directory[i] = (gib * GIB + (uint64_t)i * LARGE_PAGE) | PAGE_PRESENT_WRITE |
			PAGE_LARGE;
}

static uint64_t entry_of(const uint64_t *table)
{
	return (uintptr_t)table | PAGE_PRESENT_WRITE;
}

noreturn void image_go_on(uint32_t entered)
{
	// Also map the image's own GiB, and the next one, which it may extend into.
	static _Alignas(SMALL_PAGE) uint64_t pdpt[ENTRIES], directories[2][ENTRIES];
	const uint64_t gib = (uintptr_t)image_base / GIB;

	early_pml4[0] = entry_of(early_pdpt);
	for (unsigned i = 0; i < FIRST_GIBS; i++) {
		map_gib(&early_page_directories[i * ENTRIES], i);
		early_pdpt[i] = entry_of(&early_page_directories[i * ENTRIES]);
	}
	for (unsigned i = 0; i < 2 && gib >= FIRST_GIBS; i++) {
		uint64_t *const table = (gib + i) / ENTRIES ? pdpt : early_pdpt;

		map_gib(directories[i], gib + i);
		table[(gib + i) % ENTRIES] = entry_of(directories[i]);
		early_pml4[(gib + i) / ENTRIES] = entry_of(table);
	}
	image_move(image_base, early_pml4, entered);
}

// Called by entry.S.
noreturn void image_enter_linux(const struct linux_parameters *parameters)
{
	const char *line = (const char *)(uintptr_t)(parameters->command_line |
						     (uint64_t)parameters->command_line_high << 32);

	image_parameters = *parameters;
	for (unsigned i = 0; line && i < LINUX_COMMAND_LINE - 1 && line[i]; i++)
		image_command_line[i] = line[i];
	image_go_on(X86_ENTERED_LINUX);
}
