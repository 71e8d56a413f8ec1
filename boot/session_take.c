// SPDX-License-Identifier: BSD-2-Clause
// Moves samples from the ring into a histogram, in the overflow interrupt, while the workload runs.
// Compiled like the runtime, because the interrupt saves general registers only.

#include <string.h>

#include "live.h"
#include "pmu_driver.h"
#include "result.h"
#include "symbols.h"

static struct session_results *results;

// If the table has no space for an address, its sample counts for its function. A quarter of the
// table is reserved for functions.
static bool add(struct histogram *h, uint32_t kind, uint64_t from, uint64_t to, uint64_t events)
{
	const uint32_t all = 1u << h->bits;
	const struct symbol *source, *target;

	if (histogram_add(h, all - all / 4, kind, from, to, events))
		return true;
	source = symbol_find(from);
	target = to ? symbol_find(to) : NULL;
	return histogram_add(h, all, kind, source ? source->address : 0, target ? target->address :
			     0, events);
}

// Returns the entry for the registers of records at one address. NULL: there is no space for a new
// one.
static struct session_registers *registers_at(struct session_registers *r, uint32_t kind,
					      uint64_t address)
{
	for (struct session_registers *end = r + REGISTERS_MOST; r < end; r++)
		if (!r->kind || (r->kind == kind && r->address == address)) {
			r->kind = kind;
			r->address = address;
			return r;
		}
	return NULL;
}

static void add_register(struct session_registers *r, unsigned i, const struct payload_part *p)
{
	if (i == REGISTERS_OF)
		return;
	r->name[i] = p->name;
	r->count = i + 1 > r->count ? i + 1 : r->count;
	spread_add(&r->contents[i], (int64_t)p->value);
}

// Returns whether a part of a payload is averaged: a register, a data address, a latency.
static bool is_spread(const struct payload_part *p)
{
	return p->kind == PAYLOAD_CONTENTS || !strcmp(p->name, "address") ||
	       !strcmp(p->name, "latency");
}

static void add_range(struct session_range *r, uint64_t address)
{
	if (!r->samples || address < r->least)
		r->least = address;
	if (!r->samples || address > r->most)
		r->most = address;
	r->samples++;
}

static unsigned latency_class(uint64_t cycles)
{
	const unsigned bits = cycles ? 64 - (unsigned)__builtin_clzll(cycles) : 0;

	return bits < LATENCY_CLASSES ? bits : LATENCY_CLASSES - 1;
}

// Adds a part of a payload to the data summary. Returns whether it concerns the data that the
// instruction accessed.
static bool add_data(struct session_data *d, const struct payload_part *p)
{
	if (!strcmp(p->name, "address"))
		add_range(&d->range[memory_region_of(p->value)], p->value);
	else if (!strcmp(p->name, "latency"))
		d->latency[latency_class(p->value)]++;
	else if ((!strcmp(p->name, "source") || !strcmp(p->name, "level")) &&
		 p->value < SOURCES_MOST)
		d->source[p->value] = (struct session_source){d->source[p->value].samples + 1,
							      p->text};
	else if (!strcmp(p->name, "served"))
		d->missed += served_missed((enum payload_served)p->value);
	else
		return false;
	return strcmp(p->name, "served");
}

// Adds a payload: data, registers, and branches, each followed by its target.
static void add_payload(struct session_samples *s, unsigned event, const struct pmu_driver *driver,
			uint64_t address, const uint64_t *words, unsigned count)
{
	static struct payload_part parts[HAL_CPUS][PAYLOAD_PARTS];
	const uint32_t thread = THREAD(hal_cpu());
	const struct payload_part *p = parts[hal_cpu()];
	const unsigned n = driver->records->explain(&results->plan->event[event].request, words,
						    count, parts[hal_cpu()]);
	struct session_registers *r = NULL;
	unsigned registers = 0;
	uint64_t from = 0;
	bool data = false;

	if (s->registers)
		r = registers_at(s->registers, SAMPLE_OF(event) | thread, address);
	for (const struct payload_part *end = p + n; p < end; p++) {
		if (r && is_spread(p))
			add_register(r, registers++, p);
		if (p->kind == PAYLOAD_CONTENTS)
			continue;
		if (!strcmp(p->name, "branch"))
			from = p->value;
		else if (!strcmp(p->name, "target"))
			s->lost_branches += !add(&s->histogram, BRANCH_OF(event) | thread, from,
						 p->value, 0);
		else if (s->data)
			data |= add_data(&s->data[event], p);
	}
	if (data)
		s->data[event].samples++;
}

// Keeps the sample itself. False: there is no space.
static bool keep(struct session_kept *k, const struct pmu_sample *sample, unsigned event,
		 const uint64_t *words)
{
	struct pmu_sample *kept = (struct pmu_sample *)(void *)(k->word + k->used);
	const unsigned count = sample->source.words;
	const uint64_t *caller = NULL;
	const unsigned callers = results->plan->calls ? pmu_callers(sample, &caller) : 0;

	if (k->most - k->used < KEPT_WORDS + count + 1 + callers)
		return false;
	*kept = *sample;
	kept->source.event = (uint8_t)event;
	if (count)
		memcpy(kept + 1, words, count * sizeof *words);
	k->used += KEPT_WORDS + count;
	if (results->plan->calls) {
		k->word[k->used++] = callers;
		memcpy(k->word + k->used, caller, callers * sizeof *caller);
		k->used += callers;
	}
	return true;
}

// Adds the interval that ends with a sample by time. Returns its events.
static uint64_t add_interval(struct session_intervals *v, uint64_t count)
{
	const uint64_t events = count - v->last;

	v->last = count;
	v->sum += events;
	v->most = events > v->most ? events : v->most;
	v->least = !v->number++ || events < v->least ? events : v->least;
	return events;
}

// Returns the PMU whose session took a sample; the number of PMUs if no session of this program
// did.
static unsigned unit_of(const struct pmu_sample *sample, unsigned thread)
{
	unsigned unit = 0;

	while (unit < results->plan->units &&
	       (!results->part[unit].count ||
		results->thread[session_is_shared(results->plan, unit) ?
				0 : thread].session[unit].number !=
			sample->source.session))
		unit++;
	return unit;
}

// Returns the number of a sample's event; SESSION_EVENTS if no session of this program took it.
static unsigned event_of(const struct pmu_sample *sample, unsigned thread)
{
	const struct session_plan *plan = results->plan;
	unsigned unit;

	for (unsigned group = 0; group < plan->groups; group++)
		if (results->thread[thread].turn[group].number == sample->source.session)
			return results->group[group].event[sample->source.event];
	unit = unit_of(sample, thread);
	return unit < plan->units ? results->part[unit].event[sample->source.event] :
				    SESSION_EVENTS;
}

void session_take_for(struct session_results *all)
{
	results = all;
}

void session_take(const struct pmu_sample *sample, const uint64_t *words)
{
	const unsigned thread = hal_cpu(), event = event_of(sample, thread),
		count = sample->source.words;
	struct session_samples *s = &results->samples[thread];
	const struct event_request *request;
	const struct pmu_driver *driver;
	struct session_result *result;
	struct pmu_location location;
	uint64_t events = 0;
	unsigned unit;

	if (event == SESSION_EVENTS)
		return;
	unit = results->plan->event[event].unit;
	driver = results->plan->unit[unit];
	request = &results->plan->event[event].request;
	location = pmu_locate(driver, request, sample->ip, words, count);
	result = &results->thread[thread].result[event];
	result->taken++;
	result->at[location.place]++;
	if (!request->period)
		events = add_interval(&result->intervals, sample->count);
	s->lost += !add(&s->histogram, SAMPLE_OF(event) | THREAD(thread), location.address, 0,
			events);
	if (results->plan->output && !keep(&s->kept, sample, event, words))
		s->lost += !add(&s->histogram, OTHER_OF(event) | THREAD(thread), location.address,
				0, events);
	if (results->plan->interval && !thread && !unit)
		live_take(results, sample);
	if (count && driver->records && driver->records->explain)
		add_payload(s, event, driver, location.address, words, count);
}
