// SPDX-License-Identifier: BSD-2-Clause
// The Itanium processor's performance monitor as the hardware behaves: four counters of 32 bits, what qualifies their
// events, two event address registers, the branch trace buffer. Registers and fields are in regs.h; what happens in a
// cycle comes in on the wires. Sections, tables and events are those of the processor's reference manual; what it
// leaves open is decided in README.md.

#include "model.h"
#include "model_tables.h"
#include "regs.h"

#define COUNTERS	ITANIUM_COUNTERS
#define FIRST		ITANIUM_FIRST_COUNTER
#define EVENTS_MOST	7			/* that any counter takes in a cycle (6.2.2) */

// Defects that can be switched on. The names are what a person writes: fault=freeze-missing.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* PMC13.ta resets to 0 */ \
	F(PMC_STUCK, "pmc-stuck")			/* a unit-mask bit of PMC5 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of PMD6 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 28 bits */ \
	F(SIGN_MISSING, "sign-missing")			/* counters are not sign-extended when read */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* writes of PMV's reserved bits do not fault */ \
	F(COUNT_LOST, "count-lost")			/* one event in 2^10 is missing when a counter is read */ \
	F(FREEZE_IGNORED, "freeze-ignored")		/* counters count on while PMC0.fr is 1 */ \
	F(PLM_IGNORED, "plm-ignored")			/* all privilege levels count */ \
	F(PM_IGNORED, "pm-ignored")			/* PSR.up or PSR.pp, either enables all monitors */ \
	F(ISM_IGNORED, "ism-ignored")			/* both instruction sets count */ \
	F(UMASK_IGNORED, "umask-ignored")		/* all of an event's sub-events count */ \
	F(THRESHOLD_WRONG, "threshold-wrong")		/* greater or equal, not greater */ \
	F(OVERFLOW_LOST, "overflow-lost")		/* an overflow leaves no bit in PMC0 */ \
	F(STICKY_LOST, "sticky-lost")			/* an overflow clears the bits of earlier ones */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* of several overflows in a cycle one is seen */ \
	F(RESIDUE_LOST, "residue-lost")			/* a counter is 0 once it has overflowed */ \
	F(OI_IGNORED, "oi-ignored")			/* oi set: neither freeze nor interrupt */ \
	F(OI_ALWAYS, "oi-always")			/* oi clear: freeze and interrupt all the same */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow interrupts and does not freeze */ \
	F(INTERRUPT_MISSING, "interrupt-missing")	/* an overflow freezes and does not interrupt */ \
	F(INTERRUPT_TWICE, "interrupt-twice")		/* unfreezing interrupts once more */ \
	F(MASK_IGNORED, "mask-ignored")			/* PMV.m does not keep an interrupt back */ \
	F(TIMER_MISSING, "timer-missing")		/* ITC reaching ITM does not interrupt */ \
	F(TIMER_MASK_IGNORED, "timer-mask-ignored")	/* ITV.m does not keep that back */ \
	F(USER_READ_OPEN, "user-read-open")		/* PSR.sp and pm do not protect PMDs */ \
	F(READ_CLOSED, "read-closed")			/* they close PMDs to level 0, too */ \
	F(IBR_IGNORED, "ibr-ignored")			/* all instruction addresses are in range */ \
	F(OPCODE_IGNORED, "opcode-ignored")		/* all opcodes match */ \
	F(DBR_IGNORED, "dbr-ignored")			/* all data addresses are in range */ \
	F(EAR_VALID_MISSING, "ear-valid-missing")	/* a captured address is not marked valid */ \
	F(EAR_THRESHOLD_WRONG, "ear-threshold-wrong")	/* latencies of the threshold itself are not captured */ \
	F(BTB_WRAP, "btb-wrap")				/* the branch trace never says it is full */ \
	F(BTB_SLOT, "btb-slot")				/* a branch that is not taken is recorded as slot 0 */

MODEL_FAULTS(FAULTS)

// Monitors, by bits: the counters, then these.
enum {
	MONITOR_INSTRUCTION_EAR = 1 << COUNTERS,
	MONITOR_DATA_EAR = 1 << (COUNTERS + 1),
	MONITOR_TRACE = 1 << (COUNTERS + 2),
	MONITOR_COUNTERS = (1 << COUNTERS) - 1,
	MONITOR_ALL = (1 << (COUNTERS + 3)) - 1,
};
#define MONITORS (COUNTERS + 3)

// What an instruction carries down the pipeline (figure 6-5), and where its data are.
enum {
	TAG_RANGE = 1 << 0,		// IBRRangeTag
	TAG_PMC8 = 1 << 1,
	TAG_PMC9 = 1 << 2,
	TAG_DATA = 1 << 3,		// DBRRangeMatch
	TAG_DATA_IF_ANY = 1 << 4,	// it, or there are no data
	TAG_MATCHED = 1 << 5,		// DBRRangeTag with pt 0: TAG_DATA, and what an instruction's own needs
};

// What a breakpoint register pair compares: the bits of `care`.
struct range {
	uint64_t address, care;
	uint8_t plm;
};

struct opcode_match {
	uint32_t value, care;		// of encoding bits 40:27 above 12:0
	uint8_t types;			// OCCURRENCE_TYPE_*
};

// Four small numbers in one word: what each counter adds.
#define LANE_BITS 16
#define GATHER_CYCLES (((1u << LANE_BITS) - 1) / EVENTS_MOST)

static inline uint64_t in_lane(uint64_t value, unsigned counter)
{
	return value << LANE_BITS * counter;
}

static inline uint64_t lane(uint64_t lanes, unsigned counter)
{
	return lanes >> LANE_BITS * counter & ((1u << LANE_BITS) - 1);
}

struct itanium_state {
	struct model_outputs outputs;	// quiet counts down as cycles pass
	uint64_t limit;			// cycles that can pass with nothing but counters moving; counts down
	uint64_t pending;		// cycles that have passed and are not in the counters yet
	const struct occurrence *wires;
	size_t wire_count;

	// What counters have added goes here first, in lanes, as long as no overflow has an effect outside: there is
	// room for that of so many more cycles.
	uint64_t gathered;
	uint32_t gather_room;

	// Made from wires and registers by `derive`, when either changes.
	uint64_t steps;			// what each counter adds in a cycle, in lanes
	uint64_t events[COUNTERS];	// what it sees in a cycle, if `busy`
	const struct occurrence *fetch, *translation;	// what the event address registers capture in each cycle
	const struct occurrence *load;	// what the data event address register would track
	bool branches;			// the trace buffer captures some in each cycle
	bool busy;			// any of these, or what follows: more than counters moves

	// Made from registers by `configure`.
	uint8_t watched[128];		// by event code: the monitors that look at it
	uint8_t enabled[2][4];		// by instruction set and privilege level: the monitors that are enabled
	uint8_t needs[MONITORS];	// tags that an occurrence must have to count
	uint8_t qualified;		// monitors that need any
	uint8_t selecting[16];		// by the bits a sub-event raises: counters whose unit mask selects it,
	uint8_t twice[16];		// those that count it twice
	uint64_t adds[1 << COUNTERS][EVENTS_MOST + 1];	// what counters add in a cycle, by the events they see
	uint8_t interrupts, strobes;	// counters by what their overflow does
	uint8_t width;			// of the counters
	bool tracks;			// the data event address register follows loads
	bool tag_all, code_ranges, data_ranges;	// the breakpoint registers may be used as ranges
	struct range code[ITANIUM_BREAKPOINTS], data[ITANIUM_BREAKPOINTS];
	struct opcode_match opcode[2];

	uint64_t pmc[ITANIUM_PMCS], pmd[ITANIUM_PMDS];
	uint64_t ibr[2 * ITANIUM_BREAKPOINTS], dbr[2 * ITANIUM_BREAKPOINTS];
	uint64_t dcr, pmv, psr;
	uint64_t itc, itm, itv;		// of the interval timer; itc without the cycles that are pending
	bool timed;			// it interrupts
	uint8_t level, isa;		// of what it executes, or executed last

	// The load that the data event address register tracks, and the cycles until it is served; 0: none.
	struct occurrence tracked;
	uint64_t tracked_left;
	bool overlapped;		// other loads that it could have tracked were passed over meanwhile
	bool hesitates;			// it tracks none in the next cycle
	uint64_t draw;			// random number for its choices, of these wires

	uint64_t trace_target;		// the branch target recorded last,
	bool trace_fresh;		// in the last cycle

	uint64_t seed, random;
	int fault;
};

static bool has_fault(const struct itanium_state *m, int fault)
{
	return m->fault == fault;
}

//
// What is undefined
//

#define GOLDEN_RATIO 0x9E3779B97F4A7C15ULL

// The mixing function of splitmix64.
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
	x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
	return x ^ x >> 31;
}

// An undefined value that stays the same.
static uint64_t undefined_constant(const struct itanium_state *m, uint64_t of)
{
	return mix(mix(m->seed + GOLDEN_RATIO) ^ of);
}

// One that does not.
static uint64_t undefined_value(struct itanium_state *m)
{
	m->random += GOLDEN_RATIO;
	return mix(m->random);
}

//
// Events (7.8)
//

// Which tags an event's occurrences need to be counted, when qualification is on.
enum qualification {
	QUALIFY_NONE,
	QUALIFY_ADDRESS,	// by instruction address
	QUALIFY_OPCODE,		// and by opcode
	QUALIFY_DATA,		// and by data address
	QUALIFY_DATA_IF_ANY,	// and by data address if they have one: check loads do, advanced load checks do not
	QUALIFY_RSE,		// register stack engine: by data address if that is on, else by opcode
	QUALIFY_UMASK,		// the unit mask says it
};

// Which of an event's sub-events a unit mask selects.
enum selection {
	SELECT_ALL,		// unit mask ignored
	SELECT_TWO,		// those that raise one of its two low bits
	SELECT_EACH,		// the same; one that raises both counts for each (a semaphore is a read and a write)
	SELECT_FOUR,		// one of its four bits
	SELECT_BUS,		// bit 0: all initiators; else one of bits 1, 2
	SELECT_PAIRS,		// one of its two high and one of its two low bits
	SELECT_FIELDS,		// the same in bits 3:2 and in 1:0, where 0 selects all
	SELECT_PATH,		// the same in 3:2, where 0 selects all; the same in 1:0
	SELECT_RETIRED,		// see selects_retired
};

#define EVENT_BRANCH_FIRST	0x0D	/* BRANCH_TAKEN_SLOT, MULTIWAY, PATH, PREDICTOR: one a bundle */
#define EVENT_BRANCH_SLOT	0x0D
#define EVENT_BRANCH_MULTIWAY	0x0E
#define EVENT_BRANCH_PATH	0x0F
#define EVENT_BRANCH_PREDICTOR	0x10
#define EVENT_BRANCH_LAST	0x10
#define EVENT_BRANCH_CAPTURED	0x11	/* BRANCH_EVENT */
#define EVENT_FETCH_MISS	0x22	/* L2_INST_DEMAND_READS: demand fetches that miss L1I */
#define EVENT_FETCH_CAPTURED	0x23	/* INSTRUCTION_EAR_EVENTS */
#define EVENT_ITLB_MISS		0x27	/* ITLB_MISSES_FETCH */
#define EVENT_DTC_MISS		0x60	/* DTC_MISSES: of the first data TLB */
#define EVENT_DTLB_MISS		0x61	/* DTLB_MISSES: of the second one, too */
#define EVENT_DATA_REFERENCE	0x63	/* DATA_REFERENCES_RETIRED */
#define EVENT_LOAD_READ		0x64	/* L1D_READS_RETIRED */
#define EVENT_LOAD_MISS		0x66	/* L1D_READ_MISSES_RETIRED */
#define EVENT_DATA_CAPTURED	0x67	/* DATA_EAR_EVENTS */
#define EVENT_LOAD		0x6C	/* LOADS_RETIRED */

// What section 7.8 says of an event. `most`: it adds in a cycle; 0: one (6.1.1.2).
static const struct event {
	uint8_t qualification, selection, most;
} events[128] = {
	[ITANIUM_EVENT_RETIRED] = {QUALIFY_UMASK, SELECT_RETIRED, 6},
	[0x09 ... 0x0A] = {QUALIFY_OPCODE, SELECT_ALL, 3},	// FP_OPS_RETIRED_LO, _HI
	[0x0B ... 0x0C] = {QUALIFY_OPCODE, SELECT_ALL, 2},	// FP_FLUSH_TO_ZERO, FP_SIR_FLUSH
	[0x0D] = {QUALIFY_OPCODE, SELECT_FOUR},			// BRANCH_TAKEN_SLOT
	[0x0E] = {QUALIFY_OPCODE, SELECT_FIELDS},		// BRANCH_MULTIWAY
	[0x0F] = {QUALIFY_OPCODE, SELECT_PATH},			// BRANCH_PATH
	[0x10] = {QUALIFY_OPCODE, SELECT_FIELDS},		// BRANCH_PREDICTOR
	[EVENT_BRANCH_CAPTURED] = {QUALIFY_OPCODE, SELECT_ALL},
	[0x15] = {QUALIFY_NONE, SELECT_ALL, 2},			// IA32_INST_RETIRED
	[0x20] = {QUALIFY_ADDRESS, SELECT_ALL},			// L1I_DEMAND_READS
	[EVENT_FETCH_MISS] = {QUALIFY_ADDRESS, SELECT_ALL},
	[EVENT_FETCH_CAPTURED] = {QUALIFY_ADDRESS, SELECT_ALL},
	[0x24 ... 0x25] = {QUALIFY_ADDRESS, SELECT_ALL},	// L1I_PREFETCH_READS, L2_INST_PREFETCH_READS
	[EVENT_ITLB_MISS] = {QUALIFY_ADDRESS, SELECT_ALL},
	[0x28] = {QUALIFY_ADDRESS, SELECT_ALL},			// ITLB_INSERTS_HPW
	[0x2D] = {QUALIFY_ADDRESS, SELECT_ALL, 6},		// INST_DISPERSED
	[0x2E ... 0x2F] = {QUALIFY_ADDRESS, SELECT_ALL},	// EXPL_STOPS_, ALL_STOPS_DISPERSED
	[0x30 ... 0x31] = {QUALIFY_OPCODE, SELECT_ALL, 6},	// NOPS_RETIRED, PREDICATE_SQUASHED_RETIRED
	[0x33] = {QUALIFY_NONE, SELECT_FOUR},			// PIPELINE_FLUSH
	[0x35] = {QUALIFY_OPCODE, SELECT_TWO},			// INST_FAILED_CHKS_RETIRED
	[0x36 ... 0x37] = {QUALIFY_DATA_IF_ANY, SELECT_TWO, 2},	// ALAT_INST_CHKA_LDC, ALAT_INST_FAILED_CHKA_LDC
	[0x38] = {QUALIFY_DATA, SELECT_TWO, 2},			// ALAT_REPLACEMENT
	[0x45 ... 0x55] = {QUALIFY_NONE, SELECT_BUS},		// BUS_SNOOPS_HITM to BUS_SNOOP_STALL_CYCLES
	[0x56 ... 0x58] = {QUALIFY_NONE, SELECT_ALL, 3},	// BUS_SNOOPQ_REQ, BUS_IOQ_LIVE_REQ_LO, _HI
	[0x5B ... 0x5C] = {QUALIFY_NONE, SELECT_ALL, 3},	// BUS_BRQ_LIVE_REQ_LO, _HI: two bits (README.md)
	[EVENT_DTC_MISS ... 0x62] = {QUALIFY_OPCODE, SELECT_ALL},	// and DTLB_MISSES, DTLB_INSERTS_HPW
	[0x63 ... 0x64] = {QUALIFY_DATA, SELECT_ALL, 2},	// DATA_REFERENCES_RETIRED, L1D_READS_RETIRED
	[0x65] = {QUALIFY_RSE, SELECT_ALL, 2},			// RSE_REFERENCES_RETIRED
	[EVENT_LOAD_MISS] = {QUALIFY_DATA, SELECT_ALL, 2},
	[EVENT_DATA_CAPTURED] = {QUALIFY_OPCODE, SELECT_ALL},
	[0x68] = {QUALIFY_ADDRESS, SELECT_ALL, 3},		// L2_REFERENCES
	[0x69] = {QUALIFY_DATA, SELECT_EACH, 2},		// L2_DATA_REFERENCES
	[0x6A] = {QUALIFY_ADDRESS, SELECT_ALL, 2},		// L2_MISSES
	[0x6B ... 0x71] = {QUALIFY_DATA, SELECT_ALL, 2},	// loads, stores and L1D_READ_FORCED_MISSES_RETIRED
	[0x72] = {QUALIFY_RSE, SELECT_ALL, 2},			// RSE_LOADS_RETIRED
	[0x76] = {QUALIFY_ADDRESS, SELECT_ALL},			// L2_FLUSHES
	[0x77] = {QUALIFY_NONE, SELECT_FOUR},			// L2_FLUSH_DETAILS
	[0x7D ... 0x7E] = {QUALIFY_NONE, SELECT_PAIRS},		// L3_READS, L3_WRITES
};

// A sub-event that raises no bit is one of which nothing more is known: it counts where all are selected.
static bool raises_one(unsigned sub, unsigned umask, unsigned bits)
{
	sub &= bits;
	return sub ? sub & umask : (umask & bits) == bits;
}

static bool has_field(unsigned sub, unsigned umask, unsigned bits)
{
	return (umask & bits) == 0 || (umask & bits) == (sub & bits);
}

// Table 7-30. Sub-event 1 is an operation of the register stack engine, which only unit mask 3 counts.
#define RETIRED_ALL	0
#define RETIRED_PMC9	2
#define RETIRED_PMC8	3
#define RETIRED_RSE	1

static bool selects_retired(unsigned sub, unsigned umask)
{
	if (umask == RETIRED_ALL || umask == RETIRED_PMC9)
		return sub != RETIRED_RSE;
	return umask == RETIRED_PMC8;
}

static bool selects(enum selection selection, unsigned umask, unsigned sub)
{
	switch (selection) {
	case SELECT_TWO:
	case SELECT_EACH:
		return raises_one(sub, umask, 3);
	case SELECT_FOUR:
		return raises_one(sub, umask, 15);
	case SELECT_BUS:
		return umask & 1 || sub & umask & 6;
	case SELECT_PAIRS:
		return raises_one(sub, umask, 12) && raises_one(sub, umask, 3);
	case SELECT_FIELDS:
		return has_field(sub, umask, 12) && has_field(sub, umask, 3);
	case SELECT_PATH:
		return has_field(sub, umask, 12) && (sub & 3) == (umask & 3);
	case SELECT_RETIRED:
		return selects_retired(sub, umask);
	default:
		return true;
	}
}

//
// Configuration: what registers say, in the form the wires are compared with
//

static bool frozen(const struct itanium_state *m)
{
	return m->pmc[0] & FIELD(PMC0, fr);
}

// plm, pm and ism are at the same bits of every register that has them (table 6-11); PMC12 has no ism, and 0 there.
static bool monitor_enabled(const struct itanium_state *m, uint64_t control, unsigned isa, unsigned level)
{
	bool up = m->psr & FIELD(PSR, up), pp = m->psr & FIELD(PSR, pp);

	if (frozen(m) && !has_fault(m, FAULT_FREEZE_IGNORED))
		return false;
	if (!(FIELD_GET(PMC4, plm, control) >> level & 1) && !has_fault(m, FAULT_PLM_IGNORED))
		return false;
	if (FIELD_GET(PMC4, ism, control) >> isa & 1 && !has_fault(m, FAULT_ISM_IGNORED))
		return false;
	if (has_fault(m, FAULT_PM_IGNORED))
		return up || pp;
	return control & FIELD(PMC4, pm) ? pp : up;
}

static uint8_t enabled_monitors(const struct itanium_state *m, unsigned isa, unsigned level)
{
	unsigned enabled = 0;

	for (unsigned counter = 0; counter < COUNTERS; counter++)
		if (monitor_enabled(m, m->pmc[FIRST + counter], isa, level))
			enabled |= 1u << counter;
	if (monitor_enabled(m, m->pmc[10], isa, level))
		enabled |= MONITOR_INSTRUCTION_EAR;
	if (monitor_enabled(m, m->pmc[11], isa, level))
		enabled |= MONITOR_DATA_EAR;
	if (isa == 0 && monitor_enabled(m, m->pmc[12], isa, level))
		enabled |= MONITOR_TRACE;
	return (uint8_t)enabled;
}

// Levels matter to the monitors that are enabled at some of them, and to ranges that hold at some.
static bool level_matters(const struct itanium_state *m)
{
	unsigned any = 0, all = MONITOR_ALL, ranges = 0;

	for (unsigned level = 0; level < 4; level++) {
		any |= m->enabled[0][level];
		all &= m->enabled[0][level];
	}
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		ranges |= m->code[i].plm != 0 && m->code[i].plm != 15;
	return any != all || (any & m->qualified && !m->tag_all && ranges);
}

// Whether somebody looks at branches.
static bool branches_matter(const struct itanium_state *m, unsigned enabled)
{
	unsigned watching = MONITOR_TRACE;

	for (unsigned code = EVENT_BRANCH_FIRST; code <= EVENT_BRANCH_CAPTURED; code++)
		watching |= m->watched[code];
	return enabled & watching;
}

static void configure_enables(struct itanium_state *m)
{
	uint8_t any = 0;

	for (unsigned isa = 0; isa < 2; isa++)
		for (unsigned level = 0; level < 4; level++)
			any |= m->enabled[isa][level] = enabled_monitors(m, isa, level);
	m->tracks = any & MONITOR_DATA_EAR && !(m->pmc[11] & FIELD(PMC11, tlb));
	m->outputs.level_matters = level_matters(m);
	m->outputs.branches_matter = branches_matter(m, any);
}

static bool matches_all(const struct opcode_match *match)
{
	return match->types == 15 && match->care == 0;
}

// What the opcode matcher asks of an instruction. With everything set to match (table 6-3, first row) IA-32 code counts
// too.
static uint8_t opcode_tag(const struct itanium_state *m)
{
	return m->tag_all && matches_all(&m->opcode[0]) ? 0 : TAG_PMC8;
}

// The tags that an event needs.
static uint8_t needed_tags(const struct itanium_state *m, enum qualification qualification, unsigned umask)
{
	uint8_t address = m->tag_all ? 0 : TAG_RANGE, opcode = opcode_tag(m);
	bool pass = m->pmc[11] & FIELD(PMC11, pt) || has_fault(m, FAULT_DBR_IGNORED);

	switch (qualification) {
	case QUALIFY_ADDRESS:
		return address;
	case QUALIFY_OPCODE:
		return opcode;
	case QUALIFY_DATA:
		return pass ? opcode : TAG_MATCHED;
	case QUALIFY_DATA_IF_ANY:
		return pass ? opcode : opcode | TAG_DATA_IF_ANY;
	case QUALIFY_RSE:
		return pass ? opcode : TAG_DATA;
	case QUALIFY_UMASK:
		return umask == RETIRED_PMC8 ? TAG_PMC8 : umask == RETIRED_PMC9 ? TAG_PMC9 : 0;
	default:
		return 0;
	}
}

static void watch(struct itanium_state *m, unsigned code, unsigned monitor)
{
	m->watched[code] |= (uint8_t)monitor;
}

// What a counter adds in a cycle in which it sees so many events: no more than it can (6.2.2), nor than they are (7.8).
static unsigned increment(const struct itanium_state *m, unsigned counter, unsigned code, unsigned threshold,
			  unsigned seen)
{
	unsigned takes = ITANIUM_WIDE_MASK >> (FIRST + counter) & 1 ? EVENTS_MOST : 3;
	unsigned most = events[code].most ? events[code].most : 1;

	most = most < takes ? most : takes;
	seen = seen < most ? seen : most;
	if (threshold == 0)
		return seen;
	return has_fault(m, FAULT_THRESHOLD_WRONG) ? seen >= threshold : seen > threshold;
}

static void configure_counter(struct itanium_state *m, unsigned counter)
{
	uint64_t control = m->pmc[FIRST + counter];
	unsigned code = (unsigned)FIELD_GET(PMC4, es, control), umask = (unsigned)FIELD_GET(PMC4, umask, control);
	unsigned threshold = (unsigned)FIELD_GET(PMC4, threshold, control);	// bit 22 of PMC6, PMC7 is always 0
	uint8_t bit = (uint8_t)(1u << counter);

	watch(m, code, bit);
	for (unsigned sub = 0; sub < 16; sub++) {
		if (selects(events[code].selection, umask, sub) || has_fault(m, FAULT_UMASK_IGNORED))
			m->selecting[sub] |= bit;
		if (events[code].selection == SELECT_EACH && (sub & umask & 3) == 3)
			m->twice[sub] |= bit;
	}
	for (unsigned seen = 0; seen <= EVENTS_MOST; seen++)
		m->adds[bit][seen] = in_lane(increment(m, counter, code, threshold, seen), counter);
	m->needs[counter] = needed_tags(m, events[code].qualification, umask);
	if (control & FIELD(PMC4, oi) ? !has_fault(m, FAULT_OI_IGNORED) : has_fault(m, FAULT_OI_ALWAYS))
		m->interrupts |= bit;
	if (control & FIELD(PMC4, ev))
		m->strobes |= bit;
}

static void configure_monitors(struct itanium_state *m)
{
	for (unsigned code = 0; code < sizeof m->watched; code++)
		m->watched[code] = 0;
	for (unsigned sub = 0; sub < 16; sub++)
		m->selecting[sub] = m->twice[sub] = 0;
	m->interrupts = m->strobes = m->qualified = 0;
	for (unsigned counter = 0; counter < COUNTERS; counter++)
		configure_counter(m, counter);
	for (unsigned counters = 0; counters < 1 << COUNTERS; counters++)
		for (unsigned seen = 0; counters & (counters - 1) && seen <= EVENTS_MOST; seen++)
			m->adds[counters][seen] =
				m->adds[counters & -counters][seen] | m->adds[counters & (counters - 1)][seen];
	watch(m, m->pmc[10] & FIELD(PMC10, tlb) ? EVENT_ITLB_MISS : EVENT_FETCH_MISS, MONITOR_INSTRUCTION_EAR);
	watch(m, m->pmc[11] & FIELD(PMC11, tlb) ? EVENT_DTC_MISS : EVENT_LOAD_MISS, MONITOR_DATA_EAR);
	m->needs[COUNTERS] = needed_tags(m, events[EVENT_FETCH_CAPTURED].qualification, 0);
	m->needs[COUNTERS + 1] = needed_tags(m, events[EVENT_DATA_CAPTURED].qualification, 0);
	m->needs[COUNTERS + 2] = needed_tags(m, events[EVENT_BRANCH_CAPTURED].qualification, 0);
	for (unsigned monitor = 0; monitor < MONITORS; monitor++)
		if (m->needs[monitor])
			m->qualified |= (uint8_t)(1u << monitor);
	m->gather_room = 0;
}

// Sections 6.2.4 and 6.2.6: of an address bits 60:51 are compared as copies of bit 50, and the mask has no say above
// bit 55.
#define UNMASKED FIELD_MASK(56, 8)

static struct range range_of(const uint64_t pair[2])
{
	return (struct range){
		.address = pair[0],
		.care = FIELD_GET(IBR1, mask, pair[1]) | UNMASKED,
		.plm = (uint8_t)FIELD_GET(IBR1, plm, pair[1]),
	};
}

static void configure_ranges(struct itanium_state *m)
{
	m->tag_all = m->pmc[13] & FIELD(PMC13, ta) || has_fault(m, FAULT_IBR_IGNORED);
	m->code_ranges = m->data_ranges = !(m->psr & FIELD(PSR, db));
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		m->code[i] = range_of(&m->ibr[2 * i]);
		m->data[i] = range_of(&m->dbr[2 * i]);
		if (m->ibr[2 * i + 1] & FIELD(IBR1, x))
			m->code_ranges = false;
	}
}

static void configure_opcodes(struct itanium_state *m)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t control = m->pmc[8 + i];
		uint32_t mask = (uint32_t)FIELD_GET(PMC8, mask, control);

		m->opcode[i] = (struct opcode_match){
			.value = (uint32_t)FIELD_GET(PMC8, match, control),
			.care = ~mask & (uint32_t)FIELD_MASK(0, PMC8_mask_WIDTH),
			.types = (uint8_t)(control >> PMC8_b_LOW),
		};
		if (has_fault(m, FAULT_OPCODE_IGNORED))
			m->opcode[i] = (struct opcode_match){.types = 15};
	}
}

static void configure(struct itanium_state *m)
{
	configure_ranges(m);
	configure_opcodes(m);
	configure_monitors(m);
	configure_enables(m);
}

//
// Qualification
//

static uint64_t canonical(uint64_t address)
{
	const uint64_t unimplemented = FIELD(PMD2, address_sxt);

	return address >> (ITANIUM_ADDRESS_BITS - 1) & 1 ? address | unimplemented : address & ~unimplemented;
}

static bool in_code_range(const struct itanium_state *m, const struct occurrence *o)
{
	uint64_t ip = canonical(o->ip);

	if (!m->code_ranges)
		return false;
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		if (m->code[i].plm >> (o->level & 3) & 1 && !((ip ^ m->code[i].address) & m->code[i].care))
			return true;
	return false;
}

static bool in_data_range(const struct itanium_state *m, const struct occurrence *o)
{
	uint64_t address = canonical(o->address);

	if (!m->data_ranges)
		return false;
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		if (!((address ^ m->data[i].address) & m->data[i].care))
			return true;
	return false;
}

// Section 6.2.5. An instruction whose type is not known matches only where all types do.
static bool matches_opcode(const struct opcode_match *match, const struct occurrence *o)
{
	uint32_t encoding = (uint32_t)((o->opcode >> 27 & 0x3FFF) << 13 | (o->opcode & 0x1FFF));

	return (o->type & match->types || match->types == 15) && !((encoding ^ match->value) & match->care);
}

// References of the register stack engine and of the page walker (6.2.6): which instruction caused them does not matter
// where their data address does.
static bool is_own_reference(const struct occurrence *o)
{
	return !(o->type & (OCCURRENCE_TYPE_RSE | OCCURRENCE_TYPE_WALKER));
}

static unsigned tags_of(const struct itanium_state *m, const struct occurrence *o)
{
	bool native = o->isa == 0;
	unsigned tags = 0;

	if (m->tag_all || (native && in_code_range(m, o))) {
		tags = TAG_RANGE;
		if (native && matches_opcode(&m->opcode[0], o))
			tags |= TAG_PMC8;
		if (native && matches_opcode(&m->opcode[1], o))
			tags |= TAG_PMC9;
	}
	if (!o->data)
		return tags | TAG_DATA_IF_ANY;
	if (!in_data_range(m, o))
		return tags;
	if (!is_own_reference(o) || !(opcode_tag(m) & ~tags))
		tags |= TAG_MATCHED;
	return tags | TAG_DATA | TAG_DATA_IF_ANY;
}

// Those of the monitors whose needs are met.
static unsigned qualify(const struct itanium_state *m, unsigned monitors, unsigned tags)
{
	for (unsigned left = monitors & m->qualified; left; left &= left - 1)
		if (m->needs[__builtin_ctz(left)] & ~tags)
			monitors &= ~(left & -left);
	return monitors;
}

static unsigned enabled_at(const struct itanium_state *m, const struct occurrence *o)
{
	return m->enabled[o->isa != 0][o->level & 3];
}

//
// Branches: those of one bundle, in the order of their slots, are one prediction
//

static bool is_branch(const struct occurrence *o)
{
	return o->branch & OCCURRENCE_BRANCH;
}

// How many of the occurrences from `o` on are the branches of its bundle.
static size_t bundle_size(const struct occurrence *o, const struct occurrence *end)
{
	const struct occurrence *next = o + 1;

	while (next < end && is_branch(next) && next->code == o->code && next->ip == o->ip && next->isa == o->isa &&
	       next->level == o->level && next->slot > next[-1].slot)
		next++;
	return (size_t)(next - o);
}

// The one that decides where the bundle goes: the first taken one, else the last.
static const struct occurrence *deciding_branch(const struct occurrence *o, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (o[i].branch & OCCURRENCE_TAKEN)
			return &o[i];
	return &o[size - 1];
}

// Section 7.5: a branch taken in slot 0 or 1 must itself be tagged; otherwise any instruction of the bundle may be.
static unsigned bundle_tags(const struct itanium_state *m, const struct occurrence *o, size_t size)
{
	const struct occurrence *deciding = deciding_branch(o, size);
	unsigned tags = 0;

	if (deciding->branch & OCCURRENCE_TAKEN && deciding->slot < 2)
		return tags_of(m, deciding);
	for (size_t i = 0; i < size; i++)
		tags |= tags_of(m, &o[i]);
	return tags;
}

//
// Branch trace buffer (6.2.8)
//

// The capture condition as section 6.2.8.1 summarizes it. A branch of which the predictor is not known is captured
// where those of all are.
static bool captures_branch(const struct itanium_state *m, const struct occurrence *o)
{
	uint64_t control = m->pmc[12];
	unsigned tm = (unsigned)FIELD_GET(PMC12, tm, control), ptm = (unsigned)FIELD_GET(PMC12, ptm, control);
	unsigned ppm = (unsigned)FIELD_GET(PMC12, ppm, control);
	bool taken = o->branch & OCCURRENCE_TAKEN;
	bool path_right = !(o->branch & OCCURRENCE_WRONG_PATH);
	bool target_right = !(o->branch & OCCURRENCE_WRONG_TARGET);
	bool tar = control & FIELD(PMC12, tar), tac = control & FIELD(PMC12, bpt), bac = control & FIELD(PMC12, bac);
	const bool predictor[] = {tar && tac && bac, tar, tac, bac};

	return (tm & (taken ? 2 : 1)) &&
	       (ptm == 3 || (path_right && taken && ptm & (target_right ? 2 : 1))) &&
	       (ppm & (path_right ? 2 : 1)) &&
	       predictor[o->served <= 3 ? o->served : 0];
}

static unsigned trace_index(const struct itanium_state *m)
{
	return (unsigned)FIELD_GET(PMD16, bbi, m->pmd[16]);
}

static void trace_entry(struct itanium_state *m, uint64_t address, uint64_t flags)
{
	unsigned index = trace_index(m);

	m->pmd[8 + index] = (canonical(address) & FIELD(PMD8, address)) | flags;
	m->pmd[16] &= ~FIELD(PMD16, bbi);
	m->pmd[16] |= FIELD_PUT(PMD16, bbi, index + 1);
	if (index == ITANIUM_TRACE_ENTRIES - 1 && !has_fault(m, FAULT_BTB_WRAP))
		m->pmd[16] |= FIELD(PMD16, full);
}

// Source and, if it was taken, target. The branch of a bundle that was the last cycle's target takes its entry.
static void trace_branch(struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t bundle = FIELD(PMD8, address);
	bool taken = o->branch & OCCURRENCE_TAKEN;
	bool wrong = o->branch & (OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET);
	unsigned slot = taken ? o->slot : has_fault(m, FAULT_BTB_SLOT) ? 0 : 3;

	if (m->trace_fresh && m->trace_target == (o->ip & bundle)) {
		unsigned index = (trace_index(m) + ITANIUM_TRACE_ENTRIES - 1) % ITANIUM_TRACE_ENTRIES;

		m->pmd[16] = (m->pmd[16] & ~FIELD(PMD16, bbi)) | FIELD_PUT(PMD16, bbi, index);
	}
	trace_entry(m, o->ip, FIELD(PMD8, b) | FIELD_PUT(PMD8, mp, wrong) | FIELD_PUT(PMD8, slot, slot));
	if (taken)
		trace_entry(m, o->target, FIELD(PMD8, mp));
	m->trace_fresh = taken;
	m->trace_target = o->target & bundle;
}

// Calls `captured` for each branch of a cycle that is captured. A branch may be on the wires as several events; those
// of the first one's event are looked at.
static void trace_cycle(struct itanium_state *m, void captured(struct itanium_state *m, const struct occurrence *o))
{
	const struct occurrence *o = m->wires, *end = o + m->wire_count, *first = NULL;
	size_t size;

	for (; o < end; o += size) {
		const struct occurrence *deciding;

		size = 1;
		if (!is_branch(o) || o->n == 0 || !(enabled_at(m, o) & MONITOR_TRACE))
			continue;
		first = first ? first : o;
		if (o->code != first->code)
			continue;
		size = bundle_size(o, end);
		deciding = deciding_branch(o, size);
		if (captures_branch(m, deciding) && qualify(m, MONITOR_TRACE, bundle_tags(m, o, size)))
			captured(m, deciding);
	}
}

// From the second cycle on each is like the one before; after eight of them nothing older is left.
static void trace_cycles(struct itanium_state *m, uint64_t cycles)
{
	if (cycles > 2 + ITANIUM_TRACE_ENTRIES) {
		uint64_t skipped = cycles - 2 - ITANIUM_TRACE_ENTRIES, index, advance;

		trace_cycle(m, trace_branch);
		index = trace_index(m);
		trace_cycle(m, trace_branch);
		advance = trace_index(m) + ITANIUM_TRACE_ENTRIES - index;
		index = trace_index(m) + skipped % ITANIUM_TRACE_ENTRIES * advance;
		m->pmd[16] = (m->pmd[16] & ~FIELD(PMD16, bbi)) | FIELD_PUT(PMD16, bbi, index);
		cycles = ITANIUM_TRACE_ENTRIES;
	}
	for (; cycles; cycles--)
		trace_cycle(m, trace_branch);
}

//
// Event address registers (6.2.7)
//

// Tables 6-12 and 6-17: the least latency that is captured; none is when it cannot be reached.
static bool reaches_threshold(const struct itanium_state *m, uint64_t control, const struct occurrence *o)
{
	unsigned umask = (unsigned)FIELD_GET(PMC11, umask, control);
	uint32_t threshold = 4u << umask;

	if (umask > 10)
		return false;
	return has_fault(m, FAULT_EAR_THRESHOLD_WRONG) ? o->latency > threshold : o->latency >= threshold;
}

// Tables 6-14 and 6-19: the unit mask has a bit for each that may have served a translation miss.
static bool captures_translation(uint64_t control, const struct occurrence *o, unsigned first)
{
	return o->served >= first && o->served <= 3 && FIELD_GET(PMC11, umask, control) >> o->served & 1;
}

static bool captures_fetch(const struct itanium_state *m, const struct occurrence *o)
{
	uint64_t control = m->pmc[10];

	return control & FIELD(PMC10, tlb) ? captures_translation(control, o, 2) : reaches_threshold(m, control, o);
}

static uint64_t latency_field(const struct occurrence *o)
{
	return o->latency < FIELD(PMD1, latency) ? o->latency : FIELD(PMD1, latency);
}

static void capture_fetch(struct itanium_state *m, const struct occurrence *o)
{
	uint64_t undefined = undefined_constant(m, o->ip);
	bool tlb = m->pmc[10] & FIELD(PMC10, tlb), valid = !has_fault(m, FAULT_EAR_VALID_MISSING);

	m->pmd[0] = (o->ip & (FIELD(PMD0, address) | FIELD(PMD0, region))) | FIELD_PUT(PMD0, v, valid) |
		    (tlb ? FIELD_PUT(PMD0, tlb, o->served == 3) : undefined & FIELD(PMD0, tlb));
	m->pmd[1] = tlb ? undefined & FIELD(PMD1, latency) : latency_field(o);
}

static void capture_data(struct itanium_state *m, const struct occurrence *o)
{
	uint64_t undefined = undefined_constant(m, o->ip ^ o->address);
	bool tlb = m->pmc[11] & FIELD(PMC11, tlb), valid = !has_fault(m, FAULT_EAR_VALID_MISSING);

	m->pmd[2] = o->address & (FIELD(PMD2, address) | FIELD(PMD2, region));
	m->pmd[3] = tlb ? FIELD_PUT(PMD3, level, o->served) | (undefined & FIELD(PMD3, latency))
			: latency_field(o) | (undefined & FIELD(PMD3, level));
	m->pmd[17] = (o->ip & (FIELD(PMD17, address) | FIELD(PMD17, region))) | FIELD_PUT(PMD17, valid, valid) |
		     (o->isa ? undefined & FIELD(PMD17, slot) : FIELD_PUT(PMD17, slot, o->slot));
}

static void stop_tracking(struct itanium_state *m)
{
	m->tracked_left = 0;
	m->hesitates = false;
}

static void start_tracking(struct itanium_state *m)
{
	m->tracked = *m->load;
	m->tracked_left = m->load->latency;
	m->overlapped = false;
}

// The counters that count a captured load.
static unsigned load_counters(const struct itanium_state *m, const struct occurrence *o)
{
	return m->watched[EVENT_DATA_CAPTURED] & enabled_at(m, o) & MONITOR_COUNTERS;
}

//
// The passing of cycles
//

// What these counters add in a cycle in which they see so many events.
static inline uint64_t steps_of(const struct itanium_state *m, unsigned counters, uint64_t seen)
{
	return m->adds[counters][seen < EVENTS_MOST ? seen : EVENTS_MOST];
}

// What a counter adds more than that in one in which a tracked load is captured.
static uint64_t load_step_of(const struct itanium_state *m, unsigned counter, const struct occurrence *load)
{
	unsigned bit = 1u << counter;

	if (!(load_counters(m, load) & bit))
		return 0;
	return lane(steps_of(m, bit, m->events[counter] + 1) - (m->steps & in_lane(~0ULL, counter)), counter);
}

static uint32_t room_of(const struct itanium_state *m, unsigned counter)
{
	return (uint32_t)(FIELD_MASK(0, m->width) - m->pmd[FIRST + counter]);
}

// The interval timer. It interrupts with a vector of its own; as the monitors' interrupt, which is the only one here,
// where software has given it their vector.
static void configure_timer(struct itanium_state *m)
{
	m->timed = (!(m->itv & FIELD(ITV, m)) || has_fault(m, FAULT_TIMER_MASK_IGNORED)) &&
		   FIELD_GET(ITV, vector, m->itv) == FIELD_GET(PMV, vector, m->pmv) &&
		   !has_fault(m, FAULT_TIMER_MISSING);
}

// Cycles until ITC becomes ITM, if that interrupts.
static uint64_t cycles_before_match(const struct itanium_state *m)
{
	uint64_t left = m->itm - m->itc;

	return m->timed && left ? left : UINT64_MAX;
}

static void advance_clock(struct itanium_state *m, uint64_t cycles)
{
	if (__builtin_expect(m->timed, false) && cycles >= cycles_before_match(m))
		m->outputs.requests |= 1;
	m->itc += cycles;
}

// Cycles that can pass before one of these counters wraps.
static uint64_t cycles_before_wrap(const struct itanium_state *m, unsigned counters)
{
	uint64_t least = UINT64_MAX;

	for (; counters; counters &= counters - 1) {
		unsigned counter = (unsigned)__builtin_ctz(counters);
		uint32_t step = (uint32_t)lane(m->steps, counter), room;

		if (step == 0)
			continue;
		room = room_of(m, counter) / step;	// of 32 bits: that is fast
		least = room < least ? room : least;
	}
	return least;
}

// Redoes what depends on the counters' values. They must be up to date.
static inline void measure(struct itanium_state *m)
{
	uint64_t quiet = UINT64_MAX, limit;

	if (m->interrupts)
		quiet = cycles_before_wrap(m, m->interrupts);
	limit = quiet;
	if (m->strobes) {
		uint64_t strobe = cycles_before_wrap(m, m->strobes);

		limit = strobe < limit ? strobe : limit;
	}
	if (m->pmv & FIELD(PMV, m) && !has_fault(m, FAULT_MASK_IGNORED))
		quiet = UINT64_MAX;
	if (__builtin_expect(m->tracked_left || m->load, false)) {
		uint64_t before = m->tracked_left ? m->tracked_left - 1 : m->load->latency - 1 + m->hesitates;

		// A captured load may be what makes a counter overflow.
		if (m->watched[EVENT_DATA_CAPTURED] & m->interrupts)
			quiet = before < quiet ? before : quiet;
		before = m->tracked_left ? before : 0;
		limit = before < limit ? before : limit;
	}
	if (__builtin_expect(m->timed, false)) {
		uint64_t before = cycles_before_match(m) - 1;

		quiet = before < quiet ? before : quiet;
		limit = before < limit ? before : limit;
	}
	m->limit = limit;
	m->outputs.quiet = quiet;
}

// What is captured is an event itself.
static void count_capture(struct itanium_state *m, unsigned code, const struct occurrence *o)
{
	unsigned monitors = m->watched[code] & enabled_at(m, o) & MONITOR_COUNTERS;

	for (; monitors; monitors &= monitors - 1)
		m->events[__builtin_ctz(monitors)]++;
}

static void count_branch(struct itanium_state *m, const struct occurrence *o)
{
	m->branches = true;
	count_capture(m, EVENT_BRANCH_CAPTURED, o);
}

static inline unsigned interested(const struct itanium_state *m, const struct occurrence *o)
{
	return o->code < sizeof m->watched ? m->watched[o->code] & enabled_at(m, o) : 0;
}

// The counters among the monitors whose unit masks select an occurrence's sub-event.
static inline unsigned selecting(const struct itanium_state *m, const struct occurrence *o, unsigned monitors)
{
	return monitors & m->selecting[o->sub & 15];
}

static void count(struct itanium_state *m, const struct occurrence *o, unsigned monitors)
{
	for (unsigned left = selecting(m, o, monitors); left; left &= left - 1)
		m->events[__builtin_ctz(left)] += o->n;
	for (unsigned left = m->twice[o->sub & 15] & monitors; left; left &= left - 1)
		m->events[__builtin_ctz(left)] += o->n;
}

// One of the loads on the wires that could be tracked, chosen at random.
static const struct occurrence *choose_load(const struct itanium_state *m, size_t loads)
{
	size_t chosen = (m->draw >> 1) % loads;

	for (const struct occurrence *o = m->wires;; o++)
		if (o->n && interested(m, o) & MONITOR_DATA_EAR && reaches_threshold(m, m->pmc[11], o) &&
		    qualify(m, MONITOR_DATA_EAR, m->qualified ? tags_of(m, o) : 0) && chosen-- == 0)
			return o;
}

// What the event address registers capture of an occurrence, or could track.
static void find_captures(struct itanium_state *m, const struct occurrence *o, unsigned monitors, size_t *loads)
{
	if (o->n == 0)
		return;
	if (monitors & MONITOR_INSTRUCTION_EAR && !m->fetch && captures_fetch(m, o))
		m->fetch = o;
	if (!(monitors & MONITOR_DATA_EAR))
		return;
	if (m->tracks)
		*loads += reaches_threshold(m, m->pmc[11], o);
	else if (!m->translation && captures_translation(m->pmc[11], o, 1))
		m->translation = o;
}

// Any wires.
__attribute__((noinline)) static void derive_steps(struct itanium_state *m)
{
	const struct occurrence *o = m->wires, *end = o + m->wire_count;
	size_t loads = 0, size;
	bool branches = false;

	m->fetch = m->translation = m->load = NULL;
	m->branches = false;
	if (!(enabled_at(m, &m->tracked) & MONITOR_DATA_EAR))
		m->tracked_left = 0;		// its monitor is not enabled any more
	for (unsigned counter = 0; counter < COUNTERS; counter++)
		m->events[counter] = 0;
	for (; o < end; o += size) {
		bool bundle = is_branch(o) && o->code >= EVENT_BRANCH_FIRST && o->code <= EVENT_BRANCH_LAST;
		unsigned monitors = interested(m, o);

		size = bundle ? bundle_size(o, end) : 1;
		if (monitors & m->qualified)
			monitors = qualify(m, monitors, bundle_tags(m, o, size));
		count(m, deciding_branch(o, size), monitors);
		if (monitors & ~MONITOR_COUNTERS)
			find_captures(m, o, monitors, &loads);
		branches |= is_branch(o);
	}
	if (m->fetch)
		count_capture(m, EVENT_FETCH_CAPTURED, m->fetch);
	if (m->translation)
		count_capture(m, EVENT_DATA_CAPTURED, m->translation);
	if (loads)
		m->load = choose_load(m, loads);
	if (branches)
		trace_cycle(m, count_branch);
	m->busy = m->fetch || m->translation || m->load || m->branches || m->tracked_left || m->trace_fresh;
	m->steps = 0;
	for (unsigned counter = 0; counter < COUNTERS; counter++)
		m->steps |= steps_of(m, 1u << counter, m->events[counter]);
}

// Redoes everything that depends on wires and registers. The counters must be up to date, or gathering. One occurrence
// that only counters look at is what there is most of.
static inline void derive(struct itanium_state *m)
{
	const struct occurrence *o = m->wires;
	unsigned monitors = m->wire_count == 1 ? interested(m, o) : MONITOR_ALL;

	if (__builtin_expect(monitors & (~MONITOR_COUNTERS | m->twice[o->sub & 15]) || m->busy || o->branch, false)) {
		derive_steps(m);
	} else {
		if (monitors & m->qualified)
			monitors = qualify(m, monitors, tags_of(m, o));
		m->steps = steps_of(m, selecting(m, o, monitors), o->n);
	}
	if (m->busy)
		m->gather_room = 0;
	measure(m);
}

// Counters have gone from their highest value to zero.
static void overflow(struct itanium_state *m, unsigned counters)
{
	if (has_fault(m, FAULT_SIMULTANEOUS_LOST))
		counters &= -counters;
	if (has_fault(m, FAULT_STICKY_LOST))
		m->pmc[0] &= ~FIELD(PMC0, overflow);
	if (!has_fault(m, FAULT_OVERFLOW_LOST))
		m->pmc[0] |= FIELD_PUT(PMC0, overflow, counters);
	m->outputs.strobes |= counters & m->strobes;
	if (!(counters & m->interrupts))
		return;
	if ((!(m->pmv & FIELD(PMV, m)) && !has_fault(m, FAULT_INTERRUPT_MISSING)) || has_fault(m, FAULT_MASK_IGNORED))
		m->outputs.requests |= 1;
	if (has_fault(m, FAULT_FREEZE_MISSING))
		return;
	m->pmc[0] |= FIELD(PMC0, fr);
	stop_tracking(m);
	m->trace_fresh = false;
	configure_enables(m);
	derive(m);
}

// What is captured in so many cycles.
static void capture(struct itanium_state *m, uint64_t cycles, bool load)
{
	if (m->fetch)
		capture_fetch(m, m->fetch);
	if (load || m->translation)
		capture_data(m, load ? &m->tracked : m->translation);
	if (m->branches)
		trace_cycles(m, cycles);
	else
		m->trace_fresh = false;
}

// Lets cycles pass, in which so many tracked loads are captured: the last one in the last cycle.
__attribute__((noinline)) static void pass(struct itanium_state *m, uint64_t cycles, uint64_t loads)
{
	unsigned wrapped = 0;

	advance_clock(m, cycles);
	for (unsigned counter = 0; counter < COUNTERS; counter++) {
		uint64_t *count = &m->pmd[FIRST + counter];
		unsigned __int128 sum = (unsigned __int128)lane(m->steps, counter) * cycles + *count;

		sum += lane(m->gathered, counter);
		if (loads)
			sum += (unsigned __int128)load_step_of(m, counter, &m->tracked) * loads;
		*count = (uint64_t)sum & FIELD_MASK(0, m->width);
		if (sum >> m->width) {
			wrapped |= 1u << counter;
			if (has_fault(m, FAULT_RESIDUE_LOST))
				*count = 0;
		}
	}
	m->gathered = 0;
	if (m->busy && cycles)
		capture(m, cycles, loads);
	if (wrapped)
		overflow(m, wrapped);
}

// The tracked load comes nearer to being served; others are passed over. Is it served in the last of these cycles?
static bool age_tracked(struct itanium_state *m, uint64_t cycles)
{
	if (m->tracked_left == 0 || cycles == 0)
		return false;
	if (m->load && (cycles > 1 || m->tracked_left < m->tracked.latency))
		m->overlapped = true;
	m->tracked_left -= cycles;
	return m->tracked_left == 0;
}

__attribute__((noinline)) static void settle_slowly(struct itanium_state *m, uint64_t cycles)
{
	bool served = age_tracked(m, cycles);

	pass(m, cycles, served);
}

// Brings the counters up to date. What is derived from registers stays right, or is derived anew behind a freeze.
static inline void settle(struct itanium_state *m)
{
	uint64_t cycles = m->pending, sum[COUNTERS], all = 0;

	m->pending = 0;
	m->gather_room = m->busy || m->interrupts || m->strobes ? 0 : GATHER_CYCLES;
	for (unsigned counter = 0; counter < COUNTERS; counter++) {
		sum[counter] = m->pmd[FIRST + counter] + lane(m->gathered, counter) + lane(m->steps, counter) * cycles;
		all |= sum[counter];
	}
	if (__builtin_expect(m->busy || (cycles | all) >> m->width, false)) {
		settle_slowly(m, cycles);
		return;
	}
	m->gathered = 0;
	advance_clock(m, cycles);
	for (unsigned counter = 0; counter < COUNTERS; counter++)
		m->pmd[FIRST + counter] = sum[counter];
}

// The same, later: what has passed is added to what is gathered.
static inline void gather(struct itanium_state *m)
{
	if (__builtin_expect(m->pending > m->gather_room, false)) {
		settle(m);
		return;
	}
	advance_clock(m, m->pending);
	m->gathered += m->steps * m->pending;
	m->gather_room -= (uint32_t)m->pending;
	m->pending = 0;
}

// While nothing else changes one load after the other is tracked, as long as no counter freezes: all at once.
static uint64_t pass_loads(struct itanium_state *m, uint64_t cycles)
{
	uint64_t latency = m->tracked.latency, loads = cycles / latency, match = cycles_before_match(m) / latency;

	loads = match < loads ? match : loads;
	for (unsigned left = m->interrupts; left; left &= left - 1) {
		unsigned counter = (unsigned)__builtin_ctz(left);
		uint64_t step = lane(m->steps, counter) * latency + load_step_of(m, counter, &m->tracked);

		if (step && room_of(m, counter) / step < loads)
			loads = room_of(m, counter) / step;
	}
	if (loads < 2)
		return 0;
	m->tracked_left = 0;
	m->overlapped = true;
	pass(m, loads * latency, loads);
	return loads * latency;
}

// Cycles in which a counter freezes the monitors, strobes a pin, or a load is tracked.
__attribute__((noinline)) static void run_eventful(struct itanium_state *m, uint64_t cycles)
{
	settle(m);
	while (cycles) {
		uint64_t piece = cycles_before_wrap(m, m->interrupts);

		if (m->load && !m->tracked_left && !m->hesitates) {
			start_tracking(m);
			cycles -= pass_loads(m, cycles);
			if (m->tracked_left == 0)
				continue;
		}
		piece = piece < cycles ? piece + 1 : cycles;
		if (cycles_before_match(m) < piece)
			piece = cycles_before_match(m);
		if (m->hesitates)
			piece = 1;
		else if (m->tracked_left && m->tracked_left < piece)
			piece = m->tracked_left;
		m->hesitates = false;
		settle_slowly(m, piece);
		cycles -= piece;
	}
	measure(m);
}

static void itanium_run(void *state, uint64_t cycles)
{
	struct itanium_state *m = state;

	if (__builtin_expect(cycles > m->limit, false)) {
		run_eventful(m, cycles);
		return;
	}
	m->limit -= cycles;
	m->outputs.quiet -= cycles;
	m->pending += cycles;	// no more than the limit has lost: the sum cannot overflow
}

static void itanium_wires(void *state, const struct occurrence *occurrences, size_t count)
{
	struct itanium_state *m = state;

	gather(m);
	m->wires = count ? occurrences : &nothing;
	m->wire_count = count;
	if (count) {
		m->level = occurrences[count - 1].level & 3;
		m->isa = occurrences[count - 1].isa != 0;
	}
	m->hesitates = false;
	if (__builtin_expect(m->tracks, false)) {
		m->draw = undefined_value(m);
		m->hesitates = m->overlapped && !m->tracked_left && m->draw & 1;
	}
	derive(m);
}

//
// Registers
//

MODEL_REGISTER_TABLE(ITANIUM_REGISTERS, REGISTER_NAMED)

#define RULE(R, ...)											\
	{REGISTER_BITS(R, RW), REGISTER_BITS(R, RSVD), REGISTER_BITS(R, SXT), REGISTER_RESET(R),	\
	 REGISTER_UNDEFINED(R)},

static const struct {
	uint64_t writable, reserved, extended, reset, undefined;
} rules[] = {ITANIUM_REGISTERS(RULE)};

// Which register an address is; REGISTER_KINDS if none.
static unsigned locate(uint32_t address)
{
	for (unsigned kind = 0; kind < REGISTER_KINDS; kind++) {
		uint32_t offset = address - descriptions[kind].address;

		if (offset < (uint32_t)descriptions[kind].count * descriptions[kind].distance &&
		    offset % descriptions[kind].distance == 0)
			return kind;
	}
	return REGISTER_KINDS;
}

// PMCs and PMDs that are not there read as zero and ignore writes (ASDM volume 2, 7.2.1).
static bool is_monitor_register(uint32_t address)
{
	return ITANIUM_FILE(address) == ITANIUM_PMC(0) || ITANIUM_FILE(address) == ITANIUM_PMD(0);
}

// Where the value of a register that exists is kept.
static uint64_t *storage(struct itanium_state *m, uint32_t address)
{
	uint32_t number = ITANIUM_NUMBER(address);

	switch (ITANIUM_FILE(address)) {
	case ITANIUM_PMC(0):
		return &m->pmc[number];
	case ITANIUM_PMD(0):
		return &m->pmd[number];
	case ITANIUM_IBR(0):
		return &m->ibr[number];
	case ITANIUM_DBR(0):
		return &m->dbr[number];
	case ITANIUM_CR(0):
		return address == ITANIUM_DCR ? &m->dcr : address == ITANIUM_PMV ? &m->pmv :
		       address == ITANIUM_ITM ? &m->itm : &m->itv;
	case ITANIUM_AR(0):
		return &m->itc;
	default:
		return &m->psr;
	}
}

static bool is_counter(uint32_t address)
{
	return address - ITANIUM_PMD(FIRST) < COUNTERS;
}

static uint64_t extend(uint64_t value, uint64_t extended)
{
	uint64_t sign = (extended & -extended) >> 1;

	return value & sign ? value | extended : value & ~extended;
}

__attribute__((noinline)) static uint64_t faulty_value(const struct itanium_state *m, uint32_t address, uint64_t value)
{
	if (!is_counter(address))
		return value;
	if (has_fault(m, FAULT_COUNTER_STUCK) && address == ITANIUM_PMD(6))
		return value | 1ULL << 17;
	if (has_fault(m, FAULT_COUNT_LOST))
		return value - (value >> 10);
	if (has_fault(m, FAULT_SIGN_MISSING))
		return (uint32_t)value;
	return value;
}

static bool itanium_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct itanium_state *m = state;
	unsigned kind = locate(address);

	(void)thread;
	*value = 0;
	if (kind == REGISTER_KINDS)
		return is_monitor_register(address);
	settle(m);
	*value = *storage(m, address);
	// Event addresses and branches are valid only while frozen (6.2.7, 6.2.8.2).
	if (ITANIUM_FILE(address) == ITANIUM_PMD(0) && !is_counter(address) && !frozen(m))
		*value = undefined_value(m) & rules[kind].writable;
	*value = extend(*value, rules[kind].extended);
	if (kind == KIND_PSR)
		*value |= FIELD_PUT(PSR, cpl, m->level) | FIELD_PUT(PSR, is, m->isa);
	if (__builtin_expect(m->fault != NO_FAULT, false))
		*value = faulty_value(m, address, *value);
	return true;
}

// The PMC that controls a PMD.
static unsigned control_of(unsigned pmd)
{
	if (pmd < 2)
		return 10;
	if (pmd < FIRST || pmd == 17)
		return 11;
	return pmd < FIRST + COUNTERS ? pmd : 12;
}

// mov r = pmd[r]. What sp and pm close they close to the lower levels (ASDM volume 2, 7.2.1).
static bool itanium_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	struct itanium_state *m = state;
	bool closed;

	*value = 0;
	if (index >= ITANIUM_PMDS)
		return true;
	closed = m->psr & FIELD(PSR, sp) || m->pmc[control_of(index)] & FIELD(PMC4, pm);
	if (has_fault(m, FAULT_USER_READ_OPEN) || (m->level == 0 && !has_fault(m, FAULT_READ_CLOSED)))
		closed = false;
	return closed || itanium_read(m, thread, ITANIUM_PMD(index), value);
}

// A monitor whose plm is zero does not keep what it holds, nor what is written to it (table 6-11): it is lost when that
// begins and when it ends.
static void lose_data(struct itanium_state *m, unsigned pmc)
{
	for (unsigned kind = 0; kind < REGISTER_KINDS; kind++)
		for (unsigned i = 0; i < descriptions[kind].count; i++) {
			uint32_t address = descriptions[kind].address + i;

			if (ITANIUM_FILE(address) == ITANIUM_PMD(0) && control_of(ITANIUM_NUMBER(address)) == pmc)
				*storage(m, address) = undefined_value(m) & rules[kind].writable;
		}
	if (pmc < FIRST + COUNTERS)
		m->pmd[pmc] &= FIELD_MASK(0, m->width);
}

static void written_pmc(struct itanium_state *m, unsigned number, uint64_t before)
{
	bool monitors = (number >= FIRST && number < 8) || (number >= 10 && number <= 12);

	if (number == 0) {
		if (has_fault(m, FAULT_INTERRUPT_TWICE) && before & FIELD(PMC0, fr) && !frozen(m))
			m->outputs.requests |= 1;
		configure_enables(m);
	} else {
		if (has_fault(m, FAULT_PMC_STUCK))
			m->pmc[5] &= ~FIELD_PUT(PMC4, umask, 2);
		if (monitors && (!(before & FIELD(PMC4, plm)) || !(m->pmc[number] & FIELD(PMC4, plm))))
			lose_data(m, number);
		configure(m);
	}
	if (number == 11 || frozen(m))
		stop_tracking(m);
	if (frozen(m))
		m->trace_fresh = false;
}

static bool itanium_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct itanium_state *m = state;
	unsigned kind = locate(address);
	uint64_t before;

	(void)thread;
	if (kind == REGISTER_KINDS) {
		if (is_monitor_register(address))
			itanium_run(m, cycles);
		return is_monitor_register(address);
	}
	if (value & rules[kind].reserved && !has_fault(m, FAULT_ACCESS_UNCHECKED))
		return false;
	itanium_run(m, cycles);
	settle(m);
	before = *storage(m, address);
	*storage(m, address) = value & rules[kind].writable;
	if (is_counter(address)) {
		m->pmd[ITANIUM_NUMBER(address)] &= FIELD_MASK(0, m->width);
		measure(m);
	} else if (ITANIUM_FILE(address) == ITANIUM_PMD(0)) {
		m->trace_fresh &= address != ITANIUM_PMD(16);
	} else {
		if (ITANIUM_FILE(address) == ITANIUM_PMC(0))
			written_pmc(m, ITANIUM_NUMBER(address), before);
		else if (kind < KIND_DCR || kind == KIND_PSR)
			configure(m);
		configure_timer(m);
		derive(m);
	}
	return true;
}

// An interruption clears these and takes PSR.pp from DCR.pp; PSR.up stays (ASDM volume 2, table 3-2).
static void itanium_interruption(void *state, unsigned thread, uint64_t *saved)
{
	struct itanium_state *m = state;

	(void)thread;
	settle(m);
	*saved = m->psr;
	m->psr &= FIELD(PSR, up);
	m->psr |= FIELD_PUT(PSR, pp, FIELD_GET(DCR, pp, m->dcr));
	configure(m);
	derive(m);
}

static void itanium_resume(void *state, unsigned thread, uint64_t saved)
{
	struct itanium_state *m = state;

	(void)thread;
	settle(m);
	m->psr = saved & rules[KIND_PSR].writable;
	configure(m);
	derive(m);
}

static void itanium_reset(void *state, int fault, uint64_t seed)
{
	struct itanium_state *m = state;

	*m = (struct itanium_state){.fault = fault, .seed = seed, .random = mix(seed), .wires = &nothing};
	m->width = fault == FAULT_COUNTER_NARROW ? 28 : ITANIUM_COUNTER_WIDTH;
	for (unsigned kind = 0; kind < REGISTER_KINDS; kind++)
		for (unsigned i = 0; i < descriptions[kind].count; i++) {
			uint32_t address = descriptions[kind].address + i * descriptions[kind].distance;

			*storage(m, address) =
				rules[kind].reset | (undefined_constant(m, address) & rules[kind].undefined);
		}
	for (unsigned counter = 0; counter < COUNTERS; counter++)
		m->pmd[FIRST + counter] &= FIELD_MASK(0, m->width);
	if (has_fault(m, FAULT_RESET_VALUE))
		m->pmc[13] &= ~FIELD(PMC13, ta);
	configure(m);
	configure_timer(m);
	derive(m);
}

//
// What the processor says of itself, and what an instruction clock can say to it
//

// Itanium has no identification instruction that its monitor has a say in.
static void itanium_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)leaf, (void)subleaf, (void)registers;
}

#define CLOCK_EVENTS 2
#define CLOCK(at)								\
	{									\
		{.code = ITANIUM_EVENT_RETIRED, .n = 1, .level = (at)},		\
		{.code = ITANIUM_EVENT_CYCLES, .n = 1, .level = (at)},		\
	}

static const struct occurrence clock_wires[4][CLOCK_EVENTS] = {CLOCK(0), CLOCK(1), CLOCK(2), CLOCK(3)};

static const struct occurrence *itanium_clock(unsigned thread, unsigned level, size_t *count)
{
	(void)thread;
	*count = CLOCK_EVENTS;
	return clock_wires[level];
}

// Of a branch, which its predictor and stage of prediction are is not known, and which others its bundle has.
static size_t itanium_branch(const struct occurrence *branch, struct occurrence *o)
{
	const bool taken = branch->branch & OCCURRENCE_TAKEN, path = !(branch->branch & OCCURRENCE_WRONG_PATH);
	const bool target = !(branch->branch & OCCURRENCE_WRONG_TARGET);

	o[0] = o[1] = o[2] = *branch;
	o[0].code = EVENT_BRANCH_SLOT;
	o[0].sub = taken ? (uint16_t)(1u << branch->slot) : 8;
	o[1].code = EVENT_BRANCH_PATH;
	o[1].sub = (uint16_t)(path << 1 | taken);
	o[2].code = EVENT_BRANCH_PREDICTOR;
	o[2].sub = !path ? 2 : target ? 1 : 3;
	return 3;
}

static size_t itanium_load(const struct occurrence *load, struct occurrence *o)
{
	static const uint16_t codes[] = {EVENT_DATA_REFERENCE, EVENT_LOAD, EVENT_LOAD_READ, EVENT_LOAD_MISS};
	const size_t count = sizeof codes / sizeof *codes;

	for (size_t i = 0; i < count; i++) {
		o[i] = *load;
		o[i].code = codes[i];
	}
	return count;
}

static bool itanium_counts(const struct occurrence *o, uint16_t code, uint8_t umask)
{
	return o->code == code && code < sizeof events / sizeof *events &&
	       selects(events[code].selection, umask, o->sub);
}

// Sub-events of branches (7.8): bits 3:2 and 1:0 of the unit mask each say something. A branch that is not taken has no
// target to be mispredicted. Stages of prediction are 1 to 3; a miss of the first TLB is served by the second one, 1,
// the page walker, 2, or software, 3, one of the last TLB by these two.
#define TAKEN		OCCURRENCE_TAKEN
#define WRONG_PATH	OCCURRENCE_WRONG_PATH
#define WRONG_TARGET	OCCURRENCE_WRONG_TARGET

#define BRANCHES(code, mask, sub, which, are)	{code, mask, sub, which, are, 0, 0}
#define IN_SLOT(code, sub, slot)		{code, 15, sub, TAKEN, TAKEN, 1 << (slot), 0}
#define SERVED(code, mask, sub, by)		{code, mask, sub, 0, 0, 0, by}

#define PREDICTIONS(code)									\
	BRANCHES(code, 3, 1, WRONG_PATH | WRONG_TARGET, 0),					\
	BRANCHES(code, 3, 2, WRONG_PATH, WRONG_PATH),						\
	BRANCHES(code, 3, 3, WRONG_PATH | WRONG_TARGET | TAKEN, WRONG_TARGET | TAKEN)
#define STAGES(code)										\
	SERVED(code, 0xC, 0x4, 1 << 1), SERVED(code, 0xC, 0x8, 1 << 2), SERVED(code, 0xC, 0xC, 1 << 3)

static const struct model_sub subs[] = {
	IN_SLOT(EVENT_BRANCH_SLOT, 1, 0),
	IN_SLOT(EVENT_BRANCH_SLOT, 2, 1),
	IN_SLOT(EVENT_BRANCH_SLOT, 4, 2),
	BRANCHES(EVENT_BRANCH_SLOT, 15, 8, TAKEN | WRONG_TARGET, 0),
	BRANCHES(EVENT_BRANCH_MULTIWAY, 0xC, 0x8, TAKEN | WRONG_TARGET, 0),
	BRANCHES(EVENT_BRANCH_MULTIWAY, 0xC, 0xC, TAKEN, TAKEN),
	PREDICTIONS(EVENT_BRANCH_MULTIWAY),
	STAGES(EVENT_BRANCH_PATH),
	BRANCHES(EVENT_BRANCH_PATH, 3, 0, TAKEN | WRONG_TARGET | WRONG_PATH, WRONG_PATH),
	BRANCHES(EVENT_BRANCH_PATH, 3, 1, TAKEN | WRONG_PATH, TAKEN | WRONG_PATH),
	BRANCHES(EVENT_BRANCH_PATH, 3, 2, TAKEN | WRONG_TARGET | WRONG_PATH, 0),
	BRANCHES(EVENT_BRANCH_PATH, 3, 3, TAKEN | WRONG_PATH, TAKEN),
	STAGES(EVENT_BRANCH_PREDICTOR),
	PREDICTIONS(EVENT_BRANCH_PREDICTOR),
	SERVED(EVENT_ITLB_MISS, 0, 0, 1 << 2 | 1 << 3),
	SERVED(EVENT_DTC_MISS, 0, 0, 1 << 1 | 1 << 2 | 1 << 3),
	SERVED(EVENT_DTLB_MISS, 0, 0, 1 << 2 | 1 << 3),
};

//
// What a carrier leaves out, and what is saved
//

// Every processor has four generic counters (ASDM volume 2, 7.2).
static const struct model_counters groups[] = {{
	.count = COUNTERS, .fewest = COUNTERS, .address = ITANIUM_PMD(FIRST), .index = FIRST,
	.select = ITANIUM_PMC(FIRST), .distance = 1, .code = FIELD(PMC4, es), .umask = FIELD(PMC4, umask),
	.off_mask = FIELD(PMC4, ism), .off = FIELD(PMC4, ism),
}};

#define SAVED(type, member, bits) MODEL_FIELD(itanium_state, type, member, bits)

static const struct model_field fields[] = {
	SAVED(uint32_t, outputs.requests, 1),
	SAVED(uint32_t, outputs.strobes, MONITOR_COUNTERS),
	SAVED(uint64_t, pmc, ~0ULL),		// of registers: those bits that can be written
	SAVED(uint64_t, pmd, ~0ULL),
	SAVED(uint64_t, ibr, ~0ULL),
	SAVED(uint64_t, dbr, ~0ULL),
	SAVED(uint64_t, dcr, ~0ULL),
	SAVED(uint64_t, pmv, ~0ULL),
	SAVED(uint64_t, psr, ~0ULL),
	SAVED(uint64_t, itc, ~0ULL),
	SAVED(uint64_t, itm, ~0ULL),
	SAVED(uint64_t, itv, ~0ULL),
	SAVED(uint8_t, level, 3),
	SAVED(uint8_t, tracked.level, 3),	// of the load that is tracked: what is captured of it
	SAVED(uint8_t, tracked.isa, 1),
	SAVED(uint8_t, tracked.slot, 3),
	SAVED(uint32_t, tracked.latency, UINT32_MAX),
	SAVED(uint64_t, tracked.ip, ~0ULL),
	SAVED(uint64_t, tracked.address, ~0ULL),
	SAVED(uint64_t, tracked_left, UINT32_MAX),
	SAVED(bool, overlapped, 1),
	SAVED(uint64_t, trace_target, FIELD(PMD8, address)),
	SAVED(bool, trace_fresh, 1),
	SAVED(uint64_t, seed, ~0ULL),
	SAVED(uint64_t, random, ~0ULL),
};

static void itanium_settle(void *state)
{
	settle(state);
}

// Whether registers have bits that they can hold, and nothing is under way that a freeze ends, or that is late.
static bool is_possible(struct itanium_state *m)
{
	bool possible = m->tracked_left <= m->tracked.latency && !(frozen(m) && (m->tracked_left || m->trace_fresh));

	for (unsigned kind = 0; kind < REGISTER_KINDS; kind++)
		for (unsigned i = 0; i < descriptions[kind].count; i++)
			possible &= !(*storage(m, descriptions[kind].address + i * descriptions[kind].distance) &
				      ~rules[kind].writable);
	return possible;
}

static bool itanium_adopt(void *state)
{
	struct itanium_state *m = state;

	if (!is_possible(m))
		return false;
	configure(m);
	configure_timer(m);
	m->busy = true;		// derives anew whatever it is
	derive(m);
	return true;
}

const struct pmu_model pmu_model_itanium = {
	.name = "itanium",
	.size = sizeof(struct itanium_state),
	.threads = 1,
	.registers = descriptions,
	.register_count = REGISTER_KINDS,
	.faults = fault_names,
	.vector_address = ITANIUM_PMV,
	.vector_masked = FIELD(PMV, m),
	.reset = itanium_reset,
	.read = itanium_read,
	.write = itanium_write,
	.read_counter = itanium_read_counter,
	.interruption = itanium_interruption,
	.resume = itanium_resume,
	.identify = itanium_identify,
	.wires = itanium_wires,
	.run = itanium_run,
	.clock = itanium_clock,
	.clock_cycles = 1,
	.counts = itanium_counts,
	.branch = itanium_branch,
	.load = itanium_load,
	.subs = subs,
	.sub_count = sizeof subs / sizeof *subs,
	.groups = groups,
	.group_count = sizeof groups / sizeof *groups,
	.open_address = ITANIUM_PMD(0),
	.open_count = ITANIUM_PMDS,
	.fields = fields,
	.field_count = sizeof fields / sizeof *fields,
	.settle = itanium_settle,
	.adopt = itanium_adopt,
};
