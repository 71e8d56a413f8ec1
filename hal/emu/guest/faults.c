// SPDX-License-Identifier: BSD-2-Clause
// Instructions that fault do not retire. QEMU's clock nevertheless counts those that it knows to fault when it
// translates them: undefined ones, too long ones, those that need a device which is off, privileged ones, AAM by 0, and
// INT n, whose gate it checks afterwards. It finds out about all others as it executes them, and does not count them.

#include "faults.h"

#include <string.h>

#include "fetch.h"
#include "layout.h"

#define ERROR_IDT	2u	/* the selector in the error code is of the interrupt descriptor table */
#define RFLAGS_VM	(1u << 17)
#define OPCODE_AAM	0xD4

// Two-byte opcodes for which QEMU finds out only at execution whether they are defined: not counted.
static bool is_found_late(uint8_t opcode)
{
	return opcode == 0x05 || opcode == 0x07 ||	// SYSCALL, SYSRET
	       opcode == 0x21 || opcode == 0x23;	// MOV from and to debug registers, of which two may be absent
}

static bool is_software_interrupt(uint8_t opcode)
{
	return opcode >= 0xCC && opcode <= 0xCE;	// INT3, INT n, INTO
}

// LLDT, LTR; LGDT, LIDT, LMSW, INVLPG, SWAPGS; CLTS; INVD, WBINVD; MOV to and from control and debug registers; WRMSR,
// RDMSR.
static const uint8_t privileged[] = {0x00, 0x01, 0x06, 0x08, 0x09, 0x20, 0x21, 0x22, 0x23, 0x30, 0x32};

// PUSHF, POPF, INT n, IRET.
static const uint8_t privileged_8086[] = {0x9C, 0x9D, 0xCD, 0xCF};

static bool is_privileged(const struct opcode_bytes *o, bool virtual_8086)
{
	if (o->first == FETCH_TWO_BYTES)
		return memchr(privileged, o->second, sizeof privileged);
	if (virtual_8086 && memchr(privileged_8086, o->first, sizeof privileged_8086))
		return true;
	return o->first == 0xF4 || o->first == 0xFA || o->first == 0xFB;	// HLT, CLI, STI
}

// Error codes distinguish what the instruction raises from what the delivery of an interrupt does.
static bool protection_was_counted(const struct svm_frame *frame, const struct opcode_bytes *o)
{
	const struct vmcb *vmcb = frame->vmcb;

	if (vmcb->exit_info1)
		return is_software_interrupt(o->first) && (vmcb->exit_info1 & 7) == ERROR_IDT;
	return o->too_long || (vmcb->cpl && is_privileged(o, vmcb->rflags & RFLAGS_VM));
}

bool faults_was_counted(const struct svm_frame *frame)
{
	const struct opcode_bytes opcode = fetch_opcode(frame->vmcb);

	switch (frame->vmcb->exit_code - SVM_EXIT_EXCEPTION) {
	case VECTOR_DIVIDE:
		return opcode.first == OPCODE_AAM;
	case VECTOR_UNDEFINED:
		return opcode.first != FETCH_TWO_BYTES || !is_found_late(opcode.second);
	case VECTOR_NOT_PRESENT:
	case VECTOR_GENERAL_PROTECTION:
		return protection_was_counted(frame, &opcode);
	}
	return true;
}
