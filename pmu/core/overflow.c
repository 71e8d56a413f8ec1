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

	if (pmu_package_status(driver) >> bit & 1 && cpu->shared_interrupt) {
		if (throttle)
			__atomic_store_n(&pmu_shared.throttle, true, __ATOMIC_SEQ_CST);
		cpu->shared_interrupt(ip, level);
	} else if (!(pmu_records_status(driver) >> bit & 1)) {
		cpu->statistics.unclaimed++;
	} else if (!pmu_take_records(cpu, level, now, throttle)) {
		pmu_register_faulted(cpu);
	}
}

bool pmu_make_room(struct pmu_cpu *cpu, unsigned words)
{
	if (cpu->take_out && cpu->take_out(cpu, words))
		return true;
	cpu->statistics.dropped++;
	return false;
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
		overflowed |= pmu_records_status(driver);
	pmu_overflow_rounds(cpu, driver, overflowed, ip, 0, hal_clock(), PMU_ROUNDS);
	if (driver->records && driver->records->resume)
		pmu_resume(cpu, driver);
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

// The handler may have one in so many clocks, as it measures them between its two looks at the clock. What the
// processor's way in and out takes comes on top: if that is as long, a third of the time is gone, and if it is five
// times as long, all. Threads that share a clock share the time, too.
#define STORM_SHARE 6

// Whether the interrupts since the last look, of which none is left, have had too much of the time. The next ones
// begin: in a storm, one.
__attribute__((cold, noinline)) static bool is_storm(struct pmu_cpu *cpu, uint64_t now)
{
	const unsigned threads = cpu->sharing ? cpu->sharing : cpu->driver->threads, sharing = threads ? threads : 1;
	const uint64_t clocks = now - cpu->window_start, handler = cpu->handler_clocks;
	const bool storm = clocks < cpu->window_clocks || clocks < STORM_SHARE * sharing * handler;

	if (storm && !cpu->statistics.storm_clocks) {
		cpu->statistics.storm_clocks = clocks;
		cpu->statistics.storm_handler_clocks = handler;
	}
	cpu->interrupts_left = storm ? 1 : cpu->window_interrupts;
	cpu->interrupts_then += cpu->interrupts_left;
	cpu->window_start = now;
	cpu->handler_clocks = 0;
	return storm;
}

bool pmu_overflow_rare(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip,
		       unsigned level, uint64_t now)
{
	if (overflowed) {
		pmu_overflow_rounds(cpu, driver, overflowed, ip, level, now, is_storm(cpu, now) ? 1 : PMU_ROUNDS);
		return !cpu->statistics.faults;		// one that cannot be cleared would come for ever
	}
	// No overflow has frozen the counters: one that came from here on would be served while they run.
	if (!driver->enable(0))
		pmu_register_faulted(cpu);
	cpu->statistics.spurious++;
	return --cpu->interrupts_left || !is_storm(cpu, now);
}
