/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the core PMU's model share: its state, and what each block does. */
#ifndef NEHALEM_STATE_H
#define NEHALEM_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(NEHALEM_REGISTERS)

#define THREADS		2
#define GENERAL		NEHALEM_GENERAL_COUNTERS
#define WIDTH		NEHALEM_COUNTER_WIDTH

/* Counter n of thread t, general ones first, is number COUNTERS * t + n. Sets of a thread's counters. */
#define OF_THREAD(thread, set)	((uint32_t)(set) << COUNTERS * (thread))
#define THREAD_SET(thread, set)	((set) >> COUNTERS * (thread) & ((1u << COUNTERS) - 1))
#define GENERAL_SET		(OF_THREAD(0, NEHALEM_GENERAL_MASK) | OF_THREAD(1, NEHALEM_GENERAL_MASK))

_Static_assert(COUNTERS == GENERAL + NEHALEM_FIXED_COUNTERS && NUMBER_IA32_PMC == 0, "order of NEHALEM_REGISTERS");

struct nehalem_state {
	struct engine engine;
	uint64_t file[THREADS][SLOTS];

	/* Made from the selects, for what happens in a cycle: counters by event; by the thread and level whose events
	 * they count. */
	struct engine_selection selection;
	uint16_t accepting[THREADS][4];
	uint16_t qualified;		/* another register has a say in what they count */
	uint16_t core_clocks;		/* count cycles of any thread: once, though several have them */

	/* Likewise: counters enabled by themselves; that interrupt; that distinguish levels; of branches. */
	uint32_t enabled, interrupting, by_level, of_branches;

	/* Counters whose overflow arms a record; those that have overflowed and whose record is due, and of each of
	 * these the cycles in which its events are not recorded yet. */
	uint32_t precise, armed;
	uint8_t shadow[THREADS * COUNTERS];
	unsigned records;		/* that this run has tried to write */

	uint8_t recording;		/* threads (bits) with LBR set */
	bool branches_due;		/* each cycle has branches that they record */

	const struct model_processor *processor;	/* NULL: none is attached */
};

/* A thread's counters by their bits in the global registers, as a set of the engine's. */
static inline uint32_t nehalem_set(uint64_t global)
{
	return (uint32_t)(global & NEHALEM_GENERAL_MASK) |
	       (uint32_t)((global & NEHALEM_FIXED_MASK) >> NEHALEM_FIRST_FIXED) << GENERAL;
}

/* Makes sets of the registers that enable. */
void nehalem_configure(struct engine *e);

/* Whether a thread's counter, 0 to COUNTERS - 1, can count events of this code. */
bool nehalem_has_event(unsigned counter, unsigned code);

static inline uint64_t nehalem_canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16);
}

/* The counters that count an occurrence. */
typedef uint32_t nehalem_selects(const struct engine *e, const struct occurrence *o);

/* pebs.c: precise records. Cycles pass; returns whether something was recorded. *interrupts: threads (bits) that a
 * record interrupts are added. What the next record asks for. Whether an occurrence is a load that load latency counts
 * on this counter (the guide's Table 4). */
bool nehalem_pebs_passed(struct nehalem_state *m, uint64_t cycles, uint32_t wrapped, nehalem_selects selects,
			 uint32_t *interrupts);
bool nehalem_is_slow_load(const struct nehalem_state *m, unsigned thread, unsigned counter,
			  const struct occurrence *o);
void nehalem_pebs_limit(struct engine *e);
#define PEBS_SHADOW	8
#define PEBS_RECORDS_PER_RUN 65536

/* lbr.c: branch records. Whether the inputs have branches that are recorded; cycles with them pass. */
bool nehalem_lbr_due(const struct nehalem_state *m);
void nehalem_lbr_passed(struct nehalem_state *m, uint64_t cycles);
void nehalem_record(void *state, const struct occurrence *branch);

/* cpuid.c: what the processor says of itself, as it is and as a backend exposes it. */
void nehalem_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
void nehalem_expose_features(uint32_t leaf, uint32_t registers[4], const struct model_features *features);

/* raised.c */
extern const struct model_raised nehalem_raised[];
extern const uint8_t nehalem_sources[];

#endif
