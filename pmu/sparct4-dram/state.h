/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the memory controllers' model, for the model and its defects. */
#ifndef SPARCT4_DRAM_STATE_H
#define SPARCT4_DRAM_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(DRAM_REGISTERS)

/* Counters of all controllers: counter n of controller c has number DRAM_COUNTERS * c + n. */
#define ALL_COUNTERS	(DRAM_CONTROLLERS * DRAM_COUNTERS)

struct sparct4_dram_state {
	struct engine engine;
	uint64_t file[1][SLOTS];	/* selects; counts are in the engine */
	uint64_t sticky;		/* counters whose sticky bit is set */
};

/* Returns the select of a counter. */
static inline unsigned sparct4_dram_select(const struct engine *e, unsigned number)
{
	const struct sparct4_dram_state *m = (const struct sparct4_dram_state *)e;
	const uint64_t control = m->file[0][SLOT_DRAM_PERF_CTL_REG + number / DRAM_COUNTERS];

	return control >> DRAM_SELECT_LOW(number % DRAM_COUNTERS) & DRAM_SELECT(0);
}

/* Returns the counters that count an occurrence. Tells the engine about the selects; the caller
 * then derives. */
uint32_t sparct4_dram_selects(const struct engine *e, const struct occurrence *o);
void sparct4_dram_configure(struct engine *e);

#endif
