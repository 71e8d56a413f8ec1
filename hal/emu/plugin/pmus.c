// SPDX-License-Identifier: BSD-2-Clause
// The machine's PMUs, and how they start: pmus.h.

#include "pmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/memory.h"
#include "feed.h"
#include "happenings.h"
#include "machine.h"
#include "memory.h"
#include "numbers.h"
#include "observe.h"
#include "packages.h"
#include "predictions.h"
#include "quantum.h"
#include "references.h"
#include "sparc64_observe.h"
#include "timed.h"

struct pmus_cpu pmus[VPMU_CPUS];
const struct pmu_model *pmus_shared_model;
static struct vpmu_package packages[MEMORY_PACKAGES];	// without a model, if they share none
static struct mailbox_start started;	// as the first CPU has said; the fault is the cores'
static char shared_fault[sizeof started.fault];

static void *new_state(const struct pmu_model *model)
{
	const size_t size = (vpmu_state_size(model) + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT * MODEL_ALIGNMENT;
	void *state = aligned_alloc(MODEL_ALIGNMENT, size);

	if (!state) {
		fprintf(stderr, "palmon plugin: no memory\n");
		exit(1);
	}
	return state;
}

static void start_core(struct pmus_cpu *cpu, const struct mailbox_start *start, const struct pmu_model *model,
		       const char *fault)
{
	vpmu_start(&cpu->vpmu, model, new_state(model), start->thread, fault, 0);
	guest_start(&cpu->guest, &started);
	cpu->around = &cpu->guest;
	cpu->guest.frame[start->thread] = start->frame;
	if (cpu->vpmu.model->attach)
		cpu->vpmu.model->attach(cpu->vpmu.state, &cpu->guest.processor);
}

static bool list_registers(struct mailbox_start *start, const struct pmu_model *model)
{
	for (size_t i = 0; i < model->register_count; i++) {
		if (start->blocks == MAILBOX_REGISTERS_MOST)
			return false;
		start->block[start->blocks].address = model->registers[i].address;
		start->block[start->blocks++].count = model->registers[i].count;
	}
	return true;
}

// The PMU that the cores of its package share starts with the first CPU of it.
static void join_package(struct pmus_cpu *cpu, const struct mailbox_start *start)
{
	struct vpmu_package *package = &packages[start->package];

	if (!pmus_shared_model)
		return;
	if (!package->model) {
		vpmu_package_start(package, pmus_shared_model, new_state(pmus_shared_model), shared_fault, 0);
		if (timed_is_used)
			packages_start(start->package, package, machine_packages());
	}
	vpmu_join(&cpu->vpmu, package, start->core);
}

static bool is_text(const char *text, size_t size)
{
	return memchr(text, 0, size);
}

// Why there is no such PMU; NULL: it has been started.
static const char *start_first(struct pmus_cpu *cpu, struct mailbox_start *start)
{
	static const char too_many_registers[] = "it has more registers than a mailbox can name";
	const struct pmu_model *model, *faulty;

	if (!is_text(start->target, sizeof start->target) || !is_text(start->fault, sizeof start->fault))
		return "its name does not end";
	model = pmu_model_find(start->target);
	if (!model)
		return "the plugin has no model of this PMU";
	pmus_shared_model = pmu_model_package(model);
	faulty = vpmu_fault_model(start->fault, model, pmus_shared_model);
	if (!faulty)
		return "its model has no such fault (README.md in its folder lists them)";
	start->clock_address = model->clock_address;
	start->has_lacking = model->spflt != NULL;
	start->timed = timed_is_used;
	start->blocks = 0;
	if (!list_registers(start, model))
		return too_many_registers;
	start->core_blocks = start->blocks;
	if (pmus_shared_model && !list_registers(start, pmus_shared_model))
		return too_many_registers;
	started = *start;
	if (faulty == pmus_shared_model) {
		strcpy(shared_fault, started.fault);
		*started.fault = '\0';
	}
	start_core(cpu, start, model, started.fault);
	join_package(cpu, start);
	return NULL;
}

// A thread of a core that is known already, or another core like the first.
static void start_further(struct pmus_cpu *cpu, const struct mailbox_start *start)
{
	struct pmus_cpu *other = pmus;

	while (other < &pmus[VPMU_CPUS] &&
	       (!other->vpmu.model || other->core != start->core || other->package != start->package))
		other++;
	if (other < &pmus[VPMU_CPUS]) {
		vpmu_start_beside(&cpu->vpmu, &other->vpmu, start->thread);
		other->guest.frame[start->thread] = start->frame;
		cpu->around = &other->guest;
	} else {
		start_core(cpu, start, pmus[0].vpmu.model, started.fault);
	}
	join_package(cpu, start);
}

// INIT leaves a PMU as it was, and its CPU at level 0.
static void start_again(struct pmus_cpu *cpu)
{
	cpu->vpmu.level = 0;
	cpu->vpmu.halted = false;
}

// Its number in the machine.
static unsigned machine_core(const struct mailbox_start *start)
{
	return start->package * VPMU_CPUS + start->core;
}

void pmus_start(struct pmus_cpu *cpu, struct mailbox *box)
{
	struct mailbox_start *start = memory_at(box->address, sizeof *start);
	const char *problem = NULL;

	if (!start)
		return;
	if (box->value != MAILBOX_VERSION) {
		snprintf(start->problem, sizeof start->problem, "its mailbox has version %u, the plugin's %u",
			 (unsigned)box->value, MAILBOX_VERSION);
		return;
	}
	if (start->package >= machine_packages() || start->core >= VPMU_CPUS || start->thread >= VPMU_CPUS)
		problem = "the plugin knows no such CPU";
	else if (cpu->vpmu.model)
		start_again(cpu);
	else if (cpu == pmus)
		problem = start_first(cpu, start);
	else
		start_further(cpu, start);
	cpu->package = start->package;
	cpu->core = start->core;
	cpu->frame = start->frame;
	observe_start((unsigned)(cpu - pmus), start->frame);
	sparc64_start(start->frame);
	feed_start((unsigned)(cpu - pmus), &cpu->vpmu);
	quantum_start((unsigned)(cpu - pmus), box);
	numbers_start((unsigned)(cpu - pmus), start->frame, box);
	box->level = 0;
	if (!problem) {
		happenings_start((unsigned)(cpu - pmus), &cpu->vpmu, start->package, start->core);
		references_start((unsigned)(cpu - pmus), &cpu->vpmu, machine_core(start), start->frame);
	}
	if (machine_processor())
		predictions_start((unsigned)(cpu - pmus), machine_core(start), start->thread,
				  &machine_processor()->predictor);
	snprintf(start->problem, sizeof start->problem, "%s", problem ? problem : "");
}
