// SPDX-License-Identifier: BSD-2-Clause
// Event address registers (6.2.7): the last instruction fetch, load or translation that missed. A
// fetch or a translation is captured in the cycle of its occurrence. A load is tracked, and
// captured when it has been served.

#include "state.h"

//
// Selection of the occurrences to capture
//

// Tables 6-12 and 6-17: without tlb, the unit mask is the latency threshold; nothing is captured if
// no latency can reach it. Tables 6-14 and 6-19: with tlb, each bit of the unit mask is a level
// that may have served a translation miss; `first` is the lowest (an instruction's miss has no
// level 1).
static bool is_captured(uint64_t control, const struct occurrence *o, unsigned first)
{
	const unsigned umask = (unsigned)FIELD_GET(PMC11, umask, control);

	if (control & FIELD(PMC11, tlb))
		return o->served >= first && o->served <= 3 && umask >> o->served & 1;
	return umask <= 10 && o->latency >= 4u << umask;
}

void itanium_ear_see(struct itanium_state *m, unsigned monitors, const struct occurrence *o)
{
	if (!m->fetch && monitors & MONITOR_INSTRUCTION_EAR && is_captured(m->PMC(10), o, 2))
		m->fetch = o;
	if (!(monitors & MONITOR_DATA_EAR) || !is_captured(m->PMC(11), o, 1))
		return;
	m->loads++;
	if (!m->tracks)
		m->translation = m->translation ? m->translation : o;
	else if (engine_mix(m->draw + m->loads) % m->loads == 0)	// each with the same
									// probability
		m->load = o;
}

void itanium_ear_count(struct itanium_state *m)
{
	if (!(itanium_enabled(m, &m->tracked) & MONITOR_DATA_EAR))
		m->tracked_left = 0;
	if (m->fetch)
		itanium_count_capture(m, EVENT_FETCH_CAPTURED, m->fetch);
	if (m->translation)
		itanium_count_capture(m, EVENT_DATA_CAPTURED, m->translation);
	if (m->tracked_left == 1)
		itanium_count_capture(m, EVENT_DATA_CAPTURED, &m->tracked);
	m->engine.busy |= m->fetch || m->translation || m->load || m->tracked_left;
}

void itanium_ear_draw(struct itanium_state *m)
{
	m->draw = itanium_undefined(m);
	m->hesitates = m->overlapped && !m->tracked_left && m->draw & 1;
}

void itanium_ear_stop(struct itanium_state *m)
{
	m->tracked_left = 0;
	m->hesitates = false;
}

//
// Captures as cycles pass
//

#define ADDRESS(R) (FIELD(R, address) | FIELD(R, address_sxt) | FIELD(R, region))

static uint64_t latency_field(const struct occurrence *o)
{
	return o->latency < FIELD(PMD1, latency) ? o->latency : FIELD(PMD1, latency);
}

static void capture_fetch(struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t undefined = engine_undefined(m->engine.seed, o->ip);
	const bool tlb = m->PMC(10) & FIELD(PMC10, tlb);

	m->PMD(0) = (itanium_canonical(o->ip) & ADDRESS(PMD0)) | FIELD(PMD0, v) |
		    (tlb ? FIELD_PUT(PMD0, tlb, o->served == 3) : undefined & FIELD(PMD0, tlb));
	m->PMD(1) = tlb ? undefined & FIELD(PMD1, latency) : latency_field(o);
}

static void capture_data(struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t undefined = engine_undefined(m->engine.seed, o->ip ^ o->address);
	const bool tlb = m->PMC(11) & FIELD(PMC11, tlb);

	m->PMD(2) = itanium_canonical(o->address);
	m->PMD(3) = tlb ? FIELD_PUT(PMD3, level, o->served) | (undefined & FIELD(PMD3, latency))
			: latency_field(o) | (undefined & FIELD(PMD3, level));
	m->PMD(17) = (itanium_canonical(o->ip) & ADDRESS(PMD17)) | FIELD(PMD17, valid) |
		     (o->isa ? undefined & FIELD(PMD17, slot) : FIELD_PUT(PMD17, slot, o->slot));
}

// Begins to track a load, or brings the tracked one closer to being served; other loads are
// ignored. Returns true if the load is served in the next cycle, or was served in this one.
static bool track(struct itanium_state *m, uint64_t cycles)
{
	if (m->hesitates) {
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

// A load is counted in the cycle in which it is served, so a run ends before that cycle. The load
// may make a counter overflow, so an interrupting counter limits the headroom as well.
void itanium_ear_limit(struct itanium_state *m)
{
	struct engine *e = &m->engine;
	uint64_t before_served, before_break;

	if (!m->load && !m->tracked_left)
		return;
	before_served = m->tracked_left ? m->tracked_left - 1 : m->load->latency - 1 + m->hesitates;
	before_break = m->hesitates || !before_served ? 0 : before_served - 1;
	engine_lower_headroom(e, before_break,
			      m->watched[EVENT_DATA_CAPTURED] & e->raising ? before_served :
			      UINT64_MAX);
}

//
// Tracking one load after another while nothing else changes
//

// The last load has changed the counters from `before` to their present values. The following loads
// add the same. Advances over as many loads as are served within `cycles` and before the timer's
// match or a wrap of a counter in `breaking`. Returns their cycles.
static uint64_t repeat_load(struct itanium_state *m, const uint64_t *before, uint64_t cycles)
{
	struct engine *e = &m->engine;
	const uint64_t latency = m->tracked.latency, before_match = itanium_before_match(m);
	uint64_t loads = (cycles < before_match ? cycles : before_match) / latency;

	for (unsigned i = 0; i < COUNTERS; i++) {
		e->counter[i].step = (e->counter[i].count - before[i]) & e->mask;
		ENGINE_PUT_BIT(e->moving, i, e->counter[i].step);
	}
	e->busy = false;
	engine_measure(e);
	loads = loads < e->outputs.steady ? loads : e->outputs.steady;
	engine_add_cycles(e, loads);
	e->cycles += loads * (latency - 1);
	itanium_btb_passed(m, loads * latency);
	e->busy = true;
	engine_derive(e);
	return loads * latency;
}

uint64_t itanium_ear_run(struct itanium_state *m, uint64_t cycles)
{
	struct engine *e = &m->engine;

	engine_sync(e);
	while (m->load) {
		const bool whole = !m->tracked_left && !m->hesitates;
		const uint64_t piece = whole ? m->load->latency : m->hesitates ? 1 :
			m->tracked_left;
		uint64_t before[COUNTERS];

		if (piece > cycles)
			break;
		for (unsigned i = 0; i < COUNTERS; i++)
			before[i] = e->counter[i].count;
		engine_run(e, piece);
		engine_sync(e);
		cycles -= piece;
		if (whole && m->load)
			cycles -= repeat_load(m, before, cycles);
	}
	return cycles;
}
