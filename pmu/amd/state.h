/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the model, the processors that it can be, and the functions that its files share. */
#ifndef AMD_STATE_H
#define AMD_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(AMD_REGISTERS)

#define THREADS		2

/* Counter n of thread t has the number COUNTERS * t + n. OF_THREAD: makes the set of a thread's
 * counters from bits for its counters. THREAD_SET: the reverse. */
#define OF_THREAD(thread, set)	((uint32_t)(set) << COUNTERS * (thread))
#define THREAD_SET(thread, set)	((set) >> COUNTERS * (thread) & ((1u << COUNTERS) - 1))

_Static_assert(COUNTERS == AMD_COUNTERS, "order of AMD_REGISTERS");

/* A processor, as CPUID reports it. */
struct amd_processor {
	uint8_t family;
	uint8_t counters;	/* 4 to 6 */
	bool extended;		/* PerfCtrExtCore: PERF_CTL and PERF_CTR exist */
	bool global;		/* PerfMonV2 */
	bool freezes;		/* LbrAndPmcFreeze */
};

struct amd_state {
	struct engine engine;
	uint64_t file[THREADS][SLOTS];
	const struct amd_processor *processor;

	/* Derived from the selects. selection: counters by the event code's low 8 bits and unit
	 * mask. of_high: by its high 4 bits. accepting: counters that count events of this thread
	 * at this level. */
	struct engine_selection selection;
	uint32_t of_high[16];
	uint32_t accepting[THREADS][4];

	/* Also derived from the selects, as bit masks of counters. enabled: EN and a level are set,
	 * and the counter can count its event. interrupting: INT is set. by_level: OS and USR
	 * differ. of_branches: counts branch events. */
	uint32_t enabled, interrupting, by_level, of_branches;
};

/* Derives the sets of counters from the registers that enable. */
void amd_configure(struct engine *e);

/* cpuid.c */
void amd_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		  uint32_t registers[4]);

/* lacking.c: whether the processor has the register, of which PERF_CTL and PERF_CTR stand for
 * PerfEvtSel and PerfCtr, too; whether it accepts a value. Removes bits that it ignores. */
bool amd_has(const struct amd_processor *p, uint32_t address);
bool amd_accepts(const struct amd_processor *p, uint32_t address, uint64_t *value);

/* Returns the address of PERF_CTL or PERF_CTR for that of PerfEvtSel or PerfCtr; else `address`. */
uint32_t amd_canonical(uint32_t address);

/* raised.c */
extern const struct model_raised amd_raised[];

#endif
