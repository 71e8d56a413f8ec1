/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's cycles, as the performance monitor counts them. Only cycle.c begins and ends a
 * cycle. Each ended cycle goes to one of two consumers:
 *
 *     instructions, references, stalls -- raise --> struct ia64_cycle -- end --+--> the model
 *                                                                              +--> sums, and later
 *                                                                                   the model
 *
 * The model reads each event of a cycle, with its context: the instruction, its encoding and its
 * addresses. A sum is cheaper: one number per counter, without contexts. Cycles are summed while
 * neither opcodes nor addresses qualify events and no overflow is near (look.c). A cycle with an
 * event that a recorder can capture goes to the model even then. Recorders are the event address
 * registers and the branch trace buffer. Both consumers give the same counts.
 *
 * Unit clock: each instruction is a cycle. Each reference of the register stack engine is one more,
 * after it. Timed clock: issue.c begins cycles.
 *
 * Two kinds of events wait in a queue before they are raised in a cycle:
 *   late	events beyond L2 and changes of the privilege level: no context; each cycle takes
 *		one per event code
 *   separate	events of TLBs, of the page walker and of fetches: each keeps the context of its
 *		own instruction, which may never retire; each cycle takes as many of a code as the
 *		manual allows (7.8) */
#ifndef IA64_CYCLE_H
#define IA64_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "issue.h"
#include "references.h"
#include "selection.h"
#include "vpmu.h"

/* events of a cycle for the model, at most; PROCESSOR_WIDTH bundles raise fewer */
#define OCCURRENCES	640
#define SEPARATE		32	/* length of the queue `separate` */

/* The present cycle: events are being raised in it. */
struct ia64_making {
	struct occurrence *now;		/* its events, in one of the buffers; for the model */
	unsigned count;			/* of `now`: 0 to OCCURRENCES */
	bool adds_up;			/* events go to `sum` only, not to `now` */
	bool recorded;			/* the cycle goes to the model, not to the sums */
	uint64_t sum;			/* number of events per counter, in lanes (selection.h) */
	uint8_t used[EVENT_CODES];	/* number of events per code */
	bool some_used;			/* some number in `used` is not 0 */
};

struct ia64_cycle {
	/* Events of three cycles at most: the present one; the one that the model reads until it is
	 * connected to the next; and one that has begun, but that stalls precede (ia64_pass_cycles
	 * with `before`). */
	struct occurrence buffer[3][OCCURRENCES];
	struct ia64_making making;
	const struct occurrence *connected, *held;	/* the buffers of the second and third of
							 * these, or NULL */
	bool open; /* timed clock: the present cycle has begun and has not ended */

	/* Events that wait for a cycle: see above. */
	uint32_t late[EVENT_CODES][EVENT_SUBS];	/* number of them per sub-event */
	bool some_late;			/* some number in `late` is not 0 */
	uint64_t late_until;		/* number of the last cycle that could take late events */
	struct occurrence separate[SEPARATE];
	unsigned separate_count;		/* length of `separate`: 0 to SEPARATE */
	bool defers; /* a fetch or the page walker raises events: all are queued */

	/* Numbers of ended cycles. */
	uint64_t ended;			/* timed clock: all ended cycles */
	uint64_t timer; /* timed clock: `ended` when ITC reaches ITM; UINT64_MAX: never */
	uint64_t seen;			/* cycles that the model has run */
	uint64_t idle; /* unit clock: cycles without an instruction that the model has not run */
	bool ahead; /* unit clock: the executing instruction's cycle has already ended */
	bool counted; /* the executing instruction has written the monitor: its cycle has ended */

	/* Sums of ended cycles that the model has not got. */
	bool adds;			/* new cycles are summed */
	uint64_t horizon; /* timed clock: cycles are summed while `ended` is less than this */
	uint64_t total[COUNTERS];	/* increment of each counter, without `packed` */
	uint64_t packed; /* increments of cycles that add at most 1 to each counter, in lanes */
	unsigned packs;			/* number of cycles in `packed`: 0 to LANE_MASK, so that no
					 * lane overflows */

	/* Unit clock: precomputed sums. They are valid while cycles are summed and the machine
	 * follows neither caches nor TLBs nor predictions. */
	bool simple;			/* the sums below are valid */
	/* A nop; a squashed instruction; a reference by kind, floating point (0, 1), misaligned (0,
	 * 1). */
	uint64_t of_nop, of_squashed, of_reference[REFERENCE_KINDS][2][2];

	uint64_t tally[EVENT_CODES][EVENT_SUBS];	/* option -e: number of raised events per
							 * sub-event */
};

struct machine;

/* Adapts the queues to a changed selection: it counts the events that wait. */
void ia64_follow_selection(struct machine *m);

/* Raises a selected event `n` times in the present cycle; a late one is queued. `context`: the
 * instruction's; may be NULL if the cycle is summed. */
void ia64_raise_selected(struct machine *m, const struct occurrence *context, enum ia64_event code,
			 unsigned sub, unsigned n);

/* Queues an event in `separate`. `o`: its context. */
void ia64_raise_separately(struct machine *m, const struct occurrence *o, enum ia64_event code,
			   unsigned sub);

/* Queues an event in `late`. */
void ia64_raise_late(struct machine *m, enum ia64_event code, unsigned sub);

/* Adds the sum of a cycle in which a counter has several events to the sums of ended cycles. */
void ia64_add_large(struct machine *m, uint64_t sum);

/* Unit clock: begins and ends a cycle. `instruction`: an instruction retires in it; else a
 * reference of the register stack engine takes it. `context`: the instruction's; the clock's own
 * events have it, too. */
void ia64_begin_unit_cycle(struct machine *m);
void ia64_end_unit_cycle(struct machine *m, const struct occurrence *context, bool instruction);

/* Timed clock: ends the present cycle, and begins the next. */
void ia64_begin_cycle(struct machine *m, enum ia64_cycle_kind kind);

/* Timed clock: inserts `cycles` cycles without instructions, before the present cycle or after it.
 */
void ia64_pass_cycles(struct machine *m, enum ia64_cycle_kind kind, unsigned cycles, bool before);

/* Timed clock: ends the present cycle, if there is one, and the group of instructions in it. */
void ia64_close_cycle(struct machine *m);

/* Gives the model all ended cycles and their sums, so that its registers are up to date. */
void ia64_report(struct machine *m);

/* Writes a register of the monitor, and ends the executing instruction's cycle, in which all events
 * have been raised. False: the access faults. */
bool ia64_write_in_cycle(struct machine *m, const struct occurrence *context, uint32_t address,
			 uint64_t value);

/* A halt: passes cycles in which nothing executes. */
void ia64_pass_halted(struct machine *m, uint64_t cycles);

#endif
