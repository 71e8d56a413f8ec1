// SPDX-License-Identifier: BSD-2-Clause
// Defects of Intel's architectural performance monitoring, injected by a wrapper around its model.

#include <string.h>

#include "../defects/defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_intel;

// Names are those of fault=freeze-missing.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")	/* global control resets to 0, others to 1 */ \
	F(SELECT_STUCK, "select-stuck") /* a unit-mask bit of select 1 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 40 bits */ \
	F(WRAP_SKIPS, "wrap-skips")			/* counters of cycles wrap to 512 */ \
	F(SIGN_MISSING, "sign-missing")		/* writes of IA32_PMC are not extended */ \
	F(UPPER_TAKEN, "upper-taken")		/* writes of IA32_PMC set all bits */ \
	F(FULL_WIDTH_SHORT, "full-width-short")	/* writes of IA32_A_PMC set 32 bits */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* invalid accesses do not fault */ \
	F(COUNT_LOST, "count-lost") /* one event in 2^10 is missing when a counter is read */ \
	F(RDPMC_SHORT, "rdpmc-short")			/* RDPMC gives 32 bits */ \
	F(RDPMC_UNCHECKED, "rdpmc-unchecked")	/* RDPMC of absent counters gives 0 */ \
	F(EN_IGNORED, "en-ignored")			/* counters count with EN clear */ \
	F(GLOBAL_IGNORED, "global-ignored") /* fixed counter 1 ignores global control */ \
	F(USR_IGNORED, "usr-ignored")			/* level 3 counts without USR */ \
	F(OS_IGNORED, "os-ignored")			/* level 0 counts without OS */ \
	F(ANY_ALWAYS, "any-always")		/* counters count for both threads */ \
	F(CMASK_WRONG, "cmask-wrong")			/* greater than, not greater or equal */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(INV_ALONE, "inv-alone") /* INV without CMASK counts cycles without events */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(BRANCHES_DEAD, "branches-dead")	/* retired branches count nothing */ \
	F(REFERENCE_DEAD, "reference-dead")	/* general counters count no reference cycles */ \
	F(SLOTS_DEAD, "slots-dead")		/* general counters count no slots */ \
	F(FIXED_DEAD, "fixed-dead")		/* fixed counter 2 counts nothing */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(INT_MISSING, "int-missing")			/* INT set: no interrupt */ \
	F(INT_ALWAYS, "int-always")			/* INT clear: interrupts */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow does not freeze */ \
	F(FREEZE_ALWAYS, "freeze-always")	/* an overflow freezes without the bit */ \
	F(FREEZE_CLEARS, "freeze-clears")	/* a freeze clears global control, too */ \
	F(FREEZE_HOLLOW, "freeze-hollow")	/* CTR_Frz is set, but counters go on */ \
	F(LBR_FREEZE_MISSING, "lbr-freeze-missing")	/* LBR_Frz is not set */ \
	F(ACKNOWLEDGE_ALL, "acknowledge-all")		/* clearing one status bit clears all */ \
	F(ACKNOWLEDGE_LOST, "acknowledge-lost")		/* status bits cannot be cleared */ \
	F(THAW_LOST, "thaw-lost")		/* CTR_Frz cannot be cleared */ \
	F(SET_LOST, "set-lost")			/* software cannot set the status */ \
	F(SET_READS, "set-reads")		/* the register that sets reads as ones */ \
	F(INUSE_STUCK, "inuse-stuck")		/* IA32_PERF_GLOBAL_INUSE reads 0 */ \
	F(INUSE_PMI_LOST, "inuse-pmi-lost")	/* its PMI_InUse reads 0 */ \
	F(LBR_FILTER_IGNORED, "lbr-filter-ignored")	/* LBR_SELECT excludes no branch */ \
	F(LBR_ALWAYS, "lbr-always")		/* branches are recorded without LBR */ \
	F(LBR_TOS_STUCK, "lbr-tos-stuck")	/* all branches go into one record */ \
	F(LBR_SWAPPED, "lbr-swapped")		/* source and target are exchanged */ \
	F(LBR_CYCLES_TOTAL, "lbr-cycles-total")	/* a record has the cycles since reset */ \
	F(LBR_FREEZE_HOLLOW, "lbr-freeze-hollow")	/* frozen records go on */ \
	F(RESIDUE_LOST, "residue-lost") /* a counter stays at 0 after an overflow */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* one of several overflows is seen */ \
	F(RELOAD_IGNORED,	\
	  "reload-ignored") /* a counter with its overflow pending ignores writes */ \
	F(LINE_STUCK, "line-stuck")			/* enabling any counter interrupts */ \
	F(HALT_COUNTED, "halt-counted") /* counters count while halted, frozen or not */ \
	F(READS_ONES, "reads-ones")			/* every register reads as ones */ \
	F(WRITES_LOST, "writes-lost")			/* no write changes a register */

DEFECTS(FAULTS)

#define FIXED_COUNTERS	INTEL_FIXED_COUNTERS
#define SELECTS		MSR_IA32_PERFEVTSEL, GENERAL
#define FIXED_CONTROL	MSR_IA32_FIXED_CTR_CTRL, 1
#define ONE(R)		MSR_##R, 1
#define STATUS		offsetof(struct intel_state, file[0][SLOT_IA32_PERF_GLOBAL_STATUS]), 1
#define SELECT(name)	FIELD(IA32_PERFEVTSEL, name)
#define OF_FIXED(name)								\
	(FIELD(IA32_FIXED_CTR_CTRL, name##0) | FIELD(IA32_FIXED_CTR_CTRL, name##1) | \
	 FIELD(IA32_FIXED_CTR_CTRL, name##2) | FIELD(IA32_FIXED_CTR_CTRL, name##3))
#define FIXED_LEVEL(name)							\
	(FIELD(IA32_FIXED_CTR_CTRL, EN0_##name) | FIELD(IA32_FIXED_CTR_CTRL, EN1_##name) | \
	 FIELD(IA32_FIXED_CTR_CTRL, EN2_##name) | FIELD(IA32_FIXED_CTR_CTRL, EN3_##name))
#define CTR_FRZ		FIELD(IA32_PERF_GLOBAL_STATUS, CTR_Frz)
#define LBR_FRZ		FIELD(IA32_PERF_GLOBAL_STATUS, LBR_Frz)
#define FREEZE		FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI)

// Other processors have registers after the last general and fixed counter and select.
static const struct defect table[] = {
	{DEFECT_RESET_VALUE, RESETS_TO, ONE(IA32_PERF_GLOBAL_CTRL), 0},
	{DEFECT_RESET_VALUE, RESETS_TO, ONE(LBR_SELECT), 1},
	{DEFECT_RESET_VALUE, RESETS_TO, ONE(LASTBRANCH_TOS), 1},
	{DEFECT_SELECT_STUCK, WRITES_CLEAR, MSR_IA32_PERFEVTSEL + 1, 1,
	 FIELD_PUT(IA32_PERFEVTSEL, UMASK, 0x10)},
	{DEFECT_COUNTER_STUCK, READS_SET, MSR_IA32_PMC + 2, 1, 1ULL << 17},
	{DEFECT_COUNTER_NARROW, COUNTS_BITS, .bits = 40},
	{DEFECT_WRAP_SKIPS, WRAPS_ADD, .address = 2u << GENERAL, .bits = 512},
	{DEFECT_FULL_WIDTH_SHORT, WRITES_CLEAR, MSR_IA32_A_PMC, GENERAL, ~0ULL << 32},
	{DEFECT_ACCESS_UNCHECKED, .kind = UNCHECKED},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_IA32_PMC + GENERAL, 1, 0},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_IA32_PERFEVTSEL + GENERAL, 1, 0},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_IA32_FIXED_CTR + FIXED_COUNTERS, 1, 0},
	{DEFECT_RDPMC_UNCHECKED, INDEX_UNCHECKED, GENERAL, UINT32_MAX, 0},
	{DEFECT_COUNT_LOST, READS_LESS, MSR_IA32_PMC, GENERAL, 10},
	{DEFECT_COUNT_LOST, READS_LESS, MSR_IA32_A_PMC, GENERAL, 10},
	{DEFECT_COUNT_LOST, READS_LESS, MSR_IA32_FIXED_CTR, FIXED_COUNTERS, 10},
	{DEFECT_RDPMC_SHORT, INDEX_READS, .bits = UINT32_MAX},
	{DEFECT_EN_IGNORED, HOLDS_SET, SELECTS, SELECT(EN)},
	{DEFECT_GLOBAL_IGNORED, HOLDS_SET, ONE(IA32_PERF_GLOBAL_CTRL), 2ULL << INTEL_FIRST_FIXED},
	{DEFECT_USR_IGNORED, HOLDS_SET, SELECTS, SELECT(USR)},
	{DEFECT_USR_IGNORED, HOLDS_SET, FIXED_CONTROL, FIXED_LEVEL(USR)},
	{DEFECT_OS_IGNORED, HOLDS_SET, SELECTS, SELECT(OS)},
	{DEFECT_OS_IGNORED, HOLDS_SET, FIXED_CONTROL, FIXED_LEVEL(OS)},
	{DEFECT_INV_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(INV)},
	{DEFECT_EDGE_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(E)},
	{DEFECT_FIXED_DEAD, HOLDS_CLEAR, FIXED_CONTROL,
	 FIELD(IA32_FIXED_CTR_CTRL, EN2_OS) | FIELD(IA32_FIXED_CTR_CTRL, EN2_USR)},
	{DEFECT_STATUS_LOST, LEAVES_NO_STATUS, STATUS, INTEL_GENERAL_MASK | INTEL_FIXED_MASK},
	{DEFECT_INT_MISSING, HOLDS_CLEAR, SELECTS, SELECT(INT)},
	{DEFECT_INT_MISSING, HOLDS_CLEAR, FIXED_CONTROL, OF_FIXED(PMI)},
	{DEFECT_INT_ALWAYS, HOLDS_SET, SELECTS, SELECT(INT)},
	{DEFECT_INT_ALWAYS, HOLDS_SET, FIXED_CONTROL, OF_FIXED(PMI)},
	{DEFECT_FREEZE_MISSING, HOLDS_CLEAR, ONE(IA32_DEBUGCTL), FREEZE},
	{DEFECT_FREEZE_ALWAYS, HOLDS_SET, ONE(IA32_DEBUGCTL), FREEZE},
	{DEFECT_LBR_FREEZE_MISSING, HOLDS_CLEAR, ONE(IA32_DEBUGCTL),
	 FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI)},
	{DEFECT_LBR_FILTER_IGNORED, HOLDS_CLEAR, ONE(LBR_SELECT), REGISTER_BITS(LBR_SELECT, RW)},
	{DEFECT_LBR_ALWAYS, HOLDS_SET, ONE(IA32_DEBUGCTL), FIELD(IA32_DEBUGCTL, LBR)},
	{DEFECT_ACKNOWLEDGE_ALL, WRITES_SET, ONE(IA32_PERF_GLOBAL_STATUS_RESET),
	 REGISTER_BITS(IA32_PERF_GLOBAL_STATUS_RESET, W1C)},
	{DEFECT_ACKNOWLEDGE_LOST, WRITES_CLEAR, ONE(IA32_PERF_GLOBAL_STATUS_RESET), ~0ULL},
	{DEFECT_THAW_LOST, WRITES_CLEAR, ONE(IA32_PERF_GLOBAL_STATUS_RESET), CTR_FRZ},
	{DEFECT_SET_LOST, WRITES_CLEAR, ONE(IA32_PERF_GLOBAL_STATUS_SET), ~0ULL},
	{DEFECT_SET_READS, READS_SET, ONE(IA32_PERF_GLOBAL_STATUS_SET), ~0ULL},
	{DEFECT_INUSE_STUCK, READS_CLEAR, ONE(IA32_PERF_GLOBAL_INUSE), ~0ULL},
	{DEFECT_INUSE_PMI_LOST, READS_CLEAR, ONE(IA32_PERF_GLOBAL_INUSE),
	 FIELD(IA32_PERF_GLOBAL_INUSE, PMI_InUse)},
	{DEFECT_RESIDUE_LOST, WRAPS_TO_0, .address = (1u << COUNTERS) - 1},
	{DEFECT_SIMULTANEOUS_LOST, .kind = WRAPS_ONE},
	{DEFECT_HALT_COUNTED, COUNTS_HALTED, .bits = offsetof(struct intel_state, enabled)},
	{DEFECT_READS_ONES, READS_SET, EVERY_REGISTER, ~0ULL},
	{DEFECT_WRITES_LOST, KEEPS, EVERY_REGISTER, ~0ULL},
};

// The event of a defect that general counters do not count.
static bool is_dead(const void *state, uint64_t select)
{
	const uint64_t code = FIELD_GET(IA32_PERFEVTSEL, EventSelect, select);

	return (has_defect(state, DEFECT_BRANCHES_DEAD) && code == 0xC4) ||
	       (has_defect(state, DEFECT_SLOTS_DEAD) && code == INTEL_EVENT_SLOTS) ||
	       (has_defect(state, DEFECT_REFERENCE_DEAD) && code == INTEL_EVENT_CYCLES &&
		FIELD_GET(IA32_PERFEVTSEL, UMASK, select));
}

static uint64_t held(const void *state, uint32_t address, uint64_t value)
{
	const uint64_t cmask = FIELD_GET(IA32_PERFEVTSEL, CMASK, value);

	if (address - MSR_IA32_PERFEVTSEL >= GENERAL)
		return value;
	if (has_defect(state, DEFECT_CMASK_WRONG) && cmask && cmask < 0xFF)
		return value + FIELD_PUT(IA32_PERFEVTSEL, CMASK, 1);
	if (has_defect(state, DEFECT_INV_ALONE) && value & SELECT(INV) && !cmask)
		return value | FIELD_PUT(IA32_PERFEVTSEL, CMASK, 1);
	return is_dead(state, value) ? value & ~SELECT(EN) : value;
}

//
// Counting
//

// Counters count for both threads.
static void accept_all(struct intel_state *m)
{
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned level = 0; level < 4; level++)
			m->accepting[thread][level] |= m->accepting[1 - thread][level];
}

static void configure(void *state)
{
	struct intel_state *m = state;
	uint64_t *status[THREADS], before[THREADS];

	if (has_defect(state, DEFECT_ANY_ALWAYS))
		accept_all(m);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		status[thread] = &m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS];
		before[thread] = *status[thread];
		if (has_defect(state, DEFECT_FREEZE_HOLLOW))
			*status[thread] &= ~CTR_FRZ;
		if (has_defect(state, DEFECT_LBR_FREEZE_HOLLOW))
			*status[thread] &= ~LBR_FRZ;
	}
	intel_configure(state);
	for (unsigned thread = 0; thread < THREADS; thread++)
		*status[thread] = before[thread];
}

// residue-lost: counts after an overflow are lost, too.
static void sum(struct engine *e)
{
	struct intel_state *m = (struct intel_state *)e;

	for (unsigned thread = 0; thread < THREADS && has_defect(m, DEFECT_RESIDUE_LOST); thread++)
		e->counting &= ~OF_THREAD(thread,
					  intel_set(m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS]));
	defective_sum(e);
}

// Changes the record that a thread has just written, or the state from which the next one is made.
static void change_record(struct intel_state *m, unsigned thread, uint64_t before)
{
	uint64_t *file = m->file[thread], *tos = &file[SLOT_LASTBRANCH_TOS];
	uint64_t *from = &file[SLOT_LASTBRANCH_FROM_IP + *tos],
		*to = &file[SLOT_LASTBRANCH_TO_IP + *tos];
	const uint64_t source = *from;

	if (has_defect(m, DEFECT_LBR_CYCLES_TOTAL))
		m->recorded_at[thread] = 0;
	if (*tos == before)
		return;
	if (has_defect(m, DEFECT_LBR_SWAPPED)) {
		*from = *to;
		*to = source;
	}
	if (has_defect(m, DEFECT_LBR_TOS_STUCK)) {
		file[SLOT_LASTBRANCH_FROM_IP + before] = source;
		file[SLOT_LASTBRANCH_TO_IP + before] = *to;
		*from = *to = 0;
		*tos = before;
	}
}

static bool passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct intel_state *m = (struct intel_state *)e;
	uint64_t before[THREADS];

	for (unsigned thread = 0; thread < THREADS; thread++)
		before[thread] = m->file[thread][SLOT_LASTBRANCH_TOS];
	defective_passed(e, cycles, wrapped);
	for (unsigned thread = 0; thread < THREADS; thread++)
		change_record(m, thread, before[thread]);
	for (unsigned thread = 0; thread < THREADS && has_defect(m, DEFECT_FREEZE_CLEARS); thread++)
		if (m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] & CTR_FRZ)
			m->file[thread][SLOT_IA32_PERF_GLOBAL_CTRL] = 0;
	return true;
}

//
// Accesses
//

static bool is_pending(struct intel_state *m, unsigned thread, uint32_t address)
{
	const uint64_t *status = &m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS];
	const uint32_t general = address - MSR_IA32_PMC, full = address - MSR_IA32_A_PMC,
		fixed = address - MSR_IA32_FIXED_CTR;

	engine_sync(&m->engine);
	return general < GENERAL ? *status >> general & 1 :
	       full < GENERAL ? *status >> full & 1 :
	       fixed < FIXED_COUNTERS && *status >> (INTEL_FIRST_FIXED + fixed) & 1;
}

static bool write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct intel_state *m = state;
	const uint32_t general = address - MSR_IA32_PMC;

	if (has_defect(m, DEFECT_RELOAD_IGNORED) && is_pending(m, thread, address)) {
		engine_run(state, cycles);
		return true;
	}
	if (!defective_write(state, thread, address, value, cycles))
		return false;
	if (has_defect(m, DEFECT_SIGN_MISSING) && general < GENERAL)
		engine_set_count(&m->engine, COUNTERS * thread + general, (uint32_t)value);
	if (has_defect(m, DEFECT_UPPER_TAKEN) && general < GENERAL)
		engine_set_count(&m->engine, COUNTERS * thread + general, value);
	if (has_defect(m, DEFECT_LINE_STUCK) && address == MSR_IA32_PERF_GLOBAL_CTRL && value)
		m->engine.outputs.requests |= 1u << thread;
	return true;
}

//
// For mutants: fields that change nothing
//

#define NO_OF_PMU	"the PMU does not depend on the field (SDM volume 3B, IA32_DEBUGCTL)"

#define NO_CALLS	"branches of these kinds are not among the recorded instructions of the " \
			"self test's machine"

#define COPIES		"all bits are copies of bit 47 in this processor's format"

static const struct inert inert[] = {
	{ONE(IA32_DEBUGCTL), FIELD(IA32_DEBUGCTL, BTF) | FIELD(IA32_DEBUGCTL, TR) |
	 FIELD(IA32_DEBUGCTL, BTS) | FIELD(IA32_DEBUGCTL, BTINT) |
	 FIELD(IA32_DEBUGCTL, BTS_OFF_OS), OF_OTHER_SOFTWARE, NO_OF_PMU},
	{ONE(LBR_SELECT), FIELD(LBR_SELECT, NEAR_REL_CALL) | FIELD(LBR_SELECT, NEAR_IND_CALL) |
	 FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_IND_JMP) |
	 FIELD(LBR_SELECT, NEAR_REL_JMP) | FIELD(LBR_SELECT, FAR_BRANCH) |
	 FIELD(LBR_SELECT, EN_CALLSTACK), NO_EXCHANGE_SHOWS, NO_CALLS},
	{MSR_LASTBRANCH_FROM_IP, INTEL_BRANCH_RECORDS, FIELD(LASTBRANCH_FROM_IP, HIGH),
	 REGISTERS_SHOW, COPIES},
	{MSR_LASTBRANCH_TO_IP, INTEL_BRANCH_RECORDS, FIELD(LASTBRANCH_TO_IP, HIGH),
	 REGISTERS_SHOW, COPIES},
	{MSR_LBR_INFO, INTEL_BRANCH_RECORDS, FIELD(LBR_INFO, MISPRED) | FIELD(LBR_INFO, IN_TSX) |
	 FIELD(LBR_INFO, TSX_ABORT), NO_EXCHANGE_SHOWS,
	 "the self test's machine mispredicts no recorded branch, and has no transactions"},
	{ONE(IA32_DEBUGCTL), FIELD(IA32_DEBUGCTL, BTS_OFF_USR), NO_EXCHANGE_SHOWS, NO_OF_PMU},
	{0},
};

static const struct defective defects = {
	.rules = {sum, passed, defective_lower_headroom, defective_ended, defective_configure},
	.sound = &pmu_model_intel, .names = defect_names,
	.inert = inert, .table = table, .table_size = sizeof table / sizeof *table,
	.counters = COUNTERS, .thread_size = SLOTS * sizeof(uint64_t), .held = held,
	.configure = configure,
};

const struct pmu_model *pmu_defective_intel(void)
{
	static struct pmu_model model, variants[2];
	static struct model_user user;
	const struct pmu_model *sound = pmu_model_intel.variants;

	while (!((const struct intel_processor *)sound->processor)->arch_lbr)
		sound++;
	defective_model(&model, &user, &defects);
	model.write = write;
	intel_defective_arch_lbr(&variants[0], sound);
	model.variants = variants;
	return &model;
}
