// SPDX-License-Identifier: BSD-2-Clause
// What a hypervisor asks of a vPMU, beside its guest's accesses: which registers there are, what its counters do, what
// the processor says of itself in parts, and what becomes of an overflow in the local APIC.

#include "core.h"

#include "../../../pmu/engine/engine.h"

_Static_assert(VPMU_INTERCEPT_READ == 1 && VPMU_INTERCEPT_WRITE == 2, "both are the bits of `access`");

//
// Registers
//

// Of some registers that can only be written the reads fault, of others they give 0.
static uint8_t access_of(const struct vpmu_core *core, const struct register_description *r, uint32_t address)
{
	uint64_t value;

	if (features_hides(core, address))
		return 0;
	return (core->vpmu.model->read(core->vpmu.state, 0, address, &value) ? VPMU_INTERCEPT_READ : 0) |
	       (core_has_effect(r) ? VPMU_INTERCEPT_WRITE : 0);
}

bool vpmu_core_register(const struct vpmu_core *core, unsigned number, struct vpmu_register *description)
{
	const struct pmu_model *model = core->vpmu.model;
	const struct register_description *r = model->registers, *end = r + model->register_count;

	for (; r < end && number >= r->count; r++)
		number -= r->count;
	*description = (struct vpmu_register){0};
	if (r == end)
		return false;
	description->name = r->name;
	description->number = r->first < 0 ? -1 : r->first + (int)(number * r->distance);
	description->address = r->address + number * r->distance;
	description->of_core = r->scope != REGISTER_OF_THREAD;
	description->access = access_of(core, r, description->address);
	description->intercept = VPMU_INTERCEPT_READ | VPMU_INTERCEPT_WRITE;
	if (description->address - model->open_address < model->open_count)
		description->intercept |= VPMU_INTERCEPT_ANY_LEVEL;
	return true;
}

//
// Counters
//

static uint64_t field_of(uint64_t value, uint64_t mask)
{
	return mask ? (value & mask) >> __builtin_ctzll(mask) : 0;
}

enum vpmu_error vpmu_core_counter(struct vpmu_core *core, unsigned thread, unsigned number,
				  struct vpmu_counter *counter)
{
	const struct pmu_model *model = core->vpmu.model;
	const struct engine *engine = core->vpmu.state;
	unsigned group = 0, of_thread = 0, i = number;
	const struct model_counters *g = model->groups;
	uint64_t select;

	*counter = (struct vpmu_counter){0};
	for (size_t n = 0; n < model->group_count; n++)
		of_thread += model->groups[n].count;
	if (thread >= model->threads || number >= of_thread)
		return VPMU_ERROR_ARGUMENT;
	for (; i >= g->count; group++)
		i -= g++->count;
	counter->address = g->address + i;
	counter->select = g->select + (g->distance ? i * g->distance : 0);
	counter->exposed = i < core->exposed[group];
	model->read(core->vpmu.state, thread, counter->address, &counter->value);
	model->read(core->vpmu.state, thread, counter->select, &select);
	counter->counts = engine->counting >> (thread * of_thread + number) & 1 &&
			  (select >> i * g->shift & g->off_mask) != g->off;
	select = features_show(core, thread, counter->select, select) >> i * g->shift;
	counter->selects = (select & g->off_mask) != g->off;
	counter->event = g->event ? (struct vpmu_event){g->event[i].code, g->event[i].umask} :
				    (struct vpmu_event){(uint16_t)field_of(select, g->code),
							(uint8_t)field_of(select, g->umask)};
	return VPMU_OK;
}

//
// x86
//

// Of the leaves, by registers as bits, what says which processor it is. All else is about its PMU.
static unsigned identity_of(uint32_t leaf)
{
	return leaf == 0 ? 0xE : leaf == 1 ? 0x1 : 0;
}

void vpmu_core_filter(const struct vpmu_core *core, unsigned parts, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4])
{
	uint32_t all[4] = {registers[0], registers[1], registers[2], registers[3]};

	vpmu_core_identify(core, leaf, subleaf, all);
	for (unsigned i = 0; i < 4; i++)
		if (parts & (identity_of(leaf) >> i & 1 ? VPMU_FILTER_IDENTITY : VPMU_FILTER_MONITORING))
			registers[i] = all[i];
}

// SDM volume 4, IA32_MISC_ENABLE: performance monitoring is available; branch trace storage, and precise records, are
// not.
#define MISC_MONITORING	(1u << 7)
#define MISC_NO_BTS	(1u << 11)
#define MISC_NO_PEBS	(1u << 12)

uint64_t vpmu_core_misc_enable(const struct vpmu_core *core, uint64_t value)
{
	if (!core->vpmu.model->expose)
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
	const uint32_t entry = *lvtpc;

	*vector = 0;
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
