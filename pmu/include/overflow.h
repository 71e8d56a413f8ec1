/* SPDX-License-Identifier: BSD-2-Clause */
/* The overflow interrupt: one policy for all targets, compiled into each driver (path.h) so that
 * the driver's register accesses are inline. No event is lost: an overflow adds 2^width to the
 * count; the register keeps the events since; overflows that occur during the service are served
 * before the counters run again. */
#ifndef OVERFLOW_H
#define OVERFLOW_H

#include "counter.h"
#include "records.h"
#include "sample.h"
#include "pmu_unit.h"

/* The service of an interrupt, or of overflows whose interrupt is still pending. */
struct pmu_service {
	struct pmu_cpu *cpu;
	const struct pmu_driver *driver;
	uint64_t ip;		/* address stored in samples */
	unsigned level;	/* privilege level stored in samples */
	bool throttle;		/* counters that overflow take no more samples */
	uint64_t now;		/* hal_clock at the beginning */
};

/* Rare: an interrupt without an overflow, or the last one before the next storm check. If the
 * handlers took too much of the time (a storm), throttles the counters. False: interrupts do not
 * end, because there is no counter to throttle or register accesses fault; leave the interrupt
 * masked. */
bool pmu_overflow_rare(struct pmu_service *s, uint64_t overflowed);

/* Rare: serves a status bit that belongs to no session's counter. */
void pmu_serve_other(const struct pmu_service *s, unsigned bit);

/* Rare: serves overflows in rounds, until there are no new ones; the last of `rounds` rounds
 * throttles the counters. `overflowed` 0: begins with a read of the status, which is a round. */
void pmu_overflow_rounds(struct pmu_service *s, uint64_t overflowed, unsigned rounds);

/* Rare: serves overflows and records whose interrupt is pending. The overflow interrupt must be
 * masked and all counters stopped. `ip`, `level`: address and privilege level stored in samples. */
void pmu_serve_early(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed,
		     uint64_t ip, unsigned level);

/* Rare: stops the counters of other sessions before another session starts, and serves their
 * overflows. Their interrupt may be pending; if the counters ran again before it, their counts
 * would be lost. */
void pmu_stop_others(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip);

/* Unmasks the overflow interrupt. A signal of the package's PMU may have been lost while it was
 * masked. */
PMU_INLINE void pmu_unmask(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip,
			   unsigned level)
{
	hal_pmi_unmask();
	if (driver->package && __builtin_expect(cpu->shared_interrupt != NULL, false))
		cpu->shared_unmasked(cpu, driver, ip, level);
}

/* Adds a counter's overflow, and the events since, to its count. Returns the count. */
PMU_INLINE uint64_t pmu_count_overflow(struct pmu_cpu *cpu, const struct pmu_driver *driver,
				       const struct pmu_counter *c)
{
	uint64_t residue;

	if (!driver->read(c->address, &residue))
		pmu_register_faulted(cpu);
	if (residue < cpu->statistics.skid_least)
		cpu->statistics.skid_least = residue;
	if (residue > cpu->statistics.skid_most)
		cpu->statistics.skid_most = residue;
	cpu->statistics.overflows++;
	return c->wrap + residue;
}

/* Arms a counter that has overflowed for its next sample. `due`: a sample was due at this
 * overflow. */
PMU_INLINE void pmu_arm_again(struct pmu_cpu *cpu, const struct pmu_driver *driver,
			      struct pmu_counter *c, uint64_t count, bool due, bool throttle)
{
	if (due) {
		c->samples++;
		c->due += pmu_period(c, c->samples);
		if (__builtin_expect((int64_t)(c->due - count) < (int64_t)driver->shape->arm_least,
				     false))
			pmu_slip(c, count);
	} else {
		pmu_not_due(c, count, driver->shape->arm_least);
	}
	if (throttle)
		pmu_throttle(cpu, c, count);
	if (!driver->write(c->address, pmu_set_start(driver, c, count)))
		pmu_register_faulted(cpu);
}

PMU_INLINE void pmu_serve_counter(const struct pmu_service *s, struct pmu_counter *c)
{
	const uint64_t count = pmu_count_overflow(s->cpu, s->driver, c);
	const bool due = __builtin_expect(pmu_is_due(c, count), true);

	if (due)
		pmu_put_sample(s->cpu, s->driver, c, count, s->ip, s->level, s->now);
	pmu_arm_again(s->cpu, s->driver, c, count, due, s->throttle);
}

/* Serves overflows. Clears their status bits first, because the package's PMU may signal again at
 * once. All counters must be stopped. */
PMU_INLINE void pmu_serve(const struct pmu_service *s, uint64_t overflowed)
{
	if (!s->driver->overflow_clear(overflowed))
		pmu_register_faulted(s->cpu);
	for (struct pmu_counter **c = s->cpu->counter; overflowed; overflowed >>= 1, c++) {
		// With few counters a loop over all bits is faster: not all processors have an
		// instruction that finds the lowest bit.
		if (s->driver->shape->counters >> 8 || s->driver->package) {
			c += __builtin_ctzll(overflowed);
			overflowed >>= __builtin_ctzll(overflowed);
		} else if (!(overflowed & 1)) {
			continue;
		}
		if (__builtin_expect(*c != NULL, true))
			pmu_serve_counter(s, *c);
		else
			pmu_serve_other((struct pmu_service[]){*s},
					(unsigned)(c - s->cpu->counter));
	}
}

/* Reads the overflow bits that software serves; those of precise counters belong to the
 * hardware. */
PMU_INLINE uint64_t pmu_overflowed(struct pmu_cpu *cpu, const struct pmu_driver *driver)
{
	uint64_t overflowed;

	if (!driver->overflow_status(&overflowed))
		pmu_register_faulted(cpu);
	return driver->precise ? overflowed & cpu->served : overflowed;
}

PMU_INLINE void pmu_count_clocks(struct pmu_cpu *cpu, uint64_t start)
{
	uint32_t clocks = (uint32_t)hal_clock() - (uint32_t)start;

	cpu->handler_clocks += clocks;
	if (clocks < cpu->statistics.clocks_least)
		cpu->statistics.clocks_least = clocks;
	if (clocks > cpu->statistics.clocks_most)
		cpu->statistics.clocks_most = clocks;
}

/* The interrupt handler. Rare paths get a copy of `s`, so that the common path keeps it in
 * registers. */
PMU_INLINE void pmu_overflow(const struct pmu_driver *driver, uint64_t ip, unsigned level)
{
	const struct pmu_service s = {
		.cpu = pmu_this_cpu(), .driver = driver, .ip = ip, .level = level,
		.throttle = false,
		.now = hal_clock(),
	};
	struct pmu_cpu *cpu = s.cpu;
	uint64_t overflowed;
	bool more;

	if (!driver->signal->hold(&more))
		pmu_register_faulted(cpu);
	overflowed = pmu_overflowed(cpu, driver);
	if (__builtin_expect(!overflowed || --cpu->interrupts_left == 0, false)) {
		if (!pmu_overflow_rare((struct pmu_service[]){s}, overflowed))
			goto masked;
		more = true;	// perhaps nothing had frozen the counters
	} else {
		pmu_serve(&s, overflowed);
	}
	// Unmask before the last read of the status: a signal of the package's PMU between the two
	// would be dropped.
	hal_pmi_unmask();
	if (__builtin_expect(more, false))
		pmu_overflow_rounds((struct pmu_service[]){s}, 0, PMU_ROUNDS);
masked:
	hal_pmi_end();
	pmu_count_clocks(cpu, s.now);
	if (!driver->enable(cpu->enabled))
		pmu_register_faulted(cpu);
	if (driver->records && driver->records->stopped &&
	    __builtin_expect(cpu->set_sessions != 0, false))
		pmu_resume(cpu, driver);
}

#endif
