/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the events that a test's caches raise: by core and event. */
#ifndef HAPPENED_H
#define HAPPENED_H

#include <stdint.h>
#include <string.h>

#include "../../../hal/emu/model/memory.h"

static unsigned happened[PACKAGE_CORES][CPU_EVENT_COUNT];

static inline void count_cpu_event(void *context, unsigned core, enum cpu_event what,
				   uint64_t address)
{
	(void)context, (void)address;
	happened[core][what]++;
}

static inline void forget_cpu_events(void)
{
	memset(happened, 0, sizeof happened);
}

/* Sum of core 0's counts of `first` and the three events after it (the states I, S, E and M, say).
 */
static inline unsigned all_states(enum cpu_event first)
{
	return happened[0][first] + happened[0][first + 1] + happened[0][first + 2] +
	       happened[0][first + 3];
}

#endif
