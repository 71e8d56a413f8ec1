// SPDX-License-Identifier: BSD-2-Clause
// Instructions that the monitor carries out, or has to know.

#include "decode.h"

// Fields of the formats with op 2 and 3.
#define OP(i)		((i) >> 30)
#define RD(i)		((i) >> 25 & 0x1F)
#define OP3(i)		((i) >> 19 & 0x3F)
#define RS1(i)		((i) >> 14 & 0x1F)
#define I(i)		((i) >> 13 & 1)
#define IMM_ASI(i)	((uint8_t)((i) >> 5))
#define RS2(i)		((i) & 0x1F)

#define OP_ARITHMETIC	2
#define OP_MEMORY	3

// op3 of arithmetic.
#define RDASR		0x28	/* with rs1 15: MEMBAR and STBAR */
#define RDHPR		0x29
#define RDPR		0x2A
#define WRASR		0x30
#define WRPR		0x32
#define WRHPR		0x33

#define PSTATE_REGISTER	6	/* of RDPR and WRPR */
#define HPSTATE_REGISTER 0	/* of RDHPR and WRHPR */
#define HALT		0xBD982000u	/* WRHPR %g0, 0, %hpr30 */

// op3 of memory. Bit 4: from an alternate space; bit 2: a store, among these.
#define LDX		0x0B
#define STX		0x0E
#define LDSTUB		0x0D
#define SWAP		0x0F
#define ALTERNATE	0x10
#define CASA		0x3C
#define CASXA		0x3E

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

static bool is_commit_memory(uint32_t instruction, uint8_t asi)
{
	switch (OP3(instruction)) {
	case LDSTUB:
	case SWAP:
	case LDSTUB | ALTERNATE:
	case SWAP | ALTERNATE:
	case CASA:
	case CASXA:
		return true;
	default:
		return is_alternate(instruction) && asi_of(instruction, asi) == ASI_OF_PIC;
	}
}

bool decode_is_commit(uint32_t instruction, uint8_t asi)
{
	if (OP(instruction) == OP_MEMORY)
		return is_commit_memory(instruction, asi);
	if (OP(instruction) != OP_ARITHMETIC)
		return false;
	switch (OP3(instruction)) {
	case RDASR:
		return RS1(instruction) != 15;
	case RDHPR:
	case RDPR:
	case WRASR:
	case WRPR:
	case WRHPR:
		return true;
	default:
		return false;
	}
}

bool decode_is_halt(uint32_t instruction)
{
	return instruction == HALT;
}

unsigned decode_first_source(uint32_t instruction)
{
	return RS1(instruction);
}

bool decode_is_wrpr_pstate(uint32_t instruction)
{
	return OP(instruction) == OP_ARITHMETIC && OP3(instruction) == WRPR && RD(instruction) == PSTATE_REGISTER;
}

bool decode_is_wrhpr_hpstate(uint32_t instruction)
{
	return OP(instruction) == OP_ARITHMETIC && OP3(instruction) == WRHPR && RD(instruction) == HPSTATE_REGISTER;
}
