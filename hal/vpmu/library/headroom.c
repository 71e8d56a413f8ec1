// SPDX-License-Identifier: BSD-2-Clause
// The distance that a guest can run before a line can change, whatever it does, from the maxima in
// events.tab.

#include <string.h>

#include "core.h"

#define COUNTERS_MOST	32	/* of a core */

// The sum of the maxima of a unit mask's bits, if each bit is an event that can be combined with
// others; otherwise 0.
static struct model_most most_of_joined(const char *target, unsigned code, unsigned umask)
{
	struct model_most sum = {0};

	for (const struct event_most *row = event_most; row->target; row++) {
		if (row->code != code || strcmp(row->target, target))
			continue;
		if (row->joins && !(row->umask & (row->umask - 1)) && umask & row->umask) {
			sum.instruction += row->instruction;
			sum.cycle += row->cycle;
			umask &= ~row->umask;
		}
	}
	return umask ? (struct model_most){0} : sum;
}

static struct model_most most_of(const char *target, unsigned code, unsigned umask)
{
	unsigned care = 0;

	for (const struct event_most *row = event_most; row->target; row++) {
		if (row->code != code || strcmp(row->target, target))
			continue;
		if (!((row->umask ^ umask) & row->care))
			return (struct model_most){row->instruction, row->cycle};
		care |= row->care;
	}
	return most_of_joined(target, code, umask & care);
}

// If the counter counts all threads' events, each thread can add the maximum in a cycle.
static struct model_most most_of_counter(const struct vpmu_core *core, unsigned thread,
					 const struct model_counters *g, unsigned n)
{
	const struct pmu_model *model = core->vpmu.model;
	struct model_most most;
	uint64_t select = 0;

	model->read(core->vpmu.state, thread, g->select + n * g->distance, &select);
	select >>= n * g->shift;
	most = g->code ? most_of(model->name, (unsigned)model_picked(select, g->code),
				 (unsigned)model_picked(select, g->umask)) :
			 most_of(model->name, g->event[n].code, g->event[n].umask);
	most.cycle *= select & g->any ? model->threads : 1;
	return most;
}

struct vpmu_headroom vpmu_core_worst_headroom(struct vpmu_core *core)
{
	struct model_most most[COUNTERS_MOST];
	struct model_headroom headroom = {0};
	const struct pmu_model *model;
	unsigned counters = 0;

	if (!core)
		return (struct vpmu_headroom){0};
	model = core->vpmu.model;
	for (unsigned thread = 0; thread < model->threads; thread++)
		for (size_t i = 0; i < model->group_count; i++)
			for (unsigned n = 0; n < model->groups[i].count; n++)
				most[counters++] =
					most_of_counter(core, thread, &model->groups[i], n);
	model->headroom(core->vpmu.state, most, &headroom);
	return (struct vpmu_headroom){headroom.instructions, headroom.cycles};
}
