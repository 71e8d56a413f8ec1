// SPDX-License-Identifier: BSD-2-Clause
// Knights Corner's core PMU as the hardware behaves: four threads, each with two counters of 40 bits, an overflow
// status and a line to its APIC; and the time-stamp counter that they share. Registers and fields are in regs.h; what
// happens in a cycle comes in on the wires: an occurrence's `sub` is the event's whole unit mask. "The guide" is
// 327357-001, "Intel Xeon Phi Coprocessor (codename: Knights Corner) Performance Monitoring Units".

#include "model.h"
#include "model_tables.h"
#include "regs.h"

#define THREADS		KNC_THREADS
#define COUNTERS	(THREADS * KNC_COUNTERS)	// counter n of thread t is number 2t + n
#define LEVELS		4
#define UNITS		4			// of which unit masks 00H, 10H, 20H are used
#define ALL_LEVELS	0xFu

// Defects that can be switched on. The names are what a person writes: fault=spflt-ignored.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* IA32_PERF_GLOBAL_CTRL resets to 3 */ \
	F(SELECT_STUCK, "select-stuck")			/* bit 5 of select 1's unit mask never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 1 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 32 bits */ \
	F(SIGN_EXTENDED, "sign-extended")		/* a counter write takes 32 bits and extends them */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* writes of reserved bits and the like do not fault */ \
	F(RDPMC_SHORT, "rdpmc-short")			/* RDPMC gives 32 bits */ \
	F(RDPMC_UNCHECKED, "rdpmc-unchecked")		/* RDPMC of a counter that does not exist reads 0 */ \
	F(EN_IGNORED, "en-ignored")			/* EN clear: counts all the same */ \
	F(GLOBAL_IGNORED, "global-ignored")		/* counter 1 ignores IA32_PERF_GLOBAL_CTRL */ \
	F(USR_IGNORED, "usr-ignored")			/* levels 1 to 3 count without USR */ \
	F(OS_IGNORED, "os-ignored")			/* level 0 counts without OS */ \
	F(LEVELS_SWAPPED, "levels-swapped")		/* OS and USR are exchanged */ \
	F(ANY_IGNORED, "any-ignored")			/* thread count mode set: counts its own thread */ \
	F(ANY_ALWAYS, "any-always")			/* thread count mode clear: counts all threads */ \
	F(NO_THREAD_FILTERED, "no-thread-filtered")	/* without it, events of no thread count for who executes */ \
	F(THREADS_SHARE, "threads-share")		/* the threads have one IA32_PERF_GLOBAL_CTRL */ \
	F(SPFLT_IGNORED, "spflt-ignored")		/* counters do not look at the preference */ \
	F(SPFLT_INVERTED, "spflt-inverted")		/* they count while it is clear */ \
	F(SPFLT_ALWAYS, "spflt-always")			/* all do, whether they are left to it or not */ \
	F(SPFLT_LOST, "spflt-lost")			/* the instruction leaves the preference as it is */ \
	F(CMASK_WRONG, "cmask-wrong")			/* greater than, not greater or equal */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(ILLEGAL_COUNTED, "illegal-counted")		/* an event that does not exist counts cycles */ \
	F(EVENT_0_UNUSED, "event-0-unused")		/* event 0 with unit mask 0 counts nothing */ \
	F(UMASK_IGNORED, "umask-ignored")		/* an event code counts whatever the unit is */ \
	F(HALT_COUNTED, "halt-counted")			/* counters count while all threads are halted */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(STATUS_FADES, "status-fades")			/* reading the status clears it */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* of several overflows in a cycle one is seen */ \
	F(CLEAR_ALL, "clear-all")			/* clearing one status bit clears both */ \
	F(CLEAR_LOST, "clear-lost")			/* status bits cannot be cleared */ \
	F(INT_MISSING, "int-missing")			/* INT set: no interrupt */ \
	F(INT_ALWAYS, "int-always")			/* INT clear: interrupt all the same */ \
	F(LINE_STUCK, "line-stuck")			/* the line does not fall */ \
	F(LINE_REPEATS, "line-repeats")			/* an overflow interrupts although the line is up */ \
	F(LINE_OF_THREAD_0, "line-of-thread-0")		/* all threads' lines lead to thread 0 */ \
	F(CLOCK_STOPS, "clock-stops")			/* the time-stamp counter stops with the counters */ \
	F(CLOCK_HALTS, "clock-halts")			/* it stops while all threads are halted */ \
	F(CLOCK_SPLIT, "clock-split")			/* a write of it reaches the writing thread only */

MODEL_FAULTS(FAULTS)

struct counter {
	uint64_t count;
	uint64_t step;			// if it moves: what it adds in a cycle, the wires as they are
	// Made from its select: its event (code and unit mask); threads and levels (bits) whose occurrences it counts,
	// if they are threads' own; what makes a condition of the number of events.
	uint16_t event;
	uint8_t threads, levels;
	uint16_t least;
	bool inverted, edge;
};

// Sets of counters have a bit for each.
struct knc_state {
	struct model_outputs outputs;	// quiet counts down as cycles pass
	struct counter counter[COUNTERS];
	uint64_t select[COUNTERS];
	uint64_t clock[THREADS];	// each thread's view of the time-stamp counter, less `cycles`
	uint64_t cycles;		// since reset
	uint64_t mask;			// of a count

	// The other registers: global control, overflow status, SPFLT enables; the counters of threads that prefer to
	// count.
	unsigned global, status, spflt, preferred;

	// Made from the selects: EN is set and the event exists; INT; some levels only; branches; a condition is
	// counted, not events. And those that count an event; those that count a thread's occurrences at a level.
	unsigned enabled, interrupting, by_level, of_branches, comparing;
	uint8_t of_event[UNITS][1 << IA32_PERFEVTSEL_EVENT_WIDTH];
	uint8_t accepting[THREADS][LEVELS];

	unsigned counting;		// enabled by all that enable
	unsigned lines;			// threads (bits) whose line is up
	unsigned raising;		// counters whose overflow raises a line

	const struct occurrence *wires;
	size_t wire_count;
	uint8_t level[THREADS];		// at which they execute, or executed last

	// Made from wires and registers: counters that have a step; whose condition holds; that count its edge in the
	// next cycle, and not behind it. And those whose condition held in the last cycle.
	unsigned moving, condition, edges, asserted;

	uint64_t pending;		// cycles that have passed and are not in the counters yet
	int fault;
};

static inline bool has_fault(const struct knc_state *m, int fault)
{
	return __builtin_expect(m->fault == fault, false);
}

// Counters of a thread, and of all threads, by bits that are the same for each.
#define OF_THREAD(thread, bits)	((unsigned)(bits) << KNC_COUNTERS * (thread))
#define BOTH			((1u << KNC_COUNTERS) - 1)
#define OF_ALL_THREADS(bits)	(0x55u * (bits))

_Static_assert(COUNTERS == 8 && KNC_COUNTERS == 2, "OF_ALL_THREADS");

static unsigned get_bits(unsigned set, unsigned thread)
{
	return set >> KNC_COUNTERS * thread & BOTH;
}

static void put_bits(unsigned *set, unsigned thread, unsigned bits)
{
	*set = (*set & ~OF_THREAD(thread, BOTH)) | OF_THREAD(thread, bits & BOTH);
}

static void put_bit(unsigned *set, unsigned bit, bool value)
{
	*set = (*set & ~(1u << bit)) | (unsigned)value << bit;
}

static void put_small(uint8_t *set, unsigned bit, bool value)
{
	*set = (uint8_t)((*set & ~(1u << bit)) | (unsigned)value << bit);
}

//
// What a counter sees in a cycle
//

// Counters that count an occurrence.
static inline unsigned counted_by(const struct knc_state *m, const struct occurrence *o)
{
	if (o->code >> IA32_PERFEVTSEL_EVENT_WIDTH || o->sub & ~KNC_UMASK_UNIT || !o->n)
		return 0;
	return m->of_event[o->sub / KNC_UMASK_CRI][o->code] & m->accepting[o->thread][o->level] & m->counting;
}

// Makes the steps the numbers of events.
static inline void add_up(struct knc_state *m)
{
	unsigned moving = 0;

	for (const struct occurrence *o = m->wires, *end = o + m->wire_count; o < end; o++) {
		const unsigned counters = counted_by(m, o);

		for (unsigned rest = counters; rest; rest &= rest - 1) {
			const unsigned i = (unsigned)__builtin_ctz(rest);
			uint64_t *step = &m->counter[i].step;

			*step = (moving >> i & 1 ? *step : 0) + o->n;
		}
		moving |= counters;
	}
	m->moving = moving;
}

__attribute__((noinline)) static void add_faulty_events(struct knc_state *m)
{
	if (!has_fault(m, FAULT_HALT_COUNTED) || m->wire_count)
		return;
	for (unsigned i = 0; i < COUNTERS; i++)
		m->counter[i].step = 1;
	m->moving = m->counting;
}

// Whether a thread whose events a counter sees is at one of its levels.
static bool is_at_level(const struct knc_state *m, const struct counter *c)
{
	for (unsigned thread = 0; thread < THREADS; thread++)
		if (c->threads >> thread & 1 && c->levels >> m->level[thread] & 1)
			return true;
	return false;
}

// Table 1-5, CMASK and INV. The levels enable a counter, so that it counts a cycle without events only while a thread
// is at one of them.
static bool holds(const struct knc_state *m, const struct counter *c, uint64_t events)
{
	return c->inverted ? events < c->least && is_at_level(m, c) : events >= c->least;
}

// Makes of the numbers of events what counters add that count conditions.
__attribute__((noinline)) static void compare(struct knc_state *m)
{
	for (unsigned rest = m->comparing & m->counting; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		struct counter *c = &m->counter[i];
		const bool condition = holds(m, c, m->moving >> i & 1 ? c->step : 0);
		const bool rises = condition && !(m->asserted >> i & 1);

		c->step = 1;
		put_bit(&m->condition, i, condition);
		put_bit(&m->moving, i, c->edge ? rises : condition);
		put_bit(&m->edges, i, c->edge && rises);
	}
}

// Redoes `quiet`. The counters must be up to date. Without an overflow that raises a line it starts so high that it
// never runs out. An edge adds one, in the next cycle.
static inline void measure(struct knc_state *m)
{
	const unsigned raising = m->raising & m->moving;
	uint64_t quiet = UINT64_MAX;

	for (unsigned rest = raising & ~m->edges; rest; rest &= rest - 1) {
		const struct counter *c = &m->counter[__builtin_ctz(rest)];
		uint64_t room = m->mask - c->count, cycles = c->step == 1 ? room : room / c->step;

		if (cycles < quiet)
			quiet = cycles;
	}
	for (unsigned rest = raising & m->edges; rest; rest &= rest - 1)
		if (m->counter[__builtin_ctz(rest)].count == m->mask)
			quiet = 0;
	m->outputs.quiet = quiet;
}

// Redoes everything that depends on wires and registers. The counters must be up to date.
static inline void derive(struct knc_state *m)
{
	add_up(m);
	if (__builtin_expect(m->fault != NO_FAULT, false))
		add_faulty_events(m);
	m->condition = m->moving;
	m->edges = 0;
	if (m->comparing & m->counting)
		compare(m);
	measure(m);
}

//
// Overflows
//

// A thread's line is up while a counter of it that interrupts has its status bit set.
static void update_lines(struct knc_state *m)
{
	const unsigned up = m->status & m->interrupting;

	m->raising = m->interrupting;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const unsigned line = 1u << thread;

		if (!get_bits(up, thread)) {
			m->lines &= has_fault(m, FAULT_LINE_STUCK) ? ~0u : ~line;
		} else if (!(m->lines & line)) {
			m->lines |= line;
			m->outputs.requests |= has_fault(m, FAULT_LINE_OF_THREAD_0) ? 1 : line;
		}
		if (m->lines & line && !has_fault(m, FAULT_LINE_REPEATS))
			put_bits(&m->raising, thread, 0);
	}
}

__attribute__((noinline)) static void overflow(struct knc_state *m, unsigned wrapped)
{
	if (has_fault(m, FAULT_SIMULTANEOUS_LOST))
		wrapped &= -wrapped;
	if (!has_fault(m, FAULT_STATUS_LOST))
		m->status |= wrapped;
	update_lines(m);
	for (unsigned thread = 0; thread < THREADS; thread++)
		if (has_fault(m, FAULT_LINE_REPEATS) && get_bits(wrapped & m->interrupting, thread))
			m->outputs.requests |= 1u << thread;
}

//
// The passing of cycles
//

__attribute__((noinline)) static bool clock_stands(const struct knc_state *m)
{
	return (has_fault(m, FAULT_CLOCK_STOPS) && !m->global) || (has_fault(m, FAULT_CLOCK_HALTS) && !m->wire_count);
}

// Lets cycles pass, at least one. Nothing that an overflow does depends on how often it happens, or in which order, so
// that any number of cycles is one step.
static inline void pass(struct knc_state *m, uint64_t cycles)
{
	unsigned wrapped = 0;

	m->asserted = m->condition;
	if (__builtin_expect(m->fault == NO_FAULT, true) || !clock_stands(m))
		m->cycles += cycles;
	for (unsigned rest = m->moving; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		struct counter *c = &m->counter[i];
		unsigned __int128 sum = (unsigned __int128)c->step * cycles + c->count;

		c->count = (uint64_t)sum & m->mask;
		wrapped |= (unsigned)(sum > m->mask) << i;
	}
	if (__builtin_expect(wrapped, 0))
		overflow(m, wrapped);
}

// Brings the counters up to date. No line rises with what has passed.
static inline void settle(struct knc_state *m)
{
	uint64_t cycles = m->pending;

	if (!cycles)
		return;
	m->pending = 0;
	pass(m, cycles);
}

// An edge is one cycle's. The counters must be up to date.
static void pass_edges(struct knc_state *m)
{
	pass(m, 1);
	m->moving &= ~m->edges;
	m->edges = 0;
}

// Cycles in which an edge or an overflow that raises a line happens.
__attribute__((noinline)) static void run_eventful(struct knc_state *m, uint64_t cycles)
{
	settle(m);
	if (cycles && m->edges) {
		pass_edges(m);
		cycles--;
	}
	if (cycles)
		pass(m, cycles);
	measure(m);
}

static void knc_run(void *state, uint64_t cycles)
{
	struct knc_state *m = state;

	if (__builtin_expect(cycles > m->outputs.quiet || m->edges, false)) {
		run_eventful(m, cycles);
		return;
	}
	m->outputs.quiet -= cycles;
	m->pending += cycles;
}

static void knc_wires(void *state, const struct occurrence *occurrences, size_t count)
{
	struct knc_state *m = state;

	settle(m);
	m->wires = count ? occurrences : &nothing;
	m->wire_count = count;
	for (size_t i = 0; i < count; i++)
		m->level[occurrences[i].thread] = occurrences[i].level;
	derive(m);
}

//
// Events
//

// Table 1-6: of each unit mask the event codes that exist.
static const uint8_t p54c_events[] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x06, 0x09, 0x0A, 0x0C, 0x0D, 0x0E, 0x11, 0x12, 0x15, 0x16, 0x17, 0x1C, 0x1E,
	0x1F, 0x20, 0x21, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x37, 0x38, 0x3A, 0x3B,
};
static const uint8_t cri_events[] = {
	0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xD7, 0xE3, 0xE6, 0xE7, 0xF0, 0xF1, 0xF2, 0xF5, 0xF6, 0xF7, 0xFC, 0xFD, 0xFE,
	0xFF,
};
static const uint8_t vpu_events[] = {0x00, 0x01, 0x03, 0x04, 0x05, 0x16, 0x17, 0x18};

// Of unit mask 10H: those that counter 1 does not count (Linux, arch/x86/events/intel/knc.c: knc_event_constraints).
static const uint8_t counter_0_events[] = {
	0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xD7, 0xE3, 0xE6, 0xE7, 0xF1, 0xF2, 0xF6, 0xF7, 0xFC, 0xFD, 0xFE, 0xFF,
};

static bool is_among(const uint8_t *codes, size_t count, unsigned code)
{
	for (size_t i = 0; i < count; i++)
		if (codes[i] == code)
			return true;
	return false;
}

#define IS_AMONG(codes, code) is_among(codes, sizeof (codes), code)

// Of unit mask 10H: events without a thread-specific context (Table 1-5, Thread Count Mode). Table 1-6 does not say
// which these are: requests of other agents, which are answered whatever the core's threads execute.
static const uint8_t no_thread_events[] = {0xD7, 0xE3, 0xE6, 0xE7};

static bool is_of_no_thread(uint16_t event)
{
	return event >> 8 == KNC_UMASK_CRI && IS_AMONG(no_thread_events, event & 0xFF);
}

// Whether an event exists, and counter 0 or 1 of a thread counts it.
static bool is_event(unsigned code, unsigned umask, unsigned counter)
{
	switch (umask) {
	case KNC_UMASK_P54C:
		return IS_AMONG(p54c_events, code);
	case KNC_UMASK_CRI:
		return IS_AMONG(cri_events, code) && (counter == 0 || !IS_AMONG(counter_0_events, code));
	case KNC_UMASK_VPU:
		return IS_AMONG(vpu_events, code);
	}
	return false;
}

//
// Registers
//

MODEL_REGISTER_TABLE(KNC_REGISTERS, REGISTER_NUMBERED)
static const struct register_rule rules[] = {KNC_REGISTERS(REGISTER_RULE)};

// What each address is, counted from 1; 0: no register.
static const uint8_t kind_at[] = {KNC_REGISTERS(REGISTER_KIND_AT)};

// Which register an address is; REGISTER_KINDS if none.
static unsigned locate(uint32_t address)
{
	unsigned kind = address < sizeof kind_at ? kind_at[address] : 0;

	return kind ? kind - 1 : REGISTER_KINDS;
}

static uint64_t read_status(struct knc_state *m, unsigned thread)
{
	uint64_t status = get_bits(m->status, thread);

	if (has_fault(m, FAULT_STATUS_FADES))
		put_bits(&m->status, thread, 0);
	return status;
}

// With what it has counted in the cycles that are pending: the other counters may wait.
static uint64_t read_counter(const struct knc_state *m, unsigned thread, unsigned counter)
{
	const unsigned i = KNC_COUNTERS * thread + counter;
	uint64_t count = m->counter[i].count;

	if (m->moving >> i & 1)
		count = (count + m->counter[i].step * m->pending) & m->mask;
	if (has_fault(m, FAULT_COUNTER_STUCK) && counter == 1)
		count |= 1ULL << 17;
	return count;
}

static uint64_t read_spflt(const struct knc_state *m, unsigned thread)
{
	return FIELD_PUT(PERF_SPFLT_CONTROL, SPFLT_ENABLE, get_bits(m->spflt, thread)) |
	       FIELD_PUT(PERF_SPFLT_CONTROL, USER_PREF, get_bits(m->preferred, thread) != 0);
}

__attribute__((noinline)) static bool read_other(struct knc_state *m, unsigned thread, uint32_t address,
						 uint64_t *value)
{
	*value = 0;
	switch (locate(address)) {
	case KIND_IA32_TIME_STAMP_COUNTER:
		settle(m);
		*value = m->cycles + m->clock[thread];
		return true;
	case KIND_IA32_PERFEVTSEL:
		*value = m->select[KNC_COUNTERS * thread + address - MSR_IA32_PERFEVTSEL];
		return true;
	case KIND_PERF_SPFLT_CONTROL:
		*value = read_spflt(m, thread);
		return true;
	case KIND_IA32_PERF_GLOBAL_STATUS:
		settle(m);
		*value = read_status(m, thread);
		return true;
	case KIND_IA32_PERF_GLOBAL_OVF_CTRL:
		return has_fault(m, FAULT_ACCESS_UNCHECKED);
	case KIND_IA32_PERF_GLOBAL_CTRL:
		*value = get_bits(m->global, thread);
		return true;
	}
	return false;
}

// Counters are what is read most often.
static bool knc_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	if (address - MSR_IA32_PERFCNTR >= KNC_COUNTERS)
		return read_other(state, thread, address, value);
	*value = read_counter(state, thread, address - MSR_IA32_PERFCNTR);
	return true;
}

// Table 1-1: at any privilege level, all 40 bits.
static bool knc_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	struct knc_state *m = state;

	*value = 0;
	if (index >= KNC_COUNTERS)
		return has_fault(m, FAULT_RDPMC_UNCHECKED);
	*value = read_counter(m, thread, index);
	if (has_fault(m, FAULT_RDPMC_SHORT))
		*value = (uint32_t)*value;
	return true;
}

// Counters that are left to their thread's preference and are not preferred.
static unsigned filtered(const struct knc_state *m)
{
	if (has_fault(m, FAULT_SPFLT_IGNORED))
		return 0;
	if (has_fault(m, FAULT_SPFLT_INVERTED))
		return m->spflt & m->preferred;
	return (has_fault(m, FAULT_SPFLT_ALWAYS) ? ~0u : m->spflt) & ~m->preferred;
}

// Follows registers that have new values.
static void configure(struct knc_state *m)
{
	unsigned allowed = m->global | (has_fault(m, FAULT_GLOBAL_IGNORED) ? OF_ALL_THREADS(2) : 0);

	m->counting = m->enabled & allowed & ~filtered(m);
	m->outputs.level_matters = m->counting & m->by_level;
	m->outputs.branches_matter = m->counting & m->of_branches;
	update_lines(m);
	derive(m);
}

static uint8_t selected_levels(const struct knc_state *m, uint64_t select)
{
	bool os = select & FIELD(IA32_PERFEVTSEL, OS) || has_fault(m, FAULT_OS_IGNORED);
	bool usr = select & FIELD(IA32_PERFEVTSEL, USR) || has_fault(m, FAULT_USR_IGNORED);

	return has_fault(m, FAULT_LEVELS_SWAPPED) ? usr | os * (ALL_LEVELS - 1) : os | usr * (ALL_LEVELS - 1);
}

#define ALL_THREADS ((1u << THREADS) - 1)

static uint8_t selected_threads(const struct knc_state *m, uint64_t select, unsigned thread)
{
	bool any = select & FIELD(IA32_PERFEVTSEL, THREAD_COUNT_MODE) ? !has_fault(m, FAULT_ANY_IGNORED)
								       : has_fault(m, FAULT_ANY_ALWAYS);

	return any ? ALL_THREADS : 1u << thread;
}

// Files a counter under its event, or takes it out.
static void file_event(struct knc_state *m, unsigned i, bool in)
{
	const unsigned event = m->counter[i].event, code = event & 0xFF;

	for (unsigned unit = 0; unit < UNITS; unit++)
		if (unit == event / (KNC_UMASK_CRI << 8) || !in || has_fault(m, FAULT_UMASK_IGNORED))
			put_small(&m->of_event[unit][code], i, in);
}

// A condition is that an event happens, or what CMASK makes of it. Without CMASK nothing is compared, so that there is
// nothing to invert.
static void select_condition(struct knc_state *m, unsigned i, uint64_t select)
{
	const uint16_t cmask = (uint16_t)FIELD_GET(IA32_PERFEVTSEL, CMASK, select);
	struct counter *c = &m->counter[i];

	c->edge = select & FIELD(IA32_PERFEVTSEL, E) && !has_fault(m, FAULT_EDGE_IGNORED);
	c->inverted = cmask && select & FIELD(IA32_PERFEVTSEL, INV) && !has_fault(m, FAULT_INV_IGNORED);
	c->least = cmask ? (uint16_t)(cmask + has_fault(m, FAULT_CMASK_WRONG)) : 1;
	put_bit(&m->comparing, i, cmask || c->edge);
}

// Table 1-5, Thread Count Mode: "Events which have no thread-specific context will always be counted regardless".
static void select_occurrences(struct knc_state *m, unsigned i, uint64_t select)
{
	struct counter *c = &m->counter[i];
	const bool of_all = is_of_no_thread(c->event) && !has_fault(m, FAULT_NO_THREAD_FILTERED);
	unsigned threads;

	c->levels = selected_levels(m, select);
	c->threads = selected_threads(m, select, i / KNC_COUNTERS);
	threads = of_all ? ALL_THREADS : c->threads;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned level = 0; level < LEVELS; level++)
			put_small(&m->accepting[thread][level], i, threads >> thread & c->levels >> level & 1);
	put_bit(&m->by_level, i, c->levels && c->levels != ALL_LEVELS);
}

// The event that a select makes a counter count; false: there is none.
static bool select_event(const struct knc_state *m, unsigned i, uint64_t select, uint16_t *event)
{
	const unsigned code = (unsigned)FIELD_GET(IA32_PERFEVTSEL, EVENT, select);
	const unsigned umask = (unsigned)FIELD_GET(IA32_PERFEVTSEL, UMASK, select);
	bool exists = is_event(code, umask, i % KNC_COUNTERS);

	if (has_fault(m, FAULT_EVENT_0_UNUSED) && code == 0 && umask == 0)
		exists = false;
	*event = exists ? (uint16_t)(code | umask << 8) : KNC_EVENT_CYCLES;
	return exists || has_fault(m, FAULT_ILLEGAL_COUNTED);
}

static void set_select(struct knc_state *m, unsigned i, uint64_t select)
{
	const bool en = select & FIELD(IA32_PERFEVTSEL, EN), interrupts = select & FIELD(IA32_PERFEVTSEL, INT);
	bool exists;

	m->select[i] = select;
	file_event(m, i, false);
	exists = select_event(m, i, select, &m->counter[i].event);
	file_event(m, i, true);
	select_occurrences(m, i, select);
	select_condition(m, i, select);
	put_bit(&m->enabled, i, exists && (en || has_fault(m, FAULT_EN_IGNORED)));
	put_bit(&m->interrupting, i, interrupts ? !has_fault(m, FAULT_INT_MISSING) : has_fault(m, FAULT_INT_ALWAYS));
	put_bit(&m->of_branches, i, m->counter[i].event == KNC_EVENT_BRANCHES);
}

static uint64_t held_select(const struct knc_state *m, unsigned counter, uint64_t value)
{
	bool stuck = has_fault(m, FAULT_SELECT_STUCK) && counter == 1;

	return value & rules[KIND_IA32_PERFEVTSEL].writable & ~(stuck ? FIELD_PUT(IA32_PERFEVTSEL, UMASK, 0x20) : 0);
}

static uint64_t counter_value(const struct knc_state *m, uint64_t value)
{
	return (has_fault(m, FAULT_SIGN_EXTENDED) ? (uint64_t)(int64_t)(int32_t)value : value) & m->mask;
}

// Guide, Table 1-2: the clock is not threaded, so that all threads see what one writes.
static void set_clock(struct knc_state *m, unsigned thread, uint64_t value)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (i == thread || !has_fault(m, FAULT_CLOCK_SPLIT))
			m->clock[i] = value - m->cycles;
}

static void clear_status(struct knc_state *m, unsigned thread, uint64_t value)
{
	unsigned cleared = value & BOTH;

	if (has_fault(m, FAULT_CLEAR_LOST))
		cleared = 0;
	if (has_fault(m, FAULT_CLEAR_ALL) && cleared)
		cleared = BOTH;
	m->status &= ~OF_THREAD(thread, cleared);
}

static void set_global(struct knc_state *m, unsigned thread, uint64_t value)
{
	put_bits(&m->global, thread, (unsigned)value);
	if (has_fault(m, FAULT_THREADS_SHARE))
		m->global = OF_ALL_THREADS((unsigned)value & BOTH);
}

static void prefer(struct knc_state *m, unsigned thread, bool count)
{
	put_bits(&m->preferred, thread, count ? BOTH : 0);
}

// Gives a register its new value. The counters must be up to date.
static void write_register(struct knc_state *m, unsigned thread, unsigned kind, unsigned counter, uint64_t value)
{
	const unsigned i = KNC_COUNTERS * thread + counter;

	switch (kind) {
	case KIND_IA32_TIME_STAMP_COUNTER:
		set_clock(m, thread, value);
		break;
	case KIND_IA32_PERFCNTR:
		m->counter[i].count = counter_value(m, value);
		break;
	case KIND_IA32_PERFEVTSEL:
		set_select(m, i, held_select(m, counter, value));
		break;
	case KIND_PERF_SPFLT_CONTROL:
		put_bits(&m->spflt, thread, FIELD_GET(PERF_SPFLT_CONTROL, SPFLT_ENABLE, value));
		prefer(m, thread, FIELD_GET(PERF_SPFLT_CONTROL, USER_PREF, value));
		break;
	case KIND_IA32_PERF_GLOBAL_OVF_CTRL:
		clear_status(m, thread, value);
		break;
	case KIND_IA32_PERF_GLOBAL_CTRL:
		set_global(m, thread, value);
		break;
	}
	configure(m);
}

static bool knc_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct knc_state *m = state;
	const unsigned kind = locate(address);

	if (kind == REGISTER_KINDS)
		return false;
	if (value & rules[kind].reserved || !(rules[kind].writable | rules[kind].clears))
		return has_fault(m, FAULT_ACCESS_UNCHECKED);
	knc_run(m, cycles);
	settle(m);
	write_register(m, thread, kind, address - descriptions[kind].address, value);
	return true;
}

static void knc_prefer(void *state, unsigned thread, bool count, uint64_t cycles)
{
	struct knc_state *m = state;

	knc_run(m, cycles);
	settle(m);
	if (has_fault(m, FAULT_SPFLT_LOST))
		return;
	prefer(m, thread, count);
	configure(m);
}

// Guide, 1.4.4: after a cold and a warm reset all is 0.
static void knc_reset(void *state, int fault, uint64_t seed)
{
	struct knc_state *m = state;

	(void)seed;
	*m = (struct knc_state){.fault = fault, .wires = &nothing};
	m->mask = FIELD_MASK(0, has_fault(m, FAULT_COUNTER_NARROW) ? 32 : KNC_COUNTER_WIDTH);
	for (unsigned i = 0; i < COUNTERS; i++)
		set_select(m, i, REGISTER_RESET(IA32_PERFEVTSEL));
	m->global = has_fault(m, FAULT_RESET_VALUE) ? OF_ALL_THREADS(BOTH) : 0;
	configure(m);
}

//
// What the processor says of itself, and what an instruction clock can say to it
//

// Vendor "GenuineIntel" in EBX, EDX, ECX of leaf 0; family 0BH, model 1, stepping 3 in EAX of leaf 1.
#define CPUID_LAST		4
#define CPUID_0_EBX		0x756E6547
#define CPUID_0_ECX		0x6C65746E
#define CPUID_0_EDX		0x49656E69
#define CPUID_1_EAX		0x00000B13
#define CPUID_1_EBX_THREADS	0x00FF0000u	/* logical processors of the package */
#define CPUID_1_EDX_HTT		(1u << 28)
#define CPUID_4_EAX_SHARED	0xFFFFC000u	/* 25:14 threads that share the cache, 31:26 cores, each less 1 */
#define CPUID_4_EAX_TYPE	0x1Fu
#define CPUID_HYPERVISORS	0x40000000	/* leaves that are no processor's */
#define CPUID_EXTENDED_1	0x80000001
#define CPUID_EXTENDED_1_ECX	0x00000001u	/* LAHF */

// The feature bits, as /proc/cpuinfo shows them on a Knights Corner coprocessor of 60 cores (github.com/mesonbuild/
// meson, 9067): FPU, VME, DE, PSE, TSC, MSR, PAE, MCE, CX8, APIC, MTRR, MCA, PAT, FXSR, HTT of leaf 1; SYSCALL, NX,
// LM, LAHF of leaf 80000001H. There is no CMOV, CLFLUSH, MMX or SSE, and nothing in ECX of leaf 1.
#define CPUID_1_EDX		0x110153FFu
#define CPUID_EXTENDED_1_EDX	0x20100800u

// One core with its threads; what the machine below has of the features that this processor has.
static void knc_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)subleaf;
	if (leaf == 0) {
		registers[0] = CPUID_LAST;
		registers[1] = CPUID_0_EBX;
		registers[2] = CPUID_0_ECX;
		registers[3] = CPUID_0_EDX;
	} else if (leaf == 1) {
		registers[0] = CPUID_1_EAX;
		registers[1] = (registers[1] & ~CPUID_1_EBX_THREADS) | THREADS << 16;
		registers[2] = 0;
		registers[3] = (registers[3] & CPUID_1_EDX) | CPUID_1_EDX_HTT;
	} else if (leaf == CPUID_LAST && registers[0] & CPUID_4_EAX_TYPE) {
		registers[0] = (registers[0] & ~CPUID_4_EAX_SHARED) | (THREADS - 1) << 14;
	} else if (leaf > CPUID_LAST && leaf < CPUID_HYPERVISORS) {
		registers[0] = registers[1] = registers[2] = registers[3] = 0;
	} else if (leaf == CPUID_EXTENDED_1) {
		registers[2] &= CPUID_EXTENDED_1_ECX;
		registers[3] &= CPUID_EXTENDED_1_EDX;
	}
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

static const struct occurrence clock_wires[THREADS][LEVELS][CLOCK_EVENTS] = {
	CLOCK_LEVELS(0), CLOCK_LEVELS(1), CLOCK_LEVELS(2), CLOCK_LEVELS(3),
};

static const struct occurrence *knc_clock(unsigned thread, unsigned level, size_t *count)
{
	*count = CLOCK_EVENTS;
	return clock_wires[thread][level];
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
	return o->code == code && o->sub == umask && is_event(code, umask, 0);
}

//
// What a carrier leaves out, and what is saved
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

#define SAVED(type, member, bits) MODEL_FIELD(knc_state, type, member, bits)

static const struct model_field fields[] = {
	SAVED(uint32_t, outputs.requests, (1u << THREADS) - 1),
	MODEL_FIELD_EACH(knc_state, uint64_t, counter, count, FIELD_MASK(0, KNC_COUNTER_WIDTH)),
	SAVED(uint64_t, select, REGISTER_BITS(IA32_PERFEVTSEL, RW)),
	SAVED(uint64_t, clock, ~0ULL),
	SAVED(uint64_t, cycles, ~0ULL),
	SAVED(unsigned, global, OF_ALL_THREADS(BOTH)),
	SAVED(unsigned, status, OF_ALL_THREADS(BOTH)),
	SAVED(unsigned, spflt, OF_ALL_THREADS(BOTH)),
	SAVED(unsigned, preferred, OF_ALL_THREADS(BOTH)),
	SAVED(unsigned, lines, (1u << THREADS) - 1),
	SAVED(uint8_t, level, LEVELS - 1),
	SAVED(unsigned, asserted, OF_ALL_THREADS(BOTH)),
};

static void knc_settle(void *state)
{
	struct knc_state *m = state;

	settle(m);
}

// Whether the lines are what status and selects make of them; threads have one clock, and prefer all counters or none.
static bool is_possible(const struct knc_state *m)
{
	bool possible = true;

	for (unsigned thread = 0; thread < THREADS; thread++) {
		const bool up = get_bits(m->status & m->interrupting, thread);
		const unsigned preferred = get_bits(m->preferred, thread);

		possible &= up == (m->lines >> thread & 1) && m->clock[thread] == m->clock[0] &&
			    (preferred == 0 || preferred == BOTH);
	}
	return possible;
}

static bool knc_adopt(void *state)
{
	struct knc_state *m = state;

	for (unsigned i = 0; i < COUNTERS; i++)
		set_select(m, i, m->select[i]);
	if (!is_possible(m))
		return false;
	configure(m);
	return true;
}

const struct pmu_model pmu_model_knc = {
	.name = "knc",
	.size = sizeof(struct knc_state),
	.threads = THREADS,
	.registers = descriptions,
	.register_count = REGISTER_KINDS,
	.faults = fault_names,
	.reset = knc_reset,
	.read = knc_read,
	.write = knc_write,
	.read_counter = knc_read_counter,
	.prefer = knc_prefer,
	.clock_address = MSR_IA32_TIME_STAMP_COUNTER,
	.identify = knc_identify,
	.wires = knc_wires,
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
	.settle = knc_settle,
	.adopt = knc_adopt,
};
