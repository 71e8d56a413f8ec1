// SPDX-License-Identifier: BSD-2-Clause
// The guest's physical memory: in large pages, but where the HPET and the interrupt controllers are. From 4 GiB on
// there is nothing.

#include "nested.h"

#include "layout.h"
#include "monitor_memory.h"

#define PAGE_RIGHTS	0x007	/* present, writable, for all levels: nested accesses count as level 3's */
#define PAGE_WRITE	0x002
#define PAGE_LARGE	0x080

#define TABLE_ENTRIES	512
#define GIBS		4
#define HPET_PAGE	0xFED00000u
#define APIC_PAGE	NESTED_APIC
#define MESSAGES_END	0xFEF00000u

typedef uint64_t table[TABLE_ENTRIES];

_Alignas(4096) static table level4, level3, directories[GIBS], hpet_surroundings, apic_surroundings, hole_level3, hole;
static uint64_t memory_end;

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
	for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
		hole[i] = (HOLE_START + i * (uint64_t)LARGE_PAGE) | PAGE_RIGHTS | PAGE_LARGE;
		level3[i] = hole_level3[i] = (uintptr_t)hole | PAGE_RIGHTS;
		level4[i] = (uintptr_t)hole_level3 | PAGE_RIGHTS;
	}
	level4[0] = (uintptr_t)level3 | PAGE_RIGHTS;
	for (unsigned i = 0; i < GIBS; i++)
		level3[i] = (uintptr_t)directories[i] | PAGE_RIGHTS;
	for (uint64_t i = 0; i < GIBS * TABLE_ENTRIES; i++)
		directories[i / TABLE_ENTRIES][i % TABLE_ENTRIES] = large_page(i * LARGE_PAGE);
	divide(HPET_PAGE, hpet_surroundings);
	divide(APIC_PAGE, apic_surroundings);
	return (uintptr_t)level4;
}

static uint64_t *small_entry(uint32_t address)
{
	table *pages = address < APIC_PAGE ? &hpet_surroundings : &apic_surroundings;

	return &(*pages)[address / SMALL_PAGE % TABLE_ENTRIES];
}

void nested_protect(uint32_t controller)
{
	*small_entry(controller) = controller | (PAGE_RIGHTS & ~PAGE_WRITE);
}

void nested_replace(uint32_t controller, uint64_t page)
{
	*small_entry(controller) = page | PAGE_RIGHTS;
}

void nested_hide_messages(void)
{
	for (uint32_t address = APIC_PAGE + SMALL_PAGE; address < MESSAGES_END; address += SMALL_PAGE)
		*small_entry(address) = HOLE_START | PAGE_RIGHTS;
}

void nested_set_memory_end(uint64_t end)
{
	memory_end = end;
}

uint64_t nested_memory_end(void)
{
	return memory_end;
}

bool nested_is_guest(uint64_t address, uint64_t size)
{
	if (address < MONITOR_START)
		return size <= MONITOR_START - address;
	return address >= GUEST_CONTINUES && address < memory_end && size <= memory_end - address;
}
