/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the uncore PMU's model share: its state, and what the queues do. */
#ifndef NEHALEM_UNCORE_STATE_H
#define NEHALEM_UNCORE_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(UNCORE_REGISTERS)

#define GENERAL		UNCORE_GENERAL_COUNTERS
#define FIXED		NUMBER_UNCORE_FIXED_CTR0

_Static_assert(NUMBER_UNCORE_PMC == 0 && FIXED == GENERAL && COUNTERS == GENERAL + 1, "order of UNCORE_REGISTERS");

enum {
	GQ_READ,			/* the read tracker's requests, and those in a stage of it */
	GQ_READ_MISS, GQ_READ_L3, GQ_READ_RTID,
	GQ_WRITE_RTID,			/* a stage of the write tracker */
	GQ_WRITE, GQ_PEER,
	QHL_READS,			/* IOH, remote, local: of each tracker the reads, */
	QHL_WRITES = QHL_READS + 3,	/* and the writes */
	IMC_READS = QHL_WRITES + 3,	/* normal reads of channels 0 to 2 */
	IMC_WRITES = IMC_READS + 3,
	IMC_ISOC = IMC_WRITES + 3,	/* reads of high and critical priority */
	QUEUES = IMC_ISOC + 3,
};

/* There are two of them: what is, and what becomes of it, to find when a core will be signalled. */
struct uncore_state {
	struct engine engine;
	uint64_t file[1][SLOTS];
	struct engine_selection selection;
	uint32_t qualified;		/* counters on whose events another register has a say */
	uint32_t enabled, interrupting;	/* by their own controls */

	uint64_t signal[ENGINE_ADDENDS];	/* the first inputs' code, sub and n, */
	size_t signals;			/* of so many inputs */
	int64_t change[QUEUES];		/* what enters less what leaves in each cycle, */
	uint32_t entering;		/* of these queues; 0 of the others */
	uint16_t held[QUEUES];		/* when the engine had counted `held_at` cycles; more may be pending */
	uint64_t held_at;
	bool single;			/* the signals say that there is one package */
	uint32_t moving;		/* queues that may hold something else after the next cycle */

	uint32_t queued;		/* counters whose events the queues make */
	uint32_t unknown[GENERAL];	/* entries that an occupancy's tracker does not know of */
	uint32_t waiting;		/* trackers that wait for a bus lock */
};

/* Whether the queues make an event. */
bool nehalem_uncore_is_queued(uint64_t select);

/* Finds what counters count of the queues in the next cycle; whether the cycles behind it may differ. */
bool nehalem_uncore_sum_queues(struct uncore_state *m);

/* Brings the queues up to date with the engine. Everything below begins with that. */
void nehalem_uncore_sync_queues(struct uncore_state *m);

/* These signals come next. Whether they change the queues otherwise than those before; else nothing was done. */
bool nehalem_uncore_connect_queues(struct uncore_state *m, const struct occurrence *occurrences, size_t count);

/* Whether a general counter counts an occupancy, for which it has a tracker. It has a new event, or `reset` has its
 * tracker wait for a bus lock. The bus lock. */
bool nehalem_uncore_has_tracker(const struct uncore_state *m, unsigned counter);
void nehalem_uncore_start_tracker(struct uncore_state *m, unsigned counter, bool reset);
void nehalem_uncore_empty_queues(struct uncore_state *m);

/* They are as they were saved; whether they can be. */
bool nehalem_uncore_restore_queues(struct uncore_state *m);

/* raised.c */
extern const struct model_raised nehalem_uncore_raised[];

#endif
