// SPDX-License-Identifier: BSD-2-Clause
// A vPMU as hypervisors see it (palmon/vpmu.h): the model of a core, behind checks of whatever comes in.

#include "core.h"

#include <string.h>

_Static_assert(VPMU_ALIGNMENT == MODEL_ALIGNMENT && VPMU_FAR == MODEL_FAR, "model.h");
_Static_assert(VPMU_REGISTERS == MODEL_REGISTERS, "model.h");
_Static_assert(VPMU_BRANCH == OCCURRENCE_BRANCH && VPMU_BRANCH_TAKEN == OCCURRENCE_TAKEN &&
	       VPMU_BRANCH_WRONG_PATH == OCCURRENCE_WRONG_PATH &&
	       VPMU_BRANCH_WRONG_TARGET == OCCURRENCE_WRONG_TARGET &&
	       VPMU_KIND_CONDITIONAL == OCCURRENCE_KIND_CONDITIONAL && VPMU_KIND_FAR == OCCURRENCE_KIND_FAR, "model.h");

#define LEVELS		4
#define CORES_MOST	32	/* that a PMU may signal */

//
// Making one
//

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
		return "memory too small or not aligned";
	case VPMU_ERROR_FEATURES:
		return "not a number of counters that this processor can have";
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

// A model that says nothing of its counters cannot be exposed in part: it is the host's only.
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
	const struct pmu_model *model = pmu_model_find(target);

	return model && is_complete(model) ? model : NULL;
}

// A vPMU, its model's state, and both once more.
static size_t half_size(const struct pmu_model *model)
{
	return aligned(sizeof(struct vpmu_core)) + aligned(model->size);
}

size_t vpmu_core_size(const char *target)
{
	const struct pmu_model *model = find_model(target);

	return model ? 2 * half_size(model) : 0;
}

void core_reset(struct vpmu_core *core, uint64_t seed)
{
	const struct pmu_model *model = core->vpmu.model;

	memset(core->thread, 0, sizeof core->thread);
	core->vpmu.thread = core->vpmu.level = 0;
	core->vpmu.halted = false;
	model->reset(core->vpmu.state, -1, seed);
	if (core->attached && model->attach)
		model->attach(core->vpmu.state, &core->processor);
	vpmu_resume(&core->vpmu);
	features_apply(core);
}

static struct vpmu_core *make(void *memory, const struct pmu_model *model, const struct vpmu_features *features)
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

enum vpmu_error vpmu_core_create(struct vpmu_core **core, void *memory, size_t size, const char *target,
				 const struct vpmu_features *features, uint64_t seed)
{
	static const struct vpmu_features everything = {
		.general = VPMU_ALL_COUNTERS, .fixed = VPMU_ALL_COUNTERS, .any_thread = true,
	};
	const struct pmu_model *model = find_model(target);
	uint8_t exposed[GROUPS_MOST];

	features = features ? features : &everything;
	if (!model)
		return VPMU_ERROR_TARGET;
	if (!memory || (uintptr_t)memory % VPMU_ALIGNMENT || size < vpmu_core_size(target))
		return VPMU_ERROR_MEMORY;
	if (!features_counters(model, features, exposed))
		return VPMU_ERROR_FEATURES;
	*core = make(memory, model, features);
	(*core)->trial = make((char *)memory + half_size(model), model, features);
	core_reset(*core, seed);
	return VPMU_OK;
}

unsigned vpmu_core_threads(const struct vpmu_core *core)
{
	return core->vpmu.model->threads;
}

static bool has_thread(const struct vpmu_core *core, unsigned thread)
{
	return thread < core->vpmu.model->threads;
}

enum vpmu_error vpmu_core_reset(struct vpmu_core *core, enum vpmu_reset kind, unsigned thread, uint64_t seed)
{
	switch (kind) {
	case VPMU_RESET_COLD:
	case VPMU_RESET_WARM:
		core_reset(core, seed);
		return VPMU_OK;
	case VPMU_RESET_INIT:
		if (!core->vpmu.model->has_init || !has_thread(core, thread))
			return VPMU_ERROR_ARGUMENT;
		vpmu_core_set_halted(core, thread, false);
		return vpmu_core_set_level(core, thread, 0);
	}
	return VPMU_ERROR_ARGUMENT;
}

void vpmu_core_attach(struct vpmu_core *core, const struct vpmu_guest *guest)
{
	const struct pmu_model *model = core->vpmu.model;

	if (!model->attach)
		return;
	core->attached = guest;
	if (guest)
		core->processor = (struct model_processor){guest->context, guest->read, guest->write, guest->registers};
	model->attach(core->vpmu.state, guest ? &core->processor : NULL);
}

//
// Who executes
//

// Makes the thread the one that executes. False: there is no such thread.
static bool look_at(struct vpmu_core *core, unsigned thread)
{
	struct vpmu *v = &core->vpmu;

	if (!has_thread(core, thread))
		return false;
	if (v->thread != thread) {
		v->thread = thread;
		v->level = core->thread[thread].level;
		v->halted = core->thread[thread].halted;
		vpmu_resume(v);
	}
	return true;
}

enum vpmu_error vpmu_core_set_level(struct vpmu_core *core, unsigned thread, unsigned level)
{
	if (!has_thread(core, thread) || level >= LEVELS)
		return VPMU_ERROR_ARGUMENT;
	if (core->thread[thread].level == level)
		return VPMU_OK;
	// The model has a level from what executes at it, also that of a thread that is halted, or not looked at.
	look_at(core, thread);
	core->thread[thread].level = (uint8_t)level;
	vpmu_set_halted(&core->vpmu, false);
	vpmu_set_level(&core->vpmu, level);
	if (core->thread[thread].halted)
		vpmu_set_halted(&core->vpmu, true);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_set_halted(struct vpmu_core *core, unsigned thread, bool halted)
{
	if (!has_thread(core, thread))
		return VPMU_ERROR_ARGUMENT;
	if (core->thread[thread].halted == halted)
		return VPMU_OK;
	core->thread[thread].halted = halted;
	if (core->vpmu.thread == thread)
		vpmu_set_halted(&core->vpmu, halted);
	return VPMU_OK;
}

static void pass_time(struct vpmu_core *core, unsigned thread, uint64_t cycles)
{
	core->thread[thread].enabled += cycles;
	core->thread[thread].running += cycles;
}

//
// Registers
//

static const struct register_description *find_register(const struct pmu_model *model, uint32_t address)
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

// Of a register that the thread cannot reach, or that is not there.
static enum vpmu_result refusal(struct vpmu_core *core, uint32_t address)
{
	struct vpmu *v = &core->vpmu;
	uint64_t value;

	if (features_hides(core, address) || find_register(v->model, address))
		return VPMU_FAULT;
	return v->model->read(v->state, v->thread, address, &value) ? VPMU_FAULT : VPMU_NOT_MINE;
}

// Where any level reaches a register: the index that it has for the unprivileged access.
static bool is_open(const struct vpmu_core *core, uint32_t address, uint32_t *index)
{
	*index = address - core->vpmu.model->open_address;
	return *index < core->vpmu.model->open_count;
}

enum vpmu_result vpmu_core_read(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t *value)
{
	uint32_t index;

	*value = 0;
	if (!look_at(core, thread))
		return VPMU_NOT_MINE;
	if (core->vpmu.level && is_open(core, address, &index))
		return vpmu_core_read_counter(core, thread, index, value);
	if (core->vpmu.level || features_hides(core, address) || !vpmu_read(&core->vpmu, address, value)) {
		*value = 0;
		return refusal(core, address);
	}
	*value = features_show(core, thread, address, *value);
	return VPMU_DONE;
}

// Both at the highest level.
static enum vpmu_result write(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t value,
			      uint64_t cycles)
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
	pass_time(core, thread, cycles);
	return r && core_has_effect(r) ? VPMU_DONE : VPMU_IGNORED;
}

enum vpmu_result vpmu_core_write(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t value,
				 uint64_t cycles)
{
	uint32_t index;

	if (!look_at(core, thread))
		return VPMU_NOT_MINE;
	if (core->vpmu.level && is_open(core, address, &index) && core->vpmu.model->write_counter)
		return vpmu_core_write_counter(core, thread, index, value, cycles);
	if (core->vpmu.level || features_hides(core, address))
		return refusal(core, address);
	return write(core, thread, address, value, cycles);
}

enum vpmu_result vpmu_core_read_counter(struct vpmu_core *core, unsigned thread, uint32_t index, uint64_t *value)
{
	*value = 0;
	if (!look_at(core, thread))
		return VPMU_NOT_MINE;
	if (features_hides_index(core, index) || !vpmu_read_counter(&core->vpmu, index, value)) {
		*value = 0;
		return VPMU_FAULT;
	}
	return VPMU_DONE;
}

enum vpmu_result vpmu_core_write_counter(struct vpmu_core *core, unsigned thread, uint32_t index, uint64_t value,
					 uint64_t cycles)
{
	if (!look_at(core, thread) || !core->vpmu.model->write_counter)
		return VPMU_NOT_MINE;
	if (features_hides_index(core, index) || !vpmu_write_counter(&core->vpmu, index, value, cycles))
		return VPMU_FAULT;
	pass_time(core, thread, cycles);
	return VPMU_DONE;
}

enum vpmu_result vpmu_core_spflt(struct vpmu_core *core, unsigned thread, bool count, uint64_t cycles)
{
	if (!look_at(core, thread) || !vpmu_spflt(&core->vpmu, count, cycles))
		return VPMU_NOT_MINE;
	pass_time(core, thread, cycles);
	return VPMU_DONE;
}

enum vpmu_result vpmu_core_execute(struct vpmu_core *core, unsigned thread, uint8_t opcode, uint64_t *rax, uint64_t rcx,
				   uint64_t *rdx)
{
	uint64_t value = *rdx << 32 | (uint32_t)*rax;
	enum vpmu_result result = VPMU_NOT_MINE;

	if (opcode == VPMU_WRMSR)
		return vpmu_core_write(core, thread, (uint32_t)rcx, value, 1);
	if (opcode == VPMU_RDMSR)
		result = vpmu_core_read(core, thread, (uint32_t)rcx, &value);
	if (opcode == VPMU_RDPMC)
		result = vpmu_core_read_counter(core, thread, (uint32_t)rcx, &value);
	if (result == VPMU_DONE) {
		vpmu_core_advance(core, thread, 1, 1);
		*rax = (uint32_t)value;
		*rdx = value >> 32;
	}
	return result;
}

void vpmu_core_identify(const struct vpmu_core *core, uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	const struct pmu_model *model = core->vpmu.model;
	const struct model_features features = features_of(core);

	if (model->identify)
		model->identify(leaf, subleaf, registers);
	if (model->expose)
		model->expose(leaf, registers, &features);
}

void vpmu_core_interruption(struct vpmu_core *core, unsigned thread, uint64_t *saved)
{
	*saved = 0;
	if (look_at(core, thread) && core->vpmu.model->interruption)
		core->vpmu.model->interruption(core->vpmu.state, thread, saved);
}

void vpmu_core_resume(struct vpmu_core *core, unsigned thread, uint64_t saved)
{
	if (look_at(core, thread) && core->vpmu.model->resume)
		core->vpmu.model->resume(core->vpmu.state, thread, saved);
}

//
// What happens
//

#define CLOCK_MOST 12

// So many cycles pass with so many instructions in each.
static void run(struct vpmu_core *core, uint32_t instructions, uint64_t cycles)
{
	struct vpmu *v = &core->vpmu;
	struct occurrence signals[CLOCK_MOST];
	size_t count, first = 0;
	const struct occurrence *clock = model_clock(v->model, v->thread, v->level, &count);

	if (cycles == 0)
		return;
	if (count)
		memcpy(signals, clock, count * sizeof *signals);
	if (instructions == 0)
		first = count - v->model->clock_cycles;
	for (size_t i = 0; i < count - v->model->clock_cycles; i++)
		signals[i].n = instructions;
	v->model->connect(v->state, signals + first, count - first);
	vpmu_run(v, cycles);
}

enum vpmu_error vpmu_core_advance(struct vpmu_core *core, unsigned thread, uint64_t instructions, uint64_t cycles)
{
	const uint64_t each = cycles ? instructions / cycles : 0, more = cycles ? instructions % cycles : 0;

	if ((instructions && !cycles) || each >= UINT32_MAX - 1 || !has_thread(core, thread) ||
	    (instructions && core->thread[thread].halted))
		return VPMU_ERROR_ARGUMENT;
	look_at(core, thread);
	pass_time(core, thread, cycles);
	if (core->vpmu.halted || instructions == cycles) {
		vpmu_run(&core->vpmu, cycles);
		return VPMU_OK;
	}
	run(core, (uint32_t)each + 1, more);
	run(core, (uint32_t)each, cycles - more);
	vpmu_resume(&core->vpmu);
	return VPMU_OK;
}

static struct occurrence occurrence_of(const struct vpmu_occurrence *o)
{
	return (struct occurrence){
		.code = o->code, .sub = o->sub, .n = o->n, .thread = o->thread, .level = o->level, .isa = o->isa,
		.type = o->type, .slot = o->slot, .served = o->served, .branch = o->branch, .data = o->data,
		.latency = o->latency, .ip = o->ip, .opcode = o->opcode, .address = o->address, .target = o->target,
	};
}

static bool is_occurrence(const struct vpmu_core *core, const struct vpmu_occurrence *o)
{
	return has_thread(core, o->thread) && o->level < LEVELS && o->isa <= 1 && o->slot <= 2 && o->data <= 1 &&
	       o->branch < 0x80 && !core->thread[o->thread].halted;
}

enum vpmu_error vpmu_core_feed(struct vpmu_core *core, const struct vpmu_occurrence *occurrences, size_t count,
			       uint64_t cycles)
{
	struct occurrence signals[VPMU_OCCURRENCES_MOST];
	unsigned threads = 0;

	if (count > VPMU_OCCURRENCES_MOST)
		return VPMU_ERROR_ARGUMENT;
	for (size_t i = 0; i < count; i++)
		if (!is_occurrence(core, &occurrences[i]))
			return VPMU_ERROR_ARGUMENT;
	for (size_t i = 0; i < count; i++) {
		signals[i] = occurrence_of(&occurrences[i]);
		core->thread[signals[i].thread].level = signals[i].level;
		threads |= 1u << signals[i].thread;
	}
	for (unsigned thread = 0; thread < core->vpmu.model->threads; thread++)
		if (threads >> thread & 1)
			pass_time(core, thread, cycles);
	core->vpmu.model->connect(core->vpmu.state, signals, count);
	vpmu_run(&core->vpmu, cycles);
	core->vpmu.level = core->thread[core->vpmu.thread].level;
	vpmu_resume(&core->vpmu);
	return VPMU_OK;
}

static bool may_execute(struct vpmu_core *core, unsigned thread)
{
	return look_at(core, thread) && !core->vpmu.halted;
}

enum vpmu_error vpmu_core_branch(struct vpmu_core *core, unsigned thread, const struct vpmu_occurrence *branch)
{
	const struct occurrence o = occurrence_of(branch);

	if (!may_execute(core, thread) || branch->branch >= 0x80)
		return VPMU_ERROR_ARGUMENT;
	pass_time(core, thread, 1);
	vpmu_branch(&core->vpmu, &o);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_commit(struct vpmu_core *core, unsigned thread)
{
	if (!may_execute(core, thread))
		return VPMU_ERROR_ARGUMENT;
	pass_time(core, thread, 1);
	vpmu_commit(&core->vpmu);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_change_level(struct vpmu_core *core, unsigned thread, unsigned level)
{
	if (level >= LEVELS || !may_execute(core, thread))
		return VPMU_ERROR_ARGUMENT;
	core->thread[thread].level = (uint8_t)level;
	pass_time(core, thread, 1);
	vpmu_change_level(&core->vpmu, level, NULL, 0);
	return VPMU_OK;
}

void vpmu_core_bus_lock(struct vpmu_core *core)
{
	if (core->vpmu.model->bus_lock)
		core->vpmu.model->bus_lock(core->vpmu.state);
}

void vpmu_core_signal(struct vpmu_core *core, unsigned thread)
{
	if (has_thread(core, thread) && core->vpmu.model->signal)
		core->vpmu.model->signal(core->vpmu.state, thread);
}

uint64_t vpmu_core_headroom(struct vpmu_core *core, unsigned thread)
{
	return look_at(core, thread) ? vpmu_headroom(&core->vpmu) : VPMU_FAR;
}

unsigned vpmu_core_wants(const struct vpmu_core *core)
{
	const struct model_outputs *outputs = vpmu_outputs(&core->vpmu);

	return (outputs->level_matters ? VPMU_WANTS_LEVELS : 0) |
	       (outputs->branches_matter ? VPMU_WANTS_BRANCHES : 0) | (outputs->locks_matter ? VPMU_WANTS_LOCKS : 0);
}

//
// What comes out
//

static bool take(uint32_t *bits, unsigned bit)
{
	const bool taken = *bits >> bit & 1;

	*bits &= ~(1u << bit);
	return taken;
}

unsigned vpmu_core_take_lines(struct vpmu_core *core, unsigned thread)
{
	struct model_outputs *outputs = vpmu_outputs(&core->vpmu);
	const bool signals = core->vpmu.model->cores && thread < CORES_MOST;
	bool was_held, held;

	if (!has_thread(core, thread))
		return signals && take(&outputs->requests, thread) ? VPMU_LINE_ROSE : 0;
	was_held = core->thread[thread].held;
	held = core->thread[thread].held = outputs->held >> thread & 1;
	return (take(&outputs->requests, thread) ? VPMU_LINE_ROSE : 0) |
	       (take(&outputs->precise, thread) ? VPMU_LINE_PRECISE : 0) |
	       (held ? VPMU_LINE_HELD : 0) | (was_held && !held ? VPMU_LINE_FELL : 0);
}

uint32_t vpmu_core_take_strobes(struct vpmu_core *core)
{
	struct model_outputs *outputs = vpmu_outputs(&core->vpmu);
	const uint32_t strobes = outputs->strobes;

	outputs->strobes = 0;
	return strobes;
}

//
// Time
//

enum vpmu_error vpmu_core_deschedule(struct vpmu_core *core, unsigned thread, uint64_t cycles)
{
	if (!has_thread(core, thread))
		return VPMU_ERROR_ARGUMENT;
	core->thread[thread].enabled += cycles;
	return VPMU_OK;
}

enum vpmu_error vpmu_core_times(const struct vpmu_core *core, unsigned thread, uint64_t *enabled, uint64_t *running)
{
	if (!has_thread(core, thread))
		return VPMU_ERROR_ARGUMENT;
	*enabled = core->thread[thread].enabled;
	*running = core->thread[thread].running;
	return VPMU_OK;
}
