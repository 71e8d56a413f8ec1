// SPDX-License-Identifier: BSD-2-Clause
// The tables of encodings, formats, operands and templates, built from the lists in encodings.h.

#include "encoding.h"

#include "../model/processor.h"
#include "traits.h"

// Fields of an instruction: lowest bit, width. If units have fields of one name at different
// places, the name begins with the unit. X36, X22, X19, Y13, Y26 and TA12 are fields x, q, y and ta
// at these bits.
#define OP	(37, 4)
#define X36	(36, 1)
#define ZA	(36, 1)
#define TB	(36, 1)
#define I_TA	(36, 1)
#define X2A	(34, 2)
#define X2	(34, 2)
#define X3	(33, 3)
#define X33	(33, 1)
#define VE	(33, 1)
#define ZB	(33, 1)
#define TA	(33, 1)
#define I_TB	(33, 1)
#define I_VE	(32, 1)
#define M_X2	(31, 2)
#define M_X6	(30, 6)
#define X2C	(30, 2)
#define X4	(29, 4)
#define I_X2B	(28, 2)
#define X6	(27, 6)
#define M_X4	(27, 4)
#define M_X	(27, 1)
#define X2B	(27, 2)
#define Y26	(26, 1)
#define X22	(22, 1)
#define VC	(20, 1)
#define X19	(19, 1)
#define Y13	(13, 1)
#define C12	(12, 1)
#define TA12	(12, 1)
#define BTYPE	(6, 3)

#define MASK(low, width)		(((1ULL << (width)) - 1) << (low))
#define MASK1(field)			MASK field
#define MASK2(a, b)			(MASK1(a) | MASK1(b))
#define MASK3(a, b, c)			(MASK2(a, b) | MASK1(c))
#define MASK4(a, b, c, d)		(MASK3(a, b, c) | MASK1(d))
#define MASK5(a, b, c, d, e)		(MASK4(a, b, c, d) | MASK1(e))
#define MASK6(a, b, c, d, e, f)		(MASK5(a, b, c, d, e) | MASK1(f))
#define I7_MASK				(MASK6(OP, ZA, ZB, I_VE, X2A, I_X2B) | MASK1(X2C))
#define M_MASK				MASK4(OP, X36, M_X, M_X6)

#define LOW(low, width)			(low)
#define PUT(field, value)		((uint64_t)(value) << LOW field)

#define ALU(x2a, x4, x2b)		(PUT(OP, 8) | PUT(X2A, x2a) | PUT(X4, x4) | PUT(X2B, x2b))
#define COMPARE(op, x2, tb, ta, c)	(PUT(OP, op) | PUT(X2, x2) | PUT(TB, tb) | PUT(TA, ta) | \
					 PUT(C12, c))
#define PARALLEL(za, zb, x4, x2b)	(ALU(1, x4, x2b) | PUT(ZA, za) | PUT(ZB, zb))
#define I7(za, zb, x2a, x2c, x2b) \
	(PUT(OP, 7) | PUT(ZA, za) | PUT(ZB, zb) | PUT(X2A, x2a) | PUT(X2C, x2c) | PUT(I_X2B, x2b))
#define BITS5(x2, x)			(PUT(OP, 5) | PUT(X2, x2) | PUT(X33, x))
#define TEST(tb, ta, c, y, x19) \
	(PUT(OP, 5) | PUT(I_TA, ta) | PUT(I_TB, tb) | PUT(C12, c) | PUT(Y13, y) | PUT(X19, x19))
#define SYSTEM(op, x3, x6)		(PUT(OP, op) | PUT(X3, x3) | PUT(X6, x6))
#define INTEGER(x6)			(PUT(OP, 4) | PUT(M_X6, x6))
#define INTEGER_R(x6)			(INTEGER(x6) | PUT(X36, 1))
#define INTEGER_IMM(x6)			(PUT(OP, 5) | PUT(M_X6, x6))
#define SEMAPHORE(x6)			(INTEGER(x6) | PUT(M_X, 1))
#define FLOAT(x6)			(PUT(OP, 6) | PUT(M_X6, x6))
#define FLOAT_R(x6)			(FLOAT(x6) | PUT(X36, 1))
#define FLOAT_IMM(x6)			(PUT(OP, 7) | PUT(M_X6, x6))
#define PAIR(x6)			(FLOAT(x6) | PUT(M_X, 1))
#define PAIR_IMM(x6)			(PAIR(x6) | PUT(X36, 1))
#define MEMORY(x4, x2)			(PUT(M_X4, x4) | PUT(M_X2, x2))
#define BRANCH(op, x6, btype)		(PUT(OP, op) | PUT(X6, x6) | PUT(BTYPE, btype))
#define MULTIPLY(op, x)			(PUT(OP, op) | PUT(X36, x))
#define FLOAT_COMPARE(ra, rb, ta)	(PUT(OP, 4) | PUT(X33, ra) | PUT(X36, rb) | PUT(TA12, ta))
#define APPROXIMATION(op, q)		(PUT(OP, op) | PUT(X33, 1) | PUT(X36, q))
#define SINGLE(op, x6)			(PUT(OP, op) | PUT(X6, x6))

#define FORMAT(name, unit, mask, operands, latency, traits) \
	{mask, operands, UNIT_##unit, LATENCY_##latency, traits},
const struct format ia64_formats[] = {IA64_FORMATS(FORMAT)};

#define ENCODING(name, mnemonic, format, value) {mnemonic, value, FORMAT_##format},
const struct encoding ia64_encodings[ENCODINGS] = {IA64_ENCODINGS(ENCODING)};

// Numbers of registers, then immediate operands in the order of their formats.
const struct operand ia64_operands[] = {
	{"r1", OPERAND_REGISTER, 'r', .piece = {{6, 7}}},
	{"r2", OPERAND_REGISTER, 'r', .piece = {{13, 7}}},
	{"r3", OPERAND_REGISTER, 'r', .piece = {{20, 7}}},
	{"r3a", OPERAND_REGISTER, 'r', .piece = {{20, 2}}},
	{"f1", OPERAND_REGISTER, 'f', .piece = {{6, 7}}},
	{"f2", OPERAND_REGISTER, 'f', .piece = {{13, 7}}},
	{"f3", OPERAND_REGISTER, 'f', .piece = {{20, 7}}},
	{"f4", OPERAND_REGISTER, 'f', .piece = {{27, 7}}},
	{"p1", OPERAND_REGISTER, 'p', .piece = {{6, 6}}},
	{"p2", OPERAND_REGISTER, 'p', .piece = {{27, 6}}},
	{"b1", OPERAND_REGISTER, 'b', .piece = {{6, 3}}},
	{"b2", OPERAND_REGISTER, 'b', .piece = {{13, 3}}},
	{"ar3", OPERAND_AR, .piece = {{20, 7}}},
	{"cr3", OPERAND_CR, .piece = {{20, 7}}},
	{"count2", OPERAND_NUMBER, .bias = 1, .piece = {{27, 2}}},
	{"imm8", OPERAND_NUMBER, .is_signed = true, .piece = {{36, 1}, {13, 7}}},
	{"imm14", OPERAND_NUMBER, .is_signed = true, .piece = {{36, 1}, {27, 6}, {13, 7}}},
	{"imm22", OPERAND_NUMBER, .is_signed = true, .piece = {{36, 1}, {22, 5}, {27, 9}, {13, 7}}},
	{"count2c", OPERAND_MULTIPLY_SHIFT, .piece = {{30, 2}}},
	{"mbtype4", OPERAND_PERMUTATION, .piece = {{20, 4}}},
	{"mhtype8", OPERAND_HEX, .piece = {{20, 8}}},
	{"count5", OPERAND_NUMBER, .piece = {{14, 5}}},
	{"ccount5", OPERAND_NUMBER, .down = true, .bias = 31, .piece = {{20, 5}}},
	{"count6", OPERAND_NUMBER, .piece = {{27, 6}}},
	{"pos6", OPERAND_NUMBER, .piece = {{14, 6}}},
	{"cpos6b", OPERAND_NUMBER, .down = true, .bias = 63, .piece = {{14, 6}}},
	{"cpos6c", OPERAND_NUMBER, .down = true, .bias = 63, .piece = {{20, 6}}},
	{"cpos6d", OPERAND_NUMBER, .down = true, .bias = 63, .piece = {{31, 6}}},
	{"len4", OPERAND_NUMBER, .bias = 1, .piece = {{27, 4}}},
	{"len6", OPERAND_NUMBER, .bias = 1, .piece = {{27, 6}}},
	{"imm1", OPERAND_NUMBER, .is_signed = true, .piece = {{36, 1}}},
	{"imm5", OPERAND_NUMBER, .bias = 32, .piece = {{14, 5}}},
	{"imm21", OPERAND_HEX, .piece = {{36, 1}, {6, 20}}},
	{"imm17", OPERAND_NUMBER, .piece = {{12, 13}, {6, 4}}},
	{"target25", OPERAND_TARGET, .is_signed = true, .shift = 4, .piece = {{36, 1}, {13, 20}}},
	{"target25b", OPERAND_TARGET, .is_signed = true, .shift = 4, .piece = {{36, 1}, {13, 20}}},
	{"target25c", OPERAND_TARGET, .is_signed = true, .shift = 4,
	 .piece = {{36, 1}, {20, 13}, {6, 7}}},
	{"target25f", OPERAND_TARGET, .is_signed = true, .shift = 4, .piece = {{36, 1}, {6, 20}}},
	{"tag13", OPERAND_TARGET, .is_signed = true, .shift = 4, .piece = {{24, 9}}},
	{"tag13b", OPERAND_TARGET, .is_signed = true, .shift = 4, .piece = {{33, 2}, {6, 7}}},
	{"mask17", OPERAND_HEX, .is_signed = true, .shift = 1, .piece = {{36, 1}, {24, 8}, {6, 7}}},
	{"imm44", OPERAND_HEX, .is_signed = true, .shift = 16, .piece = {{36, 1}, {6, 27}}},
	{"imm9", OPERAND_NUMBER, .is_signed = true, .piece = {{36, 1}, {27, 1}, {13, 7}}},
	{"imm9b", OPERAND_NUMBER, .is_signed = true, .piece = {{36, 1}, {27, 1}, {6, 7}}},
	{"inc3", OPERAND_INCREMENT, .piece = {{13, 3}}},
	{"sof", OPERAND_NUMBER, .piece = {{13, 7}}},
	{"sol", OPERAND_NUMBER, .piece = {{20, 7}}},
	{"sor", OPERAND_NUMBER, .shift = 3, .piece = {{27, 4}}},
	{"imm2", OPERAND_NUMBER, .piece = {{13, 2}}},
	{"imm24", OPERAND_HEX, .piece = {{36, 1}, {31, 2}, {6, 21}}},
	{"fclass9", OPERAND_HEX, .piece = {{20, 7}, {33, 2}}},
	{"amask7", OPERAND_HEX, .piece = {{13, 7}}},
	{"omask7", OPERAND_HEX, .piece = {{20, 7}}},
	{"imm62", OPERAND_HEX, .piece = {{36, 1}, {LONG_SLOT, 41}, {6, 20}}},
	{"imm64", OPERAND_HEX, .piece = {{36, 1}, {LONG_SLOT, 41}, {21, 1}, {22, 5}, {27, 9},
					 {13, 7}}},
	{"target64", OPERAND_TARGET, .is_signed = true, .shift = 4,
	 .piece = {{36, 1}, {LONG_SLOT, 39}, {13, 20}}},
};

const size_t ia64_operand_count = sizeof ia64_operands / sizeof *ia64_operands;

// Manual, table 4-3. The last arguments: whether a stop follows each slot.
#define T(name, a, b, c, ...) {name, {UNIT_##a, UNIT_##b, UNIT_##c}, {__VA_ARGS__}}
#define PLAIN_AND_STOP(number, name, a, b, c) \
	[number] = T(name, a, b, c, false, false, false), \
	[number + 1] = T(name, a, b, c, false, false, true)

const struct bundle_template ia64_templates[32] = {
	PLAIN_AND_STOP(0x00, "MII", M, I, I),
	[0x02] = T("MII", M, I, I, false, true, false),
	[0x03] = T("MII", M, I, I, false, true, true), PLAIN_AND_STOP(0x04, "MLX", M, NONE, X),
	PLAIN_AND_STOP(0x08, "MMI", M, M, I),
	[0x0A] = T("MMI", M, M, I, true, false, false),
	[0x0B] = T("MMI", M, M, I, true, false, true),
	PLAIN_AND_STOP(0x0C, "MFI", M, F, I), PLAIN_AND_STOP(0x0E, "MMF", M, M, F),
	PLAIN_AND_STOP(0x10, "MIB", M, I, B), PLAIN_AND_STOP(0x12, "MBB", M, B, B),
	PLAIN_AND_STOP(0x16, "BBB", B, B, B), PLAIN_AND_STOP(0x18, "MMB", M, M, B),
	PLAIN_AND_STOP(0x1C, "MFB", M, F, B),
};
