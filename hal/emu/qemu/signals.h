/* SPDX-License-Identifier: BSD-2-Clause */
/* From what happens in the machine (enum happening) to the event signals of a PMU model (struct occurrence), as far as
 * the model's counters select them. One table for each model state. */
#ifndef QEMU_SIGNALS_H
#define QEMU_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

/* The largest number of event signals of one cycle; further ones are added to like ones. */
#define SIGNALS_MOST 256

struct signals {
	const struct pmu_model *model;
	void *state;				/* the model's */
	enum model_clock_kind clock;
	uint8_t interrupted_level;		/* of rows with `interruption` */
	uint64_t setting;			/* value of the registers model->raised_select, as one */
	bool branches_ask;			/* what a branch raises depends on where it goes */
	bool loads;				/* some counter counts loads by who had the data */
	bool references;			/* some counter counts cycles of the time-stamp counter */
	bool any_thread;			/* some counter counts what all threads of the core do */
	bool counted[HAPPENING_COUNT];		/* some counter selects an event that this raises */
	uint64_t counted_set;			/* of these the first 64: all that instructions raise */
	uint8_t *selected;			/* of each row of model->raised: some counter selects it */
	struct model_most *most;		/* of each counter */
	uint16_t first[HAPPENING_COUNT + 1];	/* rows of happening h: row[first[h]] to row[first[h + 1] - 1] */
	uint16_t *row;				/* their numbers in model->raised */
};

/* The channel of memory in which a line is, from 1. */
static inline unsigned signals_channel(uint64_t address)
{
	return 1 + (address >> 6) % 3;
}

/* Prepares the table. */
void signals_begin(struct signals *s, const struct pmu_model *model, void *state, enum model_clock_kind clock);

/* The software has written a register that says what counters select. */
void signals_select(struct signals *s, uint32_t address, uint64_t value);

/* The model has been reset: nothing is selected. */
void signals_reset(struct signals *s);

/* Whether the register at this address can change what signals_select finds. */
bool signals_follow(const struct signals *s, uint32_t address);

/* Appends the occurrences that `what` raises `n` times to `to`, which holds `count`, in the circumstances of `o`.
 * `address`: physical, of the line concerned. `all`: counted or not. Returns the new count. */
size_t signals_raise(const struct signals *s, enum happening what, uint32_t n, uint64_t address,
		     const struct occurrence *o, bool all, struct occurrence to[SIGNALS_MOST], size_t count);

#endif
