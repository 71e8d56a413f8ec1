/* SPDX-License-Identifier: BSD-2-Clause */
/* What cycle.c and consumers.c share. */
#ifndef IA64_CONSUMERS_H
#define IA64_CONSUMERS_H

#include "machine.h"

/* The number of cycles that have ended. */
static inline uint64_t ia64_passed(const struct machine *m)
{
	return m->timed ? m->cycle.ended : ia64_retired(m) + m->idle + m->cycle.ahead;
}

/* What a counter adds in a cycle with these events in its lane. */
static inline unsigned ia64_step_of(const struct ia64_selection *s, unsigned counter, uint64_t sum)
{
	const uint64_t events = sum >> LANE(counter) & LANE_MASK;

	return s->step[counter][events < STEPS ? events : STEPS - 1];
}

/* The model's next cycles are like the present one; so many pass. */
void ia64_connect(struct machine *m);
void ia64_run_model(struct machine *m, uint64_t cycles);

/* The model sees that cycles have ended, not yet what has been added up in them. */
void ia64_report_cycles(struct machine *m);

/* Late events that have taken place in cycles that have ended are added up. */
void ia64_take_late(struct machine *m);

#endif
