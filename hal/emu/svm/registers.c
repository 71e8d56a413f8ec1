// SPDX-License-Identifier: BSD-2-Clause
// The guest's registers, in the order of the PMU's records.

#include <string.h>

#include "processor.h"

void processor_registers(void *core, unsigned thread, uint64_t registers[MODEL_REGISTERS])
{
	const struct svm_frame *frame = ((const struct svm_core *)core)->thread[thread];
	const struct vmcb *vmcb = frame->vmcb;
	const uint64_t values[MODEL_REGISTERS] = {
		vmcb->rflags, vmcb->rip, vmcb->rax, frame->rbx, frame->rcx, frame->rdx, frame->rsi, frame->rdi,
		frame->rbp, vmcb->rsp, frame->r8, frame->r9, frame->r10, frame->r11, frame->r12, frame->r13,
		frame->r14, frame->r15,
	};

	memcpy(registers, values, sizeof values);
}
