// SPDX-License-Identifier: BSD-2-Clause
// Reads the monitor's registers: selection.h. Sections and figures are those of the Itanium
// processor's reference manual.

#include "selection.h"

#include <string.h>

#include "events.h"
#include "hierarchy.h"
#include "machine.h"
#include "monitor.h"
#include "traits.h"

// Addresses of registers in the model: bits 15:8 are the register file, 0 for PMCs.
#define PMC(n)	(n)
enum { FIRST_COUNTER = 4, PMC_OPCODE = 8, PMC_OPCODE_TAG = 9, PMC_INSTRUCTION_EAR = 10,
      PMC_DATA_EAR = 11,
       PMC_TRACE = 12, PMC_RANGE = 13 };

// Fields of PMCs (figures 6-11, 6-14 to 6-17, 6-20).
#define FREEZE			1ULL
#define PLM(control)		((control) & 15)
#define OI(control)		((control) >> 5 & 1)
#define PM(control)		((control) >> 6 & 1)
#define ISM			(3ULL << 24)
#define TLB(control)		((control) >> 7 & 1)
#define NOT_NATIVE(control)	((control) >> 24 & 1)
#define ES(control)		((control) >> 8 & 127)
#define UMASK(control)		((control) >> 16 & 15)
#define UMASK_PMC9		2
/* mifb and mask all ones: each opcode matches */
#define OPCODE_ANY		0xF00000003FFFFFF8ULL
#define PASS_TAGS		(1ULL << 28)
#define TAG_ALL			1ULL

#define MOST			7	/* the largest increment of a counter in a cycle (6.2.2) */

static uint64_t pmc(struct machine *m, unsigned number)
{
	uint64_t value = 0;

	vpmu_read(&m->pmu, PMC(number), &value);
	return value;
}

// Section 6.2.1, without the freeze.
static bool is_enabled_at(const struct machine *m, uint64_t control, unsigned level)
{
	return PLM(control) >> level & 1 && !NOT_NATIVE(control) &&
	       m->psr & (PM(control) ? PSR_PP : PSR_UP);
}

static bool is_enabled(const struct machine *m, uint64_t control)
{
	return is_enabled_at(m, control, ia64_level(m));
}

static bool is_restricted(uint64_t opcode)
{
	return (opcode & OPCODE_ANY) != OPCODE_ANY;
}

bool ia64_is_counted(const struct ia64_selection *s, unsigned code)
{
	for (unsigned i = 0; i < s->codes; i++)
		if (s->code[i] == code)
			return true;
	return false;
}

// Events of references to memory. Those that only the register stack engine raises are left out.
static const uint8_t of_references[] = {
	EVENT_DATA_REFERENCES_RETIRED, EVENT_LOADS_RETIRED, EVENT_STORES_RETIRED,
	EVENT_MISALIGNED_LOADS_RETIRED,
	EVENT_MISALIGNED_STORES_RETIRED, EVENT_ALAT_INST_CHKA_LDC, EVENT_ALAT_INST_FAILED_CHKA_LDC,
	EVENT_ALAT_REPLACEMENT, EVENT_UC_LOADS_RETIRED, EVENT_UC_STORES_RETIRED,
};

// Events that hierarchy.c raises.
static const uint8_t of_hierarchy[] = {
	EVENT_L1I_DEMAND_READS, EVENT_L1I_FILLS, EVENT_L2_INST_DEMAND_READS,
	EVENT_L1I_PREFETCH_READS,
	EVENT_L2_INST_PREFETCH_READS, EVENT_ISB_LINES_IN, EVENT_BUS_RD_HIT, EVENT_BUS_RD_HITM,
	EVENT_BUS_RD_INVAL_HITM, EVENT_BUS_RD_INVAL_BST_HITM, EVENT_BUS_HITM,
	EVENT_BUS_SNOOPS_HITM, EVENT_BUS_SNOOPS, EVENT_BUS_ALL, EVENT_BUS_PARTIAL,
	EVENT_BUS_BURST,
	EVENT_BUS_MEMORY, EVENT_BUS_RD_ALL, EVENT_BUS_RD_DATA, EVENT_BUS_RD_PRTL,
	EVENT_BUS_RD_INVAL,
	EVENT_BUS_RD_INVAL_BST, EVENT_BUS_WR_WB, EVENT_BUS_BRQ_READ_REQ_INSERTED,
	EVENT_L1D_READS_RETIRED,
	EVENT_L1D_READ_MISSES_RETIRED, EVENT_L2_REFERENCES, EVENT_L2_DATA_REFERENCES,
	EVENT_L2_MISSES, EVENT_L2_FLUSHES, EVENT_L2_FLUSH_DETAILS,
	EVENT_L3_REFERENCES, EVENT_L3_MISSES, EVENT_L3_READS, EVENT_L3_WRITES,
	EVENT_L3_LINES_REPLACED,
};

static const uint8_t of_queues[] = {
	EVENT_BUS_IOQ_LIVE_REQ_LO, EVENT_BUS_IOQ_LIVE_REQ_HI, EVENT_BUS_BRQ_LIVE_REQ_LO,
	EVENT_BUS_BRQ_LIVE_REQ_HI,
};

static bool is_some_selected(const struct ia64_selection *s, const uint8_t *codes, size_t count)
{
	bool some = false;

	for (size_t i = 0; i < count; i++)
		some |= s->selected[codes[i]];
	return some;
}

static void select_traits(struct ia64_selection *s, bool each)
{
	uint16_t traits = TRAIT_CHECK_ADVANCED | TRAIT_CHECK_SPECULATIVE | TRAIT_OTHER |
		(each ? TRAIT_ANY : 0);

	if (s->predicted || s->cached)
		traits |= TRAIT_BRANCH;
	s->traits[0] = traits | (s->selected[EVENT_PREDICATE_SQUASHED_RETIRED] ? TRAIT_NOT_B : 0);
	if (s->selected[EVENT_NOPS_RETIRED])
		traits |= TRAIT_NOP;
	if (s->selected[EVENT_FP_OPS_RETIRED_LO])
		traits |= TRAIT_WEIGHT;
	s->traits[1] = traits;
}

// Sets the lane of a counter: the sub-events that it counts, its increments, the levels at which it
// is enabled.
static void make_lane(struct machine *m, unsigned counter, uint64_t control, bool selects)
{
	struct ia64_selection *s = &m->selection;
	const struct pmu_model *model = m->pmu.model;
	const unsigned code = (unsigned)ES(control), codes[] = {code, EVENT_FP_OPS_RETIRED_LO};

	for (unsigned i = 0; i < 2; i++)
		for (unsigned sub = 0; sub < EVENT_SUBS; sub++) {
			const struct occurrence o = {.code = (uint16_t)codes[i],
						     .sub = (uint16_t)sub};
			const bool counts = model_counts(model, &o, (uint16_t)code,
							 (uint8_t)UMASK(control));

			s->lanes[codes[i]][sub] |= (uint64_t)counts << LANE(counter);
			s->selected[codes[i]] |= counts && selects;
		}
	for (unsigned n = 0; model->sums && n < STEPS; n++)
		s->step[counter][n] = (uint8_t)model->sums->step(m->pmu.state, counter, n);
	s->single |= (uint64_t)s->step[counter][1] << LANE(counter);
	for (unsigned level = 0; level < 4; level++)
		s->enabled[level] |= is_enabled_at(m, control, level) ? LANE_MASK << LANE(counter) :
			0;
}

static void clear(struct ia64_selection *s)
{
	for (unsigned i = 0; i < s->codes; i++)
		memset(s->lanes[s->code[i]], 0, sizeof s->lanes[0]);
	memset(s->lanes[EVENT_FP_OPS_RETIRED_LO], 0, sizeof s->lanes[0]);
	memset(s->selected, s->all, sizeof s->selected);
	memset(s->enabled, 0, sizeof s->enabled);
	memset(s->recorded, 0, sizeof s->recorded);
	s->records = false;
	s->clocked = false;
	s->codes = 0;
	s->single = 0;
}

static void select_counters(struct machine *m)
{
	struct ia64_selection *s = &m->selection;

	for (unsigned i = 0; i < COUNTERS; i++) {
		const uint64_t control = pmc(m, FIRST_COUNTER + i), code = ES(control),
			umask = UMASK(control);
		const bool selects = is_enabled(m, control);
		const bool is_clock = code == EVENT_CPU_CYCLES ||
			(code == EVENT_IA64_INST_RETIRED && !m->timed);

		s->clocked |= is_clock && selects;
		if (is_clock && (code == EVENT_CPU_CYCLES || !umask))
			continue;
		if (!ia64_is_counted(s, (unsigned)code))
			s->code[s->codes++] = (uint8_t)code;
		s->selected[code] |= selects;
		s->watched |= selects;
		make_lane(m, i, control, selects);
		if (selects && code == EVENT_IA64_INST_RETIRED && umask == UMASK_PMC9)
			s->qualified |= is_restricted(pmc(m, PMC_OPCODE_TAG));
	}
}

static void record(struct ia64_selection *s, enum ia64_event code)
{
	s->selected[code] = s->recorded[code] = s->records = s->watched = true;
}

// Selects the event that an event address register captures: `tlb` in its TLB mode, else `cache`.
static void select_captured(struct machine *m, unsigned number, enum ia64_event tlb,
			    enum ia64_event cache)
{
	const uint64_t control = pmc(m, number);

	if (is_enabled(m, control))
		record(&m->selection, TLB(control) ? tlb : cache);
}

uint64_t ia64_cycles_to_overflow(struct machine *m)
{
	uint64_t most = 0;

	for (unsigned i = FIRST_COUNTER; i < FIRST_COUNTER + COUNTERS; i++) {
		uint64_t count = 0;

		if (OI(pmc(m, i)) && vpmu_read(&m->pmu, FILE_PMD + i, &count) &&
		    (uint32_t)count > most)
			most = (uint32_t)count;
	}
	return (UINT32_MAX - most) / MOST;
}

void ia64_select_events(struct machine *m)
{
	struct ia64_selection *s = &m->selection;
	bool each;

	s->stale = false;
	clear(s);
	s->watched = s->cached = s->predicted = s->refers = each = m->timed || s->all;
	s->translated = s->all;
	s->qualified = false;
	s->clocked = !m->pmu.model->sums;	// a model with a defect may count wrong events
	if (!(pmc(m, 0) & FREEZE)) {
		s->qualified = !(pmc(m, PMC_RANGE) & TAG_ALL) ||
			!(pmc(m, PMC_DATA_EAR) & PASS_TAGS) ||
			       is_restricted(pmc(m, PMC_OPCODE));
		select_counters(m);
		select_captured(m, PMC_INSTRUCTION_EAR, EVENT_ITLB_MISSES_FETCH,
				EVENT_L2_INST_DEMAND_READS);
		select_captured(m, PMC_DATA_EAR, EVENT_DTC_MISSES, EVENT_L1D_READ_MISSES_RETIRED);
		if (is_enabled(m, pmc(m, PMC_TRACE) & ~ISM))
			record(s, EVENT_BRANCH_TAKEN_SLOT);
	}
	s->selected[EVENT_CPU_CYCLES] = false;		// never raised: the clock itself counts
	s->predicted |= s->selected[EVENT_BRANCH_TAKEN_SLOT] ||
		s->selected[EVENT_BRANCH_MULTIWAY] ||
			s->selected[EVENT_BRANCH_PATH] || s->selected[EVENT_BRANCH_PREDICTOR];
	s->cached |= is_some_selected(s, of_hierarchy, sizeof of_hierarchy);
	if (m->hierarchy && !s->cached)		// it begins empty
		memset(m->hierarchy->coalescing, 0, sizeof m->hierarchy->coalescing);
	s->queues = m->timed && is_some_selected(s, of_queues, sizeof of_queues);
	s->attributes = s->cached || s->selected[EVENT_UC_LOADS_RETIRED] ||
		s->selected[EVENT_UC_STORES_RETIRED];
	s->translated |= s->selected[EVENT_DTC_MISSES] || s->selected[EVENT_PIPELINE_FLUSH];
	s->refers |= s->cached || s->translated ||
		is_some_selected(s, of_references, sizeof of_references);
	select_traits(s, each || s->selected[EVENT_IA64_INST_RETIRED]);
}
