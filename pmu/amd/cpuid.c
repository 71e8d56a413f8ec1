// SPDX-License-Identifier: BSD-2-Clause
// CPUID of the processors.

#include "state.h"

// The signature of a processor of this family: model and stepping 0.
static uint32_t signature(unsigned family)
{
	return family < 0xF ? family << 8 : 0xF00 | (family - 0xF) << 20;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void report_perfmon(const struct amd_processor *p, uint32_t registers[4])
{
	registers[0] = (p->global ? AMD_PERFMON_V2 : 0) | (p->freezes ? AMD_LBR_PMC_FREEZE : 0);
	registers[1] = p->counters;
	registers[2] = registers[3] = 0;
}

void amd_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		  uint32_t registers[4])
{
	const struct amd_processor *p = model->processor;
	static const uint32_t vendor[] = AMD_VENDOR;

	(void)subleaf;
	if (leaf == 0 || leaf == AMD_LEAF_EXTENDED) {
		registers[0] = greater(registers[0], leaf == 0 ? 1 :
				       p->global ? AMD_LEAF_PERFMON : AMD_LEAF_FEATURES);
		registers[1] = vendor[0];
		registers[2] = vendor[2];
		registers[3] = vendor[1];
	} else if (leaf == 1) {
		registers[0] = signature(p->family);
	} else if (leaf == AMD_LEAF_FEATURES) {
		registers[2] &= ~AMD_PERF_CTR_EXT_CORE;
		registers[2] |= p->extended ? AMD_PERF_CTR_EXT_CORE : 0;
	} else if (leaf == AMD_LEAF_PERFMON && p->global) {
		report_perfmon(p, registers);
	}
}
