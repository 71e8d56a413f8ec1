// SPDX-License-Identifier: BSD-2-Clause
// The machine's PMUs: one for each core, which its hardware threads share, and one that the cores share, if there is
// one. They start when the monitors do, and do what these ask for.

#include "answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "guest.h"
#include "happenings.h"
#include "loads.h"
#include "mailbox.h"
#include "../model/memory.h"
#include "memory.h"
#include "observe.h"
#include "packages.h"
#include "plugin.h"
#include "predictions.h"
#include "references.h"
#include "sparc64_observe.h"
#include "sparc64_references.h"
#include "timed.h"
#include "vpmu.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a mailbox's numbers are in the host's order");

struct cpu {
	struct vpmu vpmu;
	struct mailbox *box;	// NULL: it has no monitor yet
	uint64_t address;	// the mailbox's, physical
	unsigned package, core;
	uint64_t frame;		// the monitor's of its guest
	struct vector_unit vector;
	struct guest guest;	// around the core whose first thread it is,
	struct guest *around;	// which is this one's
};

static struct cpu cpus[VPMU_CPUS];
static struct vpmu_package packages[MEMORY_PACKAGES];	// without a model, if they share none
static const struct pmu_model *shared_model;
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

//
// Start
//

static void start_core(struct cpu *cpu, const struct mailbox_start *start, const struct pmu_model *model,
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
static void join_package(struct cpu *cpu, const struct mailbox_start *start)
{
	struct vpmu_package *package = &packages[start->package];

	if (!shared_model)
		return;
	if (!package->model) {
		vpmu_package_start(package, shared_model, new_state(shared_model), shared_fault, 0);
		if (timed_is_used)
			packages_start(start->package, package, happenings_packages());
	}
	vpmu_join(&cpu->vpmu, package, start->core);
}

static bool is_text(const char *text, size_t size)
{
	return memchr(text, 0, size);
}

// Why there is no such PMU; NULL: it has been started.
static const char *start_first(struct cpu *cpu, struct mailbox_start *start)
{
	static const char too_many_registers[] = "it has more registers than a mailbox can name";
	const struct pmu_model *model, *faulty;

	if (!is_text(start->target, sizeof start->target) || !is_text(start->fault, sizeof start->fault))
		return "its name does not end";
	model = pmu_model_find(start->target);
	if (!model)
		return "the plugin has no model of this PMU";
	shared_model = pmu_model_package(model);
	faulty = vpmu_fault_model(start->fault, model, shared_model);
	if (!faulty)
		return "its model has no such fault (README.md in its folder lists them)";
	start->clock_address = model->clock_address;
	start->has_lacking = model->spflt != NULL;
	start->timed = timed_is_used;
	start->blocks = 0;
	if (!list_registers(start, model))
		return too_many_registers;
	start->core_blocks = start->blocks;
	if (shared_model && !list_registers(start, shared_model))
		return too_many_registers;
	started = *start;
	if (faulty == shared_model) {
		strcpy(shared_fault, started.fault);
		*started.fault = '\0';
	}
	start_core(cpu, start, model, started.fault);
	join_package(cpu, start);
	return NULL;
}

// A thread of a core that is known already, or another core like the first.
static void start_further(struct cpu *cpu, const struct mailbox_start *start)
{
	struct cpu *other = cpus;

	while (other < &cpus[VPMU_CPUS] &&
	       (!other->vpmu.model || other->core != start->core || other->package != start->package))
		other++;
	if (other < &cpus[VPMU_CPUS]) {
		vpmu_start_beside(&cpu->vpmu, &other->vpmu, start->thread);
		other->guest.frame[start->thread] = start->frame;
		cpu->around = &other->guest;
	} else {
		start_core(cpu, start, cpus[0].vpmu.model, started.fault);
	}
	join_package(cpu, start);
}

// INIT leaves a PMU as it was, and its CPU at level 0.
static void start_again(struct cpu *cpu)
{
	cpu->vpmu.level = 0;
	cpu->vpmu.halted = false;
}

// Its number in the machine.
static unsigned machine_core(const struct mailbox_start *start)
{
	return start->package * VPMU_CPUS + start->core;
}

static void call_start(struct cpu *cpu, struct mailbox *box)
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
	if (start->package >= happenings_packages() || start->core >= VPMU_CPUS || start->thread >= VPMU_CPUS)
		problem = "the plugin knows no such CPU";
	else if (cpu->vpmu.model)
		start_again(cpu);
	else if (cpu == cpus)
		problem = start_first(cpu, start);
	else
		start_further(cpu, start);
	cpu->package = start->package;
	cpu->core = start->core;
	cpu->frame = start->frame;
	observe_start((unsigned)(cpu - cpus), start->frame);
	sparc64_start(start->frame);
	feed_start((unsigned)(cpu - cpus), &cpu->vpmu);
	if (!problem) {
		happenings_start((unsigned)(cpu - cpus), &cpu->vpmu, start->package, start->core);
		references_start((unsigned)(cpu - cpus), &cpu->vpmu, machine_core(start), start->frame);
	}
	if (happenings_processor())
		predictions_start((unsigned)(cpu - cpus), machine_core(start), start->thread,
				  &happenings_processor()->predictor);
	snprintf(start->problem, sizeof start->problem, "%s", problem ? problem : "");
}

//
// Calls of a CPU whose PMU has been started
//

// Whether the last of the call's cycles is that of an instruction that the monitor carries out.
static bool is_own(const struct mailbox *box)
{
	return box->cycles && (box->call == MAILBOX_WRITE || box->call == MAILBOX_WRITE_COUNTER);
}

// Lets the call's cycles pass, but for the last ones.
static void pass(const struct cpu *cpu, const struct mailbox *box, uint64_t without)
{
	if (!box->cycles)
		return;
	feed_pass(&feeds[cpu - cpus], box->cycles - without, NULL, 0);
}

static void call_run(struct cpu *cpu, struct mailbox *box)
{
	pass(cpu, box, 0);
}

// The register may be one in which the package's PMU counts what goes to memory: somebody wants to know, from here on.
static void watch_memory(uint32_t address)
{
	const struct pmu_model *model = packages[0].model;
	bool counts = model && model->transaction && model_register(model, address);

	for (size_t i = 0; counts && i < model->group_count; i++)
		counts = address != model->groups[i].select;
	if (counts)
		sparc64_watch_memory();
}

static void call_read(struct cpu *cpu, struct mailbox *box)
{
	pass(cpu, box, 0);
	box->ok = vpmu_read(&cpu->vpmu, (uint32_t)box->address, &box->value);
	watch_memory((uint32_t)box->address);
}

static void call_read_counter(struct cpu *cpu, struct mailbox *box)
{
	pass(cpu, box, 0);
	box->ok = vpmu_read_counter(&cpu->vpmu, (uint32_t)box->address, &box->value);
}

static void select_cores(void)
{
	for (struct cpu *cpu = cpus; cpu < &cpus[VPMU_CPUS]; cpu++)
		if (cpu->vpmu.model)
			feed_select(&feeds[cpu - cpus]);
}

// What an instruction raises that the monitor carries out.
static uint64_t own_raises(void)
{
	return HAPPENING_SET(DECODED) | sparc64_raises_own();
}

static void call_write(struct cpu *cpu, struct mailbox *box)
{
	struct feed *feed = &feeds[cpu - cpus];

	pass(cpu, box, 1);
	feed_begin_own(feed, own_raises(), NULL, 0);
	box->ok = vpmu_write(&cpu->vpmu, (uint32_t)box->address, box->value, box->cycles != 0);
	watch_memory((uint32_t)box->address);
	feed_end_own(feed);
	if (vpmu_is_select(cpu->vpmu.model, (uint32_t)box->address))
		select_cores();
}

static void call_write_counter(struct cpu *cpu, struct mailbox *box)
{
	struct feed *feed = &feeds[cpu - cpus];

	pass(cpu, box, 1);
	feed_begin_own(feed, own_raises(), NULL, 0);
	box->ok = vpmu_write_counter(&cpu->vpmu, (uint32_t)box->address, box->value, box->cycles != 0);
	feed_end_own(feed);
	if (box->ok)
		vpmu_package_run(&cpu->vpmu, box->cycles != 0);
}

static void call_commit(struct cpu *cpu, struct mailbox *box)
{
	struct feed *feed = &feeds[cpu - cpus];

	(void)box;
	feed_begin_own(feed, own_raises(), NULL, 0);
	vpmu_commit(&cpu->vpmu);
	feed_end_own(feed);
}

static void call_next(struct cpu *cpu, struct mailbox *box)
{
	struct occurrence beside[HAPPENINGS_TAKEN_MOST];
	const size_t count = happenings_take((unsigned)(cpu - cpus), beside);
	struct feed *feed = &feeds[cpu - cpus];

	feed_begin_own(feed, sparc64_raises_next((uint32_t)box->value, &box->ok), beside, count);
	if (box->ok)
		vpmu_commit(&cpu->vpmu);
	else
		vpmu_run(&cpu->vpmu, 1);
	feed_end_own(feed);
}

static void call_reported(struct cpu *cpu, struct mailbox *box)
{
	(void)box;
	sparc64_drop(&feeds[cpu - cpus]);
}

// Memory is referred to only if some element is active.
static void execute_vector(struct cpu *cpu, const struct lacking *is)
{
	const unsigned number = (unsigned)(cpu - cpus);
	const struct vector_operation *o = &is->vector;
	const struct model_processor *processor = &cpu->around->processor;
	const unsigned active = vector_active(&cpu->vector, o);
	const bool waits = vector_waits(&cpu->vector, o, observe_now(number));
	uint8_t memory[VECTOR_BYTES] = {0};

	if (o->what != VECTOR_SET_MASK)
		references_vector(number, (unsigned)__builtin_popcount(active), waits);
	if (o->bytes && active) {
		processor->read(processor->context, is->linear, memory, o->bytes);
		references_vector_access(number, o->stores, is->linear, o->bytes);
	}
	vector_execute(&cpu->vector, o, memory, guest_register(cpu->frame, o->second % 16));
	if (o->stores && active)
		processor->write(processor->context, is->linear, memory, o->bytes);
}

static void call_execute(struct cpu *cpu, struct mailbox *box)
{
	const struct lacking is = guest_lacking(cpu->around, cpu->frame);

	box->ok = is.kind != LACKING_NONE;
	if (is.kind == LACKING_SPFLT) {
		vpmu_spflt(&cpu->vpmu, guest_register(cpu->frame, is.number) & 1, box->cycles);
		return;
	}
	if (is.kind == LACKING_PREFETCH)
		references_vprefetch((unsigned)(cpu - cpus), is.access, is.linear);
	else if (is.kind == LACKING_VECTOR)
		execute_vector(cpu, &is);
	if (box->ok)
		pass(cpu, box, 0);
}

static void call_identify(struct cpu *cpu, struct mailbox *box)
{
	cpu->vpmu.model->identify((uint32_t)box->address, 0, box->registers);
}

static void call_take_request(struct cpu *cpu, struct mailbox *box)
{
	box->ok = vpmu_take_request(&cpu->vpmu);
}

static void call_set_level(struct cpu *cpu, struct mailbox *box)
{
	vpmu_set_level(&cpu->vpmu, (unsigned)box->value & 3);
}

static void call_change_level(struct cpu *cpu, struct mailbox *box)
{
	struct feed *feed = &feeds[cpu - cpus];

	sparc64_take(feed, 1);
	feed_change_level(feed, (unsigned)box->value & 3);
}

static void call_set_halted(struct cpu *cpu, struct mailbox *box)
{
	vpmu_set_halted(&cpu->vpmu, box->value);
}

static void call_resume(struct cpu *cpu, struct mailbox *box)
{
	(void)box;
	vpmu_resume(&cpu->vpmu);
}

// Of instructions only their number counts. CPUs that start later are like the first.
static void call_clock_only(struct cpu *cpu, struct mailbox *box)
{
	static struct pmu_model without;

	(void)box;
	without = *cpu->vpmu.model;
	while (without.raised && without.raised->happening < HAPPENING_INSTRUCTIONS)
		without.raised++;
	cpu->vpmu.model = &without;
}

static bool happens(const struct cpu *cpu, bool shared, uint16_t code, uint8_t umask)
{
	return vpmu_event_happens(&cpu->vpmu, shared, code, umask) ||
	       happenings_can_raise((unsigned)(cpu - cpus), shared, code, umask);
}

static void call_happens(struct cpu *cpu, struct mailbox *box)
{
	box->ok = happens(cpu, box->value & MAILBOX_SHARED, (uint16_t)box->value, (uint8_t)(box->value >> 16));
}

// An inverted condition is met in each cycle without the event: if nothing ever raises that, it would count them all.
static void leave_out(const struct cpu *cpu, const struct pmu_model *model, void *state, unsigned thread, bool shared)
{
	struct model_event event;
	uint32_t absent = 0;

	if (!model || !model->leave_out)
		return;
	for (unsigned i = 0; i < model->groups[0].count; i++)
		if (vpmu_selects(model, state, thread, i, &event) && !happens(cpu, shared, event.code, event.umask))
			absent |= 1u << i;
	model->leave_out(state, thread, absent);
}

// A register has been written that says what events are.
static void follow_select(const struct cpu *cpu, uint32_t address)
{
	const struct vpmu *v = &cpu->vpmu;

	if (vpmu_is_select(v->model, address) || happenings_qualifies(v->model, address))
		leave_out(cpu, v->model, v->state, v->thread, false);
	else if (v->package && (vpmu_is_select(v->package->model, address) ||
				happenings_qualifies(v->package->model, address)))
		leave_out(cpu, v->package->model, v->package->state, 0, true);
}

static void (*const calls[MAILBOX_CALLS])(struct cpu *cpu, struct mailbox *box) = {
	[MAILBOX_START] = call_start, [MAILBOX_RUN] = call_run, [MAILBOX_READ] = call_read,
	[MAILBOX_READ_COUNTER] = call_read_counter, [MAILBOX_WRITE] = call_write, [MAILBOX_EXECUTE] = call_execute,
	[MAILBOX_WRITE_COUNTER] = call_write_counter, [MAILBOX_COMMIT] = call_commit,
	[MAILBOX_IDENTIFY] = call_identify, [MAILBOX_TAKE_REQUEST] = call_take_request,
	[MAILBOX_SET_LEVEL] = call_set_level, [MAILBOX_CHANGE_LEVEL] = call_change_level,
	[MAILBOX_SET_HALTED] = call_set_halted, [MAILBOX_RESUME] = call_resume,
	[MAILBOX_NEXT] = call_next, [MAILBOX_REPORTED] = call_reported,
	[MAILBOX_CLOCK_ONLY] = call_clock_only,
	[MAILBOX_HAPPENS] = call_happens,
};

static bool is_due(const struct vpmu *v)
{
	return (vpmu_outputs(v)->requests | vpmu_outputs(v)->held) >> v->thread & 1;
}

// A precise trap is the monitor's from here on.
static bool take_precise(const struct vpmu *v)
{
	struct model_outputs *outputs = vpmu_outputs(v);
	const bool due = outputs->precise >> v->thread & 1;

	outputs->precise &= ~(1u << v->thread);
	return due;
}

static uint64_t headroom_of(unsigned number)
{
	struct occurrence recorded[HAPPENINGS_RECORDED_MOST];
	const size_t count = happenings_recorded(number, recorded);
	const uint64_t events = happenings_headroom(number), cycles = timed_headroom(&cpus[number].vpmu);
	const uint64_t late = events < cycles ? events : cycles;
	uint64_t headroom = feed_headroom(&feeds[number], recorded, count);

	if (count)
		headroom = loads_wait(number, headroom, feed_headroom(&feeds[number], NULL, 0));
	return headroom < late ? headroom : late;
}

// Whether some counter of the CPU's core counts, or of its package.
static bool counts_any(const struct vpmu *v)
{
	const struct model_outputs *shared = v->package ? v->package->state : NULL;

	return vpmu_outputs(v)->counting || (shared && shared->counting);
}

// What one CPU does may concern others: threads of its core, all of the package.
static void show_outputs(void)
{
	bool counts = false;

	if (timed_is_used)
		packages_follow();
	observe_follows_accesses = false;
	for (struct cpu *cpu = cpus; cpu < &cpus[VPMU_CPUS]; cpu++) {
		if (!cpu->box || !cpu->vpmu.model)
			continue;
		feed_configure(&feeds[cpu - cpus]);
		observe_follows_accesses |= !!(feeds[cpu - cpus].counted & HAPPENING_SET(BANK_CONFLICT));
		cpu->box->instructions_matter = feed_matters(&feeds[cpu - cpus]);
		cpu->box->headroom = headroom_of((unsigned)(cpu - cpus));
		cpu->box->request = is_due(&cpu->vpmu);
		cpu->box->precise |= take_precise(&cpu->vpmu);
		cpu->box->level_matters = vpmu_level_matters(&cpu->vpmu);
		cpu->box->counting = counts_any(&cpu->vpmu);
		observe_for((unsigned)(cpu - cpus), vpmu_locks_matter(&cpu->vpmu));
		counts |= vpmu_outputs(&cpu->vpmu)->counting || vpmu_outputs(&cpu->vpmu)->recording ||
			  vpmu_locks_matter(&cpu->vpmu);
	}
	if (happenings_matter() || observe_follows_accesses)
		plugin_report(true);
	else if (counts)
		plugin_report(false);
}

// The CPU's mailbox is where its first call came from, which names its own place; a monitor makes it before it has a
// guest. NULL: this is none.
static struct mailbox *find_box(struct cpu *cpu, uint64_t address)
{
	struct mailbox *box = memory_at(address, sizeof *box);

	if (!box || box->self != address || (cpu->box && cpu->address != address))
		return NULL;
	if (!cpu->box && box->call != MAILBOX_START)
		return NULL;
	cpu->address = address;
	return cpu->box = box;
}

void answer_leave(unsigned number, void *unused)
{
	struct cpu *cpu = &cpus[number];
	struct guest_instruction is;

	observe_leave(number, unused);
	if (number >= VPMU_CPUS || !cpu->box || !cpu->vpmu.model)
		return;
	is = guest_fault(cpu->around, cpu->frame);
	cpu->box->opcode = is.opcode;
	cpu->box->branch = is.branch;
	cpu->box->lacking = is.lacking.length;
}

void answer_call(unsigned number, uint64_t address)
{
	static bool tried, mapped;
	struct cpu *cpu = &cpus[number];
	struct mailbox *box;

	if (!tried) {
		const char *problem = memory_map();

		tried = true;
		mapped = !problem;
		if (problem)
			fprintf(stderr, "palmon plugin: %s\n", problem);
	}
	if (number >= VPMU_CPUS || !mapped)
		return;
	box = find_box(cpu, address);
	if (!box || box->call >= MAILBOX_CALLS || (box->call != MAILBOX_START && !cpu->vpmu.model))
		return;
	box->was_counted = observe_check(number);
	sparc64_settle(&feeds[number], box);
	sparc64_take(&feeds[number], box->cycles - is_own(box));
	references_follow(number);
	if (box->call != MAILBOX_NEXT)
		happenings_report(number, box);
	calls[box->call](cpu, box);
	if (box->call == MAILBOX_WRITE) {
		happenings_select(number, (uint32_t)box->address, box->value);
		follow_select(cpu, (uint32_t)box->address);
	}
	show_outputs();
	box->answers++;
}
