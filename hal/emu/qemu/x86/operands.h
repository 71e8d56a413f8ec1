/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of an x86 instruction's memory operands, from the registers before it executes. */
#ifndef QEMU_OPERANDS_H
#define QEMU_OPERANDS_H

#include <stdint.h>

#include <Zydis/Zydis.h>

/* registers: general registers by number; ip: linear address of the instruction; bases: linear base
 * addresses of ES, CS, SS, DS, FS, GS; bits: width of the code. */
struct operands_by {
	uint64_t registers[16], ip, bases[6];
	unsigned bits;
};

/* Returns the linear address of an operand. */
uint64_t operands_address(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
			  const struct operands_by *by);

#endif
