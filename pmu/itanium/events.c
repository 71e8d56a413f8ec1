// SPDX-License-Identifier: BSD-2-Clause
// Events (7.8): what qualifies them, which of their sub-events a unit mask selects, how many there are in a cycle.

#include "state.h"

// Which of an event's sub-events a unit mask selects.
enum selection {
	SELECT_ALL,		// unit mask ignored
	SELECT_TWO,		// those that raise one of its two low bits
	SELECT_EACH,		// the same; one that raises both counts for each (a semaphore is a read and a write)
	SELECT_FOUR,		// one of its four bits
	SELECT_BUS,		// bit 0: all initiators; else one of bits 1, 2
	SELECT_PAIRS,		// one of its two high and one of its two low bits
	SELECT_FIELDS,		// the same in bits 3:2 and in 1:0, where 0 selects all
	SELECT_PATH,		// the same in 3:2, where 0 selects all; the same in 1:0
	SELECT_RETIRED,		// by instruction (table 7-30)
};

// What section 7.8 says of an event. `most`: it adds in a cycle; 0: one (6.1.1.2).
const struct itanium_event itanium_events[ITANIUM_EVENTS] = {
	[ITANIUM_EVENT_RETIRED] = {QUALIFY_UMASK, SELECT_RETIRED, 6},
	[0x09 ... 0x0A] = {QUALIFY_OPCODE, SELECT_ALL, 3},	// FP_OPS_RETIRED_LO, _HI
	[0x0B ... 0x0C] = {QUALIFY_OPCODE, SELECT_ALL, 2},	// FP_FLUSH_TO_ZERO, FP_SIR_FLUSH
	[0x0D] = {QUALIFY_OPCODE, SELECT_FOUR},			// BRANCH_TAKEN_SLOT
	[0x0E] = {QUALIFY_OPCODE, SELECT_FIELDS},		// BRANCH_MULTIWAY
	[0x0F] = {QUALIFY_OPCODE, SELECT_PATH},			// BRANCH_PATH
	[0x10] = {QUALIFY_OPCODE, SELECT_FIELDS},		// BRANCH_PREDICTOR
	[EVENT_BRANCH_CAPTURED] = {QUALIFY_OPCODE, SELECT_ALL},
	[0x15] = {QUALIFY_NONE, SELECT_ALL, 2},			// IA32_INST_RETIRED
	[0x20] = {QUALIFY_ADDRESS, SELECT_ALL},			// L1I_DEMAND_READS
	[EVENT_FETCH_MISS ... 0x25] = {QUALIFY_ADDRESS, SELECT_ALL},	// to L2_INST_PREFETCH_READS
	[EVENT_ITLB_MISS ... 0x28] = {QUALIFY_ADDRESS, SELECT_ALL},	// and ITLB_INSERTS_HPW
	[0x2D] = {QUALIFY_ADDRESS, SELECT_ALL, 6},		// INST_DISPERSED
	[0x2E ... 0x2F] = {QUALIFY_ADDRESS, SELECT_ALL},	// EXPL_STOPS_, ALL_STOPS_DISPERSED
	[0x30 ... 0x31] = {QUALIFY_OPCODE, SELECT_ALL, 6},	// NOPS_RETIRED, PREDICATE_SQUASHED_RETIRED
	[0x33] = {QUALIFY_NONE, SELECT_FOUR},			// PIPELINE_FLUSH
	[0x35] = {QUALIFY_OPCODE, SELECT_TWO},			// INST_FAILED_CHKS_RETIRED
	[0x36 ... 0x37] = {QUALIFY_DATA_IF_ANY, SELECT_TWO, 2},	// ALAT_INST_CHKA_LDC, ALAT_INST_FAILED_CHKA_LDC
	[0x38] = {QUALIFY_DATA, SELECT_TWO, 2},			// ALAT_REPLACEMENT
	[0x45 ... 0x55] = {QUALIFY_NONE, SELECT_BUS},		// BUS_SNOOPS_HITM to BUS_SNOOP_STALL_CYCLES
	[0x56 ... 0x58] = {QUALIFY_NONE, SELECT_ALL, 3},	// BUS_SNOOPQ_REQ, BUS_IOQ_LIVE_REQ_LO, _HI
	[0x5B ... 0x5C] = {QUALIFY_NONE, SELECT_ALL, 3},	// BUS_BRQ_LIVE_REQ_LO, _HI: two bits (README.md)
	[EVENT_DTC_MISS ... 0x62] = {QUALIFY_OPCODE, SELECT_ALL},	// and DTLB_MISSES, DTLB_INSERTS_HPW
	[0x63 ... 0x64] = {QUALIFY_DATA, SELECT_ALL, 2},	// DATA_REFERENCES_RETIRED, L1D_READS_RETIRED
	[0x65] = {QUALIFY_RSE, SELECT_ALL, 2},			// RSE_REFERENCES_RETIRED
	[EVENT_LOAD_MISS] = {QUALIFY_DATA, SELECT_ALL, 2},
	[EVENT_DATA_CAPTURED] = {QUALIFY_OPCODE, SELECT_ALL},
	[0x68] = {QUALIFY_ADDRESS, SELECT_ALL, 3},		// L2_REFERENCES
	[0x69] = {QUALIFY_DATA, SELECT_EACH, 2},		// L2_DATA_REFERENCES
	[0x6A] = {QUALIFY_ADDRESS, SELECT_ALL, 2},		// L2_MISSES
	[0x6B ... 0x71] = {QUALIFY_DATA, SELECT_ALL, 2},	// loads, stores and L1D_READ_FORCED_MISSES_RETIRED
	[0x72] = {QUALIFY_RSE, SELECT_ALL, 2},			// RSE_LOADS_RETIRED
	[0x76] = {QUALIFY_ADDRESS, SELECT_ALL},			// L2_FLUSHES
	[0x77] = {QUALIFY_NONE, SELECT_FOUR},			// L2_FLUSH_DETAILS
	[0x7D ... 0x7E] = {QUALIFY_NONE, SELECT_PAIRS},		// L3_READS, L3_WRITES
};

// A sub-event that raises no bit is one of which nothing more is known: it counts where all are selected.
static bool raises_one(unsigned sub, unsigned umask, unsigned bits)
{
	sub &= bits;
	return sub ? sub & umask : (umask & bits) == bits;
}

static bool has_field(unsigned sub, unsigned umask, unsigned bits)
{
	return (umask & bits) == 0 || (umask & bits) == (sub & bits);
}

#define RETIRED_RSE	1	/* IA64_INST_RETIRED: an operation of the register stack engine */

unsigned itanium_times(unsigned code, unsigned umask, unsigned sub)
{
	switch (itanium_events[code].selection) {
	case SELECT_TWO:
		return raises_one(sub, umask, 3);
	case SELECT_EACH:
		return (sub & umask & 3) == 3 ? 2 : raises_one(sub, umask, 3);
	case SELECT_FOUR:
		return raises_one(sub, umask, 15);
	case SELECT_BUS:
		return umask & 1 || sub & umask & 6;
	case SELECT_PAIRS:
		return raises_one(sub, umask, 12) && raises_one(sub, umask, 3);
	case SELECT_FIELDS:
		return has_field(sub, umask, 12) && has_field(sub, umask, 3);
	case SELECT_PATH:
		return has_field(sub, umask, 12) && (sub & 3) == (umask & 3);
	case SELECT_RETIRED:
		return umask == RETIRED_PMC8 ||
		       ((umask == RETIRED_ALL || umask == RETIRED_PMC9) && sub != RETIRED_RSE);
	default:
		return 1;
	}
}

bool itanium_counts(const struct occurrence *o, uint16_t code, uint8_t umask)
{
	return o->code == code && code < ITANIUM_EVENTS && itanium_times(code, umask, o->sub);
}

//
// What backends can say: that an instruction retires, a branch, a load
//

// The events of a branch. Its predictor, the stage of its prediction, and other branches of its bundle are not known.
size_t itanium_branch(const struct occurrence *branch, struct occurrence *o)
{
	const bool taken = branch->branch & OCCURRENCE_TAKEN, path = !(branch->branch & OCCURRENCE_WRONG_PATH);
	const bool target = !(branch->branch & OCCURRENCE_WRONG_TARGET);

	o[0] = o[1] = o[2] = *branch;
	o[0].code = EVENT_BRANCH_SLOT;
	o[0].sub = taken ? (uint16_t)(1u << branch->slot) : 8;
	o[1].code = EVENT_BRANCH_PATH;
	o[1].sub = (uint16_t)(path << 1 | taken);
	o[2].code = EVENT_BRANCH_PREDICTOR;
	o[2].sub = !path ? 2 : target ? 1 : 3;
	return 3;
}

size_t itanium_load(const struct occurrence *load, struct occurrence *o)
{
	static const uint16_t codes[] = {EVENT_DATA_REFERENCE, EVENT_LOAD, EVENT_LOAD_READ, EVENT_LOAD_MISS};
	const size_t count = sizeof codes / sizeof *codes;

	for (size_t i = 0; i < count; i++) {
		o[i] = *load;
		o[i].code = codes[i];
	}
	return count;
}
