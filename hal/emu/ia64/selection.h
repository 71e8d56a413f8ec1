/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that the monitor selects at present. The machine raises selected events only, and executes
 * code at full speed while nothing but its clock is selected. */
#ifndef IA64_SELECTION_H
#define IA64_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "events.h"

#define COUNTERS	4	/* PMC4 to PMC7 */

/* A lane of a 64-bit number for each counter. */
#define LANE_BITS	16
#define LANE(counter)	((counter) * LANE_BITS)
#define LANE_MASK	0xFFFFULL

/* Events of a cycle that a counter tells apart, and more: a cycle has fewer that one counter selects. */
#define STEPS		32

struct ia64_selection {
	bool stale;		/* registers have been written since */
	bool all;		/* the tally: all events are selected (-e) */
	bool watched;		/* some event besides the clock's, or one waits */
	bool watched_anyway;	/* without those that wait */
	bool clocked;		/* the clock is: cycles, instructions of the unit clock */
	bool qualified;		/* opcodes or addresses qualify events */
	bool selected[EVENT_CODES];	/* by a counter or a recorder that is enabled at this level */
	bool recorded[EVENT_CODES];	/* by a recorder: an event address register, the branch trace */
	bool records;			/* some is */
	uint8_t code[COUNTERS];		/* those of all counters, without the clock's */
	unsigned codes;

	/* Groups of events of which some is selected. */
	bool refers;		/* references to memory */
	bool translated;	/* the data TLB's first level */
	bool attributes;	/* of the memory that is referred to: caches, and references that pass them by */
	bool cached;		/* caches, the bus */
	bool predicted;		/* branches */
	uint16_t traits[2];	/* instructions that raise some, with a false and with a true predicate */

	/* For sums: the counters that count a sub-event, and those enabled at a level, by lanes; the increment of a
	 * counter in a cycle with so many events. */
	uint64_t lanes[EVENT_CODES][EVENT_SUBS];
	uint64_t enabled[4];
	uint8_t step[COUNTERS][STEPS];
	uint64_t single;	/* the steps of one event, by lanes */
};

struct machine;

/* Cycles that can pass before a counter could overflow that freezes the monitors. */
uint64_t ia64_cycles_to_overflow(struct machine *m);

/* Reads the monitor's registers. */
void ia64_select_events(struct machine *m);

/* Whether a counter selects this code. */
bool ia64_is_counted(const struct ia64_selection *s, unsigned code);

#endif
