/* SPDX-License-Identifier: BSD-2-Clause */
/* Polls for overflows that raise no interrupt. Drivers that need them pass pmu_poll_counters and
 * pmu_poll (pmu.h) in their group `poll`. */
#ifndef POLL_H
#define POLL_H

#include "pmu_unit.h"

/* Starts or stops periodic polls on this CPU. They run while an open counter of its PMU, or of the
 * package's, needs them. */
void pmu_poll_counters(struct pmu_cpu *unit);

/* Call after opening or closing counters. */
static inline void pmu_counters_changed(struct pmu_cpu *cpu)
{
	if (cpu->driver->poll)
		cpu->driver->poll->begin(cpu);
}

#endif
