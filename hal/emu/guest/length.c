// SPDX-License-Identifier: BSD-2-Clause
// The length of instructions, by tables of opcodes: length.h.

#include "length.h"

#include <string.h>

#include "decode.h"

// What is behind an opcode, a letter for each (SDM volume 2, Tables ), in rows of sixteen:
//   .  not known, or alone		n  nothing		N  nothing; not in 64-bit mode
//   m  ModRM				b  ModRM, a byte	z  ModRM, a number as long as the operand, at most 4
//   1  a byte				o  an address		i  a number as long as the operand, at most 4
//   v  one as long as the operand	r  nothing: RET		R  two bytes: RET
//   t  ModRM; a byte if it is TEST	T  ModRM; a number if it is TEST
//   f  ModRM: INC and DEC		g  ModRM: INC, DEC, PUSH, near CALL and JMP
//   j  a displacement of a byte	J  one as long as the operand
static const char one_byte[] =
	"mmmm1i..mmmm1i.."
	"mmmm1i..mmmm1i.."
	"mmmm1i.Nmmmm1i.N"
	"mmmm1i.Nmmmm1i.N"
	"NNNNNNNNNNNNNNNN"
	"nnnnnnnnnnnnnnnn"
	"NN.m....iz1b...."
	"jjjjjjjjjjjjjjjj"
	"bz.bmmmmmmmmmm.m"
	"nnnnnnnnnn.nn.nn"
	"oooonnnn1innnnnn"
	"11111111vvvvvvvv"
	"bbRr..bz.n......"
	"mmmm...nmmmmmmmm"
	"jjjj....JJ.j...."
	".....ntTnn..nnfg";

// 0FH before them. 38H and 3AH are followed by one more byte of opcode.
static const char two_bytes[] =
	".............m.."
	"mmmmmmmmm.....mm"
	"........mmmmmmmm"
	".n......m.b....."
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm"
	"bbbbmmmn....mmmm"
	"JJJJJJJJJJJJJJJJ"
	"mmmmmmmmmmmmmmmm"
	"n..mbm.....mbmmm"
	"mm.m..mmm.bmmmmm"
	"mmbmbbbmnnnnnnnn"
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmm.";

_Static_assert(sizeof one_byte == 256 + 1 && sizeof two_bytes == 256 + 1, "a letter for each");

#define TWO_BYTES		0x0F
#define THREE_BYTES_38		0x38
#define THREE_BYTES_3A		0x3A
#define REX_W			0x08
#define PREFIX_OPERAND		0x66
#define PREFIX_ADDRESS		0x67
#define PREFIX_REPNE		0xF2
#define PREFIX_REP		0xF3
#define GROUP_INC		0
#define GROUP_DEC		1
#define GROUP_CALL		2
#define GROUP_JUMP		4
#define GROUP_PUSH		6
#define GROUP_TEST_LAST		1

struct prefixes {
	bool operand, address, repeat;
	uint8_t rex;
};

// REX counts only right before the opcode.
static bool take_prefix(struct prefixes *p, uint8_t byte, unsigned bits)
{
	static const uint8_t others[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0xF0};
	const bool is_rex = bits == 64 && (byte & 0xF0) == 0x40;
	const bool repeats = byte == PREFIX_REPNE || byte == PREFIX_REP;

	if (!is_rex && !repeats && byte != PREFIX_OPERAND && byte != PREFIX_ADDRESS &&
	    !memchr(others, byte, sizeof others))
		return false;
	p->rex = is_rex ? byte : 0;
	p->operand |= byte == PREFIX_OPERAND;
	p->address |= byte == PREFIX_ADDRESS;
	p->repeat |= repeats;
	return true;
}

static unsigned operand_size(const struct prefixes *p, unsigned bits)
{
	if (bits == 64 && p->rex & REX_W)
		return 8;
	return (bits == 16) != p->operand ? 2 : 4;
}

static unsigned address_size(const struct prefixes *p, unsigned bits)
{
	if (bits == 64)
		return p->address ? 4 : 8;
	return (bits == 16) != p->address ? 2 : 4;
}

// ModRM, SIB and displacement (SDM volume 2, Tables 2-1 to 2-3).
static unsigned modrm_size(const uint8_t *at, unsigned address)
{
	const unsigned mode = at[0] >> 6, memory = at[0] & 7;
	const bool scaled = address != 2 && memory == 4;
	const unsigned base = scaled ? at[1] & 7 : memory, absolute = address == 2 ? 6 : 5;

	if (mode == 3)
		return 1;
	if (mode == 1)
		return 2 + scaled;
	if (mode == 2 || base == absolute)
		return 1 + scaled + (address == 2 ? 2 : 4);
	return 1 + scaled;
}

static bool group_is_known(char letter, uint8_t modrm)
{
	const unsigned group = modrm >> 3 & 7, known = 1u << GROUP_INC | 1u << GROUP_DEC |
		(letter == 'g' ? 1u << GROUP_CALL | 1u << GROUP_JUMP | 1u << GROUP_PUSH : 0);

	return (letter != 'f' && letter != 'g') || known >> group & 1;
}

// Bytes of the number at the end.
static unsigned immediate_size(char letter, uint8_t modrm, unsigned operand, unsigned address)
{
	const bool tests = (modrm >> 3 & 7) <= GROUP_TEST_LAST;
	const unsigned number = operand == 2 ? 2 : 4;

	switch (letter) {
	case '1': case 'b': case 'j':
		return 1;
	case 'R':
		return 2;
	case 'i': case 'z': case 'J':
		return number;
	case 'v':
		return operand;
	case 'o':
		return address;
	case 't':
		return tests;
	case 'T':
		return tests ? number : 0;
	default:
		return 0;
	}
}

// An instruction that is not known, of at least so many bytes.
static struct length unknown(size_t bytes)
{
	return (struct length){.too_long = bytes > DECODE_LONGEST};
}

struct length length_decode(const uint8_t *bytes, size_t size, unsigned bits)
{
	uint8_t padded[DECODE_LONGEST + 2] = {0};
	const size_t most = size < DECODE_LONGEST ? size : DECODE_LONGEST;
	struct prefixes p = {0};
	size_t at = 0, immediate;
	char letter;
	bool is_branch;

	memcpy(padded, bytes, most);
	while (at < most && take_prefix(&p, padded[at], bits))
		at++;
	letter = one_byte[padded[at]];
	if (padded[at] == TWO_BYTES) {
		const uint8_t opcode = padded[++at];

		letter = two_bytes[opcode];
		at += opcode == THREE_BYTES_38 || opcode == THREE_BYTES_3A;
	} else if (p.repeat) {
		letter = '.';
	}
	at++;
	is_branch = strchr("jJgrR", letter);
	if (at > most || letter == '.' || (letter == 'N' && bits == 64) || (is_branch && (p.operand || p.repeat)) ||
	    !group_is_known(letter, padded[at]))
		return unknown(at);
	immediate = immediate_size(letter, padded[at], operand_size(&p, bits), address_size(&p, bits));
	if (letter == 'J' && bits == 64)
		immediate = 4;
	if (strchr("mbztTfg", letter))
		at += modrm_size(padded + at, address_size(&p, bits));
	at += immediate;
	if (at > most)
		return unknown(at);
	return (struct length){
		.instruction = (uint8_t)at, .is_branch = is_branch,
		.displacement = letter == 'j' || letter == 'J' ? (uint8_t)immediate : 0,
	};
}

// INS, OUTS; MOVS, CMPS; STOS, LODS, SCAS.
static bool is_string(uint8_t opcode)
{
	return (opcode >= 0x6C && opcode <= 0x6F) || (opcode >= 0xA4 && opcode <= 0xA7) ||
	       (opcode >= 0xAA && opcode <= 0xAF);
}

bool length_is_repeat(const uint8_t *bytes, size_t size, unsigned bits)
{
	struct prefixes p = {0};
	size_t at = 0;

	while (at < size && take_prefix(&p, bytes[at], bits))
		at++;
	return p.repeat && at < size && is_string(bytes[at]);
}
