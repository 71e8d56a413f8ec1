// SPDX-License-Identifier: BSD-2-Clause
// Memory rights, at the granularity the linker script lays the image out in: 2 MiB for code and data, 4 KiB in
// the large pages that hold stacks. Level 3 may execute and read the image's code, and write its own data and the heap.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "x86/cpu.h"
#include "x86/traps.h"

#define PAGE_PRESENT	(1ULL << 0)
#define PAGE_WRITE	(1ULL << 1)
#define PAGE_USER	(1ULL << 2)
#define PAGE_LARGE	(1ULL << 7)
#define PAGE_NO_EXECUTE	(1ULL << 63)

#define MAPPED		(4ULL << 30)

extern uint64_t arch_pml4[], arch_page_directories[], arch_stack_pages[], arch_user_stack_pages[];	// entry.S
extern char text_start[], text_end[], stacks_start[], user_start[], user_stacks_start[];	// linker script

_Static_assert(X86_CPUS * CPU_STACKS_SIZE <= LARGE_PAGE, "all stacks are in one large page");

char *x86_stack_end(unsigned cpu, unsigned stack)
{
	return stacks_start + cpu * CPU_STACKS_SIZE + STACK_BOOT_END + stack * STACK_STRIDE;
}

char *x86_user_stack_end(unsigned cpu)
{
	return user_stacks_start + (cpu + 1) * USER_STACK_STRIDE;
}

// The lowest page of a stack, which is not there.
static uint64_t guard_page(unsigned cpu, unsigned stack)
{
	uint64_t end = (uintptr_t)x86_stack_end(cpu, stack);

	return end - (stack == STACK_BOOT ? STACK_BOOT_END : STACK_STRIDE);
}

static void protect_large_page(uint64_t address, uint64_t rights)
{
	arch_page_directories[address / LARGE_PAGE] = address | PAGE_LARGE | rights;
}

static void protect_stacks(void)
{
	uint64_t start = (uintptr_t)stacks_start;

	for (uint64_t page = 0; page < LARGE_PAGE / SMALL_PAGE; page++)
		arch_stack_pages[page] = (start + page * SMALL_PAGE) | PAGE_PRESENT | PAGE_WRITE | PAGE_NO_EXECUTE;
	for (unsigned cpu = 0; cpu < X86_CPUS; cpu++)
		for (unsigned stack = 0; stack < STACKS; stack++)
			arch_stack_pages[(guard_page(cpu, stack) - start) / SMALL_PAGE] = 0;
	arch_page_directories[start / LARGE_PAGE] = (uintptr_t)arch_stack_pages | PAGE_PRESENT | PAGE_WRITE;
}

static void protect_user_stacks(void)
{
	uint64_t start = (uintptr_t)user_stacks_start;

	for (uint64_t page = 0; page < LARGE_PAGE / SMALL_PAGE; page++)
		arch_user_stack_pages[page] = page % (USER_STACK_STRIDE / SMALL_PAGE) == 0 ? 0 :
			(start + page * SMALL_PAGE) | PAGE_PRESENT | PAGE_WRITE | PAGE_USER | PAGE_NO_EXECUTE;
	arch_page_directories[start / LARGE_PAGE] =
		(uintptr_t)arch_user_stack_pages | PAGE_PRESENT | PAGE_WRITE | PAGE_USER;
}

// The entry of a small page; NULL: the address is in no large page that is divided.
static const uint64_t *small_page(uint64_t address)
{
	const uint64_t entry = arch_page_directories[address / LARGE_PAGE];
	const uint64_t *table = (const uint64_t *)(entry & ~PAGE_NO_EXECUTE & ~(SMALL_PAGE - 1ULL));

	if (entry & PAGE_LARGE || !(entry & PAGE_PRESENT))
		return NULL;
	return &table[address / SMALL_PAGE % (LARGE_PAGE / SMALL_PAGE)];
}

static bool user_may_read_page(uint64_t address)
{
	const uint64_t rights = PAGE_PRESENT | PAGE_USER, *small = small_page(address);

	return ((small ? *small : arch_page_directories[address / LARGE_PAGE]) & rights) == rights;
}

// Only stacks are in large pages that are divided.
bool x86_memory_is_guard(uint64_t address)
{
	const uint64_t *small = address < MAPPED ? small_page(address) : NULL;

	return small && !*small;
}

bool x86_memory_readable(uint64_t address, uint64_t size)
{
	if (address > MAPPED || size > MAPPED - address)
		return false;
	for (uint64_t page = address / SMALL_PAGE * SMALL_PAGE; page < address + size; page += SMALL_PAGE)
		if (!user_may_read_page(page))
			return false;
	return true;
}

void x86_memory_protect(uint64_t memory_end)
{
	const uint64_t pages = MAPPED / LARGE_PAGE;
	uint64_t pdpt = arch_pml4[0] & ~0xFFFULL;

	// The upper table levels must allow level 3 what the page does.
	arch_pml4[0] |= PAGE_USER;
	for (unsigned i = 0; i < 4; i++)
		((uint64_t *)pdpt)[i] |= PAGE_USER;

	for (uint64_t page = 0; page < pages; page++)
		arch_page_directories[page] |= PAGE_NO_EXECUTE;
	for (uint64_t a = (uintptr_t)text_start; a < (uintptr_t)text_end; a += LARGE_PAGE)
		protect_large_page(a, PAGE_PRESENT | PAGE_USER);
	for (uint64_t a = (uintptr_t)user_start; a < memory_end && a < MAPPED; a += LARGE_PAGE)
		protect_large_page(a, PAGE_PRESENT | PAGE_WRITE | PAGE_USER | PAGE_NO_EXECUTE);
	protect_large_page(0, 0);
	protect_stacks();
	protect_user_stacks();
	__asm__ volatile("mov %0, %%cr3" : : "r"(arch_pml4) : "memory");
}
