// SPDX-License-Identifier: BSD-2-Clause
// The unit to which an instruction is issued, and the bundles that end a cycle: the rules of
// Intel's Itanium Processor Microarchitecture Reference (245473) as GCC 4's config/ia64/itanium1.md
// cites them. That file also lists the instructions that only the first unit of a kind executes
// (TRAIT_FIRST_UNIT): not_um1, not_ui1, not_uf1; and all moves of the I unit.

#include "dispersal.h"

#include "machine.h"
#include "traits.h"

static bool is_hint(enum ia64_encoding encoding)
{
	return encoding == IA64_NOP_B || encoding == IA64_BRP || encoding == IA64_BRP_B ||
	       encoding == IA64_BRP_RET;
}

void ia64_set_dispersal(struct op *op, const struct bundle_template *template, unsigned slot)
{
	const uint8_t *unit = template->unit;
	const uint32_t traits = ia64_formats[ia64_encodings[op->encoding].format].traits;
	const bool is_branch = op->type == OCCURRENCE_TYPE_B;

	op->dispersal = traits & TRAIT_FIRST_UNIT ? DISPERSE_FIRST : 0;
	if (op->type == OCCURRENCE_TYPE_I && op->last)
		op->dispersal |= DISPERSE_THIRD;
	if (unit[2] == UNIT_F)	// MMF
		op->dispersal |= slot == 0 ? DISPERSE_BEGINS : op->last ? DISPERSE_ENDS : 0;
	if (is_branch && op->last && (unit[1] == UNIT_B || !is_hint(op->encoding)))
		op->dispersal |= DISPERSE_ENDS;
	if (is_branch)
		op->branch_unit = (uint8_t)(unit[1] == UNIT_B ? slot : is_hint(op->encoding) ? 0 :
					    2);
}

static unsigned units_of(const struct machine *m, enum ia64_port port)
{
	static const enum processor_width widths[] = {
		[PORT_M] = WIDTH_M, [PORT_I] = WIDTH_I, [PORT_F] = WIDTH_F, [PORT_B] = WIDTH_B,
	};

	return m->processor.width[widths[port]];
}

// Bundles are numbered from 0 in their cycle.
unsigned ia64_find_unit(const struct machine *m, const struct op *op, enum ia64_port port,
			unsigned bundle)
{
	const unsigned used = m->issue.used[port], units = units_of(m, port);
	unsigned unit = (unsigned)__builtin_ctz(~used);

	if (port == PORT_B)
		unit = op->branch_unit;
	else if (port == PORT_F)
		unit = bundle;
	else if (op->dispersal & DISPERSE_THIRD && bundle)
		unit = units - 1;
	if (unit >= units || used >> unit & 1 || (unit && op->dispersal & DISPERSE_FIRST))
		return NO_UNIT;
	return unit;
}
