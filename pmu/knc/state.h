/* SPDX-License-Identifier: BSD-2-Clause */
/* State of Knights Corner's model, and the functions that its files share. */
#ifndef KNC_STATE_H
#define KNC_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(KNC_REGISTERS)

#define THREADS		KNC_THREADS
#define LEVELS		4
#define UNITS		4			/* unit masks 00H, 10H, 20H, 30H; the last has no
						 * events */

/* Counter n of thread t has the number COUNTERS * t + n. OF_THREAD: makes the set of a thread's
 * counters from bits for counters 0 and 1. THREAD_SET: the reverse. OF_ALL_THREADS: the same bits
 * for each thread. */
#define OF_THREAD(thread, set)	((uint32_t)(set) << COUNTERS * (thread))
#define THREAD_SET(thread, set)	((set) >> COUNTERS * (thread) & BOTH)
#define BOTH			((1u << COUNTERS) - 1)
#define OF_ALL_THREADS(set)	(0x55u * (set))

_Static_assert(COUNTERS == KNC_COUNTERS && COUNTERS == 2 && THREADS == 4, "OF_ALL_THREADS");

struct knc_state {
	struct engine engine;
	uint64_t file[THREADS][SLOTS];
	uint32_t lines;			/* bit mask: threads whose interrupt line is high */

	/* Bit masks of counters, derived from the selects.
	 * enabled: EN is set and the event exists. interrupting: INT is set.
	 * by_level: OS and USR differ. of_branches: the event is BRANCHES.
	 * of_event: counters that count this unit's event of this code.
	 * accepting: counters that count events of this thread at this level. */
	uint32_t enabled, interrupting, by_level, of_branches;
	uint16_t event[THREADS * COUNTERS];		/* code in 7:0, unit mask in 15:8 */
	uint8_t of_event[UNITS][1 << IA32_PERFEVTSEL_EVENT_WIDTH];
	uint8_t accepting[THREADS][LEVELS];
};

/* Joins a register that has a bit for each counter, over all threads, into one set of counters. */
static inline uint32_t knc_set(const struct knc_state *m, unsigned slot)
{
	uint32_t set = 0;

	for (unsigned thread = 0; thread < THREADS; thread++)
		set |= OF_THREAD(thread, m->file[thread][slot] & BOTH);
	return set;
}

/* Derives the engine's state from registers that have changed. */
void knc_configure(struct engine *e);

/* From events.tab: whether counter 0 or 1 of a thread counts an event; whether an event belongs to
 * no thread ("no thread-specific context", Table 1-5). */
extern const struct model_code pmu_codes_knc[MODEL_CODES];
bool knc_is_event(unsigned code, unsigned umask, unsigned counter);
static inline bool knc_is_of_no_thread(uint16_t event)
{
	return pmu_codes_knc[event & 0xFF].shared >> (event >> 12) & 1;
}

/* spflt.c. knc_spflt: the instruction SPFLT (struct pmu_model). knc_filtered: counters that the
 * user filter disables now. */
void knc_spflt(void *state, unsigned thread, bool count, uint64_t cycles);
uint32_t knc_filtered(const struct knc_state *m);

/* cpuid.c */
void knc_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		  uint32_t registers[4]);

/* raised.c */
extern const struct model_raised knc_raised[];

#endif
