// SPDX-License-Identifier: BSD-2-Clause
// Qualification (6.2.4 to 6.2.6): by instruction set, instruction address, opcode and data address. An instruction
// carries tags down the pipeline (figure 6-5); a monitor needs some of them.

#include "faults.h"
#include "state.h"

enum {
	TAG_RANGE = 1 << 0,		// IBRRangeTag
	TAG_PMC8 = 1 << 1,
	TAG_PMC9 = 1 << 2,
	TAG_DATA = 1 << 3,		// DBRRangeMatch
	TAG_DATA_IF_ANY = 1 << 4,	// it, or there are no data
	TAG_MATCHED = 1 << 5,		// DBRRangeTag with pt 0: TAG_DATA, and what an instruction's own needs
};

//
// What registers ask for
//

// Sections 6.2.4 and 6.2.6: of an address bits 60:51 are compared as copies of bit 50, and the mask has no say above
// bit 55.
#define UNMASKED FIELD_MASK(56, 8)

static struct itanium_range range_of(uint64_t address, uint64_t control)
{
	return (struct itanium_range){
		.address = address,
		.care = FIELD_GET(IBR1, mask, control) | UNMASKED,
		.plm = (uint8_t)FIELD_GET(IBR1, plm, control),
	};
}

static void configure_ranges(struct itanium_state *m, const uint64_t *file)
{
	m->tag_all = file[SLOT_PMC13] & FIELD(PMC13, ta) || has_fault(m, FAULT_IBR_IGNORED);
	m->code_ranges = m->data_ranges = !(file[SLOT_PSR] & FIELD(PSR, db));
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		m->code[i] = range_of(file[SLOT_IBR0 + i], file[SLOT_IBR1 + i]);
		m->data[i] = range_of(file[SLOT_DBR0 + i], file[SLOT_DBR1 + i]);
		if (file[SLOT_IBR1 + i] & FIELD(IBR1, x))
			m->code_ranges = false;
	}
}

static void configure_opcodes(struct itanium_state *m, const uint64_t *file)
{
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t control = file[SLOT_PMC8 + i];

		m->opcode[i] = (struct itanium_opcode){
			.value = (uint32_t)FIELD_GET(PMC8, match, control),
			.care = ~(uint32_t)FIELD_GET(PMC8, mask, control) & (uint32_t)FIELD_MASK(0, PMC8_mask_WIDTH),
			.types = (uint8_t)(control >> PMC8_b_LOW),
		};
		if (has_fault(m, FAULT_OPCODE_IGNORED))
			m->opcode[i] = (struct itanium_opcode){.types = 15};
	}
}

void itanium_configure_qualification(struct itanium_state *m)
{
	configure_ranges(m, m->file[0]);
	configure_opcodes(m, m->file[0]);
}

// What the opcode matcher asks of an instruction. With everything set to match (table 6-3, first row) IA-32 code counts
// too.
static uint8_t opcode_tag(const struct itanium_state *m)
{
	return m->tag_all && m->opcode[0].types == 15 && m->opcode[0].care == 0 ? 0 : TAG_PMC8;
}

uint8_t itanium_needs(const struct itanium_state *m, unsigned code, unsigned umask)
{
	const uint8_t opcode = opcode_tag(m);
	const bool pass = m->file[0][SLOT_PMC11] & FIELD(PMC11, pt) || has_fault(m, FAULT_DBR_IGNORED);

	switch (itanium_events[code].qualification) {
	case QUALIFY_ADDRESS:
		return m->tag_all ? 0 : TAG_RANGE;
	case QUALIFY_OPCODE:
		return opcode;
	case QUALIFY_DATA:
		return pass ? opcode : TAG_MATCHED;
	case QUALIFY_DATA_IF_ANY:
		return pass ? opcode : opcode | TAG_DATA_IF_ANY;
	case QUALIFY_RSE:
		return pass ? opcode : TAG_DATA;
	case QUALIFY_UMASK:
		return umask == RETIRED_PMC8 ? TAG_PMC8 : umask == RETIRED_PMC9 ? TAG_PMC9 : 0;
	default:
		return 0;
	}
}

bool itanium_levels_qualify(const struct itanium_state *m)
{
	bool some = false;

	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		some |= m->code[i].plm != 0 && m->code[i].plm != 15;
	return some && !m->tag_all;
}

//
// What occurrences carry
//

static bool in_code_range(const struct itanium_state *m, const struct occurrence *o)
{
	uint64_t ip = itanium_canonical(o->ip);

	if (!m->code_ranges)
		return false;
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		if (m->code[i].plm >> (o->level & 3) & 1 && !((ip ^ m->code[i].address) & m->code[i].care))
			return true;
	return false;
}

static bool in_data_range(const struct itanium_state *m, const struct occurrence *o)
{
	uint64_t address = itanium_canonical(o->address);

	if (!m->data_ranges)
		return false;
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		if (!((address ^ m->data[i].address) & m->data[i].care))
			return true;
	return false;
}

// Section 6.2.5. An instruction whose type is not known matches only where all types do.
static bool matches_opcode(const struct itanium_opcode *match, const struct occurrence *o)
{
	uint32_t encoding = (uint32_t)((o->opcode >> 27 & 0x3FFF) << 13 | (o->opcode & 0x1FFF));

	return (o->type & match->types || match->types == 15) && !((encoding ^ match->value) & match->care);
}

// References of the register stack engine and of the page walker (6.2.6): which instruction caused them does not matter
// where their data address does.
static bool is_own_reference(const struct occurrence *o)
{
	return !(o->type & (OCCURRENCE_TYPE_RSE | OCCURRENCE_TYPE_WALKER));
}

static unsigned tags_of(const struct itanium_state *m, const struct occurrence *o)
{
	bool native = o->isa == 0;
	unsigned tags = 0;

	if (m->tag_all || (native && in_code_range(m, o))) {
		tags = TAG_RANGE;
		if (native && matches_opcode(&m->opcode[0], o))
			tags |= TAG_PMC8;
		if (native && matches_opcode(&m->opcode[1], o))
			tags |= TAG_PMC9;
	}
	if (!o->data)
		return tags | TAG_DATA_IF_ANY;
	if (!in_data_range(m, o))
		return tags;
	if (!is_own_reference(o) || !(opcode_tag(m) & ~tags))
		tags |= TAG_MATCHED;
	return tags | TAG_DATA | TAG_DATA_IF_ANY;
}

//
// Branches: those of one bundle, in the order of their slots, are one prediction
//

// How many of the occurrences from `o` on are the branches of its bundle.
size_t itanium_bundle_size(const struct occurrence *o, const struct occurrence *end)
{
	const struct occurrence *next = o + 1;

	while (next < end && itanium_is_branch(next) && next->code == o->code && next->ip == o->ip &&
	       next->isa == o->isa && next->level == o->level && next->slot > next[-1].slot)
		next++;
	return (size_t)(next - o);
}

// The one that decides where the bundle goes: the first taken one, else the last.
const struct occurrence *itanium_deciding_branch(const struct occurrence *o, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (o[i].branch & OCCURRENCE_TAKEN)
			return &o[i];
	return &o[size - 1];
}

// Section 7.5: a branch taken in slot 0 or 1 must itself be tagged; otherwise any instruction of the bundle may be.
static unsigned bundle_tags(const struct itanium_state *m, const struct occurrence *o, size_t size)
{
	const struct occurrence *deciding = itanium_deciding_branch(o, size);
	unsigned tags = 0;

	if (deciding->branch & OCCURRENCE_TAKEN && deciding->slot < 2)
		return tags_of(m, deciding);
	for (size_t i = 0; i < size; i++)
		tags |= tags_of(m, &o[i]);
	return tags;
}

unsigned itanium_qualify(const struct itanium_state *m, unsigned monitors, const struct occurrence *o, size_t size)
{
	const unsigned tags = size == 1 ? tags_of(m, o) : bundle_tags(m, o, size);

	for (unsigned left = monitors & m->qualified; left; left &= left - 1)
		if (m->needs[__builtin_ctz(left)] & ~tags)
			monitors &= ~(left & -left);
	return monitors;
}
