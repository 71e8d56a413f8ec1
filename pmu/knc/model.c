// SPDX-License-Identifier: BSD-2-Clause
// Knights Corner's core PMU as the hardware behaves: four threads, each with two counters of 40 bits, an overflow
// status and a line to its APIC; and the time-stamp counter that they share. Registers and fields are in regs.h;
// counting is the engine's (pmu/engine). Events are in events.c, SPFLT in spflt.c, what CPUID says in cpuid.c. An
// occurrence's `sub` is the event's whole unit mask. "The guide" is 327357-001, "Intel Xeon Phi Coprocessor (codename:
// Knights Corner) Performance Monitoring Units".

#include "faults.h"
#include "state.h"

#define ALL_LEVELS	0xFu
#define ALL_THREADS	((1u << THREADS) - 1)

#define FAULT_TEXT(name, text) text,
static const char *const fault_names[] = {FAULTS(FAULT_TEXT) NULL};

static struct knc_state *state_of(const struct engine *e)
{
	return (struct knc_state *)e;
}

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

__attribute__((noinline)) static void sum_faulty(struct engine *e)
{
	// Has `passed` called, in which the clock may stand.
	e->busy = has_fault(state_of(e), FAULT_CLOCK_STOPS) || has_fault(state_of(e), FAULT_CLOCK_HALTS);
	if (!has_fault(state_of(e), FAULT_HALT_COUNTED) || e->input_count)
		return;
	for (unsigned i = 0; i < THREADS * COUNTERS; i++)
		e->counter[i].step = 1;
	e->moving = e->counting;
}

static void knc_sum(struct engine *e)
{
	engine_sum(e, selects);
	if (__builtin_expect(state_of(e)->fault != NO_FAULT, 0))
		sum_faulty(e);
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
			m->lines &= has_fault(m, FAULT_LINE_STUCK) ? ~0u : ~line;
		} else if (!(m->lines & line)) {
			m->lines |= line;
			e->outputs.requests |= has_fault(m, FAULT_LINE_OF_THREAD_0) ? 1 : line;
		}
		if (m->lines & line && !has_fault(m, FAULT_LINE_REPEATS))
			e->raising &= ~OF_THREAD(thread, BOTH);
	}
}

static void overflow(struct knc_state *m, uint32_t wrapped)
{
	if (has_fault(m, FAULT_SIMULTANEOUS_LOST))
		wrapped &= -wrapped;
	for (unsigned thread = 0; thread < THREADS; thread++)
		if (!has_fault(m, FAULT_STATUS_LOST))
			m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] |= THREAD_SET(thread, wrapped);
	update_lines(m);
	for (unsigned thread = 0; thread < THREADS; thread++)
		if (has_fault(m, FAULT_LINE_REPEATS) && THREAD_SET(thread, wrapped & m->interrupting))
			m->engine.outputs.requests |= 1u << thread;
}

static bool clock_stands(const struct knc_state *m)
{
	return (has_fault(m, FAULT_CLOCK_STOPS) && !knc_set(m, SLOT_IA32_PERF_GLOBAL_CTRL)) ||
	       (has_fault(m, FAULT_CLOCK_HALTS) && !m->engine.input_count);
}

// What is counted does not change with it.
static bool knc_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct knc_state *m = state_of(e);

	if (e->busy && clock_stands(m))
		e->cycles -= cycles;
	if (wrapped)
		overflow(m, wrapped);
	return false;
}

static const struct engine_rules rules = {.sum = knc_sum, .passed = knc_passed};

//
// What registers select
//

void knc_configure(struct knc_state *m)
{
	struct engine *e = &m->engine;
	uint32_t allowed = knc_set(m, SLOT_IA32_PERF_GLOBAL_CTRL);

	allowed |= has_fault(m, FAULT_GLOBAL_IGNORED) ? OF_ALL_THREADS(2) : 0;
	e->counting = m->enabled & allowed & ~knc_filtered(m);
	e->outputs.level_matters = e->counting & m->by_level;
	e->outputs.branches_matter = e->counting & m->of_branches;
	update_lines(m);
	engine_derive_with(e, knc_sum);
}

static void put_small(uint8_t *set, unsigned bit, bool value)
{
	*set = (uint8_t)((*set & ~(1u << bit)) | (unsigned)value << bit);
}

// Files a counter under its event, or takes it out.
static void file_event(struct knc_state *m, unsigned i, bool in)
{
	const unsigned event = m->event[i], code = event & 0xFF;

	for (unsigned unit = 0; unit < UNITS; unit++)
		if (unit == event / (KNC_UMASK_CRI << 8) || !in || has_fault(m, FAULT_UMASK_IGNORED))
			put_small(&m->of_event[unit][code], i, in);
}

// A condition is that an event happens, or what CMASK makes of it (Table 1-5). Without CMASK nothing is compared, so
// that there is nothing to invert.
static void select_condition(struct knc_state *m, unsigned i, uint64_t select)
{
	const uint16_t cmask = (uint16_t)FIELD_GET(IA32_PERFEVTSEL, CMASK, select);
	const bool edge = select & FIELD(IA32_PERFEVTSEL, E) && !has_fault(m, FAULT_EDGE_IGNORED);
	struct engine_counter *c = &m->engine.counter[i];

	c->inverted = cmask && select & FIELD(IA32_PERFEVTSEL, INV) && !has_fault(m, FAULT_INV_IGNORED);
	c->least = cmask ? (uint16_t)(cmask + has_fault(m, FAULT_CMASK_WRONG)) : 1;
	engine_put_bit(&m->engine.edges, i, edge);
	engine_put_bit(&m->engine.comparing, i, cmask || edge);
}

static uint8_t selected_levels(const struct knc_state *m, uint64_t select)
{
	bool os = select & FIELD(IA32_PERFEVTSEL, OS) || has_fault(m, FAULT_OS_IGNORED);
	bool usr = select & FIELD(IA32_PERFEVTSEL, USR) || has_fault(m, FAULT_USR_IGNORED);

	return has_fault(m, FAULT_LEVELS_SWAPPED) ? usr | os * (ALL_LEVELS - 1) : os | usr * (ALL_LEVELS - 1);
}

static uint8_t selected_threads(const struct knc_state *m, uint64_t select, unsigned thread)
{
	bool any = select & FIELD(IA32_PERFEVTSEL, THREAD_COUNT_MODE) ? !has_fault(m, FAULT_ANY_IGNORED)
								       : has_fault(m, FAULT_ANY_ALWAYS);

	return any ? ALL_THREADS : 1u << thread;
}

// Table 1-5, Thread Count Mode: "Events which have no thread-specific context will always be counted regardless".
static void select_occurrences(struct knc_state *m, unsigned i, uint64_t select)
{
	struct engine_counter *c = &m->engine.counter[i];
	const bool of_all = knc_is_of_no_thread(m->event[i]) && !has_fault(m, FAULT_NO_THREAD_FILTERED);
	unsigned threads;

	c->levels = selected_levels(m, select);
	c->threads = selected_threads(m, select, i / COUNTERS);
	threads = of_all ? ALL_THREADS : c->threads;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned level = 0; level < LEVELS; level++)
			put_small(&m->accepting[thread][level], i, threads >> thread & c->levels >> level & 1);
	engine_put_bit(&m->by_level, i, c->levels && c->levels != ALL_LEVELS);
}

// The event that a select makes a counter count; false: there is none.
static bool select_event(const struct knc_state *m, unsigned i, uint64_t select, uint16_t *event)
{
	const unsigned code = (unsigned)FIELD_GET(IA32_PERFEVTSEL, EVENT, select);
	const unsigned umask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, UMASK, select);
	bool exists = knc_is_event(code, umask, i % COUNTERS);

	if (has_fault(m, FAULT_EVENT_0_UNUSED) && code == 0 && umask == 0)
		exists = false;
	*event = exists ? (uint16_t)(code | umask << 8) : KNC_EVENT_CYCLES;
	return exists || has_fault(m, FAULT_ILLEGAL_COUNTED);
}

static void follow_select(struct knc_state *m, unsigned i)
{
	const uint64_t select = m->file[i / COUNTERS][SLOT_IA32_PERFEVTSEL + i % COUNTERS];
	const bool en = select & FIELD(IA32_PERFEVTSEL, EN), interrupts = select & FIELD(IA32_PERFEVTSEL, INT);
	bool exists;

	file_event(m, i, false);
	exists = select_event(m, i, select, &m->event[i]);
	file_event(m, i, true);
	select_occurrences(m, i, select);
	select_condition(m, i, select);
	engine_put_bit(&m->enabled, i, exists && (en || has_fault(m, FAULT_EN_IGNORED)));
	engine_put_bit(&m->interrupting, i,
		       interrupts ? !has_fault(m, FAULT_INT_MISSING) : has_fault(m, FAULT_INT_ALWAYS));
	engine_put_bit(&m->of_branches, i, m->event[i] == KNC_EVENT_BRANCHES);
}

//
// Registers
//

static void select_written(struct engine *e, unsigned thread, unsigned index, uint64_t value, uint64_t before)
{
	struct knc_state *m = state_of(e);

	(void)value, (void)before;
	if (has_fault(m, FAULT_SELECT_STUCK) && index == 1)
		m->file[thread][SLOT_IA32_PERFEVTSEL + 1] &= ~FIELD_PUT(IA32_PERFEVTSEL, UMASK, 0x20);
	follow_select(m, COUNTERS * thread + index);
	knc_configure(m);
}

static void global_written(struct engine *e, unsigned thread, unsigned index, uint64_t value, uint64_t before)
{
	struct knc_state *m = state_of(e);

	(void)index, (void)before;
	for (unsigned other = 0; other < THREADS && has_fault(m, FAULT_THREADS_SHARE); other++)
		m->file[other][SLOT_IA32_PERF_GLOBAL_CTRL] = m->file[thread][SLOT_IA32_PERF_GLOBAL_CTRL];
	(void)value;
	knc_configure(m);
}

static bool status_read(struct engine *e, unsigned thread, unsigned index, uint64_t *value)
{
	(void)index, (void)value;
	if (has_fault(state_of(e), FAULT_STATUS_FADES))
		state_of(e)->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] = 0;
	return true;
}

// What clears the status is only written.
static bool clear_read(struct engine *e, unsigned thread, unsigned index, uint64_t *value)
{
	(void)thread, (void)index;
	*value = 0;
	return has_fault(state_of(e), FAULT_ACCESS_UNCHECKED);
}

static void clear_written(struct engine *e, unsigned thread, unsigned index, uint64_t value, uint64_t before)
{
	struct knc_state *m = state_of(e);
	uint64_t cleared = value & BOTH;

	(void)index, (void)before;
	if (has_fault(m, FAULT_CLEAR_LOST))
		cleared = 0;
	if (has_fault(m, FAULT_CLEAR_ALL) && cleared)
		cleared = BOTH;
	m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] &= ~cleared;
	knc_configure(m);
}

static bool clock_read(struct engine *e, unsigned thread, unsigned index, uint64_t *value)
{
	(void)index;
	*value = e->cycles + state_of(e)->clock[thread];
	return true;
}

// Guide, Table 1-2: the clock is not threaded, so that all threads see what one writes.
static void clock_written(struct engine *e, unsigned thread, unsigned index, uint64_t value, uint64_t before)
{
	struct knc_state *m = state_of(e);

	(void)index, (void)before;
	for (unsigned i = 0; i < THREADS; i++) {
		m->file[i][SLOT_IA32_TIME_STAMP_COUNTER] = 0;	// is kept as a difference
		if (i == thread || !has_fault(m, FAULT_CLOCK_SPLIT))
			m->clock[i] = value - e->cycles;
	}
}

ENGINE_REGISTER_TABLES(KNC_REGISTERS)
static const uint8_t kind_at[] = {KNC_REGISTERS(ENGINE_KIND_AT)};

static const struct engine_hooks hooks[KINDS] = {
	[KIND_IA32_TIME_STAMP_COUNTER] = {.read = clock_read, .written = clock_written},
	[KIND_IA32_PERFEVTSEL] = {.written = select_written},
	[KIND_PERF_SPFLT_CONTROL] = {.read = knc_spflt_read, .written = knc_spflt_written},
	[KIND_IA32_PERF_GLOBAL_STATUS] = {.read = status_read},
	[KIND_IA32_PERF_GLOBAL_OVF_CTRL] = {.read = clear_read, .written = clear_written},
	[KIND_IA32_PERF_GLOBAL_CTRL] = {.written = global_written},
};

static const struct engine_registers registers = ENGINE_REGISTERS(knc_state, THREADS);

static bool knc_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct knc_state *m = state;

	*value = 0;
	if (!engine_read(&registers, &m->engine, thread, address, value))
		return false;
	if (has_fault(m, FAULT_COUNTER_STUCK) && address == MSR_IA32_PERFCNTR + 1)
		*value |= 1ULL << 17;
	return true;
}

// Table 1-1: at any privilege level, all 40 bits.
static bool knc_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	struct knc_state *m = state;

	*value = 0;
	if (index >= COUNTERS)
		return has_fault(m, FAULT_RDPMC_UNCHECKED);
	knc_read(state, thread, MSR_IA32_PERFCNTR + index, value);
	if (has_fault(m, FAULT_RDPMC_SHORT))
		*value = (uint32_t)*value;
	return true;
}

static bool knc_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct knc_state *m = state;

	if (!engine_write(&registers, &m->engine, thread, address, value, cycles)) {
		unsigned index;

		return has_fault(m, FAULT_ACCESS_UNCHECKED) &&
		       engine_locate(&registers, address, &index) != ENGINE_NO_KIND;
	}
	if (has_fault(m, FAULT_SIGN_EXTENDED) && address - MSR_IA32_PERFCNTR < COUNTERS)
		engine_set_count(&m->engine, COUNTERS * thread + address - MSR_IA32_PERFCNTR,
				 (uint64_t)(int64_t)(int32_t)value);
	return true;
}

// Guide, 1.4.4: after a cold and a warm reset all is 0.
static void knc_reset(void *state, int fault, uint64_t seed)
{
	struct knc_state *m = state;

	*m = (struct knc_state){.fault = fault};
	engine_reset(&m->engine, &rules, has_fault(m, FAULT_COUNTER_NARROW) ? 32 : KNC_COUNTER_WIDTH);
	engine_reset_registers(&registers, &m->engine, seed);
	for (unsigned i = 0; i < THREADS * COUNTERS; i++)
		follow_select(m, i);
	for (unsigned thread = 0; thread < THREADS && has_fault(m, FAULT_RESET_VALUE); thread++)
		m->file[thread][SLOT_IA32_PERF_GLOBAL_CTRL] = BOTH;
	knc_configure(m);
}

//
// What happens
//

static void knc_connect(void *state, const struct occurrence *occurrences, size_t count)
{
	engine_connect(state, occurrences, count, knc_sum);
}

static void knc_run(void *state, uint64_t cycles)
{
	engine_run(state, cycles);
}

// An instruction that executes completes its stage E; the clock gives it one cycle, so it does that once.
#define HAPPENS(event, of, at) {.code = (event), .sub = KNC_UMASK_P54C, .n = 1, .thread = (of), .level = (at)}
#define CLOCK(of, at)						\
	{							\
		HAPPENS(KNC_EVENT_RETIRED, of, at),		\
		HAPPENS(KNC_EVENT_STAGE_E, of, at),		\
		HAPPENS(KNC_EVENT_CYCLES, of, at),		\
	}
#define CLOCK_EVENTS 3
#define CLOCK_CYCLES 1		// the last one
#define CLOCK_LEVELS(of) {CLOCK(of, 0), CLOCK(of, 1), CLOCK(of, 2), CLOCK(of, 3)}

static const struct occurrence clock_signals[THREADS][LEVELS][CLOCK_EVENTS] = {
	CLOCK_LEVELS(0), CLOCK_LEVELS(1), CLOCK_LEVELS(2), CLOCK_LEVELS(3),
};

static const struct occurrence *knc_clock(unsigned thread, unsigned level, size_t *count)
{
	*count = CLOCK_EVENTS;
	return clock_signals[thread][level];
}

// Table 1-6, BRANCHES: of all kinds, taken or not.
static size_t knc_branch(const struct occurrence *branch, struct occurrence *occurrences)
{
	occurrences[0] = *branch;
	occurrences[0].code = KNC_EVENT_BRANCHES;
	occurrences[0].sub = KNC_UMASK_P54C;
	return 1;
}

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
#define SAVED_SELECTS(t) SAVED(uint64_t, file[t][SLOT_IA32_PERFEVTSEL], REGISTER_BITS(IA32_PERFEVTSEL, RW)), \
	SAVED(uint64_t, file[t][SLOT_LAST_IA32_PERFEVTSEL], REGISTER_BITS(IA32_PERFEVTSEL, RW))
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
	SAVED(uint32_t, preferred, OF_ALL_THREADS(BOTH)),
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

// Whether the lines are what status and selects make of them; threads have one clock, and prefer all counters or none.
static bool is_possible(const struct knc_state *m)
{
	bool possible = true;

	for (unsigned thread = 0; thread < THREADS; thread++) {
		const bool up = THREAD_SET(thread, m->saved.status & m->interrupting);
		const uint32_t preferred = THREAD_SET(thread, m->preferred);

		possible &= up == (m->lines >> thread & 1) && m->clock[thread] == m->clock[0] &&
			    (preferred == 0 || preferred == BOTH);
	}
	return possible;
}

static bool knc_restore(void *state)
{
	struct knc_state *m = state;

	for (unsigned thread = 0; thread < THREADS; thread++) {
		m->file[thread][SLOT_IA32_PERF_GLOBAL_CTRL] = THREAD_SET(thread, m->saved.global);
		m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] = THREAD_SET(thread, m->saved.status);
		m->file[thread][SLOT_PERF_SPFLT_CONTROL] = THREAD_SET(thread, m->saved.spflt);
	}
	for (unsigned i = 0; i < THREADS * COUNTERS; i++)
		follow_select(m, i);
	if (!is_possible(m))
		return false;
	knc_configure(m);
	return true;
}

const struct pmu_model pmu_model_knc = {
	.name = "knc",
	.size = sizeof(struct knc_state),
	.threads = THREADS,
	.registers = descriptions,
	.register_count = KINDS,
	.faults = fault_names,
	.reset = knc_reset,
	.read = knc_read,
	.write = knc_write,
	.read_counter = knc_read_counter,
	.spflt = knc_spflt,
	.clock_address = MSR_IA32_TIME_STAMP_COUNTER,
	.identify = knc_identify,
	.connect = knc_connect,
	.run = knc_run,
	.clock = knc_clock,
	.branch = knc_branch,
	.counts = knc_counts,
	.clock_cycles = CLOCK_CYCLES,
	.groups = groups,
	.group_count = sizeof groups / sizeof *groups,
	.has_init = true,
	.fields = fields,
	.field_count = sizeof fields / sizeof *fields,
	.sync = knc_sync,
	.restore = knc_restore,
};
