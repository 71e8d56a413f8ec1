// SPDX-License-Identifier: BSD-2-Clause
// The guest of the SVM monitor: the monitor's frame has its registers, the control block what remains of them.

#include "guest.h"

#include <string.h>

#include "classify.h"
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
#define EFER_SCE		(1u << 0)
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

#define FOLLOWED (SVM_INTERCEPT_INTR | SVM_INTERCEPT_SWINT)

// The emulator fetches from addresses that are not canonical, and raises #GP then.
static bool may_be_of_fetch(const struct vmcb *vmcb)
{
	const int64_t rip = (int64_t)vmcb->rip;

	return vmcb->exit_code == SVM_EXIT_PAGE_FAULT || rip << 16 >> 16 != rip;
}

// Between the guest's last instruction and the clock's reading the world switch executes one (switch.S).
#define GUEST_TO_CLOCK 1

struct guest_view guest_look(uint64_t address)
{
	const struct svm_frame *frame = memory_at(address, sizeof *frame);
	const struct vmcb *vmcb = address && frame ? memory_at((uintptr_t)frame->vmcb, sizeof *vmcb) : NULL;
	const uint64_t *offset = vmcb ? memory_at((uintptr_t)frame->clock_offset, sizeof *offset) : NULL;
	struct guest_view view = {0};
	bool levels;

	if (!offset)
		return view;
	view.is_there = true;
	view.is_watched = vmcb->intercept_exceptions == UINT32_MAX;
	levels = view.is_watched && (vmcb->intercept1 & FOLLOWED) == FOLLOWED;
	view.is_followed = levels && vmcb->efer & EFER_SCE;
	view.returns = levels && !(vmcb->intercept1 & SVM_INTERCEPT_IRET);
	view.is_restored = may_be_of_fetch(vmcb);
	view.is_interrupted = vmcb->exit_code == SVM_EXIT_INTR || vmcb->exit_code == SVM_EXIT_NMI;
	view.bits = width(vmcb);
	view.address = view.bits == 64 ? vmcb->rip : (uint32_t)(vmcb->cs.base + vmcb->rip);
	view.clock = frame->guest_clock;
	view.left = frame->host_clock;
	view.offset = *offset - GUEST_TO_CLOCK;
	return view;
}

#define CR0_PG			(1u << 31)

bool guest_tables(uint64_t address, uint64_t *cr3)
{
	const struct svm_frame *frame = memory_at(address, sizeof *frame);
	const struct vmcb *vmcb = address && frame ? memory_at((uintptr_t)frame->vmcb, sizeof *vmcb) : NULL;

	*cr3 = vmcb ? vmcb->cr3 : 0;
	return vmcb && vmcb->cr0 & CR0_PG && vmcb->efer & EFER_LMA;
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

//
// Instructions
//

// The bytes of its next instruction, and behind it, as far as there are any.
static size_t code(const struct guest *guest, const struct vmcb *vmcb, uint64_t linear, uint8_t bytes[CLASSIFY_LONGEST])
{
	size_t size = 0;

	while (size < CLASSIFY_LONGEST) {
		const uint64_t address = paging_translate(&(struct paging){table, guest}, vmcb, linear + size, false);
		const uint8_t *byte = address == PAGING_NOWHERE ? NULL : memory_at(address, 1);

		if (!byte)
			break;
		bytes[size++] = *byte;
	}
	return size;
}

uint64_t guest_register(uint64_t address, unsigned number)
{
	const struct svm_frame *frame = memory_at(address, sizeof *frame);
	const struct vmcb *vmcb = frame ? memory_at((uintptr_t)frame->vmcb, sizeof *vmcb) : NULL;

	if (!vmcb)
		return 0;
	if (number >= 8)
		return (&frame->r8)[number - 8];
	return (const uint64_t[8]){
		vmcb->rax, frame->rcx, frame->rdx, frame->rbx, vmcb->rsp, frame->rbp, frame->rsi, frame->rdi,
	}[number];
}

// A MOV that sets reserved bits of a control register (hal/emu/guest/exits.c).
#define EXIT_INVALID UINT32_MAX

#define FIRST_BYTE 0x0F

// Of an opcode of two bytes, behind prefixes; in 64-bit code they may end with REX.
static uint8_t second_byte(const uint8_t *bytes, size_t size, unsigned bits)
{
	static const uint8_t prefixes[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3};
	size_t at = 0;

	while (at < size && memchr(prefixes, bytes[at], sizeof prefixes))
		at++;
	if (bits == 64 && at < size && (bytes[at] & 0xF0) == 0x40)
		at++;
	return at + 1 < size && bytes[at] == FIRST_BYTE ? bytes[at + 1] : 0;
}

struct guest_instruction guest_fault(const struct guest *guest, uint64_t address)
{
	const struct svm_frame *frame = memory_at(address, sizeof *frame);
	const struct vmcb *vmcb = address && frame ? memory_at((uintptr_t)frame->vmcb, sizeof *vmcb) : NULL;
	struct guest_instruction is = {0};
	struct lacking_guest around;
	uint8_t bytes[CLASSIFY_LONGEST];
	size_t size;

	if (!vmcb || (vmcb->exit_code - SVM_EXIT_EXCEPTION >= 32 && vmcb->exit_code != EXIT_INVALID))
		return is;
	size = code(guest, vmcb, guest_look(address).address, bytes);
	is.opcode = second_byte(bytes, size, width(vmcb));
	is.branch = classify(bytes, size, width(vmcb)).branch;
	around.bits = width(vmcb);
	around.ip = guest_look(address).address;
	around.fs = vmcb->fs.base;
	around.gs = vmcb->gs.base;
	for (unsigned i = 0; i < 16; i++)
		around.registers[i] = guest_register(address, i);
	is.lacking = lacking_decode(bytes, size, &around);
	return is;
}

struct lacking guest_lacking(const struct guest *guest, uint64_t address)
{
	struct lacking is = guest_fault(guest, address).lacking;
	const struct vector_operation *o = &is.vector;
	size_t size = o->bytes;

	if (size && (is.linear % size || !reach(guest, is.linear, &size, o->stores)))
		is.kind = LACKING_NONE;
	return is;
}

void guest_start(struct guest *guest, const struct mailbox_start *start)
{
	*guest = (struct guest){.processor = {
		.context = guest, .read = read, .write = write, .registers = registers,
	}};
	memcpy(guest->memory, start->memory, sizeof guest->memory);
	memcpy(guest->hidden, start->hidden, sizeof guest->hidden);
}
