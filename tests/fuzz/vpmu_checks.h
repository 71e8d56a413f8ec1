/* SPDX-License-Identifier: BSD-2-Clause */
/* Invariants of a vPMU: its registers hold values that their manual allows, and no event counts
 * that the list of events does not allow. */
#ifndef VPMU_CHECKS_H
#define VPMU_CHECKS_H

#include "core.h"
#include "fuzz.h"
#include "manual.h"
#include "vpmu_arguments.h"

static const struct manual *manual;

/* Reads a register from the model, exposed or not. Returns false if the thread cannot read it. */
static inline bool look(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t *value)
{
	return core->vpmu.model->read(core->vpmu.state, thread, address, value);
}

static inline void check_register(struct vpmu_core *core, uint32_t address)
{
	const struct manual_register *r = manual_find(manual, address);
	uint64_t value;

	for (unsigned thread = 0; r && thread < core->vpmu.model->threads; thread++)
		if (look(core, thread, address, &value))
			FUZZ_REQUIRE(manual_allows(r, value));
}

/* A guest never reads bits of absent counters from its registers; accesses to their own registers
 * fault. */
static inline void check_hidden(struct vpmu_core *core, unsigned thread)
{
	uint64_t value;

	vpmu_core_set_level(core, thread, 0);
	for (size_t i = 0; i < core->vpmu.model->group_count; i++) {
		const struct model_counters *g = &core->vpmu.model->groups[i];

		if (core->exposed[i] < g->count)
			FUZZ_REQUIRE(vpmu_core_read(core, thread, g->address + core->exposed[i],
						    &value) ==
				     VPMU_FAULT);
	}
	for (unsigned i = 0; i < manual->bit_count; i++) {
		const struct manual_counter_bits *b = &manual->bits[i];
		const unsigned exposed = core->exposed[b->group];

		if (exposed == b->counters)
			continue;
		FUZZ_REQUIRE(vpmu_core_read(core, thread, b->address, &value) == VPMU_DONE);
		FUZZ_REQUIRE(!(value & MANUAL_BITS(b->low + b->counters * b->width - 1,
						   b->low + exposed * b->width)));
	}
}

static inline void check_all(struct vpmu_core *core)
{
	for (unsigned i = 0; i < manual->register_count; i++)
		for (unsigned n = 0; n < manual->registers[i].count; n++)
			check_register(core,
				       manual->registers[i].address +
				       n * manual->registers[i].distance);
	for (unsigned thread = 0; thread < core->vpmu.model->threads; thread++)
		check_hidden(core, thread);
}

/* Each counting event is allowed by the list with which the vPMU was made, for any loaded state,
 * and by the loaded state's list. A select of an allowed event holds the value that the guest has
 * written. */
static inline void check_counter(struct vpmu_core *core, unsigned thread, unsigned n)
{
	const struct model_counters *g = &core->vpmu.model->groups[0];
	const bool of_first = n < g->count && g->distance;
	struct vpmu_counter c;
	uint64_t held;

	vpmu_core_counter(core, thread, n, &c);
	FUZZ_REQUIRE(!c.counts || (c.exposed && allows(&core->offers, &c.event) &&
				   allows(&core->features, &c.event)));
	look(core, thread, c.select, &held);
	FUZZ_REQUIRE(!of_first || !allows(&core->features, &c.event) ||
		     c.selects == ((held & g->off_mask) != g->off));
}

/* For some events that the entries of a list match: the exposed list allows none that the vPMU's
 * list does not. */
static inline void check_events(const struct vpmu_core *core, const struct vpmu_features *list)
{
	static const uint16_t ignored[] = {0, 0xFFFF, 0x5555, 0xAAAA, 0x0001, 0x8080};

	for (size_t i = 0; i < list->event_count; i++)
		for (unsigned n = 0; n < sizeof ignored / sizeof *ignored; n++) {
			const struct vpmu_event *e = &list->events[i];
			const struct vpmu_event event = {
				.code = e->code | (e->code_ignored & ignored[n]),
				.umask = (uint8_t)(e->umask | (e->umask_ignored & ignored[n])),
			};

			FUZZ_REQUIRE(!allows(&core->features, &event) ||
				     allows(&core->offers, &event));
		}
}

static inline void check_list(struct vpmu_core *core)
{
	struct vpmu_counter counter;

	FUZZ_REQUIRE(are_valid(&core->features));
	check_events(core, &core->features);
	check_events(core, &core->offers);
	for (unsigned thread = 0; thread < vpmu_core_threads(core); thread++)
		for (unsigned n = 0; vpmu_core_counter(core, thread, n, &counter) == VPMU_OK; n++)
			check_counter(core, thread, n);
}

#endif
