// SPDX-License-Identifier: BSD-2-Clause
// Which events counters select, and which of these an emulated processor raises
// (hal/include/vpmu.h).

#include "vpmu.h"

// The counter's field of its select register. NULL: the register cannot be read.
static const struct model_counters *read_select(const struct pmu_model *model, void *state,
						unsigned thread,
						unsigned *counter, uint64_t *select)
{
	const struct model_counters *g = model->groups;

	while (*counter >= g->count)
		*counter -= (g++)->count;
	if (!model->read(state, thread, g->select + *counter * g->distance, select))
		return NULL;
	*select >>= *counter * g->shift;
	return g;
}

bool vpmu_selects(const struct pmu_model *model, void *state, unsigned thread, unsigned counter,
		  struct model_event *event)
{
	uint64_t select;
	const struct model_counters *g = read_select(model, state, thread, &counter, &select);

	if (!g)
		return false;
	*event = g->event ? g->event[counter] :
		 (struct model_event){(uint16_t)model_picked(select, g->code),
				      (uint8_t)model_picked(select, g->umask)};
	return (select & g->off_mask) != g->off;
}

bool vpmu_selects_any_thread(const struct pmu_model *model, void *state, unsigned thread,
			     unsigned counter)
{
	uint64_t select;
	const struct model_counters *g = read_select(model, state, thread, &counter, &select);

	return g && select & g->any;
}

unsigned vpmu_counters(const struct pmu_model *model)
{
	unsigned count = 0;

	for (size_t i = 0; i < model->group_count; i++)
		count += model->groups[i].count;
	return count;
}

bool vpmu_row_counts(const struct pmu_model *model, const struct model_raised *r, uint16_t code,
		     uint8_t umask, uint64_t setting)
{
	const struct occurrence o = {.code = r->code, .sub = r->sub};

	if (!model_has_row(model->machine->interruptions_count, r) ||
	    !model_counts(model, &o, code, umask))
		return false;
	if (setting == VPMU_ANY_SETTING)
		return true;
	if (r->opcode)
		return (setting >> MODEL_OPCODE_LOW & 0xFF) == r->opcode;
	return (!r->request || setting & r->request) &&
	       (!r->response || setting >> 8 & r->response);
}

// The events of a memory read or write depend on the line's address.
#define LINES	256
#define LINE	64

static bool transactions_raise(const struct pmu_model *model, uint16_t code, uint8_t umask)
{
	for (uint64_t line = 0; model->package && model->package->transaction && line < LINES;
	     line++)
		for (unsigned write = 0; write < 2; write++) {
			const struct occurrence o = model->package->transaction(line * LINE, write);

			if (model_counts(model, &o, code, umask))
				return true;
		}
	return false;
}

bool vpmu_happens(const struct pmu_model *model, uint16_t code, uint8_t umask, uint64_t setting,
		  unsigned packages, enum model_clock_kind clock, bool *exact)
{
	bool happens = vpmu_clock_raises(model, 0, 0, code, umask);

	*exact = !transactions_raise(model, code, umask);
	happens |= !*exact;
	for (const struct model_raised *r = model->machine->raised;
	     r && r->cpu_event != CPU_EVENT_COUNT; r++)
		if (vpmu_row_counts(model, r, code, umask, setting) &&
		    model_is_by_clock(r, clock) &&
		    (packages > 1 || !cpu_event_is_of_packages(r->cpu_event))) {
			happens = true;
			*exact &= r->exact;
		}
	return happens;
}
