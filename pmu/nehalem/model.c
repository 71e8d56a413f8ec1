// SPDX-License-Identifier: BSD-2-Clause
// The Core i7 / Xeon 5500 core PMU as the hardware behaves: two threads, each with four general and three fixed
// counters of 48 bits, precise records (PEBS) and branch records (LBR). Registers and fields are in regs.h; what
// happens in a cycle comes in on the wires.

#include "model.h"
#include "model_tables.h"
#include "regs.h"

#define THREADS		2
#define GENERAL		NEHALEM_GENERAL_COUNTERS
#define COUNTERS	(NEHALEM_GENERAL_COUNTERS + NEHALEM_FIXED_COUNTERS)
#define WIDTH		NEHALEM_COUNTER_WIDTH
#define THREAD_SIZE	1024		// a power of two: a thread is found by a shift
#define FAULTY_FIXED	(GENERAL + 1)	/* the first of the fixed counters that some defects are about: cycles */

// Cycles from an overflow until the next event is recorded. The guide ("Shadowing") says that there are some, and not
// how many.
#define PEBS_SHADOW	8

// What one call of `run` tries to record at most: far more than a buffer holds. A carrier that stops when it should
// never gets there; one that does not must not be held up for ever by buffers that lie upon each other.
#define RECORDS_PER_RUN	65536

// Defects that can be switched on. The names are what a person writes: fault=freeze-missing.
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

MODEL_FAULTS(FAULTS)

struct nehalem_thread {
	_Alignas(MODEL_ALIGNMENT)
	uint64_t select[GENERAL];
	uint64_t counter[COUNTERS];	// general, then fixed
	uint64_t step[COUNTERS];	// what each adds in a cycle, with the wires as they are
	uint64_t fixed_control, global_control, global_status, overflow_control, debugctl, capabilities;
	// Counters by their bits in the global registers: those their own control enables; for edge detection, what
	// CMASK and INV make of the present wires, and what they made of the last cycle's.
	uint64_t enabled, condition, asserted;
	uint8_t level;			// privilege level of what it executes, or executed last
	// Precise events, load latency, offcore response, branch records. Of what the threads of a core share each
	// has a copy.
	uint64_t pebs_enable, load_latency, ds_area, offcore_response, lbr_select, lbr_tos;
	uint64_t lbr_from[NEHALEM_BRANCH_RECORDS], lbr_to[NEHALEM_BRANCH_RECORDS];
	uint64_t armed;			// counters that have overflowed and whose record is due, and of each of these
	uint64_t shadow[GENERAL];	// the cycles in which its events are not recorded yet
	uint64_t unused[32];		// up to THREAD_SIZE
};

_Static_assert(sizeof(struct nehalem_thread) == THREAD_SIZE, "a power of two");

// A counter that moves while the wires stay as they are.
struct moving_counter {
	uint8_t thread, counter;
	uint8_t interrupts, freezes;	// what its overflow does
	uint8_t precise;		// its overflow arms a record instead
	uint8_t edge;			// it moves in the next cycle only
};

struct nehalem_state {
	struct model_outputs outputs;	// quiet counts down as cycles pass
	struct nehalem_thread thread[THREADS];
	const struct occurrence *wires;
	size_t wire_count;

	// Made from wires and registers by `derive`, when either changes.
	struct moving_counter moving[THREADS * COUNTERS];
	unsigned moving_count;
	bool edge_due;			// a condition has changed: steps of edge counters hold for one cycle only
	bool branches_due;		// each cycle has branches that are recorded

	// Cycles that can pass before a counter overflows, counting down as they reach the counters, or 0 while each
	// cycle must be looked at; before that freezes a thread, and before a record is written, both good right after
	// `measure`. With nothing to overflow these, and outputs.quiet, start so high that they never run out.
	uint64_t room, free, record;

	const struct model_processor *processor;	// NULL: none is attached
	unsigned records;		// that this call of `run` has tried to write

	uint64_t pending;		// cycles that have passed and are not in the counters yet
	int fault;
};

static bool has_fault(const struct nehalem_state *m, int fault)
{
	return m->fault == fault;
}

static inline unsigned counter_width(const struct nehalem_state *m)
{
	return has_fault(m, FAULT_COUNTER_NARROW) ? 40 : WIDTH;
}

// A counter's bit in the global registers.
static uint64_t global_bit(unsigned counter)
{
	return 1ULL << (counter < GENERAL ? counter : NEHALEM_FIRST_FIXED + counter - GENERAL);
}

static unsigned counter_of_bit(unsigned bit)
{
	return bit < NEHALEM_FIRST_FIXED ? bit : bit - NEHALEM_FIRST_FIXED + GENERAL;
}

//
// What a counter is set to count
//

// A counter's setting in the terms of IA32_PERFEVTSEL, whichever register it comes from.
static uint64_t select_of(const struct nehalem_thread *t, unsigned counter)
{
	uint64_t control;

	if (counter < GENERAL)
		return t->select[counter];
	control = t->fixed_control >> (counter - GENERAL) * NEHALEM_FIXED_CONTROL_BITS;
	return FIELD_PUT(IA32_PERFEVTSEL, OS, FIELD_GET(IA32_FIXED_CTR_CTRL, EN0_OS, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, USR, FIELD_GET(IA32_FIXED_CTR_CTRL, EN0_USR, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, AnyThr, FIELD_GET(IA32_FIXED_CTR_CTRL, AnyThr0, control)) |
	       FIELD_PUT(IA32_PERFEVTSEL, INT, FIELD_GET(IA32_FIXED_CTR_CTRL, PMI0, control)) |
	       FIELD(IA32_PERFEVTSEL, EN);
}

// Load latency counts a load only if it took longer than the threshold, on a counter that is enabled for it in both
// halves of IA32_PEBS_ENABLE (SDM volume 3B, "Load Latency Performance Monitoring Facility").
static bool is_slow_load(const struct nehalem_state *m, const struct nehalem_thread *t, unsigned counter,
			 const struct occurrence *o)
{
	uint64_t threshold = FIELD_GET(PEBS_LD_LAT, THRESHOLD, t->load_latency);
	uint64_t enables = FIELD_PUT(IA32_PEBS_ENABLE, PEBS_EN_PMC, 1u << counter) |
			   FIELD_PUT(IA32_PEBS_ENABLE, LL_EN_PMC, 1u << counter);

	if (~t->pebs_enable & enables)
		return false;
	if (has_fault(m, FAULT_LDLAT_IGNORED))
		return true;
	return has_fault(m, FAULT_LDLAT_EQUAL) ? o->latency >= threshold : o->latency > threshold;
}

// The guide, at table 9: any of the selected requests, and any of the selected responses.
static bool is_selected_response(const struct nehalem_state *m, const struct nehalem_thread *t,
				 const struct occurrence *o)
{
	uint64_t met = o->opcode & t->offcore_response;

	return has_fault(m, FAULT_OFFCORE_IGNORED) ||
	       (met & FIELD(OFFCORE_RSP_0, REQUEST) && met & FIELD(OFFCORE_RSP_0, RESPONSE));
}

// Whether an occurrence of an event that another register qualifies is still one of the sub-events that it raises and
// the counter selects.
__attribute__((noinline)) static bool is_qualified(const struct nehalem_state *m, const struct nehalem_thread *t,
						   unsigned counter, uint64_t sub, const struct occurrence *o)
{
	if (o->code == NEHALEM_EVENT_LOAD_LATENCY)
		return sub & ~NEHALEM_UMASK_LOAD_LATENCY ||
		       (sub & NEHALEM_UMASK_LOAD_LATENCY && is_slow_load(m, t, counter, o));
	return sub & ~NEHALEM_UMASK_OFFCORE_RESPONSE ||
	       (sub & NEHALEM_UMASK_OFFCORE_RESPONSE && is_selected_response(m, t, o));
}

static inline uint16_t event_code(unsigned counter, uint64_t select)
{
	static const uint16_t fixed[] = {NEHALEM_EVENT_RETIRED, NEHALEM_EVENT_CYCLES, NEHALEM_EVENT_REFERENCE};

	return counter < GENERAL ? FIELD_GET(IA32_PERFEVTSEL, EVTSEL, select) : fixed[counter - GENERAL];
}

// A fixed counter counts its event's unqualified form, as a unit mask of 0 does.
static inline bool counts_event(const struct nehalem_state *m, const struct nehalem_thread *t, unsigned counter,
				uint64_t select, const struct occurrence *o)
{
	uint64_t mask = FIELD_GET(IA32_PERFEVTSEL, EVTMSK, select);

	if (o->code != event_code(counter, select))
		return false;
	if (mask == 0)
		return o->sub == 0;
	if (o->code == NEHALEM_EVENT_LOAD_LATENCY || o->code == NEHALEM_EVENT_OFFCORE_RESPONSE)
		return is_qualified(m, t, counter, o->sub & mask, o);
	return o->sub & mask;
}

// The sub-events of a select that count for both threads of the core, with AnyThr all: the memory ports (table 1).
static uint64_t core_events(const struct nehalem_state *m, uint64_t select)
{
	if (select & FIELD(IA32_PERFEVTSEL, AnyThr))
		return ~0ULL;
	if (FIELD_GET(IA32_PERFEVTSEL, EVTSEL, select) != NEHALEM_EVENT_PORTS || has_fault(m, FAULT_PORT234_BY_THREAD))
		return 0;
	return FIELD_GET(IA32_PERFEVTSEL, EVTMSK, select) & NEHALEM_UMASK_MEMORY_PORTS;
}

// Whether a counter of this thread sees what an occurrence is.
static bool sees(const struct nehalem_state *m, unsigned thread, uint64_t select, const struct occurrence *o)
{
	uint64_t of_core;

	if (o->thread == thread)
		return true;
	of_core = core_events(m, select);
	return of_core == ~0ULL || o->sub & of_core;
}

static bool counts_level(const struct nehalem_state *m, uint64_t select, unsigned level)
{
	if (level == 0)
		return select & FIELD(IA32_PERFEVTSEL, OS) || has_fault(m, FAULT_OS_IGNORED);
	return select & FIELD(IA32_PERFEVTSEL, USR) || has_fault(m, FAULT_USR_IGNORED);
}

// Counters that a defect enables.
__attribute__((noinline)) static uint64_t faulty_enables(const struct nehalem_state *m, const struct nehalem_thread *t)
{
	if (has_fault(m, FAULT_HALT_COUNTED) && m->wire_count == 0)
		return t->enabled;
	return has_fault(m, FAULT_GLOBAL_IGNORED) ? global_bit(FAULTY_FIXED) : 0;
}

// The enabled counters of a thread, by their bits in the global registers.
static inline uint64_t enabled_counters(const struct nehalem_state *m, const struct nehalem_thread *t)
{
	uint64_t enabled = t->global_control & t->enabled;

	return __builtin_expect(m->fault == NO_FAULT, true) ? enabled : enabled | faulty_enables(m, t);
}

// Which counters are enabled by themselves: EN in the select; a fixed counter has none, its levels say it.
static uint64_t self_enabled_counters(const struct nehalem_state *m, const struct nehalem_thread *t)
{
	uint64_t enabled = NEHALEM_FIXED_MASK;

	for (unsigned counter = 0; counter < GENERAL; counter++)
		if (t->select[counter] & FIELD(IA32_PERFEVTSEL, EN) || has_fault(m, FAULT_EN_IGNORED))
			enabled |= global_bit(counter);
	return enabled;
}

// Whether a counter adds the events of an occurrence.
static inline bool counts(const struct nehalem_state *m, unsigned thread, unsigned counter, uint64_t select,
			  const struct occurrence *o)
{
	return counts_event(m, &m->thread[thread], counter, select, o) && sees(m, thread, select, o) &&
	       counts_level(m, select, o->level);
}

// A clock event is a condition of the cycle, that a thread is not halted: of any thread it is met once, though both
// meet it (SDM volume 3B, CPU_CLK_UNHALTED.THREAD_P_ANY and .REF_XCLK_ANY). All others' events are added up.
static bool is_clock_of_core(const struct nehalem_state *m, uint16_t code, uint64_t select)
{
	return select & FIELD(IA32_PERFEVTSEL, AnyThr) &&
	       (code == NEHALEM_EVENT_CYCLES || code == NEHALEM_EVENT_REFERENCE) && !has_fault(m, FAULT_CLOCK_SUMMED);
}

__attribute__((noinline)) static uint64_t cycles_of_core(const struct nehalem_state *m, unsigned thread,
							  unsigned counter, uint64_t select)
{
	uint64_t of_thread[THREADS] = {0};

	for (const struct occurrence *o = m->wires, *end = o + m->wire_count; o < end; o++)
		if (counts(m, thread, counter, select, o))
			of_thread[o->thread] += o->n;
	return of_thread[0] > of_thread[1] ? of_thread[0] : of_thread[1];
}

// How many events a counter sees in one cycle.
static uint64_t events_in_cycle(const struct nehalem_state *m, unsigned thread, unsigned counter, uint64_t select)
{
	const uint16_t code = event_code(counter, select);
	uint64_t sum = 0;

	for (const struct occurrence *o = m->wires, *end = o + m->wire_count; o < end; o++)
		if (o->code == code && counts(m, thread, counter, select, o))
			sum += o->n;
	if (has_fault(m, FAULT_HALT_COUNTED) && m->wire_count == 0)
		sum = 1;
	return __builtin_expect(is_clock_of_core(m, code, select), false) ?
		       cycles_of_core(m, thread, counter, select) : sum;
}

static bool counts_edges(const struct nehalem_state *m, uint64_t select)
{
	return select & FIELD(IA32_PERFEVTSEL, E) && select & FIELD(IA32_PERFEVTSEL, CMASK) &&
	       !has_fault(m, FAULT_EDGE_IGNORED);
}

// Whether a counter counts at the level the processor is at: of either thread if it sees both. The level bits enable a
// counter (SDM volume 3B, IA32_PERF_GLOBAL_CTRL), so that even an inverted condition holds at those levels only.
static bool is_at_level(const struct nehalem_state *m, unsigned thread, uint64_t select)
{
	return counts_level(m, select, m->thread[thread].level) ||
	       (core_events(m, select) && counts_level(m, select, m->thread[1 - thread].level));
}

// What a counter adds in one cycle. Appendix II: CMASK 0 adds the events; else one is added if the events reach
// CMASK, or with INV if they do not. E counts the condition's rising edges, and needs a CMASK (text at table 1).
static uint64_t step_of(struct nehalem_state *m, unsigned thread, unsigned counter, uint64_t select)
{
	struct nehalem_thread *t = &m->thread[thread];
	uint64_t events = events_in_cycle(m, thread, counter, select);
	uint64_t cmask = FIELD_GET(IA32_PERFEVTSEL, CMASK, select);
	bool inverted = select & FIELD(IA32_PERFEVTSEL, INV) && !has_fault(m, FAULT_INV_IGNORED);
	bool reached = has_fault(m, FAULT_CMASK_WRONG) ? events > cmask : events >= cmask;
	bool condition = reached != inverted && is_at_level(m, thread, select);
	bool asserted = t->asserted & global_bit(counter);

	if (cmask == 0)
		return events;
	if (!counts_edges(m, select)) {
		t->asserted &= ~global_bit(counter);
		return condition;
	}
	t->condition |= condition ? global_bit(counter) : 0;
	if (condition != asserted)
		m->edge_due = true;
	return condition && !asserted;
}

//
// Interrupts and records
//

static bool freezes_counters(const struct nehalem_state *m, const struct nehalem_thread *t)
{
	return t->debugctl & FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI) && !has_fault(m, FAULT_FREEZE_MISSING);
}

static bool freezes_branches(const struct nehalem_state *m, const struct nehalem_thread *t)
{
	return t->debugctl & FIELD(IA32_DEBUGCTL, LBR) && t->debugctl & FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI) &&
	       !has_fault(m, FAULT_LBR_NOT_FROZEN);
}

// SDM volume 3B, "Freezing LBR and Performance Counters on PMI": the request freezes, whether it is let through or not.
static void request_interrupt(struct nehalem_state *m, unsigned thread)
{
	struct nehalem_thread *t = &m->thread[thread];

	m->outputs.requests |= 1u << thread;
	if (freezes_counters(m, t))
		t->global_control = 0;
	if (freezes_branches(m, t))
		t->debugctl &= ~FIELD(IA32_DEBUGCTL, LBR);
}

// The words of the management area that are about precise records.
struct pebs_area {
	uint64_t base, index, maximum, threshold, reset[GENERAL];
};

#define PEBS_AREA_OFFSET	(NEHALEM_DS_PEBS_BASE * sizeof(uint64_t))
#define PEBS_INDEX_OFFSET	(NEHALEM_DS_PEBS_INDEX * sizeof(uint64_t))
#define RECORD_SIZE		(NEHALEM_PEBS_WORDS * sizeof(uint64_t))

_Static_assert(PEBS_AREA_OFFSET + sizeof(struct pebs_area) == NEHALEM_DS_WORDS * sizeof(uint64_t), "regs.h");
_Static_assert(offsetof(struct pebs_area, index) == PEBS_INDEX_OFFSET - PEBS_AREA_OFFSET, "regs.h");

static bool has_room(const struct nehalem_state *m, const struct pebs_area *area)
{
	if (has_fault(m, FAULT_PEBS_INDEX_OVERRUN))
		return true;
	return area->base <= area->index && area->index <= area->maximum &&
	       area->maximum - area->index >= RECORD_SIZE;
}

// Whether a counter of a thread counts this occurrence, as one instruction's: what reaches a threshold is the cycle's.
static bool counts_instruction(const struct nehalem_state *m, unsigned thread, unsigned counter,
			       const struct occurrence *o)
{
	const uint64_t select = m->thread[thread].select[counter];

	return o->n && o->ip && !FIELD_GET(IA32_PERFEVTSEL, CMASK, select) && counts(m, thread, counter, select, o);
}

// A load that load latency counts on this counter.
static bool is_recorded_load(const struct nehalem_state *m, unsigned thread, unsigned counter,
			     const struct occurrence *o)
{
	const uint64_t select = m->thread[thread].select[counter];

	return o->n && o->code == NEHALEM_EVENT_LOAD_LATENCY &&
	       o->sub & FIELD_GET(IA32_PERFEVTSEL, EVTMSK, select) & NEHALEM_UMASK_LOAD_LATENCY &&
	       is_slow_load(m, &m->thread[thread], counter, o) && counts(m, thread, counter, select, o);
}

// Whether the one comes before the other, in an order that does not depend on which wire they are on: by address, as
// instructions retire in order, and the rest so that equal ones only are left.
static bool is_before(const struct occurrence *o, const struct occurrence *other)
{
	const uint64_t a[] = {o->ip, o->slot, o->address, o->latency, o->served};
	const uint64_t b[] = {other->ip, other->slot, other->address, other->latency, other->served};
	unsigned i = 0;

	while (i < sizeof a / sizeof *a - 1 && a[i] == b[i])
		i++;
	return a[i] < b[i];
}

// The first occurrence of this cycle that `is` one for one of these counters. NULL: there is none.
static const struct occurrence *first_of(const struct nehalem_state *m, unsigned thread, uint64_t counters,
					 bool is(const struct nehalem_state *m, unsigned thread, unsigned counter,
						 const struct occurrence *o))
{
	const struct occurrence *first = NULL;

	for (const struct occurrence *o = m->wires; o < m->wires + m->wire_count; o++)
		for (unsigned counter = 0; counter < GENERAL; counter++)
			if (counters & global_bit(counter) && is(m, thread, counter, o) &&
			    (!first || is_before(o, first)))
				first = o;
	return first;
}

// Writes the record of these counters. False: there is no room for it, or no memory that can be reached.
static bool write_record(struct nehalem_state *m, unsigned thread, uint64_t counters, struct pebs_area *area)
{
	const struct model_processor *p = m->processor;
	const struct nehalem_thread *t = &m->thread[thread];
	const struct occurrence *load = first_of(m, thread, counters, is_recorded_load);
	uint64_t words[NEHALEM_PEBS_WORDS] = {0};

	if (!p->read(p->context, t->ds_area + PEBS_AREA_OFFSET, area, sizeof *area) || !has_room(m, area))
		return false;
	m->outputs.recorded = load ? load : first_of(m, thread, counters, counts_instruction);
	p->registers(p->context, thread, words);
	m->outputs.recorded = NULL;
	words[NEHALEM_PEBS_STATUS] = has_fault(m, FAULT_PEBS_STATUS_LOST) ? 0 : t->global_status;
	if (load) {
		words[NEHALEM_PEBS_ADDRESS] = load->data ? load->address : 0;
		words[NEHALEM_PEBS_SOURCE] = load->served & 0xF;
		words[NEHALEM_PEBS_LATENCY] = load->latency;
	}
	if (!p->write(p->context, area->index, words, sizeof words))
		return false;
	area->index += RECORD_SIZE;
	return p->write(p->context, t->ds_area + PEBS_INDEX_OFFSET, &area->index, sizeof area->index);
}

// Events of these counters, which have overflowed, are recorded: one record for all of them. SDM volume 3B, "PEBS
// CounterX Reset": when it has been written, every counter is set back that has overflowed and is enabled for records,
// also one in its shadow; when the bounds do not allow it, these counters' event is skipped. INT interrupts with the
// record, not before.
static void record(struct nehalem_state *m, unsigned thread, uint64_t counters)
{
	struct nehalem_thread *t = &m->thread[thread];
	struct pebs_area area;
	bool written = write_record(m, thread, counters, &area), interrupts = false;

	if (written)
		counters |= t->global_status & FIELD_GET(IA32_PEBS_ENABLE, PEBS_EN_PMC, t->pebs_enable);
	m->records++;
	t->armed &= ~counters;
	for (unsigned counter = 0; counter < GENERAL; counter++) {
		if (!(counters & global_bit(counter)))
			continue;
		interrupts |= (t->select[counter] & FIELD(IA32_PERFEVTSEL, INT)) != 0;
		if (written && !has_fault(m, FAULT_PEBS_RESET_IGNORED))
			t->counter[counter] = area.reset[counter] & FIELD_MASK(0, counter_width(m));
	}
	if (written)
		t->global_status &= ~counters;
	if (!written || (area.index >= area.threshold && !has_fault(m, FAULT_PEBS_THRESHOLD_IGNORED))) {
		t->global_status |= FIELD(IA32_PERF_GLOBAL_STATUS, OvfBuf);
		interrupts = true;
	}
	if (interrupts)
		request_interrupt(m, thread);
}

//
// Branch records
//

static uint64_t canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16);
}

#define KIND_INDEX(kind) ((kind) / OCCURRENCE_KIND_CONDITIONAL)

// Table 7. A branch whose kind is not known is left out where all kinds are.
static bool is_left_out(uint64_t select, const struct occurrence *o)
{
	static const uint64_t kinds[] = {
		FIELD(LBR_SELECT, JCC) | FIELD(LBR_SELECT, NEAR_REL_CALL) | FIELD(LBR_SELECT, NEAR_INDIRECT_CALL) |
			FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_INDIRECT_JMP) |
			FIELD(LBR_SELECT, NEAR_REL_JMP) | FIELD(LBR_SELECT, FAR_BRANCH),
		[KIND_INDEX(OCCURRENCE_KIND_CONDITIONAL)] = FIELD(LBR_SELECT, JCC),
		[KIND_INDEX(OCCURRENCE_KIND_CALL)] = FIELD(LBR_SELECT, NEAR_REL_CALL),
		[KIND_INDEX(OCCURRENCE_KIND_CALL_INDIRECT)] = FIELD(LBR_SELECT, NEAR_INDIRECT_CALL),
		[KIND_INDEX(OCCURRENCE_KIND_RETURN)] = FIELD(LBR_SELECT, NEAR_RET),
		[KIND_INDEX(OCCURRENCE_KIND_JUMP_INDIRECT)] = FIELD(LBR_SELECT, NEAR_INDIRECT_JMP),
		[KIND_INDEX(OCCURRENCE_KIND_JUMP)] = FIELD(LBR_SELECT, NEAR_REL_JMP),
		[KIND_INDEX(OCCURRENCE_KIND_FAR)] = FIELD(LBR_SELECT, FAR_BRANCH),
	};
	uint64_t level = o->level ? FIELD(LBR_SELECT, CPL_NEQ_0) : FIELD(LBR_SELECT, CPL_EQ_0);

	return select & level || !(~select & kinds[KIND_INDEX(o->branch & OCCURRENCE_KIND)]);
}

// Whether a thread with LBR set records an occurrence: a branch is one that has the unit-mask bit of all branches.
static bool is_recorded(const struct nehalem_state *m, unsigned thread, const struct occurrence *o)
{
	return o->code == NEHALEM_EVENT_BRANCHES && o->sub & NEHALEM_UMASK_ALL_BRANCHES && o->thread == thread &&
	       o->branch & OCCURRENCE_TAKEN &&
	       (!is_left_out(m->thread[thread].lbr_select, o) || has_fault(m, FAULT_LBR_FILTER_IGNORED));
}

static void record_branch(const struct nehalem_state *m, struct nehalem_thread *t, const struct occurrence *o)
{
	bool wrong = o->branch & (OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET);
	bool swapped = has_fault(m, FAULT_LBR_SWAPPED);
	uint64_t from = canonical(swapped ? o->target : o->ip) & ~FIELD(LASTBRANCH_FROM_IP, MISPRED);

	if (!has_fault(m, FAULT_LBR_TOS_STUCK))
		t->lbr_tos = (t->lbr_tos + 1) % NEHALEM_BRANCH_RECORDS;
	t->lbr_from[t->lbr_tos] = from | FIELD_PUT(LASTBRANCH_FROM_IP, MISPRED, wrong);
	t->lbr_to[t->lbr_tos] = canonical(swapped ? o->ip : o->target);
}

// So many equal turns leave the same branch records as `turns` do.
static uint64_t fewer_turns(uint64_t turns)
{
	return turns < 2 * NEHALEM_BRANCH_RECORDS ? turns : NEHALEM_BRANCH_RECORDS + turns % NEHALEM_BRANCH_RECORDS;
}

static void record_branches(struct nehalem_state *m, uint64_t cycles)
{
	for (cycles = fewer_turns(cycles); cycles; cycles--)
		for (const struct occurrence *o = m->wires; o < m->wires + m->wire_count; o++) {
			struct nehalem_thread *t = &m->thread[o->thread];

			if (t->debugctl & FIELD(IA32_DEBUGCTL, LBR) && is_recorded(m, o->thread, o))
				for (uint64_t n = fewer_turns(o->n); n; n--)
					record_branch(m, t, o);
		}
}

//
// The passing of cycles
//

// Cycles that can pass before a counter wraps.
static inline uint64_t cycles_before_wrap(const struct nehalem_state *m, const struct moving_counter *c)
{
	const struct nehalem_thread *t = &m->thread[c->thread];
	uint64_t room = FIELD_MASK(0, counter_width(m)) - t->counter[c->counter];

	return t->step[c->counter] == 1 ? room : room / t->step[c->counter];
}

// Looks when the record of a counter is written that has overflowed, or will in the cycle after `room`.
__attribute__((noinline)) static void measure_record(struct nehalem_state *m, const struct moving_counter *c,
						      uint64_t room)
{
	const struct nehalem_thread *t = &m->thread[c->thread];
	uint64_t cycles = t->armed & global_bit(c->counter) ? t->shadow[c->counter] : room + 1 + PEBS_SHADOW;

	if (c->edge && cycles)
		return;		// has one event, in the next cycle
	if (cycles < m->record)
		m->record = cycles;
}

// Redoes what depends on the counters' values. They must be up to date.
static void measure(struct nehalem_state *m)
{
	const bool watched = m->branches_due || m->thread[0].armed || m->thread[1].armed;
	uint64_t quiet = UINT64_MAX, free = UINT64_MAX, room = watched ? 0 : UINT64_MAX;

	m->record = UINT64_MAX;
	for (const struct moving_counter *c = m->moving, *end = c + m->moving_count; c < end; c++) {
		uint64_t before_wrap = cycles_before_wrap(m, c);

		if (__builtin_expect(c->precise, false))
			measure_record(m, c, before_wrap);
		if (c->edge && before_wrap)
			continue;	// adds one, once, and that fits
		if (before_wrap < room)
			room = before_wrap;
		if (c->interrupts && before_wrap < quiet)
			quiet = before_wrap;
		if (c->freezes && before_wrap < free)
			free = before_wrap;
	}
	m->room = room;
	m->free = free;
	m->outputs.quiet = quiet < m->record ? quiet : m->record;
}

// Whether a counter's overflow arms a record.
static bool is_precise(const struct nehalem_state *m, const struct nehalem_thread *t, unsigned counter)
{
	const uint64_t enable = has_fault(m, FAULT_PEBS_ALWAYS) ? ~0ULL : t->pebs_enable;

	return m->processor && m->records < RECORDS_PER_RUN &&
	       global_bit(counter) & FIELD_GET(IA32_PEBS_ENABLE, PEBS_EN_PMC, enable);
}

static void derive_counter(struct nehalem_state *m, unsigned thread, unsigned counter, uint64_t select)
{
	struct nehalem_thread *t = &m->thread[thread];
	struct moving_counter *c = &m->moving[m->moving_count];
	bool interrupts = select & FIELD(IA32_PERFEVTSEL, INT);
	uint64_t events = step_of(m, thread, counter, select);

	if (events == 0 || (has_fault(m, FAULT_RESIDUE_LOST) && t->global_status & global_bit(counter)))
		return;
	t->step[counter] = events;
	m->moving_count++;
	c->thread = (uint8_t)thread;
	c->counter = (uint8_t)counter;
	c->edge = counts_edges(m, select);
	c->precise = is_precise(m, t, counter);
	c->interrupts = !c->precise &&
			(interrupts ? !has_fault(m, FAULT_INT_MISSING) : has_fault(m, FAULT_INT_ALWAYS));
	c->freezes = c->interrupts && (freezes_counters(m, t) || freezes_branches(m, t));
}

static bool is_branch_event(uint64_t select)
{
	uint64_t code = FIELD_GET(IA32_PERFEVTSEL, EVTSEL, select);

	return code == NEHALEM_EVENT_BRANCHES || code == NEHALEM_EVENT_MISPREDICTED;
}

static bool distinguishes_levels(uint64_t select)
{
	const uint64_t both = FIELD(IA32_PERFEVTSEL, USR) | FIELD(IA32_PERFEVTSEL, OS);

	return (select & both) && (select & both) != both;
}

// Looks for branches to record, for a thread that records them.
static void derive_branches(struct nehalem_state *m, unsigned thread)
{
	m->outputs.branches_matter = true;
	for (const struct occurrence *o = m->wires; o < m->wires + m->wire_count; o++)
		if (is_recorded(m, thread, o))
			m->branches_due = true;
}

// Redoes everything that depends on wires and registers. The counters must be up to date.
static void derive(struct nehalem_state *m)
{
	for (unsigned i = 0; i < m->moving_count; i++)
		m->thread[m->moving[i].thread].step[m->moving[i].counter] = 0;
	m->moving_count = 0;
	m->edge_due = m->branches_due = m->outputs.level_matters = m->outputs.branches_matter = false;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		struct nehalem_thread *t = &m->thread[thread];
		uint64_t enabled = enabled_counters(m, t);

		t->condition = 0;
		if (t->asserted & ~enabled)
			m->edge_due = true;	// forgotten once a cycle has passed
		for (; enabled; enabled &= enabled - 1) {
			unsigned counter = counter_of_bit((unsigned)__builtin_ctzll(enabled));

			uint64_t select = select_of(t, counter);

			m->outputs.level_matters |= distinguishes_levels(select);
			m->outputs.branches_matter |= is_branch_event(select);
			derive_counter(m, thread, counter, select);
		}
		if (t->debugctl & FIELD(IA32_DEBUGCTL, LBR))
			derive_branches(m, thread);
	}
	measure(m);
}

__attribute__((noinline)) static void skip_behind_wrap(struct nehalem_thread *t, uint64_t bits)
{
	for (unsigned counter = FAULTY_FIXED; counter < COUNTERS; counter++)
		if (bits & global_bit(counter))
			t->counter[counter] += 512;
}

// Counters of a thread have gone from their highest value to zero.
static void overflow(struct nehalem_state *m, unsigned thread, uint64_t bits, bool interrupts)
{
	if (has_fault(m, FAULT_WRAP_SKIPS))
		skip_behind_wrap(&m->thread[thread], bits);
	if (has_fault(m, FAULT_SIMULTANEOUS_LOST))
		bits &= -bits;
	if (!has_fault(m, FAULT_STATUS_LOST))
		m->thread[thread].global_status |= bits;
	if (interrupts)
		request_interrupt(m, thread);
}

// A counter has overflowed, and `since` cycles have passed behind that one. Returns its bit if it is recorded in the
// last of them.
static uint64_t arm(struct nehalem_thread *t, unsigned counter, uint64_t since)
{
	t->armed |= global_bit(counter);
	t->shadow[counter] = since < PEBS_SHADOW ? PEBS_SHADOW - since : 0;
	return since > PEBS_SHADOW ? global_bit(counter) : 0;
}

// Lets cycles pass for the counters of a thread that have overflowed before. Returns those out of their shadow by the
// last of them.
static uint64_t pass_shadows(struct nehalem_thread *t, uint64_t cycles)
{
	uint64_t out = 0;

	for (uint64_t armed = t->armed; armed; armed &= armed - 1) {
		uint64_t *shadow = &t->shadow[__builtin_ctzll(armed)];

		if (*shadow < cycles)
			out |= armed & -armed;
		*shadow -= *shadow < cycles ? *shadow : cycles;
	}
	return out;
}

// Brings the counters up to date when some have wrapped, and what is recorded. Records are due in the last of the
// cycles only: `nehalem_run` sees to that.
__attribute__((noinline)) static void settle_slowly(struct nehalem_state *m, uint64_t cycles)
{
	uint64_t wrapped[THREADS] = {0}, due[THREADS] = {0}, out[THREADS];
	bool interrupts[THREADS] = {false};
	const unsigned width = counter_width(m);

	if (m->branches_due)
		record_branches(m, cycles);
	for (unsigned thread = 0; thread < THREADS; thread++)
		out[thread] = pass_shadows(&m->thread[thread], cycles);
	for (unsigned i = 0; i < m->moving_count; i++) {
		const struct moving_counter *c = &m->moving[i];
		struct nehalem_thread *t = &m->thread[c->thread];
		uint64_t *counter = &t->counter[c->counter], bit = global_bit(c->counter);
		uint64_t room = cycles_before_wrap(m, c);
		unsigned __int128 sum = (unsigned __int128)t->step[c->counter] * cycles + *counter;

		*counter = (uint64_t)sum & FIELD_MASK(0, width);
		if (c->precise)
			due[c->thread] |= out[c->thread] & bit;
		if (sum >> width) {
			wrapped[c->thread] |= bit;
			interrupts[c->thread] |= c->interrupts;
			if (c->precise && !(t->armed & bit))
				due[c->thread] |= arm(t, c->counter, cycles - room - 1);
			if (has_fault(m, FAULT_RESIDUE_LOST))
				*counter = 0;
		}
	}
	for (unsigned thread = 0; thread < THREADS; thread++) {
		if (wrapped[thread])
			overflow(m, thread, wrapped[thread], interrupts[thread]);
		if (due[thread])
			record(m, thread, due[thread]);
	}
}

// Brings the counters up to date. Returns whether some have wrapped: then they are to be measured again.
static inline bool catch_up(struct nehalem_state *m)
{
	uint64_t cycles = m->pending;

	m->pending = 0;
	if (__builtin_expect(cycles > m->room, false)) {
		settle_slowly(m, cycles);
		return true;
	}
	for (const struct moving_counter *c = m->moving, *end = c + m->moving_count; c < end; c++)
		m->thread[c->thread].counter[c->counter] += m->thread[c->thread].step[c->counter] * cycles;
	m->room -= cycles;
	return false;
}

// The same. What is derived from registers stays right unless the overflow of a counter that freezes is among it:
// `nehalem_run` derives anew behind each of those.
static inline void settle(struct nehalem_state *m)
{
	if (catch_up(m))
		measure(m);
}

// In the next cycle conditions are seen to change.
static void notice_edges(struct nehalem_state *m)
{
	for (unsigned thread = 0; thread < THREADS; thread++)
		m->thread[thread].asserted = m->thread[thread].condition;
}

// Cycles in which an edge, an overflow that raises the line, or a record happens.
__attribute__((noinline)) static void run_eventful(struct nehalem_state *m, uint64_t cycles)
{
	catch_up(m);
	measure(m);
	// Up to an overflow that freezes a thread, or a record, then on with what is left of it. A thread freezes its
	// counters and its branch records once.
	while (cycles) {
		uint64_t quiet = m->free < m->record ? m->free : m->record;
		uint64_t piece = m->edge_due ? 1 : quiet < cycles ? quiet + 1 : cycles;
		bool changes_nothing = !m->edge_due && piece <= quiet && m->fault == NO_FAULT;	// but counters

		if (m->edge_due)
			notice_edges(m);
		m->pending = piece;
		catch_up(m);
		if (changes_nothing)
			measure(m);
		else
			derive(m);
		cycles -= piece;
	}
	if (m->records) {
		m->records = 0;
		derive(m);
	}
}

// Cycles in which nothing of that happens; no more of them than quiet has, so that the sum cannot overflow.
static inline void pass(struct nehalem_state *m, uint64_t cycles)
{
	m->outputs.quiet -= cycles;
	m->pending += cycles;
}

static void nehalem_run(void *state, uint64_t cycles)
{
	struct nehalem_state *m = state;

	if (__builtin_expect(cycles > m->outputs.quiet || m->edge_due, false)) {
		run_eventful(m, cycles);
		return;
	}
	pass(m, cycles);
}

static void nehalem_wires(void *state, const struct occurrence *occurrences, size_t count)
{
	struct nehalem_state *m = state;

	settle(m);
	m->wires = count ? occurrences : &nothing;
	m->wire_count = count;
	for (size_t i = 0; i < count; i++)
		m->thread[occurrences[i].thread].level = occurrences[i].level;
	derive(m);
}

//
// Registers
//

MODEL_REGISTER_TABLE(NEHALEM_REGISTERS, REGISTER_NUMBERED)
static const struct register_rule rules[] = {NEHALEM_REGISTERS(REGISTER_RULE)};

// The counters come first: what is read of them is what they were and what has passed since.
_Static_assert(KIND_IA32_PMC == 0 && KIND_IA32_FIXED_CTR == 1, "order of NEHALEM_REGISTERS");
_Static_assert(offsetof(struct nehalem_thread, step) ==
	       offsetof(struct nehalem_thread, counter) + COUNTERS * sizeof(uint64_t), "steps follow counters");

// What each address is, counted from 1; 0: no register.
static const uint8_t kind_at[] = {NEHALEM_REGISTERS(REGISTER_KIND_AT)};

// Which register an address is; REGISTER_KINDS if none.
static inline unsigned locate(uint32_t address)
{
	unsigned kind = address < sizeof kind_at ? kind_at[address] : 0;

	return kind ? kind - 1 : REGISTER_KINDS;
}

// Where in a thread's state a register's value is, if it were the one at address 0. What reads as zero, or as a
// constant, is kept there too.
#define ORIGIN(R, member) [KIND_##R] = (int32_t)offsetof(struct nehalem_thread, member) - 8 * MSR_##R
static const int32_t storage_origin[] = {
	ORIGIN(IA32_PMC, counter),
	ORIGIN(IA32_FIXED_CTR, counter[GENERAL]),
	ORIGIN(IA32_PERFEVTSEL, select),
	ORIGIN(IA32_FIXED_CTR_CTRL, fixed_control),
	ORIGIN(IA32_PERF_GLOBAL_STATUS, global_status),
	ORIGIN(IA32_PERF_GLOBAL_CTRL, global_control),
	ORIGIN(IA32_PERF_GLOBAL_OVF_CTRL, overflow_control),
	ORIGIN(IA32_DEBUGCTL, debugctl),
	ORIGIN(IA32_PERF_CAPABILITIES, capabilities),
	ORIGIN(IA32_PEBS_ENABLE, pebs_enable),
	ORIGIN(PEBS_LD_LAT, load_latency),
	ORIGIN(IA32_DS_AREA, ds_area),
	ORIGIN(OFFCORE_RSP_0, offcore_response),
	ORIGIN(LBR_SELECT, lbr_select),
	ORIGIN(LASTBRANCH_TOS, lbr_tos),
	ORIGIN(LASTBRANCH_FROM_IP, lbr_from),
	ORIGIN(LASTBRANCH_TO_IP, lbr_to),
};

static inline uint64_t *storage(struct nehalem_state *m, unsigned thread, unsigned kind, uint32_t address)
{
	return (uint64_t *)((char *)&m->thread[thread] + storage_origin[kind] + 8 * (size_t)address);
}

// Behind the last general and fixed counters, selects and offcore responses other processors have registers. With a
// defect they can be read.
__attribute__((noinline)) static bool read_absent(const struct nehalem_state *m, uint32_t address, uint64_t *value)
{
	if (!has_fault(m, FAULT_ACCESS_UNCHECKED) ||
	    (address != MSR_IA32_PMC + GENERAL && address != MSR_IA32_PERFEVTSEL + GENERAL &&
	     address != MSR_IA32_FIXED_CTR + NEHALEM_FIXED_COUNTERS && address != MSR_OFFCORE_RSP_0 + 1))
		return false;
	*value = 0;
	return true;
}

__attribute__((noinline)) static bool read_faulty(const struct nehalem_state *m, uint32_t address, uint64_t *value)
{
	unsigned kind = locate(address);

	if (has_fault(m, FAULT_COUNTER_STUCK) && address == MSR_IA32_PMC + 2)
		*value |= 1ULL << 17;
	if (has_fault(m, FAULT_COUNT_LOST) && (kind == KIND_IA32_PMC || kind == KIND_IA32_FIXED_CTR))
		*value -= *value >> 10;
	return true;
}

static bool nehalem_read(void *state, unsigned thread, uint32_t address, uint64_t *value);

__attribute__((noinline)) static bool read_behind_overflow(struct nehalem_state *m, unsigned thread, uint32_t address,
							   uint64_t *value)
{
	settle(m);
	return nehalem_read(m, thread, address, value);
}

// What is rare is called last, so that no registers need to be saved for it.
static bool nehalem_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct nehalem_state *m = state;
	unsigned kind = locate(address);
	const uint64_t *stored;

	if (kind == REGISTER_KINDS)
		return read_absent(m, address, value);
	if (__builtin_expect(m->pending > m->room, false))
		return read_behind_overflow(m, thread, address, value);
	stored = storage(m, thread, kind, address);
	*value = *stored;
	if (kind <= KIND_IA32_FIXED_CTR)
		*value += stored[COUNTERS] * m->pending;	// its step
	return __builtin_expect(m->fault == NO_FAULT, true) || read_faulty(m, address, value);
}

static bool nehalem_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	struct nehalem_state *m = state;
	uint32_t address = index & NEHALEM_RDPMC_FIXED ? MSR_IA32_FIXED_CTR : MSR_IA32_PMC;
	uint32_t number = index & ~NEHALEM_RDPMC_FIXED;

	*value = 0;
	if (number >= (index & NEHALEM_RDPMC_FIXED ? NEHALEM_FIXED_COUNTERS : NEHALEM_GENERAL_COUNTERS))
		return has_fault(m, FAULT_ACCESS_UNCHECKED);
	nehalem_read(state, thread, address + number, value);
	if (has_fault(m, FAULT_RDPMC_SHORT))
		*value = (uint32_t)*value;
	return true;
}

// A written counter value as the counter takes it.
static uint64_t counter_value(const struct nehalem_state *m, unsigned kind, uint64_t value)
{
	if (kind == KIND_IA32_PMC)
		value = has_fault(m, FAULT_SIGN_MISSING) ? (uint32_t)value : (uint64_t)(int64_t)(int32_t)value;
	return value & FIELD_MASK(0, counter_width(m));
}

// One for both threads of the core.
#define SHARED_(R)
#define SHARED_CORE(R) || kind == KIND_##R
#define SHARED(R, address, count, ...) SHARED_##__VA_ARGS__(R)
static bool is_shared(unsigned kind)
{
	return false NEHALEM_REGISTERS(SHARED);
}

// Whether a register takes this value; what it does not take faults.
static inline bool accepts(const struct nehalem_state *m, unsigned kind, uint64_t value)
{
	if (value & rules[kind].reserved || !(rules[kind].writable | rules[kind].clears))
		return false;
	return kind != KIND_IA32_DS_AREA || value == canonical(value) || has_fault(m, FAULT_DS_UNCANONICAL);
}

// What a register that is no counter holds once it has been written.
static uint64_t held_value(unsigned kind, uint64_t value)
{
	if (kind == KIND_LASTBRANCH_TO_IP)
		return canonical(value);
	if (kind == KIND_LASTBRANCH_FROM_IP)
		return (canonical(value) & ~FIELD(LASTBRANCH_FROM_IP, MISPRED)) |
		       (value & FIELD(LASTBRANCH_FROM_IP, MISPRED));
	return value & rules[kind].writable;
}

static void clear_status(struct nehalem_state *m, struct nehalem_thread *t, uint64_t cleared)
{
	settle(m);
	if (has_fault(m, FAULT_ACKNOWLEDGE_ALL))
		cleared = ~0ULL;
	t->global_status &= has_fault(m, FAULT_ACKNOWLEDGE_LOST) ? ~0ULL : ~cleared;
	if (has_fault(m, FAULT_RESIDUE_LOST))
		derive(m);
}

// One that does not move has nothing to be brought up to date, and no overflow to be foreseen.
static void write_counter(struct nehalem_state *m, struct nehalem_thread *t, unsigned counter, uint64_t value)
{
	const bool moves = t->step[counter] || m->fault != NO_FAULT;

	if (moves)
		settle(m);
	if (!has_fault(m, FAULT_RELOAD_IGNORED) || !(t->global_status & global_bit(counter)))
		t->counter[counter] = value;
	if (moves)
		measure(m);
}

// Whether nothing counts or records, so that only the registers which let it can change what happens.
static bool is_idle(const struct nehalem_state *m)
{
	uint64_t busy = 0;

	for (const struct nehalem_thread *t = m->thread; t < m->thread + THREADS; t++)
		busy |= t->global_control | t->armed | t->asserted | (t->debugctl & FIELD(IA32_DEBUGCTL, LBR));
	return !busy && m->fault == NO_FAULT;
}

// A register gets a value that it did not have.
static void change(struct nehalem_state *m, unsigned thread, unsigned kind, uint32_t address, uint64_t value)
{
	struct nehalem_thread *t = &m->thread[thread];
	const bool matters = kind == KIND_IA32_PERF_GLOBAL_CTRL || kind == KIND_IA32_DEBUGCTL || !is_idle(m);

	*storage(m, thread, kind, address) = value;
	if (is_shared(kind))
		*storage(m, 1 - thread, kind, address) = value;
	if (kind == KIND_IA32_PERFEVTSEL) {
		t->enabled = self_enabled_counters(m, t);
		t->asserted &= ~global_bit(address - MSR_IA32_PERFEVTSEL);		// another condition
		t->armed &= ~global_bit(address - MSR_IA32_PERFEVTSEL);
	}
	if (kind == KIND_IA32_PEBS_ENABLE)
		t->armed &= FIELD_GET(IA32_PEBS_ENABLE, PEBS_EN_PMC, value);
	if (has_fault(m, FAULT_SELECT_STUCK))
		t->select[1] &= ~FIELD_PUT(IA32_PERFEVTSEL, EVTMSK, 0x10);
	if (matters)
		derive(m);
}

__attribute__((noinline)) static bool write_slowly(struct nehalem_state *m, unsigned thread, uint32_t address,
						   uint64_t value, uint64_t cycles)
{
	struct nehalem_thread *t = &m->thread[thread];
	unsigned kind = locate(address);
	uint64_t held;

	if (!accepts(m, kind, value))
		return has_fault(m, FAULT_ACCESS_UNCHECKED);
	nehalem_run(m, cycles);
	if (kind <= KIND_IA32_FIXED_CTR) {
		write_counter(m, t, (unsigned)(storage(m, thread, kind, address) - t->counter),
			      counter_value(m, kind, value));
		return true;
	}
	if (kind == KIND_IA32_PERF_GLOBAL_OVF_CTRL) {
		clear_status(m, t, value & rules[kind].clears);
		return true;
	}
	if (has_fault(m, FAULT_LINE_STUCK) && kind == KIND_IA32_PERF_GLOBAL_CTRL && value)
		m->outputs.requests |= 1u << thread;
	if (m->pending > m->room)
		settle(m);
	held = held_value(kind, value);
	if (held != *storage(m, thread, kind, address)) {
		settle(m);
		change(m, thread, kind, address, held);
	}
	return true;
}

// Whether a write of this value changes at most a counter that does not move, and no overflow comes before.
static inline bool is_harmless(const struct nehalem_state *m, unsigned kind, const uint64_t *stored, uint64_t value,
			       uint64_t cycles)
{
	if (m->fault != NO_FAULT || cycles > m->outputs.quiet || m->edge_due)
		return false;
	if (kind <= KIND_IA32_FIXED_CTR)
		return !stored[COUNTERS] && !(value & rules[kind].reserved);	// its step
	return value == *stored && rules[kind].writable && m->pending + cycles <= m->room;
}

static bool nehalem_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct nehalem_state *m = state;
	unsigned kind = locate(address);
	uint64_t *stored;

	if (kind == REGISTER_KINDS)
		return false;
	stored = storage(m, thread, kind, address);
	if (!is_harmless(m, kind, stored, value, cycles))
		return write_slowly(m, thread, address, value, cycles);
	pass(m, cycles);
	if (kind <= KIND_IA32_FIXED_CTR)
		*stored = counter_value(m, kind, value);
	return true;
}

static void nehalem_reset(void *state, int fault, uint64_t seed)
{
	struct nehalem_state *m = state;

	(void)seed;
	*m = (struct nehalem_state){.fault = fault, .wires = &nothing};
	for (unsigned thread = 0; thread < THREADS; thread++) {
		struct nehalem_thread *t = &m->thread[thread];

		for (unsigned i = 0; i < GENERAL; i++)
			t->select[i] = REGISTER_RESET(IA32_PERFEVTSEL);
		t->global_control = has_fault(m, FAULT_RESET_VALUE) ? 0 : REGISTER_RESET(IA32_PERF_GLOBAL_CTRL);
		t->fixed_control = REGISTER_RESET(IA32_FIXED_CTR_CTRL);
		t->debugctl = REGISTER_RESET(IA32_DEBUGCTL);
		t->capabilities = REGISTER_RESET(IA32_PERF_CAPABILITIES);
		t->enabled = self_enabled_counters(m, t);
	}
	derive(m);
}

static void nehalem_attach(void *state, const struct model_processor *processor)
{
	struct nehalem_state *m = state;

	settle(m);
	m->processor = processor;
	derive(m);
}

static void nehalem_signal(void *state, unsigned thread)
{
	struct nehalem_state *m = state;
	struct nehalem_thread *t = &m->thread[thread];

	settle(m);
	if (!(t->debugctl & FIELD(IA32_DEBUGCTL, UNCORE_PMI_EN)) || has_fault(m, FAULT_UNCORE_SIGNAL_LOST))
		return;
	t->global_status |= FIELD(IA32_PERF_GLOBAL_STATUS, OvfUncore);
	request_interrupt(m, thread);
	derive(m);
}

//
// What the processor says of itself, and what an instruction clock can say to it
//

// Vendor "GenuineIntel" in EBX, EDX, ECX of leaf 0; family 6, model 1AH in EAX of leaf 1.
#define CPUID_0_EBX		0x756E6547
#define CPUID_0_ECX		0x6C65746E
#define CPUID_0_EDX		0x49656E69
#define CPUID_1_EAX		0x000106A5
#define CPUID_1_ECX_PDCM	(1u << 15)
#define CPUID_1_ECX_DTES64	(1u << 2)
#define CPUID_1_ECX_DS_CPL	(1u << 4)
#define CPUID_1_EDX_DS		(1u << 21)
#define CPUID_ARCHITECTURAL_EVENTS 7

static void nehalem_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)subleaf;
	if (leaf == 0) {
		registers[0] = registers[0] < NEHALEM_CPUID_LEAF ? NEHALEM_CPUID_LEAF : registers[0];
		registers[1] = CPUID_0_EBX;
		registers[2] = CPUID_0_ECX;
		registers[3] = CPUID_0_EDX;
	} else if (leaf == 1) {
		registers[0] = CPUID_1_EAX;
		registers[2] = (registers[2] & ~CPUID_1_ECX_DS_CPL) | CPUID_1_ECX_PDCM | CPUID_1_ECX_DTES64;
		registers[3] |= CPUID_1_EDX_DS;
	} else if (leaf == NEHALEM_CPUID_LEAF) {
		registers[0] = NEHALEM_CPUID_VERSION | NEHALEM_GENERAL_COUNTERS << 8 | NEHALEM_COUNTER_WIDTH << 16 |
			       CPUID_ARCHITECTURAL_EVENTS << 24;
		// A set bit: this event is not available. Core cycles, instructions and reference cycles are; last
		// level cache references and misses, branches and mispredicted branches are not on the clock.
		registers[1] = 0x78;
		registers[2] = 0;
		registers[3] = NEHALEM_FIXED_COUNTERS | NEHALEM_COUNTER_WIDTH << 5;
	}
}

// The architectural events, by their bits in EBX (SDM volume 3B, "Pre-defined Architectural Performance Events").
static const struct model_event architectural[CPUID_ARCHITECTURAL_EVENTS] = {
	{NEHALEM_EVENT_CYCLES, 0}, {NEHALEM_EVENT_RETIRED, 0}, {NEHALEM_EVENT_CYCLES, 1},
	{0x2E, 0x4F}, {0x2E, 0x41}, {NEHALEM_EVENT_BRANCHES, 0}, {NEHALEM_EVENT_MISPREDICTED, 0},
};

static void nehalem_limit(uint32_t leaf, uint32_t registers[4], const struct model_offer *offer)
{
	if (leaf == 1 && !offer->records) {
		registers[2] &= ~CPUID_1_ECX_DTES64;
		registers[3] &= ~CPUID_1_EDX_DS;
	}
	if (leaf != NEHALEM_CPUID_LEAF)
		return;
	registers[0] = (registers[0] & ~0xFF00u) | offer->counters[0] << 8;
	registers[3] = (registers[3] & ~0x1Fu) | offer->counters[1];
	if (!offer->allows)
		return;
	registers[1] = 0;
	for (unsigned i = 0; i < CPUID_ARCHITECTURAL_EVENTS; i++)
		if (!offer->allows(offer->context, architectural[i].code, architectural[i].umask))
			registers[1] |= 1u << i;
}

// Both spellings of each event: the architectural one, unit mask 0, and the guide's table 1.
#define HAPPENS(event, umask, of, at) {.code = (event), .sub = (umask), .n = 1, .thread = (of), .level = (at)}
#define CLOCK(of, at)						\
	{							\
		HAPPENS(NEHALEM_EVENT_RETIRED, 0, of, at),	\
		HAPPENS(NEHALEM_EVENT_RETIRED, 1, of, at),	\
		HAPPENS(NEHALEM_EVENT_CYCLES, 0, of, at),	\
		HAPPENS(NEHALEM_EVENT_CYCLES, 1, of, at),	\
		HAPPENS(NEHALEM_EVENT_REFERENCE, 0, of, at),	\
	}
#define CLOCK_EVENTS 5
#define CLOCK_CYCLES 3		// the last ones
#define CLOCK_LEVELS(thread) {CLOCK(thread, 0), CLOCK(thread, 1), CLOCK(thread, 2), CLOCK(thread, 3)}

static const struct occurrence clock_wires[THREADS][4][CLOCK_EVENTS] = {CLOCK_LEVELS(0), CLOCK_LEVELS(1)};

static const struct occurrence *nehalem_clock(unsigned thread, unsigned level, size_t *count)
{
	*count = CLOCK_EVENTS;
	return clock_wires[thread][level];
}

// BR_INST_RETIRED: the guide's unit masks (Table 6), and the architectural event, which has none.
static size_t nehalem_branch(const struct occurrence *branch, struct occurrence *occurrences)
{
	unsigned kind = branch->branch & OCCURRENCE_KIND;

	occurrences[0] = occurrences[1] = *branch;
	occurrences[0].code = occurrences[1].code = NEHALEM_EVENT_BRANCHES;
	occurrences[0].sub = NEHALEM_UMASK_ALL_BRANCHES;
	if (kind == OCCURRENCE_KIND_CONDITIONAL)
		occurrences[0].sub |= NEHALEM_UMASK_CONDITIONAL;
	if (kind == OCCURRENCE_KIND_CALL || kind == OCCURRENCE_KIND_CALL_INDIRECT)
		occurrences[0].sub |= NEHALEM_UMASK_NEAR_CALL;
	return 2;
}

//
// What a carrier leaves out, and what is saved
//

static const struct model_bits general_bits[] = {
	{MSR_IA32_PERF_GLOBAL_STATUS, 0, 1},
	{MSR_IA32_PERF_GLOBAL_CTRL, 0, 1},
	{MSR_IA32_PERF_GLOBAL_OVF_CTRL, 0, 1},
	{MSR_IA32_PEBS_ENABLE, IA32_PEBS_ENABLE_PEBS_EN_PMC_LOW, 1},
	{MSR_IA32_PEBS_ENABLE, IA32_PEBS_ENABLE_LL_EN_PMC_LOW, 1},
	{0},
};
static const struct model_bits fixed_bits[] = {
	{MSR_IA32_PERF_GLOBAL_STATUS, NEHALEM_FIRST_FIXED, 1},
	{MSR_IA32_PERF_GLOBAL_CTRL, NEHALEM_FIRST_FIXED, 1},
	{MSR_IA32_PERF_GLOBAL_OVF_CTRL, NEHALEM_FIRST_FIXED, 1},
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
		.off_mask = FIELD(IA32_PERFEVTSEL, EN), .any = FIELD(IA32_PERFEVTSEL, AnyThr), .bits = general_bits,
	}, {
		.count = NEHALEM_FIXED_COUNTERS, .address = MSR_IA32_FIXED_CTR, .index = NEHALEM_RDPMC_FIXED,
		.select = MSR_IA32_FIXED_CTR_CTRL, .shift = NEHALEM_FIXED_CONTROL_BITS, .event = fixed_events,
		.off_mask = FIELD(IA32_FIXED_CTR_CTRL, EN0_OS) | FIELD(IA32_FIXED_CTR_CTRL, EN0_USR),
		.any = FIELD(IA32_FIXED_CTR_CTRL, AnyThr0), .bits = fixed_bits,
	},
};

#define STATUS_BITS	REGISTER_BITS(IA32_PERF_GLOBAL_STATUS, RO)
#define COUNTER_BITS	(NEHALEM_GENERAL_MASK | NEHALEM_FIXED_MASK)

#define SAVED(type, member, bits) MODEL_FIELD(nehalem_state, type, member, bits)
#define SAVED_THREAD(t)											\
	SAVED(uint64_t, thread[t].select, REGISTER_BITS(IA32_PERFEVTSEL, RW)),				\
	SAVED(uint64_t, thread[t].counter, FIELD_MASK(0, WIDTH)),					\
	SAVED(uint64_t, thread[t].fixed_control, REGISTER_BITS(IA32_FIXED_CTR_CTRL, RW)),		\
	SAVED(uint64_t, thread[t].global_control, COUNTER_BITS),					\
	SAVED(uint64_t, thread[t].global_status, STATUS_BITS),						\
	SAVED(uint64_t, thread[t].debugctl, REGISTER_BITS(IA32_DEBUGCTL, RW)),				\
	SAVED(uint64_t, thread[t].asserted, COUNTER_BITS),						\
	SAVED(uint8_t, thread[t].level, 3),								\
	SAVED(uint64_t, thread[t].pebs_enable, REGISTER_BITS(IA32_PEBS_ENABLE, RW)),			\
	SAVED(uint64_t, thread[t].load_latency, REGISTER_BITS(PEBS_LD_LAT, RW)),			\
	SAVED(uint64_t, thread[t].ds_area, ~0ULL),							\
	SAVED(uint64_t, thread[t].offcore_response, REGISTER_BITS(OFFCORE_RSP_0, RW)),			\
	SAVED(uint64_t, thread[t].lbr_select, REGISTER_BITS(LBR_SELECT, RW)),				\
	SAVED(uint64_t, thread[t].lbr_tos, REGISTER_BITS(LASTBRANCH_TOS, RW)),				\
	SAVED(uint64_t, thread[t].lbr_from, ~0ULL),							\
	SAVED(uint64_t, thread[t].lbr_to, ~0ULL),							\
	SAVED(uint64_t, thread[t].armed, NEHALEM_GENERAL_MASK),						\
	SAVED(uint64_t, thread[t].shadow, 0xF)

static const struct model_field fields[] = {
	SAVED(uint32_t, outputs.requests, (1u << THREADS) - 1), SAVED_THREAD(0), SAVED_THREAD(1),
};

_Static_assert(THREADS == 2 && PEBS_SHADOW <= 0xF, "fields");

static void nehalem_settle(void *state)
{
	struct nehalem_state *m = state;

	settle(m);
}

static bool is_possible(const struct nehalem_thread *t)
{
	bool possible = t->ds_area == canonical(t->ds_area) && !(t->armed & ~t->pebs_enable);

	for (unsigned i = 0; i < NEHALEM_BRANCH_RECORDS; i++)
		possible &= t->lbr_from[i] == held_value(KIND_LASTBRANCH_FROM_IP, t->lbr_from[i]) &&
			    t->lbr_to[i] == canonical(t->lbr_to[i]);
	for (unsigned i = 0; i < GENERAL; i++)
		possible &= t->shadow[i] <= PEBS_SHADOW;
	return possible;
}

static bool nehalem_adopt(void *state)
{
	struct nehalem_state *m = state;
	const struct nehalem_thread *t = m->thread;

	for (unsigned thread = 0; thread < THREADS; thread++) {
		if (!is_possible(&m->thread[thread]) || (m->thread[thread].armed && !m->processor))
			return false;
		m->thread[thread].enabled = self_enabled_counters(m, &m->thread[thread]);
	}
	if (t[0].load_latency != t[1].load_latency || t[0].offcore_response != t[1].offcore_response ||
	    t[0].lbr_select != t[1].lbr_select)
		return false;
	derive(m);
	return true;
}

const struct pmu_model pmu_model_nehalem = {
	.name = "nehalem",
	.size = sizeof(struct nehalem_state),
	.threads = THREADS,
	.registers = descriptions,
	.register_count = REGISTER_KINDS,
	.faults = fault_names,
	.reset = nehalem_reset,
	.read = nehalem_read,
	.write = nehalem_write,
	.read_counter = nehalem_read_counter,
	.attach = nehalem_attach,
	.signal = nehalem_signal,
	.identify = nehalem_identify,
	.wires = nehalem_wires,
	.run = nehalem_run,
	.clock = nehalem_clock,
	.branch = nehalem_branch,
	.clock_cycles = CLOCK_CYCLES,
	.groups = groups,
	.group_count = sizeof groups / sizeof *groups,
	.has_init = true,
	.limit = nehalem_limit,
	.fields = fields,
	.field_count = sizeof fields / sizeof *fields,
	.settle = nehalem_settle,
	.adopt = nehalem_adopt,
};
