// SPDX-License-Identifier: BSD-2-Clause
// The rare parts of the overflow interrupt.

#include "overflow.h"

void pmu_serve_other(const struct pmu_service *s, unsigned bit)
{
	if (pmu_package_status(s->driver) >> bit & 1 && s->cpu->shared_interrupt)
		s->cpu->shared_interrupt(s->ip, s->level, s->throttle);
	else if (!(pmu_records_status(s->driver) >> bit & 1))
		s->cpu->statistics.unclaimed++;
	else if (!pmu_take_records(s->cpu, s->level, s->now, s->throttle))
		pmu_register_faulted(s->cpu);
}

void pmu_overflow_rounds(struct pmu_service *s, uint64_t overflowed, unsigned rounds)
{
	do {
		s->throttle = rounds == 1;
		if (overflowed)
			pmu_serve(s, overflowed);
		overflowed = pmu_overflowed(s->cpu, s->driver);
	} while (overflowed && --rounds);
}

void pmu_serve_early(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed,
		     uint64_t ip, unsigned level)
{
	struct pmu_service s = {.cpu = cpu, .driver = driver, .ip = ip, .level = level,
				.now = hal_clock()};

	overflowed &= cpu->served;
	if (~cpu->served)
		overflowed |= pmu_records_status(driver);
	if (overflowed)
		pmu_overflow_rounds(&s, overflowed, PMU_ROUNDS);
	if (driver->records && driver->records->stopped)
		pmu_resume(cpu, driver);
}

void pmu_stop_others(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip)
{
	uint64_t overflowed;
	bool ok;

	hal_pmi_mask();
	ok = driver->enable(0);
	ok &= driver->overflow_status(&overflowed);
	if (!ok)
		pmu_register_faulted(cpu);
	pmu_serve_early(cpu, driver, overflowed, ip, 0);
	pmu_unmask(cpu, driver, ip, 0);
}

// Storm: the handler takes more than one in this many clocks, measured between its first and last
// clock read. Interrupt entry and return come on top: if they take as long as the handler,
// interrupts take up to a third of the time; if five times as long, all of it. Threads that share a
// clock share the time.
#define STORM_SHARE 6

// Called when the interrupts of a window are used up. Returns whether they took too much of the
// time, and opens the next window; in a storm it has one interrupt.
__attribute__((cold, noinline)) static bool is_storm(struct pmu_cpu *cpu, uint64_t now)
{
	const unsigned threads = cpu->sharing ? cpu->sharing : cpu->driver->threads,
		sharing = threads ? threads : 1;
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

bool pmu_overflow_rare(struct pmu_service *s, uint64_t overflowed)
{
	if (overflowed) {
		pmu_overflow_rounds(s, overflowed, is_storm(s->cpu, s->now) ? 1 : PMU_ROUNDS);
		return !s->cpu->statistics.faults;	// an interrupt that cannot be cleared would
							// return for ever
	}
	// No overflow has frozen the counters. Stop them, because later overflows would otherwise
	// be served while they run.
	if (!s->driver->enable(0))
		pmu_register_faulted(s->cpu);
	s->cpu->statistics.spurious++;
	return --s->cpu->interrupts_left || !is_storm(s->cpu, s->now);
}
