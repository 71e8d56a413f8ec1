// SPDX-License-Identifier: BSD-2-Clause
// Events (7.8): the sub-events that a unit mask selects, and the events that follow from a
// backend's branch or load.

#include "state.h"

// A sub-event without bits is one of unknown kind: it counts if the unit mask selects all bits.
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

// BRANCH_PREDICTOR: the third stage overrides the prediction of a target address register. The
// first stage has made a prediction, too. For all stages together it is one prediction, the third
// stage's.
#define PREDICTOR_OVERRIDDEN	4

unsigned itanium_times(unsigned code, unsigned umask, unsigned sub)
{
	switch (code) {
	case ITANIUM_EVENT_RETIRED:	// by instruction (table 7-30)
		return umask == RETIRED_PMC8 ||
		       ((umask == RETIRED_ALL || umask == RETIRED_PMC9) && sub != RETIRED_RSE);
	case EVENT_BRANCH_SLOT:		// one of four bits
	case EVENT_PIPELINE_FLUSH:
	case EVENT_L2_FLUSH:
		return raises_one(sub, umask, 15);
	case EVENT_BRANCH_PREDICTOR:	// the same in bits 3:2 and in 1:0, where 0 selects all
		if (sub == PREDICTOR_OVERRIDDEN)
			return umask == PREDICTOR_OVERRIDDEN;
		/* fallthrough */
	case EVENT_BRANCH_MULTIWAY:
		return has_field(sub, umask, 12) && has_field(sub, umask, 3);
	case EVENT_BRANCH_PATH:		// the same in 3:2, where 0 selects all; the same in 1:0
		return has_field(sub, umask, 12) && (sub & 3) == (umask & 3);
	case EVENT_FAILED_CHECK ... EVENT_ALAT_LAST:	// one of two bits
		return raises_one(sub, umask, 3);
	// likewise; a semaphore is a read and a write, and counts for each
	case EVENT_L2_DATA:
		return (sub & umask & 3) == 3 ? 2 : raises_one(sub, umask, 3);
	// bit 0: all initiators; else one of bits 1, 2
	case EVENT_BUS_SNOOP_HIT ... EVENT_BUS_LAST:
		return umask & 1 || sub & umask & 6;
	case EVENT_L3_READ:		// one of two high and one of two low bits
	case EVENT_L3_WRITE:
		return raises_one(sub, umask, 12) && raises_one(sub, umask, 3);
	default:			// unit mask ignored
		return 1;
	}
}

bool itanium_counts(const struct occurrence *o, uint16_t code, uint8_t umask)
{
	if (code == EVENT_FP_HIGH && o->code == EVENT_FP_LOW)
		return o->sub == ITANIUM_WEIGHT;
	return o->code == code && code < ITANIUM_EVENTS && itanium_times(code, umask, o->sub);
}

//
// Events that follow from a branch or a load that a backend reports
//

// The events of a branch. The predictor, the stage of the prediction and other branches of the
// bundle are unknown.
size_t itanium_branch(const struct occurrence *branch, struct occurrence *o)
{
	const bool taken = branch->branch & OCCURRENCE_TAKEN,
		path = !(branch->branch & OCCURRENCE_WRONG_PATH);
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
	static const uint16_t codes[] = {EVENT_DATA_REFERENCE, EVENT_LOAD, EVENT_LOAD_READ,
					 EVENT_LOAD_MISS};
	const size_t count = sizeof codes / sizeof *codes;

	for (size_t i = 0; i < count; i++) {
		o[i] = *load;
		o[i].code = codes[i];
	}
	return count;
}
