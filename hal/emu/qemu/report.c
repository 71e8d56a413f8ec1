// SPDX-License-Identifier: BSD-2-Clause
// Report of the PMUs' counts: report.h.

#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/memory.h"
#include "allocate.h"
#include "events.h"
#include "pmus.h"

#define TALLIES_MOST	256	/* the guest decides how often it changes its selections */
#define COUNTERS_MOST	32
#define PACKAGES_MOST	MEMORY_PACKAGES

// Events that a counter counted while it had one selection.
struct tally {
	unsigned counter;
	// the counter's bits of the control register; value of the other register that the event
	// requires
	uint64_t select, setting;
	struct event_request event;
	bool raised;			// this machine can raise the event
	uint64_t count[2];		// at level 0; at levels 1-3
};

// The counters of a thread or a package.
struct tallies {
	const struct pmu_model *model;
	void *state;
	unsigned thread;
	const struct pmu_driver *driver;
	uint64_t last[COUNTERS_MOST];		// last seen value, by counter
	// tally that receives the events, by counter; NULL: disabled
	struct tally *now[COUNTERS_MOST];
	struct tally tally[TALLIES_MOST], rest;	// rest: events for which `tally` is full
	unsigned count;
};

// Overflow interrupts of a vCPU.
static struct interrupts {
	// a counter has overflowed, and the vCPU has not yet left its block
	bool raised;
	uint64_t raised_at;		// instructions retired at the overflow
	uint64_t delivered, masked;
	uint64_t least, most;		// skid: instructions retired between overflow and delivery
} interrupts[CPUS_MOST];

bool reporting;
static FILE *out;
static const char *out_name;
static struct tallies *threads[CPUS_MOST], *packages[PACKAGES_MOST];

const char *report_open(const char *file)
{
	static char problem[400];

	out_name = file;
	out = *file ? fopen(file, "w") : stderr;
	reporting = out;
	if (!out)
		snprintf(problem, sizeof problem, "report=%s: %s", file, strerror(errno));
	return out ? NULL : problem;
}

//
// Counters
//

// Returns the group of a counter; *counter becomes its index in the group.
static const struct model_counters *group_of(const struct tallies *t, unsigned *counter)
{
	const struct model_counters *g = t->model->groups;

	while (*counter >= g->count)
		*counter -= (g++)->count;
	return g;
}

static uint32_t address_of(const struct tallies *t, unsigned counter)
{
	const struct model_counters *g = group_of(t, &counter);

	return g->counts ? g->counts[counter].address : g->address + counter;
}

static uint64_t value_of(const struct tallies *t, unsigned counter)
{
	const uint32_t address = address_of(t, counter);
	const struct model_counters *g = group_of(t, &counter);
	uint64_t value = 0;

	t->model->read(t->state, t->thread, address, &value);
	return g->counts ? value >> g->counts[counter].low &
	       FIELD_MASK(0, g->counts[counter].width) : value;
}

// Returns the counter's bits of the control register.
static uint64_t select_of(const struct tallies *t, unsigned counter)
{
	const struct model_counters *g = group_of(t, &counter);
	uint64_t value = 0;

	t->model->read(t->state, t->thread, g->select + counter * g->distance, &value);
	return g->shift ? value & FIELD_MASK(counter * g->shift, g->shift) : value;
}

// Returns the driver's number of a counter.
static unsigned number_of(const struct tallies *t, unsigned counter)
{
	const uint32_t address = address_of(t, counter);

	for (uint64_t rest = t->driver->shape->counters; rest; rest &= rest - 1)
		if (t->driver->address((unsigned)__builtin_ctzll(rest)) == address)
			return (unsigned)__builtin_ctzll(rest);
	return counter;
}

// Returns the number of events between two values. A counter decreases without a write only when
// the processor reloads it after recording an event, which is counted, too.
static uint64_t events_between(const struct tallies *t, uint64_t before, uint64_t now)
{
	const uint64_t mask = FIELD_MASK(0, t->driver->shape->width),
		events = (now - before) & mask;

	if (events <= mask / 2)
		return events;
	return before > mask / 2 ? mask - before + 1 : 1;
}

static void look(struct tallies *t, unsigned level)
{
	const unsigned counters = vpmu_counters(t->model);

	for (unsigned i = 0; i < counters; i++) {
		const uint64_t now = value_of(t, i);

		if (t->now[i] && now != t->last[i])
			t->now[i]->count[level != 0] += events_between(t, t->last[i], now);
		t->last[i] = now;
	}
}

static struct tally *find(struct tallies *t, const struct tally *like)
{
	for (struct tally *one = t->tally; one < t->tally + t->count; one++)
		if (one->counter == like->counter && one->select == like->select &&
		    one->setting == like->setting)
			return one;
	if (t->count == TALLIES_MOST)
		return &t->rest;
	t->tally[t->count] = *like;
	return &t->tally[t->count++];
}

// Updates the tally of each counter from its current selection.
static void follow_selects(struct tallies *t, const struct cpu *c)
{
	const unsigned counters = vpmu_counters(t->model);

	for (unsigned i = 0; i < counters; i++) {
		struct tally like = {.counter = number_of(t, i), .select = select_of(t, i)};
		struct model_event event;
		bool exact;

		t->now[i] = NULL;
		if (!vpmu_selects(t->model, t->state, t->thread, i, &event))
			continue;
		events_read(t->driver, like.counter, like.select, &like.event);
		if (like.event.event->setting_address)
			t->model->read(t->state, t->thread, like.event.event->setting_address,
				       &like.setting);
		like.raised = pmus_can_raise(c, t->model->package, event.code, event.umask, &exact);
		t->now[i] = find(t, &like);
	}
}

static struct tallies *new_tallies(const struct pmu_model *model, void *state, unsigned thread)
{
	struct tallies *t = allocate(sizeof *t);

	*t = (struct tallies){
		.model = model, .state = state, .thread = thread,
		.driver = pmu_driver_find(pmu_model_base(model)->name),
	};
	return t;
}

static struct tallies *package_of(const struct cpu *c)
{
	return c->vpmu.package ? packages[c->core->package_number] : NULL;
}

void report_begin(struct cpu *c)
{
	struct vpmu_package *p = c->vpmu.package;

	threads[c->number] = new_tallies(c->vpmu.model, c->vpmu.state, c->vpmu.thread);
	if (p && !packages[c->core->package_number])
		packages[c->core->package_number] = new_tallies(p->model, p->state, 0);
	interrupts[c->number].least = UINT64_MAX;
}

void report_look(struct cpu *c)
{
	look(threads[c->number], c->vpmu.level);
}

static void look_at_package(struct cpu *c)
{
	if (!package_of(c))
		return;
	vpmu_package_sync(c->vpmu.package);
	look(package_of(c), 0);
}

//
// Writes
//

static bool is_of_package(const struct cpu *c, uint32_t address)
{
	return !model_register(c->vpmu.model, address);
}

void report_before_write(struct cpu *c, uint32_t address)
{
	if (is_of_package(c, address))
		look_at_package(c);
	else
		report_look(c);
}

// The write took a cycle, whose events belong to the previous selection. If it wrote a counter, its
// new value adds no events.
void report_after_write(struct cpu *c, uint32_t address)
{
	const bool of_package = is_of_package(c, address);
	struct tallies *t = of_package ? package_of(c) : threads[c->number];
	const unsigned counters = t ? vpmu_counters(t->model) : 0;

	if (!t)
		return;
	for (unsigned i = 0; i < counters; i++)
		if (address_of(t, i) == address)
			t->last[i] = value_of(t, i);
	look(t, of_package ? 0 : c->vpmu.level);
	follow_selects(t, c);
}

static void look_at_all(void)
{
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++) {
		report_look(c);
		look_at_package(c);
	}
}

void report_before_reset(void)
{
	look_at_all();
}

void report_after_reset(void)
{
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++) {
		struct tallies *const both[] = {threads[c->number], package_of(c)};

		for (size_t n = 0; n < 2; n++) {
			for (unsigned i = 0; both[n] && i < vpmu_counters(both[n]->model); i++)
				both[n]->last[i] = value_of(both[n], i);
			if (both[n])
				follow_selects(both[n], c);
		}
	}
}

//
// Interrupts
//

void report_cycle(struct cpu *c)
{
	if (report_each_cycle(c))
		report_look(c);
	for (struct cpu *other = cpus; other < &cpus[cpus_count]; other++) {
		struct interrupts *of = &interrupts[other->number];

		if (of->raised || !vpmu_is_due(&other->vpmu))
			continue;
		of->raised = true;
		of->raised_at = other->retired;
	}
}

bool report_each_cycle(const struct cpu *c)
{
	return vpmu_outputs(&c->vpmu)->records;
}

void report_interrupt(struct cpu *c, bool delivered)
{
	struct interrupts *of = &interrupts[c->number];
	const uint64_t skid = c->retired - of->raised_at;

	of->delivered += delivered;
	of->masked += !delivered;
	if (delivered && of->raised) {
		of->least = skid < of->least ? skid : of->least;
		of->most = skid > of->most ? skid : of->most;
	}
	of->raised = false;
}

//
// The report
//

static void print_tally(const struct tallies *t, const struct tally *one)
{
	const struct pmu_shape *const shape = t->driver->shape;
	const bool fixed = shape->fixed >> one->counter & 1;
	const unsigned number = fixed ? one->counter - (unsigned)__builtin_ctzll(shape->fixed) :
		one->counter;
	char name[200], counter[24];

	events_name(t->driver, &one->event, one->setting, name, sizeof name);
	snprintf(counter, sizeof counter, "%s %u", fixed ? "fixed" : "general", number);
	if (!one->raised)
		fprintf(out, "%15s %15s %15s", "not raised", "", "");
	// counts events of several threads, which may have different levels
	else if (t->model->package || one->event.modifiers & EVENT_ANY)
		fprintf(out, "%15" PRIu64 " %15s %15s", one->count[0] + one->count[1], "", "");
	else
		fprintf(out, "%15" PRIu64 " %15" PRIu64 " %15" PRIu64,
			one->count[0] + one->count[1], one->count[0], one->count[1]);
	fprintf(out, "  %-9s  %s", counter, name);
	fprintf(out, one->event.event == &event_raw ? " (select 0x%" PRIx64 ")\n" : "\n",
		one->select);
}

static void print_tallies(const struct tallies *t)
{
	if (t->count)
		fprintf(out, "%15s %15s %15s  %-9s  %s\n", "count", "at level 0", "at levels 1-3",
			"counter", "event");
	for (const struct tally *one = t->tally; one < t->tally + t->count; one++)
		print_tally(t, one);
	if (t->count == TALLIES_MOST)
		fprintf(out, "%15" PRIu64 " of events selected after these\n",
			t->rest.count[0] + t->rest.count[1]);
	if (!t->count)
		fprintf(out, "%15s\n", "nothing was selected");
}

static void print_cpu(const struct cpu *c)
{
	const struct interrupts *i = &interrupts[c->number];

	fprintf(out, "\nCPU %u: thread %u of core %u of package %u, PMU %s\n", c->number,
		c->vpmu.thread, c->core->number, c->core->package_number, c->vpmu.model->name);
	fprintf(out, "overflow interrupts: %" PRIu64 " delivered, %" PRIu64 " masked", i->delivered,
		i->masked);
	if (i->delivered)
		fprintf(out, "; skid: %" PRIu64 " to %" PRIu64 " instructions", i->least, i->most);
	fputc('\n', out);
	print_tallies(threads[c->number]);
}

FILE *report_print(void)
{
	look_at_all();
	fputs("Counts of the PMUs in QEMU's machine, by palmon's plugin\n", out);
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		print_cpu(c);
	for (unsigned n = 0; n < PACKAGES_MOST; n++)
		if (packages[n]) {
			fprintf(out, "\nPackage %u, PMU %s\n", n, packages[n]->model->name);
			print_tallies(packages[n]);
		}
	return out;
}

void report_close(void)
{
	if (ferror(out) | (out == stderr ? fflush(out) : fclose(out)))
		fprintf(stderr, "palmon: the report cannot be written (report=%s)\n", out_name);
}
