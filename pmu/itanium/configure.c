// SPDX-License-Identifier: BSD-2-Clause
// Turns register values into the selections that occurrences are compared with.

#include <string.h>

#include "state.h"

// plm, pm and ism have the same bit positions in all these registers (table 6-11). PMC12 lacks ism;
// those bits are 0.
const struct itanium_monitor_registers itanium_monitor_registers[MONITORS] = {
	{4, 1 << 4, 0}, {5, 1 << 5, 0}, {6, 1 << 6, 0}, {7, 1 << 7, 0},
	{10, 0x3, EVENT_FETCH_CAPTURED},		// PMD0-1
	{11, 1 << 17 | 0xC, EVENT_DATA_CAPTURED},	// PMD2-3, PMD17
	{12, 0x1FF00, EVENT_BRANCH_CAPTURED},		// PMD8-16
};

// The monitor enable equation of section 6.2.1.
static uint8_t enabled_monitors(const struct itanium_state *m, unsigned isa, unsigned level)
{
	const uint64_t psr = m->file[0][SLOT_PSR];
	unsigned enabled = 0;

	if (itanium_frozen(m))
		return 0;
	for (unsigned monitor = 0; monitor < MONITORS; monitor++) {
		const uint64_t control = m->PMC(itanium_monitor_registers[monitor].pmc);

		if (FIELD_GET(PMC4, plm, control) >> level & 1 &&
		    !(FIELD_GET(PMC4, ism, control) >> isa & 1) &&
		    psr & (control & FIELD(PMC4, pm) ? FIELD(PSR, pp) : FIELD(PSR, up)))
			enabled |= 1u << monitor;
	}
	return (uint8_t)(isa ? enabled & ~MONITOR_TRACE : enabled);
}

void itanium_configure_enables(struct itanium_state *m)
{
	struct model_outputs *outputs = &m->engine.outputs;
	unsigned any = 0, some = 0, all = MONITOR_ALL, branches = MONITOR_TRACE;

	for (unsigned level = 0; level < 4; level++) {
		some |= m->enabled[0][level] = enabled_monitors(m, 0, level);
		all &= m->enabled[0][level];
		any |= m->enabled[1][level] = enabled_monitors(m, 1, level);
	}
	any |= some;
	for (unsigned code = EVENT_BRANCH_SLOT; code <= EVENT_BRANCH_CAPTURED; code++)
		branches |= m->watched[code];
	m->tracks = any & MONITOR_DATA_EAR && !(m->PMC(11) & FIELD(PMC11, tlb));
	outputs->level_matters = some != all || (some & m->qualified && m->levels_qualify);
	outputs->branches_matter = any & branches;
}

// In a cycle a counter adds at most its own maximum (6.2.2), and at most the event's maximum (7.8).
static void configure_counter(struct itanium_state *m, unsigned counter)
{
	const uint64_t control = m->PMC(FIRST + counter);
	const unsigned code = (unsigned)FIELD_GET(PMC4, es, control),
		umask = (unsigned)FIELD_GET(PMC4, umask, control);
	// bit 22 of PMC6, PMC7 is always 0
	const unsigned threshold = (unsigned)FIELD_GET(PMC4, threshold, control);
	const uint8_t takes = ITANIUM_WIDE_MASK >> (FIRST + counter) & 1 ? 7 : 3;
	// 1 if 7.8 lacks it
	const uint8_t some = pmu_codes_itanium[code].most, most = some ? some : 1;
	struct engine *e = &m->engine;

	m->watched[code] |= (uint8_t)(1u << counter);
	for (unsigned sub = 0; sub < 16; sub++) {
		const unsigned times = itanium_times(code, umask, sub);

		m->selecting[sub] |= (uint8_t)((times > 0) << counter);
		m->twice[sub] |= (uint8_t)((times > 1) << counter);
	}
	m->most[counter] = most < takes ? most : takes;
	ENGINE_PUT_BIT(m->weighing, counter, code == EVENT_FP_LOW || code == EVENT_FP_HIGH);
	itanium_configure_qualification(m, counter, code, umask);
	e->counter[counter].least = (uint16_t)(threshold + 1);
	ENGINE_PUT_BIT(e->comparing, counter, threshold);
	ENGINE_PUT_BIT(e->breaking, counter, control & FIELD(PMC4, oi));
	ENGINE_PUT_BIT(m->strobing, counter, control & FIELD(PMC4, ev));
}

uint8_t itanium_without_levels(const struct itanium_state *m)
{
	unsigned monitors = 0;

	for (unsigned monitor = 0; monitor < MONITORS; monitor++)
		if (!FIELD_GET(PMC4, plm, m->PMC(itanium_monitor_registers[monitor].pmc)))
			monitors |= 1u << monitor;
	return (uint8_t)monitors;
}

// A counter with oi freezes the monitors even if PMV.m masks the interrupt. The interval timer has
// a vector of its own. The model has one interrupt line, so the timer raises it only if software
// gave ITV the vector of PMV.
void itanium_configure(struct engine *e)
{
	struct itanium_state *m = (struct itanium_state *)e;
	const uint64_t itv = m->file[0][SLOT_ITV], pmv = m->file[0][SLOT_PMV];

	memset(m->watched, 0, sizeof m->watched);
	memset(m->selecting, 0, sizeof m->selecting);
	memset(m->twice, 0, sizeof m->twice);
	for (unsigned counter = 0; counter < COUNTERS; counter++)
		configure_counter(m, counter);
	m->watched[m->PMC(10) & FIELD(PMC10, tlb) ?
		   EVENT_ITLB_MISS : EVENT_FETCH_MISS] |= MONITOR_INSTRUCTION_EAR;
	m->watched[m->PMC(11) & FIELD(PMC11, tlb) ?
		   EVENT_DTC_MISS : EVENT_LOAD_MISS] |= MONITOR_DATA_EAR;
	for (unsigned monitor = COUNTERS; monitor < MONITORS; monitor++)
		itanium_configure_qualification(m, monitor,
						itanium_monitor_registers[monitor].event, 0);
	itanium_configure_ranges(m);
	itanium_configure_enables(m);
	e->counting = MONITOR_COUNTERS;
	e->raising = pmv & FIELD(PMV, m) ? 0 : e->breaking;
	m->without_levels = itanium_without_levels(m);
	m->timed = !(itv & FIELD(ITV, m)) &&
		FIELD_GET(ITV, vector, itv) == FIELD_GET(PMV, vector, pmv);
}
