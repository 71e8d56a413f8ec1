/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer's interrupts: polls for overflows that raise no interrupt; ends of slices. Drivers that
 * need polls pass pmu_poll_counters and pmu_poll (pmu.h) in their group `poll`. */
#ifndef POLL_H
#define POLL_H

#include "pmu_unit.h"

/* Starts or stops periodic polls on this CPU. They run while an open counter of its PMU, or of the
 * package's, needs them. */
void pmu_poll_counters(struct pmu_cpu *unit);

/* Calls `end_slice` in the timer's interrupt every `ticks` of the timer (hal_poll), after its polls
 * and samples, until pmu_begin. 0: no more calls. Call with interrupts disabled. */
void pmu_slice_time(void (*end_slice)(uint64_t ip, unsigned level), uint64_t ticks);

/* Call after opening or closing counters. */
PMU_INLINE void pmu_counters_changed(struct pmu_cpu *cpu)
{
	if (cpu->driver->poll)
		cpu->driver->poll->begin(cpu);
}

#endif
