// SPDX-License-Identifier: BSD-2-Clause
// Instructions that fault, and do not retire. QEMU's clock counts those nevertheless of which it knows before it
// executes them that they will: undefined ones; those that need a device which is switched off; privileged ones; and
// INT n, whose gate it looks at behind it. Of all others it finds out while it executes them, and takes them back.

#include "faults.h"

#include <string.h>

#include "fetch.h"
#include "layout.h"

#define ERROR_IDT 2u	/* the selector in #GP's error code is of the interrupt descriptor table */

// Behind 0FH: only there does it look when they are executed whether they are defined.
static bool is_found_late(uint8_t opcode)
{
	return opcode == 0x05 || opcode == 0x07;	// SYSCALL, SYSRET
}

static bool is_software_interrupt(uint8_t opcode)
{
	return opcode >= 0xCC && opcode <= 0xCE;	// INT3, INT n, INTO
}

// LLDT, LTR; LGDT, LIDT, LMSW, INVLPG, SWAPGS; CLTS; INVD, WBINVD; MOV to and from control and debug registers; WRMSR,
// RDMSR.
static const uint8_t privileged[] = {0x00, 0x01, 0x06, 0x08, 0x09, 0x20, 0x21, 0x22, 0x23, 0x30, 0x32};

static bool is_privileged(const struct opcode_bytes *o)
{
	if (o->first == FETCH_TWO_BYTES)
		return memchr(privileged, o->second, sizeof privileged);
	return o->first == 0xF4 || o->first == 0xFA || o->first == 0xFB;	// HLT, CLI, STI
}

// Error codes tell what the instruction raises from what the delivery of an interrupt does.
static bool protection_was_counted(const struct svm_frame *frame, const struct opcode_bytes *o)
{
	const uint64_t error = frame->vmcb->exit_info1;

	if (is_software_interrupt(o->first))
		return (error & 7) == ERROR_IDT;
	return error == 0 && frame->vmcb->cpl && is_privileged(o);
}

bool faults_was_counted(const struct svm_frame *frame)
{
	const struct opcode_bytes opcode = fetch_opcode(frame->vmcb);

	switch (frame->vmcb->exit_code - SVM_EXIT_EXCEPTION) {
	case VECTOR_UNDEFINED:
		return opcode.first != FETCH_TWO_BYTES || !is_found_late(opcode.second);
	case VECTOR_GENERAL_PROTECTION:
		return protection_was_counted(frame, &opcode);
	}
	return true;
}
