// SPDX-License-Identifier: BSD-2-Clause
// x86: whether a mapped page is writable at level 0 (SDM volume 3A, "Determination of Access
// Rights"). QEMU's own translation is for debuggers, which may write anywhere.

#include "../bytes.h"
#include "x86.h"

#define ENTRY_WRITABLE		(1u << 1)
#define ENTRY_LARGE		(1u << 7)
#define ENTRY_ADDRESS		0x000FFFFFFFFFF000ull
#define PAE_TOP			30	/* these entries have no access rights */

static uint64_t entry_at(uint64_t physical, size_t size)
{
	GByteArray *bytes = bytes_of(NULL, size);
	uint64_t entry = 0;

	if (!qemu_plugin_read_memory_hwaddr(physical, bytes, size))
		memcpy(&entry, bytes->data, size);
	return entry;
}

// Two levels of 1,024 entries.
static bool is_writable_32(const struct cpu *c, uint32_t linear)
{
	const uint64_t table = *X86_STATE(c->qemu, uint64_t, cr3) & ENTRY_ADDRESS;
	const uint64_t entry = entry_at(table + (linear >> 22) * 4, 4);
	const bool large = entry & ENTRY_LARGE && *X86_STATE(c->qemu, uint64_t, cr4) & X86_CR4_PSE;

	return entry & ENTRY_WRITABLE &&
	       (large || entry_at((entry & ENTRY_ADDRESS) + (linear >> 12 & 0x3FF) * 4,
				  4) & ENTRY_WRITABLE);
}

// Levels of 512 entries. `top`: lowest address bit of the highest level's index.
static bool is_writable_64(uint64_t table, uint64_t linear, unsigned top)
{
	for (unsigned shift = top;; shift -= 9) {
		const uint64_t entry = entry_at(table + (linear >> shift & 0x1FF) * 8, 8);

		if (shift != PAE_TOP || top != PAE_TOP) {
			if (!(entry & ENTRY_WRITABLE))
				return false;
			if (shift == 12 || (entry & ENTRY_LARGE && shift < 39))
				return true;
		}
		table = entry & ENTRY_ADDRESS;
	}
}

bool x86_writable(const struct cpu *c, uint64_t linear)
{
	const uint64_t cr0 = *X86_STATE(c->qemu, uint64_t, cr0),
		cr4 = *X86_STATE(c->qemu, uint64_t, cr4);
	const uint64_t cr3 = *X86_STATE(c->qemu, uint64_t, cr3);

	if (!(cr0 & X86_CR0_PG) || !(cr0 & X86_CR0_WP))
		return true;
	if (*X86_STATE(c->qemu, uint32_t, hidden_flags) & X86_HIDDEN_LMA)
		return is_writable_64(cr3 & ENTRY_ADDRESS, linear, cr4 & X86_CR4_LA57 ? 48 : 39);
	if (cr4 & X86_CR4_PAE)
		return is_writable_64(cr3 & ~0x1Full, (uint32_t)linear, PAE_TOP);
	return is_writable_32(c, (uint32_t)linear);
}
