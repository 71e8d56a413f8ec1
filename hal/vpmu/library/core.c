// SPDX-License-Identifier: BSD-2-Clause
// Creation, state and registers of a vPMU (palmon/vpmu.h). Each function checks its arguments
// before it calls the model.

#include "core.h"

#include <string.h>

_Static_assert(VPMU_ALIGNMENT == MODEL_ALIGNMENT && VPMU_FAR == MODEL_FAR, "model.h");
_Static_assert(VPMU_REGISTERS == MODEL_REGISTERS, "model.h");

//
// Creation
//

uint32_t vpmu_version(void)
{
	return VPMU_VERSION;
}

static size_t aligned(size_t size)
{
	return (size + VPMU_ALIGNMENT - 1) & ~(size_t)(VPMU_ALIGNMENT - 1);
}

const char *vpmu_error_text(enum vpmu_error error)
{
	switch (error) {
	case VPMU_OK:
		return "no error";
	case VPMU_ERROR_TARGET:
		return "no such target";
	case VPMU_ERROR_MEMORY:
		return "memory too small, not aligned, or overlapping";
	case VPMU_ERROR_FEATURES:
		return "features that this processor cannot have, or an invalid list of events";
	case VPMU_ERROR_ARGUMENT:
		return "argument out of range";
	case VPMU_ERROR_IMAGE:
		return "not an image, or a damaged one";
	case VPMU_ERROR_VERSION:
		return "image of an unknown version";
	case VPMU_ERROR_OTHER:
		return "image of another target or more exposed features";
	}
	return "unknown error";
}

// A model without groups of counters cannot be exposed in part; it is for the host only.
static bool is_complete(const struct pmu_model *model)
{
	return model->groups;
}

const char *vpmu_target(unsigned number)
{
	for (const struct pmu_model *const *m = pmu_models; *m; m++)
		if (is_complete(*m) && number-- == 0)
			return (*m)->name;
	return NULL;
}

static const struct pmu_model *find_model(const char *target)
{
	const struct pmu_model *model = target ? pmu_model_find(target) : NULL;

	return model && is_complete(model) ? model : NULL;
}

// Half of a vPMU's memory: struct vpmu_core and its model's state. The other half is the trial
// vPMU.
static size_t half_size(const struct pmu_model *model)
{
	return aligned(sizeof(struct vpmu_core)) + aligned(model->size);
}

size_t vpmu_core_size(const char *target)
{
	const struct pmu_model *model = find_model(target);

	return model ? 2 * half_size(model) : 0;
}

bool core_overlap(const void *one, size_t size, const void *other, size_t other_size)
{
	const uintptr_t a = (uintptr_t)one, b = (uintptr_t)other;

	return b - a < size || a - b < other_size;
}

bool core_contains(const struct vpmu_core *core, const void *bytes, size_t size)
{
	return core_overlap(core, 2 * half_size(core->vpmu.model), bytes, size);
}

void core_reset(struct vpmu_core *core, uint64_t seed)
{
	const struct pmu_model *model = core->vpmu.model;

	memset(core->thread, 0, sizeof core->thread);
	core->vpmu.thread = core->vpmu.level = 0;
	core->vpmu.halted = false;
	model->reset(model, core->vpmu.state, -1, seed);
	if (core->attached && model->records)
		model->records->attach(core->vpmu.state, &core->processor);
	vpmu_resume(&core->vpmu);
	features_apply(core);
}

static struct vpmu_core *make(void *memory, const struct pmu_model *model,
			      const struct vpmu_features *features)
{
	struct vpmu_core *core = memory;

	memset(core, 0, sizeof *core);
	core->vpmu.model = model;
	core->vpmu.state = (char *)memory + aligned(sizeof *core);
	core->features = core->offers = *features;
	features_counters(model, features, core->exposed);
	memcpy(core->offered, core->exposed, sizeof core->offered);
	return core;
}

enum vpmu_error vpmu_core_create(struct vpmu_core **core, void *memory, size_t size,
				 const char *target,
				 const struct vpmu_features *features, uint64_t seed)
{
	static const struct vpmu_features everything = {
		.general = VPMU_ALL_COUNTERS, .fixed = VPMU_ALL_COUNTERS, .any_thread = true,
	};
	const struct pmu_model *model = find_model(target);
	const size_t needed = vpmu_core_size(target);
	uint8_t exposed[GROUPS_MOST];

	features = features ? features : &everything;
	if (!model)
		return VPMU_ERROR_TARGET;
	if (!core)
		return VPMU_ERROR_ARGUMENT;
	if (!memory || (uintptr_t)memory % VPMU_ALIGNMENT || size < needed ||
	    core_overlap(memory, needed, core, sizeof *core) ||
	    core_overlap(memory, needed, features, sizeof *features))
		return VPMU_ERROR_MEMORY;
	if (!features_are_valid(features) || !features_counters(model, features, exposed))
		return VPMU_ERROR_FEATURES;
	if (core_overlap(memory, needed, features->events,
			 features->event_count * sizeof *features->events))
		return VPMU_ERROR_MEMORY;
	*core = make(memory, model, features);
	(*core)->trial = make((char *)memory + half_size(model), model, features);
	core_reset(*core, seed);
	return VPMU_OK;
}

unsigned vpmu_core_threads(const struct vpmu_core *core)
{
	return core ? core->vpmu.model->threads : 0;
}

enum vpmu_error vpmu_core_reset(struct vpmu_core *core, enum vpmu_reset kind, unsigned thread,
				uint64_t seed)
{
	if (!core)
		return VPMU_ERROR_ARGUMENT;
	switch (kind) {
	case VPMU_RESET_COLD:
	case VPMU_RESET_WARM:
		core_reset(core, seed);
		return VPMU_OK;
	case VPMU_RESET_INIT:
		if (!core->vpmu.model->has_init || !core_has_thread(core, thread))
			return VPMU_ERROR_ARGUMENT;
		vpmu_core_set_halted(core, thread, false);
		return vpmu_core_set_level(core, thread, 0);
	}
	return VPMU_ERROR_ARGUMENT;
}

enum vpmu_error vpmu_core_attach(struct vpmu_core *core, const struct vpmu_guest *guest)
{
	if (!core || (guest && (!guest->read || !guest->write || !guest->registers)))
		return VPMU_ERROR_ARGUMENT;
	if (!core->vpmu.model->records)
		return VPMU_OK;
	core->attached = guest;
	if (guest)
		core->processor = (struct model_processor){guest->context, guest->read,
							   guest->write, guest->registers};
	core->vpmu.model->records->attach(core->vpmu.state, guest ? &core->processor : NULL);
	return VPMU_OK;
}

//
// The executing thread
//

void core_switch(struct vpmu_core *core, unsigned thread)
{
	struct vpmu *v = &core->vpmu;

	v->thread = thread;
	v->level = core->thread[thread].level;
	v->halted = core->thread[thread].halted;
	vpmu_resume(v);
}

enum vpmu_error vpmu_core_set_level(struct vpmu_core *core, unsigned thread, unsigned level)
{
	if (!core_has_thread(core, thread) || level >= CORE_LEVELS)
		return VPMU_ERROR_ARGUMENT;
	if (core->thread[thread].level == level)
		return VPMU_OK;
	// The model takes a thread's level from signals that it executes. To set it, switch to the
	// thread and end its halt for a moment.
	core_look_at(core, thread);
	core->thread[thread].level = (uint8_t)level;
	vpmu_set_halted(&core->vpmu, false);
	vpmu_set_level(&core->vpmu, level);
	if (core->thread[thread].halted)
		vpmu_set_halted(&core->vpmu, true);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_set_halted(struct vpmu_core *core, unsigned thread, bool halted)
{
	if (!core_has_thread(core, thread))
		return VPMU_ERROR_ARGUMENT;
	if (core->thread[thread].halted == halted)
		return VPMU_OK;
	core->thread[thread].halted = halted;
	if (core->vpmu.thread == thread)
		vpmu_set_halted(&core->vpmu, halted);
	return VPMU_OK;
}

//
// Registers
//

static const struct register_description *find_register(const struct pmu_model *model,
							uint32_t address)
{
	for (size_t i = 0; i < model->register_count; i++) {
		const struct register_description *r = &model->registers[i];
		const uint32_t offset = address - r->address;

		if (offset < (uint32_t)r->count * r->distance && offset % r->distance == 0)
			return r;
	}
	return NULL;
}

bool core_has_effect(const struct register_description *r)
{
	for (unsigned i = 0; i < r->fields; i++)
		if (r->field[i].access != FIELD_RO && r->field[i].access != FIELD_IGN &&
		    r->field[i].access != FIELD_RSVD)
			return true;
	return false;
}

// The result of a failed access: the register is absent, hidden, or not accessible to the thread.
static enum vpmu_result refusal(struct vpmu_core *core, uint32_t address)
{
	struct vpmu *v = &core->vpmu;
	uint64_t value;

	if (features_hides(core, address) || find_register(v->model, address))
		return VPMU_FAULT;
	return v->model->read(v->state, v->thread, address, &value) ? VPMU_FAULT : VPMU_NOT_MINE;
}

// Whether any level can access the register (model.h, open_address); *index is then its counter
// index.
static bool is_open(const struct vpmu_core *core, uint32_t address, uint32_t *index)
{
	const struct model_user *user = core->vpmu.model->user;

	*index = user ? address - user->open_address : 0;
	return user && *index < user->open_count;
}

enum vpmu_result vpmu_core_read(struct vpmu_core *core, unsigned thread, uint32_t address,
				uint64_t *value)
{
	uint32_t index;

	if (!value)
		return VPMU_NOT_MINE;
	*value = 0;
	if (!core_look_at(core, thread))
		return VPMU_NOT_MINE;
	address = model_canonical(core->vpmu.model, address);
	if (core->vpmu.level && is_open(core, address, &index))
		return vpmu_core_read_counter(core, thread, index, value);
	if (core->vpmu.level || features_hides(core, address) ||
	    !vpmu_read(&core->vpmu, address, value)) {
		*value = 0;
		return refusal(core, address);
	}
	*value = features_show(core, thread, address, *value);
	return VPMU_DONE;
}

// At the highest level, for vpmu_core_write.
static enum vpmu_result write(struct vpmu_core *core, unsigned thread, uint32_t address,
			      uint64_t value, uint64_t cycles)
{
	const struct register_description *r = find_register(core->vpmu.model, address);
	struct shown shown;
	unsigned select;

	if (!features_filter(core, address, &value, &select, &shown) ||
	    !vpmu_write(&core->vpmu, address, value, cycles))
		return refusal(core, address);
	if (select != NO_SELECT) {
		core->thread[thread].shown[select] = shown;
		features_leave_out(core, thread);
	}
	core_pass_time(core, thread, cycles);
	return r && core_has_effect(r) ? VPMU_DONE : VPMU_IGNORED;
}

enum vpmu_result vpmu_core_write(struct vpmu_core *core, unsigned thread, uint32_t address,
				 uint64_t value, uint64_t cycles)
{
	uint32_t index;

	if (!core_look_at(core, thread))
		return VPMU_NOT_MINE;
	address = model_canonical(core->vpmu.model, address);
	if (core->vpmu.level && is_open(core, address, &index) &&
	    core->vpmu.model->user->write_counter)
		return vpmu_core_write_counter(core, thread, index, value, cycles);
	if (core->vpmu.level || features_hides(core, address))
		return refusal(core, address);
	return write(core, thread, address, value, cycles);
}

enum vpmu_result vpmu_core_read_counter(struct vpmu_core *core, unsigned thread, uint32_t index,
					uint64_t *value)
{
	if (!value)
		return VPMU_NOT_MINE;
	*value = 0;
	if (!core_look_at(core, thread))
		return VPMU_NOT_MINE;
	if (features_hides_index(core, index) || !vpmu_read_counter(&core->vpmu, index, value)) {
		*value = 0;
		return VPMU_FAULT;
	}
	return VPMU_DONE;
}

enum vpmu_result vpmu_core_write_counter(struct vpmu_core *core, unsigned thread, uint32_t index,
					 uint64_t value, uint64_t cycles)
{
	if (!core_look_at(core, thread) || !core->vpmu.model->user ||
	    !core->vpmu.model->user->write_counter)
		return VPMU_NOT_MINE;
	if (features_hides_index(core, index) ||
	    !vpmu_write_counter(&core->vpmu, index, value, cycles))
		return VPMU_FAULT;
	core_pass_time(core, thread, cycles);
	return VPMU_DONE;
}

enum vpmu_result vpmu_core_spflt(struct vpmu_core *core, unsigned thread, bool count,
				 uint64_t cycles)
{
	if (!core_look_at(core, thread) || !vpmu_spflt(&core->vpmu, count, cycles))
		return VPMU_NOT_MINE;
	core_pass_time(core, thread, cycles);
	return VPMU_DONE;
}

enum vpmu_error vpmu_core_identify(const struct vpmu_core *core, uint32_t leaf, uint32_t subleaf,
				   uint32_t registers[4])
{
	const struct model_identification *identification;
	struct model_features features;

	if (!core || !registers)
		return VPMU_ERROR_ARGUMENT;
	features = features_of(core);
	identification = core->vpmu.model->identification;
	if (identification)
		identification->identify(core->vpmu.model, leaf, subleaf, registers);
	if (identification && identification->expose)
		identification->expose(leaf, registers, &features);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_interruption(struct vpmu_core *core, unsigned thread, uint64_t *saved)
{
	if (!saved)
		return VPMU_ERROR_ARGUMENT;
	*saved = 0;
	if (!core_look_at(core, thread))
		return VPMU_ERROR_ARGUMENT;
	if (core->vpmu.model->machine->interruption)
		core->vpmu.model->machine->interruption(core->vpmu.state, thread, saved);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_resume(struct vpmu_core *core, unsigned thread, uint64_t saved)
{
	if (!core_look_at(core, thread))
		return VPMU_ERROR_ARGUMENT;
	if (core->vpmu.model->machine->resume)
		core->vpmu.model->machine->resume(core->vpmu.state, thread, saved);
	return VPMU_OK;
}
