// SPDX-License-Identifier: BSD-2-Clause
// The virtual PMU: hal/include/vpmu.h.

#include "vpmu.h"

#include <string.h>

const struct pmu_model *pmu_model_named(const struct pmu_model *model, const char *name)
{
	const struct pmu_model *variant = model->variants;

	if (!strcmp(model->name, name))
		return model;
	while (variant && variant->name && strcmp(variant->name, name))
		variant++;
	return variant && variant->name ? variant : NULL;
}

const struct pmu_model *pmu_model_search(bool (*matches)(const struct pmu_model *model,
							 const void *context),
					 const void *context)
{
	for (const struct pmu_model *const *m = pmu_models; *m; m++) {
		if (matches(*m, context))
			return *m;
		for (const struct pmu_model *v = (*m)->variants; v && v->name; v++)
			if (matches(v, context))
				return v;
	}
	return NULL;
}

static bool has_name(const struct pmu_model *model, const void *name)
{
	return !strcmp(model->name, name);
}

const struct pmu_model *pmu_model_find(const char *name)
{
	return pmu_model_search(has_name, name);
}

const struct pmu_model *pmu_model_base(const struct pmu_model *model)
{
	for (const struct pmu_model *const *m = pmu_models; *m; m++)
		for (const struct pmu_model *v = (*m)->variants; v && v->name; v++)
			if (has_name(v, model->name))
				return *m;
	return model;
}

const struct pmu_model *pmu_model_package(const struct pmu_model *cores)
{
	for (const struct pmu_model *const *m = pmu_models; *m; m++)
		if ((*m)->package && !strcmp((*m)->package->cores, cores->name))
			return *m;
	return NULL;
}

void vpmu_start_thread(struct vpmu *v, const struct vpmu *other, unsigned thread)
{
	*v = *other;
	v->thread = thread;
	v->level = 0;
	v->halted = false;
	v->package = NULL;
}

void vpmu_resume(struct vpmu *v)
{
	size_t count = 0;
	const struct occurrence *signals = v->halted ? NULL :
		model_clock(v->model, v->thread, v->level, &count);

	vpmu_connect(v, signals, v->references_separate &&
		     count ? count - v->model->machine->clock_references : count);
}

// Joins the occurrences of the instruction clock and the given ones. Returns their number.
static size_t join(const struct vpmu *v, struct occurrence *signals,
		   const struct occurrence *occurrences, size_t count)
{
	size_t clock_count;
	const struct occurrence *clock = model_clock(v->model, v->thread, v->level, &clock_count);

	memcpy(signals, clock, clock_count * sizeof *signals);
	memcpy(signals + clock_count, occurrences, count * sizeof *signals);
	return clock_count + count;
}

void vpmu_connect_occurrences(struct vpmu *v, struct occurrence *signals,
			      const struct occurrence *occurrences,
			 size_t count)
{
	vpmu_connect(v, signals, join(v, signals, occurrences, count));
}

void vpmu_step(struct vpmu *v, const struct occurrence *occurrences, size_t count)
{
	struct occurrence signals[VPMU_CLOCK_MOST + VPMU_STEP_MOST];

	vpmu_advance(v, 1, signals, join(v, signals, occurrences, count));
	vpmu_resume(v);
}

void vpmu_commit(struct vpmu *v)
{
	if (!v->model->machine->commit) {
		vpmu_run(v, 1);
		return;
	}
	v->model->machine->commit(v->state);
	vpmu_package_run(v, 1);
}

void vpmu_set_level(struct vpmu *v, unsigned level)
{
	if (level != v->level) {
		v->level = level;
		vpmu_resume(v);
	}
}

void vpmu_change_level(struct vpmu *v, unsigned level, const struct occurrence *beside,
		       size_t other_count)
{
	const size_t cycles = v->model->machine->commit ? v->model->machine->clock_cycles : 0;
	struct occurrence signals[VPMU_CLOCK_MOST + VPMU_STEP_MOST];
	size_t count;
	const struct occurrence *was = model_clock(v->model, v->thread, v->level, &count);
	const struct occurrence *is = model_clock(v->model, v->thread, level, &count);

	for (size_t i = 0; i < count; i++)
		signals[i] = i < count - cycles ? was[i] : is[i];
	if (other_count)
		memcpy(signals + count, beside, other_count * sizeof *signals);
	vpmu_connect(v, signals, count + other_count);
	vpmu_commit(v);
	v->level = level;
	vpmu_resume(v);
}

void vpmu_set_halted(struct vpmu *v, bool halted)
{
	v->halted = halted;
	vpmu_resume(v);
}

static struct occurrence once(const struct vpmu *v, const struct occurrence *o)
{
	struct occurrence here = *o;

	here.n = 1;
	here.thread = (uint8_t)v->thread;
	here.level = (uint8_t)v->level;
	return here;
}

enum cpu_event vpmu_branch_cpu_event(unsigned branch)
{
	const unsigned kind = branch & OCCURRENCE_KIND;

	return kind == OCCURRENCE_KIND_CONDITIONAL && !(branch & OCCURRENCE_TAKEN) ?
	       CPU_EVENT_BRANCH_NOT_TAKEN : (enum cpu_event)(CPU_EVENT_BRANCH +
							     kind / OCCURRENCE_KIND_CONDITIONAL);
}

size_t vpmu_branch_raises(const struct pmu_model *model, const struct occurrence *branch,
			  struct occurrence occurrences[MODEL_BRANCH_MOST])
{
	const unsigned what = vpmu_branch_cpu_event(branch->branch);
	size_t count = 0;

	if (model->machine->branch)
		return model->machine->branch(branch, occurrences);
	for (const struct model_raised *r = model->machine->raised; r && r->cpu_event <= what; r++)
		if (model_is_raised_by(r, what)) {
			occurrences[count] = *branch;
			occurrences[count].code = r->code;
			occurrences[count++].sub = r->sub;
		}
	return count;
}

void vpmu_branch(struct vpmu *v, const struct occurrence *branch)
{
	const struct occurrence here = once(v, branch);
	struct occurrence occurrences[MODEL_BRANCH_MOST];
	const size_t count = vpmu_branch_raises(v->model, &here, occurrences);

	if (count)
		vpmu_step(v, occurrences, count);
	else
		vpmu_run(v, 1);
}

void vpmu_load(struct vpmu *v, const struct occurrence *load)
{
	const struct occurrence here = once(v, load);
	struct occurrence occurrences[MODEL_BRANCH_MOST];

	vpmu_step(v, occurrences,
		  v->model->machine->load ? v->model->machine->load(&here, occurrences) : 0);
}

bool vpmu_clock_raises(const struct pmu_model *model, unsigned thread, unsigned level,
		       uint16_t code, uint8_t umask)
{
	size_t count;

	for (const struct occurrence *o = model_clock(model, thread, level, &count); count;
	     o++, count--)
		if (model_counts(model, o, code, umask))
			return true;
	return false;
}

bool vpmu_event_happens(const struct vpmu *v, bool shared, uint16_t code, uint8_t umask)
{
	if (shared)
		return v->package && vpmu_clock_raises(v->package->model, 0, v->level, code, umask);
	return vpmu_clock_raises(v->model, v->thread, v->level, code, umask);
}

//
// Packages
//

void vpmu_join(struct vpmu *v, struct vpmu_package *package, unsigned core)
{
	v->package = package;
	v->core = core;
	package->cpu[package->cpus++] = v;
}

static void deliver_signals(struct vpmu_package *package)
{
	struct model_outputs *outputs = package->state;

	for (unsigned i = 0; outputs->requests && i < package->cpus; i++) {
		struct vpmu *v = package->cpu[i];

		if (outputs->requests >> v->core & 1 && v->model->machine->signal)
			v->model->machine->signal(v->state, v->thread);
	}
	outputs->requests = 0;
}

void vpmu_package_sync(struct vpmu_package *package)
{
	uint64_t cycles = package->pending;

	package->pending = 0;
	if (package->run)
		package->run(package, cycles);
	else
		package->model->advance(package->state, cycles, package->signals,
					package->signal_count);
	deliver_signals(package);
}

bool vpmu_package_read(struct vpmu *v, uint32_t address, uint64_t *value)
{
	struct vpmu_package *package = v->package;

	if (!package)
		return false;
	vpmu_package_sync(package);
	if (!package->model->read(package->state, 0, address, value))
		return false;
	vpmu_stick(&package->stuck, address, value);
	return true;
}

bool vpmu_package_write(struct vpmu *v, uint32_t address, uint64_t value, uint64_t instructions)
{
	struct vpmu_package *package = v->package;

	if (!package)
		return false;
	vpmu_package_sync(package);
	if (!package->model->write(package->state, 0, address, value, instructions))
		return false;
	if (instructions)
		v->model->advance(v->state, instructions, v->signals, v->signal_count);
	deliver_signals(package);
	return true;
}

void vpmu_transaction(struct vpmu *v, uint64_t address, bool write)
{
	struct vpmu_package *package = v->package;
	struct occurrence occurrence;

	if (!package || !package->model->package->transaction)
		return;
	vpmu_package_sync(package);
	occurrence = package->model->package->transaction(address, write);
	package->model->advance(package->state, 1, &occurrence, 1);
	package->model->advance(package->state, 0, package->signals, package->signal_count);
	deliver_signals(package);
}

void vpmu_bus_lock(struct vpmu *v)
{
	struct vpmu_package *package = v->package;

	if (!package || !package->model->package->bus_lock)
		return;
	vpmu_package_sync(package);
	package->model->package->bus_lock(package->state);
	deliver_signals(package);
}
