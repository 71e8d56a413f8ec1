// SPDX-License-Identifier: BSD-2-Clause
// One counter: rare cases of arming and sampling.

#include "counter.h"

#define LONGEST_SPREAD	(UINT32_MAX / 2)	/* a 32-bit random number selects one of 2 * spread
						 * + 1 periods */

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t pmu_spread(const struct pmu_driver *driver, uint64_t period, uint8_t jitter, bool precise)
{
	const uint64_t longest = precise ? driver->shape->arm_most - 1 : UINT64_MAX >> 1;
	const uint64_t asked = period / 100 * jitter + period % 100 * jitter / 100;

	if (period < driver->shape->arm_least || period > longest)
		return 0;
	return lesser(lesser(asked, LONGEST_SPREAD),
		      lesser(period - driver->shape->arm_least, longest - period));
}

// Uses the upper half of output `number` of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast
// splittable pseudorandom number generators"). The generator needs no state, so that the periods do
// not depend on other callers.
uint64_t pmu_random_period(const struct pmu_counter *c, uint64_t number)
{
	uint64_t z = c->seed + (number + 1) * 0x9E3779B97F4A7C15;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return c->period - c->spread + (((z ^ z >> 31) >> 32) * (2 * c->spread + 1) >> 32);
}

void pmu_prepare_periods(const struct pmu_driver *driver, struct pmu_counter *c)
{
	c->spread = pmu_spread(driver, c->period, c->jitter, c->precise);
	c->reload = pmu_period(c, c->samples + 1);
}

uint64_t pmu_sampled(const struct pmu_counter *c)
{
	uint64_t sum = 0;

	if (!c->spread)
		return c->samples * c->period;
	for (uint64_t i = 0; i < c->samples; i++)
		sum += pmu_random_period(c, i);
	return sum;
}

uint64_t pmu_not_sampled(const struct pmu_counter *c, uint64_t count)
{
	if (!c->period || c->throttled)
		return count - pmu_sampled(c);
	return pmu_period(c, c->samples) - (c->due - count) + c->slipped;
}

uint64_t pmu_count(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t value)
{
	if (c->precise && !(value >> (pmu_width(driver, c) - 1)))
		return c->wrap;
	return c->wrap - pmu_modulus(driver, c) + value;
}

void pmu_slip(struct pmu_counter *c, uint64_t count)
{
	c->slipped += count + c->period - c->due;
	c->due = count + c->period;
}

void pmu_not_due(struct pmu_counter *c, uint64_t count, unsigned least)
{
	uint64_t left = c->due - count;
	// renewed at each overflow, so never reached
	if (!c->period || c->throttled) {
		c->due = count + PMU_NEVER_DUE;		// no count ever reaches this value
	} else if (left < least) {
		c->slipped += least - left;
		c->due = count + least;
	}
}

// A precise counter that still waits for its record gives the record up: its sample comes at the
// earliest count for which it can be armed.
void pmu_restart_from(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t value)
{
	const uint64_t count = pmu_count(driver, c, value);

	pmu_not_due(c, count, driver->shape->arm_least);
	pmu_start_from_count(driver, c, count);
}

void pmu_start_from_count(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count)
{
	c->start = pmu_set_start(driver, c, count);
}
