// SPDX-License-Identifier: BSD-2-Clause
// A guest kernel: its memory, and its code, by linear addresses. Memory that is not the guest's is not
// there.

#include "processor.h"

#include <string.h>

#include "frame.h"
#include "monitor_memory.h"
#include "nested.h"
#include "paging.h"
#include "store.h"

#define CR0_PE			(1u << 0)
#define EFER_LMA		(1u << 10)
#define RFLAGS_VM		(1u << 17)
#define ATTRIBUTE_LONG		(1u << 9)
#define ATTRIBUTE_BIG		(1u << 10)


static const void *guest_memory(const void *context, uint64_t address, size_t size)
{
	(void)context;
	return nested_is_guest(address, size) ? (const void *)(uintptr_t)address : NULL;
}

// The bytes at a linear address up to the end of its page, at most `size`; NULL: the guest has no memory there.
static const void *reach(const struct vmcb *vmcb, uint64_t linear, size_t *size)
{
	const uint64_t left = PAGING_PAGE - linear % PAGING_PAGE;

	if (*size > left)
		*size = left;
	return guest_memory(NULL, paging_translate(&(struct paging){guest_memory, NULL}, vmcb, linear, false), *size);
}

void processor_describe(struct mailbox_start *start)
{
	start->memory[0] = 0;
	start->memory[1] = nested_memory_end();
	start->hidden[0] = MONITOR_START;
	start->hidden[1] = GUEST_CONTINUES;
}

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

static unsigned code_bits(const struct vmcb *vmcb)
{
	if (!(vmcb->cr0 & CR0_PE) || vmcb->rflags & RFLAGS_VM)
		return 16;
	if (vmcb->efer & EFER_LMA && vmcb->cs.attributes & ATTRIBUTE_LONG)
		return 64;
	return vmcb->cs.attributes & ATTRIBUTE_BIG ? 32 : 16;
}

static uint64_t code_linear(const struct vmcb *vmcb, uint64_t ip)
{
	return code_bits(vmcb) == 64 ? ip : (uint32_t)(vmcb->cs.base + ip);
}

static const uint8_t *code_reach(const struct vmcb *vmcb, uint64_t linear)
{
	size_t size = 1;

	return reach(vmcb, linear, &size);
}

// Up to the longest instruction's bytes, in memory, or, if a page ends before, put together in `bytes`. It may end
// before its page does, and the next page not be there.
static const uint8_t *fetch(const struct vmcb *vmcb, uint8_t bytes[STORE_LONGEST], size_t *size)
{
	const uint64_t linear = code_linear(vmcb, vmcb->rip);
	size_t part = STORE_LONGEST;
	const void *from = reach(vmcb, linear, &part);

	*size = part;
	if (from && part == STORE_LONGEST)
		return from;
	for (*size = 0; from; from = reach(vmcb, linear + *size, &part)) {
		memcpy(bytes + *size, from, part);
		*size += part;
		part = STORE_LONGEST - *size;
		if (!part)
			break;
	}
	return bytes;
}

unsigned store_next(const struct svm_frame *frame, uint32_t *value)
{
	uint8_t room[STORE_LONGEST];
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
