/* SPDX-License-Identifier: BSD-2-Clause */
/* One counter: its count, the register value from which it starts, the count at which it is
 * sampled. */
#ifndef COUNTER_H
#define COUNTER_H

#include "pmu_driver.h"

/* Distance of `due` from any count, in events, for a counter that takes no samples. */
#define PMU_NEVER_DUE (UINT64_MAX >> 1)

/* These are parts of the overflow interrupt's path, with the driver's constants. */
#define COUNTER_INLINE static inline __attribute__((always_inline))

/* Returns the width of a counter's register, in bits. */
COUNTER_INLINE unsigned pmu_width(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	return driver->shape->mixed ? driver->shape->widths[c->number] : driver->shape->width;
}

/* Returns the greatest value of a counter's register. */
COUNTER_INLINE uint64_t pmu_greatest(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	return FIELD_MASK(0, pmu_width(driver, c));
}

/* Returns the number of values of a counter's register, modulo 2^64 as all counts are: 0 for 64
 * bits. */
COUNTER_INLINE uint64_t pmu_modulus(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	return pmu_greatest(driver, c) + 1;
}

/* Returns whether no sample of a counter is due within a whole modulus of its register, `left`
 * events being left. */
COUNTER_INLINE bool pmu_starts_from_zero(const struct pmu_driver *driver,
					 const struct pmu_counter *c, uint64_t left)
{
	if (driver->shape->by_value)
		return false;
	// A modulus from 2^63 on is greater than the distance of any sample.
	if (pmu_width(driver, c) >= 63)
		return !c->period || c->throttled;
	return left > pmu_greatest(driver, c) + driver->shape->arm_least;
}

/* Returns the register value from which a counter with this count starts, and sets `wrap`. The
 * counter overflows when the next sample is due. If that is too far away, it overflows after the
 * greatest distance for which the hardware can be armed. If no sample is due for a whole modulus of
 * the register, it starts from 0. */
static inline uint64_t pmu_set_start(const struct pmu_driver *driver, struct pmu_counter *c,
				     uint64_t count)
{
	const uint64_t most = driver->shape->arm_most;
	uint64_t left = c->due - count;

	if (__builtin_expect(left >> __builtin_ctzll(most) != 0, false))
		// Leaves at least arm_least for the next start.
		left = pmu_starts_from_zero(driver, c, left) ? pmu_modulus(driver, c) :
			most - driver->shape->arm_least;
	c->wrap = count + left;
	if (__builtin_constant_p(pmu_width(driver, c)) && pmu_width(driver, c) == 32)
		return (uint32_t)-left;		// the same, in fewer instructions
	return pmu_greatest(driver, c) ^ (left - 1);
}

/* Returns whether a counter can start from this register value: the register holds it after a write
 * (the hardware may sign-extend it), and it is at least arm_least from the overflow. */
static inline bool pmu_can_start_from(const struct pmu_driver *driver, const struct pmu_counter *c,
				      uint64_t value)
{
	const uint64_t most = driver->shape->arm_most, lowest = pmu_modulus(driver, c) - most;

	return value < most || value - lowest <= most - driver->shape->arm_least;
}

/* Returns 1 if a stopped counter has an overflow that is not served yet, else 0; more than 1:
 * `start` is invalid. The overflow is the bit above the register's width. A register of 64 bits
 * leaves no such bit, but its counter takes samples only from values within arm_most of the
 * overflow: a lower value has overflowed. */
static inline uint64_t pmu_pending(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	if (pmu_width(driver, c) < 64)
		return c->start >> pmu_width(driver, c);
	return c->period && !c->throttled && c->start < -driver->shape->arm_most;
}

/* Returns whether a period is valid: at least arm_least, or 0 (no samples). Counts and `due` are
 * compared as signed numbers, so a period must be below 2^63. */
static inline bool pmu_period_is_good(const struct pmu_driver *driver, uint64_t period)
{
	return period == 0 || (period >= driver->shape->arm_least && period <= UINT64_MAX >> 1);
}

/* Returns the greatest difference of random periods from `period`, in events: `jitter` percent,
 * limited to periods for which a counter can be armed. */
uint64_t pmu_spread(const struct pmu_driver *driver, uint64_t period, uint8_t jitter, bool precise);

/* Returns the random period that ends with sample `number` (from 0); the same for the same seed. */
uint64_t pmu_random_period(const struct pmu_counter *c, uint64_t number);

/* Returns the period that ends with sample `number` (from 0), in events. */
static inline uint64_t pmu_period(const struct pmu_counter *c, uint64_t number)
{
	return __builtin_expect(c->spread != 0, false) ? pmu_random_period(c, number) : c->period;
}

/* Sets the members that depend on a counter's period, jitter, seed and samples. */
void pmu_prepare_periods(const struct pmu_driver *driver, struct pmu_counter *c);

/* Returns the count of a counter whose register holds `value`. A precise counter that has
 * overflowed waits for its record; events until then do not count. */
uint64_t pmu_count(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t value);

/* Returns whether a counter's next sample is due at this count. */
static inline bool pmu_is_due(const struct pmu_counter *c, uint64_t count)
{
	return (int64_t)(count - c->due) >= 0;
}

/* Rare: the next sample is due already, or sooner than the counter can be armed. Postpones it to a
 * whole period from now. */
void pmu_slip(struct pmu_counter *c, uint64_t count);

/* Rare: a counter has overflowed before a sample is due, because it takes none or the next one was
 * too far to arm for. `least`: the driver's arm_least. */
void pmu_not_due(struct pmu_counter *c, uint64_t count, unsigned least);

/* Rare: chooses a start value for a stopped counter that cannot continue from its register's
 * value. */
void pmu_restart_from(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t value);

/* Rare: makes a counter that does not count start from the register value that pmu_set_start
 * chooses. */
void pmu_start_from_count(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count);

/* Returns whether a stopped counter starts from 0 again: it takes no samples. */
COUNTER_INLINE bool pmu_continues_from_zero(const struct pmu_driver *driver,
					    const struct pmu_counter *c)
{
	return !c->period && !driver->shape->by_value;
}

/* Stores the register value of a stopped counter. A counter without samples continues from 0, if
 * the shape allows it. Others continue from this value, if software can write it to the
 * register. */
static inline __attribute__((always_inline)) void pmu_collect(const struct pmu_driver *driver,
							      struct pmu_counter *c, uint64_t value)
{
	const uint64_t most = driver->shape->arm_most, lowest = pmu_modulus(driver, c) - most;

	if (__builtin_expect(pmu_continues_from_zero(driver, c), true))
		c->wrap += value;
	else if (__builtin_expect(value - lowest <= most - driver->shape->arm_least, true))
		c->start = value;
	else
		pmu_restart_from(driver, c, value);
}

#endif
