// SPDX-License-Identifier: BSD-2-Clause
// Decodes SPFLT: spflt.h.

#include "spflt.h"

#include <string.h>

#include "classify.h"

// The remaining bytes. Reading past the end returns zeros and sets `short_of`.
struct reader {
	const uint8_t *at, *end;
	bool short_of;
};

static uint8_t next_byte(struct reader *r)
{
	if (r->at < r->end)
		return *r->at++;
	r->short_of = true;
	return 0;
}

enum {
	PREFIX_ES = 0x26, PREFIX_CS = 0x2E, PREFIX_SS = 0x36, PREFIX_DS = 0x3E, PREFIX_FS = 0x64,
	PREFIX_GS = 0x65, PREFIX_ADDRESS_SIZE = 0x67,
};

#define VEX3		0xC4	/* then: inverted R, X, B, and opcode map; W, vvvv, L, pp; opcode */
#define VEX2		0xC5	/* then: inverted R, vvvv, L, pp; opcode */
#define VEX3_B		0x20	/* clear: register R8-R15 */
#define VEX3_MAP	0x1F
#define VEX3_MAP_0F	0x01
#define VEX_VVVV_PP	0x7B
#define VEX_NONE_F2	0x7B	/* no second register; mandatory prefix F2 */
#define SPFLT		0xAE
#define SPFLT_MODRM	0xF0	/* /6 and a register */

// REX, operand size, LOCK and REP prefixes before VEX make any instruction undefined.
static uint8_t take_prefixes_of_vex(struct reader *r)
{
	static const uint8_t allowed[] = {
		PREFIX_ES, PREFIX_CS, PREFIX_SS, PREFIX_DS, PREFIX_FS, PREFIX_GS,
		PREFIX_ADDRESS_SIZE,
	};
	uint8_t byte;

	do
		byte = next_byte(r);
	while (!r->short_of && memchr(allowed, byte, sizeof allowed));
	return byte;
}

unsigned spflt_decode(const uint8_t *bytes, size_t size, unsigned *number)
{
	struct reader r = {bytes, bytes + (size < CLASSIFY_LONGEST ? size : CLASSIFY_LONGEST),
			   false};
	uint8_t vex = take_prefixes_of_vex(&r), map = VEX3_B | VEX3_MAP_0F, fields, opcode, modrm;

	if (vex == VEX3)
		map = next_byte(&r);
	else if (vex != VEX2)
		return 0;
	fields = next_byte(&r);
	opcode = next_byte(&r);
	modrm = next_byte(&r);
	if (r.short_of || (map & VEX3_MAP) != VEX3_MAP_0F ||
	    (fields & VEX_VVVV_PP) != VEX_NONE_F2 ||
	    opcode != SPFLT || (modrm & 0xF8) != SPFLT_MODRM)
		return 0;
	*number = (modrm & 7) | (map & VEX3_B ? 0 : 8);
	return (unsigned)(r.at - bytes);
}
