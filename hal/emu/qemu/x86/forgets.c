// SPDX-License-Identifier: BSD-2-Clause
// Instructions that flush TLBs or caches: forgets.h. Encodings: SDM volume 2.

#include "forgets.h"

#include <stdbool.h>

#define REX		0x40
#define ESCAPE		0x0F
#define MODRM_REG(m)	((m) >> 3 & 7)
#define MODRM_MEMORY(m)	((m) >> 6 != 3)

// 0F 22 /3, and 0F 01 /7 with memory.
static bool forgets_translations(uint8_t opcode, uint8_t modrm)
{
	return opcode == 0x22 ? MODRM_REG(modrm) == 3 : opcode == 0x01 && MODRM_REG(modrm) == 7 &&
	       MODRM_MEMORY(modrm);
}

enum forgets forgets_of(const uint8_t *bytes, size_t size)
{
	const size_t prefix = (bytes[0] & 0xF0) == REX;

	if (size < prefix + 2 || bytes[prefix] != ESCAPE)
		return FORGETS_NOTHING;
	if (bytes[prefix + 1] == 0x09)
		return FORGETS_CACHES;
	return size > prefix + 2 && forgets_translations(bytes[prefix + 1], bytes[prefix + 2]) ?
	       FORGETS_TRANSLATIONS :
										FORGETS_NOTHING;
}
