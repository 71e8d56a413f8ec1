// SPDX-License-Identifier: BSD-2-Clause
// Processors with numbers that a backend chooses.

#include "state.h"

#define WIDTH_LEAST	32	/* a write of IA32_PMC sets 32 bits */
#define FIXED_FIRST	3	/* fixed counters before version 5, which adds the slots */

_Static_assert(sizeof(struct intel_processor) <= MODEL_PROCESSOR_SIZE, "struct pmu_model, choose");

static uint8_t chosen(uint8_t choice, uint8_t own)
{
	return choice == MODEL_OWN ? own : choice;
}

const char *intel_choose(const struct pmu_model *model, const struct model_choice *choice,
			 void *processor)
{
	struct intel_processor *p = processor;

	*p = *(const struct intel_processor *)model->processor;
	if (choice->fixed != MODEL_OWN)
		p->fixed_bits = 0;
	p->version = chosen(choice->version, p->version);
	p->general = chosen(choice->general, p->general);
	p->width = chosen(choice->width, p->width);
	p->fixed_count = chosen(choice->fixed, p->fixed_count);
	if (!p->version || p->version > INTEL_VERSION_BITMAP)
		return "version=1 to 5";
	if (!p->general || p->general > GENERAL)
		return "general=1 to 8";
	if (p->width < WIDTH_LEAST || p->width > INTEL_COUNTER_WIDTH)
		return "width=32 to 48";
	if (p->fixed_count > INTEL_FIXED_COUNTERS)
		return "fixed=0 to 4";
	if (intel_fixed(p) && p->version < INTEL_VERSION_GLOBAL)
		return "fixed counters need version=2 or later (fixed=0)";
	if (intel_fixed(p) >> FIXED_FIRST && p->version < INTEL_VERSION_BITMAP)
		return "fixed counter 3 needs version=5 (fixed=3)";
	p->full_width &= p->version >= INTEL_VERSION_GLOBAL;
	return NULL;
}
