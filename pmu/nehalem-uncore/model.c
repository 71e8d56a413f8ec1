// SPDX-License-Identifier: BSD-2-Clause
// Model of the Core i7 / Xeon 5500 uncore PMU: eight general counters and one for the uncore's
// clock, of 48 bits. Registers and fields are in regs.h; the engine counts (pmu/engine); queues.c
// has the queues whose occupancy is counted. The guide: Performance Analysis Guide, "Uncore
// Performance Events".

#include <string.h>

#include "state.h"

//
// Counting in a cycle
//

// The guide's Table 37: compares address and opcode with the register's fields.
static bool matches(uint64_t wanted, const struct occurrence *o)
{
	const unsigned select = (unsigned)FIELD_GET(UNCORE_ADDR_OPCODE_MATCH, MATCH_SELECT, wanted);
	const bool address = !((o->address ^ wanted) & FIELD(UNCORE_ADDR_OPCODE_MATCH, ADDR));
	const bool opcode = FIELD_GET(UNCORE_ADDR_OPCODE_MATCH, OPCODE,
				      wanted) == (o->opcode & 0xFF);

	if (select & (UNCORE_MATCH_ADDRESS | UNCORE_MATCH_OPCODE))
		return (select & UNCORE_MATCH_ADDRESS && address) ||
		       (select & UNCORE_MATCH_OPCODE && opcode);
	return select & UNCORE_MATCH_BOTH && address && opcode;
}

// Returns the selected counters that count an occurrence, if another register qualifies their
// event. Table 28: a snoop that hits a line counts if the bit of the line's state, which is in the
// occurrence's opcode, is set.
__attribute__((noinline)) static uint32_t qualify(const uint64_t *file, uint32_t selected,
						  const struct occurrence *o)
{
	uint32_t counting = 0;

	if (o->code == UNCORE_EVENT_MATCH)
		return matches(file[SLOT_UNCORE_ADDR_OPCODE_MATCH], o) ? selected : 0;
	for (uint32_t rest = selected; rest; rest &= rest - 1) {
		const uint64_t select = file[SLOT_UNCORE_PERFEVTSEL + __builtin_ctz(rest)];
		const uint64_t sub = o->sub & FIELD_GET(UNCORE_PERFEVTSEL, EVTMSK, select);
		const uint64_t states = (sub & UNCORE_SNOOP_HIT_TO_S ? UNCORE_SNOOP_TO_S : 0) |
					(sub & UNCORE_SNOOP_HIT_TO_I ? UNCORE_SNOOP_TO_I : 0);

		if (sub & UNCORE_SNOOP_ANY || o->opcode & file[SLOT_GQ_SNOOP_MESF] & states)
			counting |= rest & -rest;
	}
	return counting;
}

static inline uint32_t selects(const struct engine *e, const struct occurrence *o)
{
	const struct uncore_state *m = (const struct uncore_state *)e;
	uint32_t selected;

	if (o->code >= ENGINE_CODES)
		return o->code == UNCORE_EVENT_CLOCK ? 1u << FIXED : 0;
	selected = engine_selected(&m->selection, m->selection.of_code[o->code], o->sub);
	return __builtin_expect(selected & m->qualified, 0) ? qualify(m->file[0], selected, o) :
	       selected;
}

static void uncore_sum(struct engine *e)
{
	struct uncore_state *m = (struct uncore_state *)e;

	engine_sum(e, selects);
	e->busy = m->queued & e->counting && nehalem_uncore_sum_queues(m);
}

//
// Registers' effect on counting
//

// As in the cores' counters: CMASK 0 adds the events. Otherwise a cycle counts 1 if the events
// reach CMASK, or with INV if they do not. E counts the condition's rising edges, and needs a
// CMASK.
static void follow_select(void *state, const struct engine_access *a)
{
	struct uncore_state *m = state;
	const uint64_t select = a->held;
	const unsigned i = a->index;
	const unsigned code = (unsigned)FIELD_GET(UNCORE_PERFEVTSEL, EVTSEL, select);
	const unsigned cmask = (unsigned)FIELD_GET(UNCORE_PERFEVTSEL, CMASK, select);
	struct engine *e = &m->engine;

	e->counter[i] = (struct engine_counter){
		.count = e->counter[i].count, .least = (uint16_t)cmask,
		.inverted = select & FIELD(UNCORE_PERFEVTSEL, INV), .threads = 1, .levels = 0xFF,
	};
	ENGINE_PUT_BIT(e->comparing, i, cmask);
	ENGINE_PUT_BIT(e->edges, i, cmask && select & FIELD(UNCORE_PERFEVTSEL, E));
	engine_select(&m->selection, i, (unsigned)FIELD_GET(UNCORE_PERFEVTSEL, EVTSEL, a->before),
		      code, (unsigned)FIELD_GET(UNCORE_PERFEVTSEL, EVTMSK, select));
	ENGINE_PUT_BIT(m->qualified, i, code == UNCORE_EVENT_MATCH ||
		       code == UNCORE_EVENT_GQ_SNOOP);
	ENGINE_PUT_BIT(m->queued, i, nehalem_uncore_is_queued(select));
	ENGINE_PUT_BIT(m->enabled, i, select & FIELD(UNCORE_PERFEVTSEL, EN));
	ENGINE_PUT_BIT(m->interrupting, i, select & FIELD(UNCORE_PERFEVTSEL, PMI));
}

// Returns the counters whose event this machine cannot raise. With MATCH_SELECT 0 a match event
// never occurs, on silicon either, so it is not one of these: with INV it counts each cycle.
static uint32_t absent(const struct uncore_state *m)
{
	const uint64_t wanted = m->file[0][SLOT_UNCORE_ADDR_OPCODE_MATCH];
	const bool matching = FIELD_GET(UNCORE_ADDR_OPCODE_MATCH, MATCH_SELECT, wanted);

	return m->engine.absent & (matching ? UINT32_MAX :
				   ~m->selection.of_code[UNCORE_EVENT_MATCH]);
}

static void configure(struct engine *e)
{
	struct uncore_state *m = (struct uncore_state *)e;
	const uint64_t control = m->file[0][SLOT_UNCORE_PERF_GLOBAL_CTRL];
	const uint64_t fixed = m->file[0][SLOT_UNCORE_FIXED_CTR_CTRL];

	ENGINE_PUT_BIT(m->enabled, FIXED, fixed & FIELD(UNCORE_FIXED_CTR_CTRL, EN));
	ENGINE_PUT_BIT(m->interrupting, FIXED, fixed & FIELD(UNCORE_FIXED_CTR_CTRL, PMI));
	e->outputs.counting = e->counting = m->enabled & ~absent(m) &
		((control & UNCORE_GENERAL_MASK) | (control & UNCORE_FIXED_MASK ? 1u << FIXED : 0));
	e->raising = control & FIELD(UNCORE_PERF_GLOBAL_CTRL, EN_PMI_CORE) ? m->interrupting : 0;
	e->breaking = control & FIELD(UNCORE_PERF_GLOBAL_CTRL, PMI_FRZ) ? m->interrupting : 0;
}

//
// The passing of cycles
//

static bool uncore_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct uncore_state *m = (struct uncore_state *)e;
	uint64_t *status = &m->file[0][SLOT_UNCORE_PERF_GLOBAL_STATUS];
	uint64_t *control = &m->file[0][SLOT_UNCORE_PERF_GLOBAL_CTRL];

	(void)cycles;
	if (wrapped)
		*status |= FIELD_PUT(UNCORE_PERF_GLOBAL_STATUS, OVF_PC, wrapped) |
			   FIELD_PUT(UNCORE_PERF_GLOBAL_STATUS, OVF_FC0, wrapped >> FIXED) |
			   FIELD(UNCORE_PERF_GLOBAL_STATUS, CHG);
	if (wrapped & m->interrupting) {
		*status |= FIELD(UNCORE_PERF_GLOBAL_STATUS, OVF_PMI);
		e->outputs.requests |= (uint32_t)FIELD_GET(UNCORE_PERF_GLOBAL_CTRL, EN_PMI_CORE,
							   *control);
	}
	if (!(wrapped & e->breaking))
		return e->busy;
	*control &= ~(UNCORE_GENERAL_MASK | UNCORE_FIXED_MASK);
	configure(e);
	return true;
}

// While queues fill or empty, each cycle differs. The second state runs ahead until a core would be
// signalled; the queues settle after few cycles.
static void lower_headroom(struct engine *e)
{
	static const struct engine_rules only_count = {.sum = uncore_sum, .passed = uncore_passed};
	struct uncore_state *both = (struct uncore_state *)e;
	struct engine *ahead = &both[1].engine;
	uint64_t cycles = 0;

	e->before_break = 0;
	if (!(both->queued & e->counting & e->raising))
		return;
	both[1] = both[0];
	for (ahead->rules = &only_count; ahead->busy && ahead->outputs.headroom; cycles++) {
		engine_add_cycles(ahead, 1);
		engine_derive(ahead);
	}
	e->outputs.headroom = ahead->outputs.headroom < MODEL_FAR ? cycles +
		ahead->outputs.headroom : MODEL_FAR;
}

static const struct engine_rules rules = {
	.sum = uncore_sum, .passed = uncore_passed, .lower_headroom = lower_headroom,
	.configure = configure,
};

static void uncore_bus_lock(void *state)
{
	engine_sync(state);
	nehalem_uncore_empty_queues(state);
	engine_derive(state);
}

#define CLOCK(of, at) ENGINE_EVENT(UNCORE_EVENT_CLOCK, 0, of, at)
ENGINE_CLOCK_SIGNALS(1, CLOCK)

//
// Registers
//

// A new event or condition starts without a previous condition. An occupancy's tracker starts.
static bool select_written(void *state, const struct engine_access *a)
{
	const uint64_t event = FIELD(UNCORE_PERFEVTSEL, EVTSEL) | FIELD(UNCORE_PERFEVTSEL, EVTMSK);
	const bool reset = a->value & FIELD(UNCORE_PERFEVTSEL, OCC_CTR_RST);

	if (a->held != a->before)
		((struct engine *)state)->asserted &= ~(1u << a->index);
	if (reset || (a->held ^ a->before) & event)
		nehalem_uncore_start_tracker(state, a->index, reset);
	return reset;
}

ENGINE_REGISTER_TABLES(UNCORE_REGISTERS)

static const struct engine_hooks hooks[KINDS] = {
	[KIND_UNCORE_PERFEVTSEL] = {.follow = follow_select, .written = select_written},
	[KIND_UNCORE_FIXED_CTR_CTRL] = {.configures = true},
	[KIND_UNCORE_PERF_GLOBAL_CTRL] = {.configures = true},
	[KIND_UNCORE_PERF_GLOBAL_OVF_CTRL] = {.clears = KIND_UNCORE_PERF_GLOBAL_STATUS},
	[KIND_UNCORE_ADDR_OPCODE_MATCH] = {.configures = true},
	[KIND_GQ_SNOOP_MESF] = {.configures = true},
};

static const struct model_field saved[] = {
	ENGINE_SAVED(uncore_state, uint32_t, engine.asserted, (1u << COUNTERS) - 1),
	ENGINE_SAVED(uncore_state, uint32_t, engine.outputs.requests, (1u << UNCORE_CORES) - 1),
	ENGINE_SAVED(uncore_state, uint16_t, held, 0x3F),
	ENGINE_SAVED(uncore_state, uint32_t, unknown, 0xFFF),
	ENGINE_SAVED(uncore_state, uint32_t, waiting, UNCORE_GENERAL_MASK),
};

ENGINE_REGISTERS(uncore_state, 1, UNCORE_COUNTER_WIDTH, ENGINE_BY_ADDRESS(UNCORE_REGISTERS))

static void uncore_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	(void)model, (void)fault;
	engine_model_reset(&registers, &rules, state, sizeof(struct uncore_state), seed);
}

static bool uncore_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

static bool uncore_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	return engine_read(&registers, state, thread, address, value);
}

// True if these signals equal those connected last, so that the queues need not examine them.
static inline bool are_connected(struct uncore_state *m, const struct occurrence *occurrences,
				 size_t count)
{
	bool same = count == m->signals && count <= ENGINE_ADDENDS;
	uint64_t signal;

	_Static_assert(offsetof(struct occurrence, thread) == sizeof signal, "code, sub and n");
	m->signals = count;
	for (size_t i = 0; i < count && i < ENGINE_ADDENDS; i++) {
		memcpy(&signal, &occurrences[i], sizeof signal);
		same &= signal == m->signal[i];
		m->signal[i] = signal;
	}
	return same;
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	struct uncore_state *m = state;

	m->engine.looks = !are_connected(m, occurrences, count) &&
			  nehalem_uncore_connect_queues(m, occurrences, count);
	engine_connect(state, occurrences, count, selects, uncore_sum);
	engine_run(state, cycles);
}

static void uncore_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
			   size_t count)
{
	engine_advance(state, cycles, occurrences, count, connect);
}

static void uncore_sync(void *state)
{
	engine_sync(state);
	nehalem_uncore_sync_queues(state);
}

static bool uncore_restore(void *state)
{
	bool possible = engine_restore(state);

	possible &= nehalem_uncore_restore_queues(state);
	engine_derive(state);
	return possible;
}

//
// Counters that a backend can leave out
//

#define GLOBAL_BITS(first)				\
	{MSR_UNCORE_PERF_GLOBAL_STATUS, first, 1},	\
	{MSR_UNCORE_PERF_GLOBAL_CTRL, first, 1},	\
	{MSR_UNCORE_PERF_GLOBAL_OVF_CTRL, first, 1}

static const struct model_bits general_bits[] = {GLOBAL_BITS(0), {0}};
static const struct model_bits fixed_bits[] = {
	GLOBAL_BITS(UNCORE_FIXED),
	{MSR_UNCORE_FIXED_CTR_CTRL, 0, UNCORE_FIXED_CTR_CTRL_RESERVED_3_LOW},
	{0},
};
static const struct model_event fixed_event = {UNCORE_EVENT_CLOCK, 0};

static const struct model_counters groups[] = {
	{
		.count = GENERAL, .address = MSR_UNCORE_PMC, .index = UINT32_MAX,
		.select = MSR_UNCORE_PERFEVTSEL, .distance = 1,
		.code = FIELD(UNCORE_PERFEVTSEL, EVTSEL), .umask = FIELD(UNCORE_PERFEVTSEL, EVTMSK),
		.off_mask = FIELD(UNCORE_PERFEVTSEL, EN), .bits = general_bits,
	}, {
		.count = 1, .address = MSR_UNCORE_FIXED_CTR0, .index = UINT32_MAX,
		.select = MSR_UNCORE_FIXED_CTR_CTRL, .event = &fixed_event,
		.off_mask = FIELD(UNCORE_FIXED_CTR_CTRL, EN), .bits = fixed_bits,
	},
};

const struct pmu_model pmu_model_nehalem_uncore = {
	.name = "nehalem-uncore",
	.size = 2 * sizeof(struct uncore_state),
	ENGINE_MEMBERS(1),
	.reset = uncore_reset,
	.read = uncore_read,
	.advance = uncore_advance,
	.write = engine_write,
	.headroom = engine_headroom,
	.has_init = true,
	ENGINE_GROUPS,
	.persist = &(const struct model_persist){uncore_field, uncore_sync, uncore_restore},
	.machine = &(const struct model_machine){
		ENGINE_CLOCK(1, 1),
		.raised = nehalem_uncore_raised,
		.raised_select = {MSR_GQ_SNOOP_MESF, MSR_UNCORE_ADDR_OPCODE_MATCH},
		.leave_out = engine_leave_out,
	},
	.package = &(const struct model_package){.cores = "nehalem", .bus_lock = uncore_bus_lock},
};
