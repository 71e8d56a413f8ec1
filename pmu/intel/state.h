/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the model, the processors that it can be, and the functions that its files share. */
#ifndef INTEL_STATE_H
#define INTEL_STATE_H

#include "../engine/engine.h"
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

/* raised.c */
extern const struct model_raised intel_raised[];

#endif
