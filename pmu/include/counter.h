/* SPDX-License-Identifier: BSD-2-Clause */
/* One counter: its count, the register value it starts from, when its next sample is due. */
#ifndef COUNTER_H
#define COUNTER_H

#include "pmu_driver.h"

/* Distance of a sample that is never taken, from any count. */
#define PMU_NEVER_DUE (UINT64_MAX >> 1)

/* Chooses the value a counter's register starts from when its count is `count`: it overflows when the next sample is
 * due, or as long before that as the hardware can be armed. With nothing due for a whole modulus of the register it
 * starts from 0. */
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

/* Whether a counter can start from this register value: it holds it when it has been written, for the hardware may
 * extend what it can be armed with, and what is left until it overflows is not too little. */
static inline bool pmu_can_start_from(const struct pmu_driver *driver, uint64_t value)
{
	const uint64_t most = driver->arm_most, lowest = (1ULL << driver->width) - most;

	return value < most || value - lowest <= most - driver->arm_least;
}

/* Whether events can be sampled so, or only counted: the signed comparison of counts and due times needs periods below
 * 2^63. */
static inline bool pmu_period_is_good(const struct pmu_driver *driver, uint64_t period)
{
	return period == 0 || (period >= driver->arm_least && period <= UINT64_MAX >> 1);
}

/* By how much the periods of a request's samples differ from its period at most: its jitter, within the periods for
 * which a counter can be armed. */
uint64_t pmu_spread(const struct pmu_driver *driver, uint64_t period, uint8_t jitter, bool precise);

/* A random period: that of sample `number` (from 0). The same for the same seed. */
uint64_t pmu_random_period(const struct pmu_counter *c, uint64_t number);

/* The period that ends with sample `number` (from 0). */
static inline uint64_t pmu_period(const struct pmu_counter *c, uint64_t number)
{
	return __builtin_expect(c->spread != 0, false) ? pmu_random_period(c, number) : c->period;
}

/* Sets what follows from a counter's period, jitter, seed and samples. */
void pmu_prepare_periods(const struct pmu_driver *driver, struct pmu_counter *c);

/* The count of a counter whose register is `value`. A precise one that has overflowed waits for its record, and what
 * it counts meanwhile is not counted. */
uint64_t pmu_count(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t value);

/* Whether a counter's next sample is due at this count. */
static inline bool pmu_is_due(const struct pmu_counter *c, uint64_t count)
{
	return (int64_t)(count - c->due) >= 0;
}

/* Rare: the next sample is due already, or too soon to be armed for: it comes a whole period from now. */
void pmu_slip(struct pmu_counter *c, uint64_t count);

/* Rare: a counter has overflowed before a sample is due, because none is, or because it cannot be armed that far.
 * `least`: the driver's arm_least. */
void pmu_not_due(struct pmu_counter *c, uint64_t count, unsigned least);

/* Rare: a counter that has stopped cannot go on from its register's value. */
void pmu_restart_from(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t value);

/* Rare: a counter that does not count starts from the register value that pmu_set_start chooses. */
void pmu_start_from_count(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count);

/* Takes over the value a counter's register has stopped at. One that only counts can go on from 0; one that takes
 * samples goes on from the value, if it can be written to the register. */
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
