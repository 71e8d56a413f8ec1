/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's cycles, as the performance monitor sees them. Only cycle.c begins and ends a cycle. Each ended cycle
 * goes to one of two consumers:
 *
 *     instructions, references, stalls --- raise ---> struct ia64_cycle --- end ---+---> the monitor's model
 *                                                                                  +---> sums, and later the model
 *
 * The model sees each cycle with the context of each event. Sums have a number for each counter. They are used while
 * neither opcodes nor addresses qualify events and no overflow is near (look.c), for cycles without an
 * event that a recorder looks at. Both consumers have the same cycles, and so the same counts.
 *
 * Clock: with the unit clock an instruction is a cycle, and each reference of the register stack engine is another one
 * after it. With the timed clock issue.c begins cycles. */
#ifndef IA64_CYCLE_H
#define IA64_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "issue.h"
#include "references.h"
#include "selection.h"
#include "vpmu.h"

#define OCCURRENCES	640	/* in a cycle, at most: PROCESSOR_WIDTH bundles raise fewer */
#define APART		32	/* that wait for a cycle, with a context of their own */

/* The cycle that events are being raised in. */
struct ia64_making {
	struct occurrence *now;		/* its events, for the model */
	unsigned count;
	bool adds_up;			/* `sum` has the events instead of `now` */
	bool recorded;			/* the model must see it: a recorder does, or no cycles are added up */
	uint64_t sum;			/* events by counter, in lanes */
	uint8_t used[EVENT_CODES];	/* events of each code */
	bool some_used;
};

struct ia64_cycle {
	/* The present cycle; the one that the model reads, until it gets the next; one that has begun and is later. */
	struct occurrence buffer[3][OCCURRENCES];
	struct ia64_making making;
	const struct occurrence *connected, *held;
	bool open;			/* timed clock: the present cycle has begun and not ended */

	/* Events that wait for a cycle. `late`: events beyond L2, which have no context; a cycle has one per code.
	 * `apart`: events of TLBs and the page walker, with the context of an instruction that may never retire. */
	uint32_t late[EVENT_CODES][EVENT_SUBS];
	bool some_late;
	uint64_t late_until;		/* the last cycle that late events have been given to */
	struct occurrence apart[APART];
	unsigned aparts;
	bool defers;			/* all events wait: a fetch or the page walker raises them */

	/* Ended cycles. */
	uint64_t ended;			/* timed clock: all; */
	uint64_t timer;			/* so many when ITC is ITM */
	uint64_t seen;			/* by the model */
	uint64_t idle;			/* not seen, and no instruction retired (unit clock) */
	bool ahead;			/* unit clock: that of the executing instruction has ended */
	bool counted;			/* that of the executing instruction has been seen with its write */

	/* Sums of cycles that the model has not seen, by counter; by lanes, of so many cycles. */
	bool adds;			/* new cycles are added up, */
	uint64_t horizon;		/* until so many have ended (timed clock) */
	uint64_t total[COUNTERS];
	uint64_t packed;
	unsigned packs;

	/* Unit clock, if cycles are added up and neither caches, TLBs nor predictions are followed: the sums of a nop,
	 * of a squashed instruction, of a reference (by kind, floating point or not, misaligned or not). */
	bool simple;
	uint64_t of_nop, of_squashed, of_reference[REFERENCE_KINDS][2][2];

	uint64_t tally[EVENT_CODES][EVENT_SUBS];	/* -e: all that has been raised */
};

struct machine;

/* Adapts to a changed selection: events that wait are raised under the new one. */
void ia64_follow_selection(struct machine *m);

/* Raises a selected event `n` times in the present cycle. `context`: of the instruction; may be NULL if the cycle is
 * added up. Events beyond L2 wait for a cycle of their own. */
void ia64_raise_selected(struct machine *m, const struct occurrence *context, enum ia64_event code, unsigned sub,
			 unsigned n);

/* Raises an event with a context of its own: it waits for a cycle. */
void ia64_raise_apart(struct machine *m, const struct occurrence *o, enum ia64_event code, unsigned sub);

/* Raises an event without a context, which waits for a cycle. */
void ia64_raise_late(struct machine *m, enum ia64_event code, unsigned sub);

/* Adds a sum to those of many cycles, in which a counter has several events. */
void ia64_add_large(struct machine *m, uint64_t sum);

/* Unit clock: begins and ends the cycle of an instruction, or (NULL) one in which none retires. `context`: also of the
 * clock's own events. */
void ia64_begin_unit_cycle(struct machine *m);
void ia64_end_unit_cycle(struct machine *m, const struct occurrence *context, bool instruction);

/* Timed clock: ends the present cycle, and begins the next. Or adds `cycles` cycles of a kind without instructions,
 * after the present cycle or `before` it. */
void ia64_begin_cycle(struct machine *m, enum ia64_cycle_kind kind);
void ia64_pass_cycles(struct machine *m, enum ia64_cycle_kind kind, unsigned cycles, bool before);

/* Timed clock: ends the present cycle, if there is one, and the group of instructions in it. */
void ia64_close_cycle(struct machine *m);

/* The model sees all cycles that have ended. */
void ia64_report(struct machine *m);

/* Writes a register of the monitor in the executing instruction's cycle, which is complete but has not ended. False:
 * the access faults. */
bool ia64_write_in_cycle(struct machine *m, const struct occurrence *context, uint32_t address, uint64_t value);

/* A halt: cycles pass in which nothing executes. */
void ia64_pass_halted(struct machine *m, uint64_t cycles);

#endif
