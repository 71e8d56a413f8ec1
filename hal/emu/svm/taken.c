// SPDX-License-Identifier: BSD-2-Clause
// Whether a branch was taken: decode.h.

#include "decode.h"

#include "model.h"

#define FLAGS_CF (1u << 0)
#define FLAGS_PF (1u << 2)
#define FLAGS_ZF (1u << 6)
#define FLAGS_SF (1u << 7)
#define FLAGS_OF (1u << 11)

#define LOOPNE	0xE0
#define LOOPE	0xE1
#define LOOP	0xE2
#define JCXZ	0xE3

// SDM volume 1, appendix B: pairs of conditions, the odd one being the other's opposite.
static bool flags_say(uint8_t opcode, uint64_t flags)
{
	const bool less = !(flags & FLAGS_SF) != !(flags & FLAGS_OF);
	const bool conditions[8] = {
		flags & FLAGS_OF, flags & FLAGS_CF, flags & FLAGS_ZF, flags & (FLAGS_CF | FLAGS_ZF),
		flags & FLAGS_SF, flags & FLAGS_PF, less, less || flags & FLAGS_ZF,
	};

	return conditions[opcode >> 1 & 7] != (opcode & 1);
}

static bool holds(const struct decoded *d, uint64_t flags, uint64_t count)
{
	const bool left = count << (64 - 8 * d->count_size);

	switch (d->condition) {
	case LOOPNE:
		return left && !(flags & FLAGS_ZF);
	case LOOPE:
		return left && flags & FLAGS_ZF;
	case LOOP:
		return left;
	case JCXZ:
		return !left;
	default:
		return flags_say(d->condition, flags);
	}
}

bool decode_is_taken(const struct decoded *d, uint64_t ip, uint64_t flags, uint64_t count)
{
	if (d->kind != OCCURRENCE_KIND_CONDITIONAL || ip != d->next)
		return true;
	return d->condition && holds(d, flags, count);
}
