/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of Knights Corner's model share: its state, and what each block does. */
#ifndef KNC_STATE_H
#define KNC_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(KNC_REGISTERS)

#define THREADS		KNC_THREADS
#define LEVELS		4
#define UNITS		4			/* of which unit masks 00H, 10H, 20H are used */

/* Counter n of thread t is number COUNTERS * t + n. Sets of a thread's counters, and of all threads'. */
#define OF_THREAD(thread, set)	((uint32_t)(set) << COUNTERS * (thread))
#define THREAD_SET(thread, set)	((set) >> COUNTERS * (thread) & BOTH)
#define BOTH			((1u << COUNTERS) - 1)
#define OF_ALL_THREADS(set)	(0x55u * (set))

_Static_assert(COUNTERS == KNC_COUNTERS && COUNTERS == 2 && THREADS == 4, "OF_ALL_THREADS");

struct knc_state {
	struct engine engine;
	uint64_t file[THREADS][SLOTS];
	uint32_t lines;			/* threads (bits) whose line is up */

	/* Made from the selects: EN is set and the event exists; INT; some levels only; branches. And those that count
	 * an event; those that count a thread's occurrences at a level. */
	uint32_t enabled, interrupting, by_level, of_branches;
	uint16_t event[THREADS * COUNTERS];		/* code and unit mask */
	uint8_t of_event[UNITS][1 << IA32_PERFEVTSEL_EVENT_WIDTH];
	uint8_t accepting[THREADS][LEVELS];
};

/* The bits of all threads' registers that have a bit for each counter, as one set of counters. */
static inline uint32_t knc_set(const struct knc_state *m, unsigned slot)
{
	uint32_t set = 0;

	for (unsigned thread = 0; thread < THREADS; thread++)
		set |= OF_THREAD(thread, m->file[thread][slot] & BOTH);
	return set;
}

/* Follows registers that have new values. */
void knc_configure(struct engine *e);

/* What events.tab says: whether an event exists, and counter 0 or 1 of a thread counts it; whether it is one without a
 * thread-specific context. */
extern const struct model_code pmu_codes_knc[MODEL_CODES];
bool knc_is_event(unsigned code, unsigned umask, unsigned counter);
static inline bool knc_is_of_no_thread(uint16_t event)
{
	return pmu_codes_knc[event & 0xFF].shared >> (event >> 12) & 1;
}

/* spflt.c: the instruction (struct pmu_model); the counters that are left to a user filter that is off. */
void knc_spflt(void *state, unsigned thread, bool count, uint64_t cycles);
uint32_t knc_filtered(const struct knc_state *m);

/* cpuid.c */
void knc_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);

/* raised.c */
extern const struct model_raised knc_raised[];

#endif
