// SPDX-License-Identifier: BSD-2-Clause
// The monitors' calls, and the answers: what the machine's PMUs (pmus.h) do for them.

#include "answer.h"

#include <stdio.h>

#include "early_alarm.h"
#include "feed.h"
#include "guest.h"
#include "happenings.h"
#include "issued.h"
#include "loads.h"
#include "mailbox.h"
#include "memory.h"
#include "numbers.h"
#include "observe.h"
#include "packages.h"
#include "pmus.h"
#include "quantum.h"
#include "references.h"
#include "reports.h"
#include "sparc64_observe.h"
#include "sparc64_references.h"
#include "timed.h"
#include "vpmu.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a mailbox's numbers are in the host's order");

//
// Calls of a CPU whose PMU has been started
//

// Whether the last of the call's cycles is that of an instruction that the monitor carries out.
static bool is_own(const struct mailbox *box)
{
	return box->cycles && (box->call == MAILBOX_WRITE || box->call == MAILBOX_WRITE_COUNTER);
}

// Lets the call's cycles pass, but for the last ones.
static void pass(const struct pmus_cpu *cpu, const struct mailbox *box, uint64_t without)
{
	if (!box->cycles)
		return;
	feed_pass(&feeds[cpu - pmus], box->cycles - without, NULL, 0);
}

static void call_run(struct pmus_cpu *cpu, struct mailbox *box)
{
	pass(cpu, box, 0);
}

// The register may be one in which the package's PMU counts what goes to memory: somebody wants to know, from here on.
static void watch_memory(uint32_t address)
{
	const struct pmu_model *model = pmus_shared_model;
	bool counts = model && model->transaction && model_register(model, address);

	for (size_t i = 0; counts && i < model->group_count; i++)
		counts = address != model->groups[i].select;
	if (counts)
		sparc64_watch_memory();
}

static void call_read(struct pmus_cpu *cpu, struct mailbox *box)
{
	pass(cpu, box, 0);
	box->ok = vpmu_read(&cpu->vpmu, (uint32_t)box->address, &box->value);
	watch_memory((uint32_t)box->address);
}

static void call_read_counter(struct pmus_cpu *cpu, struct mailbox *box)
{
	pass(cpu, box, 0);
	box->ok = vpmu_read_counter(&cpu->vpmu, (uint32_t)box->address, &box->value);
}

static void select_cores(void)
{
	for (struct pmus_cpu *cpu = pmus; cpu < &pmus[VPMU_CPUS]; cpu++)
		if (cpu->vpmu.model) {
			feed_select(&feeds[cpu - pmus]);
			quantum_select((unsigned)(cpu - pmus));
		}
}

// What an instruction raises that the monitor carries out.
static uint64_t own_raises(void)
{
	return HAPPENING_SET(DECODED) | sparc64_raises_own();
}

static void call_write(struct pmus_cpu *cpu, struct mailbox *box)
{
	struct feed *feed = &feeds[cpu - pmus];

	pass(cpu, box, 1);
	feed_begin_own(feed, own_raises(), NULL, 0);
	box->ok = vpmu_write(&cpu->vpmu, (uint32_t)box->address, box->value, box->cycles != 0);
	watch_memory((uint32_t)box->address);
	feed_end_own(feed);
	if (vpmu_is_select(cpu->vpmu.model, (uint32_t)box->address))
		select_cores();
}

static void call_write_counter(struct pmus_cpu *cpu, struct mailbox *box)
{
	struct feed *feed = &feeds[cpu - pmus];

	pass(cpu, box, 1);
	feed_begin_own(feed, own_raises(), NULL, 0);
	box->ok = vpmu_write_counter(&cpu->vpmu, (uint32_t)box->address, box->value, box->cycles != 0);
	feed_end_own(feed);
	if (box->ok)
		vpmu_package_run(&cpu->vpmu, box->cycles != 0);
}

static void call_commit(struct pmus_cpu *cpu, struct mailbox *box)
{
	struct feed *feed = &feeds[cpu - pmus];

	(void)box;
	feed_begin_own(feed, own_raises(), NULL, 0);
	vpmu_commit(&cpu->vpmu);
	feed_end_own(feed);
}

static void call_next(struct pmus_cpu *cpu, struct mailbox *box)
{
	struct occurrence beside[HAPPENINGS_TAKEN_MOST];
	const size_t count = happenings_take((unsigned)(cpu - pmus), beside);
	struct feed *feed = &feeds[cpu - pmus];

	feed_begin_own(feed, sparc64_raises_next((uint32_t)box->value, &box->ok), beside, count);
	if (box->ok)
		vpmu_commit(&cpu->vpmu);
	else
		vpmu_run(&cpu->vpmu, 1);
	feed_end_own(feed);
}

static void call_reported(struct pmus_cpu *cpu, struct mailbox *box)
{
	(void)box;
	sparc64_drop(&feeds[cpu - pmus]);
}

// Memory is referred to only if some element is active.
static void execute_vector(struct pmus_cpu *cpu, const struct lacking *is)
{
	const unsigned number = (unsigned)(cpu - pmus);
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

static void call_execute(struct pmus_cpu *cpu, struct mailbox *box)
{
	const struct lacking is = guest_lacking(cpu->around, cpu->frame);

	box->ok = is.kind != LACKING_NONE;
	if (is.kind == LACKING_SPFLT) {
		vpmu_spflt(&cpu->vpmu, guest_register(cpu->frame, is.number) & 1, box->cycles);
		return;
	}
	if (is.kind == LACKING_PREFETCH)
		references_vprefetch((unsigned)(cpu - pmus), is.access, is.linear);
	else if (is.kind == LACKING_VECTOR)
		execute_vector(cpu, &is);
	if (box->ok)
		pass(cpu, box, 0);
}

static void call_identify(struct pmus_cpu *cpu, struct mailbox *box)
{
	cpu->vpmu.model->identify((uint32_t)box->address, 0, box->registers);
}

static void call_take_request(struct pmus_cpu *cpu, struct mailbox *box)
{
	box->ok = vpmu_take_request(&cpu->vpmu);
}

static void call_set_level(struct pmus_cpu *cpu, struct mailbox *box)
{
	vpmu_set_level(&cpu->vpmu, (unsigned)box->value & 3);
	box->level = box->value & 3;
}

static void call_change_level(struct pmus_cpu *cpu, struct mailbox *box)
{
	struct feed *feed = &feeds[cpu - pmus];

	sparc64_take(feed, 1);
	feed_change_level(feed, (unsigned)box->value & 3);
}

static void call_set_halted(struct pmus_cpu *cpu, struct mailbox *box)
{
	vpmu_set_halted(&cpu->vpmu, box->value);
}

static void call_resume(struct pmus_cpu *cpu, struct mailbox *box)
{
	(void)box;
	vpmu_resume(&cpu->vpmu);
}

// Of instructions only their number counts. CPUs that start later are like the first.
static void call_clock_only(struct pmus_cpu *cpu, struct mailbox *box)
{
	static struct pmu_model without;

	(void)box;
	without = *cpu->vpmu.model;
	while (without.raised && without.raised->happening < HAPPENING_INSTRUCTIONS)
		without.raised++;
	cpu->vpmu.model = &without;
}

static bool happens(const struct pmus_cpu *cpu, bool shared, uint16_t code, uint8_t umask)
{
	return vpmu_event_happens(&cpu->vpmu, shared, code, umask) ||
	       happenings_can_raise((unsigned)(cpu - pmus), shared, code, umask);
}

static void call_happens(struct pmus_cpu *cpu, struct mailbox *box)
{
	box->ok = happens(cpu, box->value & MAILBOX_SHARED, (uint16_t)box->value, (uint8_t)(box->value >> 16));
}

// An inverted condition is met in each cycle without the event: if nothing ever raises that, it would count them all.
static void leave_out(const struct pmus_cpu *cpu, const struct pmu_model *model, void *state, unsigned thread,
		      bool shared)
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
static void follow_select(const struct pmus_cpu *cpu, uint32_t address)
{
	const struct vpmu *v = &cpu->vpmu;

	if (vpmu_is_select(v->model, address) || happenings_qualifies(v->model, address))
		leave_out(cpu, v->model, v->state, v->thread, false);
	else if (v->package && (vpmu_is_select(v->package->model, address) ||
				happenings_qualifies(v->package->model, address)))
		leave_out(cpu, v->package->model, v->package->state, 0, true);
}

static void (*const calls[MAILBOX_CALLS])(struct pmus_cpu *cpu, struct mailbox *box) = {
	[MAILBOX_START] = pmus_start, [MAILBOX_RUN] = call_run, [MAILBOX_READ] = call_read,
	[MAILBOX_READ_COUNTER] = call_read_counter, [MAILBOX_WRITE] = call_write, [MAILBOX_EXECUTE] = call_execute,
	[MAILBOX_WRITE_COUNTER] = call_write_counter, [MAILBOX_COMMIT] = call_commit,
	[MAILBOX_IDENTIFY] = call_identify, [MAILBOX_TAKE_REQUEST] = call_take_request,
	[MAILBOX_SET_LEVEL] = call_set_level, [MAILBOX_CHANGE_LEVEL] = call_change_level,
	[MAILBOX_SET_HALTED] = call_set_halted, [MAILBOX_RESUME] = call_resume,
	[MAILBOX_NEXT] = call_next, [MAILBOX_REPORTED] = call_reported,
	[MAILBOX_CLOCK_ONLY] = call_clock_only,
	[MAILBOX_HAPPENS] = call_happens,
};

uint64_t answer_headroom_most = MAILBOX_FAR;

static unsigned started;	// CPUs

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
	const uint64_t events = happenings_headroom(number), cycles = timed_headroom(&pmus[number].vpmu);
	const uint64_t late = least(events, cycles);
	uint64_t headroom = count ? 0 : quantum_headroom(number, guest_look(pmus[number].frame).address);

	if (!headroom)
		headroom = feed_headroom(&feeds[number], recorded, count);
	if (pmus[number].box->demands.follows == MAILBOX_FOLLOWS_RETURNS)
		headroom = least(headroom, quantum_least(number));
	if (count)
		headroom = loads_wait(number, headroom, feed_headroom(&feeds[number], NULL, 0));
	return least(headroom, late);
}

// Whether some counter of the CPU's core counts, or of its package.
static bool counts_any(const struct vpmu *v)
{
	const struct model_outputs *shared = v->package ? v->package->state : NULL;

	return vpmu_outputs(v)->counting || (shared && shared->counting);
}

// Whether no other CPU has a guest, and quanta can be ended early: numbers of instructions will do.
static bool is_alone(void)
{
	return started == 1 && early_alarm_is_there();
}

// Whether its guest's monitor sees to what following it needs, and quanta can be ended early.
static bool may_follow(const struct pmus_cpu *cpu)
{
	return cpu->box->may_follow && early_alarm_is_there();
}

// What the emulator must report of the CPU's guest.
static enum reports need_of(const struct pmus_cpu *cpu)
{
	const struct model_outputs *outputs = vpmu_outputs(&cpu->vpmu);
	const struct feed *f = &feeds[cpu - pmus];

	if (outputs->recording || vpmu_locks_matter(&cpu->vpmu) || feed_matters(f) || timed_is_used)
		return REPORTS_BLOCKS;
	if (!outputs->counting)
		return REPORTS_NOTHING;
	return is_alone() ? REPORTS_NUMBERS : REPORTS_BLOCKS;
}

// Whether its guest can change its level within a quantum: what happens at each level can be told apart there.
static bool can_follow(const struct pmus_cpu *cpu)
{
	const struct feed *f = &feeds[cpu - pmus];

	return may_follow(cpu) && vpmu_level_matters(&cpu->vpmu) && !timed_is_used && !happenings_matter() &&
	       feed_adds_up(f);
}

// Whether an IRET need not end its quantum: an overflow is so many instructions away at each level.
static bool may_return(const struct pmus_cpu *cpu)
{
	return reports_what == REPORTS_NUMBERS && guest_look(cpu->frame).bits == 64 &&
	       quantum_least((unsigned)(cpu - pmus)) >= 50000;
}

// Counters are often stopped for a short time, as their overflow handler does: what ends quanta stays the same then.
#define BREAK_MOST 100000	/* cycles */

static bool numbers_matter(const struct pmus_cpu *cpu, enum reports need)
{
	return (need == REPORTS_NUMBERS && reports_what < REPORTS_BLOCKS) ||
	       (reports_what == REPORTS_NUMBERS && cpu->uncounted < BREAK_MOST);
}

static enum reports show_instructions(const struct pmus_cpu *cpu)
{
	struct mailbox *box = cpu->box;
	const enum reports need = need_of(cpu);

	box->kinds_matter = feed_matters(&feeds[cpu - pmus]);
	box->demands.follows = !can_follow(cpu) ? MAILBOX_FOLLOWS_NOTHING :
			       may_return(cpu) ? MAILBOX_FOLLOWS_RETURNS : MAILBOX_FOLLOWS_CALLS;
	box->demands.watch = box->kinds_matter || box->demands.follows ? MAILBOX_WATCH_ALL :
			     numbers_matter(cpu, need) ? MAILBOX_WATCH_EXCEPTIONS : MAILBOX_WATCH_NOTHING;
	return need;
}

// What one CPU does may concern others: threads of its core, all of the package.
static void show_outputs(void)
{
	enum reports need = REPORTS_NOTHING, need_here;

	if (timed_is_used)
		packages_follow();
	issued_follows_accesses = false;
	for (struct pmus_cpu *cpu = pmus; cpu < &pmus[VPMU_CPUS]; cpu++) {
		if (!cpu->box || !cpu->vpmu.model)
			continue;
		feed_configure(&feeds[cpu - pmus]);
		issued_follows_accesses |= !!(feeds[cpu - pmus].counted & HAPPENING_SET(BANK_CONFLICT));
		if (vpmu_outputs(&cpu->vpmu)->counting)
			cpu->uncounted = 0;
		need_here = show_instructions(cpu);
		need = need < need_here ? need_here : need;
		cpu->box->headroom = least(headroom_of((unsigned)(cpu - pmus)), answer_headroom_most);
		cpu->box->demands.request = is_due(&cpu->vpmu);
		cpu->box->precise |= take_precise(&cpu->vpmu);
		cpu->box->demands.level_matters = vpmu_level_matters(&cpu->vpmu);
		cpu->box->counting = counts_any(&cpu->vpmu);
		observe_for((unsigned)(cpu - pmus), vpmu_locks_matter(&cpu->vpmu));
	}
	if (happenings_matter() || issued_follows_accesses)
		need = REPORTS_REFERENCES;
	reports_add(need);
}

// The CPU's mailbox is where its first call came from, which names its own place; a monitor makes it before it has a
// guest. NULL: this is none.
static struct mailbox *find_box(struct pmus_cpu *cpu, uint64_t address)
{
	struct mailbox *box = memory_at(address, sizeof *box);

	if (!box || box->self != address || (cpu->box && cpu->address != address))
		return NULL;
	if (!cpu->box && box->call != MAILBOX_START)
		return NULL;
	started += !cpu->box;
	cpu->address = address;
	return cpu->box = box;
}

void answer_leave(unsigned number, void *unused)
{
	struct pmus_cpu *cpu = &pmus[number];
	struct guest_instruction is;

	if (reports_what >= REPORTS_BLOCKS)
		observe_leave(number, unused);
	else
		numbers_leave(number);
	if (number >= VPMU_CPUS || !cpu->box || !cpu->vpmu.model)
		return;
	is = guest_fault(cpu->around, cpu->frame);
	cpu->box->opcode = is.opcode;
	cpu->box->branch = is.branch;
	cpu->box->lacking = is.lacking.length;
}

// The cycles that passed up to where the guest has changed its level have been handed on.
static void take_handed(struct feed *f, struct mailbox *box)
{
	const uint64_t cycles = f->handed < box->cycles ? f->handed : box->cycles;

	box->cycles -= cycles;
	f->handed -= cycles;
}

void answer_call(unsigned number, uint64_t address)
{
	static bool tried, mapped;
	struct pmus_cpu *cpu = &pmus[number];
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
	take_handed(&feeds[number], box);
	box->was_counted = reports_what >= REPORTS_BLOCKS ? observe_check(number) : numbers_check(number);
	sparc64_settle(&feeds[number], box);
	sparc64_take(&feeds[number], box->cycles - is_own(box));
	references_follow(number);
	if (box->call != MAILBOX_NEXT)
		happenings_report(number, box);
	calls[box->call](cpu, box);
	cpu->uncounted += box->cycles;
	if (box->call == MAILBOX_WRITE) {
		happenings_select(number, (uint32_t)box->address, box->value);
		follow_select(cpu, (uint32_t)box->address);
	}
	show_outputs();
	box->answers++;
}
