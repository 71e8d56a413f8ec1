// SPDX-License-Identifier: BSD-2-Clause
// What a PMU sees of a guest kernel: its memory by linear addresses, through its own page tables, in any mode; its
// registers; the next instruction. Memory that is not the guest's is not there.

#include "processor.h"

#include <string.h>

#include "branch.h"
#include "code.h"
#include "fetch.h"
#include "layout.h"
#include "length.h"
#include "nested.h"
#include "store.h"

#define CR0_PE			(1u << 0)
#define CR0_WP			(1u << 16)
#define CR0_PG			(1u << 31)
#define CR4_PSE			(1u << 4)
#define CR4_PAE			(1u << 5)
#define EFER_LMA		(1u << 10)
#define RFLAGS_VM		(1u << 17)
#define ATTRIBUTE_LONG		(1u << 9)
#define ATTRIBUTE_BIG		(1u << 10)

#define ENTRY_PRESENT		(1u << 0)
#define ENTRY_WRITABLE		(1u << 1)
#define ENTRY_LARGE		(1u << 7)
#define ENTRY_ADDRESS		0x000FFFFFFFFFF000ull
#define NOWHERE			UINT64_MAX

//
// Addresses (SDM volume 3A, chapter "Paging")
//

static uint64_t table_entry(uint64_t address, unsigned size)
{
	const void *entry = (const void *)(uintptr_t)address;

	if (!nested_is_guest(address, size))
		return 0;
	return size == 4 ? *(const uint32_t *)entry : *(const uint64_t *)entry;
}

// Two levels of 1,024 entries, each of which has the bits `rights`.
static uint64_t walk_32(const struct vmcb *vmcb, uint32_t linear, uint64_t rights)
{
	uint64_t entry = table_entry((vmcb->cr3 & ENTRY_ADDRESS) + (linear >> 22) * 4, 4);

	if (~entry & rights)
		return NOWHERE;
	if (entry & ENTRY_LARGE && vmcb->cr4 & CR4_PSE)
		return (entry & 0xFFC00000u) | (entry & 0x1FE000u) << 19 | (linear & 0x3FFFFFu);
	entry = table_entry((entry & ENTRY_ADDRESS) + (linear >> 12 & 0x3FF) * 4, 4);
	return ~entry & rights ? NOWHERE : (entry & ENTRY_ADDRESS) | (linear & 0xFFFu);
}

// Levels of 512 entries, the highest one decoded by bits from `shift` on: 39 of four levels, 30 of three, where its
// entries have no rights but to be present.
static uint64_t walk_64(uint64_t table, uint64_t linear, unsigned shift, uint64_t rights)
{
	for (uint64_t needed = shift == 39 ? rights : ENTRY_PRESENT;; shift -= 9, needed = rights) {
		const uint64_t entry = table_entry(table + (linear >> shift & 0x1FF) * 8, 8), low = (1ULL << shift) - 1;

		if (~entry & needed)
			return NOWHERE;
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

// Translates for an access of level 0, a read or a write.
static uint64_t physical(const struct vmcb *vmcb, uint64_t linear, bool write)
{
	const uint64_t rights = ENTRY_PRESENT | (write && vmcb->cr0 & CR0_WP ? ENTRY_WRITABLE : 0);

	if (!(vmcb->cr0 & CR0_PG))
		return (uint32_t)linear;
	if (vmcb->efer & EFER_LMA)
		return is_canonical(linear) ? walk_64(vmcb->cr3 & ENTRY_ADDRESS, linear, 39, rights) : NOWHERE;
	if (vmcb->cr4 & CR4_PAE)
		return walk_64(vmcb->cr3 & ~0x1FULL, linear & 0xFFFFFFFFu, 30, rights);
	return walk_32(vmcb, (uint32_t)linear, rights);
}

// The bytes at a linear address up to the end of its page, at most `size`; NULL: the guest has no memory there.
static void *reach(const struct vmcb *vmcb, uint64_t linear, size_t *size, bool write)
{
	const uint64_t address = physical(vmcb, linear, write), left = SMALL_PAGE - linear % SMALL_PAGE;

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
		const void *from = reach(vmcb_of(context), address, &part, false);

		if (!from)
			return false;
		memcpy(to, from, part);
	}
	return true;
}

// Copies all of it or nothing.
static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	for (size_t done = 0, part = size; done < size; done += part, part = size - done)
		if (!reach(vmcb_of(context), address + done, &part, true))
			return false;
	for (size_t done = 0, part = size; done < size; done += part, part = size - done)
		memcpy(reach(vmcb_of(context), address + done, &part, true), (const uint8_t *)from + done, part);
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

#define OPCODE_HLT 0xF4

// In the order of instructions: RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 to R15.
static uint64_t general_register(const struct svm_frame *frame, unsigned number)
{
	const struct vmcb *vmcb = frame->vmcb;
	const uint64_t low[8] = {
		vmcb->rax, frame->rcx, frame->rdx, frame->rbx, vmcb->rsp, frame->rbp, frame->rsi, frame->rdi,
	};

	return number < 8 ? low[number] : (&frame->r8)[number - 8];
}

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

	return reach(vmcb, linear, &size, false);
}

// Up to the longest instruction's bytes, in memory, or, if a page ends before, put together in `bytes`. It may end
// before its page does, and the next page not be there.
static const uint8_t *fetch(const struct vmcb *vmcb, uint8_t bytes[DECODE_LONGEST], size_t *size)
{
	const uint64_t linear = code_linear(vmcb, vmcb->rip);
	size_t part = DECODE_LONGEST;
	const void *from = reach(vmcb, linear, &part, false);

	*size = part;
	if (from && part == DECODE_LONGEST)
		return from;
	for (*size = 0; from; from = reach(vmcb, linear + *size, &part, false)) {
		memcpy(bytes + *size, from, part);
		*size += part;
		part = DECODE_LONGEST - *size;
		if (!part)
			break;
	}
	return bytes;
}

struct opcode_bytes fetch_opcode(const struct vmcb *vmcb)
{
	uint8_t room[DECODE_LONGEST];
	size_t size, at;
	const uint8_t *bytes = fetch(vmcb, room, &size);
	uint8_t first;

	at = branch_prefixes(bytes, size, code_bits(vmcb));
	first = at < size ? bytes[at] : 0;
	return (struct opcode_bytes){
		.first = first, .second = first == FETCH_TWO_BYTES && at + 1 < size ? bytes[at + 1] : 0,
		.too_long = length_decode(bytes, size, code_bits(vmcb)).too_long,
	};
}

bool fetch_is_repeat(const struct vmcb *vmcb)
{
	uint8_t room[DECODE_LONGEST];
	size_t size;
	const uint8_t *bytes = fetch(vmcb, room, &size);

	return length_is_repeat(bytes, size, code_bits(vmcb));
}

struct decoded processor_decode(const struct svm_frame *frame)
{
	uint8_t room[DECODE_LONGEST];
	size_t size;
	const uint8_t *bytes = fetch(frame->vmcb, room, &size);

	return branch_decode(bytes, size, frame->vmcb->rip, code_bits(frame->vmcb));
}

unsigned store_next(const struct svm_frame *frame, uint32_t *value)
{
	uint8_t room[DECODE_LONGEST];
	size_t size;
	const uint8_t *bytes = fetch(frame->vmcb, room, &size);
	const struct store s = store_decode(bytes, size, code_bits(frame->vmcb));

	*value = s.immediate ? s.value : (uint32_t)general_register(frame, s.value);
	return s.length;
}

bool store_is_behind_halt(const struct svm_frame *frame)
{
	const struct vmcb *vmcb = frame->vmcb;
	const uint8_t *byte = code_reach(vmcb, code_linear(vmcb, vmcb->rip - 1));

	return byte && *byte == OPCODE_HLT;
}

// No guest's processor has SPFLT.
unsigned processor_decode_spflt(const struct svm_frame *frame, bool *count)
{
	(void)frame;
	*count = false;
	return 0;
}
