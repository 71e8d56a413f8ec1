// SPDX-License-Identifier: BSD-2-Clause
// The guest of the SVM monitor: the monitor's frame has its registers, the control block what remains of them.

#include "guest.h"

#include <string.h>

#include "frame.h"
#include "memory.h"
#include "paging.h"

static const struct svm_frame *frame_of(const struct guest *guest, unsigned thread)
{
	return memory_at(guest->frame[thread], sizeof(struct svm_frame));
}

static const struct vmcb *vmcb_of(const struct guest *guest, unsigned thread)
{
	const struct svm_frame *frame = frame_of(guest, thread);

	return frame ? memory_at((uintptr_t)frame->vmcb, sizeof(struct vmcb)) : NULL;
}

static void registers(void *context, unsigned thread, uint64_t to[MODEL_REGISTERS])
{
	const struct svm_frame *frame = frame_of(context, thread);
	const struct vmcb *vmcb = vmcb_of(context, thread);

	memset(to, 0, MODEL_REGISTERS * sizeof *to);
	if (!vmcb)
		return;
	memcpy(to, (const uint64_t[MODEL_REGISTERS]){
		vmcb->rflags, vmcb->rip, vmcb->rax, frame->rbx, frame->rcx, frame->rdx, frame->rsi, frame->rdi,
		frame->rbp, vmcb->rsp, frame->r8, frame->r9, frame->r10, frame->r11, frame->r12, frame->r13,
		frame->r14, frame->r15,
	}, MODEL_REGISTERS * sizeof *to);
}

#define CR0_PE			(1u << 0)
#define EFER_LMA		(1u << 10)
#define RFLAGS_VM		(1u << 17)
#define ATTRIBUTE_LONG		(1u << 9)
#define ATTRIBUTE_BIG		(1u << 10)

static unsigned width(const struct vmcb *vmcb)
{
	if (!(vmcb->cr0 & CR0_PE) || vmcb->rflags & RFLAGS_VM)
		return 16;
	if (vmcb->efer & EFER_LMA && vmcb->cs.attributes & ATTRIBUTE_LONG)
		return 64;
	return vmcb->cs.attributes & ATTRIBUTE_BIG ? 32 : 16;
}

// Between the guest's last instruction and the clock's reading the world switch executes one (switch.S).
#define GUEST_TO_CLOCK 1

struct guest_view guest_look(uint64_t address)
{
	const struct svm_frame *frame = memory_at(address, sizeof *frame);
	const struct vmcb *vmcb = address && frame ? memory_at((uintptr_t)frame->vmcb, sizeof *vmcb) : NULL;
	struct guest_view view = {0};

	if (!vmcb)
		return view;
	view.is_there = true;
	view.bits = width(vmcb);
	view.address = view.bits == 64 ? vmcb->rip : (uint32_t)(vmcb->cs.base + vmcb->rip);
	view.clock = frame->guest_clock;
	view.left = frame->host_clock;
	view.offset = vmcb->tsc_offset - GUEST_TO_CLOCK;
	return view;
}

//
// Memory
//

// Page tables may be hidden.
static const void *table(const void *context, uint64_t address, size_t size)
{
	const struct guest *guest = context;

	if (address < guest->memory[0] || address >= guest->memory[1] || size > guest->memory[1] - address)
		return NULL;
	return memory_at(address, size);
}

static void *guest_memory(const struct guest *guest, uint64_t address, size_t size)
{
	const bool hidden = address < guest->hidden[1] && address + size > guest->hidden[0];

	return hidden || !table(guest, address, size) ? NULL : memory_at(address, size);
}

// The bytes at a linear address up to the end of its page, at most `size`.
static void *reach(const struct guest *guest, uint64_t linear, size_t *size, bool write)
{
	const struct vmcb *vmcb = NULL;
	uint64_t address;

	for (unsigned thread = 0; thread < VPMU_CPUS && !vmcb; thread++)
		vmcb = guest->frame[thread] ? vmcb_of(guest, thread) : NULL;
	if (!vmcb)
		return NULL;
	address = paging_translate(&(struct paging){table, guest}, vmcb, linear, write);
	if (*size > PAGING_PAGE - linear % PAGING_PAGE)
		*size = PAGING_PAGE - linear % PAGING_PAGE;
	return address == PAGING_NOWHERE ? NULL : guest_memory(guest, address, *size);
}

static bool read(void *context, uint64_t address, void *to, size_t size)
{
	for (size_t part = size; size; address += part, to = (uint8_t *)to + part, size -= part, part = size) {
		const void *from = reach(context, address, &part, false);

		if (!from)
			return false;
		memcpy(to, from, part);
	}
	return true;
}

// Copies all of it or nothing.
static bool write(void *context, uint64_t address, const void *from, size_t size)
{
	for (size_t done = 0, part = size; done < size; done += part, part = size - done)
		if (!reach(context, address + done, &part, true))
			return false;
	for (size_t done = 0, part = size; done < size; done += part, part = size - done)
		memcpy(reach(context, address + done, &part, true), (const uint8_t *)from + done, part);
	return true;
}

void guest_start(struct guest *guest, const struct mailbox_start *start)
{
	*guest = (struct guest){.processor = {
		.context = guest, .read = read, .write = write, .registers = registers,
	}};
	memcpy(guest->memory, start->memory, sizeof guest->memory);
	memcpy(guest->hidden, start->hidden, sizeof guest->hidden);
}
