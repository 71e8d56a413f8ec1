// SPDX-License-Identifier: BSD-2-Clause
// Qualification (6.2.4 to 6.2.6): by instruction set, instruction address, opcode and data address.
// An instruction carries tags down the pipeline (figure 6-5). The tags and other properties of an
// occurrence are its facts; for each set of facts the registers determine the monitors that count
// it.

#include "state.h"

enum {
	IN_CODE_RANGE = 1 << 0,		// IBRRangeTag
	TAGGED_PMC8 = 1 << 1,
	TAGGED_PMC9 = 1 << 2,
	HAS_DATA = 1 << 3,		// a data address
	IN_DATA_RANGE = 1 << 4,		// DBRRangeMatch
	// a reference of the register stack engine or of the page walker
	INDIRECT = 1 << 5,
};
_Static_assert(INDIRECT << 1 == ITANIUM_FACTS, "state.h");

#define ALL_TYPES (FIELD(PMC8, b) | FIELD(PMC8, f) | FIELD(PMC8, i) | FIELD(PMC8, m))

//
// The facts with which a monitor counts
//

// A set of facts is a number from 0 to 63, and a bit of these masks: all sets, and the sets that
// contain a fact.
#define ALL_FACTS	UINT64_MAX
#define HAVING(fact)	(ALL_FACTS / ((1ULL << (fact)) + 1) << (fact))

// Returns the sets of facts with which an event counts: the qualification of its entry in section
// 7.8, whose terms are in 6.2.4 to 6.2.6. With everything set to match (table 6-3, first row) IA-32
// code counts, too. For an indirect reference the causing instruction does not matter; all
// references of the register stack engine's own events are indirect.
static uint64_t passing(const struct itanium_state *m, unsigned code, unsigned umask)
{
	const struct model_code *by = &pmu_codes_itanium[code];
	const uint64_t any_address = m->PMC(13) & FIELD(PMC13, ta) ? ALL_FACTS : 0;
	const uint64_t any = (FIELD(PMC8, mask) | ALL_TYPES) & ~m->PMC(8) ? 0 : any_address;
	const uint64_t opcode = HAVING(TAGGED_PMC8) | any, data = HAVING(IN_DATA_RANGE);
	const uint64_t indirect = code == EVENT_RSE || code == EVENT_RSE_LOAD ? ALL_FACTS :
		HAVING(INDIRECT);
	const bool by_opcode_only = m->PMC(11) & FIELD(PMC11, pt);

	if (code == ITANIUM_EVENT_RETIRED)	// by unit mask
		return umask == RETIRED_PMC8   ? HAVING(TAGGED_PMC8)
		       : umask == RETIRED_PMC9 ? HAVING(TAGGED_PMC9)
					       : ALL_FACTS;
	if (!by->opcode)
		return by->code_range ? HAVING(IN_CODE_RANGE) | any_address : ALL_FACTS;
	if (!by->data_range || by_opcode_only)
		return opcode;
	// check loads have a data address, advanced load checks do not
	if (by->data_range == MODEL_PARTLY)
		return opcode & (data | ~HAVING(HAS_DATA));
	return data & (opcode | indirect);
}

void itanium_configure_qualification(struct itanium_state *m, unsigned monitor, unsigned code,
				     unsigned umask)
{
	const uint8_t bit = (uint8_t)(1u << monitor);
	const uint64_t passes = passing(m, code, umask);

	for (uint64_t changed = passes ^ m->passing[monitor]; changed; changed &= changed - 1)
		m->counting[__builtin_ctzll(changed)] ^= bit;
	m->passing[monitor] = passes;
	m->qualified = (uint8_t)((m->qualified & ~bit) | (passes == ALL_FACTS ? 0 : bit));
}

//
// Breakpoint registers as ranges
//

// Sections 6.2.4 and 6.2.6: address bits 60:51 are compared as copies of bit 50, and the mask does
// not apply to bits above 55.
#define UNMASKED FIELD_MASK(56, 8)

// Matches no address: bits 60:51 never differ.
static const struct itanium_range nowhere = {.address = 1ULL << ITANIUM_ADDRESS_BITS,
					     .care = ~0ULL};

void itanium_configure_ranges(struct itanium_state *m)
{
	const uint64_t *file = m->file[0];
	const bool debug = file[SLOT_PSR] & FIELD(PSR, db);
	bool breaks = debug, by_level = false;

	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		breaks |= (file[SLOT_IBR1 + i] & FIELD(IBR1, x)) != 0;
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		const struct itanium_range code = {file[SLOT_IBR0 + i],
						   file[SLOT_IBR1 + i] | UNMASKED};
		const struct itanium_range data = {file[SLOT_DBR0 + i],
						   file[SLOT_DBR1 + i] | UNMASKED};
		const uint64_t plm = FIELD_GET(IBR1, plm, file[SLOT_IBR1 + i]);

		for (unsigned level = 0; level < 4; level++)
			m->code[level][i] = !breaks && plm >> level & 1 ? code : nowhere;
		m->data[i] = debug ? nowhere : data;
		by_level |= plm != 0 && plm != 15;
	}
	m->levels_qualify = by_level && !(m->PMC(13) & FIELD(PMC13, ta));
}

static bool is_in_range(const struct itanium_range *range, uint64_t address)
{
	bool some = false;

	address = itanium_canonical(address);
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		some |= !((address ^ range[i].address) & range[i].care);
	return some;
}

//
// The facts of an occurrence
//

// Section 6.2.5. An instruction of unknown type matches only if all types do.
static bool matches_opcode(uint64_t control, const struct occurrence *o)
{
	const uint64_t encoding = (o->opcode >> 27 & 0x3FFF) << 13 | (o->opcode & 0x1FFF);
	const uint64_t types = control & ALL_TYPES, type = (uint64_t)o->type << PMC8_b_LOW;

	return (type & types || types == ALL_TYPES) &&
	       !((encoding ^ FIELD_GET(PMC8, match, control)) & ~FIELD_GET(PMC8, mask, control));
}

unsigned itanium_counting(const struct itanium_state *m, const struct occurrence *o)
{
	const bool native = o->isa == 0;
	unsigned facts = 0;

	if (m->PMC(13) & FIELD(PMC13, ta) ||
	    (native && is_in_range(m->code[o->level & 3], o->ip))) {
		facts = IN_CODE_RANGE;
		if (native && matches_opcode(m->PMC(8), o))
			facts |= TAGGED_PMC8;
		if (native && matches_opcode(m->PMC(9), o))
			facts |= TAGGED_PMC9;
	}
	if (o->data)
		facts |= HAS_DATA | (is_in_range(m->data, o->address) ? IN_DATA_RANGE : 0);
	if (o->type & (OCCURRENCE_TYPE_RSE | OCCURRENCE_TYPE_WALKER))
		facts |= INDIRECT;
	return m->counting[facts];
}

//
// Branches: those of one bundle, in the order of their slots, are one prediction
//

size_t itanium_bundle(const struct occurrence *o, const struct occurrence *end,
		      const struct occurrence **deciding)
{
	const struct occurrence *next = o + 1;

	while (next < end && itanium_is_branch(next) && next->code == o->code &&
	       next->ip == o->ip &&
	       next->isa == o->isa && next->level == o->level && next->slot > next[-1].slot)
		next++;
	for (*deciding = o; *deciding < next - 1 && !((*deciding)->branch & OCCURRENCE_TAKEN);)
		++*deciding;
	return (size_t)(next - o);
}

// Section 7.5: a branch taken in slot 0 or 1 must be tagged itself; otherwise any instruction of
// the bundle may be.
unsigned itanium_qualify(const struct itanium_state *m, unsigned monitors,
			 const struct occurrence *o, size_t size, const struct occurrence *deciding)
{
	unsigned some = 0;

	if (size > 1 && deciding->branch & OCCURRENCE_TAKEN && deciding->slot < 2)
		return monitors & itanium_counting(m, deciding);
	for (size_t i = 0; i < size; i++)
		some |= itanium_counting(m, &o[i]);
	return monitors & some;
}
