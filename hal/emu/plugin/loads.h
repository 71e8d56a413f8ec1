/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads that retire: with their instructions, each of which retires one, the one that took longest. And how references
 * to memory are recorded. */
#ifndef PLUGIN_LOADS_H
#define PLUGIN_LOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu.h"

/* Of loads, and thus raised when these retire. */
static inline bool loads_raise(enum happening what)
{
	return (what >= HAPPENING_LOAD_L1D && what <= HAPPENING_LOAD_SLOW) ||
	       (what >= HAPPENING_LOAD_REMOTE_CACHE && what <= HAPPENING_LOAD_MEMORY_SHARED);
}

/* A load: what its PMU would record of it, who had the data, and whether the first-level TLB has missed it. */
struct load {
	struct occurrence occurrence;
	enum happening source;
	bool translated;
};

/* A CPU's. */
struct loads {
	struct load last;		/* of the instruction at feed->loads */
	struct occurrence retired, slow;	/* the last ones that have retired; the last that was slow */
	uint64_t ip;			/* of the last reference, whatever it is */
};
extern struct loads loads_of[VPMU_CPUS];

/* The instruction at this position has loaded. Returns what the one before raises, as loads_retire. */
#define LOADS_RAISE_MOST 3
size_t loads_see(struct loads *loads, uint64_t *at, uint64_t position, const struct load *load, uint64_t above,
		 enum happening raised[LOADS_RAISE_MOST]);

/* What the last instruction that has loaded raises, once, if it has retired (*at, of struct feed): those have, up to
 * this position. A load is slow if its latency is above this. How many happenings. */
size_t loads_retire(struct loads *loads, uint64_t *at, uint64_t position, uint64_t above,
		    enum happening raised[LOADS_RAISE_MOST]);

/* A quantum's instructions, if what is to be recorded may overflow, or be recorded, behind `headroom`, and all else
 * behind `most`. Registers are known behind the last instruction of a quantum only: while an event is waited for each
 * instruction is executed alone. So that a rare one does not take for ever, no more than one in LOADS_PER_STEP is, in
 * the long run: others have no record. And a counter of rare events that are recorded may overflow within a quantum.
 * `executed`: so many have come since the last time. */
#define LOADS_PER_STEP 256
uint64_t loads_wait(unsigned cpu, uint64_t headroom, uint64_t most);
void loads_pass(unsigned cpu, uint64_t executed);

#endif
