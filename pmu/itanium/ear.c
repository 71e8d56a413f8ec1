// SPDX-License-Identifier: BSD-2-Clause
// Event address registers (6.2.7): the last instruction fetch, load or translation that missed. A fetch or a
// translation is captured in the cycle in which it comes. A load is tracked until it is served, and captured then.

#include "faults.h"
#include "state.h"

// Tables 6-12 and 6-17: the least latency that is captured; none is when it cannot be reached.
static bool reaches_threshold(const struct itanium_state *m, uint64_t control, const struct occurrence *o)
{
	const unsigned umask = (unsigned)FIELD_GET(PMC11, umask, control);
	const uint32_t threshold = 4u << umask;

	if (umask > 10)
		return false;
	return has_fault(m, FAULT_EAR_THRESHOLD_WRONG) ? o->latency > threshold : o->latency >= threshold;
}

// Tables 6-14 and 6-19: the unit mask has a bit for each that may have served a translation miss.
static bool captures_translation(uint64_t control, const struct occurrence *o, unsigned first)
{
	return o->served >= first && o->served <= 3 && FIELD_GET(PMC11, umask, control) >> o->served & 1;
}

//
// What inputs have to be captured
//

// Whether a monitor looks at an occurrence, and what qualifies it holds.
static bool is_seen(const struct itanium_state *m, unsigned monitor, const struct occurrence *o)
{
	return o->n && itanium_watching(m, o) & monitor && itanium_qualify(m, monitor, o, 1);
}

static bool captures_fetch(const struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t control = m->PMC(10);

	return is_seen(m, MONITOR_INSTRUCTION_EAR, o) &&
	       (control & FIELD(PMC10, tlb) ? captures_translation(control, o, 2) : reaches_threshold(m, control, o));
}

static bool could_track(const struct itanium_state *m, const struct occurrence *o)
{
	return m->tracks && is_seen(m, MONITOR_DATA_EAR, o) && reaches_threshold(m, m->PMC(11), o);
}

void itanium_ear_draw(struct itanium_state *m)
{
	m->draw = itanium_undefined(m);
	m->hesitates = m->overlapped && !m->tracked_left && m->draw & 1;
}

// One of the loads that could be tracked, chosen at random.
static const struct occurrence *choose_load(const struct itanium_state *m, size_t loads)
{
	size_t chosen = (m->draw >> 1) % loads;

	for (const struct occurrence *o = m->engine.inputs;; o++)
		if (could_track(m, o) && chosen-- == 0)
			return o;
}

void itanium_ear_find(struct itanium_state *m)
{
	const struct occurrence *end = m->engine.inputs + m->engine.input_count;
	size_t loads = 0;

	m->fetch = m->translation = NULL;
	for (const struct occurrence *o = m->engine.inputs; o < end; o++) {
		if (!m->fetch && captures_fetch(m, o))
			m->fetch = o;
		if (!m->translation && !m->tracks && is_seen(m, MONITOR_DATA_EAR, o) &&
		    captures_translation(m->PMC(11), o, 1))
			m->translation = o;
		loads += could_track(m, o);
	}
	m->load = loads ? choose_load(m, loads) : NULL;
	if (!(itanium_enabled(m, &m->tracked) & MONITOR_DATA_EAR))
		m->tracked_left = 0;		// its monitor is not enabled any more
	if (m->fetch)
		itanium_count_capture(m, EVENT_FETCH_CAPTURED, m->fetch);
	if (m->translation)
		itanium_count_capture(m, EVENT_DATA_CAPTURED, m->translation);
	if (m->tracked_left == 1)
		itanium_count_capture(m, EVENT_DATA_CAPTURED, &m->tracked);
}

//
// What is captured as cycles pass
//

static uint64_t latency_field(const struct occurrence *o)
{
	return o->latency < FIELD(PMD1, latency) ? o->latency : FIELD(PMD1, latency);
}

static void capture_fetch(struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t undefined = engine_undefined(m->seed, o->ip);
	const bool tlb = m->PMC(10) & FIELD(PMC10, tlb), valid = !has_fault(m, FAULT_EAR_VALID_MISSING);
	uint64_t *file = m->file[0];

	file[SLOT_PMD0] = (o->ip & (FIELD(PMD0, address) | FIELD(PMD0, region))) | FIELD_PUT(PMD0, v, valid) |
			  (tlb ? FIELD_PUT(PMD0, tlb, o->served == 3) : undefined & FIELD(PMD0, tlb));
	file[SLOT_PMD1] = tlb ? undefined & FIELD(PMD1, latency) : latency_field(o);
}

static void capture_data(struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t undefined = engine_undefined(m->seed, o->ip ^ o->address);
	const bool tlb = m->PMC(11) & FIELD(PMC11, tlb), valid = !has_fault(m, FAULT_EAR_VALID_MISSING);
	uint64_t *file = m->file[0];

	file[SLOT_PMD2] = o->address & (FIELD(PMD2, address) | FIELD(PMD2, region));
	file[SLOT_PMD3] = tlb ? FIELD_PUT(PMD3, level, o->served) | (undefined & FIELD(PMD3, latency))
			      : latency_field(o) | (undefined & FIELD(PMD3, level));
	file[SLOT_PMD17] = (o->ip & (FIELD(PMD17, address) | FIELD(PMD17, region))) | FIELD_PUT(PMD17, valid, valid) |
			   (o->isa ? undefined & FIELD(PMD17, slot) : FIELD_PUT(PMD17, slot, o->slot));
}

void itanium_ear_stop(struct itanium_state *m)
{
	m->tracked_left = 0;
	m->hesitates = false;
}

// A load is tracked, or comes nearer to being served; others are passed over. True: the next cycle is the one in which
// it is served, or the one behind that.
static bool track(struct itanium_state *m, uint64_t cycles)
{
	if (!m->tracked_left && m->hesitates) {
		m->hesitates = false;
		return true;
	}
	if (!m->tracked_left) {
		m->tracked = *m->load;
		m->tracked_left = m->load->latency;
		m->overlapped = false;
	}
	if (m->load && (cycles > 1 || m->tracked_left < m->tracked.latency))
		m->overlapped = true;
	m->tracked_left -= cycles;
	if (!m->tracked_left)
		capture_data(m, &m->tracked);
	return m->tracked_left <= 1;
}

bool itanium_ear_passed(struct itanium_state *m, uint64_t cycles)
{
	if (m->fetch)
		capture_fetch(m, m->fetch);
	if (m->translation)
		capture_data(m, m->translation);
	return (m->load || m->tracked_left) && track(m, cycles);
}

// A load that is served is counted in that cycle: the one before it ends a piece. It may be what makes a counter
// overflow.
void itanium_ear_limit(struct itanium_state *m)
{
	struct engine *e = &m->engine;
	uint64_t before_served, before_break;

	if (!m->load && !m->tracked_left)
		return;
	before_served = m->tracked_left ? m->tracked_left - 1 : m->load->latency - 1 + m->hesitates;
	before_break = !m->tracked_left && m->hesitates ? 0 : before_served ? before_served - 1 : 0;
	if (before_break < e->before_break)
		e->before_break = before_break;
	if (m->watched[EVENT_DATA_CAPTURED] & e->raising && before_served < e->outputs.headroom)
		e->outputs.headroom = before_served;
}

//
// While nothing else changes one load after the other is tracked: many at once
//

// Makes the counters' steps those of as many cycles as a load takes, from the first to the one in which it is served.
static void step_by_loads(struct itanium_state *m)
{
	struct engine *e = &m->engine;
	uint64_t step[COUNTERS];

	for (unsigned i = 0; i < COUNTERS; i++)
		step[i] = e->moving >> i & 1 ? e->counter[i].step * (m->load->latency - 1) : 0;
	m->tracked = *m->load;
	m->tracked_left = 1;
	engine_derive(e);
	for (unsigned i = 0; i < COUNTERS; i++) {
		e->counter[i].step = step[i] + (e->moving >> i & 1 ? e->counter[i].step : 0);
		engine_put_bit(&e->moving, i, e->counter[i].step);
	}
	m->tracked_left = 0;
}

// As many loads as are served in so many cycles, before a counter in `breaking` wraps. Returns their cycles.
static uint64_t run_loads(struct itanium_state *m, uint64_t cycles)
{
	struct engine *e = &m->engine;
	const uint64_t latency = m->load->latency, before_match = itanium_before_match(m);
	uint64_t loads = (cycles < before_match ? cycles : before_match) / latency;

	if (loads < 2)
		return 0;
	step_by_loads(m);
	e->busy = false;
	engine_measure(e);
	loads = loads < e->headroom ? loads : e->headroom;
	if (loads) {
		engine_advance(e, loads);
		e->cycles += loads * (latency - 1);
		m->overlapped = true;
		if (m->fetch)
			capture_fetch(m, m->fetch);
		capture_data(m, &m->tracked);
		itanium_btb_passed(m, loads * latency);
	}
	e->busy = true;
	engine_derive(e);
	return loads * latency;
}

uint64_t itanium_ear_run(struct itanium_state *m, uint64_t cycles)
{
	engine_sync(&m->engine);
	while (m->load) {
		uint64_t piece = m->tracked_left ? m->tracked_left : m->hesitates;
		const uint64_t passed = piece ? 0 : run_loads(m, cycles);

		if (!passed) {
			piece = piece ? piece : m->load->latency;
			if (piece > cycles)
				break;
			engine_run(&m->engine, piece);
			engine_sync(&m->engine);
		}
		cycles -= passed ? passed : piece;
	}
	return cycles;
}
