// SPDX-License-Identifier: BSD-2-Clause
// Defects of the performance monitor, as a wrapper around its model.

#include <string.h>

#include "../defects/defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_itanium;

// The names are command-line arguments: fault=freeze-missing.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* PMC13.ta resets to 0 */ \
	F(PMC_STUCK, "pmc-stuck")			/* a unit-mask bit of PMC5 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of PMD6 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 28 bits */ \
	F(SIGN_MISSING, "sign-missing") /* counters are not sign-extended when read */ \
	F(ACCESS_UNCHECKED, "access-unchecked") /* writes of PMV's reserved bits do not fault */ \
	F(COUNT_LOST, "count-lost") /* reads of a counter miss one event in 2^10 */ \
	F(FREEZE_IGNORED, "freeze-ignored")		/* counters count on while PMC0.fr is 1 */ \
	F(PLM_IGNORED, "plm-ignored")			/* all privilege levels count */ \
	F(PM_IGNORED, "pm-ignored") /* PSR.up and PSR.pp enable all monitors */ \
	F(ISM_IGNORED, "ism-ignored")			/* both instruction sets count */ \
	F(UMASK_IGNORED, "umask-ignored")		/* all of an event's sub-events count */ \
	F(THRESHOLD_WRONG, "threshold-wrong")		/* greater or equal, instead of greater */ \
	F(OVERFLOW_LOST, "overflow-lost")		/* an overflow leaves no bit in PMC0 */ \
	F(STICKY_LOST, "sticky-lost") /* an overflow clears the bits of earlier ones */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* one of several overflows is seen */ \
	F(RESIDUE_LOST, "residue-lost")			/* a counter stays 0 after its overflow */ \
	F(OI_IGNORED, "oi-ignored")			/* oi set: no freeze and no interrupt */ \
	F(OI_ALWAYS, "oi-always")			/* oi clear: freeze and interrupt */ \
	F(FREEZE_MISSING, "freeze-missing") /* an overflow interrupts and does not freeze */ \
	F(INTERRUPT_MISSING, "interrupt-missing") /* an overflow freezes and does not interrupt */ \
	F(INTERRUPT_TWICE, "interrupt-twice")		/* the end of a freeze interrupts again */ \
	F(MASK_IGNORED, "mask-ignored")			/* PMV.m does not mask the interrupt */ \
	F(TIMER_MISSING, "timer-missing")		/* ITC reaching ITM does not interrupt */ \
	F(TIMER_MASK_IGNORED, "timer-mask-ignored")	/* ITV.m does not mask that interrupt */ \
	F(USER_READ_OPEN, "user-read-open")		/* PSR.sp and pm do not protect PMDs */ \
	F(READ_CLOSED, "read-closed")			/* they close PMDs to level 0, too */ \
	F(IBR_IGNORED, "ibr-ignored") /* all instruction addresses are in range */ \
	F(OPCODE_IGNORED, "opcode-ignored")		/* all opcodes match */ \
	F(DBR_IGNORED, "dbr-ignored")			/* all data addresses are in range */ \
	F(EAR_VALID_MISSING, "ear-valid-missing") /* a captured address is not marked valid */ \
	F(EAR_THRESHOLD_WRONG,	\
	  "ear-threshold-wrong")	/* a latency at the threshold is not captured */	\
	F(BTB_WRAP, "btb-wrap")				/* the branch trace never sets full */ \
	F(BTB_SLOT, "btb-slot") /* a branch that is not taken is recorded as slot 0 */ \
	F(BRANCHES_DEAD, "branches-dead")		/* BRANCH_EVENT counts nothing */	\
	F(LOADS_DEAD, "loads-dead")			/* LOADS_RETIRED counts nothing */ \
	F(EAR_THRESHOLD_IGNORED,	\
	  "ear-threshold-ignored")	/* each load is captured */	\
	F(HALT_COUNTED, "halt-counted")			/* counters count in a light halt */ \
	F(READS_ONES, "reads-ones")	/* all but DCR, ITM, ITC and PSR read as ones */ \
	F(WRITES_LOST, "writes-lost")			/* no write changes a register */

DEFECTS(FAULTS)

#define SELECTS		ITANIUM_PMC(FIRST), COUNTERS
#define RECORDERS	ITANIUM_PMC(10), 3
#define EARS		ITANIUM_PMC(10), 2
#define STATUS		offsetof(struct itanium_state, PMC(0)), 1
#define ALL_MATCH	(REGISTER_BITS(PMC8, RW) & ~FIELD(PMC8, match))

static const struct defect table[] = {
	{DEFECT_RESET_VALUE, RESETS_TO, ITANIUM_PMC(13), 1, 0},
	{DEFECT_PMC_STUCK, WRITES_CLEAR, ITANIUM_PMC(5), 1, FIELD_PUT(PMC4, umask, 2)},
	{DEFECT_COUNTER_STUCK, READS_SET, ITANIUM_PMD(6), 1, 1ULL << 17},
	{DEFECT_COUNTER_NARROW, COUNTS_BITS, .bits = 28},
	{DEFECT_ACCESS_UNCHECKED, WRITES_CLEAR, ITANIUM_PMV, 1, REGISTER_BITS(PMV, RSVD)},
	{DEFECT_ACCESS_UNCHECKED, WRITES_CLEAR, ITANIUM_ITV, 1, REGISTER_BITS(ITV, RSVD)},
	{DEFECT_COUNT_LOST, READS_LESS, ITANIUM_PMD(FIRST), COUNTERS, 10},
	{DEFECT_PLM_IGNORED, HOLDS_SET, SELECTS, FIELD(PMC4, plm)},
	{DEFECT_PLM_IGNORED, HOLDS_SET, RECORDERS, FIELD(PMC4, plm)},
	{DEFECT_ISM_IGNORED, HOLDS_CLEAR, SELECTS, FIELD(PMC4, ism)},
	{DEFECT_ISM_IGNORED, HOLDS_CLEAR, EARS, FIELD(PMC4, ism)},
	{DEFECT_OVERFLOW_LOST, LEAVES_NO_STATUS, STATUS, FIELD(PMC0, overflow)},
	{DEFECT_SIMULTANEOUS_LOST, .kind = WRAPS_ONE},
	{DEFECT_RESIDUE_LOST, WRAPS_TO_0, .address = MONITOR_COUNTERS},
	{DEFECT_OI_IGNORED, HOLDS_CLEAR, SELECTS, FIELD(PMC4, oi)},
	{DEFECT_OI_ALWAYS, HOLDS_SET, SELECTS, FIELD(PMC4, oi)},
	{DEFECT_MASK_IGNORED, HOLDS_CLEAR, ITANIUM_PMV, 1, FIELD(PMV, m)},
	{DEFECT_TIMER_MISSING, HOLDS_SET, ITANIUM_ITV, 1, FIELD(ITV, m)},
	{DEFECT_TIMER_MASK_IGNORED, HOLDS_CLEAR, ITANIUM_ITV, 1, FIELD(ITV, m)},
	{DEFECT_IBR_IGNORED, HOLDS_SET, ITANIUM_PMC(13), 1, FIELD(PMC13, ta)},
	{DEFECT_OPCODE_IGNORED, HOLDS_SET, ITANIUM_PMC(8), 2, ALL_MATCH},
	{DEFECT_DBR_IGNORED, HOLDS_SET, ITANIUM_PMC(11), 1, FIELD(PMC11, pt)},
	{DEFECT_EAR_THRESHOLD_IGNORED, HOLDS_CLEAR, ITANIUM_PMC(11), 1, FIELD(PMC11, umask)},
	{DEFECT_HALT_COUNTED, COUNTS_HALTED,
	 .bits = offsetof(struct itanium_state, engine.counting)},
	{DEFECT_READS_ONES, READS_SET, 0, ITANIUM_CR(0), ~0ULL},
	{DEFECT_READS_ONES, READS_SET, ITANIUM_PMV, 1, ~0ULL},
	{DEFECT_READS_ONES, READS_SET, ITANIUM_ITV, 1, ~0ULL},
	{DEFECT_WRITES_LOST, KEEPS, EVERY_REGISTER, ~0ULL},
};

// Turns off counters of BRANCH_EVENT (branches-dead) and LOADS_RETIRED (loads-dead).
static uint64_t held(const void *state, uint32_t address, uint64_t value)
{
	const uint64_t event = FIELD_GET(PMC4, es, value);

	if (address - ITANIUM_PMC(FIRST) < COUNTERS &&
	    ((has_defect(state, DEFECT_BRANCHES_DEAD) && event == EVENT_BRANCH_CAPTURED) ||
	     (has_defect(state, DEFECT_LOADS_DEAD) && event == EVENT_LOAD)))
		return value | FIELD(PMC4, ism);
	return value;
}

//
// Counting
//

// Computes the enabled monitors from the values of PMC0 and PSR that a defect pretends.
static void enable(struct itanium_state *m)
{
	const uint64_t status = m->PMC(0), psr = m->file[0][SLOT_PSR],
		either = FIELD(PSR, up) | FIELD(PSR, pp);

	if (has_defect(m, DEFECT_FREEZE_IGNORED))
		m->PMC(0) &= ~FIELD(PMC0, fr);
	if (has_defect(m, DEFECT_PM_IGNORED) && psr & either)
		m->file[0][SLOT_PSR] |= either;
	itanium_configure_enables(m);
	m->PMC(0) = status;
	m->file[0][SLOT_PSR] = psr;
}

static bool is_at_threshold(const struct occurrence *o, uint64_t control)
{
	return o && !(control & FIELD(PMC11, tlb)) &&
	       o->latency == 4u << FIELD_GET(PMC11, umask, control);
}

static void sum(struct engine *e)
{
	struct itanium_state *m = (struct itanium_state *)e;

	enable(m);
	if (has_defect(m, DEFECT_UMASK_IGNORED))
		memset(m->selecting, MONITOR_COUNTERS, sizeof m->selecting);
	for (unsigned i = 0; i < COUNTERS && has_defect(m, DEFECT_THRESHOLD_WRONG); i++)
		e->counter[i].least = (uint16_t)FIELD_GET(PMC4, threshold, m->PMC(FIRST + i));
	defective_sum(e);
	if (has_defect(m, DEFECT_EAR_THRESHOLD_WRONG)) {
		m->fetch = is_at_threshold(m->fetch, m->PMC(10)) ? NULL : m->fetch;
		m->load = is_at_threshold(m->load, m->PMC(11)) ? NULL : m->load;
	}
}

// Clears a bit that was set since `before`.
static void lose(uint64_t *now, uint64_t before, uint64_t bit)
{
	*now &= before | ~bit;
}

static bool passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct itanium_state *m = (struct itanium_state *)e;
	const uint32_t raising = e->raising, breaking = e->breaking;
	uint64_t before[SLOTS];

	if (has_defect(m, DEFECT_STICKY_LOST) && wrapped)
		m->PMC(0) &= ~FIELD(PMC0, overflow);
	if (has_defect(m, DEFECT_INTERRUPT_MISSING))
		e->raising = 0;
	if (has_defect(m, DEFECT_FREEZE_MISSING))
		e->breaking = 0;
	memcpy(before, m->file[0], sizeof before);
	defective_passed(e, cycles, wrapped);
	e->raising = raising;
	e->breaking = breaking;
	if (has_defect(m, DEFECT_EAR_VALID_MISSING)) {
		lose(&m->PMD(0), before[SLOT_PMD0], FIELD(PMD0, v));
		lose(&m->PMD(17), before[SLOT_PMD17], FIELD(PMD17, valid));
	}
	if (has_defect(m, DEFECT_BTB_WRAP))
		lose(&m->PMD(16), before[SLOT_PMD16], FIELD(PMD16, full));
	for (unsigned i = SLOT_PMD8; i < SLOT_PMD16 && has_defect(m, DEFECT_BTB_SLOT); i++)
		if (m->file[0][i] != before[i] && FIELD_GET(PMD8, slot, m->file[0][i]) == 3)
			m->file[0][i] &= ~FIELD(PMD8, slot);
	return true;
}

//
// Accesses
//

static bool read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	const bool exists = defective_read(state, thread, address, value);

	if (has_defect(state, DEFECT_SIGN_MISSING) && address - ITANIUM_PMD(FIRST) < COUNTERS)
		*value = (uint32_t)*value;
	return exists;
}

static bool read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	struct engine *e = state;
	const uint8_t level = e->level[thread];
	bool allowed;

	if (has_defect(state, DEFECT_USER_READ_OPEN))
		e->level[thread] = 0;
	if (has_defect(state, DEFECT_READ_CLOSED))
		e->level[thread] = 3;
	allowed = defective_read_counter(state, thread, index, value);
	e->level[thread] = level;
	if (has_defect(state, DEFECT_SIGN_MISSING) && index - FIRST < COUNTERS)
		*value = (uint32_t)*value;
	return allowed;
}

static bool write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct itanium_state *m = state;
	const bool ends = address == ITANIUM_PMC(0) && !(value & FIELD(PMC0, fr));
	bool frozen;

	engine_sync(&m->engine);
	frozen = itanium_frozen(m) && m->PMC(0) & FIELD(PMC0, overflow);
	if (!defective_write(state, thread, address, value, cycles))
		return false;
	if (has_defect(m, DEFECT_INTERRUPT_TWICE) && frozen && ends)
		m->engine.outputs.requests |= 1;
	return true;
}

//
// For mutants: fields that change nothing
//

#define CAPTURED	"only the hardware uses the field, to record an event"
#define NOT_COMPARED	"a data range has no other fields than address and mask (6.2.6)"
#define NO_TYPE		"the self test's machine does not tell these types of instructions apart"

static const struct inert inert[] = {
	{ITANIUM_PMC(FIRST), COUNTERS, FIELD(PMC4, ev), NO_EXCHANGE_SHOWS,
	 "no software sees the pins that the field concerns"},
	{ITANIUM_PMC(0), 1, FIELD(PMC0, overflow), FIELDS_SHOW,
	 "only the hardware uses the field, to record overflows"},
	{ITANIUM_PMC(8), 2, FIELD(PMC8, b) | FIELD(PMC8, f) | FIELD(PMC8, i), REGISTERS_SHOW,
	 NO_TYPE},
	{ITANIUM_PMC(9), 1, FIELD(PMC8, m), REGISTERS_SHOW, NO_TYPE},
	{ITANIUM_PMC(10), 1, REGISTER_BITS(PMC10, RW), NO_EXCHANGE_SHOWS,
	 "the self test's machine raises no event that the instruction event address register "
	 "records"},
	{ITANIUM_PMD(0), 1, FIELD(PMD0, v) | FIELD(PMD0, tlb) | FIELD(PMD0, region), FIELDS_SHOW,
	 CAPTURED},
	{ITANIUM_PMD(1), 1, FIELD(PMD1, latency), FIELDS_SHOW, CAPTURED},
	{ITANIUM_PMD(2), 1, FIELD(PMD2, region), FIELDS_SHOW, CAPTURED},
	{ITANIUM_PMD(3), 1, FIELD(PMD3, latency) | FIELD(PMD3, level), FIELDS_SHOW, CAPTURED},
	{ITANIUM_PMD(8), ITANIUM_TRACE_ENTRIES, FIELD(PMD8, slot), NO_EXCHANGE_SHOWS,
	 "the self test's machine has all branches in slot 0"},
	{ITANIUM_PMD(8), ITANIUM_TRACE_ENTRIES, REGISTER_BITS(PMD8, RW), FIELDS_SHOW, CAPTURED},
	{ITANIUM_PMD(17), 1, FIELD(PMD17, valid) | FIELD(PMD17, slot) | FIELD(PMD17, region),
	 FIELDS_SHOW, CAPTURED},
	{ITANIUM_DBR(1), 2 * ITANIUM_BREAKPOINTS - 1, FIELD(DBR1, plm) | FIELD(DBR1, w) |
	 FIELD(DBR1, r), NO_EXCHANGE_SHOWS, NOT_COMPARED},
	{ITANIUM_DCR, 1, FIELD(DCR, other), NO_EXCHANGE_SHOWS,
	 "the field does not concern the monitor"},
	{ITANIUM_PMV, 1, FIELD(PMV, vector), NO_EXCHANGE_SHOWS,
	 "the interrupt controller alone uses the vector"},
	{0},
};

static const struct defective defects = {
	.rules = {sum, passed, defective_lower_headroom, defective_ended, defective_configure},
	.sound = &pmu_model_itanium, .names = defect_names,
	.inert = inert, .table = table, .table_size = sizeof table / sizeof *table,
	.counters = COUNTERS, .thread_size = SLOTS * sizeof(uint64_t), .held = held,
};

const struct pmu_model *pmu_defective_itanium(void)
{
	static struct pmu_model model;
	static struct model_user user;

	defective_model(&model, &user, &defects);
	model.read = read;
	user.read_counter = read_counter;
	model.write = write;
	return &model;
}
