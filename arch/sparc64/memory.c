// SPDX-License-Identifier: BSD-2-Clause
// Memory of the lowest privilege level: it may execute the image's code, read the runtime's data,
// and write its own data and the heap. Virtual addresses equal physical ones. The runtime in
// hyperprivileged mode uses no translation.

#include <stdbool.h>
#include <stdint.h>

#include "layout.h"
#include "sparc64/registers.h"
#include "sparc64/traps.h"

// UltraSPARC Architecture 2005, chapter 13; entries in sun4v's format.
#define ASI_PRIMARY_CONTEXT	0x21
#define VA_PRIMARY_CONTEXT	0x08
#define ASI_IMMU		0x50
#define ASI_DMMU		0x58
#define VA_TAG_ACCESS		0x30

#define ENTRY_VALID		(1ULL << 63)
#define ENTRY_LOCKED		(1ULL << 61)
#define ENTRY_CACHED		(3ULL << 9)
#define ENTRY_EXECUTE		(1ULL << 7)
#define ENTRY_WRITE		(1ULL << 6)
#define ENTRY_4_MIB		3ULL

// linker script
extern char text_start[], text_end[], stack_boot_end[], user_start[], memory_end[];

static void store(uint64_t asi, uint64_t address, uint64_t value)
{
	__asm__ volatile("wr %0, 0, %%asi\nstxa %2, [%1] %%asi\nmembar #Sync"
			 : : "r"(asi), "r"(address), "r"(value) : "memory");
}

static void map(uint64_t mmu, uint64_t tlb, const char *start, const char *end, uint64_t rights)
{
	for (uint64_t a = (uintptr_t)start & ~(uint64_t)(LARGE_PAGE - 1); a < (uintptr_t)end;
	     a += LARGE_PAGE) {
		store(mmu, VA_TAG_ACCESS, a);
		store(tlb, VA_DATA_IN_SUN4V, ENTRY_VALID | ENTRY_LOCKED | ENTRY_CACHED |
		      ENTRY_4_MIB | rights | a);
	}
}

// Parts end on large pages, so that the whole range is mapped.
bool sparc64_memory_readable(uint64_t address, uint64_t size)
{
	return address >= (uintptr_t)text_start && address <= (uintptr_t)memory_end &&
	       size <= (uintptr_t)memory_end - address;
}

void sparc64_memory_map(void)
{
	store(ASI_PRIMARY_CONTEXT, VA_PRIMARY_CONTEXT, 0);
	map(ASI_IMMU, ASI_ITLB_DATA_IN, text_start, text_end, ENTRY_EXECUTE);
	map(ASI_DMMU, ASI_DTLB_DATA_IN, text_start, stack_boot_end, 0);
	map(ASI_DMMU, ASI_DTLB_DATA_IN, user_start, memory_end, ENTRY_WRITE);
}
