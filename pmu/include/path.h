/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast paths: start and stop of a session, and the overflow interrupt (overflow.h). Each driver
 * compiles them with its own constant struct pmu_driver, so that its register accesses are inline.
 * A stopped counter's register value is in `start`; the next start of the session writes it. */
#ifndef PATH_H
#define PATH_H

#include "overflow.h"

PMU_INLINE enum pmu_error pmu_session_start(const struct pmu_driver *driver,
					    struct pmu_session *session)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	bool interrupts, ok;

	if (session->running)
		return PMU_STARTED;
	interrupts = hal_interrupts_disable();
	session->running = true;
	if (__builtin_expect(cpu->enabled != 0, false))
		pmu_stop_others(cpu, driver, (uintptr_t)__builtin_return_address(0));
	if (driver->precise && __builtin_expect(cpu->served != ~0ULL, false))
		ok = driver->precise->program(session->counter, session->count);
	else
		ok = driver->program(session->counter, session->count);
	cpu->enabled |= session->counters;
	ok &= driver->enable(cpu->enabled);
	hal_interrupts_restore(interrupts);
	return __builtin_expect(ok, true) ? PMU_OK : PMU_FAULT;
}

/* Stops all counters, serves overflows of all sessions, and stores the session's register values.
 * The overflow interrupt is masked meanwhile, so that no overflow is served twice. */
PMU_INLINE enum pmu_error pmu_session_stop(const struct pmu_driver *driver,
					   struct pmu_session *session)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	uint64_t overflowed;
	bool interrupts, ok;

	if (!session->running)
		return PMU_STOPPED;
	interrupts = hal_interrupts_disable();
	hal_pmi_mask();
	ok = driver->enable(0);
	ok &= driver->overflow_status(&overflowed);
	if (__builtin_expect(overflowed || (driver->precise && ~cpu->served), false))
		pmu_serve_early(cpu, driver, overflowed, (uintptr_t)__builtin_return_address(0),
				0);
	for (struct pmu_counter *c = session->counter, *end = c + session->count; c < end; c++) {
		uint64_t value;

		ok &= driver->read(c->address, &value);
		pmu_collect(driver, c, value);
	}
	session->running = false;
	cpu->enabled &= ~session->counters;
	pmu_unmask(cpu, driver, (uintptr_t)__builtin_return_address(0), 0);
	if (cpu->enabled)
		ok &= driver->enable(cpu->enabled);
	hal_interrupts_restore(interrupts);
	return __builtin_expect(ok, true) ? PMU_OK : PMU_FAULT;
}

#endif
