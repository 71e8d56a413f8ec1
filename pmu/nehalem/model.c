// SPDX-License-Identifier: BSD-2-Clause
// Model of the Core i7 / Xeon 5500 core PMU: two threads, each with four general and three fixed
// counters of 48 bits. Registers and fields are in regs.h; the engine counts (pmu/engine). Precise
// records are in pebs.c, branch records in lbr.c, CPUID in cpuid.c.

#include "state.h"

//
// Counting in a cycle
//

// True if a counter counts an occurrence that its event and unit mask select, for events that
// another register qualifies or whose sub-events partly count for the core.
static bool is_qualified(const struct nehalem_state *m, unsigned number, const struct occurrence *o)
{
	const unsigned thread = number / COUNTERS, counter = number % COUNTERS;
	const uint64_t select = m->file[thread][SLOT_IA32_PERFEVTSEL + counter];
	const uint64_t sub = o->sub & FIELD_GET(IA32_PERFEVTSEL, EVTMSK, select);
	const uint64_t met = o->opcode & m->file[thread][SLOT_OFFCORE_RSP_0];

	if (o->code == NEHALEM_EVENT_LOAD_LATENCY)
		return sub & ~NEHALEM_UMASK_LOAD_LATENCY ||
		       (sub & NEHALEM_UMASK_LOAD_LATENCY &&
			nehalem_is_slow_load(m, thread, counter, o));
	if (o->code == NEHALEM_EVENT_PORTS)	// Table 1: the core's memory ports
		return o->thread == thread || sub & NEHALEM_UMASK_MEMORY_PORTS;
	// The guide, at Table 9: any of the selected requests with any of the selected responses.
	return sub & ~NEHALEM_UMASK_OFFCORE_RESPONSE ||
	       (sub & NEHALEM_UMASK_OFFCORE_RESPONSE && met & FIELD(OFFCORE_RSP_0, REQUEST) &&
		met & FIELD(OFFCORE_RSP_0, RESPONSE));
}

__attribute__((noinline)) static uint32_t qualify(const struct nehalem_state *m, uint32_t selected,
						  const struct occurrence *o)
{
	for (uint32_t rest = selected & m->qualified; rest; rest &= rest - 1)
		if (!is_qualified(m, (unsigned)__builtin_ctz(rest), o))
			selected &= ~(rest & -rest);
	return selected;
}

// Returns the counters that count an occurrence, enabled or not. Unit mask 0 counts the event's
// unqualified form, and so do fixed counters.
static inline uint32_t selects(const struct engine *e, const struct occurrence *o)
{
	const struct nehalem_state *m = (const struct nehalem_state *)e;
	uint32_t selected = o->code < ENGINE_CODES ? m->selection.of_code[o->code] :
			    o->code == NEHALEM_EVENT_REFERENCE ?
				    m->selection.of_code[ENGINE_CODES] : 0;

	selected = engine_selected(&m->selection, selected & m->accepting[o->thread][o->level & 3],
				   o->sub);
	return __builtin_expect(selected & m->qualified, 0) && o->sub ? qualify(m, selected, o) :
	       selected;
}

// A clock event means that a thread is not halted in this cycle. For any thread it counts once,
// even if both threads are active (SDM volume 3B, CPU_CLK_UNHALTED.THREAD_P_ANY and .REF_XCLK_ANY).
// Other events are added up.
__attribute__((noinline)) static void count_core_clocks(struct nehalem_state *m)
{
	struct engine *e = &m->engine;

	for (uint32_t rest = e->moving & m->core_clocks; rest; rest &= rest - 1)
		engine_take_most(e, (unsigned)__builtin_ctz(rest), selects);
}

static void nehalem_sum(struct engine *e)
{
	struct nehalem_state *m = (struct nehalem_state *)e;

	engine_sum(e, selects);
	if (__builtin_expect(e->moving & m->core_clocks, 0))
		count_core_clocks(m);
	m->branches_due = m->recording && nehalem_lbr_due(m);
	e->busy = m->branches_due || m->armed || m->precise & e->counting;
}

//
// Registers' effect on counting
//

// Converts a fixed counter's control bits to the layout of IA32_PERFEVTSEL.
static uint64_t select_of(uint64_t control)
{
	return FIELD_PUT(IA32_PERFEVTSEL, OS, FIELD_GET(IA32_FIXED_CTR_CTRL, EN0_OS, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, USR, FIELD_GET(IA32_FIXED_CTR_CTRL, EN0_USR, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, AnyThr,
			 FIELD_GET(IA32_FIXED_CTR_CTRL, AnyThr0, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, INT, FIELD_GET(IA32_FIXED_CTR_CTRL, PMI0, control)) |
	       FIELD(IA32_PERFEVTSEL, EN);
}

// Returns the code of a counter's event. Reference cycles have no code that a select can hold; they
// are ENGINE_CODES.
static unsigned code_of(unsigned number, uint64_t select)
{
	static const uint16_t fixed[] = {NEHALEM_EVENT_RETIRED, NEHALEM_EVENT_CYCLES, ENGINE_CODES};
	const unsigned counter = number % COUNTERS;

	return counter < GENERAL ? (unsigned)FIELD_GET(IA32_PERFEVTSEL, EVTSEL, select) :
	       fixed[counter - GENERAL];
}

// True if branches raise events of this code.
static bool is_of_branches(unsigned code)
{
	for (const struct model_raised *r = nehalem_raised; r->cpu_event < CPU_EVENT_BRANCHES; r++)
		if (r->code == code)
			return true;
	return code == NEHALEM_EVENT_MISPREDICTED;
}

// L1D_CACHE_LD, _ST, _LOCK, L1D_ALL_REF, L1D_PEND_MISS, L1D_PREFETCH, L1D, CACHE_LOCK_CYCLES:
// "Counter 0, 1 only" (SDM volume 3B, the table of this processor's events). LOAD_HIT_PRE,
// L1D_CACHE_PREFETCH_LOCK_FB_HIT, L1D_CACHE_LOCK_FB_HIT: Intel's event list.
static const uint8_t of_counters_0_and_1[] = {0x40, 0x41, 0x42, 0x43, 0x48, 0x4C, 0x4E, 0x51, 0x52,
					      0x53, 0x63};

bool nehalem_has_event(unsigned counter, unsigned code)
{
	bool restricted = false;

	for (size_t i = 0; i < sizeof of_counters_0_and_1; i++)
		restricted |= of_counters_0_and_1[i] == code;
	return !restricted || counter < 2;
}

#define ALL_LEVELS	0xF
#define LEVEL_0		0x1

// Appendix II: CMASK 0 adds the events. Otherwise a cycle counts 1 if the events reach CMASK, or
// with INV if they do not. E counts the condition's rising edges, and needs a CMASK (text at Table
// 1). The level bits are part of the enable (SDM volume 3B, IA32_PERF_GLOBAL_CTRL), so an inverted
// condition holds only at these levels, too.
static void select(struct nehalem_state *m, unsigned number, uint64_t before, uint64_t select)
{
	const unsigned code = code_of(number, select),
		cmask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, CMASK, select);
	const unsigned mask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, EVTMSK, select);
	const bool clock = code == NEHALEM_EVENT_CYCLES || code == ENGINE_CODES;
	const bool any = select & FIELD(IA32_PERFEVTSEL, AnyThr);
	// Memory ports: without AnyThr, these sub-events still count for both threads.
	const bool core = code == NEHALEM_EVENT_PORTS && mask & NEHALEM_UMASK_MEMORY_PORTS && !any;
	const bool os = select & FIELD(IA32_PERFEVTSEL, OS),
		usr = select & FIELD(IA32_PERFEVTSEL, USR);
	struct engine_counter *c = &m->engine.counter[number];

	engine_select(&m->selection, number, code_of(number, before), code, mask);
	ENGINE_PUT_BIT(m->qualified, number, code == NEHALEM_EVENT_LOAD_LATENCY ||
		       code == NEHALEM_EVENT_OFFCORE_RESPONSE || core);
	ENGINE_PUT_BIT(m->core_clocks, number, clock && any);
	ENGINE_PUT_BIT(m->of_branches, number, is_of_branches(code));

	c->threads = any || core ? (1u << THREADS) - 1 : 1u << number / COUNTERS;
	c->levels = (uint8_t)((os ? LEVEL_0 : 0) | (usr ? ALL_LEVELS & ~LEVEL_0 : 0));
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned level = 0; level < 4; level++)
			ENGINE_PUT_BIT(m->accepting[thread][level], number,
				       c->threads >> thread & c->levels >> level & 1);
	ENGINE_PUT_BIT(m->by_level, number, os != usr);

	c->least = (uint16_t)cmask;
	c->inverted = select & FIELD(IA32_PERFEVTSEL, INV);
	ENGINE_PUT_BIT(m->engine.comparing, number, cmask);
	ENGINE_PUT_BIT(m->engine.edges, number, cmask && select & FIELD(IA32_PERFEVTSEL, E));
	ENGINE_PUT_BIT(m->enabled, number, select & FIELD(IA32_PERFEVTSEL, EN) && (os || usr) &&
		       nehalem_has_event(number % COUNTERS, code));
	ENGINE_PUT_BIT(m->interrupting, number, select & FIELD(IA32_PERFEVTSEL, INT));
}

static bool freezes_counters(uint64_t debugctl)
{
	return debugctl & FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI);
}

static bool freezes_branches(uint64_t debugctl)
{
	return debugctl & FIELD(IA32_DEBUGCTL, LBR) &&
	       debugctl & FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI);
}

void nehalem_configure(struct engine *e)
{
	struct nehalem_state *m = (struct nehalem_state *)e;
	const bool records = m->processor && m->records < PEBS_RECORDS_PER_RUN;
	uint32_t allowed = 0, freezing = 0, pebs = 0, enabled;

	m->recording = 0;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const uint64_t *file = m->file[thread], debugctl = file[SLOT_IA32_DEBUGCTL];

		allowed |= OF_THREAD(thread, nehalem_set(file[SLOT_IA32_PERF_GLOBAL_CTRL]));
		pebs |= OF_THREAD(thread, FIELD_GET(IA32_PEBS_ENABLE, PEBS_EN_PMC,
						    file[SLOT_IA32_PEBS_ENABLE]));
		if (freezes_counters(debugctl) || freezes_branches(debugctl))
			freezing |= OF_THREAD(thread, (1u << COUNTERS) - 1);
		e->outputs.slow_above[thread] =
			(uint32_t)FIELD_GET(PEBS_LD_LAT, THRESHOLD, file[SLOT_PEBS_LD_LAT]);
		m->recording |= (uint8_t)((debugctl & FIELD(IA32_DEBUGCTL, LBR) ? 1u : 0) <<
					  thread);
	}
	enabled = m->enabled & allowed & ~e->absent;
	engine_enable(e, enabled);
	m->precise = records ? pebs : 0;
	m->armed &= pebs;
	e->raising = m->interrupting & ~m->precise;
	e->breaking = (e->raising & freezing) | m->precise;
	e->outputs.level_matters = enabled & m->by_level || m->recording;
	e->outputs.records = e->counting & m->precise;
	e->outputs.branches_matter = e->counting & m->of_branches || m->recording;
	e->outputs.recording = m->recording;
	e->looks = e->counting & m->core_clocks || m->recording;
}

//
// Overflows
//

// SDM volume 3B, "Freezing LBR and Performance Counters on PMI": the request freezes, even if the
// APIC masks the interrupt.
static void interrupt(struct nehalem_state *m, unsigned thread)
{
	uint64_t *file = m->file[thread], debugctl = file[SLOT_IA32_DEBUGCTL];

	m->engine.outputs.requests |= 1u << thread;
	if (freezes_counters(debugctl))
		file[SLOT_IA32_PERF_GLOBAL_CTRL] = 0;
	if (freezes_branches(debugctl))
		file[SLOT_IA32_DEBUGCTL] &= ~FIELD(IA32_DEBUGCTL, LBR);
}

static bool nehalem_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct nehalem_state *m = (struct nehalem_state *)e;
	uint32_t interrupts = 0;
	bool recorded = false;

	if (m->branches_due)
		nehalem_lbr_passed(m, cycles);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const uint32_t own = THREAD_SET(thread, wrapped);

		m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] |=
			(own & NEHALEM_GENERAL_MASK) |
			(uint64_t)(own >> GENERAL) << NEHALEM_FIRST_FIXED;
		interrupts |= (THREAD_SET(thread, wrapped & e->raising) ? 1u : 0) << thread;
	}
	if (m->precise | m->armed)
		recorded = nehalem_pebs_passed(m, cycles, wrapped, selects, &interrupts);
	for (; interrupts; interrupts &= interrupts - 1)
		interrupt(m, (unsigned)__builtin_ctz(interrupts));
	if (!recorded && !(wrapped & e->breaking))
		return false;
	nehalem_configure(e);
	return true;
}

// PEBS_RECORDS_PER_RUN limits the records of one run to far more than a buffer holds. A backend
// that stops at the headroom never reaches it; with buffers that overlap their own management area,
// a run still ends.
static void ended(struct engine *e)
{
	struct nehalem_state *m = (struct nehalem_state *)e;

	if (!m->records)
		return;
	m->records = 0;
	engine_configure(e);
}

static const struct engine_rules rules = {
	.sum = nehalem_sum, .passed = nehalem_passed, .lower_headroom = nehalem_pebs_limit,
	.ended = ended,
	.configure = nehalem_configure,
};

//
// Registers
//

static void follow_select(void *state, const struct engine_access *a)
{
	select(state, COUNTERS * a->thread + a->index, a->before, a->held);
}

// A new event or condition starts without a previous condition and without an armed record.
static bool select_written(void *state, const struct engine_access *a)
{
	struct nehalem_state *m = state;
	const unsigned number = COUNTERS * a->thread + a->index;

	if (a->held != a->before) {
		m->engine.asserted &= ~(1u << number);
		m->engine.late_asserted &= ~(1u << number);
		m->armed &= ~(1u << number);
	}
	return false;
}

static void follow_fixed_control(void *state, const struct engine_access *a)
{
	const unsigned first = COUNTERS * a->thread + GENERAL;

	for (unsigned i = 0; i < NEHALEM_FIXED_COUNTERS; i++)
		select(state, first + i, 0, select_of(a->held >> i * NEHALEM_FIXED_CONTROL_BITS));
}

static bool is_canonical(uint64_t value)
{
	return value == nehalem_canonical(value);
}

ENGINE_REGISTER_TABLES(NEHALEM_REGISTERS)

static const struct engine_hooks hooks[KINDS] = {
	[KIND_IA32_PERFEVTSEL] = {.follow = follow_select, .written = select_written},
	[KIND_IA32_FIXED_CTR_CTRL] = {.follow = follow_fixed_control},
	[KIND_IA32_PERF_GLOBAL_CTRL] = {.configures = true},
	[KIND_IA32_PERF_GLOBAL_OVF_CTRL] = {.clears = KIND_IA32_PERF_GLOBAL_STATUS},
	[KIND_IA32_DEBUGCTL] = {.configures = true},
	[KIND_IA32_PEBS_ENABLE] = {.configures = true},
	[KIND_PEBS_LD_LAT] = {.configures = true},
	[KIND_OFFCORE_RSP_0] = {.configures = true},
	[KIND_LBR_SELECT] = {.configures = true},
	[KIND_IA32_DS_AREA] = {.accepts = is_canonical},
};

static const struct model_field saved[] = {
	ENGINE_SAVED_LEVELS(THREADS),
	ENGINE_SAVED(nehalem_state, uint32_t, engine.asserted, (1u << THREADS * COUNTERS) - 1),
	ENGINE_SAVED(nehalem_state, uint32_t, engine.outputs.requests, (1u << THREADS) - 1),
	ENGINE_SAVED(nehalem_state, uint32_t, armed, GENERAL_SET),
	ENGINE_SAVED(nehalem_state, uint8_t, shadow, 0xF),
};

ENGINE_REGISTERS(nehalem_state, THREADS, WIDTH, ENGINE_BY_ADDRESS(NEHALEM_REGISTERS))

static void nehalem_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	(void)model, (void)fault;
	engine_model_reset(&registers, &rules, state, sizeof(struct nehalem_state), seed);
}

static bool nehalem_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

static bool nehalem_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	return engine_read(&registers, state, thread, address, value);
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	engine_connect(state, occurrences, count, selects, nehalem_sum);
	engine_run(state, cycles);
}

static void nehalem_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
			    size_t count)
{
	engine_advance(state, cycles, occurrences, count, connect);
}

// A record can be due only with a processor attached, and only within the shadow's length.
static bool nehalem_restore(void *state)
{
	const struct nehalem_state *m = state;
	bool possible = engine_restore(state) && (!m->armed || m->processor);

	for (unsigned i = 0; i < THREADS * COUNTERS; i++)
		possible &= m->shadow[i] <= PEBS_SHADOW;
	return possible;
}

static bool nehalem_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	const bool fixed = index & NEHALEM_RDPMC_FIXED;
	const uint32_t number = index & ~NEHALEM_RDPMC_FIXED;

	*value = 0;
	return number < (fixed ? NEHALEM_FIXED_COUNTERS : GENERAL) &&
	       nehalem_read(state, thread, (fixed ? MSR_IA32_FIXED_CTR : MSR_IA32_PMC) + number,
			    value);
}

//
// The processor, and the uncore's signal
//

static void nehalem_attach(void *state, const struct model_processor *processor)
{
	struct nehalem_state *m = state;

	engine_sync(&m->engine);
	m->processor = processor;
	engine_configure(&m->engine);
}

static void nehalem_signal(void *state, unsigned thread)
{
	struct nehalem_state *m = state;
	uint64_t *file = m->file[thread];

	engine_sync(&m->engine);
	if (!(file[SLOT_IA32_DEBUGCTL] & FIELD(IA32_DEBUGCTL, UNCORE_PMI_EN)))
		return;
	file[SLOT_IA32_PERF_GLOBAL_STATUS] |= FIELD(IA32_PERF_GLOBAL_STATUS, OvfUncore);
	interrupt(m, thread);
	engine_configure(&m->engine);
}

//
// Event signals of an instruction clock
//

// Each event by both encodings: the architectural one, unit mask 0, and that of the guide's Table
// 1.
#define CLOCK(of, at)						\
	ENGINE_EVENT(NEHALEM_EVENT_RETIRED, 0, of, at)		\
	ENGINE_EVENT(NEHALEM_EVENT_RETIRED, 1, of, at)		\
	ENGINE_EVENT(NEHALEM_EVENT_CYCLES, 0, of, at)		\
	ENGINE_EVENT(NEHALEM_EVENT_CYCLES, 1, of, at)		\
	ENGINE_EVENT(NEHALEM_EVENT_REFERENCE, 0, of, at)
ENGINE_CLOCK_SIGNALS(THREADS, CLOCK)

//
// Counters that a backend can leave out
//

#define GLOBAL_BITS(first)				\
	{MSR_IA32_PERF_GLOBAL_STATUS, first, 1},	\
	{MSR_IA32_PERF_GLOBAL_CTRL, first, 1},		\
	{MSR_IA32_PERF_GLOBAL_OVF_CTRL, first, 1}

static const struct model_bits general_bits[] = {
	GLOBAL_BITS(0),
	{MSR_IA32_PEBS_ENABLE, IA32_PEBS_ENABLE_PEBS_EN_PMC_LOW, 1},
	{MSR_IA32_PEBS_ENABLE, IA32_PEBS_ENABLE_LL_EN_PMC_LOW, 1},
	{0},
};
static const struct model_bits fixed_bits[] = {
	GLOBAL_BITS(NEHALEM_FIRST_FIXED),
	{MSR_IA32_FIXED_CTR_CTRL, 0, NEHALEM_FIXED_CONTROL_BITS},
	{0},
};
static const struct model_event fixed_events[NEHALEM_FIXED_COUNTERS] = {
	{NEHALEM_EVENT_RETIRED, 0}, {NEHALEM_EVENT_CYCLES, 0}, {NEHALEM_EVENT_REFERENCE, 0},
};

static const struct model_counters groups[] = {
	{
		.count = GENERAL, .address = MSR_IA32_PMC, .index = 0,
		.select = MSR_IA32_PERFEVTSEL, .distance = 1,
		.code = FIELD(IA32_PERFEVTSEL, EVTSEL), .umask = FIELD(IA32_PERFEVTSEL, EVTMSK),
		.off_mask = FIELD(IA32_PERFEVTSEL, EN), .any = FIELD(IA32_PERFEVTSEL, AnyThr),
		.bits = general_bits,
	}, {
		.count = NEHALEM_FIXED_COUNTERS, .address = MSR_IA32_FIXED_CTR,
		.index = NEHALEM_RDPMC_FIXED,
		.select = MSR_IA32_FIXED_CTR_CTRL, .shift = NEHALEM_FIXED_CONTROL_BITS,
		.event = fixed_events,
		.off_mask = FIELD(IA32_FIXED_CTR_CTRL, EN0_OS) |
			FIELD(IA32_FIXED_CTR_CTRL, EN0_USR),
		.any = FIELD(IA32_FIXED_CTR_CTRL, AnyThr0), .bits = fixed_bits,
	},
};

const struct pmu_model pmu_model_nehalem = {
	.name = "nehalem",
	.processors = (const uint16_t[]){0x061A, 0},	// as in leaf 1 (cpuid.c)
	.size = sizeof(struct nehalem_state),
	ENGINE_MEMBERS(THREADS),
	.reset = nehalem_reset,
	.read = nehalem_read,
	.advance = nehalem_advance,
	.write = engine_write,
	.headroom = engine_headroom,
	.has_init = true,
	ENGINE_GROUPS,
	.persist = &(const struct model_persist){nehalem_field, engine_model_sync, nehalem_restore},
	.machine = &(const struct model_machine){
		ENGINE_CLOCK(THREADS, 3), .clock_references = 2,
		.raised = nehalem_raised, .raised_select = {MSR_OFFCORE_RSP_0},
		.sources = nehalem_sources,
		.signal = nehalem_signal,
		.leave_out = engine_leave_out,
		.set_late = engine_set_late, .count_late = engine_count_late,
	},
	.user = &(const struct model_user){.read_counter = nehalem_read_counter},
	.records = &(const struct model_records){nehalem_attach, nehalem_record,
							false},
	.identification = &(const struct model_identification){nehalem_identify,
							       nehalem_expose_features},
};
