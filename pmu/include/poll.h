/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters whose overflows raise no interrupt: somebody has to look. */
#ifndef POLL_H
#define POLL_H

#include "pmu_unit.h"

/* Has pmu_poll's work done by itself on this CPU, as long as any open counter of its PMU, or of the package's, needs
 * it. */
void pmu_poll_counters(struct pmu_cpu *unit);

/* To be called when counters have been opened or closed. */
static inline void pmu_counters_changed(struct pmu_cpu *cpu)
{
	if (cpu->driver->poll)
		pmu_poll_counters(cpu);
}

#endif
