// SPDX-License-Identifier: BSD-2-Clause
// Versions, debug registers, and what the driver's table says of the processor.

#include "cpu.h"
#include "procedures.h"

// palmon's own number, in the place of PAL_B's revision and model; no PAL_A lies beneath it.
#define VERSION_REVISION	1
#define VERSION_MODEL		0

struct pal_ret pal_version(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	const uint64_t version = VERSION_REVISION | VERSION_MODEL << 8;

	(void)index;
	if (a1 | a2 | a3)
		return (struct pal_ret){.status = PAL_INVALID_ARGUMENT};
	return (struct pal_ret){.status = PAL_SUCCESS, .v1 = version, .v2 = version};
}

struct pal_ret pal_debug_info(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	(void)index;
	if (a1 | a2 | a3)
		return (struct pal_ret){.status = PAL_INVALID_ARGUMENT};
	return (struct pal_ret){
		.status = PAL_SUCCESS,
		.v1 = pmu_this_cpu()->driver->instruction_breakpoints,
		.v2 = pmu_this_cpu()->driver->data_breakpoints,
	};
}

#define INVALID ((struct pal_ret){.status = PAL_INVALID_ARGUMENT})

static uint64_t logarithm(uint64_t power_of_two)
{
	return (uint64_t)__builtin_ctzll(power_of_two);
}

// A unified cache answers for data.
static struct pal_ret cache_information(const struct pmu_processor *p, uint64_t level, uint64_t type)
{
	for (const struct pmu_cache *c = p->cache, *end = c + p->caches; c < end; c++)
		if (c->level == level && (c->type == PMU_CACHE_UNIFIED ? PMU_CACHE_DATA : c->type) == type)
			return (struct pal_ret){
				.v1 = (c->type == PMU_CACHE_UNIFIED) | (uint64_t)c->write_back << 1 |
				      (uint64_t)c->ways << 8 | logarithm(c->line) << 16 | logarithm(c->line) << 24,
				.v2 = c->size,
			};
	return INVALID;
}

static struct pal_ret memory_summary(const struct pmu_processor *p)
{
	return (struct pal_ret){
		.v1 = p->page_walker | (uint64_t)p->physical_bits << 1 | (uint64_t)p->key_bits << 8 |
		      (uint64_t)(p->keys - 1) << 16 | (uint64_t)p->translation_caches << 48 |
		      (uint64_t)p->translation_levels << 56,
		.v2 = (p->virtual_bits - 1) | (uint64_t)p->region_bits << 8,
	};
}

struct pal_ret pal_processor_info(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	const struct pmu_processor *p = pmu_this_cpu()->driver->processor;

	if (!p)
		return (struct pal_ret){.status = PAL_UNIMPLEMENTED};
	if (a3)
		return INVALID;
	if (index == PAL_CACHE_INFO)
		return cache_information(p, a1, a2);
	if (a1 | a2)
		return INVALID;
	if (index == PAL_VM_SUMMARY)
		return memory_summary(p);
	if (index == PAL_RSE_INFO)
		return (struct pal_ret){.v1 = p->stacked_registers, .v2 = p->stack_hints};
	return (struct pal_ret){.v1 = p->page_sizes, .v2 = p->page_sizes};
}
