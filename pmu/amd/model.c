// SPDX-License-Identifier: BSD-2-Clause
// Model of the core PMU of AMD processors: two threads, each with the counters of a processor of
// the list at the end. Registers and fields are in regs.h, those that a processor lacks in
// lacking.c; the engine counts (pmu/engine). CPUID is in cpuid.c.

#include "state.h"

//
// Counting in a cycle
//

// Returns the counters that count an occurrence, enabled or not.
static inline uint32_t selects(const struct engine *e, const struct occurrence *o)
{
	const struct amd_state *m = (const struct amd_state *)e;

	return engine_selected(&m->selection,
			       m->selection.of_code[o->code % ENGINE_CODES] &
			       m->of_high[o->code / ENGINE_CODES % 16] &
			       m->accepting[o->thread][o->level & 3], o->sub);
}

static void amd_sum(struct engine *e)
{
	engine_sum(e, selects);
}

//
// Registers' effect on counting
//

static unsigned code_of(uint64_t select)
{
	return (unsigned)(FIELD_GET(PERF_CTL, EVENT_SELECT, select) |
			  FIELD_GET(PERF_CTL, EVENT_SELECT_HIGH, select) << 8);
}

// True if branches raise events of this code.
static bool is_of_branches(unsigned code)
{
	for (const struct model_raised *r = amd_raised; r->cpu_event < CPU_EVENT_COUNT; r++)
		if (r->code == code)
			return true;
	return false;
}

// Whether a counter of this processor can count an event. `p` is NULL while the engine resets.
static bool can_count(const struct amd_processor *p, unsigned counter, unsigned code)
{
#define RANGE(first, last, counters) {first, last, counters},
	static const struct {
		uint16_t first, last;
		uint8_t counters;
	} ranges[] = {AMD_RESTRICTED_EVENTS(RANGE)};

	if (!p || p->family != AMD_FAMILY_RESTRICTED)
		return true;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return ranges[i].counters >> counter & 1;
	return false;
}

#define ALL_LEVELS	0xF
#define LEVEL_0		0x1

// CNT_MASK 0 adds the events. Otherwise a cycle counts 1 if the events reach CNT_MASK, or with INV
// if they do not. EDGE counts the beginnings of that condition; with CNT_MASK 0 the condition is
// any event. A counter of guests or hosts only counts nothing while EFER.SVME is 0, as in this
// model.
static void select(struct amd_state *m, unsigned number, uint64_t before, uint64_t select)
{
	const unsigned code = code_of(select);
	const unsigned cnt_mask = (unsigned)FIELD_GET(PERF_CTL, CNT_MASK, select);
	const bool os = select & FIELD(PERF_CTL, OS), usr = select & FIELD(PERF_CTL, USR);
	const bool edge = select & FIELD(PERF_CTL, EDGE);
	struct engine_counter *c = &m->engine.counter[number];

	engine_select(&m->selection, number, code_of(before) % ENGINE_CODES, code % ENGINE_CODES,
		      (unsigned)FIELD_GET(PERF_CTL, UNIT_MASK, select));
	ENGINE_PUT_BIT(m->of_high[code_of(before) / ENGINE_CODES], number, false);
	ENGINE_PUT_BIT(m->of_high[code / ENGINE_CODES], number, true);
	ENGINE_PUT_BIT(m->of_branches, number, is_of_branches(code));

	c->threads = (uint8_t)(1u << number / COUNTERS);
	c->levels = (uint8_t)((os ? LEVEL_0 : 0) | (usr ? ALL_LEVELS & ~LEVEL_0 : 0));
	for (unsigned level = 0; level < 4; level++)
		ENGINE_PUT_BIT(m->accepting[number / COUNTERS][level], number,
			       c->levels >> level & 1);
	ENGINE_PUT_BIT(m->by_level, number, os != usr);

	c->least = (uint16_t)(cnt_mask ? cnt_mask : 1);
	c->inverted = cnt_mask && select & FIELD(PERF_CTL, INV);
	ENGINE_PUT_BIT(m->engine.comparing, number, cnt_mask || edge);
	ENGINE_PUT_BIT(m->engine.edges, number, edge);
	ENGINE_PUT_BIT(m->enabled, number, select & FIELD(PERF_CTL, EN) && (os || usr) &&
		       !(select & FIELD(PERF_CTL, HG_ONLY)) &&
		       can_count(m->processor, number % COUNTERS, code));
	ENGINE_PUT_BIT(m->interrupting, number, select & FIELD(PERF_CTL, INT));
}

// Without PerfMonV2 only the selects enable. PmcFreeze disables.
static uint32_t allowed(const struct amd_state *m, const uint64_t *file)
{
	if (m->processor && !m->processor->global)
		return AMD_COUNTER_MASK;
	return file[SLOT_PerfCntrGlobalStatus] & FIELD(PerfCntrGlobalStatus, PmcFreeze) ? 0 :
	       (uint32_t)file[SLOT_PerfCntrGlobalCtl];
}

#define FREEZES		(FIELD(DebugCtl, FREEZE_PERFMON_ON_PMI) | \
			 FIELD(DebugCtl, FREEZE_LBRS_ON_PMI))

void amd_configure(struct engine *e)
{
	struct amd_state *m = (struct amd_state *)e;
	uint32_t counters = 0, freezing = 0;

	for (unsigned thread = 0; thread < THREADS; thread++) {
		counters |= OF_THREAD(thread, allowed(m, m->file[thread]));
		if (m->file[thread][SLOT_DebugCtl] & FREEZES)
			freezing |= OF_THREAD(thread, AMD_COUNTER_MASK);
	}
	counters &= m->enabled & ~e->absent;
	engine_enable(e, counters);
	e->raising = m->interrupting;
	e->breaking = e->raising & freezing;
	e->outputs.level_matters = counters & m->by_level;
	e->outputs.branches_matter = e->counting & m->of_branches;
}

//
// Overflows
//

// The interrupt request freezes, even if the APIC masks the interrupt.
static void interrupt(struct amd_state *m, unsigned thread)
{
	uint64_t *file = m->file[thread];

	m->engine.outputs.requests |= 1u << thread;
	if (file[SLOT_DebugCtl] & FIELD(DebugCtl, FREEZE_PERFMON_ON_PMI))
		file[SLOT_PerfCntrGlobalStatus] |= FIELD(PerfCntrGlobalStatus, PmcFreeze);
	if (file[SLOT_DebugCtl] & FIELD(DebugCtl, FREEZE_LBRS_ON_PMI))
		file[SLOT_PerfCntrGlobalStatus] |= FIELD(PerfCntrGlobalStatus, LbrFreeze);
}

static bool amd_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct amd_state *m = (struct amd_state *)e;

	(void)cycles;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		if (m->processor->global)
			m->file[thread][SLOT_PerfCntrGlobalStatus] |= THREAD_SET(thread, wrapped);
		if (THREAD_SET(thread, wrapped & e->raising))
			interrupt(m, thread);
	}
	if (!(wrapped & e->breaking))
		return false;
	amd_configure(e);
	return true;
}

static const struct engine_rules rules = {
	.sum = amd_sum, .passed = amd_passed, .configure = amd_configure,
};

//
// Registers
//

#define COUNTER_OF(kind)	(((kind) - KIND_PERF_CTL0) / AMD_DISTANCE)

static void follow_select(void *state, const struct engine_access *a)
{
	select(state, COUNTERS * a->thread + COUNTER_OF(a->kind), a->before, a->held);
}

// A new event or condition starts without a previous condition.
static bool select_written(void *state, const struct engine_access *a)
{
	struct amd_state *m = state;
	const unsigned number = COUNTERS * a->thread + COUNTER_OF(a->kind);

	if (a->held != a->before) {
		m->engine.asserted &= ~(1u << number);
		m->engine.late_asserted &= ~(1u << number);
	}
	return false;
}

static bool set_status(void *state, const struct engine_access *a)
{
	struct amd_state *m = state;

	m->file[a->thread][SLOT_PerfCntrGlobalStatus] |=
		a->value & REGISTER_BITS(PerfCntrGlobalStatus, RO);
	return true;
}

ENGINE_REGISTER_TABLES(AMD_REGISTERS)

// The hooks of PERF_CTL are without effect on PERF_CTR. No access reaches PerfEvtSel and PerfCtr:
// they have other addresses (canonical).
static const struct engine_hooks hooks[KINDS] = {
	[KIND_PERF_CTL0 ... KIND_PERF_CTR5] = {.follow = follow_select, .written = select_written},
	[KIND_PerfEvtSel] = {.made = true},
	[KIND_PerfCtr] = {.made = true},
	[KIND_PerfCntrGlobalCtl] = {.configures = true},
	[KIND_PerfCntrGlobalStatusClr] = {.clears = KIND_PerfCntrGlobalStatus, .configures = true},
	[KIND_PerfCntrGlobalStatusSet] = {.made = true, .written = set_status},
	[KIND_DebugCtl] = {.configures = true},
};

static const struct model_field saved[] = {
	ENGINE_SAVED_LEVELS(THREADS),
	ENGINE_SAVED(amd_state, uint32_t, engine.asserted, (1u << THREADS * COUNTERS) - 1),
	ENGINE_SAVED(amd_state, uint32_t, engine.outputs.requests, (1u << THREADS) - 1),
};

ENGINE_REGISTERS(amd_state, THREADS, AMD_COUNTER_WIDTH)

static void amd_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	const struct amd_processor *p = model->processor;
	struct amd_state *m = state;

	(void)fault;
	engine_model_reset(&registers, &rules, state, sizeof *m, seed);
	m->processor = p;
	for (unsigned thread = 0; thread < THREADS; thread++)
		m->file[thread][SLOT_PerfCntrGlobalCtl] &= FIELD_MASK(0, p->counters);
	engine_configure(&m->engine);
}

static bool amd_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

static bool amd_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	const struct amd_state *m = state;

	return amd_has(m->processor, address) &&
	       engine_read(&registers, state, thread, amd_canonical(address), value);
}

static bool amd_write(void *state, unsigned thread, uint32_t address, uint64_t value,
		      uint64_t cycles)
{
	const struct amd_state *m = state;

	return amd_accepts(m->processor, address, &value) &&
	       engine_write(state, thread, amd_canonical(address), value, cycles);
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	engine_connect(state, occurrences, count, selects, amd_sum);
	engine_run(state, cycles);
}

static void amd_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
			size_t count)
{
	engine_advance(state, cycles, occurrences, count, connect);
}

static bool amd_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	const struct amd_state *m = state;

	*value = 0;
	return index < m->processor->counters &&
	       engine_read(&registers, state, thread, MSR_PERF_CTR0 + index * AMD_DISTANCE, value);
}

//
// Event signals of an instruction clock
//

#define CLOCK(of, at)						\
	ENGINE_EVENT(AMD_EVENT_RETIRED, 0, of, at)		\
	ENGINE_EVENT(AMD_EVENT_CYCLES, 0, of, at)
ENGINE_CLOCK_SIGNALS(THREADS, CLOCK)

//
// Counters: a group for each, because their registers are not neighbours
//

#define GROUP(n)									\
	{										\
		.count = 1, .fewest = 1, .address = MSR_PERF_CTR##n, .index = n,	\
		.select = MSR_PERF_CTL##n,						\
		.code = FIELD(PERF_CTL, EVENT_SELECT) | FIELD(PERF_CTL, EVENT_SELECT_HIGH), \
		.umask = FIELD(PERF_CTL, UNIT_MASK), .off_mask = FIELD(PERF_CTL, EN),	\
	}
static const struct model_counters groups[AMD_COUNTERS] = {
	GROUP(0), GROUP(1), GROUP(2), GROUP(3), GROUP(4), GROUP(5),
};

//
// Processors
//

static const struct model_persist persist = {amd_field, engine_model_sync, engine_restore};
static const struct model_machine machine = {
	ENGINE_CLOCK(THREADS, 1),
	.raised = amd_raised,
	.leave_out = engine_leave_out,
	.set_late = engine_set_late, .count_late = engine_count_late,
};
static const struct model_user user = {.read_counter = amd_read_counter};
static const struct model_identification identification = {amd_identify, NULL};

/* A model of a processor: family, counters, core extensions, PerfMonV2, LbrAndPmcFreeze. */
#define MODEL(name_, ...)						\
	.name = name_, .size = sizeof(struct amd_state),		\
	.processor = &(const struct amd_processor){__VA_ARGS__},	\
	ENGINE_MEMBERS(THREADS),					\
	.canonical = amd_canonical,					\
	.reset = amd_reset, .read = amd_read, .write = amd_write,	\
	.advance = amd_advance, .headroom = engine_headroom,		\
	.has_init = true,						\
	ENGINE_GROUPS,							\
	.persist = &persist, .machine = &machine, .user = &user,	\
	.identification = &identification

static const struct pmu_model variants[] = {
	{MODEL("amd-k8", 0x0F, 4, false, false, false)},
	{MODEL("amd-family10h", 0x10, 4, false, false, false)},
	{MODEL("amd-family15h", 0x15, 6, true, false, false)},
	{MODEL("amd-family17h", 0x17, 6, true, false, false)},
	{MODEL("amd-guest", 0x19, 4, true, true, false)},
	{.name = NULL},
};

const struct pmu_model pmu_model_amd = {
	MODEL("amd", 0x19, 6, true, true, true), .variants = variants,
};
