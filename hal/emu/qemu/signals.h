/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts cpu events (enum cpu_event) to the event signals of a PMU model (struct occurrence) that
 * its counters select. One table per model state. */
#ifndef QEMU_SIGNALS_H
#define QEMU_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

/* Maximum number of event signals in a cycle; more are added to existing ones of their kind. */
#define SIGNALS_MOST 256

struct signals {
	const struct pmu_model *model;
	void *state;				/* the model's state */
	enum model_clock_kind clock;
	uint8_t interrupted_level;		/* for rows with `interruption` */
	uint64_t setting;			/* values of the registers raised_select,
						 * combined */
	bool branches_ask;			/* some counted event depends on the branch
						 * direction */
	bool loads;				/* some counter counts loads by data source */
	bool references;			/* some counter counts reference cycles (TSC) */
	bool any_thread;			/* some counter counts events of all the core's
						 * threads */
	bool counted[CPU_EVENT_COUNT];		/* by cpu event: some counter counts it */
	uint64_t counted_set;			/* the first 64 of `counted` as a bit mask: all
						 * events of instructions */
	uint8_t *selected;			/* by row of raised: some counter selects
						 * it */
	uint32_t front;				/* late counters of fetch and decode, in the order
						 * of struct model_most */
	struct model_most *most;		/* by counter: most events of one instruction */
	uint16_t first[CPU_EVENT_COUNT + 1];	/* rows of cpu event h: row[first[h]] to
						 * row[first[h + 1] - 1] */
	uint16_t *row;				/* indexes into raised */
};

/* Returns the memory channel of a line, from 1. */
static inline unsigned signals_channel(uint64_t address)
{
	return 1 + (address >> 6) % 3;
}

/* Initializes the table. */
void signals_begin(struct signals *s, const struct pmu_model *model, void *state,
		   enum model_clock_kind clock);

/* Call when software has written a register that affects counters' selections. */
void signals_select(struct signals *s, uint32_t address, uint64_t value);

/* Call after a reset of the model: no event is selected. */
void signals_reset(struct signals *s);

/* Returns true if a write to this register can change the selections. */
bool signals_follow(const struct signals *s, uint32_t address);

/* Appends the occurrences of cpu event `what`, raised `n` times, to `to`, which holds `count`. `o`:
 * their common attributes; `address`: physical address of the line; `all`: include events that no
 * counter counts. Returns the new count. */
size_t signals_raise(const struct signals *s, enum cpu_event what, uint32_t n, uint64_t address,
		     const struct occurrence *o, bool all, struct occurrence to[SIGNALS_MOST],
		     size_t count);

#endif
