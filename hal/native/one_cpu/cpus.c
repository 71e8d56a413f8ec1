// SPDX-License-Identifier: BSD-2-Clause
// The functions for several CPUs (cpus.h) on a machine with one: images of ia64 and SPARC, and the
// library (hal/runtime).

#include "cpus.h"
#include "hal.h"

unsigned hal_cpus_start(void)
{
	return 1;
}

void hal_cpu_call(unsigned cpu, void (*function)(void *argument), void *argument)
{
	(void)cpu;
	function(argument);
}

bool hal_cpus_wait(uint32_t cpus, uint64_t clocks)
{
	(void)cpus, (void)clocks;
	return true;
}

void hal_topology(unsigned cpu, unsigned *core, unsigned *thread)
{
	(void)cpu;
	*core = *thread = 0;
}
