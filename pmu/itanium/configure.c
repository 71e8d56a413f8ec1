// SPDX-License-Identifier: BSD-2-Clause
// What registers select, in the form that occurrences are compared with.

#include <string.h>

#include "faults.h"
#include "state.h"

#define EVENTS_MOST	7	/* that any counter takes in a cycle (6.2.2) */

// plm, pm and ism are at the same bits of every register that has them (table 6-11); PMC12 has no ism, and 0 there.
static bool monitor_enabled(const struct itanium_state *m, uint64_t control, unsigned isa, unsigned level)
{
	const uint64_t psr = m->file[0][SLOT_PSR];
	const bool up = psr & FIELD(PSR, up), pp = psr & FIELD(PSR, pp);

	if (itanium_frozen(m) && !has_fault(m, FAULT_FREEZE_IGNORED))
		return false;
	if (!(FIELD_GET(PMC4, plm, control) >> level & 1) && !has_fault(m, FAULT_PLM_IGNORED))
		return false;
	if (FIELD_GET(PMC4, ism, control) >> isa & 1 && !has_fault(m, FAULT_ISM_IGNORED))
		return false;
	if (has_fault(m, FAULT_PM_IGNORED))
		return up || pp;
	return control & FIELD(PMC4, pm) ? pp : up;
}

const uint8_t itanium_pmc_of[MONITORS] = {FIRST, FIRST + 1, FIRST + 2, FIRST + 3, 10, 11, 12};

static uint8_t enabled_monitors(const struct itanium_state *m, unsigned isa, unsigned level)
{
	unsigned enabled = 0;

	for (unsigned monitor = 0; monitor < MONITORS; monitor++)
		if (monitor_enabled(m, m->PMC(itanium_pmc_of[monitor]), isa, level))
			enabled |= 1u << monitor;
	return (uint8_t)(isa ? enabled & ~MONITOR_TRACE : enabled);
}

void itanium_configure_enables(struct itanium_state *m)
{
	struct model_outputs *outputs = &m->engine.outputs;
	unsigned any = 0, some = 0, all = MONITOR_ALL, branches = MONITOR_TRACE;

	for (unsigned isa = 0; isa < 2; isa++)
		for (unsigned level = 0; level < 4; level++)
			any |= m->enabled[isa][level] = enabled_monitors(m, isa, level);
	for (unsigned level = 0; level < 4; level++) {
		some |= m->enabled[0][level];
		all &= m->enabled[0][level];
	}
	for (unsigned code = EVENT_BRANCH_SLOT; code <= EVENT_BRANCH_CAPTURED; code++)
		branches |= m->watched[code];
	m->tracks = any & MONITOR_DATA_EAR && !(m->PMC(11) & FIELD(PMC11, tlb));
	outputs->level_matters = some != all || (some & m->qualified && itanium_levels_qualify(m));
	outputs->branches_matter = any & branches;
}

// An event adds no more in a cycle than its counter takes (6.2.2), nor than there are (7.8).
static uint8_t most_of(unsigned counter, unsigned code)
{
	const uint8_t takes = ITANIUM_WIDE_MASK >> (FIRST + counter) & 1 ? EVENTS_MOST : 3;
	const uint8_t most = itanium_events[code].most ? itanium_events[code].most : 1;

	return most < takes ? most : takes;
}

static void configure_counter(struct itanium_state *m, unsigned counter)
{
	const uint64_t control = m->PMC(FIRST + counter);
	const unsigned code = (unsigned)FIELD_GET(PMC4, es, control), umask = (unsigned)FIELD_GET(PMC4, umask, control);
	const unsigned threshold = (unsigned)FIELD_GET(PMC4, threshold, control); // bit 22 of PMC6, PMC7 is always 0
	const bool interrupts =
		control & FIELD(PMC4, oi) ? !has_fault(m, FAULT_OI_IGNORED) : has_fault(m, FAULT_OI_ALWAYS);
	const uint8_t bit = (uint8_t)(1u << counter);
	struct engine *e = &m->engine;

	m->watched[code] |= bit;
	for (unsigned sub = 0; sub < 16; sub++) {
		const unsigned times = itanium_times(code, umask, sub);

		m->selecting[sub] |= times || has_fault(m, FAULT_UMASK_IGNORED) ? bit : 0;
		m->twice[sub] |= times == 2 ? bit : 0;
	}
	m->most[counter] = most_of(counter, code);
	m->needs[counter] = itanium_needs(m, code, umask);
	e->counter[counter].least = (uint16_t)(threshold + !has_fault(m, FAULT_THRESHOLD_WRONG));
	engine_put_bit(&e->comparing, counter, threshold);
	engine_put_bit(&e->breaking, counter, interrupts);
	engine_put_bit(&m->strobing, counter, control & FIELD(PMC4, ev));
}

static void configure_monitors(struct itanium_state *m)
{
	const bool tlb[] = {m->PMC(10) & FIELD(PMC10, tlb), m->PMC(11) & FIELD(PMC11, tlb)};

	memset(m->watched, 0, sizeof m->watched);
	memset(m->selecting, 0, sizeof m->selecting);
	memset(m->twice, 0, sizeof m->twice);
	for (unsigned counter = 0; counter < COUNTERS; counter++)
		configure_counter(m, counter);
	m->watched[tlb[0] ? EVENT_ITLB_MISS : EVENT_FETCH_MISS] |= MONITOR_INSTRUCTION_EAR;
	m->watched[tlb[1] ? EVENT_DTC_MISS : EVENT_LOAD_MISS] |= MONITOR_DATA_EAR;
	m->needs[COUNTERS] = itanium_needs(m, EVENT_FETCH_CAPTURED, 0);
	m->needs[COUNTERS + 1] = itanium_needs(m, EVENT_DATA_CAPTURED, 0);
	m->needs[COUNTERS + 2] = itanium_needs(m, EVENT_BRANCH_CAPTURED, 0);
	m->qualified = 0;
	for (unsigned monitor = 0; monitor < MONITORS; monitor++)
		m->qualified |= (uint8_t)((m->needs[monitor] != 0) << monitor);
}

// A counter that interrupts freezes, even if PMV keeps the interrupt back. The interval timer interrupts with a vector
// of its own; as the monitors' interrupt, which is the only one here, where software has given it their vector.
static void configure_interrupts(struct itanium_state *m)
{
	const uint64_t itv = m->file[0][SLOT_ITV], pmv = m->file[0][SLOT_PMV];
	const bool masked = pmv & FIELD(PMV, m) && !has_fault(m, FAULT_MASK_IGNORED);

	m->engine.raising = masked ? 0 : m->engine.breaking;
	m->timed = (!(itv & FIELD(ITV, m)) || has_fault(m, FAULT_TIMER_MASK_IGNORED)) &&
		   FIELD_GET(ITV, vector, itv) == FIELD_GET(PMV, vector, pmv) && !has_fault(m, FAULT_TIMER_MISSING);
}

void itanium_configure(struct itanium_state *m)
{
	itanium_configure_qualification(m);
	configure_monitors(m);
	itanium_configure_enables(m);
	configure_interrupts(m);
}
