// SPDX-License-Identifier: BSD-2-Clause
// Reads CPUID (APM volume 3, appendix E), and rejects an enumeration that contradicts itself or the
// registers' layout.

#include "driver.h"

#define COUNTERS_MASK(counters)	((1ULL << (counters)) - 1)

// Register numbers in the masks of PAL_PERF_MON_INFO: control registers 0 to 5 are PERF_CTL0 to 5,
// 6 PerfCntrGlobalCtl, 7 PerfCntrGlobalStatusClr; data registers 0 to 5 are PERF_CTR0 to 5, 6
// PerfCntrGlobalStatus.
#define GLOBAL_CONTROLS		0xC0u
#define GLOBAL_STATUS		0x40u

#define FEATURES		(PMU_FEATURE_USER_READ | PMU_FEATURE_THRESHOLD)

// Until the probe: shape and features of the model's processor (cpuid.c reports it).
struct pmu_shape amd_shape = {
	.counters = AMD_COUNTER_MASK,
	.width = AMD_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << (AMD_COUNTER_WIDTH - 1),
	.features = FEATURES | PMU_FEATURE_FREEZE | PMU_FEATURE_GLOBAL,
};

struct amd_found amd_found = {
	.family = 0x19, .extended = true, .global = true, .freezes = true,
};

struct pmu_monitor_information amd_information = {
	.summary = PMU_SUMMARY(AMD_COUNTERS, AMD_COUNTER_WIDTH, AMD_EVENT_CYCLES,
			       AMD_EVENT_RETIRED),
	.control_mask = AMD_COUNTER_MASK | GLOBAL_CONTROLS,
	.data_mask = AMD_COUNTER_MASK | GLOBAL_STATUS,
	.cycles_mask = AMD_COUNTER_MASK,
	.retired_mask = AMD_COUNTER_MASK,
};

static bool is_vendor(const uint32_t leaf[4], const uint32_t vendor[3])
{
	return leaf[1] == vendor[0] && leaf[3] == vendor[1] && leaf[2] == vendor[2];
}

static const char *find_family(struct amd_found *found)
{
	static const uint32_t amd[3] = AMD_VENDOR, hygon[3] = AMD_VENDOR_HYGON;
	uint32_t leaf[4];

	hal_identify(0, 0, leaf);
	if (!is_vendor(leaf, amd) && !is_vendor(leaf, hygon))
		return "CPUID.0H reports neither AMD nor Hygon";
	hal_identify(1, 0, leaf);
	found->family = (uint16_t)AMD_FAMILY_OF(leaf[0]);
	if (found->family < AMD_FAMILY_FIRST)
		return "CPUID.1H reports a family before 6, which has no counters";
	return NULL;
}

static const char *object_to_perfmon(const uint32_t leaf[4], const struct amd_found *found)
{
	const unsigned counters = leaf[1] & AMD_NUM_PERF_CTR_CORE;

	if (found->freezes && !found->global)
		return "CPUID.80000022H reports LbrAndPmcFreeze without PerfMonV2";
	if (found->global && !found->extended)
		return "CPUID.80000022H reports PerfMonV2, CPUID.80000001H no PerfCtrExtCore";
	if (found->global && counters < AMD_LEGACY_COUNTERS)
		return "CPUID.80000022H reports fewer than 4 core counters, for which other "
		       "registers exist";
	if (found->global && counters > AMD_COUNTERS)
		return "CPUID.80000022H reports more than 6 core counters; this driver knows the "
		       "registers of 6";
	return NULL;
}

// Sets *counters.
static const char *find_features(struct amd_found *found, unsigned *counters)
{
	uint32_t leaf[4], most;
	const char *why;

	hal_identify(AMD_LEAF_EXTENDED, 0, leaf);
	most = leaf[0];
	if (most < AMD_LEAF_FEATURES)
		return "CPUID.80000000H reports no leaf 80000001H";
	hal_identify(AMD_LEAF_FEATURES, 0, leaf);
	found->extended = leaf[2] & AMD_PERF_CTR_EXT_CORE;
	*counters = found->extended ? AMD_COUNTERS : AMD_LEGACY_COUNTERS;
	if (most < AMD_LEAF_PERFMON)
		return NULL;
	hal_identify(AMD_LEAF_PERFMON, 0, leaf);
	found->global = leaf[0] & AMD_PERFMON_V2;
	found->freezes = leaf[0] & AMD_LBR_PMC_FREEZE;
	why = object_to_perfmon(leaf, found);
	if (!why && found->global)
		*counters = leaf[1] & AMD_NUM_PERF_CTR_CORE;
	return why;
}

static void fill_information(uint64_t counters, bool global)
{
	amd_information.summary = PMU_SUMMARY(__builtin_popcountll(counters), AMD_COUNTER_WIDTH,
					      AMD_EVENT_CYCLES, AMD_EVENT_RETIRED);
	amd_information.control_mask = counters | (global ? GLOBAL_CONTROLS : 0);
	amd_information.data_mask = counters | (global ? GLOBAL_STATUS : 0);
	amd_information.cycles_mask = amd_information.retired_mask = counters;
}

const char *amd_probe(struct pmu_shape *shape)
{
	struct amd_found found = {0};
	unsigned counters = 0;
	const char *why = find_family(&found);

	if (!why)
		why = find_features(&found, &counters);
	if (why)
		return why;
	amd_found = found;
	*shape = (struct pmu_shape){
		.counters = COUNTERS_MASK(counters),
		.arm_least = PMU_ARM_LEAST,
		.arm_most = 1ULL << (AMD_COUNTER_WIDTH - 1),
		.width = AMD_COUNTER_WIDTH,
		.by_value = !found.global,
		.features = FEATURES | (found.global ? PMU_FEATURE_GLOBAL : 0) |
			(found.freezes ? PMU_FEATURE_FREEZE : 0),
	};
	fill_information(shape->counters, found.global);
	return NULL;
}
