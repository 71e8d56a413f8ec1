// SPDX-License-Identifier: BSD-2-Clause
// Defects of the uncore PMU, injected by a wrapper around its model.

#include "../defects/defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_nehalem_uncore;

// Names are those of fault=freeze-missing.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value") /* global control resets with all counters enabled */ \
	F(SELECT_STUCK, "select-stuck") /* a unit-mask bit of select 1 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 40 bits */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* invalid accesses do not fault */ \
	F(EN_IGNORED, "en-ignored")			/* counters count with EN clear */ \
	F(GLOBAL_IGNORED, "global-ignored") /* the fixed counter ignores global control */ \
	F(FIXED_MISSING, "fixed-missing")		/* the fixed counter stands still */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(INV_ALONE, "inv-alone") /* INV without CMASK counts cycles without events */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(EDGE_LOST, "edge-lost")			/* with E nothing counts */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(PMI_MISSING, "pmi-missing")			/* PMI set: no core is signalled */ \
	F(PMI_ALWAYS, "pmi-always")			/* PMI clear: cores are signalled */ \
	F(BROADCAST_LOST, "broadcast-lost") /* the last of the selected cores gets no signal */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow does not freeze */ \
	F(ACKNOWLEDGE_ALL, "acknowledge-all")		/* clearing one status bit clears all */ \
	F(ACKNOWLEDGE_LOST, "acknowledge-lost")		/* status bits cannot be cleared */ \
	F(OCCUPANCY_NOT_RESET, "occupancy-not-reset")	/* a tracker keeps its old value */ \
	F(READS_ONES, "reads-ones")			/* every register reads as ones */ \
	F(WRITES_LOST, "writes-lost")			/* no write changes a register */

DEFECTS(FAULTS)

#define LEFT_IN_TRACKER	64	// any number above the read tracker's 32 entries

#define ONE(R)		MSR_##R, 1
#define SELECTS		MSR_UNCORE_PERFEVTSEL, GENERAL
#define SELECT(name)	FIELD(UNCORE_PERFEVTSEL, name)
#define FIXED_CONTROL	ONE(UNCORE_FIXED_CTR_CTRL)
#define CONTROL(name)	FIELD(UNCORE_PERF_GLOBAL_CTRL, name)
#define STATUS		offsetof(struct uncore_state, file[0][SLOT_UNCORE_PERF_GLOBAL_STATUS]), 1

static const struct defect table[] = {
	{DEFECT_RESET_VALUE, RESETS_TO, ONE(UNCORE_PERF_GLOBAL_CTRL),
	 CONTROL(EN_PC) | CONTROL(EN_FC0)},
	{DEFECT_SELECT_STUCK, WRITES_CLEAR, MSR_UNCORE_PERFEVTSEL + 1, 1,
	 FIELD_PUT(UNCORE_PERFEVTSEL, EVTMSK, 0x10)},
	{DEFECT_COUNTER_STUCK, READS_SET, MSR_UNCORE_PMC + 2, 1, 1ULL << 17},
	{DEFECT_COUNTER_NARROW, COUNTS_BITS, .bits = 40},
	{DEFECT_ACCESS_UNCHECKED, .kind = UNCHECKED},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_UNCORE_PMC + GENERAL, 1, 0},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_UNCORE_PERFEVTSEL + GENERAL, 1, 0},
	{DEFECT_EN_IGNORED, HOLDS_SET, SELECTS, SELECT(EN)},
	{DEFECT_EN_IGNORED, HOLDS_SET, FIXED_CONTROL, FIELD(UNCORE_FIXED_CTR_CTRL, EN)},
	{DEFECT_GLOBAL_IGNORED, HOLDS_SET, ONE(UNCORE_PERF_GLOBAL_CTRL), CONTROL(EN_FC0)},
	{DEFECT_FIXED_MISSING, HOLDS_CLEAR, FIXED_CONTROL, FIELD(UNCORE_FIXED_CTR_CTRL, EN)},
	{DEFECT_INV_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(INV)},
	{DEFECT_EDGE_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(E)},
	{DEFECT_STATUS_LOST, LEAVES_NO_STATUS, STATUS,
	 REGISTER_BITS(UNCORE_PERF_GLOBAL_STATUS, RO)},
	{DEFECT_PMI_MISSING, HOLDS_CLEAR, SELECTS, SELECT(PMI)},
	{DEFECT_PMI_MISSING, HOLDS_CLEAR, FIXED_CONTROL, FIELD(UNCORE_FIXED_CTR_CTRL, PMI)},
	{DEFECT_PMI_ALWAYS, HOLDS_SET, SELECTS, SELECT(PMI)},
	{DEFECT_PMI_ALWAYS, HOLDS_SET, FIXED_CONTROL, FIELD(UNCORE_FIXED_CTR_CTRL, PMI)},
	{DEFECT_FREEZE_MISSING, HOLDS_CLEAR, ONE(UNCORE_PERF_GLOBAL_CTRL), CONTROL(PMI_FRZ)},
	{DEFECT_ACKNOWLEDGE_ALL, WRITES_SET, ONE(UNCORE_PERF_GLOBAL_OVF_CTRL),
	 REGISTER_BITS(UNCORE_PERF_GLOBAL_OVF_CTRL, W1C)},
	{DEFECT_ACKNOWLEDGE_LOST, WRITES_CLEAR, ONE(UNCORE_PERF_GLOBAL_OVF_CTRL), ~0ULL},
	{DEFECT_READS_ONES, READS_SET, EVERY_REGISTER, ~0ULL},
	{DEFECT_WRITES_LOST, KEEPS, EVERY_REGISTER, ~0ULL},
};

static uint64_t held(const void *state, uint32_t address, uint64_t value)
{
	const bool select = address - MSR_UNCORE_PERFEVTSEL < GENERAL;
	const uint32_t cores = (uint32_t)FIELD_GET(UNCORE_PERF_GLOBAL_CTRL, EN_PMI_CORE, value);

	if (has_defect(state, DEFECT_EDGE_LOST) && select && value & SELECT(E))
		return value & ~SELECT(EN);
	if (has_defect(state, DEFECT_INV_ALONE) && select && value & SELECT(INV) &&
	    !(value & SELECT(CMASK)))
		return value | FIELD_PUT(UNCORE_PERFEVTSEL, CMASK, 1);
	if (has_defect(state, DEFECT_BROADCAST_LOST) && address == MSR_UNCORE_PERF_GLOBAL_CTRL &&
	    cores)
		return value & ~FIELD_PUT(UNCORE_PERF_GLOBAL_CTRL, EN_PMI_CORE,
					  1u << (31 - __builtin_clz(cores)));
	return value;
}

static void sum(struct engine *e)
{
	const struct uncore_state *m = (const struct uncore_state *)e;

	defective_sum(e);
	for (unsigned i = 0; i < GENERAL && has_defect(e, DEFECT_OCCUPANCY_NOT_RESET); i++)
		if (e->counting >> i & 1 && nehalem_uncore_has_tracker(m, i))
			e->moving = engine_add(e->counter, e->moving, 1u << i, LEFT_IN_TRACKER);
}

#define NO_EVENTS	"the self test's machine raises no event that the field qualifies"

// For mutants: fields that change nothing.
static const struct inert inert[] = {
	{ONE(UNCORE_ADDR_OPCODE_MATCH), REGISTER_BITS(UNCORE_ADDR_OPCODE_MATCH, RW),
	 NO_EXCHANGE_SHOWS, NO_EVENTS},
	{ONE(GQ_SNOOP_MESF), REGISTER_BITS(GQ_SNOOP_MESF, RW), NO_EXCHANGE_SHOWS, NO_EVENTS},
	{SELECTS, SELECT(EVTSEL) | SELECT(EVTMSK), NO_EXCHANGE_SHOWS,
	 "the self test's machine raises no event of general counters"},
	{SELECTS, SELECT(OCC_CTR_RST), NO_EXCHANGE_SHOWS,
	 "the queues of the self test's machine are empty: there is nothing to reset"},
	{0},
};

static const struct defective defects = {
	.rules = {.sum = sum, .passed = defective_passed,
		  .lower_headroom = defective_lower_headroom,
		  .configure = defective_configure},
	.sound = &pmu_model_nehalem_uncore, .names = defect_names,
	.inert = inert, .table = table, .table_size = sizeof table / sizeof *table,
	.counters = COUNTERS, .held = held,
};

const struct pmu_model *pmu_defective_nehalem_uncore(void)
{
	static struct pmu_model model;

	defective_model(&model, NULL, &defects);
	return &model;
}
