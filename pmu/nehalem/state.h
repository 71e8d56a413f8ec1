/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the core PMU's model, and the functions that its files share. */
#ifndef NEHALEM_STATE_H
#define NEHALEM_STATE_H

#include "../engine/branches.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(NEHALEM_REGISTERS)

#define THREADS		2
#define GENERAL		NEHALEM_GENERAL_COUNTERS
#define WIDTH		NEHALEM_COUNTER_WIDTH

/* Counter n of thread t, general counters first, has the number COUNTERS * t + n. OF_THREAD: makes
 * the set of a thread's counters from bits for its counters. THREAD_SET: the reverse. */
#define OF_THREAD(thread, set)	((uint32_t)(set) << COUNTERS * (thread))
#define THREAD_SET(thread, set)	((set) >> COUNTERS * (thread) & ((1u << COUNTERS) - 1))
#define GENERAL_SET		(OF_THREAD(0, NEHALEM_GENERAL_MASK) | \
				 OF_THREAD(1, NEHALEM_GENERAL_MASK))

_Static_assert(COUNTERS == GENERAL + NEHALEM_FIXED_COUNTERS && NUMBER_IA32_PMC == 0,
	       "order of NEHALEM_REGISTERS");

struct nehalem_state {
	struct engine engine;
	uint64_t file[THREADS][SLOTS];

	/* Derived from the selects. selection: counters by event.
	 * accepting: counters that count events of this thread at this level. */
	struct engine_selection selection;
	uint16_t accepting[THREADS][4];
	uint16_t qualified;		/* counters whose events another register qualifies */
	uint16_t core_clocks;		/* clocks of any thread: each cycle counts once, even if
					 * both threads are active */

	/* Also derived from the selects, as bit masks of counters. enabled: EN and a level are
	 * set. interrupting: INT is set. by_level: OS and USR differ. of_branches: counts branch
	 * events. */
	uint32_t enabled, interrupting, by_level, of_branches;

	/* precise: counters whose overflow arms a record.
	 * armed: counters that have overflowed and whose record is due.
	 * shadow: cycles in which an armed counter's events are not yet recorded. */
	uint32_t precise, armed;
	uint8_t shadow[THREADS * COUNTERS];
	unsigned records;		/* number of records that this run has tried to write */

	uint8_t recording;		/* bit mask: threads with LBR set */
	bool branches_due;		/* the inputs have branches that are recorded */

	const struct model_processor *processor;	/* NULL if none is attached */
};

/* Converts bits of the global registers to a set of a thread's counters. */
static inline uint32_t nehalem_set(uint64_t global)
{
	return (uint32_t)(global & NEHALEM_GENERAL_MASK) |
	       (uint32_t)((global & NEHALEM_FIXED_MASK) >> NEHALEM_FIRST_FIXED) << GENERAL;
}

/* Derives the sets of counters from the registers that enable. */
void nehalem_configure(struct engine *e);

/* True if a thread's counter, 0 to COUNTERS - 1, can count events of this code. */
bool nehalem_has_event(unsigned counter, unsigned code);

static inline uint64_t nehalem_canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16);
}

/* Returns the counters that count an occurrence. */
typedef uint32_t nehalem_selects(const struct engine *e, const struct occurrence *o);

/* pebs.c: precise records.
 * nehalem_pebs_passed: advances by cycles; adds the threads that a record interrupts to the bit
 * mask *interrupts. Returns true if a record was due or a counter was armed.
 * nehalem_is_slow_load: true if this counter counts the occurrence as a load for load latency (the
 * guide's Table 4).
 * nehalem_pebs_limit: lowers the headroom to the next record. */
bool nehalem_pebs_passed(struct nehalem_state *m, uint64_t cycles, uint32_t wrapped,
			 nehalem_selects selects, uint32_t *interrupts);
bool nehalem_is_slow_load(const struct nehalem_state *m, unsigned thread, unsigned counter,
			  const struct occurrence *o);
void nehalem_pebs_limit(struct engine *e);
#define PEBS_SHADOW	8
#define PEBS_RECORDS_PER_RUN 65536

/* lbr.c: branch records.
 * nehalem_lbr_due: true if the inputs have branches that are recorded.
 * nehalem_lbr_passed: advances by cycles with these branches. */
bool nehalem_lbr_due(const struct nehalem_state *m);
void nehalem_lbr_passed(struct nehalem_state *m, uint64_t cycles);
void nehalem_record(void *state, const struct occurrence *branch);

/* cpuid.c: CPUID of the processor, and as a backend exposes it. */
void nehalem_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4]);
void nehalem_expose_features(uint32_t leaf, uint32_t registers[4],
			     const struct model_features *features);

/* raised.c */
extern const struct model_raised nehalem_raised[];
extern const uint8_t nehalem_sources[];

#endif
