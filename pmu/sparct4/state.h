/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of the core PMU's model: its state, and their functions. */
#ifndef SPARCT4_STATE_H
#define SPARCT4_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(SPARCT4_REGISTERS)

#define STRANDS		SPARCT4_STRANDS
#define GROUPS		(1 << PCR_sl_WIDTH)
#define LEVELS		4
#define STATUS		(FIELD(PCR, ov) | FIELD(PCR, ntc))

/* Counter n of a strand has number COUNTERS * strand + n. OF_STRAND: bit mask of a strand's
 * counters. */
#define OF_STRAND(strand)	((uint32_t)SPARCT4_COUNTER_MASK << COUNTERS * (strand))

_Static_assert(COUNTERS == SPARCT4_COUNTERS && STRANDS * COUNTERS <= ENGINE_COUNTERS,
	       "sets of counters");

/* Bits of an occurrence: the bits of the manual's masks and the bit of an unknown kind (RAISED);
 * and a bit that every occurrence raises, for the group whose mask is ignored (EVERY). */
#define RAISED		(SPARCT4_ALL_KINDS | SPARCT4_UNKNOWN_KIND)
#define EVERY		0x80

_Static_assert(!(RAISED & EVERY) && (RAISED | EVERY) <= 0xFF, "EVERY is a bit of its own");

struct sparct4_state {
	struct engine engine;
	uint64_t file[STRANDS][SLOTS];
	uint32_t upper[STRANDS][COUNTERS];	/* of the PICs */

	/* Derived from the PCRs, as bit masks of counters: by group and mask; by the level that
	 * they count; those that count the present level of their strand. */
	struct engine_selection selection;
	uint32_t at_level[LEVELS], at_own_level;

	/* Likewise: counters whose events are precise; whose overflow traps precisely unless the
	 * mode is hyperprivileged; whose ov holds the trap line up; that count at some levels
	 * only. */
	uint32_t precise, trapping, holding, by_level;

	/* Bit masks of counters: those that see a condition in the inputs; those whose occurrence
	 * is a next-to-commit instruction, by the inputs; the same for any inputs; those that have
	 * wrapped in a store's cycles. */
	uint32_t met, committing, all_commit, wrapped;

	/* The programming note on sl 28: for each counter the cycles until its ov appears, and the
	 * status bits that then appear, LATE_*. waiting: bit mask of counters with such a
	 * window. */
	uint8_t window[STRANDS * COUNTERS], late[STRANDS * COUNTERS];
	uint32_t waiting;
};

#define LATE_OV		1
#define LATE_NTC	2

static inline struct sparct4_state *state_of(const struct engine *e)
{
	return (struct sparct4_state *)e;
}

/* A counter's PCR. */
static inline uint64_t *pcr_of(struct sparct4_state *m, unsigned number)
{
	return &m->file[number / COUNTERS][SLOT_PCR + number % COUNTERS];
}

/* traps.c: overflows. Recomputes which of them trap, after a change of registers or levels. */
void sparct4_configure_overflows(struct engine *e);

/* Recomputes a strand's trap line, which is up while a counter holds it up. A request that has not
 * been taken falls with it. */
void sparct4_update_line(struct sparct4_state *m, unsigned strand);

/* Called after a write of a PCR. `commits`: its counter counts commits. */
void sparct4_open_window(struct sparct4_state *m, unsigned number, bool commits);

/* raised.c */
extern const struct model_raised sparct4_raised[];

/* Functions of struct engine_rules. */
bool sparct4_passed(struct engine *e, uint64_t cycles, uint32_t wrapped);
void sparct4_limit(struct engine *e);

#endif
