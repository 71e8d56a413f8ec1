// SPDX-License-Identifier: BSD-2-Clause
// A guest's page tables: hal/emu/guest/paging.h.

#include "paging.h"

#define CR0_WP			(1u << 16)
#define CR0_PG			(1u << 31)
#define CR4_PSE			(1u << 4)
#define CR4_PAE			(1u << 5)
#define EFER_LMA		(1u << 10)

#define ENTRY_PRESENT		(1u << 0)
#define ENTRY_WRITABLE		(1u << 1)
#define ENTRY_LARGE		(1u << 7)
#define ENTRY_ADDRESS		0x000FFFFFFFFFF000ull

static uint64_t table_entry(const struct paging *paging, uint64_t address, unsigned size)
{
	const void *entry = paging->table(paging->context, address, size);

	if (!entry)
		return 0;
	return size == 4 ? *(const uint32_t *)entry : *(const uint64_t *)entry;
}

// Two levels of 1,024 entries, each of which has the bits `rights`.
static uint64_t walk_32(const struct paging *paging, const struct vmcb *vmcb, uint32_t linear, uint64_t rights)
{
	uint64_t entry = table_entry(paging, (vmcb->cr3 & ENTRY_ADDRESS) + (linear >> 22) * 4, 4);

	if (~entry & rights)
		return PAGING_NOWHERE;
	if (entry & ENTRY_LARGE && vmcb->cr4 & CR4_PSE)
		return (entry & 0xFFC00000u) | (entry & 0x1FE000u) << 19 | (linear & 0x3FFFFFu);
	entry = table_entry(paging, (entry & ENTRY_ADDRESS) + (linear >> 12 & 0x3FF) * 4, 4);
	return ~entry & rights ? PAGING_NOWHERE : (entry & ENTRY_ADDRESS) | (linear & 0xFFFu);
}

// Levels of 512 entries, the highest one decoded by bits from `shift` on: 39 of four levels, 30 of three, where its
// entries have no rights but to be present.
static uint64_t walk_64(const struct paging *paging, uint64_t table, uint64_t linear, unsigned shift, uint64_t rights)
{
	for (uint64_t needed = shift == 39 ? rights : ENTRY_PRESENT;; shift -= 9, needed = rights) {
		const uint64_t entry = table_entry(paging, table + (linear >> shift & 0x1FF) * 8, 8);
		const uint64_t low = (1ULL << shift) - 1;

		if (~entry & needed)
			return PAGING_NOWHERE;
		if (shift == 12 || (entry & ENTRY_LARGE && shift < 39))
			return (entry & ENTRY_ADDRESS & ~low) | (linear & low);
		table = entry & ENTRY_ADDRESS;
	}
}

// Bits 63 to 47 are the same.
static bool is_canonical(uint64_t linear)
{
	return linear + (1ULL << 47) < 1ULL << 48;
}

uint64_t paging_translate(const struct paging *paging, const struct vmcb *vmcb, uint64_t linear, bool write)
{
	const uint64_t rights = ENTRY_PRESENT | (write && vmcb->cr0 & CR0_WP ? ENTRY_WRITABLE : 0);

	if (!(vmcb->cr0 & CR0_PG))
		return (uint32_t)linear;
	if (vmcb->efer & EFER_LMA && !is_canonical(linear))
		return PAGING_NOWHERE;
	if (vmcb->efer & EFER_LMA)
		return walk_64(paging, vmcb->cr3 & ENTRY_ADDRESS, linear, 39, rights);
	if (vmcb->cr4 & CR4_PAE)
		return walk_64(paging, vmcb->cr3 & ~0x1FULL, linear & 0xFFFFFFFFu, 30, rights);
	return walk_32(paging, vmcb, (uint32_t)linear, rights);
}
