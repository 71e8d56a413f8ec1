// SPDX-License-Identifier: BSD-2-Clause
// Which unit an instruction is issued to, and behind which bundles nothing more is issued: the rules of Intel's Itanium
// Processor Microarchitecture Reference (245473) as GCC 4's config/ia64/itanium1.md cites them, and which instructions
// only the first unit of a kind executes, as that file has it.

#include "dispersal.h"

#include <string.h>

#include "machine.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// GCC: not_um1, not_ui1, not_uf1. Of the I unit all moves.
static bool needs_first(const struct op *op)
{
	static const struct {
		uint8_t type;
		const char *name;
	} of[] = {
		{OCCURRENCE_TYPE_M, "mov.m"}, {OCCURRENCE_TYPE_M, "getf"}, {OCCURRENCE_TYPE_M, "xchg"},
		{OCCURRENCE_TYPE_M, "cmpxchg"}, {OCCURRENCE_TYPE_M, "fetchadd"},
		{OCCURRENCE_TYPE_I, "extr"}, {OCCURRENCE_TYPE_I, "dep"}, {OCCURRENCE_TYPE_I, "shrp"},
		{OCCURRENCE_TYPE_I, "tbit"}, {OCCURRENCE_TYPE_I, "tnat"}, {OCCURRENCE_TYPE_I, "pmpy"},
		{OCCURRENCE_TYPE_I, "popcnt"}, {OCCURRENCE_TYPE_I, "mov"},
		{OCCURRENCE_TYPE_F, "fcmp"}, {OCCURRENCE_TYPE_F, "fclass"}, {OCCURRENCE_TYPE_F, "frcpa"},
		{OCCURRENCE_TYPE_F, "frsqrta"}, {OCCURRENCE_TYPE_F, "fmin"}, {OCCURRENCE_TYPE_F, "fmax"},
		{OCCURRENCE_TYPE_F, "famin"}, {OCCURRENCE_TYPE_F, "famax"}, {OCCURRENCE_TYPE_F, "fmerge"},
		{OCCURRENCE_TYPE_F, "fmix"}, {OCCURRENCE_TYPE_F, "fsxt"}, {OCCURRENCE_TYPE_F, "fpack"},
		{OCCURRENCE_TYPE_F, "fswap"}, {OCCURRENCE_TYPE_F, "fand"}, {OCCURRENCE_TYPE_F, "for"},
		{OCCURRENCE_TYPE_F, "fxor"},
	};
	const char *name = ia64_encodings[op->encoding].mnemonic;
	bool needs = false;

	for (size_t i = 0; i < COUNT(of); i++)
		needs |= op->type == of[i].type && !strncmp(name, of[i].name, strlen(of[i].name));
	return needs && strncmp(name, "movl", 4);
}

static bool is_hint(enum ia64_encoding encoding)
{
	return encoding == IA64_NOP_B || encoding == IA64_BRP || encoding == IA64_BRP_B || encoding == IA64_BRP_RET;
}

void ia64_set_dispersal(struct op *op, const struct bundle_template *template, unsigned slot)
{
	const uint8_t *unit = template->unit;
	const bool is_branch = op->type == OCCURRENCE_TYPE_B;

	op->dispersal = needs_first(op) ? DISPERSE_FIRST : 0;
	if (op->type == OCCURRENCE_TYPE_I && op->last)
		op->dispersal |= DISPERSE_THIRD;
	if (unit[2] == UNIT_F)	// MMF
		op->dispersal |= slot == 0 ? DISPERSE_BEGINS : op->last ? DISPERSE_ENDS : 0;
	if (is_branch && op->last && (unit[1] == UNIT_B || !is_hint(op->encoding)))
		op->dispersal |= DISPERSE_ENDS;
	if (is_branch)
		op->branch_unit = (uint8_t)(unit[1] == UNIT_B ? slot : is_hint(op->encoding) ? 0 : 2);
}

static unsigned units_of(const struct machine *m, enum ia64_port port)
{
	static const enum processor_width widths[] = {
		[PORT_M] = WIDTH_M, [PORT_I] = WIDTH_I, [PORT_F] = WIDTH_F, [PORT_B] = WIDTH_B,
	};

	return m->processor.width[widths[port]];
}

// Bundles are numbered from 0 in their cycle.
unsigned ia64_find_unit(const struct machine *m, const struct op *op, enum ia64_port port, unsigned bundle)
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
