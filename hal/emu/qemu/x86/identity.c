// SPDX-License-Identifier: BSD-2-Clause
// Which PMU belongs to QEMU's processor (-cpu), by its CPUID.

#include <stdio.h>
#include <string.h>

#include "../unpromised.h"
#include "x86.h"

#define LEAF_VENDOR		0
#define LEAF_VERSION		1

// CPUID leaf 1, EAX (SDM volume 2A): the extended fields apply to these families only.
static unsigned family_of(uint32_t eax)
{
	const unsigned family = eax >> 8 & 0xF;

	return family == 0xF ? family + (eax >> 20 & 0xFF) : family;
}

static unsigned processor_of(uint32_t eax)
{
	const bool extended = (eax >> 8 & 0xF) == 0xF || (eax >> 8 & 0xF) == 6;

	return (eax >> 4 & 0xF) | (extended ? eax >> 12 & 0xF0 : 0);
}

// If the plugin answers CPUID for the PMU (no expose), -cpu need not match. If the PMU belongs to
// many processors, its CPUID keeps QEMU's family and model.
const char *x86_mismatch(const struct cpu *c, const struct pmu_model *model)
{
	static char problem[200];
	uint32_t is[4], should[4];

	if (!model->identification->expose || pmu_model_base(model)->variants)
		return NULL;
	cpu_x86_cpuid(x86_env(c), LEAF_VERSION, 0, &is[0], &is[1], &is[2], &is[3]);
	memcpy(should, is, sizeof should);
	model->identification->identify(model, LEAF_VERSION, 0, should);
	if (family_of(is[0]) == family_of(should[0]) &&
	    processor_of(is[0]) == processor_of(should[0]))
		return NULL;
	snprintf(problem, sizeof problem,
		 "the guest's processor is of family %u, model %u, and the PMU %s belongs to "
		 "family %u, model %u (-cpu; force=on accepts it)", family_of(is[0]),
		 processor_of(is[0]), model->name, family_of(should[0]), processor_of(should[0]));
	return problem;
}

// A processor by CPUID: leaf 0, whose EBX, ECX and EDX are the vendor; family and model of leaf 1,
// as in struct pmu_model, `processors`.
struct identity {
	uint32_t vendor[4];
	uint16_t number;
};

static bool is_of(const struct pmu_model *model, const void *context)
{
	const struct identity *is = context;
	const uint16_t *number = model->processors;
	uint32_t r[4];

	while (number && *number && *number != is->number)
		number++;
	if (!number || !*number)
		return false;
	memcpy(r, is->vendor, sizeof r);
	model->identification->identify(model, LEAF_VENDOR, 0, r);
	return !memcmp(r + 1, is->vendor + 1, 3 * sizeof *r);
}

const char *x86_pmu_of(const struct cpu *c)
{
	struct identity is;
	const struct pmu_model *model;
	uint32_t r[4];

	cpu_x86_cpuid(x86_env(c), LEAF_VENDOR, 0, &is.vendor[0], &is.vendor[1], &is.vendor[2],
		      &is.vendor[3]);
	cpu_x86_cpuid(x86_env(c), LEAF_VERSION, 0, &r[0], &r[1], &r[2], &r[3]);
	is.number = (uint16_t)(family_of(r[0]) << 8 | processor_of(r[0]));
	model = pmu_model_search(is_of, &is);
	return model ? model->name : NULL;
}
