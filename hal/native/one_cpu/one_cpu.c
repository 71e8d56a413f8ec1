// SPDX-License-Identifier: BSD-2-Clause
// A machine with one CPU, one way to end the run, and no firmware that waits for the result (ia64,
// SPARC).

#include <string.h>

#include "hal.h"

unsigned hal_cpus_start(void)
{
	return 1;
}

unsigned hal_packages_start(void)
{
	return hal_cpus_start();
}

bool hal_find_processors(struct hal_processors *found)
{
	*found = (struct hal_processors){0};
	return false;
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

bool hal_cpu_init(unsigned cpu)
{
	(void)cpu;
	return false;
}

void hal_topology(unsigned cpu, unsigned *core, unsigned *thread)
{
	(void)cpu;
	*core = *thread = 0;
}

// No locked access crosses a line on these processors; an atomic access replaces it.
void hal_bus_lock(void)
{
	static uint64_t word;

	__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
}

bool hal_spflt(bool count)
{
	(void)count;
	return false;
}

bool hal_end_is_known(const char *asked)
{
	return !strcmp(asked, "exit");
}

void hal_keep_result(const char *text, size_t size)
{
	(void)text, (void)size;
}
