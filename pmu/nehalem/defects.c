// SPDX-License-Identifier: BSD-2-Clause
// Defects of the core PMU, injected by a wrapper around its model.

#include <string.h>

#include "../defects/defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_nehalem;

// Names are those of fault=freeze-missing.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* global control resets to 0 */ \
	F(SELECT_STUCK, "select-stuck") /* a unit-mask bit of select 1 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 40 bits */ \
	F(WRAP_SKIPS, "wrap-skips")			/* counters of cycles wrap to 512 */ \
	F(SIGN_MISSING, "sign-missing")			/* counter writes are not extended */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* invalid accesses do not fault */ \
	F(COUNT_LOST, "count-lost") /* one event in 2^10 is missing when a counter is read */ \
	F(RDPMC_SHORT, "rdpmc-short")			/* RDPMC gives 32 bits */ \
	F(EN_IGNORED, "en-ignored")			/* counters count with EN clear */ \
	F(GLOBAL_IGNORED, "global-ignored") /* fixed counter 1 ignores global control */ \
	F(USR_IGNORED, "usr-ignored")			/* level 3 counts without USR */ \
	F(OS_IGNORED, "os-ignored")			/* level 0 counts without OS */ \
	F(CMASK_WRONG, "cmask-wrong")			/* greater than, not greater or equal */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(INV_ALONE, "inv-alone") /* INV without CMASK counts cycles without events */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(UMASK_IGNORED, "umask-ignored") /* an event code counts for any unit mask */ \
	F(BRANCHES_DEAD, "branches-dead")		/* BR_INST_RETIRED counts nothing */ \
	F(LOADS_DEAD, "loads-dead")			/* MEM_INST_RETIRED counts nothing */ \
	F(COUNTERS_ALIKE, "counters-alike") /* 2 and 3 count events of 0 and 1 alone */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(INT_MISSING, "int-missing")			/* INT set: no interrupt */ \
	F(INT_ALWAYS, "int-always")			/* INT clear: interrupts */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow does not freeze */ \
	F(ACKNOWLEDGE_ALL, "acknowledge-all")		/* clearing one status bit clears all */ \
	F(ACKNOWLEDGE_LOST, "acknowledge-lost")		/* status bits cannot be cleared */ \
	F(RESIDUE_LOST, "residue-lost") /* a counter stays at 0 after an overflow */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* one of several overflows is seen */ \
	F(RELOAD_IGNORED,	\
	  "reload-ignored") /* a counter with its overflow pending ignores writes */ \
	F(LINE_STUCK, "line-stuck")			/* enabling any counter interrupts */ \
	F(HALT_COUNTED, "halt-counted") /* counters count while halted, frozen or not */ \
	F(CLOCK_SUMMED, "clock-summed") /* any thread's clock is the sum of both */ \
	F(PORT234_BY_THREAD, "port234-by-thread") /* the memory ports count for one thread */ \
	F(LDLAT_IGNORED, "ldlat-ignored")		/* loads of any latency count */ \
	F(LDLAT_EQUAL, "ldlat-equal") /* greater or equal, not greater than the threshold */ \
	F(OFFCORE_IGNORED, "offcore-ignored")		/* any request and response counts */ \
	F(PEBS_INDEX_OVERRUN,	\
	  "pebs-index-overrun")	/* records are written after the buffer's end */	\
	F(PEBS_RESET_IGNORED, "pebs-reset-ignored")	/* a record does not reload its counter */ \
	F(PEBS_THRESHOLD_IGNORED,	\
	  "pebs-threshold-ignored") /* no interrupt at the buffer's threshold */	\
	F(PEBS_STATUS_LOST, "pebs-status-lost")		/* records do not name their counters */ \
	F(PEBS_ALWAYS, "pebs-always") /* records are written without IA32_PEBS_ENABLE */ \
	F(DS_UNCANONICAL, "ds-uncanonical")		/* IA32_DS_AREA takes any value */ \
	F(LBR_NOT_FROZEN, "lbr-not-frozen") /* an interrupt does not stop the branch records */ \
	F(LBR_FILTER_IGNORED, "lbr-filter-ignored")	/* LBR_SELECT excludes no branch */ \
	F(LBR_ALWAYS, "lbr-always")			/* branches are recorded without LBR */ \
	F(LBR_TOS_STUCK, "lbr-tos-stuck")		/* all branches go into one record */ \
	F(LBR_SWAPPED, "lbr-swapped")			/* source and target are exchanged */ \
	F(UNCORE_SIGNAL_LOST, "uncore-signal-lost")	/* the package's signal is lost */ \
	F(READS_ONES, "reads-ones")			/* every register reads as ones */ \
	F(WRITES_LOST, "writes-lost")			/* no write changes a register */

DEFECTS(FAULTS)

#define FAULTY_FIXED	(GENERAL + 1)	/* first fixed counter with defects: cycles */
#define INPUTS_MOST	16

// State of the wrapper, stored after the sound model's state.
struct own {
	const struct model_processor *processor;	// the backend's
	struct model_processor between;
	struct occurrence swapped[INPUTS_MOST];
};

#define SELECTS		MSR_IA32_PERFEVTSEL, GENERAL
#define FIXED_CONTROL	MSR_IA32_FIXED_CTR_CTRL, 1
#define ONE(R)		MSR_##R, 1
#define STATUS		offsetof(struct nehalem_state, file[0][SLOT_IA32_PERF_GLOBAL_STATUS]), 1
#define SELECT(name)	FIELD(IA32_PERFEVTSEL, name)
#define OF_FIXED(name) \
	(FIELD(IA32_FIXED_CTR_CTRL, name##0) | FIELD(IA32_FIXED_CTR_CTRL, name##1) | \
	 FIELD(IA32_FIXED_CTR_CTRL, name##2))
#define FIXED_LEVEL(name) \
	(FIELD(IA32_FIXED_CTR_CTRL, EN0_##name) | FIELD(IA32_FIXED_CTR_CTRL, EN1_##name) | \
	 FIELD(IA32_FIXED_CTR_CTRL, EN2_##name))

// Other processors have registers after the last general counter, fixed counter, select and offcore
// response.
static const struct defect table[] = {
	{DEFECT_RESET_VALUE, RESETS_TO, ONE(IA32_PERF_GLOBAL_CTRL), 0},
	{DEFECT_SELECT_STUCK, WRITES_CLEAR, MSR_IA32_PERFEVTSEL + 1, 1,
	 FIELD_PUT(IA32_PERFEVTSEL, EVTMSK, 0x10)},
	{DEFECT_COUNTER_STUCK, READS_SET, MSR_IA32_PMC + 2, 1, 1ULL << 17},
	{DEFECT_COUNTER_NARROW, COUNTS_BITS, .bits = 40},
	{DEFECT_WRAP_SKIPS, WRAPS_ADD, .address = 6u << GENERAL, .bits = 512},
	{DEFECT_ACCESS_UNCHECKED, .kind = UNCHECKED},
	{DEFECT_ACCESS_UNCHECKED, INDEX_UNCHECKED, 0, UINT32_MAX, 0},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_IA32_PMC + GENERAL, 1, 0},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_IA32_PERFEVTSEL + GENERAL, 1, 0},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_IA32_FIXED_CTR + NEHALEM_FIXED_COUNTERS, 1, 0},
	{DEFECT_ACCESS_UNCHECKED, ABSENT_READS, MSR_OFFCORE_RSP_0 + 1, 1, 0},
	{DEFECT_COUNT_LOST, READS_LESS, MSR_IA32_PMC, GENERAL, 10},
	{DEFECT_COUNT_LOST, READS_LESS, MSR_IA32_FIXED_CTR, NEHALEM_FIXED_COUNTERS, 10},
	{DEFECT_RDPMC_SHORT, INDEX_READS, .bits = UINT32_MAX},
	{DEFECT_EN_IGNORED, HOLDS_SET, SELECTS, SELECT(EN)},
	{DEFECT_GLOBAL_IGNORED, HOLDS_SET, ONE(IA32_PERF_GLOBAL_CTRL), 2ULL << NEHALEM_FIRST_FIXED},
	{DEFECT_USR_IGNORED, HOLDS_SET, SELECTS, SELECT(USR)},
	{DEFECT_USR_IGNORED, HOLDS_SET, FIXED_CONTROL, FIXED_LEVEL(USR)},
	{DEFECT_OS_IGNORED, HOLDS_SET, SELECTS, SELECT(OS)},
	{DEFECT_OS_IGNORED, HOLDS_SET, FIXED_CONTROL, FIXED_LEVEL(OS)},
	{DEFECT_INV_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(INV)},
	{DEFECT_EDGE_IGNORED, HOLDS_CLEAR, SELECTS, SELECT(E)},
	{DEFECT_UMASK_IGNORED, HOLDS_SET, SELECTS, SELECT(EVTMSK)},
	{DEFECT_STATUS_LOST, LEAVES_NO_STATUS, STATUS, NEHALEM_GENERAL_MASK | NEHALEM_FIXED_MASK},
	{DEFECT_INT_MISSING, HOLDS_CLEAR, SELECTS, SELECT(INT)},
	{DEFECT_INT_MISSING, HOLDS_CLEAR, FIXED_CONTROL, OF_FIXED(PMI)},
	{DEFECT_INT_ALWAYS, HOLDS_SET, SELECTS, SELECT(INT)},
	{DEFECT_INT_ALWAYS, HOLDS_SET, FIXED_CONTROL, OF_FIXED(PMI)},
	{DEFECT_FREEZE_MISSING, HOLDS_CLEAR, ONE(IA32_DEBUGCTL),
	 FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI)},
	{DEFECT_ACKNOWLEDGE_ALL, WRITES_SET, ONE(IA32_PERF_GLOBAL_OVF_CTRL),
	 REGISTER_BITS(IA32_PERF_GLOBAL_OVF_CTRL, W1C)},
	{DEFECT_ACKNOWLEDGE_LOST, WRITES_CLEAR, ONE(IA32_PERF_GLOBAL_OVF_CTRL), ~0ULL},
	{DEFECT_RESIDUE_LOST, WRAPS_TO_0, .address = (1u << COUNTERS) - 1},
	{DEFECT_SIMULTANEOUS_LOST, .kind = WRAPS_ONE},
	{DEFECT_HALT_COUNTED, COUNTS_HALTED, .bits = offsetof(struct nehalem_state, enabled)},
	{DEFECT_LDLAT_IGNORED, HOLDS_CLEAR, ONE(PEBS_LD_LAT), FIELD(PEBS_LD_LAT, THRESHOLD)},
	{DEFECT_OFFCORE_IGNORED, HOLDS_SET, ONE(OFFCORE_RSP_0), REGISTER_BITS(OFFCORE_RSP_0, RW)},
	{DEFECT_PEBS_ALWAYS, HOLDS_SET, ONE(IA32_PEBS_ENABLE), NEHALEM_GENERAL_MASK},
	{DEFECT_LBR_NOT_FROZEN, HOLDS_CLEAR, ONE(IA32_DEBUGCTL),
	 FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI)},
	{DEFECT_LBR_FILTER_IGNORED, HOLDS_CLEAR, ONE(LBR_SELECT), REGISTER_BITS(LBR_SELECT, RW)},
	{DEFECT_LBR_ALWAYS, HOLDS_SET, ONE(IA32_DEBUGCTL), FIELD(IA32_DEBUGCTL, LBR)},
	{DEFECT_UNCORE_SIGNAL_LOST, HOLDS_CLEAR, ONE(IA32_DEBUGCTL),
	 FIELD(IA32_DEBUGCTL, UNCORE_PMI_EN)},
	{DEFECT_READS_ONES, READS_SET, EVERY_REGISTER, ~0ULL},
	{DEFECT_WRITES_LOST, KEEPS, EVERY_REGISTER, ~0ULL},
};

static uint64_t held_select(const void *state, uint64_t select)
{
	const uint64_t cmask = FIELD_GET(IA32_PERFEVTSEL, CMASK, select);
	const uint64_t code = FIELD_GET(IA32_PERFEVTSEL, EVTSEL, select);

	if (has_defect(state, DEFECT_CMASK_WRONG) && cmask && cmask < 0xFF)
		return select + FIELD_PUT(IA32_PERFEVTSEL, CMASK, 1);
	if (has_defect(state, DEFECT_INV_ALONE) && select & SELECT(INV) && !cmask)
		return select | FIELD_PUT(IA32_PERFEVTSEL, CMASK, 1);
	if ((has_defect(state, DEFECT_BRANCHES_DEAD) && code == NEHALEM_EVENT_BRANCHES) ||
	    (has_defect(state, DEFECT_LOADS_DEAD) && code == NEHALEM_EVENT_MEMORY_INSTRUCTIONS))
		return select & ~SELECT(EN);
	return select;
}

static uint64_t held(const void *state, uint32_t address, uint64_t value)
{
	const uint64_t most = FIELD(PEBS_LD_LAT, THRESHOLD);

	if (address - MSR_IA32_PERFEVTSEL < GENERAL)
		return held_select(state, value);
	if (has_defect(state, DEFECT_LDLAT_EQUAL) && address == MSR_PEBS_LD_LAT && value &&
	    value <= most)
		return value - 1;
	return value;
}

//
// Counting
//

// The memory ports count for one thread.
static void count_ports_by_thread(struct nehalem_state *m, unsigned number)
{
	const unsigned thread = number / COUNTERS;
	const uint64_t select = m->file[thread][SLOT_IA32_PERFEVTSEL + number % COUNTERS];

	if (FIELD_GET(IA32_PERFEVTSEL, EVTSEL, select) != NEHALEM_EVENT_PORTS ||
	    select & SELECT(AnyThr))
		return;
	m->engine.counter[number].threads = (uint8_t)(1u << thread);
	for (unsigned level = 0; level < 4; level++)
		m->accepting[1 - thread][level] &= (uint16_t)~(1u << number);
}

// Enables a general counter for any event.
static void enable_any_event(struct nehalem_state *m, unsigned number)
{
	const uint64_t select = m->file[number / COUNTERS][SLOT_IA32_PERFEVTSEL +
							   number % COUNTERS];

	ENGINE_PUT_BIT(m->enabled, number, select & SELECT(EN) &&
		       select & (SELECT(OS) | SELECT(USR)));
}

static void configure(void *state)
{
	for (unsigned i = 0; i < THREADS * GENERAL && has_defect(state, DEFECT_COUNTERS_ALIKE); i++)
		enable_any_event(state, COUNTERS * (i / GENERAL) + i % GENERAL);
	nehalem_configure(state);
	for (unsigned i = 0; i < THREADS * GENERAL && has_defect(state, DEFECT_PORT234_BY_THREAD);
	     i++)
		count_ports_by_thread(state, COUNTERS * (i / GENERAL) + i % GENERAL);
}

// residue-lost: counts after an overflow are lost, too.
static void sum(struct engine *e)
{
	struct nehalem_state *m = (struct nehalem_state *)e;

	if (has_defect(m, DEFECT_CLOCK_SUMMED))
		m->core_clocks = 0;
	for (unsigned thread = 0; thread < THREADS && has_defect(m, DEFECT_RESIDUE_LOST); thread++)
		e->counting &= ~OF_THREAD(thread,
					  nehalem_set(
						  m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS]));
	defective_sum(e);
}

// Exchanges source and target of branches while the model records them.
static void swap_branches(struct nehalem_state *m)
{
	struct own *s = defective_own(m);
	struct engine *e = &m->engine;

	for (size_t i = 0; i < e->input_count && i < INPUTS_MOST; i++) {
		s->swapped[i] = e->inputs[i];
		s->swapped[i].ip = e->inputs[i].target;
		s->swapped[i].target = e->inputs[i].ip;
	}
	e->inputs = s->swapped;
}

static void record_in_one(uint64_t *file, const uint64_t *before)
{
	const uint64_t last = file[SLOT_LASTBRANCH_TOS], tos = before[SLOT_LASTBRANCH_TOS];
	const uint64_t from = file[SLOT_LASTBRANCH_FROM_IP + last],
		to = file[SLOT_LASTBRANCH_TO_IP + last];

	memcpy(&file[SLOT_LASTBRANCH_TOS], &before[SLOT_LASTBRANCH_TOS],
	       (SLOT_LAST_LASTBRANCH_TO_IP + 1 - SLOT_LASTBRANCH_TOS) * sizeof *file);
	file[SLOT_LASTBRANCH_FROM_IP + tos] = from;
	file[SLOT_LASTBRANCH_TO_IP + tos] = to;
}

static bool passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct nehalem_state *m = (struct nehalem_state *)e;
	const struct occurrence *inputs = e->inputs;
	uint64_t before[THREADS][SLOTS];

	memcpy(before, m->file, sizeof before);
	if (has_defect(m, DEFECT_LBR_SWAPPED) && m->branches_due)
		swap_branches(m);
	defective_passed(e, cycles, wrapped);
	e->inputs = inputs;
	for (unsigned thread = 0; thread < THREADS && has_defect(m, DEFECT_LBR_TOS_STUCK); thread++)
		if (m->file[thread][SLOT_LASTBRANCH_TOS] != before[thread][SLOT_LASTBRANCH_TOS])
			record_in_one(m->file[thread], before[thread]);
	return true;
}

//
// Precise records: the model accesses memory through these functions
//

#define AREA_OFFSET	(NEHALEM_DS_PEBS_BASE * sizeof(uint64_t))
#define AREA_WORDS	(NEHALEM_DS_WORDS - NEHALEM_DS_PEBS_BASE)
#define OF_AREA(word)	(NEHALEM_DS_PEBS_##word - NEHALEM_DS_PEBS_BASE)

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	struct nehalem_state *m = context;
	const struct own *own = defective_own(m);
	const struct model_processor *p = own->processor;
	uint64_t area[AREA_WORDS];

	if (!p->read(p->context, address, to, size))
		return false;
	if (size != sizeof area)
		return true;
	memcpy(area, to, size);
	if (has_defect(m, DEFECT_PEBS_INDEX_OVERRUN)) {
		area[OF_AREA(BASE)] = 0;
		area[OF_AREA(MAXIMUM)] = UINT64_MAX;
	}
	if (has_defect(m, DEFECT_PEBS_THRESHOLD_IGNORED))
		area[OF_AREA(THRESHOLD)] = UINT64_MAX;
	for (unsigned i = 0; i < THREADS * GENERAL && has_defect(m, DEFECT_PEBS_RESET_IGNORED); i++)
		if (address == m->file[i / GENERAL][SLOT_IA32_DS_AREA] + AREA_OFFSET)
			area[OF_AREA(RESET) + i % GENERAL] =
				m->engine.counter[COUNTERS * (i / GENERAL) + i % GENERAL].count;
	memcpy(to, area, size);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	struct nehalem_state *m = context;
	const struct own *own = defective_own(m);
	const struct model_processor *p = own->processor;
	uint64_t record[NEHALEM_PEBS_WORDS];

	if (size != sizeof record || !has_defect(m, DEFECT_PEBS_STATUS_LOST))
		return p->write(p->context, address, from, size);
	memcpy(record, from, size);
	record[NEHALEM_PEBS_STATUS] = 0;
	return p->write(p->context, address, record, size);
}

static void read_registers(void *context, unsigned thread, uint64_t registers[MODEL_REGISTERS])
{
	const struct own *own = defective_own(context);
	const struct model_processor *p = own->processor;

	p->registers(p->context, thread, registers);
}

static void attach(void *state, const struct model_processor *processor)
{
	struct own *own = defective_own(state);

	own->processor = processor;
	own->between = (struct model_processor){state, read_memory, write_memory, read_registers};
	pmu_model_nehalem.records->attach(state, processor ? &own->between : NULL);
}

//
// Accesses
//

static bool is_pending(struct nehalem_state *m, unsigned thread, uint32_t address)
{
	const uint64_t *status = &m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS];
	const uint32_t general = address - MSR_IA32_PMC, fixed = address - MSR_IA32_FIXED_CTR;

	engine_sync(&m->engine);
	return general < GENERAL ? *status >> general & 1 :
	       fixed < NEHALEM_FIXED_COUNTERS && *status >> (NEHALEM_FIRST_FIXED + fixed) & 1;
}

static bool write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct nehalem_state *m = state;

	if (has_defect(m, DEFECT_RELOAD_IGNORED) && is_pending(m, thread, address)) {
		engine_run(state, cycles);
		return true;
	}
	if (!defective_write(state, thread, address, value, cycles)) {
		if (!has_defect(m, DEFECT_DS_UNCANONICAL) || address != MSR_IA32_DS_AREA)
			return false;
		m->file[thread][SLOT_IA32_DS_AREA] = value;
		return true;
	}
	if (has_defect(m, DEFECT_SIGN_MISSING) && address - MSR_IA32_PMC < GENERAL)
		engine_set_count(&m->engine, COUNTERS * thread + address - MSR_IA32_PMC,
				 (uint32_t)value);
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
#define NO_LATENCY	"the self test's machine raises no load latency event"
#define NO_OFFCORE	"the self test's machine raises no offcore response event"

static const struct inert inert[] = {
	{ONE(IA32_DEBUGCTL), FIELD(IA32_DEBUGCTL, BTF) | FIELD(IA32_DEBUGCTL, TR) |
	 FIELD(IA32_DEBUGCTL, BTS) |
	 FIELD(IA32_DEBUGCTL, BTINT) | FIELD(IA32_DEBUGCTL, BTS_OFF_OS) |
	 FIELD(IA32_DEBUGCTL, BTS_OFF_USR) |
	 FIELD(IA32_DEBUGCTL, FREEZE_WHILE_SMM), NO_EXCHANGE_SHOWS, NO_OF_PMU},
	{ONE(LBR_SELECT), FIELD(LBR_SELECT, NEAR_REL_CALL) | FIELD(LBR_SELECT, NEAR_INDIRECT_CALL) |
	 FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_INDIRECT_JMP) |
	 FIELD(LBR_SELECT, NEAR_REL_JMP) |
	 FIELD(LBR_SELECT, FAR_BRANCH), NO_EXCHANGE_SHOWS, NO_CALLS},
	{ONE(PEBS_LD_LAT), FIELD(PEBS_LD_LAT, THRESHOLD), NO_EXCHANGE_SHOWS, NO_LATENCY},
	{ONE(IA32_PEBS_ENABLE), FIELD(IA32_PEBS_ENABLE, LL_EN_PMC), NO_EXCHANGE_SHOWS, NO_LATENCY},
	{ONE(OFFCORE_RSP_0), FIELD(OFFCORE_RSP_0, REQUEST) | FIELD(OFFCORE_RSP_0, RESPONSE),
	 NO_EXCHANGE_SHOWS, NO_OFFCORE},
	{MSR_LASTBRANCH_FROM_IP, NEHALEM_BRANCH_RECORDS, FIELD(LASTBRANCH_FROM_IP, MISPRED),
	 NO_EXCHANGE_SHOWS,
	 "the self test's machine mispredicts no recorded branch"},
	{0},
};

static const struct defective defects = {
	.rules = {sum, passed, defective_lower_headroom, defective_ended, defective_configure},
	.sound = &pmu_model_nehalem, .names = defect_names,
	.inert = inert, .table = table, .table_size = sizeof table / sizeof *table,
	.own = sizeof(struct own),
	.counters = COUNTERS, .thread_size = SLOTS * sizeof(uint64_t), .held = held,
	.configure = configure,
};

const struct pmu_model *pmu_defective_nehalem(void)
{
	static struct pmu_model model;
	static struct model_user user;
	static struct model_records records;

	defective_model(&model, &user, &defects);
	model.write = write;
	records = *model.records;
	records.attach = attach;
	model.records = &records;
	return &model;
}
