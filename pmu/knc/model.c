// SPDX-License-Identifier: BSD-2-Clause
// Knights Corner's core PMU as the hardware behaves: four threads, each with two counters of 40 bits, an overflow
// status and a line to its APIC; and the time-stamp counter that they share. Registers and fields are in regs.h;
// counting is the engine's (pmu/engine). Events are in events.c, SPFLT in spflt.c, what CPUID says in cpuid.c. An
// occurrence's `sub` is the event's whole unit mask. "The guide" is 327357-001, "Intel Xeon Phi Coprocessor (codename:
// Knights Corner) Performance Monitoring Units".

#include "state.h"

#define ALL_LEVELS	0xFu
#define ALL_THREADS	((1u << THREADS) - 1)

//
// What counters count in a cycle
//

static inline uint32_t selects(const struct engine *e, const struct occurrence *o)
{
	const struct knc_state *m = (const struct knc_state *)e;

	if (o->code >> IA32_PERFEVTSEL_EVENT_WIDTH || o->sub & ~KNC_UMASK_UNIT)
		return 0;
	return m->of_event[o->sub / KNC_UMASK_CRI][o->code] & m->accepting[o->thread][o->level];
}

static void knc_sum(struct engine *e)
{
	engine_sum(e, selects);
}

//
// Overflows
//

// A thread's line is up while a counter of it that interrupts has its status bit set.
static void update_lines(struct knc_state *m)
{
	struct engine *e = &m->engine;
	const uint32_t up = knc_set(m, SLOT_IA32_PERF_GLOBAL_STATUS) & m->interrupting;

	e->raising = m->interrupting;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const uint32_t line = 1u << thread;

		if (!THREAD_SET(thread, up)) {
			m->lines &= ~line;
		} else if (!(m->lines & line)) {
			m->lines |= line;
			e->outputs.requests |= line;
		}
		if (m->lines & line)
			e->raising &= ~OF_THREAD(thread, BOTH);
	}
}

// After counters have wrapped: sets their status. What is counted does not change.
static bool knc_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct knc_state *m = (struct knc_state *)e;

	(void)cycles;
	for (unsigned thread = 0; thread < THREADS; thread++)
		m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] |= THREAD_SET(thread, wrapped);
	update_lines(m);
	return false;
}

//
// What registers select
//

void knc_configure(struct engine *e)
{
	struct knc_state *m = (struct knc_state *)e;

	e->counting = m->enabled & knc_set(m, SLOT_IA32_PERF_GLOBAL_CTRL) & ~knc_filtered(m);
	e->outputs.level_matters = e->counting & m->by_level;
	e->outputs.counting = e->counting;
	e->outputs.comparing = e->counting & e->comparing;
	e->outputs.branches_matter = e->counting & m->of_branches;
	update_lines(m);
}

static const struct engine_rules rules = {.sum = knc_sum, .passed = knc_passed, .configure = knc_configure};

// Files a counter under its event, or takes it out.
static void file_event(struct knc_state *m, unsigned i, bool in)
{
	const unsigned event = m->event[i];

	ENGINE_PUT_BIT(m->of_event[event / (KNC_UMASK_CRI << 8)][event & 0xFF], i, in);
}

// A condition is that an event happens, or what CMASK makes of it. Without CMASK nothing is compared, so that there is
// nothing to invert. Thread Count Mode: "Events which have no thread-specific context will always be counted
// regardless". (Table 1-5)
static void follow_select(void *state, const struct engine_access *a)
{
	struct knc_state *m = state;
	const unsigned i = COUNTERS * a->thread + a->index;
	const uint64_t select = a->held;
	struct engine *e = &m->engine;
	struct engine_counter *c = &e->counter[i];
	const unsigned code = (unsigned)FIELD_GET(IA32_PERFEVTSEL, EVENT, select);
	const unsigned umask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, UMASK, select);
	const uint16_t cmask = (uint16_t)FIELD_GET(IA32_PERFEVTSEL, CMASK, select);
	const bool os = select & FIELD(IA32_PERFEVTSEL, OS), usr = select & FIELD(IA32_PERFEVTSEL, USR);
	const bool exists = knc_is_event(code, umask, a->index), edge = select & FIELD(IA32_PERFEVTSEL, E);
	unsigned threads;

	file_event(m, i, false);
	m->event[i] = exists ? (uint16_t)(code | umask << 8) : KNC_EVENT_CYCLES;
	file_event(m, i, true);
	c->levels = (uint8_t)(os | usr * (ALL_LEVELS - 1));
	c->threads = select & FIELD(IA32_PERFEVTSEL, THREAD_COUNT_MODE) ? ALL_THREADS : 1u << a->thread;
	threads = knc_is_of_no_thread(m->event[i]) ? ALL_THREADS : c->threads;
	for (unsigned at = 0; at < THREADS * LEVELS; at++)
		ENGINE_PUT_BIT(m->accepting[at / LEVELS][at % LEVELS], i,
			       threads >> at / LEVELS & c->levels >> at % LEVELS & 1);
	c->inverted = cmask && select & FIELD(IA32_PERFEVTSEL, INV);
	c->least = cmask ? cmask : 1;
	ENGINE_PUT_BIT(e->edges, i, edge);
	ENGINE_PUT_BIT(e->comparing, i, cmask || edge);
	ENGINE_PUT_BIT(m->by_level, i, os != usr);
	ENGINE_PUT_BIT(m->enabled, i, exists && select & FIELD(IA32_PERFEVTSEL, EN));
	ENGINE_PUT_BIT(m->interrupting, i, select & FIELD(IA32_PERFEVTSEL, INT));
	ENGINE_PUT_BIT(m->of_branches, i, m->event[i] == KNC_EVENT_BRANCHES);
}

//
// Registers
//

static bool filter_written(void *state, const struct engine_access *a)
{
	knc_set_filter(state, a->thread, FIELD_GET(PERF_SPFLT_CONTROL, USER_PREF, a->value));
	return true;
}

// IA32_PERF_GLOBAL_OVF_CTRL is write-only.
static bool clear_read(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	(void)state, (void)thread, (void)index;
	*value = 0;
	return false;
}

static bool clock_read(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	const struct knc_state *m = state;

	(void)index;
	*value = m->engine.cycles + m->clock[thread];
	return true;
}

// Guide, Table 1-2: the clock is not threaded, so that all threads see what one writes.
static bool clock_written(void *state, const struct engine_access *a)
{
	struct knc_state *m = state;

	for (unsigned i = 0; i < THREADS; i++) {
		m->file[i][SLOT_IA32_TIME_STAMP_COUNTER] = 0;	// is kept as a difference
		m->clock[i] = a->value - m->engine.cycles;
	}
	return false;
}

ENGINE_REGISTER_TABLES(KNC_REGISTERS)
static const uint8_t kind_at[] = {KNC_REGISTERS(ENGINE_KIND_AT)};

static const struct engine_hooks hooks[KINDS] = {
	[KIND_IA32_TIME_STAMP_COUNTER] = {.read = clock_read, .written = clock_written},
	[KIND_IA32_PERFEVTSEL] = {.follow = follow_select},
	[KIND_PERF_SPFLT_CONTROL] = {.read = knc_spflt_read, .written = filter_written},
	[KIND_IA32_PERF_GLOBAL_OVF_CTRL] = {
		.read = clear_read, .clears = KIND_IA32_PERF_GLOBAL_STATUS, .configures = true,
	},
	[KIND_IA32_PERF_GLOBAL_CTRL] = {.configures = true},
};

static const struct engine_registers registers = ENGINE_REGISTERS(knc_state, THREADS);

// Guide, 1.4.4: after a cold and a warm reset all is 0.
ENGINE_READ_AND_RESET(knc, KNC_COUNTER_WIDTH)
ENGINE_CONNECT(knc, selects, knc_sum)

// Table 1-1: at any privilege level, all 40 bits.
static bool knc_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	*value = 0;
	return index < COUNTERS && knc_read(state, thread, MSR_IA32_PERFCNTR + index, value);
}

//
// What happens
//

// The instruction that sets the user filter.
static void knc_spflt(void *state, unsigned thread, bool count, uint64_t cycles)
{
	struct knc_state *m = state;

	engine_run(&m->engine, cycles);
	engine_sync(&m->engine);
	knc_set_filter(m, thread, count);
	engine_configure(&m->engine);
}

// An instruction that executes completes its stage E; the clock gives it one cycle, so it does that once.
#define CLOCK(of, at)							\
	ENGINE_EVENT(KNC_EVENT_RETIRED, KNC_UMASK_P54C, of, at)		\
	ENGINE_EVENT(KNC_EVENT_STAGE_E, KNC_UMASK_P54C, of, at)		\
	ENGINE_EVENT(KNC_EVENT_CYCLES, KNC_UMASK_P54C, of, at)
ENGINE_CLOCK_SIGNALS(THREADS, CLOCK)

static bool knc_counts(const struct occurrence *o, uint16_t code, uint8_t umask)
{
	return o->code == code && o->sub == umask && knc_is_event(code, umask, 0);
}

//
// What a backend leaves out, and what is saved
//

static const struct model_bits counter_bits[] = {
	{MSR_PERF_SPFLT_CONTROL, 0, 1},
	{MSR_IA32_PERF_GLOBAL_STATUS, 0, 1},
	{MSR_IA32_PERF_GLOBAL_OVF_CTRL, 0, 1},
	{MSR_IA32_PERF_GLOBAL_CTRL, 0, 1},
	{0},
};

static const struct model_counters groups[] = {{
	.count = KNC_COUNTERS, .address = MSR_IA32_PERFCNTR, .select = MSR_IA32_PERFEVTSEL, .distance = 1,
	.code = FIELD(IA32_PERFEVTSEL, EVENT), .umask = FIELD(IA32_PERFEVTSEL, UMASK),
	.off_mask = FIELD(IA32_PERFEVTSEL, EN), .any = FIELD(IA32_PERFEVTSEL, THREAD_COUNT_MODE), .bits = counter_bits,
}};

#define SAVED(type, member, bits) ENGINE_FIELD(knc_state, type, member, bits)
#define SAVED_SELECTS(t) ENGINE_SAVED(knc_state, t, IA32_PERFEVTSEL, 0, COUNTERS)
#define COUNTS										\
	{offsetof(struct knc_state, engine.counter[0].count), sizeof(struct engine_counter),	\
	 THREADS * COUNTERS, sizeof(uint64_t), FIELD_MASK(0, KNC_COUNTER_WIDTH)}

static const struct model_field fields[] = {
	SAVED(uint32_t, engine.outputs.requests, ALL_THREADS),
	COUNTS,
	SAVED_SELECTS(0), SAVED_SELECTS(1), SAVED_SELECTS(2), SAVED_SELECTS(3),
	SAVED(uint64_t, clock, ~0ULL),
	SAVED(uint64_t, engine.cycles, ~0ULL),
	SAVED(uint32_t, saved.global, OF_ALL_THREADS(BOTH)),
	SAVED(uint32_t, saved.status, OF_ALL_THREADS(BOTH)),
	SAVED(uint32_t, saved.spflt, OF_ALL_THREADS(BOTH)),
	SAVED(uint32_t, user_filter, OF_ALL_THREADS(BOTH)),
	SAVED(uint32_t, lines, ALL_THREADS),
	{offsetof(struct knc_state, engine.level), 1, THREADS, 1, LEVELS - 1},
	SAVED(uint32_t, engine.asserted, OF_ALL_THREADS(BOTH)),
};

static void knc_sync(void *state)
{
	struct knc_state *m = state;

	engine_sync(&m->engine);
	m->saved.global = knc_set(m, SLOT_IA32_PERF_GLOBAL_CTRL);
	m->saved.status = knc_set(m, SLOT_IA32_PERF_GLOBAL_STATUS);
	m->saved.spflt = knc_set(m, SLOT_PERF_SPFLT_CONTROL);
}

// Whether the state is possible: the lines follow from status and selects, threads have one clock, and a user filter is
// on for both of a thread's counters or for none.
static bool knc_restore(void *state)
{
	struct knc_state *m = state;
	const uint32_t lines = m->lines;
	bool possible = true;

	for (unsigned thread = 0; thread < THREADS; thread++) {
		m->file[thread][SLOT_IA32_PERF_GLOBAL_CTRL] = THREAD_SET(thread, m->saved.global);
		m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] = THREAD_SET(thread, m->saved.status);
		m->file[thread][SLOT_PERF_SPFLT_CONTROL] = THREAD_SET(thread, m->saved.spflt);
	}
	engine_follow(&m->engine);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const uint32_t filter = THREAD_SET(thread, m->user_filter);

		possible &= m->clock[thread] == m->clock[0] && (filter == 0 || filter == BOTH);
	}
	return possible && m->lines == lines;
}

const struct pmu_model pmu_model_knc = {
	.name = "knc",
	.size = sizeof(struct knc_state),
	ENGINE_MEMBERS(knc, THREADS),
	.write = engine_write,
	.read_counter = knc_read_counter,
	.spflt = knc_spflt,
	.clock_address = MSR_IA32_TIME_STAMP_COUNTER,
	.identify = knc_identify,
	.headroom = engine_headroom,
	.counts = knc_counts,
	ENGINE_CLOCK(THREADS, 1),
	.has_init = true,
	.raised = knc_raised,
	ENGINE_TABLES,
	.sync = knc_sync,
	.restore = knc_restore,
};
