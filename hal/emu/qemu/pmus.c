// SPDX-License-Identifier: BSD-2-Clause

#include "pmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/memory.h"
#include "allocate.h"
#include "packages.h"
#include "timed.h"
#include "timeline.h"
#include "unpromised.h"

#define PACKAGES_MOST	MEMORY_PACKAGES	/* of the machine model, with PACKAGE_CORES cores each */

static const struct pmu_model *model, *shared_model;	// of a core; of a package, NULL: none
static const char *fault = "", *shared_fault = "";
static struct core cores[CPUS_MOST];
static unsigned cores_count;
static const struct model_processor *machine_around;
static struct package_pmu packages[PACKAGES_MOST];

static bool has_interruptions(void)
{
	const struct model_raised *r = model->machine->raised;

	while (r && r->cpu_event != CPU_EVENT_COUNT && !r->interruption)
		r++;
	return r && r->cpu_event != CPU_EVENT_COUNT;
}

const char *pmus_count_interruptions(void)
{
	static struct pmu_model with;
	static struct model_machine machine;

	if (!has_interruptions())
		return "the effect of interruptions on this PMU's counts is unknown (overcount=)";
	with = *model;
	machine = *model->machine;
	machine.interruptions_count = true;
	with.machine = &machine;
	model = &with;
	return NULL;
}

const char *pmus_choose(const struct isa *isa, const char *pmu, const char *wrong)
{
	static char problem[200];
	const struct pmu_model *faulty;

	model = pmu_model_find(pmu);
	if (!model || model->package || !isa->has(model)) {
		snprintf(problem, sizeof problem,
			 "the processors of this QEMU have no PMU '%s' (pmu=)", pmu);
		return problem;
	}
	shared_model = pmu_model_package(model);
	faulty = vpmu_fault_model(wrong, model, shared_model);
	if (!faulty) {
		vpmu_explain_fault(wrong, model, shared_model, problem, sizeof problem);
		return problem;
	}
	*(faulty == model ? &fault : &shared_fault) = wrong;
	return NULL;
}

const char *pmus_choose_numbers(const struct model_choice *choice)
{
	static _Alignas(uint64_t) uint8_t processor[MODEL_PROCESSOR_SIZE];
	static struct pmu_model with;
	const char *problem;

	if (!model->choose)
		return "this PMU has its processor's numbers (version=, general=, width=, fixed=)";
	if (*fault || *shared_fault)
		return "fault= is for the model's own numbers (version=, general=, width=, fixed=)";
	problem = model->choose(model, choice, processor);
	with = *model;
	with.processor = processor;
	model = &with;
	return problem;
}

const struct pmu_model *pmus_model(void)
{
	return model;
}

static bool alone;		// the machine must have a single package

void pmus_refuse_packages(void)
{
	alone = true;
}

static struct core *find_core(const struct isa_place *place)
{
	for (struct core *core = cores; core < cores + cores_count; core++)
		if (core->package_number == place->package && core->number == place->core)
			return core;
	return NULL;
}

static struct cpu *first_of(const struct core *core)
{
	for (struct cpu *c = cpus; c < cpus + CPUS_MOST; c++)
		if (c->core == core)
			return c;
	return NULL;
}

static enum model_clock_kind clock_kind(void)
{
	return timed_is_used ? MODEL_TIMED_CLOCK : MODEL_UNIT_CLOCK;
}

static void start_core(struct cpu *c, const struct isa_place *place,
		       const struct model_processor *around)
{
	void *state = allocate(vpmu_state_size(model));
	struct core *core = &cores[cores_count++];

	core->package = &packages[place->package];
	core->package_number = place->package;
	core->number = place->core;
	vpmu_start(&c->vpmu, model, state, place->thread, fault, 0);
	if (c->vpmu.model->records)
		c->vpmu.model->records->attach(state, around);
	c->core = core;
	signals_begin(&core->signals, c->vpmu.model, state, clock_kind());
}

static void join_package(struct cpu *c, const struct isa_place *place)
{
	struct package_pmu *package = &packages[place->package];

	if (!shared_model || package->pmu.cpus == VPMU_PACKAGE_CPUS)
		return;
	if (!package->pmu.model) {
		void *state = allocate(vpmu_state_size(shared_model));

		vpmu_package_start(&package->pmu, shared_model, state, shared_fault, 0);
		signals_begin(&package->signals, package->pmu.model, state, clock_kind());
	}
	vpmu_join(&c->vpmu, &package->pmu, place->core);
}

const char *pmus_join(struct cpu *c, const struct isa_place *place,
		      const struct model_processor *around)
{
	static char problem[240];
	struct core *core = find_core(place);

	machine_around = around;
	if (alone && place->package)
		return "several packages (-smp) need an inclusive L3 cache (machine=)";
	if (place->thread >= model->threads || place->core >= PACKAGE_CORES ||
	    place->package >= PACKAGES_MOST) {
		snprintf(problem, sizeof problem,
			 "CPU %u is thread %u of core %u of package %u: a core with the PMU "
			 "%s has %u threads, a package at most %u cores, a machine at most %u "
			 "packages (-smp)",
			 c->number, place->thread, place->core, place->package, model->name,
			 model->threads, PACKAGE_CORES, PACKAGES_MOST);
		return problem;
	}
	if (core) {
		vpmu_start_thread(&c->vpmu, &first_of(core)->vpmu, place->thread);
		c->core = core;
	} else {
		start_core(c, place, around);
	}
	join_package(c, place);
	return NULL;
}

bool pmus_wanted[CPU_EVENT_COUNT];

static void want(const struct signals *s)
{
	for (unsigned what = 0; what < CPU_EVENT_COUNT; what++)
		pmus_wanted[what] |= s->counted[what];
}

void pmus_select(void)
{
	memset(pmus_wanted, 0, sizeof pmus_wanted);
	for (struct cpu *c = cpus; c < cpus + CPUS_MOST; c++)
		for (struct cpu *by = c->outside; by; by = by->outside)
			want(&by->core->signals);
	for (struct core *core = cores; core < cores + cores_count; core++) {
		want(&core->signals);
		want(&core->package->signals);
	}
}

struct core *pmus_core(unsigned package, unsigned number)
{
	return find_core(&(struct isa_place){.package = package, .core = number});
}

bool pmus_has(const struct cpu *c, uint32_t address)
{
	return model_register(c->vpmu.model, address) ||
	       (c->vpmu.package && model_register(c->vpmu.package->model, address));
}

static unsigned package_count(void)
{
	unsigned count = 1;

	for (const struct core *core = cores; core < cores + cores_count; core++)
		if (core->package_number >= count)
			count = core->package_number + 1;
	return count;
}

bool pmus_can_raise(const struct cpu *c, bool of_package, uint16_t code, uint8_t umask, bool *exact)
{
	const struct signals *s = of_package ? &c->core->package->signals : &c->core->signals;

	*exact = false;
	return s->model && vpmu_happens(s->model, code, umask, s->setting, package_count(),
					s->clock, exact);
}

// An inverted condition is met in every cycle without the event. For an event that this machine
// never raises, the counter would count all cycles; so it is left out.
static void leave_out(const struct cpu *c, const struct signals *s, unsigned thread)
{
	const bool of_package = s == &c->core->package->signals;
	struct model_event event;
	uint32_t absent = 0;
	bool exact;

	if (!s->model->machine->leave_out)
		return;
	for (unsigned i = 0; i < s->model->groups[0].count; i++)
		if (vpmu_selects(s->model, s->state, thread, i, &event) &&
		    !pmus_can_raise(c, of_package, event.code, event.umask, &exact))
			absent |= 1u << i;
	s->model->machine->leave_out(s->state, thread, absent);
}

// Returns the first row of a late event; NULL: the pipeline of the timed clock does not raise it.
static const struct model_raised *find_late(const struct signals *s,
					    const struct model_event *event)
{
	const struct model_raised *r = s->model->machine->raised;

	if (s->clock != MODEL_TIMED_CLOCK)
		return NULL;
	for (; r->cpu_event != CPU_EVENT_COUNT; r++)
		if (cpu_event_is_late(r->cpu_event) && model_is_by_clock(r, s->clock) &&
		    vpmu_row_counts(s->model, r, event->code, event->umask, s->setting))
			return r;
	return NULL;
}

static void set_late(struct signals *s, unsigned thread)
{
	struct model_event event;
	uint32_t late = 0;

	if (!s->model->machine->set_late)
		return;
	for (unsigned i = 0; i < s->model->groups[0].count; i++) {
		const uint32_t counter = 1u << (thread * vpmu_counters(s->model) + i);
		const struct model_raised *r =
			vpmu_selects(s->model, s->state, thread, i, &event) ?
			find_late(s, &event) : NULL;

		late |= r ? 1u << i : 0;
		s->front = (s->front & ~counter) |
			(r && cpu_event_is_of_front(r->cpu_event) ? counter : 0);
	}
	s->model->machine->set_late(s->state, thread, late);
}

void pmus_written(struct cpu *c, uint32_t address, uint64_t value)
{
	struct package_pmu *p = c->core->package;
	struct signals *s = signals_follow(&c->core->signals, address) ? &c->core->signals :
			    p->pmu.model && signals_follow(&p->signals, address) ? &p->signals :
				    NULL;

	if (!s)
		return;
	signals_select(s, address, value);
	leave_out(c, s, s == &p->signals ? 0 : c->vpmu.thread);
	set_late(s, s == &p->signals ? 0 : c->vpmu.thread);
	pmus_select();
}

// Resets a thread: level 0, executing.
static void reset_thread(struct cpu *c)
{
	c->vpmu.level = 0;
	c->vpmu.halted = false;
}

static void reset_core(struct core *core)
{
	struct cpu *first = first_of(core);
	struct vpmu v;

	vpmu_start(&v, model, core->signals.state, first->vpmu.thread, fault, 0);
	if (v.model->records)
		v.model->records->attach(v.state, machine_around);
	signals_reset(&core->signals);
	core->ticks = unpromised_ticks(NULL);
}

void pmus_reset(void)
{
	for (struct core *core = cores; core < cores + cores_count; core++)
		reset_core(core);
	for (struct package_pmu *p = packages; p < packages + PACKAGES_MOST; p++)
		if (p->pmu.model) {
			const struct vpmu_package was = p->pmu;

			vpmu_package_start(&p->pmu, shared_model, was.state, shared_fault, 0);
			memcpy(p->pmu.cpu, was.cpu, sizeof was.cpu);
			p->pmu.cpus = was.cpus;
			if (was.run)
				packages_reset(&p->pmu);
			signals_reset(&p->signals);
		}
	for (struct cpu *c = cpus; c < cpus + cpus_count; c++)
		if (c->core)
			reset_thread(c);
	pmus_select();
}

struct vpmu_package *pmus_package(unsigned number)
{
	return number < PACKAGES_MOST && packages[number].pmu.model ? &packages[number].pmu : NULL;
}

bool pmus_packages_count(void)
{
	for (const struct package_pmu *p = packages; p < packages + PACKAGES_MOST; p++)
		if (p->pmu.model && ((const struct model_outputs *)p->pmu.state)->counting)
			return true;
	return false;
}

bool pmus_count(const struct cpu *c)
{
	const struct model_outputs *shared = c->vpmu.package ? c->vpmu.package->state : NULL;

	return c->outside || c->core->signals.counted_set & CPU_EVENTS_PREDICTED ||
	       vpmu_outputs(&c->vpmu)->counting || vpmu_outputs(&c->vpmu)->recording ||
	       (shared && shared->counting) ||
	       c->core->package->watched;
}
