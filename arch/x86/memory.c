// SPDX-License-Identifier: BSD-2-Clause
// Memory rights, in the linker script's granularity: 2 MiB for code and data; 4 KiB in the large
// pages of stacks, and in the first large page. Level 3 may execute and read the image's code, and
// write its own data and the heap. On request, that memory is also divided into pages of 4 KiB.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "x86/cpu.h"
#include "x86/traps.h"

#define PAGE_PRESENT	(1ULL << 0)
#define PAGE_WRITE	(1ULL << 1)
#define PAGE_USER	(1ULL << 2)
#define PAGE_LARGE_SHIFT 7
#define PAGE_LARGE	(1ULL << PAGE_LARGE_SHIFT)
#define PAGE_NO_EXECUTE	(1ULL << 63)
#define RIGHTS		(PAGE_PRESENT | PAGE_WRITE | PAGE_NO_EXECUTE)

#define MAPPED		(4ULL << 30)
#define PAGES		(LARGE_PAGE / SMALL_PAGE)	/* in a large page */

// The memory of a VGA in text mode, for a console.
#define SCREEN_START	0xB8000
#define SCREEN_END	0xC0000

#define DEVICES_START	(3ULL << 30)
#define UNCACHED	0x18		/* PWT, PCD */

extern uint32_t arch_page_tables;			// tables.S
extern uint64_t early_pml4[];
extern char early_data_start[], early_end[];		// linker script, like the following
extern char text_start[], text_end[], stacks_start[], user_start[], user_stacks_start[];

static uint64_t memory_end;		// end of the protected memory

_Alignas(SMALL_PAGE) uint64_t arch_pml4[PAGES];
static _Alignas(SMALL_PAGE) uint64_t pdpt[PAGES], page_directories[MAPPED / LARGE_PAGE],
low_pages[PAGES],
	stack_pages[PAGES], user_stack_pages[PAGES];

_Static_assert(X86_CPUS * CPU_STACKS_SIZE <= LARGE_PAGE, "all stacks are in one large page");

char *x86_stack_end(unsigned cpu, unsigned stack)
{
	return stacks_start + cpu * CPU_STACKS_SIZE + STACK_BOOT_END + stack * STACK_STRIDE;
}

char *x86_user_stack_end(unsigned cpu)
{
	return user_stacks_start + (cpu + 1) * USER_STACK_STRIDE;
}

// The lowest page of a stack, which is not mapped.
static uint64_t guard_page(unsigned cpu, unsigned stack)
{
	uint64_t end = (uintptr_t)x86_stack_end(cpu, stack);

	return end - (stack == STACK_BOOT ? STACK_BOOT_END : STACK_STRIDE);
}

static void protect_large_page(uint64_t address, uint64_t rights)
{
	page_directories[address / LARGE_PAGE] = address | PAGE_LARGE | rights;
}

static void map_low_pages(uint64_t from, uint64_t to)
{
	for (uint64_t a = from & ~(SMALL_PAGE - 1ULL); a < to; a += SMALL_PAGE)
		low_pages[a / SMALL_PAGE] = a | PAGE_PRESENT | PAGE_WRITE | PAGE_NO_EXECUTE;
}

// Keeps the parts of the first large page that are still used: results of early/, page tables,
// consoles.
static void protect_low_pages(void)
{
	map_low_pages(SCREEN_START, SCREEN_END);
	map_low_pages((uintptr_t)early_data_start, (uintptr_t)early_end);
	page_directories[0] = (uintptr_t)low_pages | PAGE_PRESENT | PAGE_WRITE;
}

static void protect_stacks(void)
{
	uint64_t start = (uintptr_t)stacks_start;

	for (uint64_t page = 0; page < PAGES; page++)
		stack_pages[page] = (start + page * SMALL_PAGE) | PAGE_PRESENT | PAGE_WRITE |
			PAGE_NO_EXECUTE;
	for (unsigned cpu = 0; cpu < X86_CPUS; cpu++)
		for (unsigned stack = 0; stack < STACKS; stack++)
			stack_pages[(guard_page(cpu, stack) - start) / SMALL_PAGE] = 0;
	page_directories[start / LARGE_PAGE] = (uintptr_t)stack_pages | PAGE_PRESENT | PAGE_WRITE;
}

static void protect_user_stacks(void)
{
	uint64_t start = (uintptr_t)user_stacks_start;

	for (uint64_t page = 0; page < PAGES; page++)
		user_stack_pages[page] = page % (USER_STACK_STRIDE / SMALL_PAGE) == 0 ? 0 :
			(start + page * SMALL_PAGE) | PAGE_PRESENT | PAGE_WRITE | PAGE_USER |
				PAGE_NO_EXECUTE;
	page_directories[start / LARGE_PAGE] =
		(uintptr_t)user_stack_pages | PAGE_PRESENT | PAGE_WRITE | PAGE_USER;
}

// Returns a small page's entry. NULL: the address is in no divided large page.
static const uint64_t *small_page(uint64_t address)
{
	const uint64_t entry = page_directories[address / LARGE_PAGE];
	const uint64_t *table = (const uint64_t *)(entry & ~PAGE_NO_EXECUTE & ~(SMALL_PAGE - 1ULL));

	if (entry & PAGE_LARGE || !(entry & PAGE_PRESENT))
		return NULL;
	return &table[address / SMALL_PAGE % PAGES];
}

static bool user_may_read_page(uint64_t address)
{
	const uint64_t rights = PAGE_PRESENT | PAGE_USER, *small = small_page(address);

	return ((small ? *small : page_directories[address / LARGE_PAGE]) & rights) == rights;
}

// An unmapped small page is below a stack, or in the first large page.
bool x86_memory_is_guard(uint64_t address)
{
	const uint64_t *small = address >= LARGE_PAGE && address < MAPPED ? small_page(address) :
		NULL;

	return small && !*small;
}

bool x86_memory_readable(uint64_t address, uint64_t size)
{
	if (address > MAPPED || size > MAPPED - address)
		return false;
	for (uint64_t page = address / SMALL_PAGE * SMALL_PAGE; page < address + size;
	     page += SMALL_PAGE)
		if (!user_may_read_page(page))
			return false;
	return true;
}

void x86_memory_protect(uint64_t end)
{
	const uint64_t rights = PAGE_PRESENT | PAGE_WRITE;

	memory_end = end < MAPPED ? end : MAPPED;
	// upper levels must grant level 3 the page's rights
	arch_pml4[0] = (uintptr_t)pdpt | rights | PAGE_USER;
	for (unsigned i = 0; i < MAPPED / LARGE_PAGE / PAGES; i++)
		pdpt[i] = (uintptr_t)&page_directories[i * PAGES] | rights | PAGE_USER;
	for (uint64_t a = 0; a < MAPPED; a += LARGE_PAGE)
		protect_large_page(a,
				   rights | PAGE_NO_EXECUTE | (a < DEVICES_START ? 0 : UNCACHED));
	for (uint64_t a = (uintptr_t)text_start; a < (uintptr_t)text_end; a += LARGE_PAGE)
		protect_large_page(a, PAGE_PRESENT | PAGE_USER);
	for (uint64_t a = (uintptr_t)user_start; a < memory_end; a += LARGE_PAGE)
		protect_large_page(a, rights | PAGE_USER | PAGE_NO_EXECUTE);
	protect_low_pages();
	protect_stacks();
	protect_user_stacks();
	arch_page_tables = (uint32_t)(uintptr_t)arch_pml4;
	x86_memory_forget_translations();
}

//
// Small pages for programs
//

// A range of large pages that hold programs' code or memory: [start, end).
struct stretch {
	uint64_t start, end;
};

static struct stretch stretch_of(unsigned number)
{
	return number ? (struct stretch){(uintptr_t)user_start, memory_end} :
			(struct stretch){(uintptr_t)text_start, (uintptr_t)text_end};
}

#define STRETCHES 2

uint64_t x86_memory_tables_size(void)
{
	uint64_t tables = 0;

	for (unsigned i = 0; i < STRETCHES; i++)
		for (uint64_t a = stretch_of(i).start; a < stretch_of(i).end; a += LARGE_PAGE)
			tables += page_directories[a / LARGE_PAGE] >> PAGE_LARGE_SHIFT & 1;
	return tables * SMALL_PAGE;
}

// Gives each small page the large page's rights, but hides the page tables from programs.
static void divide(uint64_t large_page, uint64_t *table, const struct stretch *tables)
{
	const uint64_t rights = page_directories[large_page / LARGE_PAGE] & (RIGHTS | PAGE_USER);

	for (unsigned page = 0; page < PAGES; page++) {
		const uint64_t address = large_page + page * SMALL_PAGE;
		const bool is_table = address >= tables->start && address < tables->end;

		table[page] = address | (is_table ? rights & ~PAGE_USER : rights);
	}
	page_directories[large_page / LARGE_PAGE] = (uintptr_t)table | PAGE_PRESENT | PAGE_WRITE |
		PAGE_USER;
}

void x86_memory_divide(void *memory)
{
	const struct stretch tables = {(uintptr_t)memory,
				       (uintptr_t)memory + x86_memory_tables_size()};
	uint64_t *table = memory;

	for (unsigned i = 0; i < STRETCHES; i++)
		for (uint64_t a = stretch_of(i).start; a < stretch_of(i).end; a += LARGE_PAGE)
			if (page_directories[a / LARGE_PAGE] & PAGE_LARGE) {
				divide(a, table, &tables);
				table += PAGES;
			}
	x86_memory_forget_translations();
}

void x86_memory_forget_translations(void)
{
	__asm__ volatile("mov %0, %%cr3" : : "r"(arch_pml4) : "memory");
}

noreturn void x86_memory_leave(void (*to)(void))
{
	__asm__ volatile("mov %0, %%cr3; jmp *%1" : : "r"(early_pml4), "r"(to) : "memory");
	__builtin_unreachable();
}
