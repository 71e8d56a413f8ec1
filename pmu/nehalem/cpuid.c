// SPDX-License-Identifier: BSD-2-Clause
// CPUID of the Core i7 / Xeon 5500.

#include "state.h"

// Vendor "GenuineIntel" in EBX, EDX, ECX of leaf 0; family 6, model 1AH in EAX of leaf 1.
#define CPUID_0_EBX		0x756E6547
#define CPUID_0_ECX		0x6C65746E
#define CPUID_0_EDX		0x49656E69
#define CPUID_1_EAX		0x000106A5
#define CPUID_1_ECX_PDCM	(1u << 15)
#define CPUID_1_ECX_DTES64	(1u << 2)
#define CPUID_1_ECX_DS_CPL	(1u << 4)
#define CPUID_1_EDX_DS		(1u << 21)
#define CPUID_ARCHITECTURAL_EVENTS 7

void nehalem_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4])
{
	(void)model, (void)subleaf;
	if (leaf == 0) {
		registers[0] = registers[0] < NEHALEM_CPUID_LEAF ? NEHALEM_CPUID_LEAF :
			registers[0];
		registers[1] = CPUID_0_EBX;
		registers[2] = CPUID_0_ECX;
		registers[3] = CPUID_0_EDX;
	} else if (leaf == 1) {
		registers[0] = CPUID_1_EAX;
		registers[2] = (registers[2] & ~CPUID_1_ECX_DS_CPL) | CPUID_1_ECX_PDCM |
			CPUID_1_ECX_DTES64;
		registers[3] |= CPUID_1_EDX_DS;
	} else if (leaf == NEHALEM_CPUID_LEAF) {
		registers[0] = NEHALEM_CPUID_VERSION | NEHALEM_GENERAL_COUNTERS << 8 |
			NEHALEM_COUNTER_WIDTH << 16 |
			       CPUID_ARCHITECTURAL_EVENTS << 24;
		// A set bit means that this event is not available. Available: core cycles,
		// instructions, reference cycles. An instruction clock cannot raise last-level
		// cache references and misses, branches and mispredicted branches.
		registers[1] = 0x78;
		registers[2] = 0;
		registers[3] = NEHALEM_FIXED_COUNTERS | NEHALEM_COUNTER_WIDTH << 5;
	}
}

// The architectural events, in the order of their bits in EBX (SDM volume 3B, "Pre-defined
// Architectural Performance Events").
static const struct model_event architectural[CPUID_ARCHITECTURAL_EVENTS] = {
	{NEHALEM_EVENT_CYCLES, 0}, {NEHALEM_EVENT_RETIRED, 0}, {NEHALEM_EVENT_CYCLES, 1},
	{0x2E, 0x4F}, {0x2E, 0x41}, {NEHALEM_EVENT_BRANCHES, 0}, {NEHALEM_EVENT_MISPREDICTED, 0},
};

void nehalem_expose_features(uint32_t leaf, uint32_t registers[4],
			     const struct model_features *features)
{
	if (leaf == 1 && !features->records) {
		registers[2] &= ~CPUID_1_ECX_DTES64;
		registers[3] &= ~CPUID_1_EDX_DS;
	}
	if (leaf != NEHALEM_CPUID_LEAF)
		return;
	registers[0] = (registers[0] & ~0xFF00u) | features->counters[0] << 8;
	registers[3] = (registers[3] & ~0x1Fu) | features->counters[1];
	if (!features->allows)
		return;
	registers[1] = 0;
	for (unsigned i = 0; i < CPUID_ARCHITECTURAL_EVENTS; i++)
		if (!features->allows(features->context, architectural[i].code,
				      architectural[i].umask))
			registers[1] |= 1u << i;
}
