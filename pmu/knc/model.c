// SPDX-License-Identifier: BSD-2-Clause
// Model of Knights Corner's core PMU: four threads, each with two counters of 40 bits, an overflow
// status and an interrupt line to its APIC, and the time-stamp counter that the threads share.
// Registers and fields are in regs.h; the engine counts (pmu/engine). SPFLT is in spflt.c, CPUID in
// cpuid.c. `sub` of an occurrence is the event's whole unit mask. "The guide" is 327357-001, "Intel
// Xeon Phi Coprocessor (codename: Knights Corner) Performance Monitoring Units".

#include "state.h"

#define ALL_LEVELS	0xFu
#define ALL_THREADS	((1u << THREADS) - 1)

//
// Counting in a cycle
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

// A thread's line is high while one of its counters has INT and its status bit. While it is high,
// another overflow cannot request an interrupt.
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

// Sets the status of counters that have wrapped. The counting itself does not change.
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
// Registers' effect on counting
//

void knc_configure(struct engine *e)
{
	struct knc_state *m = (struct knc_state *)e;

	engine_enable(e, m->enabled & knc_set(m, SLOT_IA32_PERF_GLOBAL_CTRL) &
		      ~(knc_filtered(m) | e->absent));
	e->outputs.level_matters = e->counting & m->by_level;
	e->outputs.branches_matter = e->counting & m->of_branches;
	update_lines(m);
}

static const struct engine_rules rules = {.sum = knc_sum, .passed = knc_passed,
					  .configure = knc_configure};

bool knc_is_event(unsigned code, unsigned umask, unsigned counter)
{
	const struct model_code *events = &pmu_codes_knc[code % MODEL_CODES];

	return code < MODEL_CODES && !(umask & 0xF) &&
	       (counter ? events->all : events->some) >> (umask >> 4) & 1;
}

// Adds a counter to the set of its event, or removes it.
static void file_event(struct knc_state *m, unsigned i, bool in)
{
	const unsigned event = m->event[i];

	ENGINE_PUT_BIT(m->of_event[event / (KNC_UMASK_CRI << 8)][event & 0xFF], i, in);
}

// The condition of E is that an event occurs, or, with CMASK, the result of the comparison. Without
// CMASK there is no comparison to invert. Thread Count Mode: "Events which have no thread-specific
// context will always be counted regardless" (Table 1-5).
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
	const bool os = select & FIELD(IA32_PERFEVTSEL, OS),
		usr = select & FIELD(IA32_PERFEVTSEL, USR);
	const bool exists = knc_is_event(code, umask, a->index),
		edge = select & FIELD(IA32_PERFEVTSEL, E);
	unsigned threads;

	file_event(m, i, false);
	m->event[i] = exists ? (uint16_t)(code | umask << 8) : KNC_EVENT_CYCLES;
	file_event(m, i, true);
	c->levels = (uint8_t)(os | usr * (ALL_LEVELS - 1));
	c->threads = select & FIELD(IA32_PERFEVTSEL, THREAD_COUNT_MODE) ? ALL_THREADS :
		1u << a->thread;
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

// IA32_PERF_GLOBAL_OVF_CTRL is write-only.
static bool clear_read(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	(void)state, (void)thread, (void)index;
	*value = 0;
	return false;
}

ENGINE_REGISTER_TABLES(KNC_REGISTERS)

static const struct engine_hooks hooks[KINDS] = {
	[KIND_IA32_TIME_STAMP_COUNTER] = {.read = engine_clock_read,
					  .written = engine_clock_written},
	[KIND_IA32_PERFEVTSEL] = {.follow = follow_select},
	[KIND_PERF_SPFLT_CONTROL] = {.configures = true},
	[KIND_IA32_PERF_GLOBAL_OVF_CTRL] = {
		.read = clear_read, .clears = KIND_IA32_PERF_GLOBAL_STATUS, .configures = true,
	},
	[KIND_IA32_PERF_GLOBAL_CTRL] = {.configures = true},
};

static const struct model_field saved[] = {
	ENGINE_SAVED_LEVELS(THREADS),
	ENGINE_SAVED(knc_state, uint32_t, engine.asserted, OF_ALL_THREADS(BOTH)),
	ENGINE_SAVED(knc_state, uint64_t, engine.cycles, UINT64_MAX),
	ENGINE_SAVED(knc_state, uint32_t, engine.outputs.requests, ALL_THREADS),
	ENGINE_SAVED(knc_state, uint32_t, lines, ALL_THREADS),
};

// Guide, 1.4.4: after a cold and a warm reset all is 0.
ENGINE_REGISTERS(knc_state, THREADS, KNC_COUNTER_WIDTH, ENGINE_BY_ADDRESS(KNC_REGISTERS))

static void knc_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	(void)model, (void)fault;
	engine_model_reset(&registers, &rules, state, sizeof(struct knc_state), seed);
}

static bool knc_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

static bool knc_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	return engine_read(&registers, state, thread, address, value);
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	engine_connect(state, occurrences, count, selects, knc_sum);
	engine_run(state, cycles);
}

static void knc_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
			size_t count)
{
	engine_advance(state, cycles, occurrences, count, connect);
}

// RDPMC: all 40 bits at any privilege level (Table 1-1).
static bool knc_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	*value = 0;
	return index < COUNTERS && knc_read(state, thread, MSR_IA32_PERFCNTR + index, value);
}

//
// Event signals
//

// An instruction completes stage E once, in the one cycle that the clock gives it.
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
// Counters that a backend can leave out
//

static const struct model_bits counter_bits[] = {
	{MSR_PERF_SPFLT_CONTROL, 0, 1},
	{MSR_IA32_PERF_GLOBAL_STATUS, 0, 1},
	{MSR_IA32_PERF_GLOBAL_OVF_CTRL, 0, 1},
	{MSR_IA32_PERF_GLOBAL_CTRL, 0, 1},
	{0},
};

static const struct model_counters groups[] = {{
	.count = KNC_COUNTERS, .address = MSR_IA32_PERFCNTR, .select = MSR_IA32_PERFEVTSEL,
	.distance = 1,
	.code = FIELD(IA32_PERFEVTSEL, EVENT), .umask = FIELD(IA32_PERFEVTSEL, UMASK),
	.off_mask = FIELD(IA32_PERFEVTSEL, EN), .any = FIELD(IA32_PERFEVTSEL, THREAD_COUNT_MODE),
	.bits = counter_bits,
}};

const struct pmu_model pmu_model_knc = {
	.name = "knc",
	.size = sizeof(struct knc_state),
	ENGINE_MEMBERS(THREADS),
	.reset = knc_reset,
	.read = knc_read,
	.advance = knc_advance,
	.write = engine_write,
	.clock_address = MSR_IA32_TIME_STAMP_COUNTER,
	.headroom = engine_headroom,
	.has_init = true,
	ENGINE_GROUPS,
	.persist = &(const struct model_persist){knc_field, engine_model_sync, engine_restore},
	.machine = &(const struct model_machine){
		ENGINE_CLOCK(THREADS, 1),
		.clock_stages = 1,
		.raised = knc_raised,
		.counts = knc_counts,
		.leave_out = engine_leave_out,
	},
	.user = &(const struct model_user){.read_counter = knc_read_counter, .spflt = knc_spflt},
	.identification = &(const struct model_identification){.identify = knc_identify},
};
