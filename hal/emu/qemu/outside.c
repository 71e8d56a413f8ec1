// SPDX-License-Identifier: BSD-2-Clause
// Counting a guest from outside: outside.h.

#include "outside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "events.h"
#include "hal.h"
#include "pmus.h"
#include "shim.h"
#include "timeline.h"

#define EVENTS_MOST	64
#define TEXT_MOST	4096
#define ANY_SPACE	UINT64_MAX

// The address bits of CR3, without process-context identifier and cache control (SDM volume 3A, 2.5
// "Control Registers").
#define CR3_ADDRESS	0x000FFFFFFFFFF000u

static struct event_request requests[EVENTS_MOST];
static unsigned count;
static const struct pmu_driver *driver;
static uint64_t space = ANY_SPACE;

// Consecutive events that one PMU counts.
static struct set {
	unsigned first, count;
	uint8_t counter[PMU_SESSION_EVENTS];	// counter of each event
} sets[EVENTS_MOST];
static unsigned set_count;

//
// Events
//

// Returns true unless two of these events need different values in one register.
static bool agree(const struct event_request *first, unsigned n)
{
	for (unsigned i = 0; i + 1 < n; i++)
		if (first[i].event->setting_address &&
		    first[i].event->setting_address == first[n - 1].event->setting_address &&
		    first[i].extra != first[n - 1].extra)
			return false;
	return true;
}

// Divides the events into sets, in their order. Returns NULL, or the reason why an event cannot be
// counted.
static const char *divide(void)
{
	static char problem[600];
	struct pmu_refusal refusal;

	for (unsigned i = 0; i < count; i++) {
		struct set *s = &sets[set_count ? set_count - 1 : 0];
		const unsigned first = set_count ? s->first : 0;
		enum pmu_error error = PMU_CONFLICT;

		if (set_count && i - first < PMU_SESSION_EVENTS &&
		    agree(&requests[first], i - first + 1))
			error = pmu_allocate(driver, &requests[first], i - first + 1,
					     driver->shape->counters, s->counter, &refusal);
		if (error) {
			s = &sets[set_count++];
			s->first = i;
			error = pmu_allocate(driver, &requests[i], 1, driver->shape->counters,
					     s->counter, &refusal);
		}
		if (error) {
			strcpy(problem, "events=: ");
			pmu_explain(driver, error, &refusal, &requests[i],
				    problem + strlen(problem), sizeof problem - strlen(problem));
			return problem;
		}
		s->count = i - s->first + 1;
	}
	return NULL;
}

// Returns the reason why an event cannot be counted from outside, or NULL: there are no samples,
// and each vCPU is counted separately.
static const char *objection(const struct event_request *r)
{
	if (r->period || r->modifiers & (EVENT_PRECISE | EVENT_BRANCHES))
		return "events=: events are counted, and not sampled";
	if (r->modifiers & EVENT_ANY)
		return "events=: each vCPU is counted by itself, without the other threads of its "
		       "core (t)";
	return NULL;
}

static const char *read_events(const char *text)
{
	static char copy[TEXT_MOST], problem[TEXT_MOST + 300];

	snprintf(copy, sizeof copy, "%s", text);
	for (char *separator = strchr(copy, '/'); separator; separator = strchr(separator, '/'))
		*separator = ',';
	for (struct event_list list = event_list(copy); list.more; count++) {
		enum event_error error;

		if (count == EVENTS_MOST)
			return "events=: there are too many events";
		error = event_next(driver->events, &list, &requests[count]);
		if (error) {
			strcpy(problem, "events=: ");
			event_explain(driver->events, error, list.text, problem + strlen(problem),
				      sizeof problem - strlen(problem));
			return problem;
		}
		if (objection(&requests[count]))
			return objection(&requests[count]);
	}
	return NULL;
}

static const char *read_space(const char *text)
{
	char *end;

	space = strtoull(text, &end, 0) & CR3_ADDRESS;
	return *text >= '0' && *text <= '9' && !*end ? NULL :
	       "cr3=: the address of page tables, 0x...";
}

// Finds the counters of this processor, if processors with this driver differ.
static void find_shape(void)
{
	if (shim_start(pmus_model()->name, ""))
		(void)pmu_probe(driver);
	shim_end();
}

const char *outside_choose(const char *events, const char *cr3)
{
	const char *problem;

	if (!*events)
		return *cr3 ? "cr3= requires events=" : NULL;
	driver = pmu_driver_find(pmu_model_base(pmus_model())->name);
	find_shape();
	problem = read_events(events);
	if (!problem && *cr3)
		problem = read_space(cr3);
	return problem ? problem : divide();
}

bool outside_wants(uint64_t cr3)
{
	return space == ANY_SPACE || (cr3 & CR3_ADDRESS) == space;
}

//
// Models
//

static struct cpu *programmed;

// Repeats the driver's write to the shim's PMU on the model `programmed`.
static void write_too(uint32_t address, uint64_t value)
{
	vpmu_write(&programmed->vpmu, address, value, 0);
	pmus_written(programmed, address, value);
}

static bool write_settings(const struct event_request *r, unsigned counter)
{
	struct pmu_setting settings[PMU_EVENT_SETTINGS];
	const unsigned needed = driver->settings ? driver->settings->needed(r, counter, settings) :
		0;
	bool ok = true;

	for (unsigned i = 0; i < needed; i++)
		ok &= reg_write(settings[i].address, settings[i].value);
	return ok;
}

static bool program(const struct set *s)
{
	struct pmu_counter counters[PMU_SESSION_EVENTS] = {0};
	uint64_t numbers = 0;
	bool ok = shim_start(pmus_model()->name, "") && pmu_begin(driver, false) == PMU_OK;

	shim_watch_writes(write_too);
	for (unsigned i = 0; ok && i < s->count; i++) {
		const struct event_request *r = &requests[s->first + i];
		const unsigned number = s->counter[i];

		counters[i] = (struct pmu_counter){
			.number = (uint8_t)number, .address = driver->address(number),
			.select = driver->encode(r, number),
		};
		numbers |= 1ULL << number;
		ok &= write_settings(r, number);
	}
	ok = ok && driver->program(counters, s->count) && driver->enable(numbers);
	shim_end();
	return ok;
}

// Creates a PMU for this vCPU only, in a package of its own without a package PMU.
static struct cpu *new_model(struct cpu *c)
{
	struct {
		struct cpu cpu;
		struct core core;
		struct package_pmu package;
	} *new = allocate(sizeof *new);
	void *state = allocate(vpmu_state_size(pmus_model()));

	new->core.package = &new->package;
	new->core.package_number = c->core->package_number;
	new->cpu.number = c->number;
	new->cpu.core = &new->core;
	new->cpu.watched = c;
	vpmu_start(&new->cpu.vpmu, pmus_model(), state, 0, "", 0);
	signals_begin(&new->core.signals, new->cpu.vpmu.model, state, c->core->signals.clock);
	return &new->cpu;
}

const char *outside_begin(struct cpu *c)
{
	struct cpu **last = &c->outside;

	for (const struct set *s = sets; s < sets + set_count; s++) {
		struct cpu *new = programmed = new_model(c);

		if (!program(s))
			return "events=: these events cannot be counted";
		timeline_resume(new);
		*last = new;
		last = &new->outside;
	}
	pmus_select();
	return NULL;
}

//
// Counts
//

static void write_count(FILE *out, const struct cpu *by, const struct event_request *r,
			unsigned counter)
{
	char name[200];
	uint64_t value = 0;
	bool exact;

	events_name(driver, r, r->extra, name, sizeof name);
	by->vpmu.model->read(by->vpmu.state, by->vpmu.thread, driver->address(counter), &value);
	if (pmus_can_raise(by, false, event_code(r), r->umask, &exact))
		fprintf(out, "%15" PRIu64 "  %s\n", value, name);
	else
		fprintf(out, "%15s  %s\n", "not raised", name);
}

void outside_write(FILE *out)
{
	for (const struct cpu *c = cpus; c < &cpus[cpus_count]; c++) {
		const struct set *s = sets;

		if (!c->outside)
			continue;
		fprintf(out, "\nCPU %u, counted from outside", c->number);
		if (space != ANY_SPACE)
			fprintf(out, ", address space 0x%" PRIx64, space);
		fputc('\n', out);
		for (const struct cpu *by = c->outside; by; by = by->outside, s++) {
			for (unsigned i = 0; i < s->count; i++)
				write_count(out, by, &requests[s->first + i], s->counter[i]);
		}
	}
}
