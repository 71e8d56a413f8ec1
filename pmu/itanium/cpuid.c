// SPDX-License-Identifier: BSD-2-Clause
// The IA-32 instruction CPUID: leaf 2 describes caches and TLBs (8.4, tables 8-1 and 8-2). Other
// leaves stay the machine's own.

#include "state.h"

#define CPUID_CACHES	2

// Descriptors, a byte each: 01 leaf 2 is executed once; 10 L1D, 15 L1I, 1A L2, 89 an L3 of 4 MB
// (88: 2 MB); 90 instruction TLB, 96 and 9B levels of the data TLB; 80 in EDX as printed.
void itanium_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4])
{
	static const uint32_t caches[] = {0x00151001, 0x0000891A, 0x009B9690, 0x80000000};

	(void)model, (void)subleaf;
	for (unsigned i = 0; leaf == CPUID_CACHES && i < 4; i++)
		registers[i] = caches[i];
}
