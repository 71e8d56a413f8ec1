// SPDX-License-Identifier: BSD-2-Clause
// Registers, and bits of registers, that a processor lacks, by what its CPUID reports.

#include "state.h"

#define ALL_BITS	(~0ULL)

// Bits of a version's freeze and thaw in the status registers.
#define FROZEN		(FIELD(IA32_PERF_GLOBAL_STATUS, LBR_Frz) | \
			 FIELD(IA32_PERF_GLOBAL_STATUS, CTR_Frz))

static uint64_t counters_lacking(const struct intel_processor *p)
{
	return (INTEL_GENERAL_MASK & ~FIELD_MASK(0, p->general)) |
	       (INTEL_FIXED_MASK & ~((uint64_t)intel_fixed(p) << INTEL_FIRST_FIXED));
}

static uint64_t fixed_control_lacking(const struct intel_processor *p)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < INTEL_FIXED_COUNTERS; i++) {
		const uint64_t all = FIELD_MASK(0, INTEL_FIXED_CONTROL_BITS);
		const uint64_t any = FIELD(IA32_FIXED_CTR_CTRL, AnyThread0);
		const bool is_there = intel_fixed(p) >> i & 1;

		bits |= (!is_there ? all : intel_any_thread(p) ? 0 : any) <<
			i * INTEL_FIXED_CONTROL_BITS;
	}
	return bits;
}

#define HAS_INFO(format, from, to, info) [format] = info,
static const bool has_info[1 << 6] = {INTEL_LBR_FORMATS(HAS_INFO)};

static uint64_t of_each(const struct intel_processor *p, uint32_t kind, unsigned index)
{
	const uint64_t above = ~FIELD_MASK(0, p->width);

	if (kind == KIND_LASTBRANCH_FROM_IP || kind == KIND_LASTBRANCH_TO_IP)
		return index < p->lbr_depth && !p->arch_lbr ? 0 : ALL_BITS;
	if (kind == KIND_LBR_INFO)
		return index < p->lbr_depth && has_info[p->lbr_format] && !p->arch_lbr ? 0 :
			ALL_BITS;
	if (kind >= KIND_IA32_LBR_INFO)
		return index < p->lbr_depth && p->arch_lbr ? 0 : ALL_BITS;
	if (kind == KIND_IA32_FIXED_CTR)
		return p->version >= INTEL_VERSION_GLOBAL && intel_fixed(p) >> index & 1 ? above :
			ALL_BITS;
	if (index >= p->general)
		return ALL_BITS;
	if (kind == KIND_IA32_A_PMC)
		return p->full_width ? above : ALL_BITS;
	if (kind == KIND_IA32_PERFEVTSEL && !intel_any_thread(p))
		return FIELD(IA32_PERFEVTSEL, AnyThread);
	return 0;
}

static uint64_t of_one(const struct intel_processor *p, uint32_t address)
{
	const bool global = p->version >= INTEL_VERSION_GLOBAL;
	const bool frozen = p->version >= INTEL_VERSION_FROZEN;

	switch (address) {
	case MSR_IA32_FIXED_CTR_CTRL:
		return global ? fixed_control_lacking(p) : ALL_BITS;
	case MSR_IA32_PERF_GLOBAL_CTRL:
	case MSR_IA32_PERF_GLOBAL_STATUS:
	case MSR_IA32_PERF_GLOBAL_STATUS_RESET:
		return global ? counters_lacking(p) | (frozen ? 0 : FROZEN) : ALL_BITS;
	case MSR_IA32_PERF_GLOBAL_STATUS_SET:
	case MSR_IA32_PERF_GLOBAL_INUSE:
		return frozen ? counters_lacking(p) : ALL_BITS;
	case MSR_IA32_DEBUGCTL:
		return global ? 0 : FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI) |
			FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	case MSR_IA32_PERF_CAPABILITIES:
		return global ? 0 : ALL_BITS;
	case MSR_IA32_LBR_CTL:
	case MSR_IA32_LBR_DEPTH:
		return p->arch_lbr ? 0 : ALL_BITS;
	case MSR_LBR_SELECT:
		return !p->lbr_depth || p->arch_lbr ? ALL_BITS :
		       p->lbr_format < INTEL_LBR_FORMAT_CALLSTACK ?
		       FIELD(LBR_SELECT, EN_CALLSTACK) : 0;
	case MSR_LASTBRANCH_TOS:
		return p->lbr_depth && !p->arch_lbr ? ~(uint64_t)(p->lbr_depth - 1) :
			ALL_BITS;
	default:
		return ALL_BITS;
	}
}

uint64_t intel_lacking(const struct intel_processor *p, uint32_t address)
{
	static const struct {
		uint32_t address, count, kind;
	} several[] = {
		{MSR_IA32_PERFEVTSEL, GENERAL, KIND_IA32_PERFEVTSEL},
		{MSR_IA32_PMC, GENERAL, KIND_IA32_PMC},
		{MSR_IA32_A_PMC, GENERAL, KIND_IA32_A_PMC},
		{MSR_IA32_FIXED_CTR, INTEL_FIXED_COUNTERS, KIND_IA32_FIXED_CTR},
		{MSR_LASTBRANCH_FROM_IP, INTEL_BRANCH_RECORDS, KIND_LASTBRANCH_FROM_IP},
		{MSR_LASTBRANCH_TO_IP, INTEL_BRANCH_RECORDS, KIND_LASTBRANCH_TO_IP},
		{MSR_LBR_INFO, INTEL_BRANCH_RECORDS, KIND_LBR_INFO},
		{MSR_IA32_LBR_INFO, INTEL_BRANCH_RECORDS, KIND_IA32_LBR_INFO},
		{MSR_IA32_LBR_FROM_IP, INTEL_BRANCH_RECORDS, KIND_IA32_LBR_FROM_IP},
		{MSR_IA32_LBR_TO_IP, INTEL_BRANCH_RECORDS, KIND_IA32_LBR_TO_IP},
	};

	for (size_t i = 0; i < sizeof several / sizeof *several; i++)
		if (address - several[i].address < several[i].count)
			return of_each(p, several[i].kind,
					       address - several[i].address);
	return of_one(p, address);
}
