// SPDX-License-Identifier: BSD-2-Clause
// The rare parts of the overflow interrupt, and of start and stop: overflow.h, session.h.

#include "session.h"

void pmu_throttle(struct pmu_cpu *cpu, struct pmu_counter *c, uint64_t count)
{
	if (c->throttled || !c->period)
		return;
	c->throttled = true;
	c->due = count + PMU_NEVER_DUE;
	cpu->statistics.throttles++;
}

void pmu_slip(struct pmu_counter *c, uint64_t count)
{
	c->slipped += count + c->period - c->due;
	c->due = count + c->period;
}

void pmu_not_due(struct pmu_counter *c, uint64_t count, unsigned least)
{
	uint64_t left = c->due - count;

	if (!c->period || c->throttled) {
		c->due = count + PMU_NEVER_DUE;		// never stays so
	} else if (left < least) {
		c->slipped += least - left;
		c->due = count + least;
	}
}

// A precise counter that still waits for its record gives it up: its sample comes as soon as one can be armed for.
void pmu_restart_from(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t value)
{
	const uint64_t count = pmu_count(driver, c, value);

	pmu_not_due(c, count, driver->arm_least);
	pmu_start_from_count(driver, c, count);
}

void pmu_start_from_count(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count)
{
	c->start = pmu_set_start(driver, c, count);
}

void pmu_serve_other(struct pmu_cpu *cpu, uint64_t status, uint64_t ip, unsigned level, uint64_t now, bool throttle)
{
	const struct pmu_driver *driver = cpu->driver;
	const unsigned bit = (unsigned)__builtin_ctzll(status);

	if (driver->shared >> bit & 1 && cpu->shared_interrupt)
		cpu->shared_interrupt(ip, level);
	else if (!(driver->records >> bit & 1))
		cpu->statistics.unclaimed++;
	else if (!driver->take_records(cpu, level, now, throttle))
		pmu_register_faulted(cpu);
}

void pmu_register_faulted(struct pmu_cpu *cpu)
{
	cpu->statistics.faults++;
}

void pmu_overflow_rounds(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip,
			 unsigned level, uint64_t now, unsigned rounds)
{
	for (; overflowed && rounds; rounds--) {
		pmu_clear_and_serve(cpu, driver, overflowed, ip, level, now, rounds == 1);
		overflowed = pmu_overflowed(cpu, driver);
	}
}

void pmu_serve_early(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip)
{
	overflowed &= cpu->served;
	if (~cpu->served)
		overflowed |= driver->records;
	pmu_overflow_rounds(cpu, driver, overflowed, ip, 0, hal_clock(), PMU_ROUNDS);
	if (driver->resume)
		driver->resume();
}

void pmu_start_beside(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip)
{
	uint64_t overflowed;
	bool ok;

	hal_pmi_mask();
	ok = driver->enable(0);
	ok &= driver->overflow_status(&overflowed);
	if (!ok)
		pmu_register_faulted(cpu);
	pmu_serve_early(cpu, driver, overflowed, ip);
	pmu_unmask(cpu, driver, ip, 0);
}

bool pmu_is_storm(struct pmu_cpu *cpu, uint64_t now)
{
	if (now - cpu->window_start < cpu->window_clocks) {
		cpu->interrupts_left = 1;	// ask again next time
		return true;
	}
	cpu->interrupts_left = cpu->window_interrupts ? cpu->window_interrupts : 1;
	cpu->window_start = now;
	return false;
}

bool pmu_overflow_rare(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip,
		       unsigned level, uint64_t now)
{
	if (overflowed) {
		pmu_overflow_rounds(cpu, driver, overflowed, ip, level, now, pmu_is_storm(cpu, now) ? 1 : PMU_ROUNDS);
		return true;
	}
	// No overflow has frozen the counters: one that came from here on would be served while they run.
	if (!driver->enable(0))
		pmu_register_faulted(cpu);
	cpu->statistics.spurious++;
	return --cpu->interrupts_left || !pmu_is_storm(cpu, now);
}
