/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the model, the processors that it can be, and the functions that its files share. */
#ifndef INTEL_STATE_H
#define INTEL_STATE_H

#include "../engine/branches.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(INTEL_REGISTERS)

#define THREADS		2
#define GENERAL		INTEL_GENERAL_COUNTERS

/* Counter n of thread t, general counters first, has the number COUNTERS * t + n. OF_THREAD: makes
 * the set of a thread's counters from bits for its counters. THREAD_SET: the reverse. */
#define OF_THREAD(thread, set)	((uint32_t)(set) << COUNTERS * (thread))
#define THREAD_SET(thread, set)	((set) >> COUNTERS * (thread) & ((1u << COUNTERS) - 1))

_Static_assert(COUNTERS == GENERAL + INTEL_FIXED_COUNTERS && NUMBER_IA32_PMC == 0,
	       "order of INTEL_REGISTERS");

/* A processor, as CPUID reports it. */
struct intel_processor {
	uint8_t version;	/* of architectural performance monitoring, 1 to 5 */
	uint8_t general;	/* number of general counters, 1 to 8 */
	uint8_t width;		/* of all counters, 32 to 48 bits */
	uint8_t fixed_count;	/* fixed counters from 0 on */
	uint8_t fixed_bits;	/* further fixed counters, as bits; version 5 */
	bool full_width;	/* IA32_A_PMC exists */
	bool any_deprecated;	/* there is no AnyThread */
	uint8_t absent_events;	/* leaf 0AH, EBX: architectural events that do not exist */
	uint32_t signature;	/* leaf 01H, EAX: family and model; 0: as the machine around */
	uint8_t lbr_format;	/* IA32_PERF_CAPABILITIES.LBR_FMT */
	uint8_t lbr_depth;	/* branch records of a thread; 0: none */
	bool arch_lbr;		/* they are the architectural ones */
};

static inline uint32_t intel_fixed(const struct intel_processor *p)
{
	return ((1u << p->fixed_count) - 1) | p->fixed_bits;
}

static inline bool intel_any_thread(const struct intel_processor *p)
{
	return p->version >= INTEL_VERSION_ANY && !p->any_deprecated;
}

struct intel_state {
	struct engine engine;
	uint64_t file[THREADS][SLOTS];
	const struct intel_processor *processor;

	/* Derived from the selects. selection: counters by event. accepting: counters that count
	 * events of this thread at this level. */
	struct engine_selection selection;
	uint32_t accepting[THREADS][4];

	/* Also derived from the selects, as bit masks of counters. core_clocks: clocks of any
	 * thread: each cycle counts once. enabled: EN and a level are set. interrupting: INT is
	 * set. by_level: OS and USR differ. of_branches: counts branch events. */
	uint32_t core_clocks, enabled, interrupting, by_level, of_branches;

	uint8_t recording;	/* bit mask: threads that record branches */
	bool branches_due;	/* the inputs have branches that are recorded */

	/* The engine's cycle of a thread's youngest branch record; the cycles since then, as far
	 * as a record can hold them, computed when the state is saved. */
	uint64_t recorded_at[THREADS];
	uint16_t elapsed[THREADS];
};

/* Converts bits of the global registers to a set of a thread's counters. */
static inline uint32_t intel_set(uint64_t global)
{
	return (uint32_t)(global & INTEL_GENERAL_MASK) |
	       (uint32_t)((global & INTEL_FIXED_MASK) >> INTEL_FIRST_FIXED) << GENERAL;
}

/* Derives the sets of counters from the registers that enable. */
void intel_configure(struct engine *e);

/* cpuid.c */
void intel_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		    uint32_t registers[4]);
void intel_expose(uint32_t leaf, uint32_t registers[4], const struct model_features *features);

/* lacking.c: the bits of a register that a processor lacks: a write of 1 faults. All bits: it lacks
 * the register. */
uint64_t intel_lacking(const struct intel_processor *p, uint32_t address);

/* choose.c */
const char *intel_choose(const struct pmu_model *model, const struct model_choice *choice,
			 void *processor);

/* lbr.c: branch records.
 * intel_lbr_extend: the value that a record's register holds, after a write or a record.
 * intel_lbr_due: true if the inputs have branches that are recorded.
 * intel_lbr_passed: advances by cycles with these branches.
 * intel_record: struct model_records.
 * intel_lbr_takes: whether a write of a record's register does not fault.
 * intel_lbr_elapsed: cycles from a thread's youngest record to `cycle`. */
uint64_t intel_lbr_extend(const struct intel_processor *p, uint32_t kind, uint64_t value);
bool intel_lbr_due(const struct intel_state *m);
void intel_lbr_passed(struct intel_state *m, uint64_t cycles);
void intel_record(void *state, const struct occurrence *branch);
bool intel_lbr_takes(const struct intel_processor *p, uint32_t address, uint64_t value);
uint16_t intel_lbr_elapsed(const struct intel_state *m, unsigned thread, uint64_t cycle);
#define INTEL_LBR_CYCLES_MOST	0xFFFF	/* a record's cycles saturate */


/* Stores a record. */
static inline void intel_lbr_put(struct intel_state *m, unsigned thread, unsigned number,
				 uint64_t from, uint64_t to, uint64_t info)
{
	uint64_t *file = m->file[thread];

	file[SLOT_LASTBRANCH_FROM_IP + number] = from;
	file[SLOT_LASTBRANCH_TO_IP + number] = to;
	file[(m->processor->arch_lbr ? SLOT_IA32_LBR_INFO : SLOT_LBR_INFO) + number] = info;
}

/* arch_lbr.c: architectural branch records. Sources and targets are in the slots of the
 * others.
 * intel_arch_lbr_address: converts their addresses to those of the others.
 * intel_arch_lbr_filter: the bits of LBR_SELECT that exclude the same branches as IA32_LBR_CTL.
 * intel_arch_lbr_info: the bits of IA32_LBR_INFO that only these records have.
 * intel_arch_lbr_push: makes room in record 0. intel_arch_lbr_pop: removes record 0.
 * intel_arch_lbr_accepts, intel_arch_lbr_cleared: IA32_LBR_DEPTH (struct engine_hooks). */
uint32_t intel_arch_lbr_address(uint32_t address);
uint64_t intel_arch_lbr_filter(uint64_t control);
uint64_t intel_arch_lbr_info(const struct occurrence *branch);
void intel_arch_lbr_push(struct intel_state *m, unsigned thread);
void intel_arch_lbr_pop(struct intel_state *m, unsigned thread);
bool intel_arch_lbr_accepts(uint64_t depth);
bool intel_arch_lbr_cleared(void *state, const struct engine_access *a);

/* defects_arch_lbr.c: makes *model the defective model of the processor with architectural branch
 * records. */
void intel_defective_arch_lbr(struct pmu_model *model, const struct pmu_model *sound);

/* raised.c */
extern const struct model_raised intel_raised[];

#endif
