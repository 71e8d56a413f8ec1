/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an x86 instruction's operand in memory is, by the registers before it executes. */
#ifndef QEMU_OPERANDS_H
#define QEMU_OPERANDS_H

#include <stdint.h>

#include <Zydis/Zydis.h>

/* General registers by their numbers in instructions; the linear addresses of the instruction, and of where segments
 * begin (ES, CS, SS, DS, FS, GS); the width of its code, in bits. */
struct operands_by {
	uint64_t registers[16], ip, bases[6];
	unsigned bits;
};

/* The linear address. */
uint64_t operands_address(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o, const struct operands_by *by);

#endif
