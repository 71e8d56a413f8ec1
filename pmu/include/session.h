/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting and stopping a session: one policy for all targets, compiled into each driver like the overflow
 * interrupt. A stopped counter's register value is in `start`: it is written back when the session starts. */
#ifndef SESSION_H
#define SESSION_H

#include "overflow.h"

/* Rare: stops the counters of other sessions, so that another one can start beside them, and serves what has
 * overflowed: its interrupt may be on the way, and counters that ran again before it came would lose counts. */
void pmu_start_beside(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip);

PMU_INLINE bool pmu_program(const struct pmu_cpu *cpu, const struct pmu_driver *driver,
			    const struct pmu_session *session)
{
	if (driver->precise && __builtin_expect(cpu->served != ~0ULL, false))
		return driver->precise->program(session->counter, session->count);
	return driver->program(session->counter, session->count);
}

PMU_INLINE enum pmu_error pmu_session_start(const struct pmu_driver *driver, struct pmu_session *session)
{
	struct pmu_cpu *cpu = pmu_unit(driver);
	bool interrupts, ok;

	if (session->running)
		return PMU_STARTED;
	interrupts = hal_interrupts_disable();
	session->running = true;
	if (__builtin_expect(cpu->enabled != 0, false))
		pmu_start_beside(cpu, driver, (uintptr_t)__builtin_return_address(0));
	if (driver->launch)
		ok = driver->launch(session);
	else
		ok = pmu_program(cpu, driver, session);
	cpu->enabled |= session->counters;
	ok &= driver->enable(cpu->enabled);
	hal_interrupts_restore(interrupts);
	return __builtin_expect(ok, true) ? PMU_OK : PMU_FAULT;
}

/* Rare: a counter that has stopped cannot go on from its register's value. */
void pmu_restart_from(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t value);

/* Rare: a counter that does not count starts from the register value that pmu_set_start chooses. */
void pmu_start_from_count(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count);

/* Takes over the value a counter's register has stopped at. One that only counts can go on from 0; one that takes
 * samples goes on from the value, if it can be written to the register. */
PMU_INLINE void pmu_collect(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t value)
{
	const uint64_t most = driver->arm_most, lowest = (1ULL << driver->width) - most;

	if (__builtin_expect(!c->period, true))
		c->wrap += value;
	else if (__builtin_expect(value - lowest <= most - driver->arm_least, true))
		c->start = value;
	else
		pmu_restart_from(driver, c, value);
}

/* Stops all counters, serves what has overflowed until then, of any session, and takes over the values of a session's,
 * from `first` on. */
PMU_INLINE bool pmu_stop_counters(struct pmu_cpu *cpu, const struct pmu_driver *driver, struct pmu_session *session,
				  struct pmu_counter *first)
{
	uint64_t overflowed, fault = 0;
	bool ok = driver->enable(0);

	ok &= driver->overflow_status(&overflowed);
	if (__builtin_expect(overflowed || (driver->precise && ~cpu->served), false))
		pmu_serve_early(cpu, driver, overflowed, (uintptr_t)__builtin_return_address(0));
	for (struct pmu_counter *c = first, *end = session->counter + session->count; c < end; c++) {
		uint64_t value = 0;

		if (driver->read_next)
			value = driver->read_next(c->address, &fault);
		else if (!driver->read(c->address, &value))
			ok = false;
		pmu_collect(driver, c, value);
	}
	return ok & !fault;
}

/* The overflow interrupt is masked while counters stop, so that none is served twice. */
PMU_INLINE enum pmu_error pmu_session_stop(const struct pmu_driver *driver, struct pmu_session *session)
{
	struct pmu_cpu *cpu = pmu_unit(driver);
	struct pmu_counter *left = session->counter;
	bool interrupts, ok = true;

	if (!session->running)
		return PMU_STOPPED;
	interrupts = hal_interrupts_disable();
	hal_pmi_mask();
	if (driver->collect && __builtin_expect(!(cpu->enabled & ~session->counters), true))
		left = driver->collect(session);
	if (__builtin_expect(left != NULL, false))
		ok = pmu_stop_counters(cpu, driver, session, left);
	session->running = false;
	cpu->enabled &= ~session->counters;
	pmu_unmask(cpu, driver, (uintptr_t)__builtin_return_address(0), 0);
	if (cpu->enabled)
		ok &= driver->enable(cpu->enabled);
	hal_interrupts_restore(interrupts);
	return __builtin_expect(ok, true) ? PMU_OK : PMU_FAULT;
}

#endif
