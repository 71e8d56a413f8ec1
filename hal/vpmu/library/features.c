// SPDX-License-Identifier: BSD-2-Clause
// The part of a PMU that a guest sees: how many counters, which events, whether other threads'
// events. Models describe the positions in their registers (struct model_counters).

#include "core.h"

static const struct pmu_model *model_of(const struct vpmu_core *core)
{
	return core->vpmu.model;
}

static unsigned selects_of(const struct model_counters *g)
{
	return g->distance ? g->count : 1;
}

unsigned core_selects(const struct pmu_model *model)
{
	unsigned selects = 0;

	for (size_t i = 0; i < model->group_count; i++)
		selects += selects_of(&model->groups[i]);
	return selects;
}

bool features_counters(const struct pmu_model *model, const struct vpmu_features *features,
		       uint8_t exposed[GROUPS_MOST])
{
	const bool has_fixed = model->group_count == 2;

	if (!has_fixed && features->fixed && features->fixed != VPMU_ALL_COUNTERS)
		return false;
	for (size_t i = 0; i < model->group_count; i++) {
		const uint8_t wanted = has_fixed && i == 1 ? features->fixed : features->general;
		const uint8_t count = model->groups[i].count;

		exposed[i] = wanted == VPMU_ALL_COUNTERS ? count : wanted;
		if (exposed[i] > count || exposed[i] < model->groups[i].fewest)
			return false;
	}
	return true;
}

#define REPORTS (VPMU_REPORTS_CLOCK | VPMU_REPORTS_BRANCHES | VPMU_REPORTS_EVENTS)

bool features_are_valid(const struct vpmu_features *features)
{
	if (features->reports & ~REPORTS ||
	    features->event_count > (features->events ? VPMU_LIST_MOST : 0))
		return false;
	for (size_t i = 0; i < features->event_count; i++)
		if (features->events[i].code & features->events[i].code_ignored ||
		    features->events[i].umask & features->events[i].umask_ignored)
			return false;
	return true;
}

//
// The list of events
//

// Whether two events agree in code and unit mask, apart from the ignored bits.
static bool agree(const struct vpmu_event *one, const struct vpmu_event *other,
		  unsigned code_ignored, unsigned umask_ignored)
{
	return !((one->code ^ other->code) & ~code_ignored) &&
	       !((one->umask ^ other->umask) & ~umask_ignored);
}

bool features_allow(const struct vpmu_features *features, uint16_t code, uint8_t umask)
{
	const struct vpmu_event event = {.code = code, .umask = umask};
	bool included = !features->events;

	for (size_t i = 0; i < features->event_count; i++) {
		const struct vpmu_event *entry = &features->events[i];

		if (!agree(entry, &event, entry->code_ignored, entry->umask_ignored))
			continue;
		if (entry->exclude)
			return false;
		included = true;
	}
	return included;
}

// covers: `one` matches every event that `other` matches. meet: some event matches both.
static bool covers(const struct vpmu_event *one, const struct vpmu_event *other)
{
	return !(other->code_ignored & ~one->code_ignored) &&
	       !(other->umask_ignored & ~one->umask_ignored) &&
	       agree(one, other, one->code_ignored, one->umask_ignored);
}

static bool meet(const struct vpmu_event *one, const struct vpmu_event *other)
{
	return agree(one, other, one->code_ignored | other->code_ignored,
		     one->umask_ignored | other->umask_ignored);
}

// Whether an entry with this value of `exclude` covers `entry`; whether one meets it.
static bool is_covered(const struct vpmu_features *by, bool exclude, const struct vpmu_event *entry)
{
	for (size_t i = 0; i < by->event_count; i++)
		if (by->events[i].exclude == exclude && covers(&by->events[i], entry))
			return true;
	return false;
}

static bool is_met(const struct vpmu_features *by, bool exclude, const struct vpmu_event *entry)
{
	for (size_t i = 0; i < by->event_count; i++)
		if (by->events[i].exclude == exclude && meet(&by->events[i], entry))
			return true;
	return false;
}

const struct vpmu_event *features_lack(const struct vpmu_features *offers,
				       const struct vpmu_features *needs)
{
	for (size_t i = 0; i < needs->event_count; i++)
		if (!needs->events[i].exclude && offers->events &&
		    !is_covered(offers, false, &needs->events[i]))
			return &needs->events[i];
	for (size_t i = 0; i < offers->event_count; i++)
		if (offers->events[i].exclude && !is_covered(needs, true, &offers->events[i]) &&
		    is_met(needs, false, &offers->events[i]))
			return &offers->events[i];
	return NULL;
}

static bool allows(const struct vpmu_core *core, uint16_t code, uint8_t umask)
{
	return features_allow(&core->features, code, umask);
}

static bool branches_raise(const struct pmu_model *model, uint16_t code, uint8_t umask)
{
	struct occurrence raised[MODEL_BRANCH_MOST];

	for (unsigned kind = VPMU_KIND_CONDITIONAL; kind <= VPMU_KIND_FAR;
	     kind += VPMU_KIND_CONDITIONAL)
		for (unsigned taken = 0; taken <= VPMU_BRANCH_TAKEN; taken += VPMU_BRANCH_TAKEN) {
			const struct occurrence branch =
				{.branch = (uint8_t)(VPMU_BRANCH | kind | taken)};
			const size_t count = vpmu_branch_raises(model, &branch, raised);

			for (size_t i = 0; i < count; i++)
				if (model_counts(model, &raised[i], code, umask))
					return true;
		}
	return false;
}

static bool is_reported(const struct vpmu_core *core, uint16_t code, uint8_t umask)
{
	const unsigned reports = core->features.reports;

	return !reports || reports & VPMU_REPORTS_EVENTS ||
	       vpmu_clock_raises(model_of(core), 0, 0, code, umask) ||
	       (reports & VPMU_REPORTS_BRANCHES && branches_raise(model_of(core), code, umask));
}

// Whether CPUID reports the event as present.
static bool is_there(const void *context, uint16_t code, uint8_t umask)
{
	return allows(context, code, umask) && is_reported(context, code, umask);
}

void features_leave_out(struct vpmu_core *core, unsigned thread)
{
	const struct pmu_model *model = model_of(core);
	struct model_event event;
	uint32_t absent = 0;

	if (!core->features.reports || !model->machine->leave_out)
		return;
	for (unsigned i = 0; i < model->groups[0].count; i++)
		if (vpmu_selects(model, core->vpmu.state, thread, i, &event) &&
		    !is_reported(core, event.code, event.umask))
			absent |= 1u << i;
	model->machine->leave_out(core->vpmu.state, thread, absent);
}

struct model_features features_of(const struct vpmu_core *core)
{
	return (struct model_features){
		.counters = {core->exposed[0], core->exposed[1]}, .records = core->attached,
		.any_thread = core->features.any_thread,
		.allows = core->features.events || core->features.reports ? is_there : NULL,
		.context = core,
	};
}

//
// Selects
//

// Finds the group of a select register. *first: its first counter in that group; *select: its
// number among all select registers. NULL: the register is not a select.
static const struct model_counters *find_select(const struct pmu_model *model, uint32_t address,
						unsigned *first,
						 unsigned *select)
{
	*select = 0;
	for (size_t i = 0; i < model->group_count; i++) {
		const struct model_counters *g = &model->groups[i];

		*first = address - g->select;
		if (*first < selects_of(g)) {
			*select += *first;
			return g;
		}
		*select += selects_of(g);
	}
	*select = NO_SELECT;
	return NULL;
}

uint32_t features_select_address(const struct vpmu_core *core, unsigned select)
{
	const struct model_counters *g = model_of(core)->groups;

	for (; select >= selects_of(g); g++)
		select -= selects_of(g);
	return g->select + select;
}

static bool allows_select(const struct vpmu_core *core, const struct model_counters *g,
			  unsigned counter, uint64_t field)
{
	if (g->event)
		return allows(core, g->event[counter].code, g->event[counter].umask);
	return allows(core, (uint16_t)model_picked(field, g->code),
		      (uint8_t)model_picked(field, g->umask));
}

// Filters one counter's field of a select register.
static void filter_counter(const struct vpmu_core *core, const struct model_counters *g,
			   unsigned counter, unsigned shift, uint64_t *value, struct shown *shown)
{
	const uint64_t field = *value >> shift;
	uint64_t hidden = core->features.any_thread ? 0 : g->any << shift, off = 0;

	if (!allows_select(core, g, counter, field)) {
		hidden |= g->off_mask << shift;
		off = g->off << shift;
	}
	shown->mask |= hidden;
	shown->value |= *value & hidden;
	*value = (*value & ~hidden) | off;
}

// The bits of a register that belong to hidden counters.
static uint64_t hidden_bits(const struct vpmu_core *core, uint32_t address)
{
	uint64_t hidden = 0;

	for (size_t i = 0; i < model_of(core)->group_count; i++) {
		const struct model_counters *g = &model_of(core)->groups[i];

		for (const struct model_bits *b = g->bits; b && b->width; b++)
			if (b->address == address && core->exposed[i] < g->count)
				hidden |= FIELD_MASK(b->low + core->exposed[i] * b->width,
						     (g->count - core->exposed[i]) * b->width);
	}
	return hidden;
}

bool features_filter(const struct vpmu_core *core, uint32_t address, uint64_t *value,
		     unsigned *select,
		  struct shown *shown)
{
	unsigned first;
	const struct model_counters *g = find_select(model_of(core), address, &first, select);

	*shown = (struct shown){0};
	if (*value & hidden_bits(core, address))
		return false;
	if (g && g->distance)
		filter_counter(core, g, first, 0, value, shown);
	for (unsigned i = 0; g && !g->distance && i < g->count; i++)
		filter_counter(core, g, i, i * g->shift, value, shown);
	return true;
}

uint64_t features_show(const struct vpmu_core *core, unsigned thread, uint32_t address,
		       uint64_t value)
{
	const struct core_thread *t = &core->thread[thread];
	unsigned first, select;

	value &= ~hidden_bits(core, address);
	if (!find_select(model_of(core), address, &first, &select))
		return value;
	return (value & ~t->shown[select].mask) | t->shown[select].value;
}

// Whether `place` is one of the hidden ones among `count`, of which the first `exposed` are
// visible.
static bool is_left_out(uint32_t place, unsigned exposed, unsigned count)
{
	return place >= exposed && place < count;
}

bool features_hides(const struct vpmu_core *core, uint32_t address)
{
	for (size_t i = 0; i < model_of(core)->group_count; i++) {
		const struct model_counters *g = &model_of(core)->groups[i];

		if (is_left_out(address - g->address, core->exposed[i], g->count) ||
		    (g->distance && is_left_out(address - g->select, core->exposed[i], g->count)))
			return true;
	}
	return false;
}

bool features_hides_index(const struct vpmu_core *core, uint32_t index)
{
	for (size_t i = 0; i < model_of(core)->group_count; i++)
		if (is_left_out(index - model_of(core)->groups[i].index, core->exposed[i],
				model_of(core)->groups[i].count))
			return true;
	return false;
}

// The model's value of a register, regardless of the features; 0 if the thread cannot read it.
static uint64_t held(const struct vpmu_core *core, unsigned thread, uint32_t address)
{
	uint64_t value = 0;

	return model_of(core)->read(core->vpmu.state, thread, address, &value) ? value : 0;
}

static void apply_to_selects(struct vpmu_core *core, unsigned thread)
{
	const struct pmu_model *model = model_of(core);

	for (unsigned i = 0; i < core_selects(model); i++) {
		const uint32_t address = features_select_address(core, i);
		const uint64_t before = held(core, thread, address);
		uint64_t value = before & ~hidden_bits(core, address);
		unsigned select;

		features_filter(core, address, &value, &select, &core->thread[thread].shown[i]);
		if (value != before)
			model->write(core->vpmu.state, thread, address, value, 0);
	}
}

void features_apply(struct vpmu_core *core)
{
	const struct pmu_model *model = model_of(core);

	for (unsigned thread = 0; thread < model->threads; thread++) {
		apply_to_selects(core, thread);
		for (size_t i = 0; i < model->group_count; i++)
			for (const struct model_bits *b = model->groups[i].bits; b && b->width;
			     b++) {
				const uint64_t value = held(core, thread, b->address);
				const uint64_t hidden = hidden_bits(core, b->address);

				if (value & hidden)
					model->write(core->vpmu.state, thread, b->address,
						     value & ~hidden, 0);
			}
	}
}

// features_rest for one group.
static bool are_at_rest(const struct vpmu_core *core, unsigned thread,
			const struct model_counters *g, unsigned exposed)
{
	bool rest = true;

	for (unsigned i = exposed; i < g->count; i++)
		rest &= !held(core, thread, g->address + i) &&
			!(g->distance && held(core, thread, g->select + i * g->distance));
	for (const struct model_bits *b = g->bits; b && b->width; b++)
		rest &= !(held(core, thread, b->address) & hidden_bits(core, b->address));
	return rest;
}

bool features_rest(const struct vpmu_core *core)
{
	bool rest = true;

	for (unsigned thread = 0; thread < model_of(core)->threads; thread++)
		for (size_t i = 0; i < model_of(core)->group_count; i++)
			rest &= are_at_rest(core, thread, &model_of(core)->groups[i],
					    core->exposed[i]);
	return rest;
}
