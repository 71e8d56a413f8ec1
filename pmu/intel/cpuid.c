// SPDX-License-Identifier: BSD-2-Clause
// CPUID of the processors.

#include "state.h"

// Vendor "GenuineIntel" in EBX, EDX, ECX of leaf 0.
#define CPUID_0_EBX		0x756E6547
#define CPUID_0_ECX		0x6C65746E
#define CPUID_0_EDX		0x49656E69

static const struct model_event architectural[] = {INTEL_ARCHITECTURAL_EVENTS};
#define ARCHITECTURAL_COUNT	(sizeof architectural / sizeof *architectural)
#define ARCHITECTURAL_FIRST	7	/* reported before version 5, which adds the slots */

void intel_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		    uint32_t registers[4])
{
	const struct intel_processor *p = model->processor;

	const uint32_t most = p->arch_lbr ? INTEL_LEAF_LBR : INTEL_LEAF_PERFMON;

	if (leaf == 0) {
		registers[0] = registers[0] < most ? most : registers[0];
		registers[1] = CPUID_0_EBX;
		registers[2] = CPUID_0_ECX;
		registers[3] = CPUID_0_EDX;
	} else if (leaf == 1) {
		registers[0] = p->signature ? p->signature : registers[0];
		registers[2] &= ~INTEL_PDCM;
		registers[2] |= p->version >= INTEL_VERSION_GLOBAL ? INTEL_PDCM : 0;
	} else if (leaf == 7 && subleaf == 0) {
		registers[1] &= ~INTEL_TSX;
		registers[3] &= ~INTEL_ARCH_LBR;
		registers[3] |= p->arch_lbr ? INTEL_ARCH_LBR : 0;
	} else if (leaf == INTEL_LEAF_LBR && p->arch_lbr) {
		registers[0] = INTEL_LBR_DEPTHS | INTEL_LBR_LIP;
		registers[1] = INTEL_LBR_BY_LEVEL | INTEL_LBR_BY_KIND | INTEL_LBR_CALL_STACK;
		registers[2] = INTEL_LBR_MISPRED | INTEL_LBR_TIMED | INTEL_LBR_TYPES;
		registers[3] = 0;
	} else if (leaf == INTEL_LEAF_PERFMON) {
		const uint32_t events = p->version >= INTEL_VERSION_BITMAP ? ARCHITECTURAL_COUNT :
			ARCHITECTURAL_FIRST;

		registers[0] = p->version | (uint32_t)p->general << 8 | (uint32_t)p->width << 16 |
			       events << 24;
		registers[1] = p->absent_events;	// a set bit means that the event is absent
		registers[2] = p->version >= INTEL_VERSION_BITMAP ? intel_fixed(p) : 0;
		registers[3] = p->version < INTEL_VERSION_GLOBAL ? 0 :
			p->fixed_count | (p->fixed_count ? p->width << 5 : 0) |
			(p->any_deprecated ? INTEL_ANY_DEPRECATED : 0);
	}
}

void intel_expose(uint32_t leaf, uint32_t registers[4], const struct model_features *features)
{
	if (leaf != INTEL_LEAF_PERFMON)
		return;
	if (features->counters[0] < (registers[0] >> 8 & 0xFF))
		registers[0] = (registers[0] & ~0xFF00u) | features->counters[0] << 8;
	registers[2] &= (1u << features->counters[1]) - 1;
	if (features->counters[1] < (registers[3] & 0x1F))
		registers[3] = (registers[3] & ~0x1Fu) | features->counters[1];
	if (!features->any_thread)
		registers[3] |= INTEL_ANY_DEPRECATED;
	if (!features->allows)
		return;
	for (unsigned i = 0; i < ARCHITECTURAL_COUNT; i++)
		if (!features->allows(features->context, architectural[i].code,
				      architectural[i].umask))
			registers[1] |= 1u << i;
}
