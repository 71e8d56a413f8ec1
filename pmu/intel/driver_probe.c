// SPDX-License-Identifier: BSD-2-Clause
// Reads CPUID leaf 0AH (SDM volume 2A, CPUID), and rejects an enumeration that contradicts itself,
// another leaf, or the registers' layout.

#include "driver.h"

#define VERSION(leaf)		((leaf)[0] & 0xFF)
#define GENERAL(leaf)		((leaf)[0] >> 8 & 0xFF)
#define GENERAL_WIDTH(leaf)	((leaf)[0] >> 16 & 0xFF)
#define EVENTS(leaf)		((leaf)[0] >> 24)
#define FIXED(leaf)		((leaf)[3] & 0x1F)
#define FIXED_WIDTH(leaf)	((leaf)[3] >> 5 & 0xFF)

#define WIDTH_LEAST	32	/* a write of IA32_PMC sets 32 bits */
#define WIDTH_MOST	64
#define FIXED_MOST	16	/* bits of the global registers */

// Bits of leaf 23H, subleaf 0, EAX: subleaf 1 has the counters as bits, general ones in EAX, fixed
// ones in EBX.
#define COUNTERS_SUBLEAF	(1u << 1)

// Until the probe: shape and features of the model's processor (cpuid.c reports it).
struct pmu_shape intel_shape = {
	.counters = INTEL_GENERAL_MASK | INTEL_FIXED_MASK,
	.fixed = INTEL_FIXED_MASK,
	.width = INTEL_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << (INTEL_COUNTER_WIDTH - 1),
	.features = PMU_FEATURE_FREEZE | PMU_FEATURE_GLOBAL | PMU_FEATURE_USER_READ |
		PMU_FEATURE_THRESHOLD | PMU_FEATURE_ANY_THREAD,
};

struct intel_found intel_found = {
	.global = true, .freezes = true, .streamlined = true, .any_thread = true,
	.full_width = true,
	.general = INTEL_GENERAL_COUNTERS,
	.lbr_format = 5,
	.lbr = {MSR_IA32_DEBUGCTL, MSR_LASTBRANCH_TOS, MSR_LASTBRANCH_FROM_IP, MSR_LASTBRANCH_TO_IP,
		MSR_LBR_INFO, INTEL_BRANCH_RECORDS},
	.lbr_filters = true,
};

#define DATA_MASK(counters)	((1ULL << (counters)) - 1)

// Register numbers in the masks of PAL_PERF_MON_INFO (README.md): control registers 0 to 7 are
// IA32_PERFEVTSEL0 to 7, 8 IA32_FIXED_CTR_CTRL, 9 IA32_PERF_GLOBAL_CTRL, 10
// IA32_PERF_GLOBAL_STATUS_RESET; data registers 0 to 7 are IA32_PMC0 to 7, 8 to 11 IA32_FIXED_CTR0
// to 3, 12 IA32_PERF_GLOBAL_STATUS.
#define FIRST_FIXED_DATA	8
#define GLOBAL_CONTROLS		0x700u
#define GLOBAL_STATUS		0x1000u

struct pmu_monitor_information intel_information = {
	.summary = PMU_SUMMARY(INTEL_GENERAL_COUNTERS, INTEL_COUNTER_WIDTH, INTEL_EVENT_CYCLES,
			       INTEL_EVENT_RETIRED),
	.control_mask = 0xFF | GLOBAL_CONTROLS,
	.data_mask = 0xFFF | GLOBAL_STATUS,
	.cycles_mask = INTEL_GENERAL_MASK,
	.retired_mask = INTEL_GENERAL_MASK,
};

static uint32_t fixed_counters(const uint32_t leaf[4])
{
	const uint32_t counted = (1u << FIXED(leaf)) - 1;

	if (VERSION(leaf) < INTEL_VERSION_GLOBAL)
		return 0;
	return VERSION(leaf) < INTEL_VERSION_BITMAP ? counted : counted | leaf[2];
}

static const char *object_to_general(const uint32_t leaf[4])
{
	if (!VERSION(leaf))
		return "CPUID.0AH reports version 0, so no counters";
	if (!GENERAL(leaf))
		return "CPUID.0AH reports 0 general counters";
	if (GENERAL(leaf) == 64)
		return "CPUID.0AH reports 64 general counters; the global registers have bits for "
		       "32";
	if (GENERAL(leaf) > INTEL_GENERAL_COUNTERS)
		return "CPUID.0AH reports more than 8 general counters; this driver knows the "
		       "registers of 8";
	if (!GENERAL_WIDTH(leaf))
		return "CPUID.0AH reports general counters of 0 bits";
	if (GENERAL_WIDTH(leaf) < WIDTH_LEAST)
		return "CPUID.0AH reports general counters of fewer than 32 bits; a write sets 32";
	if (GENERAL_WIDTH(leaf) > WIDTH_MOST)
		return "CPUID.0AH reports general counters of more than 64 bits";
	if (!EVENTS(leaf))
		return "CPUID.0AH reports 0 architectural events";
	return NULL;
}

static const char *object_to_fixed(const uint32_t leaf[4])
{
	const uint32_t fixed = fixed_counters(leaf);

	if (fixed >> FIXED_MOST)
		return "CPUID.0AH reports more than 16 fixed counters; the global registers have "
		       "bits for 16";
	if (fixed && !FIXED_WIDTH(leaf))
		return "CPUID.0AH reports fixed counters of 0 bits";
	if (fixed && FIXED_WIDTH(leaf) < WIDTH_LEAST)
		return "CPUID.0AH reports fixed counters of fewer than 32 bits";
	if (fixed && FIXED_WIDTH(leaf) > WIDTH_MOST)
		return "CPUID.0AH reports fixed counters of more than 64 bits";
	return NULL;
}

// A processor with leaf 23H also reports its counters as bits.
static const char *object_to_extension(const uint32_t leaf[4])
{
	uint32_t other[4];

	hal_identify(0, 0, other);
	if (other[0] < INTEL_LEAF_EXTENSION)
		return NULL;
	hal_identify(7, 1, other);
	if (!(other[0] & INTEL_PERFMON_EXT))
		return NULL;
	hal_identify(INTEL_LEAF_EXTENSION, 0, other);
	if (!(other[0] & COUNTERS_SUBLEAF))
		return NULL;
	hal_identify(INTEL_LEAF_EXTENSION, 1, other);
	if (((1u << GENERAL(leaf)) - 1) & ~other[0])
		return "CPUID.23H denies general counters that CPUID.0AH reports";
	if (fixed_counters(leaf) & ~other[1])
		return "CPUID.23H denies fixed counters that CPUID.0AH reports";
	return NULL;
}

// From version 2 on, IA32_PERF_CAPABILITIES and the freeze exist if leaf 01H reports PDCM.
static void find_features(const uint32_t leaf[4], struct intel_found *found)
{
	const unsigned version = VERSION(leaf);
	const uint32_t beyond = EVENTS(leaf) < 32 ? ~0u << EVENTS(leaf) : 0;
	uint32_t one[4];
	uint64_t capabilities = 0;
	bool pdcm;

	hal_identify(1, 0, one);
	pdcm = version >= INTEL_VERSION_GLOBAL && one[2] & INTEL_PDCM;
	if (pdcm && !reg_read(MSR_IA32_PERF_CAPABILITIES, &capabilities))
		capabilities = 0;
	*found = (struct intel_found){
		.global = version >= INTEL_VERSION_GLOBAL,
		.freezes = pdcm,
		.streamlined = pdcm && version >= INTEL_VERSION_FROZEN,
		.any_thread = version >= INTEL_VERSION_ANY && !(leaf[3] & INTEL_ANY_DEPRECATED),
		.full_width = capabilities & FIELD(IA32_PERF_CAPABILITIES, FW_WRITE),
		.general = (uint8_t)GENERAL(leaf),
		.absent = leaf[1] | beyond,
	};
	intel_find_branches(found, capabilities);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void fill_shape(const uint32_t leaf[4], const struct intel_found *found,
		       struct pmu_shape *s)
{
	const uint8_t width = (uint8_t)GENERAL_WIDTH(leaf);
	const uint64_t fixed = fixed_counters(leaf) & ((1u << INTEL_FIXED_COUNTERS) - 1);
	const uint8_t fixed_width = fixed ? (uint8_t)FIXED_WIDTH(leaf) : width;
	const uint8_t narrower = (uint8_t)lesser(width, fixed_width);
	const unsigned most = found->full_width ? (unsigned)lesser(narrower - 1u, 62) : 31;

	*s = (struct pmu_shape){
		.fixed = fixed << INTEL_FIRST_FIXED,
		.counters = DATA_MASK(found->general) | fixed << INTEL_FIRST_FIXED,
		.arm_least = PMU_ARM_LEAST,
		.arm_most = 1ULL << most,
		.width = width > fixed_width ? width : fixed_width,
		.mixed = width != fixed_width,
		.by_value = !found->global,
		.features = PMU_FEATURE_USER_READ | PMU_FEATURE_THRESHOLD |
			(found->global ? PMU_FEATURE_GLOBAL : 0) |
			(found->freezes ? PMU_FEATURE_FREEZE : 0) |
			(found->any_thread ? PMU_FEATURE_ANY_THREAD : 0),
	};
	for (unsigned n = 0; n < PMU_COUNTER_NUMBERS && s->mixed; n++)
		if (s->counters >> n & 1)
			s->widths[n] = n < INTEL_FIRST_FIXED ? width : fixed_width;
}

static void fill_information(const struct pmu_shape *s, const struct intel_found *found,
			     unsigned width)
{
	const uint64_t general = DATA_MASK(found->general);

	intel_information.summary = PMU_SUMMARY(found->general, width, INTEL_EVENT_CYCLES,
						INTEL_EVENT_RETIRED);
	intel_information.control_mask = general | (found->global ? GLOBAL_CONTROLS : 0);
	intel_information.data_mask = general |
		s->fixed >> INTEL_FIRST_FIXED << FIRST_FIXED_DATA |
		(found->global ? GLOBAL_STATUS : 0);
	intel_information.cycles_mask = intel_information.retired_mask = general;
}

const char *intel_probe(struct pmu_shape *shape)
{
	uint32_t leaf[4];
	const char *why;

	hal_identify(0, 0, leaf);
	if (leaf[0] < INTEL_LEAF_PERFMON)
		return "CPUID.0H reports no leaf 0AH";
	hal_identify(INTEL_LEAF_PERFMON, 0, leaf);
	why = object_to_general(leaf);
	if (!why)
		why = object_to_fixed(leaf);
	if (!why)
		why = object_to_extension(leaf);
	if (why)
		return why;
	find_features(leaf, &intel_found);
	fill_shape(leaf, &intel_found, shape);
	fill_information(shape, &intel_found, GENERAL_WIDTH(leaf));
	return NULL;
}
