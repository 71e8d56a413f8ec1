// SPDX-License-Identifier: BSD-2-Clause
// Queries of the hypervisor: registers, state of counters, the CPUID leaves in parts, and delivery
// of an overflow by the local APIC.

#include "core.h"

#include <string.h>

#include "../../../pmu/engine/engine.h"

_Static_assert(VPMU_INTERCEPT_READ == 1 && VPMU_INTERCEPT_WRITE == 2,
	       "both are the bits of `access`");

//
// Registers
//

// Some write-only registers fault on reads; others read as 0.
static uint8_t access_of(const struct vpmu_core *core, const struct register_description *r,
			 uint32_t address)
{
	uint64_t value;

	if (features_hides(core, address))
		return 0;
	return (core->vpmu.model->read(core->vpmu.state, 0, address, &value) ? VPMU_INTERCEPT_READ :
		0) |
	       (core_has_effect(r) ? VPMU_INTERCEPT_WRITE : 0);
}

bool vpmu_core_register(const struct vpmu_core *core, unsigned number,
			struct vpmu_register *description)
{
	const struct register_description *r, *end;
	const struct pmu_model *model;

	if (!description)
		return false;
	*description = (struct vpmu_register){0};
	if (!core)
		return false;
	model = core->vpmu.model;
	r = model->registers;
	end = r + model->register_count;
	for (; r < end && number >= r->count; r++)
		number -= r->count;
	if (r == end)
		return false;
	description->name = r->name;
	description->number = r->first < 0 ? -1 : r->first + (int)(number * r->distance);
	description->address = r->address + number * r->distance;
	description->of_core = r->scope != REGISTER_OF_THREAD;
	description->access = access_of(core, r, description->address);
	description->intercept = VPMU_INTERCEPT_READ | VPMU_INTERCEPT_WRITE;
	if (model->user &&
	    description->address - model->user->open_address < model->user->open_count)
		description->intercept |= VPMU_INTERCEPT_ANY_LEVEL;
	return true;
}

//
// Counters
//

static enum vpmu_error describe_counter(struct vpmu_core *core, unsigned thread, unsigned number,
					unsigned of_thread, struct vpmu_counter *counter)
{
	const struct pmu_model *model = core->vpmu.model;
	const struct engine *engine = core->vpmu.state;
	const struct model_counters *g = model->groups;
	unsigned group = 0, i = number;
	uint64_t select;

	for (; i >= g->count; group++)
		i -= g++->count;
	counter->address = g->counts ? g->counts[i].address : g->address + i;
	counter->select = g->select + (g->distance ? i * g->distance : 0);
	counter->exposed = i < core->exposed[group];
	model->read(core->vpmu.state, thread, counter->address, &counter->value);
	if (g->counts)
		counter->value = counter->value >> g->counts[i].low &
			FIELD_MASK(0, g->counts[i].width);
	model->read(core->vpmu.state, thread, counter->select, &select);
	counter->counts = engine->counting >> (thread * of_thread + number) & 1 &&
			  (select >> i * g->shift & g->off_mask) != g->off;
	select = features_show(core, thread, counter->select, select) >> i * g->shift;
	counter->selects = (select & g->off_mask) != g->off;
	counter->event = g->event ? (struct vpmu_event){.code = g->event[i].code,
							.umask = g->event[i].umask} :
				    (struct vpmu_event){
					    .code = (uint16_t)model_picked(select, g->code),
					    .umask = (uint8_t)model_picked(select, g->umask)};
	return VPMU_OK;
}

enum vpmu_error vpmu_core_counter(struct vpmu_core *core, unsigned thread, unsigned number,
				  struct vpmu_counter *counter)
{
	unsigned of_thread = 0;

	if (!counter)
		return VPMU_ERROR_ARGUMENT;
	*counter = (struct vpmu_counter){0};
	if (!core_has_thread(core, thread))
		return VPMU_ERROR_ARGUMENT;
	for (size_t n = 0; n < core->vpmu.model->group_count; n++)
		of_thread += core->vpmu.model->groups[n].count;
	if (number >= of_thread)
		return VPMU_ERROR_ARGUMENT;
	return describe_counter(core, thread, number, of_thread, counter);
}

//
// x86
//

// The registers of a CPUID leaf, as bits, that identify the processor. All others describe its PMU.
static unsigned identity_of(uint32_t leaf)
{
	return leaf == 0 ? 0xE : leaf == 1 ? 0x1 : 0;
}

enum vpmu_error vpmu_core_filter(const struct vpmu_core *core, unsigned parts, uint32_t leaf,
				 uint32_t subleaf, uint32_t registers[4])
{
	uint32_t all[4];

	if (!core || !registers || parts & ~(VPMU_FILTER_IDENTITY | VPMU_FILTER_MONITORING))
		return VPMU_ERROR_ARGUMENT;
	memcpy(all, registers, sizeof all);
	vpmu_core_identify(core, leaf, subleaf, all);
	for (unsigned i = 0; i < 4; i++)
		if (parts & (identity_of(leaf) >> i & 1 ? VPMU_FILTER_IDENTITY :
			     VPMU_FILTER_MONITORING))
			registers[i] = all[i];
	return VPMU_OK;
}

// SDM volume 4, IA32_MISC_ENABLE: performance monitoring available; branch trace storage
// unavailable; precise records unavailable.
#define MISC_MONITORING	(1u << 7)
#define MISC_NO_BTS	(1u << 11)
#define MISC_NO_PEBS	(1u << 12)

uint64_t vpmu_core_misc_enable(const struct vpmu_core *core, uint64_t value)
{
	if (!core || !core->vpmu.model->identification || !core->vpmu.model->identification->expose)
		return value;
	value &= ~(uint64_t)MISC_NO_PEBS;
	return value | MISC_MONITORING | MISC_NO_BTS | (core->attached ? 0 : MISC_NO_PEBS);
}

// SDM volume 3A, "Local Vector Table".
#define LVT_MASKED	(1u << 16)
#define LVT_DELIVERY(l)	((l) >> 8 & 7)
#define DELIVERY_FIXED	0
#define DELIVERY_SMI	2
#define DELIVERY_NMI	4
#define VECTOR_LOWEST	16

enum vpmu_delivery vpmu_deliver(uint32_t *lvtpc, uint8_t *vector)
{
	uint32_t entry;

	if (!vector)
		return VPMU_DELIVER_NOTHING;
	*vector = 0;
	if (!lvtpc)
		return VPMU_DELIVER_NOTHING;
	entry = *lvtpc;
	if (entry & LVT_MASKED)
		return VPMU_DELIVER_NOTHING;
	*lvtpc |= LVT_MASKED;
	switch (LVT_DELIVERY(entry)) {
	case DELIVERY_NMI:
		return VPMU_DELIVER_NMI;
	case DELIVERY_SMI:
		return VPMU_DELIVER_SMI;
	case DELIVERY_FIXED:
		*vector = (uint8_t)entry;
		return *vector < VECTOR_LOWEST ? VPMU_DELIVER_NOTHING : VPMU_DELIVER_VECTOR;
	}
	return VPMU_DELIVER_NOTHING;
}
