/* SPDX-License-Identifier: BSD-2-Clause */
/* One counter: its count, the register value from which it starts, the count of its next sample. */
#ifndef COUNTER_H
#define COUNTER_H

#include "pmu_driver.h"

/* Distance of a sample that is never due, from any count. */
#define PMU_NEVER_DUE (UINT64_MAX >> 1)

/* Chooses the register value from which a counter with this count starts: it overflows when the next sample is due, or
 * at the farthest distance for which the hardware can be armed. If no sample is due for a whole modulus of the
 * register, it starts from 0. */
static inline uint64_t pmu_set_start(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count)
{
	const uint64_t most = driver->arm_most, modulus = 1ULL << driver->width, least = driver->arm_least;
	uint64_t left = c->due - count;

	if (__builtin_expect(left >> __builtin_ctzll(most) != 0, false))
		left = left > modulus - 1 + least ? modulus : most - least;	// never leaving too little
	c->wrap = count + left;
	if (__builtin_constant_p(driver->width) && driver->width == 32)
		return (uint32_t)-left;		// the same, shorter
	return (modulus - 1) ^ (left - 1);
}

/* Whether a counter can start from this register value: the register holds it after a write (the hardware may extend
 * it), and the distance to the overflow is not too short. */
static inline bool pmu_can_start_from(const struct pmu_driver *driver, uint64_t value)
{
	const uint64_t most = driver->arm_most, lowest = (1ULL << driver->width) - most;

	return value < most || value - lowest <= most - driver->arm_least;
}

/* Whether a period is valid for samples, or 0 (only count). The signed comparison of counts with `due` needs periods
 * below 2^63. */
static inline bool pmu_period_is_good(const struct pmu_driver *driver, uint64_t period)
{
	return period == 0 || (period >= driver->arm_least && period <= UINT64_MAX >> 1);
}

/* The greatest difference of a request's random periods from its period: its jitter, within the periods for which a
 * counter can be armed. */
uint64_t pmu_spread(const struct pmu_driver *driver, uint64_t period, uint8_t jitter, bool precise);

/* The random period of sample `number` (from 0). The same for the same seed. */
uint64_t pmu_random_period(const struct pmu_counter *c, uint64_t number);

/* The period that ends with sample `number` (from 0). */
static inline uint64_t pmu_period(const struct pmu_counter *c, uint64_t number)
{
	return __builtin_expect(c->spread != 0, false) ? pmu_random_period(c, number) : c->period;
}

/* Sets the fields that depend on a counter's period, jitter, seed and samples. */
void pmu_prepare_periods(const struct pmu_driver *driver, struct pmu_counter *c);

/* The count of a counter whose register is `value`. After its overflow a precise one waits for its record; events until
 * then do not count. */
uint64_t pmu_count(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t value);

/* Whether a counter's next sample is due at this count. */
static inline bool pmu_is_due(const struct pmu_counter *c, uint64_t count)
{
	return (int64_t)(count - c->due) >= 0;
}

/* Rare: the next sample is due already, or too soon to arm for it: it will be due a whole period from now. */
void pmu_slip(struct pmu_counter *c, uint64_t count);

/* Rare: a counter has overflowed before a sample is due, because there is none, or because it is too far to arm for.
 * `least`: the driver's arm_least. */
void pmu_not_due(struct pmu_counter *c, uint64_t count, unsigned least);

/* Rare: a stopped counter cannot continue from its register's value. */
void pmu_restart_from(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t value);

/* Rare: a counter that does not count starts from the register value that pmu_set_start chooses. */
void pmu_start_from_count(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count);

/* Stores the value of a stopped counter's register. A counter without samples can continue from 0; one with samples
 * continues from the value, if the register can be written with it. */
static inline __attribute__((always_inline)) void pmu_collect(const struct pmu_driver *driver, struct pmu_counter *c,
							      uint64_t value)
{
	const uint64_t most = driver->arm_most, lowest = (1ULL << driver->width) - most;

	if (__builtin_expect(!c->period, true))
		c->wrap += value;
	else if (__builtin_expect(value - lowest <= most - driver->arm_least, true))
		c->start = value;
	else
		pmu_restart_from(driver, c, value);
}

#endif
