/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the core PMU's model share: its state, and what the block does. */
#ifndef SPARCT4_STATE_H
#define SPARCT4_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(SPARCT4_REGISTERS)

#define STRANDS		SPARCT4_STRANDS
#define GROUPS		(1 << PCR_sl_WIDTH)
#define LEVELS		4
#define STATUS		(FIELD(PCR, ov) | FIELD(PCR, ntc))

/* Counter n of a strand is number COUNTERS * strand + n. Sets of a strand's counters. */
#define OF_STRAND(strand)	((uint32_t)SPARCT4_COUNTER_MASK << COUNTERS * (strand))

_Static_assert(COUNTERS == SPARCT4_COUNTERS && STRANDS * COUNTERS <= ENGINE_COUNTERS, "sets of counters");

/* Of an occurrence: the bits of the manual's masks, that of an unknown kind of instruction, and one that is always
 * raised, for the group whose mask is ignored. */
#define RAISED		(SPARCT4_ALL_KINDS | SPARCT4_UNKNOWN_KIND)
#define EVERY		0x80

_Static_assert(!(RAISED & EVERY) && (RAISED | EVERY) <= 0xFF, "EVERY is a bit of its own");

struct sparct4_state {
	struct engine engine;
	uint64_t file[STRANDS][SLOTS];
	uint32_t upper[STRANDS][COUNTERS];	/* of the PICs */

	/* Made from the PCRs, sets of counters: by group and mask; by level that they count; those that count the level
	 * their strand is at. */
	struct engine_selection selection;
	uint32_t at_level[LEVELS], at_own_level;

	/* Likewise: those whose events are precise; whose overflow traps precisely unless the mode is hyperprivileged;
	 * whose ov holds the line up; that count at some levels and not at others. */
	uint32_t precise, trapping, holding, by_level;

	/* Counters that see a condition in the inputs. Those for which a next-to-commit instruction does what they
	 * count, by the inputs or whatever these say. Those that have wrapped in a store's cycles. */
	uint32_t met, committing, all_commit, wrapped;

	/* The programming note on sl 28: for how many cycles more an ov takes its time, and what is on its way, LATE_*.
	 * The set of counters with such a window. */
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

/* traps.c: overflows. Redoes which of them trap, when registers or levels have changed. */
void sparct4_configure_overflows(struct engine *e);

/* A strand's line is a level: while a counter holds it up. What has been asked for and not been taken goes with it. */
void sparct4_update_line(struct sparct4_state *m, unsigned strand);

/* A PCR has been written that counts commits, or something else. */
void sparct4_open_window(struct sparct4_state *m, unsigned number, bool commits);

/* raised.c */
extern const struct model_raised sparct4_raised[];

/* The engine's rules. */
bool sparct4_passed(struct engine *e, uint64_t cycles, uint32_t wrapped);
void sparct4_limit(struct engine *e);

#endif
