// SPDX-License-Identifier: BSD-2-Clause
// A model of the Itanium processor's performance monitor: four counters of 32 bits, event address
// registers, the branch trace buffer, and the interval timer. Registers and fields are in regs.h.
// The engine (pmu/engine) counts. configure.c decodes the selections; events.c has the events;
// qualify.c the qualification by opcode and address; ear.c the event address registers; btb.c the
// branch trace buffer. Sections, tables and events are those of the processor's reference manual.
// DECISIONS.md has our decisions where the manual leaves the behavior open.

#include "state.h"

//
// The sum of a cycle's events
//

static bool is_weight(const struct occurrence *o)
{
	return o->code == EVENT_FP_LOW && o->sub == ITANIUM_WEIGHT;
}

// Adds the weight of a floating-point operation to the sums of the counters that count it.
static void weigh(struct itanium_state *m, const struct occurrence *o)
{
	unsigned counters = (m->watched[EVENT_FP_LOW] | m->watched[EVENT_FP_HIGH]) &
		itanium_enabled(m, o);

	if (counters & m->qualified)
		counters = itanium_qualify(m, counters, o, 1, o);
	for (unsigned rest = counters & m->weighing; rest; rest &= rest - 1)
		m->weight[__builtin_ctz(rest)] += o->n;
}

// The part of a cycle's sum of weights that an FP counter counts: bits 1:0 (FP_OPS_RETIRED_LO), or
// the bits above them (FP_OPS_RETIRED_HI, 7.8).
static uint32_t weight_seen(const struct itanium_state *m, unsigned counter, uint32_t weight)
{
	return m->watched[EVENT_FP_HIGH] >> counter & 1 ? weight / 4 : weight % 4;
}

// Adds the sums of weights to the counters' increments. Returns `moving` together with the counters
// that add weights, as a bit mask.
static unsigned add_weights(struct itanium_state *m, unsigned moving)
{
	for (unsigned rest = m->weighing; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		const uint32_t seen = weight_seen(m, i, m->weight[i]);

		m->weight[i] = 0;
		if (seen)
			moving = engine_add(m->engine.counter, moving, 1u << i, seen);
	}
	return moving;
}

// Adds up the inputs, of any kind.
__attribute__((noinline)) static void sum_all(struct itanium_state *m)
{
	struct engine *e = &m->engine;
	const struct occurrence *o = e->inputs, *end = o + e->input_count, *counted;
	unsigned seen = e->busy ? MONITOR_ALL : 0, branches = seen, moving = 0;
	size_t size;

	m->fetch = m->translation = m->load = NULL;
	m->loads = 0;
	for (; o < end; o += size) {
		const bool is_prediction = itanium_is_branch(o) && o->code >= EVENT_BRANCH_SLOT &&
					   o->code <= EVENT_BRANCH_PREDICTOR;
		unsigned monitors = itanium_watching(m, o);

		if (is_weight(o)) {
			weigh(m, o);
			size = 1;
			continue;
		}
		counted = o;
		size = is_prediction ? itanium_bundle(o, end, &counted) : 1;
		if (monitors & m->qualified)
			monitors = itanium_qualify(m, monitors, o, size, counted);
		seen |= monitors;
		branches |= o->branch;
		if (!counted->n)
			continue;
		moving = engine_add(e->counter, moving, monitors & m->selecting[counted->sub & 15],
				    counted->n);
		moving = engine_add(e->counter, moving, monitors & m->twice[counted->sub & 15],
				    counted->n);
		if (monitors & ~MONITOR_COUNTERS)
			itanium_ear_see(m, monitors, o);
	}
	e->moving = add_weights(m, moving);
	e->busy = m->timed;
	if (seen & ~MONITOR_COUNTERS)
		itanium_ear_count(m);
	if (branches)
		itanium_btb_count(m);
}

// Most occurrences affect counters only. The engine sums these.
static inline bool are_plain(const struct itanium_state *m, const struct occurrence *o,
			     size_t count)
{
	bool plain = true;

	for (const struct occurrence *end = count ? o + count : o; o < end && plain; o++)
		plain = !o->branch && !is_weight(o) &&
			!(itanium_watching(m, o) & (~MONITOR_COUNTERS | m->twice[o->sub & 15]));
	return plain;
}

static inline uint32_t selects(const struct engine *e, const struct occurrence *o)
{
	const struct itanium_state *m = (const struct itanium_state *)e;
	unsigned monitors = itanium_watching(m, o);

	if (monitors & m->qualified)
		monitors &= itanium_counting(m, o);
	return monitors & m->selecting[o->sub & 15];
}

// The increment of a counter in a cycle. The event (7.8) and the counter (6.2.2) each have a
// maximum.
static uint64_t limited(const struct itanium_state *m, unsigned counter, uint64_t events)
{
	return events < m->most[counter] ? events : m->most[counter];
}

static void itanium_sum(struct engine *e)
{
	struct itanium_state *m = (struct itanium_state *)e;

	e->looks = e->busy || !are_plain(m, e->inputs, e->input_count);
	if (__builtin_expect(e->looks, 0)) {
		sum_all(m);
	} else {
		engine_sum(e, selects);
		e->busy = m->timed;
	}
	for (unsigned i = 0; i < COUNTERS; i++)
		e->counter[i].step = limited(m, i, e->counter[i].step);
}

//
// Cycles and overflows
//

static void stop_captures(struct itanium_state *m)
{
	itanium_ear_stop(m);
	m->trace_fresh = false;
}

static bool itanium_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct itanium_state *m = (struct itanium_state *)e;
	bool changed = false;

	if (e->busy) {
		if (m->timed && itanium_itc(m) == m->file[0][SLOT_ITM])
			e->outputs.requests |= 1;
		changed = itanium_ear_passed(m, cycles);
		itanium_btb_passed(m, cycles);
	}
	m->PMC(0) |= FIELD_PUT(PMC0, overflow, wrapped);
	e->outputs.strobes |= wrapped & m->strobing;
	if (wrapped & e->raising)
		e->outputs.requests |= 1;
	if (!(wrapped & e->breaking))
		return changed;
	m->PMC(0) |= FIELD(PMC0, fr);
	stop_captures(m);
	itanium_configure_enables(m);
	return true;
}

static void lower_headroom(struct engine *e)
{
	struct itanium_state *m = (struct itanium_state *)e;
	const uint64_t before_match = itanium_before_match(m);

	itanium_ear_limit(m);
	engine_lower_headroom(e, before_match, before_match);
}

static const struct engine_rules rules = {
	.sum = itanium_sum, .passed = itanium_passed, .lower_headroom = lower_headroom,
	.configure = itanium_configure,
};

// model.h, `step`. With a threshold the counter adds 1 or 0.
static uint32_t itanium_step(const void *state, unsigned counter, uint32_t events)
{
	const struct itanium_state *m = state;
	const uint32_t seen = m->weighing >> counter & 1 ? weight_seen(m, counter, events) : events;
	const uint64_t step = limited(m, counter, seen);

	return m->engine.comparing >> counter & 1 ? step >= m->engine.counter[counter].least :
	       (uint32_t)step;
}

// model.h, `add`.
static void itanium_add(void *state, const uint64_t *counts)
{
	struct engine *e = state;
	uint32_t wrapped = 0;

	engine_sync(e);
	if (itanium_frozen(state))
		return;
	for (unsigned i = 0; i < COUNTERS; i++) {
		e->counter[i].count += counts[i];
		ENGINE_PUT_BIT(wrapped, i, e->counter[i].count > e->mask);
		e->counter[i].count &= e->mask;
	}
	if (wrapped && e->rules->passed(e, 0, wrapped))
		engine_derive(e);
	else
		engine_measure(e);
}

static inline void run(struct itanium_state *m, uint64_t cycles)
{
	if (__builtin_expect(cycles > m->engine.outputs.steady, 0))
		cycles = itanium_ear_run(m, cycles);
	engine_run(&m->engine, cycles);
	if (__builtin_expect(m->strobing, 0))
		engine_sync(&m->engine);	// strobes the pins of overflows up to now
}

// If the new occurrences add the same to each counter as the present ones, the engine goes on
// without a new sum.
static inline void set_inputs(struct itanium_state *m, const struct occurrence *occurrences,
			      size_t count)
{
	struct engine *e = &m->engine;
	const bool same = !m->tracks && engine_finds_same(e, occurrences, count, selects) &&
			  are_plain(m, occurrences, count);

	if (!same)
		engine_sync(e);
	e->inputs = count ? occurrences : &engine_nothing;
	e->input_count = count;
	if (count) {
		e->level[0] = occurrences[count - 1].level & 3;
		m->isa = occurrences[count - 1].isa != 0;
	}
	m->hesitates = false;
	if (__builtin_expect(m->tracks, 0))
		itanium_ear_draw(m);
	if (!same)
		engine_derive_with(e, itanium_sum);
}

static __attribute__((noinline)) void connect(void *state, uint64_t cycles,
					      const struct occurrence *occurrences, size_t count)
{
	set_inputs(state, occurrences, count);
	run(state, cycles);
}

static void itanium_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
			    size_t count)
{
	struct itanium_state *m = state;

	if (engine_has_inputs(&m->engine, occurrences, count))
		run(m, cycles);
	else
		connect(m, cycles, occurrences, count);
}

//
// Registers
//

static bool status_written(void *state, const struct engine_access *a)
{
	struct itanium_state *m = state;

	(void)a;
	if (itanium_frozen(m))
		stop_captures(m);
	itanium_configure_enables(m);
	engine_derive(&m->engine);
	return false;
}

static unsigned monitor_of(unsigned pmd)
{
	unsigned monitor = 0;

	while (!(itanium_monitor_registers[monitor].pmds >> pmd & 1))
		monitor++;
	return monitor;
}

// A monitor whose plm is zero keeps neither its data nor values written to it (table 6-11). The
// data becomes undefined when plm becomes zero, and again when plm becomes another value.
static bool control_written(void *state, const struct engine_access *a)
{
	struct itanium_state *m = state;
	const unsigned changed = itanium_without_levels(m) ^ m->without_levels;

	if (a->kind == KIND_PMC11)
		itanium_ear_stop(m);
	for (unsigned pmd = 0; changed && pmd < ITANIUM_PMDS; pmd++)
		if (changed >> monitor_of(pmd) & 1)
			engine_write(m, 0, ITANIUM_PMD(pmd), itanium_undefined(m), 0);
	return true;
}

static bool trace_position_written(void *state, const struct engine_access *a)
{
	(void)a;
	((struct itanium_state *)state)->trace_fresh = false;
	return false;
}

static bool read_psr(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	const struct itanium_state *m = state;

	(void)thread, (void)index;
	*value |= FIELD_PUT(PSR, cpl, m->engine.level[0]) | FIELD_PUT(PSR, is, m->isa);
	return true;
}

#define DESCRIPTION(R, address, count, ...)							\
	{ITANIUM_NAME(R, address), ITANIUM_NUMBER_OF(address), address, count,	\
	 ITANIUM_DISTANCE(address),	\
	 sizeof R##_list / sizeof *R##_list, REGISTER_OF_THREAD, R##_list},

ITANIUM_REGISTERS(ENGINE_FIELDS)
static const struct register_description descriptions[] = {ITANIUM_REGISTERS(DESCRIPTION)};
static const struct engine_register kinds[] = {ITANIUM_REGISTERS(ENGINE_REGISTER)};

#define PAIRED_KIND_AT(R, address, count) [address] = KIND_##R + 1, [address + 2] = KIND_##R + 1, \
	[address + 4] = KIND_##R + 1, [address + 6] = KIND_##R + 1,
static const uint8_t kind_at[] = {
	ITANIUM_CONTROL_REGISTERS(ENGINE_KIND_AT)
	ITANIUM_DATA_REGISTERS(ENGINE_KIND_AT)
	ITANIUM_BREAKPOINT_REGISTERS(PAIRED_KIND_AT)
	ITANIUM_PROCESSOR_REGISTERS(ENGINE_KIND_AT)
};

static const struct engine_hooks hooks[KINDS] = {
	[KIND_PMC0] = {.written = status_written},
	[KIND_PMC4 ... KIND_PMC13] = {.written = control_written},
	[KIND_PMD16] = {.written = trace_position_written},
	[KIND_IBR0 ... KIND_DBR1] = {.written = control_written},
	[KIND_PSR] = {.read = read_psr, .written = control_written},
	[KIND_PMV] = {.written = control_written},
	[KIND_ITM ... KIND_ITV] = {.written = control_written},
	[KIND_ITC] = {.read = engine_clock_read, .written = engine_clock_written},
};

static const struct model_field saved[] = {
	ENGINE_SAVED_LEVELS(1),
	ENGINE_SAVED(itanium_state, uint64_t, engine.cycles, UINT64_MAX),
	ENGINE_SAVED(itanium_state, uint32_t, engine.outputs.requests, 1),
	ENGINE_SAVED(itanium_state, uint32_t, engine.outputs.strobes, MONITOR_COUNTERS),
	ENGINE_SAVED(itanium_state, uint8_t, tracked.level, 3),	// of the load, captured with it
	ENGINE_SAVED(itanium_state, uint8_t, tracked.isa, 1),
	ENGINE_SAVED(itanium_state, uint8_t, tracked.slot, 3),
	ENGINE_SAVED(itanium_state, uint32_t, tracked.latency, UINT32_MAX),
	ENGINE_SAVED(itanium_state, uint64_t, tracked.ip, UINT64_MAX),
	ENGINE_SAVED(itanium_state, uint64_t, tracked.address, UINT64_MAX),
	ENGINE_SAVED(itanium_state, uint64_t, tracked_left, UINT32_MAX),
	ENGINE_SAVED(itanium_state, bool, overlapped, 1),
	ENGINE_SAVED(itanium_state, uint64_t, trace_target, FIELD(PMD8, address)),
	ENGINE_SAVED(itanium_state, bool, trace_fresh, 1),
	ENGINE_SAVED(itanium_state, uint64_t, engine.seed, UINT64_MAX),
	ENGINE_SAVED(itanium_state, uint64_t, random, UINT64_MAX),
};

ENGINE_REGISTERS(itanium_state, 1, ITANIUM_COUNTER_WIDTH, .kind_at = kind_at,
		 .addresses = sizeof kind_at)

static void itanium_reset(const struct pmu_model *model, void *state, int fault, uint64_t seed)
{
	(void)model, (void)fault;
	engine_model_reset(&registers, &rules, state, sizeof(struct itanium_state), seed);
}

static bool itanium_field(size_t number, struct model_field *field)
{
	return engine_field(&registers, number, field);
}

// Restores a saved state. Returns false if the state is impossible: a load or a target is tracked
// although the monitors are frozen, or the load is overdue.
static bool itanium_restore(void *state)
{
	struct itanium_state *m = state;
	const bool possible = engine_restore(state) && m->tracked_left <= m->tracked.latency &&
			      !(itanium_frozen(m) && (m->tracked_left || m->trace_fresh));

	m->engine.busy = true;		// a load may be tracked
	engine_derive(&m->engine);
	return possible;
}

// PMC and PMD numbers that do not exist read as zero and ignore writes (ASDM volume 2, 7.2.1).
static bool is_monitor_register(uint32_t address)
{
	return ITANIUM_IN(address, PMC) || ITANIUM_IN(address, PMD);
}

// PMDs hold the writable bits; a read adds copies of the highest one. Event addresses and branches
// are valid only while the monitors are frozen (6.2.7, 6.2.8.2).
static bool itanium_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct itanium_state *m = state;
	unsigned index;
	const uint32_t kind = engine_locate(&registers, address, &index);

	*value = 0;
	if (kind == ENGINE_NO_KIND)
		return is_monitor_register(address);
	engine_read(&registers, &m->engine, thread, address, value);
	if (!ITANIUM_IN(address, PMD))
		return true;
	if (!kinds[kind].is_counter && !itanium_frozen(m))
		*value = itanium_undefined(m);
	*value = engine_held(&kinds[kind], 0, *value);
	return true;
}

// mov r = pmd[r]. PSR.sp and pm close PMDs to the lower levels only (ASDM volume 2, 7.2.1).
static bool itanium_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	struct itanium_state *m = state;

	*value = 0;
	if (index >= ITANIUM_PMDS)
		return true;
	if (m->engine.level[0] && (m->file[0][SLOT_PSR] & FIELD(PSR, sp) ||
				   m->PMC(itanium_monitor_registers[monitor_of(index)].pmc) &
				   FIELD(PMC4, pm)))
		return true;
	return itanium_read(m, thread, ITANIUM_PMD(index), value);
}

static bool itanium_write(void *state, unsigned thread, uint32_t address, uint64_t value,
			  uint64_t cycles)
{
	struct itanium_state *m = state;

	if (!engine_write(m, thread, address, value, cycles)) {
		if (!is_monitor_register(address))
			return false;
		engine_run(&m->engine, cycles);
	}
	if (__builtin_expect(m->strobing, 0))
		engine_sync(&m->engine);
	return true;
}

// A return from an interruption restores PSR.
static void itanium_resume(void *state, unsigned thread, uint64_t saved)
{
	struct itanium_state *m = state;

	(void)thread;
	engine_sync(&m->engine);
	m->file[0][SLOT_PSR] = saved & REGISTER_BITS(PSR, RW);
	itanium_configure_ranges(m);
	itanium_configure_enables(m);
	engine_derive(&m->engine);
}

// An interruption takes PSR.pp from DCR.pp, keeps PSR.up, and clears the other bits (ASDM volume 2,
// table 3-2).
static void itanium_interruption(void *state, unsigned thread, uint64_t *saved)
{
	const struct itanium_state *m = state;
	const uint64_t pp = FIELD_PUT(PSR, pp, FIELD_GET(DCR, pp, m->file[0][SLOT_DCR]));

	*saved = m->file[0][SLOT_PSR];
	itanium_resume(state, thread, (*saved & FIELD(PSR, up)) | pp);
}

#define CLOCK(of, at) ENGINE_EVENT(ITANIUM_EVENT_RETIRED, 0, of, \
				   at) ENGINE_EVENT(ITANIUM_EVENT_CYCLES, 0, of, at)
ENGINE_CLOCK_SIGNALS(1, CLOCK)

//
// Description of the model for backends
//

// Every processor has four generic counters (ASDM volume 2, 7.2).
static const struct model_counters groups[] = {{
	.count = COUNTERS, .fewest = COUNTERS, .address = ITANIUM_PMD(FIRST), .index = FIRST,
	.select = ITANIUM_PMC(FIRST), .distance = 1, .code = FIELD(PMC4, es),
	.umask = FIELD(PMC4, umask),
	.off_mask = FIELD(PMC4, ism), .off = FIELD(PMC4, ism),
}};

const struct pmu_model pmu_model_itanium = {
	.name = "itanium",
	.size = sizeof(struct itanium_state),
	.threads = 1,
	.registers = descriptions,
	.register_count = KINDS,
	.vector_address = ITANIUM_PMV,
	.vector_masked = FIELD(PMV, m),
	.reset = itanium_reset,
	.read = itanium_read,
	.write = itanium_write,
	.headroom = engine_headroom,
	.advance = itanium_advance,
	ENGINE_GROUPS,
	.persist = &(const struct model_persist){itanium_field, engine_model_sync, itanium_restore},
	.machine = &(const struct model_machine){
		ENGINE_CLOCK(1, 1),
		.counts = itanium_counts,
		.branch = itanium_branch,
		.load = itanium_load,
		.interruption = itanium_interruption,
		.resume = itanium_resume,
	},
	.identification = &(const struct model_identification){.identify = itanium_identify},
	.user = &(const struct model_user){
		.read_counter = itanium_read_counter,
		.open_address = ITANIUM_PMD(0),
		.open_count = ITANIUM_PMDS,
	},
	.sums = &(const struct model_sums){itanium_step, itanium_add},
};
