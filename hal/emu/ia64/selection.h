/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that the monitor's registers currently select. The machine raises only these. While
 * the registers select only cycles or instructions, it raises nothing and executes code at full
 * speed. A recorder is an event address register or the branch trace buffer. */
#ifndef IA64_SELECTION_H
#define IA64_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "events.h"

#define COUNTERS	4	/* PMC4 to PMC7 */

/* A sum is a 64-bit number with a lane of bits for each counter: its number of events in a cycle,
 * or increment. */
#define LANE_BITS	16
#define LANE(counter)	((counter) * LANE_BITS)
#define LANE_MASK	0xFFFFULL

/* Size of the tables of increments. A cycle has fewer events that one counter selects. */
#define STEPS		64

struct ia64_selection {
	bool stale;		/* registers have been written since the last ia64_select_events */
	bool all;		/* option -e: the tally counts all events, so all are selected */
	bool watched;		/* some event other than the clock's is selected, or waits
				 * (cycle.h) */
	bool watched_anyway;	/* some event other than the clock's is selected */
	bool clocked;		/* cycles are selected; with the unit clock, or instructions */
	bool qualified;		/* opcodes or addresses qualify events */
	bool selected[EVENT_CODES];	/* by a counter or a recorder that is enabled at the present
					 * privilege level */
	bool recorded[EVENT_CODES];	/* by a recorder that is enabled at this level */
	bool records;			/* some event is selected by a recorder */
	uint8_t code[COUNTERS]; /* event codes of all counters, at any level, without the clock's */
	unsigned codes;			/* length of `code`: 0 to COUNTERS */

	/* Groups of events: whether some event of the group is selected. */
	bool refers;		/* references to memory */
	bool translated;	/* the data TLB's first level */
	bool attributes;	/* caches, uncacheable memory: they need the memory's attribute */
	bool cached;		/* caches, the bus */
	bool predicted;		/* branches */
	bool queues;		/* requests in the queues of the bus */
	uint16_t traits[2];	/* TRAIT_* of instructions that may raise a selected event, by
				 * predicate */

	/* For sums. */
	uint64_t lanes[EVENT_CODES][EVENT_SUBS];	/* 1 in the lane of each counter that counts
							 * the sub-event */
	uint64_t enabled[4];		/* LANE_MASK in the lane of each counter that is enabled, by
					 * privilege level */
	uint8_t step[COUNTERS][STEPS];	/* increment of a counter in a cycle, by the number of its
					 * events: 0 to 7 */
	uint64_t single; /* in each lane the counter's increment for one event: 0 or 1 */
};

struct machine;

/* The number of cycles that can pass for certain before the overflow of a counter freezes the
 * monitors. */
uint64_t ia64_cycles_to_overflow(struct machine *m);

/* Sets machine.selection from the monitor's registers. */
void ia64_select_events(struct machine *m);

/* Whether a counter selects this code, at any privilege level. */
bool ia64_is_counted(const struct ia64_selection *s, unsigned code);

#endif
