// SPDX-License-Identifier: BSD-2-Clause
// Instructions that the monitor carries out, or has to know.

#include "decode.h"

// Fields of the formats with op 2 and 3.
#define OP(i)		((i) >> 30)
#define RD(i)		((i) >> 25 & 0x1F)
#define OP2(i)		((i) >> 22 & 7)
#define OP3(i)		((i) >> 19 & 0x3F)
#define RS1(i)		((i) >> 14 & 0x1F)
#define I(i)		((i) >> 13 & 1)
#define IMM_ASI(i)	((uint8_t)((i) >> 5))
#define RS2(i)		((i) & 0x1F)

#define OP_BRANCH	0
#define OP_ARITHMETIC	2
#define OP_MEMORY	3

// op3 of arithmetic, op2 of branches.
#define WRPR		0x32
#define WRHPR		0x33
#define FBPFCC		5
#define FBFCC		6

#define PSTATE_REGISTER	6	/* of RDPR and WRPR */
#define HPSTATE_REGISTER 0	/* of RDHPR and WRHPR */
#define HALT		0xBD982000u	/* WRHPR %g0, 0, %hpr30 */

// op3 of memory. Bit 4: from an alternate space; bit 2: a store, among these.
#define LDX		0x0B
#define STX		0x0E
#define ALTERNATE	0x10

static bool is_alternate(uint32_t instruction)
{
	return OP3(instruction) & ALTERNATE;
}

static uint8_t asi_of(uint32_t instruction, uint8_t asi)
{
	return I(instruction) ? asi : IMM_ASI(instruction);
}

bool decode_access(uint32_t instruction, uint8_t asi, struct access *access)
{
	const unsigned kind = OP3(instruction) & ~ALTERNATE;

	if (OP(instruction) != OP_MEMORY || (kind != LDX && kind != STX))
		return false;
	*access = (struct access){
		.store = kind == STX, .alternate = is_alternate(instruction), .asi = asi_of(instruction, asi),
		.rd = (uint8_t)RD(instruction), .rs1 = (uint8_t)RS1(instruction),
		.rs2 = (uint8_t)(I(instruction) ? 0 : RS2(instruction)),
		.immediate = (int16_t)(I(instruction) ? (int32_t)(instruction << 19) >> 19 : 0),
	};
	return true;
}

bool decode_is_halt(uint32_t instruction)
{
	return instruction == HALT;
}

bool decode_is_floating_branch(uint32_t instruction)
{
	return OP(instruction) == OP_BRANCH && (OP2(instruction) == FBPFCC || OP2(instruction) == FBFCC);
}

bool decode_is_wrpr_pstate(uint32_t instruction)
{
	return OP(instruction) == OP_ARITHMETIC && OP3(instruction) == WRPR && RD(instruction) == PSTATE_REGISTER;
}

bool decode_is_wrhpr_hpstate(uint32_t instruction)
{
	return OP(instruction) == OP_ARITHMETIC && OP3(instruction) == WRHPR && RD(instruction) == HPSTATE_REGISTER;
}
