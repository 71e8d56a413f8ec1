// SPDX-License-Identifier: BSD-2-Clause
// Registers, and bits of registers, that a processor lacks.

#include "state.h"

uint32_t amd_canonical(uint32_t address)
{
	if (address - MSR_PerfEvtSel < AMD_LEGACY_COUNTERS)
		return MSR_PERF_CTL0 + (address - MSR_PerfEvtSel) * AMD_DISTANCE;
	if (address - MSR_PerfCtr < AMD_LEGACY_COUNTERS)
		return MSR_PERF_CTR0 + (address - MSR_PerfCtr) * AMD_DISTANCE;
	return address;
}

// The number of the counter to which PERF_CTL or PERF_CTR belongs; AMD_COUNTERS or more: another
// register.
static uint32_t counter_of(uint32_t address)
{
	return (address - MSR_PERF_CTL0) / AMD_DISTANCE;
}

bool amd_has(const struct amd_processor *p, uint32_t address)
{
	if (amd_canonical(address) != address)
		return true;
	if (counter_of(address) < AMD_COUNTERS)
		return p->extended && counter_of(address) < p->counters;
	return p->global || address == MSR_DebugCtl;
}

static uint64_t status_ignored(const struct amd_processor *p)
{
	return (p->freezes ? 0 : FIELD(PerfCntrGlobalStatus, LbrFreeze) |
		FIELD(PerfCntrGlobalStatus, PmcFreeze)) |
	       (AMD_COUNTER_MASK & ~FIELD_MASK(0, p->counters));
}

static uint64_t ignored(const struct amd_processor *p, uint32_t address)
{
	switch (address) {
	case MSR_PerfCntrGlobalCtl:
	case MSR_PerfCntrGlobalStatusClr:
	case MSR_PerfCntrGlobalStatusSet:
		return status_ignored(p);
	default:
		return counter_of(address) >= AMD_COUNTERS || address % AMD_DISTANCE ||
		       p->family >= AMD_FAMILY_LONG ? 0 :
		       FIELD(PERF_CTL, EVENT_SELECT_HIGH) | FIELD(PERF_CTL, HG_ONLY);
	}
}

bool amd_accepts(const struct amd_processor *p, uint32_t address, uint64_t *value)
{
	const uint64_t freezes = FIELD(DebugCtl, FREEZE_LBRS_ON_PMI) |
		FIELD(DebugCtl, FREEZE_PERFMON_ON_PMI);

	*value &= ~ignored(p, amd_canonical(address));
	return amd_has(p, address) &&
	       !(address == MSR_DebugCtl && !p->freezes && *value & freezes);
}
