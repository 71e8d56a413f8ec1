// SPDX-License-Identifier: BSD-2-Clause
// What a PMU sees of the guest around it: registers, the memory it may write records into, the next instruction.

#include "processor.h"

#include <string.h>

#include "hal.h"
#include "x86/msr.h"
#include "x86/this_cpu.h"

#define MSR_FS_BASE 0xC0000100u

extern char text_start[], text_end[], private_start[], user_start[];	// linker script

// The guest's data and heap; not what its processors, or the monitor, would not survive: tables, stacks, their state.
static bool may_reach(uint64_t address, size_t size)
{
	bool private = address < (uintptr_t)user_start && address + size > (uintptr_t)private_start;

	return hal_memory_writable(address, size) && !private;
}

// Memory is mapped to itself.
static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	if (!may_reach(address, size))
		return false;
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	(void)context;
	if (!may_reach(address, size))
		return false;
	memcpy((void *)(uintptr_t)address, from, size);
	return true;
}

static void read_registers(void *context, unsigned thread, uint64_t registers[MODEL_REGISTERS])
{
	const struct svm_frame *frame = ((const struct svm_core *)context)->thread[thread];
	const struct vmcb *vmcb = frame->vmcb;
	const uint64_t values[MODEL_REGISTERS] = {
		vmcb->rflags, vmcb->rip, vmcb->rax, frame->rbx, frame->rcx, frame->rdx, frame->rsi, frame->rdi,
		frame->rbp, vmcb->rsp, frame->r8, frame->r9, frame->r10, frame->r11, frame->r12, frame->r13,
		frame->r14, frame->r15,
	};

	memcpy(registers, values, sizeof values);
}

void processor_start(struct svm_core *core)
{
	core->processor = (struct model_processor){
		.context = core, .read = read_memory, .write = write_memory, .registers = read_registers,
	};
}

// By their numbers in instructions.
static void general_registers(const struct svm_frame *frame, uint64_t general[16])
{
	const struct vmcb *vmcb = frame->vmcb;
	const uint64_t values[16] = {
		vmcb->rax, frame->rcx, frame->rdx, frame->rbx, vmcb->rsp, frame->rbp, frame->rsi, frame->rdi,
		frame->r8, frame->r9, frame->r10, frame->r11, frame->r12, frame->r13, frame->r14, frame->r15,
	};

	memcpy(general, values, sizeof values);
}

// How many bytes of code there are at the guest's instruction pointer. Nothing but the image's text is executable.
static size_t code_size(const struct vmcb *vmcb)
{
	if (vmcb->rip < (uintptr_t)text_start || vmcb->rip >= (uintptr_t)text_end)
		return 0;
	return (uintptr_t)text_end - vmcb->rip;
}

// FS and GS are the guest's while the monitor works.
struct decoded processor_decode(const struct svm_frame *frame)
{
	const struct vmcb *vmcb = frame->vmcb;
	struct decode_context context = {.ip = vmcb->rip};

	general_registers(frame, context.general);
	x86_rdmsr(MSR_FS_BASE, &context.fs_base);
	x86_rdmsr(X86_MSR_GS_BASE, &context.gs_base);
	return decode((const uint8_t *)vmcb->rip, code_size(vmcb), &context);
}

unsigned processor_decode_prefer(const struct svm_frame *frame, bool *count)
{
	uint64_t general[16];
	unsigned number, length = decode_prefer((const uint8_t *)frame->vmcb->rip, code_size(frame->vmcb), &number);

	if (length) {
		general_registers(frame, general);
		*count = general[number] & 1;
	}
	return length;
}
