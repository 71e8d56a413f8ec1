// SPDX-License-Identifier: BSD-2-Clause
// The guest as its monitor sees it: the memory that its PMU may write records into, the next instruction.

#include "processor.h"

#include "hal.h"
#include "x86/msr.h"
#include "x86/this_cpu.h"

#define MSR_FS_BASE 0xC0000100u

extern char text_start[], text_end[], private_start[], user_start[];	// linker script

// The guest's data and heap; not what its processors, or the monitor, would not survive: tables, stacks, their state.
void processor_describe(struct mailbox_start *start)
{
	start->memory[0] = hal_memory_start;
	start->memory[1] = hal_memory_end;
	start->hidden[0] = (uintptr_t)private_start;
	start->hidden[1] = (uintptr_t)user_start;
}

// Nothing else is executable.
static inline bool is_text(uint64_t address)
{
	return address >= (uintptr_t)text_start && address < (uintptr_t)text_end;
}

struct decoded processor_decode(const struct svm_frame *frame)
{
	const struct vmcb *vmcb = frame->vmcb;
	struct decode_context context = {
		.ip = vmcb->rip,
		.general = {
			vmcb->rax, frame->rcx, frame->rdx, frame->rbx, vmcb->rsp, frame->rbp, frame->rsi, frame->rdi,
			frame->r8, frame->r9, frame->r10, frame->r11, frame->r12, frame->r13, frame->r14, frame->r15,
		},
	};

	// FS and GS are the guest's while the monitor works.
	if (!is_text(vmcb->rip))
		return (struct decoded){0};
	x86_rdmsr(MSR_FS_BASE, &context.fs_base);
	x86_rdmsr(X86_MSR_GS_BASE, &context.gs_base);
	return decode((const uint8_t *)vmcb->rip, (uintptr_t)text_end - vmcb->rip, &context);
}

// By its number in instructions.
static uint64_t general_register(const struct svm_frame *frame, unsigned number)
{
	const struct vmcb *vmcb = frame->vmcb;
	const uint64_t *const registers[16] = {
		&vmcb->rax, &frame->rcx, &frame->rdx, &frame->rbx, &vmcb->rsp, &frame->rbp, &frame->rsi, &frame->rdi,
		&frame->r8, &frame->r9, &frame->r10, &frame->r11, &frame->r12, &frame->r13, &frame->r14, &frame->r15,
	};

	return *registers[number];
}

unsigned processor_decode_spflt(const struct svm_frame *frame, bool *count)
{
	const uint64_t rip = frame->vmcb->rip;
	unsigned number, length = 0;

	if (is_text(rip))
		length = decode_spflt((const uint8_t *)rip, (uintptr_t)text_end - rip, &number);
	if (length)
		*count = general_register(frame, number) & 1;
	return length;
}
