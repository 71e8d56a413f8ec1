// SPDX-License-Identifier: BSD-2-Clause
// One counter: the rare cases of its samples.

#include "counter.h"

uint64_t pmu_count(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t value)
{
	if (c->precise && !(value >> (driver->width - 1)))
		return c->wrap;
	return c->wrap - (1ULL << driver->width) + value;
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

// A precise counter that still waits for its record gives it up: its sample comes at the earliest count for which it
// can be armed.
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
