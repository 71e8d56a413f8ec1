// SPDX-License-Identifier: BSD-2-Clause
// The hypervisor's reports (palmon/vpmu.h), the lines that follow, and the distance to the next
// change of a line.

#include "core.h"

#include <string.h>

_Static_assert(VPMU_BRANCH == OCCURRENCE_BRANCH && VPMU_BRANCH_TAKEN == OCCURRENCE_TAKEN &&
	       VPMU_BRANCH_WRONG_PATH == OCCURRENCE_WRONG_PATH &&
	       VPMU_BRANCH_WRONG_TARGET == OCCURRENCE_WRONG_TARGET &&
	       VPMU_KIND_CONDITIONAL == OCCURRENCE_KIND_CONDITIONAL &&
	       VPMU_KIND_FAR == OCCURRENCE_KIND_FAR, "model.h");

#define CORES_MOST	32	/* cores that a package's PMU may signal */

//
// Reports
//

#define CLOCK_MOST 12

// Passes `cycles` cycles with `instructions` instructions in each.
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
		first = count - v->model->machine->clock_cycles;
	for (size_t i = 0; i < count - v->model->machine->clock_cycles; i++)
		signals[i].n = instructions;
	vpmu_advance(v, cycles, signals + first, count - first);
	vpmu_resume(v);
}

enum vpmu_error vpmu_core_advance(struct vpmu_core *core, unsigned thread, uint64_t instructions,
				  uint64_t cycles)
{
	const uint64_t each = cycles ? instructions / cycles : 0,
		more = cycles ? instructions % cycles : 0;

	if ((instructions && !cycles) || each + (more != 0) >= UINT32_MAX ||
	    !core_has_thread(core, thread) ||
	    (instructions && core->thread[thread].halted))
		return VPMU_ERROR_ARGUMENT;
	core_look_at(core, thread);
	core_pass_time(core, thread, cycles);
	if (core->vpmu.halted || instructions == cycles) {
		vpmu_run(&core->vpmu, cycles);
		return VPMU_OK;
	}
	run(core, (uint32_t)each + 1, more);
	run(core, (uint32_t)each, cycles - more);
	return VPMU_OK;
}

static struct occurrence occurrence_of(const struct vpmu_occurrence *o)
{
	return (struct occurrence){
		.code = o->code, .sub = o->sub, .n = o->n, .thread = o->thread, .level = o->level,
		.isa = o->isa,
		.type = o->type, .slot = o->slot, .served = o->served, .branch = o->branch,
		.data = o->data,
		.latency = o->latency, .ip = o->ip, .opcode = o->opcode, .address = o->address,
		.target = o->target,
	};
}

// Checks the fields with a range in palmon/vpmu.h, except thread and level.
static bool has_valid_context(const struct vpmu_occurrence *o)
{
	return o->isa <= 1 && o->type < 0x80 && o->slot <= 2 && o->branch < 0x80 && o->data <= 1;
}

static bool is_occurrence(const struct vpmu_core *core, const struct vpmu_occurrence *o)
{
	return has_valid_context(o) && core_has_thread(core, o->thread) && o->level < CORE_LEVELS &&
	       !core->thread[o->thread].halted;
}

enum vpmu_error vpmu_core_deliver(struct vpmu_core *core, const struct vpmu_occurrence *occurrences,
				  size_t count,
			       uint64_t cycles)
{
	struct occurrence signals[VPMU_OCCURRENCES_MOST];
	unsigned threads = 0;

	if (!core || count > VPMU_OCCURRENCES_MOST || (count && !occurrences))
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
			core_pass_time(core, thread, cycles);
	vpmu_advance(&core->vpmu, cycles, signals, count);
	core->vpmu.level = core->thread[core->vpmu.thread].level;
	vpmu_resume(&core->vpmu);
	return VPMU_OK;
}

static bool may_execute(struct vpmu_core *core, unsigned thread)
{
	return core_has_thread(core, thread) && !core->thread[thread].halted &&
	       core_look_at(core, thread);
}

enum vpmu_error vpmu_core_branch(struct vpmu_core *core, unsigned thread,
				 const struct vpmu_occurrence *branch)
{
	struct occurrence o;

	if (!branch || !has_valid_context(branch) || !may_execute(core, thread))
		return VPMU_ERROR_ARGUMENT;
	o = occurrence_of(branch);
	o.branch |= OCCURRENCE_BRANCH;
	core_pass_time(core, thread, 1);
	vpmu_branch(&core->vpmu, &o);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_commit(struct vpmu_core *core, unsigned thread)
{
	if (!may_execute(core, thread))
		return VPMU_ERROR_ARGUMENT;
	core_pass_time(core, thread, 1);
	vpmu_commit(&core->vpmu);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_change_level(struct vpmu_core *core, unsigned thread, unsigned level)
{
	if (level >= CORE_LEVELS || !may_execute(core, thread))
		return VPMU_ERROR_ARGUMENT;
	core->thread[thread].level = (uint8_t)level;
	core_pass_time(core, thread, 1);
	vpmu_change_level(&core->vpmu, level, NULL, 0);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_bus_lock(struct vpmu_core *core)
{
	if (!core)
		return VPMU_ERROR_ARGUMENT;
	if (core->vpmu.model->package && core->vpmu.model->package->bus_lock)
		core->vpmu.model->package->bus_lock(core->vpmu.state);
	return VPMU_OK;
}

enum vpmu_error vpmu_core_signal(struct vpmu_core *core, unsigned thread)
{
	if (!core_has_thread(core, thread))
		return VPMU_ERROR_ARGUMENT;
	if (core->vpmu.model->machine->signal)
		core->vpmu.model->machine->signal(core->vpmu.state, thread);
	return VPMU_OK;
}

uint64_t vpmu_core_headroom(struct vpmu_core *core, unsigned thread)
{
	return core_look_at(core, thread) ? vpmu_headroom(&core->vpmu) : VPMU_FAR;
}

unsigned vpmu_core_wants(const struct vpmu_core *core)
{
	const struct model_outputs *outputs;

	if (!core)
		return 0;
	outputs = vpmu_outputs(&core->vpmu);
	return (outputs->level_matters ? VPMU_WANTS_LEVELS : 0) |
	       (outputs->branches_matter ? VPMU_WANTS_BRANCHES : 0) |
	       (outputs->locks_matter ? VPMU_WANTS_LOCKS : 0);
}

//
// Lines
//

static bool take(uint32_t *bits, unsigned bit)
{
	const bool taken = *bits >> bit & 1;

	*bits &= ~(1u << bit);
	return taken;
}

unsigned vpmu_core_take_lines(struct vpmu_core *core, unsigned thread)
{
	struct model_outputs *outputs;
	bool signals, was_held, held;

	if (!core)
		return 0;
	outputs = vpmu_outputs(&core->vpmu);
	signals = core->vpmu.model->package && thread < CORES_MOST;
	if (!core_has_thread(core, thread))
		return signals && take(&outputs->requests, thread) ? VPMU_LINE_ROSE : 0;
	was_held = core->thread[thread].held;
	held = core->thread[thread].held = outputs->held >> thread & 1;
	return (take(&outputs->requests, thread) ? VPMU_LINE_ROSE : 0) |
	       (take(&outputs->precise, thread) ? VPMU_LINE_PRECISE : 0) |
	       (held ? VPMU_LINE_HELD : 0) | (was_held && !held ? VPMU_LINE_FELL : 0);
}

uint32_t vpmu_core_take_strobes(struct vpmu_core *core)
{
	struct model_outputs *outputs;
	uint32_t strobes;

	if (!core)
		return 0;
	outputs = vpmu_outputs(&core->vpmu);
	strobes = outputs->strobes;
	outputs->strobes = 0;
	return strobes;
}

//
// Time
//

enum vpmu_error vpmu_core_deschedule(struct vpmu_core *core, unsigned thread, uint64_t cycles)
{
	if (!core_has_thread(core, thread))
		return VPMU_ERROR_ARGUMENT;
	core->thread[thread].enabled += cycles;
	return VPMU_OK;
}

enum vpmu_error vpmu_core_times(const struct vpmu_core *core, unsigned thread, uint64_t *enabled,
				uint64_t *running)
{
	if (!enabled || !running)
		return VPMU_ERROR_ARGUMENT;
	*enabled = *running = 0;
	if (!core_has_thread(core, thread))
		return VPMU_ERROR_ARGUMENT;
	*enabled = core->thread[thread].enabled;
	*running = core->thread[thread].running;
	return VPMU_OK;
}
