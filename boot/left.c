// SPDX-License-Identifier: BSD-2-Clause
// Finds counters that run before the image has reset the PMU: left.h.

#include "left.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hal.h"

static void take_counter(const struct pmu_driver *driver, unsigned counter, uint64_t overflowed,
			 struct left *left)
{
	struct left_counter *const l = &left->counter[left->count];
	const uint32_t address = driver->address(counter);
	uint64_t before, after;

	if (!reg_read(driver->control(counter), &l->select) || !driver->read(address, &before))
		return;
	for (volatile unsigned i = 0; i < LEFT_LOOP; i++)
		;
	if (!driver->read(address, &after) || after == before)
		return;
	l->counter = counter;
	l->events = (after - before) &
		FIELD_MASK(0, driver->shape->mixed ? driver->shape->widths[counter] :
			   driver->shape->width);
	left->overflowed |= overflowed & 1ull << counter;
	left->count++;
}

const struct left *left_find(const struct pmu_driver *driver)
{
	static struct left left;
	uint64_t overflowed = 0;

	memset(&left, 0, sizeof left);
	if (driver->shape->by_value || !driver->overflow_status(&overflowed))
		overflowed = 0;
	for (uint64_t rest = driver->shape->counters; rest; rest &= rest - 1)
		take_counter(driver, (unsigned)__builtin_ctzll(rest), overflowed, &left);
	return &left;
}

const char *left_event(const struct pmu_driver *driver, const struct left_counter *left)
{
	static struct event_request request;

	if (driver->shape->fixed >> left->counter & 1 ||
	    !pmu_read_raw(driver, left->counter, left->select, &request))
		return NULL;
	return request.event->name;
}

void left_print(const struct pmu_driver *driver, const struct left *left)
{
	for (const struct left_counter *l = left->counter; l < left->counter + left->count; l++) {
		const char *const event = left_event(driver, l);

		printf("palmon: before this image: counter %u runs, control register 0x%" PRIx64
		       "%s%s, %" PRIu64 " events in %u iterations of a loop\n", l->counter,
		       l->select, event ? ", " : "", event ? event : "", l->events, LEFT_LOOP);
	}
	if (left->overflowed)
		printf("palmon: before this image: overflow pending, status 0x%" PRIx64 "\n",
		       left->overflowed);
}
