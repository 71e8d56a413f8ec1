/* SPDX-License-Identifier: BSD-2-Clause */
/* The two consumers of ended cycles, for cycle.c: the monitor's model, and sums. */
#ifndef IA64_CONSUMERS_H
#define IA64_CONSUMERS_H

#include "machine.h"

/* The number of cycles that have ended. */
static inline uint64_t ia64_passed(const struct machine *m)
{
	return m->timed ? m->cycle.ended : ia64_retired(m) + m->idle + m->cycle.ahead;
}

/* The increment of a counter in a cycle. `sum`: the number of its events is in the counter's lane.
 */
static inline unsigned ia64_step_of(const struct ia64_selection *s, unsigned counter, uint64_t sum)
{
	const uint64_t events = sum >> LANE(counter) & LANE_MASK;

	return s->step[counter][events < STEPS ? events : STEPS - 1];
}

/* Connects the model to the events of the present cycle; runs it for `cycles` cycles with them. */
void ia64_connect(struct machine *m);
void ia64_run_model(struct machine *m, uint64_t cycles);

/* Runs the model for all ended cycles. Their sums are not added to its counters yet. */
void ia64_report_cycles(struct machine *m);

/* Adds the late events that ended cycles have taken to the sums. */
void ia64_take_late(struct machine *m);

#endif
