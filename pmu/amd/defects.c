// SPDX-License-Identifier: BSD-2-Clause
// Defects of AMD's core PMU, injected by a wrapper around its model.

#include <string.h>

#include "../defects/defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_amd;

// Names are those of fault=freeze-missing.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* global control resets to 0 */ \
	F(SELECT_STUCK, "select-stuck") /* a unit-mask bit of select 1 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 40 bits */ \
	F(WRAP_SKIPS, "wrap-skips")			/* counter 1 wraps to 512 */ \
	F(UPPER_TAKEN, "upper-taken")	/* counters hold bit 48 */ \
	F(LEGACY_SELECT_DEAD, "legacy-select-dead") /* writes of PerfEvtSel change nothing */ \
	F(LEGACY_COUNTER_DEAD, "legacy-counter-dead") /* writes of PerfCtr change nothing */ \
	F(HIGH_IGNORED, "high-ignored")		/* event codes have 8 bits */ \
	F(GUEST_IGNORED, "guest-ignored")	/* HG_ONLY has no effect */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* invalid accesses do not fault */ \
	F(COUNT_LOST, "count-lost") /* one event in 2^10 is missing when a counter is read */ \
	F(RDPMC_SHORT, "rdpmc-short")			/* RDPMC gives 32 bits */ \
	F(RDPMC_UNCHECKED, "rdpmc-unchecked")	/* RDPMC of absent counters gives 0 */ \
	F(EN_IGNORED, "en-ignored")			/* counters count with EN clear */ \
	F(GLOBAL_IGNORED, "global-ignored")	/* counter 1 ignores global control */ \
	F(USR_IGNORED, "usr-ignored")			/* level 3 counts without USR */ \
	F(OS_IGNORED, "os-ignored")			/* level 0 counts without OS */ \
	F(ANY_ALWAYS, "any-always")		/* counters count for both threads */ \
	F(CNT_MASK_WRONG, "cnt-mask-wrong")	/* greater than, not greater or equal */ \
	F(INV_IGNORED, "inv-ignored")			/* CNT_MASK is never inverted */ \
	F(INV_ALONE, "inv-alone") /* INV without CNT_MASK counts cycles without events */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(BRANCHES_DEAD, "branches-dead")	/* retired branches count nothing */ \
	F(TAKEN_DEAD, "taken-dead")		/* taken branches count nothing */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(INT_MISSING, "int-missing")			/* INT set: no interrupt */ \
	F(INT_ALWAYS, "int-always")			/* INT clear: interrupts */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow does not freeze */ \
	F(FREEZE_ALWAYS, "freeze-always")	/* an overflow freezes without the bit */ \
	F(FREEZE_CLEARS, "freeze-clears")	/* a freeze clears global control, too */ \
	F(FREEZE_HOLLOW, "freeze-hollow")	/* PmcFreeze is set, but counters go on */ \
	F(LBR_FREEZE_MISSING, "lbr-freeze-missing")	/* LbrFreeze is not set */ \
	F(ACKNOWLEDGE_ALL, "acknowledge-all")		/* clearing one status bit clears all */ \
	F(ACKNOWLEDGE_LOST, "acknowledge-lost")		/* status bits cannot be cleared */ \
	F(THAW_LOST, "thaw-lost")		/* PmcFreeze cannot be cleared */ \
	F(SET_LOST, "set-lost")			/* software cannot set the status */ \
	F(SET_READS, "set-reads")		/* the register that sets reads as ones */ \
	F(RESIDUE_LOST, "residue-lost") /* a counter stays at 0 after an overflow */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* one of several overflows is seen */ \
	F(RELOAD_IGNORED,	\
	  "reload-ignored") /* a counter with its overflow pending ignores writes */ \
	F(LINE_STUCK, "line-stuck")			/* enabling any counter interrupts */ \
	F(HALT_COUNTED, "halt-counted") /* counters count while halted, frozen or not */ \
	F(READS_ONES, "reads-ones")			/* every register reads as ones */ \
	F(WRITES_LOST, "writes-lost")			/* no write changes a register */

DEFECTS(FAULTS)

#define ONE(R)		MSR_##R, 1
#define STATUS		offsetof(struct amd_state, file[0][SLOT_PerfCntrGlobalStatus]), 1
#define SELECT(name)	FIELD(PERF_CTL, name)
#define PMC_FREEZE	FIELD(PerfCntrGlobalStatus, PmcFreeze)
#define FREEZE		FIELD(DebugCtl, FREEZE_PERFMON_ON_PMI)

// A row for each counter's select, or counter register.
#define SELECTS(defect, kind, bits)						\
	{defect, kind, ONE(PERF_CTL0), bits}, {defect, kind, ONE(PERF_CTL1), bits},	\
	{defect, kind, ONE(PERF_CTL2), bits}, {defect, kind, ONE(PERF_CTL3), bits},	\
	{defect, kind, ONE(PERF_CTL4), bits}, {defect, kind, ONE(PERF_CTL5), bits}
#define COUNTER_REGISTERS(defect, kind, bits)					\
	{defect, kind, ONE(PERF_CTR0), bits}, {defect, kind, ONE(PERF_CTR1), bits},	\
	{defect, kind, ONE(PERF_CTR2), bits}, {defect, kind, ONE(PERF_CTR3), bits},	\
	{defect, kind, ONE(PERF_CTR4), bits}, {defect, kind, ONE(PERF_CTR5), bits}

static const struct defect table[] = {
	{DEFECT_RESET_VALUE, RESETS_TO, ONE(PerfCntrGlobalCtl), 0},
	{DEFECT_SELECT_STUCK, WRITES_CLEAR, ONE(PERF_CTL1), FIELD_PUT(PERF_CTL, UNIT_MASK, 0x10)},
	{DEFECT_COUNTER_STUCK, READS_SET, ONE(PERF_CTR2), 1ULL << 17},
	{DEFECT_COUNTER_NARROW, COUNTS_BITS, .bits = 40},
	{DEFECT_WRAP_SKIPS, WRAPS_ADD, .address = 2, .bits = 512},
	COUNTER_REGISTERS(DEFECT_UPPER_TAKEN, READS_WRITTEN, 1ULL << 48),
	SELECTS(DEFECT_HIGH_IGNORED, HOLDS_CLEAR, SELECT(EVENT_SELECT_HIGH)),
	SELECTS(DEFECT_GUEST_IGNORED, HOLDS_CLEAR, SELECT(HG_ONLY)),
	{DEFECT_ACCESS_UNCHECKED, .kind = UNCHECKED},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_PerfEvtSel - 1, 1, 0},
	{DEFECT_RDPMC_UNCHECKED, INDEX_UNCHECKED, AMD_COUNTERS, UINT32_MAX, 0},
	COUNTER_REGISTERS(DEFECT_COUNT_LOST, READS_LESS, 10),
	{DEFECT_RDPMC_SHORT, INDEX_READS, .bits = UINT32_MAX},
	SELECTS(DEFECT_EN_IGNORED, HOLDS_SET, SELECT(EN)),
	{DEFECT_GLOBAL_IGNORED, HOLDS_SET, ONE(PerfCntrGlobalCtl), 2},
	SELECTS(DEFECT_USR_IGNORED, HOLDS_SET, SELECT(USR)),
	SELECTS(DEFECT_OS_IGNORED, HOLDS_SET, SELECT(OS)),
	SELECTS(DEFECT_INV_IGNORED, HOLDS_CLEAR, SELECT(INV)),
	SELECTS(DEFECT_EDGE_IGNORED, HOLDS_CLEAR, SELECT(EDGE)),
	{DEFECT_STATUS_LOST, LEAVES_NO_STATUS, STATUS, AMD_COUNTER_MASK},
	SELECTS(DEFECT_INT_MISSING, HOLDS_CLEAR, SELECT(INT)),
	SELECTS(DEFECT_INT_ALWAYS, HOLDS_SET, SELECT(INT)),
	{DEFECT_FREEZE_MISSING, HOLDS_CLEAR, ONE(DebugCtl), FREEZE},
	{DEFECT_FREEZE_ALWAYS, HOLDS_SET, ONE(DebugCtl), FREEZE},
	{DEFECT_LBR_FREEZE_MISSING, HOLDS_CLEAR, ONE(DebugCtl),
	 FIELD(DebugCtl, FREEZE_LBRS_ON_PMI)},
	{DEFECT_ACKNOWLEDGE_ALL, WRITES_SET, ONE(PerfCntrGlobalStatusClr),
	 REGISTER_BITS(PerfCntrGlobalStatusClr, W1C)},
	{DEFECT_ACKNOWLEDGE_LOST, WRITES_CLEAR, ONE(PerfCntrGlobalStatusClr), ~0ULL},
	{DEFECT_THAW_LOST, WRITES_CLEAR, ONE(PerfCntrGlobalStatusClr), PMC_FREEZE},
	{DEFECT_SET_LOST, WRITES_CLEAR, ONE(PerfCntrGlobalStatusSet), ~0ULL},
	{DEFECT_SET_READS, READS_SET, ONE(PerfCntrGlobalStatusSet), ~0ULL},
	{DEFECT_RESIDUE_LOST, WRAPS_TO_0, .address = AMD_COUNTER_MASK},
	{DEFECT_SIMULTANEOUS_LOST, .kind = WRAPS_ONE},
	{DEFECT_HALT_COUNTED, COUNTS_HALTED, .bits = offsetof(struct amd_state, enabled)},
	{DEFECT_READS_ONES, READS_SET, EVERY_REGISTER, ~0ULL},
	{DEFECT_WRITES_LOST, KEEPS, EVERY_REGISTER, ~0ULL},
};

// The event of a defect that no counter counts.
static bool is_dead(const void *state, uint64_t select)
{
	const uint64_t code = FIELD_GET(PERF_CTL, EVENT_SELECT, select);

	return (has_defect(state, DEFECT_BRANCHES_DEAD) && code == 0xC2) ||
	       (has_defect(state, DEFECT_TAKEN_DEAD) && code == 0xC4);
}

static bool is_select(uint32_t address)
{
	return address - MSR_PERF_CTL0 < AMD_COUNTERS * AMD_DISTANCE && address % AMD_DISTANCE == 0;
}

static uint64_t held(const void *state, uint32_t address, uint64_t value)
{
	const uint64_t cnt_mask = FIELD_GET(PERF_CTL, CNT_MASK, value);

	if (!is_select(address))
		return value;
	if (has_defect(state, DEFECT_CNT_MASK_WRONG) && cnt_mask && cnt_mask < 0xFF)
		return value + FIELD_PUT(PERF_CTL, CNT_MASK, 1);
	if (has_defect(state, DEFECT_INV_ALONE) && value & SELECT(INV) && !cnt_mask)
		return value | FIELD_PUT(PERF_CTL, CNT_MASK, 1);
	return is_dead(state, value) ? value & ~SELECT(EN) : value;
}

//
// Counting
//

// Counters count for both threads.
static void accept_all(struct amd_state *m)
{
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned level = 0; level < 4; level++)
			m->accepting[thread][level] |= m->accepting[1 - thread][level];
}

static void configure(void *state)
{
	struct amd_state *m = state;
	uint64_t *status[THREADS], before[THREADS];

	if (has_defect(state, DEFECT_ANY_ALWAYS))
		accept_all(m);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		status[thread] = &m->file[thread][SLOT_PerfCntrGlobalStatus];
		before[thread] = *status[thread];
		if (has_defect(state, DEFECT_FREEZE_HOLLOW))
			*status[thread] &= ~PMC_FREEZE;
	}
	amd_configure(state);
	for (unsigned thread = 0; thread < THREADS; thread++)
		*status[thread] = before[thread];
}

// residue-lost: counts after an overflow are lost, too.
static void sum(struct engine *e)
{
	struct amd_state *m = (struct amd_state *)e;

	for (unsigned thread = 0; thread < THREADS && has_defect(m, DEFECT_RESIDUE_LOST); thread++)
		e->counting &= ~OF_THREAD(thread, m->file[thread][SLOT_PerfCntrGlobalStatus] &
					  AMD_COUNTER_MASK);
	defective_sum(e);
}

static bool passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct amd_state *m = (struct amd_state *)e;

	defective_passed(e, cycles, wrapped);
	for (unsigned thread = 0; thread < THREADS && has_defect(m, DEFECT_FREEZE_CLEARS); thread++)
		if (m->file[thread][SLOT_PerfCntrGlobalStatus] & PMC_FREEZE)
			m->file[thread][SLOT_PerfCntrGlobalCtl] = 0;
	return true;
}

//
// Accesses
//

static bool is_pending(struct amd_state *m, unsigned thread, uint32_t address)
{
	const uint32_t pair = address - MSR_PERF_CTL0;

	engine_sync(&m->engine);
	return pair < AMD_COUNTERS * AMD_DISTANCE && pair % AMD_DISTANCE &&
	       m->file[thread][SLOT_PerfCntrGlobalStatus] >> pair / AMD_DISTANCE & 1;
}

static bool is_dead_address(const struct amd_state *m, uint32_t address)
{
	return (has_defect(m, DEFECT_LEGACY_SELECT_DEAD) &&
		address - MSR_PerfEvtSel < AMD_LEGACY_COUNTERS) ||
	       (has_defect(m, DEFECT_LEGACY_COUNTER_DEAD) &&
		address - MSR_PerfCtr < AMD_LEGACY_COUNTERS);
}

static bool write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct amd_state *m = state;

	if (is_dead_address(m, address) ||
	    (has_defect(m, DEFECT_RELOAD_IGNORED) && is_pending(m, thread, address))) {
		engine_run(state, cycles);
		return true;
	}
	if (!defective_write(state, thread, address, value, cycles))
		return false;
	if (has_defect(m, DEFECT_LINE_STUCK) && address == MSR_PerfCntrGlobalCtl && value)
		m->engine.outputs.requests |= 1u << thread;
	return true;
}

//
// For mutants: fields that change nothing
//

#define NO_OF_PMU	"the PMU does not depend on the field (APM volume 2, DebugCtl)"

static const struct inert inert[] = {
	{ONE(DebugCtl), FIELD(DebugCtl, LBR), OF_OTHER_SOFTWARE, NO_OF_PMU},
	{ONE(DebugCtl), FIELD(DebugCtl, BTF), NO_EXCHANGE_SHOWS, NO_OF_PMU},
	{0},
};

static const struct defective defects = {
	.rules = {sum, passed, defective_lower_headroom, defective_ended, defective_configure},
	.sound = &pmu_model_amd, .names = defect_names,
	.inert = inert, .table = table, .table_size = sizeof table / sizeof *table,
	.counters = COUNTERS, .thread_size = SLOTS * sizeof(uint64_t), .held = held,
	.configure = configure,
};

const struct pmu_model *pmu_defective_amd(void)
{
	static struct pmu_model model;
	static struct model_user user;

	defective_model(&model, &user, &defects);
	model.write = write;
	return &model;
}
