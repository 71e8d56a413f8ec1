// SPDX-License-Identifier: BSD-2-Clause
// Code that checks execute: at the suite's level, in visits and halts, on other threads.

#include "suite.h"

#include "cpus.h"
#include "hal.h"
#include "pal.h"
#include "stimulus.h"

void selftest_light_halt(uint64_t ticks)
{
	bool interrupts = hal_interrupts_disable();

	hal_alarm((uint32_t)ticks);
	selftest_require_equal(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status == PAL_SUCCESS, true);
	hal_interrupts_restore(interrupts);
}

void selftest_execute(uint64_t n)
{
	if (selftest_now()->suite->at_user)
		hal_execute_user(n);
	else
		hal_execute(n);
}

void selftest_visit_user(uint64_t n)
{
	while (n--)
		hal_execute_user(100);
}

unsigned selftest_thread(unsigned n)
{
	const unsigned cpus = hal_cpus_start();
	unsigned own_core, own_thread, core, thread, threads = 0;

	hal_topology(hal_cpu(), &own_core, &own_thread);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		hal_topology(cpu, &core, &thread);
		threads += core == own_core;
	}
	for (unsigned cpu = 0; cpu < cpus && n < threads; cpu++) {
		hal_topology(cpu, &core, &thread);
		if (core == own_core && thread == (own_thread + n) % threads)
			return cpu;
	}
	selftest_skip("this core has no such thread");
	return hal_cpu();
}

#define CPU_CLOCKS (1ULL << 30)

void selftest_call(unsigned cpu, void (*function)(void *argument), void *argument)
{
	if (cpu == hal_cpu())
		return;
	hal_cpu_call(cpu, function, argument);
	selftest_require(hal_cpus_wait(1u << cpu, CPU_CLOCKS));
}

static void begin(void *)
{
	selftest_require_equal(pmu_begin(selftest_now()->suite->driver, false) == PMU_OK, true);
}

void selftest_on_thread(unsigned n, void (*function)(void *argument), void *argument)
{
	const unsigned cpu = selftest_thread(n);

	if (cpu == hal_cpu())
		return;
	selftest_now()->there = cpu;
	selftest_call(cpu, begin, NULL);
	if (selftest_now()->present.problem < SELFTEST_STEP)
		selftest_call(cpu, function, argument);
}

void selftest_leave_thread(void)
{
	selftest_call(selftest_now()->there, begin, NULL);
}
