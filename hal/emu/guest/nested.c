// SPDX-License-Identifier: BSD-2-Clause
// The guest's physical memory: in large pages, but where the HPET and the local APIC are, and around code that it must
// not change unnoticed.

#include "nested.h"

#include <string.h>

#include "layout.h"
#include "monitor_memory.h"

#define PAGE_RIGHTS	0x007	/* present, writable, for all levels: nested accesses count as level 3's */
#define PAGE_WRITE	0x002
#define PAGE_LARGE	0x080

#define TABLE_ENTRIES	512
#define GIBS		4
#define HPET_PAGE	0xFED00000u
#define APIC_PAGE	0xFEE00000u

typedef uint64_t table[TABLE_ENTRIES];

_Alignas(4096) static table level4, level3, directories[GIBS], hpet_surroundings, apic_surroundings;

// In the monitor's memory the guest finds what is in the hole: nothing.
static uint64_t large_page(uint64_t address)
{
	const bool is_monitors = address >= MONITOR_START && address < MONITOR_END;

	return (is_monitors ? address + HOLE_START : address) | PAGE_RIGHTS | PAGE_LARGE;
}

static uint64_t small_page(uint64_t address)
{
	return (address == HPET_PAGE ? HOLE_START : address) | PAGE_RIGHTS;
}

static uint64_t *directory_entry(uint64_t address)
{
	return &directories[0][0] + address / LARGE_PAGE;
}

// A large page in small ones.
static void divide(uint64_t address, table pages)
{
	const uint64_t start = address & ~(LARGE_PAGE - 1ULL);

	for (uint64_t i = 0; i < TABLE_ENTRIES; i++)
		pages[i] = small_page(start + i * SMALL_PAGE);
	*directory_entry(address) = (uintptr_t)pages | PAGE_RIGHTS;
}

uint64_t nested_prepare(void)
{
	level4[0] = (uintptr_t)level3 | PAGE_RIGHTS;
	for (unsigned i = 0; i < GIBS; i++)
		level3[i] = (uintptr_t)directories[i] | PAGE_RIGHTS;
	for (uint64_t i = 0; i < GIBS * TABLE_ENTRIES; i++)
		directories[i / TABLE_ENTRIES][i % TABLE_ENTRIES] = large_page(i * LARGE_PAGE);
	divide(HPET_PAGE, hpet_surroundings);
	divide(APIC_PAGE, apic_surroundings);
	return (uintptr_t)level4;
}

static uint64_t *apic_entry(void)
{
	return &apic_surroundings[APIC_PAGE / SMALL_PAGE % TABLE_ENTRIES];
}

void nested_protect_apic(void)
{
	*apic_entry() = APIC_PAGE | (PAGE_RIGHTS & ~PAGE_WRITE);
}

void nested_replace_apic(uint64_t page)
{
	*apic_entry() = page | PAGE_RIGHTS;
}

//
// Code
//

// Large pages that are divided, more than can be needed at a time.
#define DIVIDED (2 * NESTED_CODE_PAGES)

static struct {
	_Alignas(4096) table pages;
	uint64_t start;
	bool used;
} divided[DIVIDED];
static uint64_t code[NESTED_CODE_PAGES];
static unsigned code_count;

static uint64_t *find_small(uint64_t page)
{
	for (unsigned i = 0; i < DIVIDED; i++)
		if (divided[i].used && divided[i].start == (page & ~(LARGE_PAGE - 1ULL)))
			return &divided[i].pages[page / SMALL_PAGE % TABLE_ENTRIES];
	return NULL;
}

static bool has_code(unsigned i)
{
	for (unsigned c = 0; c < code_count; c++)
		if ((code[c] & ~(LARGE_PAGE - 1ULL)) == divided[i].start)
			return true;
	return false;
}

// Divides a large page into small ones, in the place of a divided page without code.
static uint64_t *make_small(uint64_t page)
{
	static unsigned next;

	do
		next = (next + 1) % DIVIDED;
	while (divided[next].used && has_code(next));
	if (divided[next].used)
		*directory_entry(divided[next].start) = large_page(divided[next].start);
	divided[next].used = true;
	divided[next].start = page & ~(LARGE_PAGE - 1ULL);
	divide(page, divided[next].pages);
	return find_small(page);
}

bool nested_protect_code(const uint64_t *pages, unsigned count)
{
	if (count == code_count && !memcmp(code, pages, count * sizeof *code))
		return false;
	for (unsigned i = 0; i < code_count; i++)
		*find_small(code[i]) |= PAGE_WRITE;
	memcpy(code, pages, count * sizeof *code);
	code_count = count;
	for (unsigned i = 0; i < count; i++) {
		uint64_t *entry = find_small(pages[i]);

		*(entry ? entry : make_small(pages[i])) &= ~(uint64_t)PAGE_WRITE;
	}
	return true;
}

bool nested_is_code(uint64_t address)
{
	for (unsigned i = 0; i < code_count; i++)
		if (address - code[i] < SMALL_PAGE)
			return true;
	return false;
}

bool nested_is_guest(uint64_t address, uint64_t size)
{
	return address < MONITOR_START && size <= MONITOR_START - address;
}
