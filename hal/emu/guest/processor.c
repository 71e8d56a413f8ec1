// SPDX-License-Identifier: BSD-2-Clause
// What a PMU sees of a guest kernel: its memory by linear addresses, through its own page tables, in any mode; its
// registers; the next instruction. Memory that is not the guest's is not there.

#include "processor.h"

#include <string.h>

#include "branch.h"
#include "code.h"
#include "layout.h"
#include "nested.h"

#define CR0_PE			(1u << 0)
#define CR0_PG			(1u << 31)
#define CR4_PSE			(1u << 4)
#define CR4_PAE			(1u << 5)
#define EFER_LMA		(1u << 10)
#define RFLAGS_VM		(1u << 17)
#define ATTRIBUTE_LONG		(1u << 9)
#define ATTRIBUTE_BIG		(1u << 10)

#define ENTRY_PRESENT		(1u << 0)
#define ENTRY_LARGE		(1u << 7)
#define ENTRY_ADDRESS		0x000FFFFFFFFFF000ull
#define NOWHERE			UINT64_MAX

//
// Addresses (SDM volume 3A, chapter "Paging")
//

static uint64_t table_entry(uint64_t address, unsigned size)
{
	uint64_t entry = 0;

	if (nested_is_guest(address, size))
		memcpy(&entry, (const void *)(uintptr_t)address, size);
	return entry;
}

// Two levels of 1,024 entries.
static uint64_t walk_32(const struct vmcb *vmcb, uint32_t linear)
{
	uint64_t entry = table_entry((vmcb->cr3 & ENTRY_ADDRESS) + (linear >> 22) * 4, 4);

	if (!(entry & ENTRY_PRESENT))
		return NOWHERE;
	if (entry & ENTRY_LARGE && vmcb->cr4 & CR4_PSE)
		return (entry & 0xFFC00000u) | (entry & 0x1FE000u) << 19 | (linear & 0x3FFFFFu);
	entry = table_entry((entry & ENTRY_ADDRESS) + (linear >> 12 & 0x3FF) * 4, 4);
	return entry & ENTRY_PRESENT ? (entry & ENTRY_ADDRESS) | (linear & 0xFFFu) : NOWHERE;
}

// Levels of 512 entries, the highest one decoded by bits from `shift` on: 39 of four levels, 30 of three.
static uint64_t walk_64(uint64_t table, uint64_t linear, unsigned shift)
{
	for (;; shift -= 9) {
		const uint64_t entry = table_entry(table + (linear >> shift & 0x1FF) * 8, 8), low = (1ULL << shift) - 1;

		if (!(entry & ENTRY_PRESENT))
			return NOWHERE;
		if (shift == 12 || (entry & ENTRY_LARGE && shift < 39))
			return (entry & ENTRY_ADDRESS & ~low) | (linear & low);
		table = entry & ENTRY_ADDRESS;
	}
}

static uint64_t physical(const struct vmcb *vmcb, uint64_t linear)
{
	if (!(vmcb->cr0 & CR0_PG))
		return (uint32_t)linear;
	if (vmcb->efer & EFER_LMA)
		return walk_64(vmcb->cr3 & ENTRY_ADDRESS, linear, 39);
	if (vmcb->cr4 & CR4_PAE)
		return walk_64(vmcb->cr3 & ~0x1FULL, linear & 0xFFFFFFFFu, 30);
	return walk_32(vmcb, (uint32_t)linear);
}

// The bytes at a linear address up to the end of its page, at most `size`; NULL: the guest has no memory there.
static void *reach(const struct vmcb *vmcb, uint64_t linear, size_t *size)
{
	const uint64_t address = physical(vmcb, linear), left = SMALL_PAGE - linear % SMALL_PAGE;

	if (*size > left)
		*size = left;
	return address != NOWHERE && nested_is_guest(address, *size) ? (void *)(uintptr_t)address : NULL;
}

//
// Memory for records
//

static const struct vmcb *vmcb_of(const void *context)
{
	return ((const struct svm_core *)context)->thread[0]->vmcb;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	for (size_t part = size; size; address += part, to = (uint8_t *)to + part, size -= part, part = size) {
		const void *from = reach(vmcb_of(context), address, &part);

		if (!from)
			return false;
		memcpy(to, from, part);
	}
	return true;
}

// All of it or nothing.
static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	for (size_t done = 0, part = size; done < size; done += part, part = size - done)
		if (!reach(vmcb_of(context), address + done, &part))
			return false;
	for (size_t done = 0, part = size; done < size; done += part, part = size - done)
		memcpy(reach(vmcb_of(context), address + done, &part), (const uint8_t *)from + done, part);
	return true;
}

void processor_start(struct svm_core *core)
{
	core->processor = (struct model_processor){
		.context = core, .read = read_memory, .write = write_memory, .registers = processor_registers,
	};
}

//
// The next instruction
//

unsigned code_bits(const struct vmcb *vmcb)
{
	if (!(vmcb->cr0 & CR0_PE) || vmcb->rflags & RFLAGS_VM)
		return 16;
	if (vmcb->efer & EFER_LMA && vmcb->cs.attributes & ATTRIBUTE_LONG)
		return 64;
	return vmcb->cs.attributes & ATTRIBUTE_BIG ? 32 : 16;
}

uint64_t code_linear(const struct vmcb *vmcb, uint64_t ip)
{
	return code_bits(vmcb) == 64 ? ip : (uint32_t)(vmcb->cs.base + ip);
}

const uint8_t *code_reach(const struct vmcb *vmcb, uint64_t linear)
{
	size_t size = 1;

	return reach(vmcb, linear, &size);
}

// The instruction may end before its page does, and the next page not be there.
static size_t code_read(const struct vmcb *vmcb, uint64_t linear, uint8_t bytes[DECODE_LONGEST])
{
	size_t size = 0;

	while (size < DECODE_LONGEST) {
		size_t part = DECODE_LONGEST - size;
		const void *from = reach(vmcb, linear + size, &part);

		if (!from)
			break;
		memcpy(bytes + size, from, part);
		size += part;
	}
	return size;
}

struct decoded processor_decode(const struct svm_frame *frame)
{
	const struct vmcb *vmcb = frame->vmcb;
	uint8_t bytes[DECODE_LONGEST];
	const size_t size = code_read(vmcb, code_linear(vmcb, vmcb->rip), bytes);

	return branch_decode(bytes, size, vmcb->rip, code_bits(vmcb));
}

// No guest's processor has it.
unsigned processor_decode_prefer(const struct svm_frame *frame, bool *count)
{
	(void)frame;
	*count = false;
	return 0;
}
