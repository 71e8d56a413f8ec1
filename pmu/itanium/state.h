/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of the model: its state, and the functions of each file. */
#ifndef ITANIUM_STATE_H
#define ITANIUM_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(ITANIUM_REGISTERS)

#define FIRST		ITANIUM_FIRST_COUNTER
#define PMC(number)	file[0][SLOT_PMC0 + (number)]
#define PMD(number)	file[0][SLOT_PMD0 + (number)]	/* those that are not counters */

_Static_assert(COUNTERS == ITANIUM_COUNTERS && SLOT_PMC13 == SLOT_PMC0 + 13 &&
	       SLOT_PMD17 == SLOT_PMD0 + 17,
	       "order of ITANIUM_REGISTERS");

/* Monitors, as bits: the counters, then the recorders. */
enum {
	MONITOR_INSTRUCTION_EAR = 1 << COUNTERS,
	MONITOR_DATA_EAR = 1 << (COUNTERS + 1),
	MONITOR_TRACE = 1 << (COUNTERS + 2),
	MONITOR_COUNTERS = (1 << COUNTERS) - 1,
	MONITOR_ALL = (1 << (COUNTERS + 3)) - 1,
};
#define MONITORS	(COUNTERS + 3)

/* Codes of events that parts of the hardware watch or raise. */
#define EVENT_FP_LOW		0x09	/* FP_OPS_RETIRED_LO, */
#define EVENT_FP_HIGH		0x0A	/* and _HI: bits of the sum of all weights in a cycle */
#define EVENT_BRANCH_SLOT	0x0D	/* BRANCH_TAKEN_SLOT, _MULTIWAY, _PATH, _PREDICTOR: one per
					 * bundle */
#define EVENT_BRANCH_MULTIWAY	0x0E
#define EVENT_BRANCH_PATH	0x0F
#define EVENT_BRANCH_PREDICTOR	0x10
#define EVENT_BRANCH_CAPTURED	0x11	/* BRANCH_EVENT */
#define EVENT_FETCH_MISS	0x22	/* L2_INST_DEMAND_READS: demand fetches that miss L1I */
#define EVENT_FETCH_CAPTURED	0x23	/* INSTRUCTION_EAR_EVENTS */
#define EVENT_ITLB_MISS		0x27	/* ITLB_MISSES_FETCH */
#define EVENT_PIPELINE_FLUSH	0x33
#define EVENT_FAILED_CHECK	0x35	/* INST_FAILED_CHKS_RETIRED, */
#define EVENT_ALAT_LAST		0x38	/* and the ALAT's: up to ALAT_REPLACEMENT */
#define EVENT_BUS_SNOOP_HIT	0x45	/* BUS_SNOOPS_HITM: the first event with initiators, */
#define EVENT_BUS_LAST		0x55	/* up to BUS_SNOOP_STALL_CYCLES */
#define EVENT_DTC_MISS		0x60	/* DTC_MISSES: misses of the first data TLB */
#define EVENT_DATA_REFERENCE	0x63	/* DATA_REFERENCES_RETIRED */
#define EVENT_LOAD_READ		0x64	/* L1D_READS_RETIRED */
#define EVENT_RSE		0x65	/* RSE_REFERENCES_RETIRED */
#define EVENT_LOAD_MISS		0x66	/* L1D_READ_MISSES_RETIRED */
#define EVENT_DATA_CAPTURED	0x67	/* DATA_EAR_EVENTS */
#define EVENT_L2_DATA		0x69	/* L2_DATA_REFERENCES */
#define EVENT_LOAD		0x6C	/* LOADS_RETIRED */
#define EVENT_RSE_LOAD		0x72	/* RSE_LOADS_RETIRED */
#define EVENT_L2_FLUSH		0x77	/* L2_FLUSH_DETAILS */
#define EVENT_L3_READ		0x7D	/* L3_READS */
#define EVENT_L3_WRITE		0x7E	/* L3_WRITES */

/* The sub-event of FP_OPS_RETIRED_LO whose `n` is the weight of an operation (7.8). */
#define ITANIUM_WEIGHT	1

#define ITANIUM_EVENTS	128
#define ITANIUM_FACTS	64	/* sets of facts (qualify.c) */

/* The addresses that equal `address` in the bits of `care`. */
struct itanium_range {
	uint64_t address, care;
};

struct itanium_state {
	struct engine engine;
	uint64_t file[1][SLOTS];

	/* Derived from registers. */
	uint8_t enabled[2][4];		/* enabled monitors, by instruction set and level */
	uint8_t selecting[16];		/* counters that select a sub-event, by its bits */
	uint8_t twice[16];		/* counters that count it twice */
	uint8_t most[COUNTERS];		/* maximum that a counter adds per cycle */
	uint8_t weighing;		/* counters that select FP_OPS_RETIRED_LO or _HI */
	bool levels_qualify;		/* code ranges hold at certain levels only */
	uint8_t qualified;		/* monitors whose counting depends on the facts */
	uint8_t without_levels;		/* monitors whose plm is zero */
	bool tracks;			/* the data event address register follows loads */
	bool timed;			/* the interval timer interrupts */
	uint32_t strobing;		/* counters whose overflow strobes a pin */
	uint8_t watched[ITANIUM_EVENTS];	/* monitors that watch an event, by its code */
	uint8_t counting[ITANIUM_FACTS];	/* monitors that count it, by its facts */
	uint64_t passing[MONITORS];	/* the same by monitor: one bit per set of facts */
	/* code: by privilege level */
	struct itanium_range code[4][ITANIUM_BREAKPOINTS], data[ITANIUM_BREAKPOINTS];

	/* Derived from registers and inputs. */
	const struct occurrence *fetch, *translation;	/* captured by the event address registers
							 * in each cycle */
	const struct occurrence *load;	/* the load that the data EAR would track, */
	uint64_t loads;			/* chosen from this number of loads */
	bool branches;			/* the trace buffer captures branches in each cycle */
	uint32_t weight[COUNTERS];	/* sum of the weights that a counter counts */

	/* The load that the data event address register tracks, and the cycles until it is served;
	 * 0: none. */
	struct occurrence tracked;
	uint64_t tracked_left;
	bool overlapped;		/* it has ignored other loads meanwhile */
	bool hesitates;			/* it tracks none in the next cycle */
	uint64_t draw;			/* random number for its choices among these inputs */

	uint64_t trace_target;		/* the branch target recorded last, */
	bool trace_fresh;		/* recorded in the last cycle */

	uint8_t isa;			/* instruction set of the code executed last */
	uint64_t random;		/* counter of engine_mix, for undefined values */
};

static inline bool itanium_frozen(const struct itanium_state *m)
{
	return m->PMC(0) & FIELD(PMC0, fr);
}

static inline unsigned itanium_enabled(const struct itanium_state *m, const struct occurrence *o)
{
	return m->enabled[o->isa != 0][o->level & 3];
}

/* Returns the enabled monitors that watch an occurrence. */
static inline unsigned itanium_watching(const struct itanium_state *m, const struct occurrence *o)
{
	return o->code < ITANIUM_EVENTS ? m->watched[o->code] & itanium_enabled(m, o) : 0;
}

static inline bool itanium_is_branch(const struct occurrence *o)
{
	return o->branch & OCCURRENCE_BRANCH;
}

static inline uint64_t itanium_canonical(uint64_t address)
{
	const uint64_t unimplemented = FIELD(PMD2, address_sxt);

	return address >> (ITANIUM_ADDRESS_BITS - 1) & 1 ? address | unimplemented :
	       address & ~unimplemented;
}

/* Returns an undefined value, a different one each time. */
static inline uint64_t itanium_undefined(struct itanium_state *m)
{
	m->random += 0x9E3779B97F4A7C15ULL;	/* the constant of splitmix64 */
	return engine_mix(m->random ^ m->engine.seed);
}

/* Counts a captured occurrence as an event of its own: counters add it in each cycle. */
static inline void itanium_count_capture(struct itanium_state *m, unsigned code,
					 const struct occurrence *o)
{
	const unsigned counters = m->watched[code] & itanium_enabled(m, o) & MONITOR_COUNTERS;

	m->engine.moving = engine_add(m->engine.counter, m->engine.moving, counters, 1);
}

/* The interval timer's count, and the number of cycles before the one in which it interrupts. */
static inline uint64_t itanium_itc(const struct itanium_state *m)
{
	return m->file[0][SLOT_ITC] + m->engine.cycles;
}

static inline uint64_t itanium_before_match(const struct itanium_state *m)
{
	return m->timed ? m->file[0][SLOT_ITM] - itanium_itc(m) - 1 : UINT64_MAX;
}

/* cpuid.c: CPUID of IA-32 code (model.h). */
void itanium_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4]);

/* configure.c: selections by registers; the enabled monitors; the monitors whose plm is zero. For
 * each monitor its PMC, its PMDs (as bits), and the event code of its captures. */
void itanium_configure(struct engine *e);
void itanium_configure_enables(struct itanium_state *m);
uint8_t itanium_without_levels(const struct itanium_state *m);
extern const struct itanium_monitor_registers {
	uint8_t pmc;
	uint32_t pmds;
	uint8_t event;
} itanium_monitor_registers[MONITORS];

/* The contents of events.tab. events.c: itanium_times returns how often (0 to 2) a counter with
 * this unit mask counts a sub-event (7.8). */
extern const struct model_code pmu_codes_itanium[MODEL_CODES];
unsigned itanium_times(unsigned code, unsigned umask, unsigned sub);
bool itanium_counts(const struct occurrence *o, uint16_t code, uint8_t umask);
size_t itanium_branch(const struct occurrence *branch, struct occurrence *o);
size_t itanium_load(const struct occurrence *load, struct occurrence *o);

/* Unit masks of IA64_INST_RETIRED (table 7-30). */
#define RETIRED_ALL	0
#define RETIRED_PMC9	2
#define RETIRED_PMC8	3

/* qualify.c: the facts with which a monitor counts an event. */
void itanium_configure_qualification(struct itanium_state *m, unsigned monitor, unsigned code,
				     unsigned umask);
void itanium_configure_ranges(struct itanium_state *m);

/* Returns the number of occurrences, from a branch on, that are the branches of its bundle and
 * therefore one prediction. *deciding: the branch that determines the bundle's path: the first
 * taken one, else the last. */
size_t itanium_bundle(const struct occurrence *o, const struct occurrence *end,
		      const struct occurrence **deciding);

/* Returns the monitors that count an occurrence; the subset of `monitors` whose qualification it
 * meets, where the `size` branches of a bundle meet it with their deciding one. */
unsigned itanium_counting(const struct itanium_state *m, const struct occurrence *o);
unsigned itanium_qualify(const struct itanium_state *m, unsigned monitors,
			 const struct occurrence *o, size_t size,
			 const struct occurrence *deciding);

/* ear.c: event address registers. For new inputs: draws a random number. For each cycle: looks at
 * an occurrence that `monitors` see; counts the captured ones. */
void itanium_ear_draw(struct itanium_state *m);
void itanium_ear_see(struct itanium_state *m, unsigned monitors, const struct occurrence *o);
void itanium_ear_count(struct itanium_state *m);

/* _passed: `cycles` pass; returns whether the next cycle counts other events. _limit: lowers the
 * headroom. _stop: drops the tracked load. _run: advances over as many of `cycles` as possible, and
 * returns the rest. */
bool itanium_ear_passed(struct itanium_state *m, uint64_t cycles);
void itanium_ear_limit(struct itanium_state *m);
void itanium_ear_stop(struct itanium_state *m);
uint64_t itanium_ear_run(struct itanium_state *m, uint64_t cycles);

/* btb.c: branch trace buffer. Counts captured branches; records them as cycles pass. */
void itanium_btb_count(struct itanium_state *m);
void itanium_btb_passed(struct itanium_state *m, uint64_t cycles);

#endif
