// SPDX-License-Identifier: BSD-2-Clause
// Defects of the core PMU, as a wrapper around its model.

#include <string.h>

#include "defects.h"
#include "state.h"

extern const struct pmu_model pmu_model_nehalem;

// The names are what a person writes: fault=freeze-missing.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* global control resets to 0 */ \
	F(SELECT_STUCK, "select-stuck")			/* a unit-mask bit of select 1 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 40 bits */ \
	F(WRAP_SKIPS, "wrap-skips")			/* counters of cycles wrap to 512 */ \
	F(SIGN_MISSING, "sign-missing")			/* counter writes are not extended */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* writes of reserved bits and the like do not fault */ \
	F(COUNT_LOST, "count-lost")			/* one event in 2^10 is missing when a counter is read */ \
	F(RDPMC_SHORT, "rdpmc-short")			/* RDPMC gives 32 bits */ \
	F(EN_IGNORED, "en-ignored")			/* EN clear: counts all the same */ \
	F(GLOBAL_IGNORED, "global-ignored")		/* fixed counter 1 ignores global control */ \
	F(USR_IGNORED, "usr-ignored")			/* level 3 counts without USR */ \
	F(OS_IGNORED, "os-ignored")			/* level 0 counts without OS */ \
	F(CMASK_WRONG, "cmask-wrong")			/* greater than, not greater or equal */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(INT_MISSING, "int-missing")			/* INT set: no interrupt */ \
	F(INT_ALWAYS, "int-always")			/* INT clear: interrupt all the same */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow does not freeze */ \
	F(ACKNOWLEDGE_ALL, "acknowledge-all")		/* clearing one status bit clears all */ \
	F(ACKNOWLEDGE_LOST, "acknowledge-lost")		/* status bits cannot be cleared */ \
	F(RESIDUE_LOST, "residue-lost")			/* a counter stays at 0 once it has overflowed */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* of several overflows in a cycle one is seen */ \
	F(RELOAD_IGNORED, "reload-ignored")		/* a counter with its overflow pending ignores writes */ \
	F(LINE_STUCK, "line-stuck")			/* enabling any counter interrupts */ \
	F(HALT_COUNTED, "halt-counted")			/* counters count on while halted, frozen or not */ \
	F(CLOCK_SUMMED, "clock-summed")			/* any thread's clock is the sum of both */ \
	F(PORT234_BY_THREAD, "port234-by-thread")	/* the memory ports count for one thread */ \
	F(LDLAT_IGNORED, "ldlat-ignored")		/* loads of any latency count */ \
	F(LDLAT_EQUAL, "ldlat-equal")			/* greater or equal, not greater than the threshold */ \
	F(OFFCORE_IGNORED, "offcore-ignored")		/* any request and response counts */ \
	F(PEBS_INDEX_OVERRUN, "pebs-index-overrun")	/* records are written beyond the buffer's end */ \
	F(PEBS_RESET_IGNORED, "pebs-reset-ignored")	/* a record does not reload its counter */ \
	F(PEBS_THRESHOLD_IGNORED, "pebs-threshold-ignored") /* no interrupt at the buffer's threshold */ \
	F(PEBS_STATUS_LOST, "pebs-status-lost")		/* records do not say whose they are */ \
	F(PEBS_ALWAYS, "pebs-always")			/* overflows are recorded, enabled or not */ \
	F(DS_UNCANONICAL, "ds-uncanonical")		/* IA32_DS_AREA takes what is no address */ \
	F(LBR_NOT_FROZEN, "lbr-not-frozen")		/* an interrupt does not stop the branch records */ \
	F(LBR_FILTER_IGNORED, "lbr-filter-ignored")	/* branches that are to be left out are recorded */ \
	F(LBR_TOS_STUCK, "lbr-tos-stuck")		/* all branches go into one record */ \
	F(LBR_SWAPPED, "lbr-swapped")			/* source and target are exchanged */ \
	F(UNCORE_SIGNAL_LOST, "uncore-signal-lost")	/* the package's signal interrupts nobody */

DEFECTS(FAULTS)

#define FAULTY_FIXED	(GENERAL + 1)	/* the first of the fixed counters that some defects are about: cycles */
#define INPUTS_MOST	16
#define STATUS_BITS	(NEHALEM_GENERAL_MASK | NEHALEM_FIXED_MASK)

// What follows the sound model's state.
struct shadow {
	int defect;
	const struct engine_rules *rules;		// the sound ones
	const struct model_processor *processor;	// the real one
	struct model_processor between;
	struct defect_writes writes[THREADS];
	struct occurrence swapped[INPUTS_MOST];
};

static struct shadow *shadow_of(const void *state)
{
	return (struct shadow *)((char *)state + pmu_model_nehalem.size);
}

static bool has(const void *state, int defect)
{
	return shadow_of(state)->defect == defect;
}

#define SELECTS		MSR_IA32_PERFEVTSEL, GENERAL
#define FIXED_CONTROL	MSR_IA32_FIXED_CTR_CTRL, 1
#define ONE(R)		MSR_##R, 1
#define SELECT(name)	FIELD(IA32_PERFEVTSEL, name)
#define OF_FIXED(name) \
	(FIELD(IA32_FIXED_CTR_CTRL, name##0) | FIELD(IA32_FIXED_CTR_CTRL, name##1) | \
	 FIELD(IA32_FIXED_CTR_CTRL, name##2))
#define FIXED_LEVEL(name) \
	(FIELD(IA32_FIXED_CTR_CTRL, EN0_##name) | FIELD(IA32_FIXED_CTR_CTRL, EN1_##name) | \
	 FIELD(IA32_FIXED_CTR_CTRL, EN2_##name))

static const struct defect_bits bits[] = {
	{DEFECT_SELECT_STUCK, MSR_IA32_PERFEVTSEL + 1, 1, FIELD_PUT(IA32_PERFEVTSEL, EVTMSK, 0x10), 0, true},
	{DEFECT_EN_IGNORED, SELECTS, 0, SELECT(EN), false},
	{DEFECT_USR_IGNORED, SELECTS, 0, SELECT(USR), false},
	{DEFECT_USR_IGNORED, FIXED_CONTROL, 0, FIXED_LEVEL(USR), false},
	{DEFECT_OS_IGNORED, SELECTS, 0, SELECT(OS), false},
	{DEFECT_OS_IGNORED, FIXED_CONTROL, 0, FIXED_LEVEL(OS), false},
	{DEFECT_INV_IGNORED, SELECTS, SELECT(INV), 0, false},
	{DEFECT_EDGE_IGNORED, SELECTS, SELECT(E), 0, false},
	{DEFECT_INT_MISSING, SELECTS, SELECT(INT), 0, false},
	{DEFECT_INT_MISSING, FIXED_CONTROL, OF_FIXED(PMI), 0, false},
	{DEFECT_INT_ALWAYS, SELECTS, 0, SELECT(INT), false},
	{DEFECT_INT_ALWAYS, FIXED_CONTROL, 0, OF_FIXED(PMI), false},
	{DEFECT_GLOBAL_IGNORED, ONE(IA32_PERF_GLOBAL_CTRL), 0, 2ULL << NEHALEM_FIRST_FIXED, false},
	{DEFECT_FREEZE_MISSING, ONE(IA32_DEBUGCTL), FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI), 0, false},
	{DEFECT_LBR_NOT_FROZEN, ONE(IA32_DEBUGCTL), FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI), 0, false},
	{DEFECT_UNCORE_SIGNAL_LOST, ONE(IA32_DEBUGCTL), FIELD(IA32_DEBUGCTL, UNCORE_PMI_EN), 0, false},
	{DEFECT_PEBS_ALWAYS, ONE(IA32_PEBS_ENABLE), 0, NEHALEM_GENERAL_MASK, false},
	{DEFECT_LDLAT_IGNORED, ONE(PEBS_LD_LAT), FIELD(PEBS_LD_LAT, THRESHOLD), 0, false},
	{DEFECT_OFFCORE_IGNORED, ONE(OFFCORE_RSP_0), 0, REGISTER_BITS(OFFCORE_RSP_0, RW), false},
	{DEFECT_LBR_FILTER_IGNORED, ONE(LBR_SELECT), REGISTER_BITS(LBR_SELECT, RW), 0, false},
	{DEFECT_ACKNOWLEDGE_LOST, ONE(IA32_PERF_GLOBAL_OVF_CTRL), ~0ULL, 0, true},
	{DEFECT_ACKNOWLEDGE_ALL, ONE(IA32_PERF_GLOBAL_OVF_CTRL), 0, REGISTER_BITS(IA32_PERF_GLOBAL_OVF_CTRL, W1C),
	 true},
};

#define IS_SELECT(address) ((address) - MSR_IA32_PERFEVTSEL < GENERAL)

// What reaches the model of a value that is written.
static uint64_t held_value(const void *state, uint32_t address, uint64_t value, bool *visible)
{
	const uint64_t cmask = FIELD_GET(IA32_PERFEVTSEL, CMASK, value), most = FIELD(PEBS_LD_LAT, THRESHOLD);

	if (has(state, DEFECT_CMASK_WRONG) && IS_SELECT(address) && cmask && cmask < 0xFF)
		return value + FIELD_PUT(IA32_PERFEVTSEL, CMASK, 1);
	if (has(state, DEFECT_LDLAT_EQUAL) && address == MSR_PEBS_LD_LAT && value && value <= most)
		return value - 1;
	return defect_bits(bits, sizeof bits / sizeof *bits, shadow_of(state)->defect, address, value, visible);
}

//
// Counting
//

static void count_while_halted(struct engine *e, uint32_t enabled)
{
	for (uint32_t rest = enabled; rest; rest &= rest - 1)
		e->counter[__builtin_ctz(rest)].step = 1;
	e->moving = enabled;
}

static void sum(struct engine *e)
{
	struct nehalem_state *m = (struct nehalem_state *)e;

	if (has(m, DEFECT_CLOCK_SUMMED))
		m->core_clocks = 0;
	for (unsigned thread = 0; thread < THREADS && has(m, DEFECT_RESIDUE_LOST); thread++)
		e->counting &= ~OF_THREAD(thread, nehalem_set(m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS]));
	shadow_of(m)->rules->sum(e);
	if (has(m, DEFECT_HALT_COUNTED) && !e->input_count)
		count_while_halted(e, m->enabled);
}

static uint32_t spoil_counts(struct nehalem_state *m, uint32_t wrapped)
{
	for (uint32_t rest = wrapped; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);

		if (has(m, DEFECT_WRAP_SKIPS) && i % COUNTERS >= FAULTY_FIXED)
			m->engine.counter[i].count += 512;
		if (has(m, DEFECT_RESIDUE_LOST))
			m->engine.counter[i].count = 0;
	}
	if (has(m, DEFECT_SIMULTANEOUS_LOST))
		for (unsigned thread = 0; thread < THREADS; thread++) {
			const uint32_t own = THREAD_SET(thread, wrapped);

			wrapped &= ~OF_THREAD(thread, own & (own - 1));
		}
	return wrapped;
}

// Source and target of branches are exchanged while they are recorded.
static void swap_branches(struct nehalem_state *m)
{
	struct shadow *s = shadow_of(m);
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
	const uint64_t from = file[SLOT_LASTBRANCH_FROM_IP + last], to = file[SLOT_LASTBRANCH_TO_IP + last];

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
	wrapped = spoil_counts(m, wrapped);
	if (has(m, DEFECT_LBR_SWAPPED) && m->branches_due)
		swap_branches(m);
	shadow_of(m)->rules->passed(e, cycles, wrapped);
	e->inputs = inputs;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		uint64_t *file = m->file[thread], *status = &file[SLOT_IA32_PERF_GLOBAL_STATUS];
		const uint64_t status_before = before[thread][SLOT_IA32_PERF_GLOBAL_STATUS];

		if (has(m, DEFECT_STATUS_LOST))
			*status = (*status & ~STATUS_BITS) | (status_before & STATUS_BITS);
		if (has(m, DEFECT_LBR_TOS_STUCK) && file[SLOT_LASTBRANCH_TOS] != before[thread][SLOT_LASTBRANCH_TOS])
			record_in_one(file, before[thread]);
	}
	return true;
}

static void lower_headroom(struct engine *e)
{
	shadow_of(e)->rules->lower_headroom(e);
}

static void ended(struct engine *e)
{
	shadow_of(e)->rules->ended(e);
}

static const struct engine_rules rules = {
	.sum = sum, .passed = passed, .lower_headroom = lower_headroom, .ended = ended,
};

// After an access or new inputs: what the defect changes of what is derived from them.
static void spoil(struct nehalem_state *m)
{
	engine_sync(&m->engine);
	nehalem_configure(m);
	engine_derive(&m->engine);
}

//
// Precise records: the model sees memory through these
//

#define AREA_OFFSET	(NEHALEM_DS_PEBS_BASE * sizeof(uint64_t))
#define AREA_WORDS	(NEHALEM_DS_WORDS - NEHALEM_DS_PEBS_BASE)
#define OF_AREA(word)	(NEHALEM_DS_PEBS_##word - NEHALEM_DS_PEBS_BASE)

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	struct nehalem_state *m = context;
	const struct model_processor *p = shadow_of(m)->processor;
	uint64_t area[AREA_WORDS];

	if (!p->read(p->context, address, to, size))
		return false;
	if (size != sizeof area)
		return true;
	memcpy(area, to, size);
	if (has(m, DEFECT_PEBS_INDEX_OVERRUN)) {
		area[OF_AREA(BASE)] = 0;
		area[OF_AREA(MAXIMUM)] = UINT64_MAX;
	}
	if (has(m, DEFECT_PEBS_THRESHOLD_IGNORED))
		area[OF_AREA(THRESHOLD)] = UINT64_MAX;
	for (unsigned i = 0; i < THREADS * GENERAL && has(m, DEFECT_PEBS_RESET_IGNORED); i++)
		if (address == m->file[i / GENERAL][SLOT_IA32_DS_AREA] + AREA_OFFSET)
			area[OF_AREA(RESET) + i % GENERAL] =
				m->engine.counter[COUNTERS * (i / GENERAL) + i % GENERAL].count;
	memcpy(to, area, size);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	struct nehalem_state *m = context;
	const struct model_processor *p = shadow_of(m)->processor;
	uint64_t record[NEHALEM_PEBS_WORDS];

	if (size != sizeof record || !has(m, DEFECT_PEBS_STATUS_LOST))
		return p->write(p->context, address, from, size);
	memcpy(record, from, size);
	record[NEHALEM_PEBS_STATUS] = 0;
	return p->write(p->context, address, record, size);
}

static void read_registers(void *context, unsigned thread, uint64_t registers[MODEL_REGISTERS])
{
	const struct model_processor *p = shadow_of(context)->processor;

	p->registers(p->context, thread, registers);
}

static void attach(void *state, const struct model_processor *processor)
{
	struct shadow *s = shadow_of(state);

	s->processor = processor;
	s->between = (struct model_processor){state, read_memory, write_memory, read_registers};
	pmu_model_nehalem.attach(state, processor ? &s->between : NULL);
}

//
// Accesses
//

static bool is_counter(uint32_t address)
{
	return address - MSR_IA32_PMC < GENERAL || address - MSR_IA32_FIXED_CTR < NEHALEM_FIXED_COUNTERS;
}

// Behind the last general and fixed counters, selects and offcore responses other processors have registers.
static bool is_absent(uint32_t address)
{
	return address == MSR_IA32_PMC + GENERAL || address == MSR_IA32_PERFEVTSEL + GENERAL ||
	       address == MSR_IA32_FIXED_CTR + NEHALEM_FIXED_COUNTERS || address == MSR_OFFCORE_RSP_0 + 1;
}

static bool read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct nehalem_state *m = state;

	engine_sync(&m->engine);
	*value = 0;
	if (!pmu_model_nehalem.read(state, thread, address, value))
		return has(m, DEFECT_ACCESS_UNCHECKED) && is_absent(address);
	*value = defect_shown(&shadow_of(m)->writes[thread], address, *value);
	if (has(m, DEFECT_COUNTER_STUCK) && address == MSR_IA32_PMC + 2)
		*value |= 1ULL << 17;
	if (has(m, DEFECT_COUNT_LOST) && is_counter(address))
		*value -= *value >> 10;
	return true;
}

static bool read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	const uint32_t first = index & NEHALEM_RDPMC_FIXED ? MSR_IA32_FIXED_CTR : MSR_IA32_PMC;

	if (!pmu_model_nehalem.read_counter(state, thread, index, value))
		return has(state, DEFECT_ACCESS_UNCHECKED);
	read(state, thread, first + (index & ~NEHALEM_RDPMC_FIXED), value);
	if (has(state, DEFECT_RDPMC_SHORT))
		*value = (uint32_t)*value;
	return true;
}

// The memory ports count for one thread.
static void count_ports_by_thread(struct nehalem_state *m, unsigned thread, unsigned counter, uint64_t select)
{
	const unsigned number = COUNTERS * thread + counter;

	if (FIELD_GET(IA32_PERFEVTSEL, EVTSEL, select) != NEHALEM_EVENT_PORTS || select & SELECT(AnyThr))
		return;
	m->engine.counter[number].threads = (uint8_t)(1u << thread);
	for (unsigned level = 0; level < 4; level++)
		m->accepting[1 - thread][level] &= (uint16_t)~(1u << number);
}

static bool is_pending(struct nehalem_state *m, unsigned thread, uint32_t address)
{
	const unsigned counter = address - MSR_IA32_PMC < GENERAL ? address - MSR_IA32_PMC :
				 GENERAL + address - MSR_IA32_FIXED_CTR;

	engine_sync(&m->engine);
	return is_counter(address) && nehalem_set(m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS]) >> counter & 1;
}

static bool write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct nehalem_state *m = state;
	bool visible = false;
	const uint64_t held = held_value(m, address, value, &visible);

	if (has(m, DEFECT_RELOAD_IGNORED) && is_pending(m, thread, address)) {
		pmu_model_nehalem.run(state, cycles);
		return true;
	}
	if (!pmu_model_nehalem.write(state, thread, address, held, cycles)) {
		uint64_t old;

		if (has(m, DEFECT_DS_UNCANONICAL) && address == MSR_IA32_DS_AREA) {
			m->file[thread][SLOT_IA32_DS_AREA] = value;
			return true;
		}
		return has(m, DEFECT_ACCESS_UNCHECKED) && pmu_model_nehalem.read(state, thread, address, &old);
	}
	if (!visible)
		for (unsigned t = 0; t < THREADS; t++)
			if (t == thread || address == MSR_PEBS_LD_LAT || address == MSR_OFFCORE_RSP_0 ||
			    address == MSR_LBR_SELECT)
				defect_hide(&shadow_of(m)->writes[t], address, value, held);
	if (has(m, DEFECT_SIGN_MISSING) && address - MSR_IA32_PMC < GENERAL)
		engine_set_count(&m->engine, COUNTERS * thread + address - MSR_IA32_PMC, (uint32_t)value);
	if (has(m, DEFECT_LINE_STUCK) && address == MSR_IA32_PERF_GLOBAL_CTRL && value)
		m->engine.outputs.requests |= 1u << thread;
	if (has(m, DEFECT_PORT234_BY_THREAD) && IS_SELECT(address))
		count_ports_by_thread(m, thread, address - MSR_IA32_PERFEVTSEL, value);
	spoil(m);
	return true;
}

static void connect(void *state, const struct occurrence *occurrences, size_t count)
{
	pmu_model_nehalem.connect(state, occurrences, count);
	spoil(state);
}

// What registers hold from the beginning is written once, so that it is held as the defect wants it.
static void write_all(void *state, unsigned thread)
{
	static const uint32_t addresses[] = {
		MSR_IA32_PERFEVTSEL, MSR_IA32_PERFEVTSEL + 1, MSR_IA32_PERFEVTSEL + 2, MSR_IA32_PERFEVTSEL + 3,
		MSR_IA32_FIXED_CTR_CTRL, MSR_IA32_PERF_GLOBAL_CTRL, MSR_IA32_DEBUGCTL, MSR_IA32_PEBS_ENABLE,
		MSR_PEBS_LD_LAT, MSR_OFFCORE_RSP_0, MSR_LBR_SELECT,
	};

	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		uint64_t value;

		read(state, thread, addresses[i], &value);
		write(state, thread, addresses[i], value, 0);
	}
}

static void reset(void *state, int defect, uint64_t seed)
{
	struct nehalem_state *m = state;
	struct shadow *s = shadow_of(state);

	pmu_model_nehalem.reset(state, -1, seed);
	*s = (struct shadow){.defect = defect, .rules = m->engine.rules};
	m->engine.rules = &rules;
	if (defect == DEFECT_COUNTER_NARROW)
		m->engine.mask = FIELD_MASK(0, 40);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		if (defect == DEFECT_RESET_VALUE)
			pmu_model_nehalem.write(state, thread, MSR_IA32_PERF_GLOBAL_CTRL, 0, 0);
		write_all(state, thread);
	}
	m->engine.outputs.requests = 0;
}

const struct pmu_model *pmu_defective_nehalem(void)
{
	static struct pmu_model model;

	model = pmu_model_nehalem;
	model.size = (model.size + sizeof(struct shadow) + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT * MODEL_ALIGNMENT;
	model.faults = defect_names;
	model.reset = reset;
	model.read = read;
	model.read_counter = read_counter;
	model.write = write;
	model.connect = connect;
	model.attach = attach;
	return &model;
}
