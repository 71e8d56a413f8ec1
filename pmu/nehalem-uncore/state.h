/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the uncore PMU's model, and the functions that its files share. */
#ifndef NEHALEM_UNCORE_STATE_H
#define NEHALEM_UNCORE_STATE_H

#include "../engine/engine.h"
#include "regs.h"

ENGINE_REGISTER_NUMBERS(UNCORE_REGISTERS)

#define GENERAL		UNCORE_GENERAL_COUNTERS
#define FIXED		NUMBER_UNCORE_FIXED_CTR0

_Static_assert(NUMBER_UNCORE_PMC == 0 && FIXED == GENERAL && COUNTERS == GENERAL + 1,
	       "order of UNCORE_REGISTERS");

enum {
	GQ_READ,			/* the read tracker's requests, and its stages */
	GQ_READ_MISS, GQ_READ_L3, GQ_READ_RTID,
	GQ_WRITE_RTID,			/* a stage of the write tracker */
	GQ_WRITE, GQ_PEER,
	QHL_READS,			/* IOH, remote, local tracker: the reads of each, */
	QHL_WRITES = QHL_READS + 3,	/* and the writes */
	IMC_READS = QHL_WRITES + 3,	/* normal reads, in channels 0 to 2 */
	IMC_WRITES = IMC_READS + 3,
	IMC_ISOC = IMC_WRITES + 3,	/* reads of high and critical priority */
	QUEUES = IMC_ISOC + 3,
};

/* The model has two of these: the state, and a copy that runs ahead to find when a core will be
 * signalled. */
struct uncore_state {
	struct engine engine;
	uint64_t file[1][SLOTS];
	struct engine_selection selection;
	uint32_t qualified;		/* bit mask: counters whose events another register
					 * qualifies */
	uint32_t enabled, interrupting;	/* bit masks: counters whose controls have EN, PMI */

	uint64_t signal[ENGINE_ADDENDS];	/* code, sub and n of the first inputs, */
	size_t signals;			/* and the number of inputs */
	int64_t change[QUEUES];		/* arrivals less departures in each cycle, */
	uint32_t entering;		/* of the queues in this bit mask; 0 for others */
	uint16_t held[QUEUES];		/* entries after `held_at` of the engine's cycles; later
					 * cycles are pending */
	uint64_t held_at;
	bool single;			/* the machine has one package */
	uint32_t moving;		/* bit mask: queues whose entries may change in the next
					 * cycle */

	uint32_t queued;		/* bit mask: counters whose events the queues raise */
	uint32_t unknown[GENERAL];	/* entries that an occupancy's tracker lacks */
	uint32_t waiting;		/* bit mask: trackers that wait for a bus lock */
};

/* True if the queues raise the selected event. */
bool nehalem_uncore_is_queued(uint64_t select);

/* Computes the steps of counters of queues in the next cycle. Returns true if later cycles may
 * differ. */
bool nehalem_uncore_sum_queues(struct uncore_state *m);

/* Advances the queues to the engine's cycle. The functions below begin with this. */
void nehalem_uncore_sync_queues(struct uncore_state *m);

/* Sets the signals of the next cycles. Returns false, with no effect, if they change the queues as
 * the present ones do. */
bool nehalem_uncore_connect_queues(struct uncore_state *m, const struct occurrence *occurrences,
				   size_t count);

/* nehalem_uncore_has_tracker: true if a general counter counts an occupancy, for which it has a
 * tracker.
 * nehalem_uncore_start_tracker: starts the tracker; with `reset` it waits for a bus lock.
 * nehalem_uncore_empty_queues: the bus lock. */
bool nehalem_uncore_has_tracker(const struct uncore_state *m, unsigned counter);
void nehalem_uncore_start_tracker(struct uncore_state *m, unsigned counter, bool reset);
void nehalem_uncore_empty_queues(struct uncore_state *m);

/* Completes a restored state. Returns false if the state is impossible. */
bool nehalem_uncore_restore_queues(struct uncore_state *m);

/* raised.c */
extern const struct model_raised nehalem_uncore_raised[];

#endif
