/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations of a driver for a plain PMU: counter n has one counter register and one select
 * register. Three further registers with one bit for each counter enable counters, have the
 * overflow status, and clear it. The driver defines its operations as calls of these functions with
 * a constant struct plain_registers, which makes the addresses constants. */
#ifndef PLAIN_DRIVER_H
#define PLAIN_DRIVER_H

#include "event.h"
#include "field.h"
#include "hal.h"
#include "path.h"
#include "pmu_driver.h"

/* Register addresses. */
struct plain_registers {
	uint32_t counter;	/* of counter 0; the others follow */
	uint32_t select;	/* of counter 0; the others follow */
	uint32_t enable;	/* bit n: counter n counts */
	uint32_t status;	/* bit n: counter n has overflowed */
	uint32_t clear;		/* a 1 in bit n clears that bit of the status */
	unsigned count;		/* number of counters, 1 to 64 */
};

/* Read and write a register, for the members `read` and `write`. A read that faults stores 0. */
PMU_INLINE bool plain_read(uint32_t address, uint64_t *value)
{
	*value = 0;
	return reg_read(address, value);
}

PMU_INLINE bool plain_write(uint32_t address, uint64_t value)
{
	return reg_write(address, value);
}

PMU_INLINE bool plain_program(const struct plain_registers *r, const struct pmu_counter *c,
			      unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= reg_write(c->address, c->start);
		ok &= reg_write(r->select + c->number, c->select);
	}
	return ok;
}

PMU_INLINE bool plain_release(const struct plain_registers *r, const struct pmu_counter *c,
			      unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= reg_write(r->select + c->number, 0);
		ok &= reg_write(c->address, 0);
	}
	return ok;
}

PMU_INLINE bool plain_freeze(const struct plain_registers *r, uint64_t *state)
{
	return plain_read(r->enable, state) && reg_write(r->enable, 0);
}

/* Sets all registers to 0, which is their reset value. */
PMU_INLINE bool plain_reset(const struct plain_registers *r)
{
	bool ok = reg_write(r->enable, 0);

	for (unsigned n = 0; n < r->count; n++) {
		ok &= reg_write(r->select + n, 0);
		ok &= reg_write(r->counter + n, 0);
	}
	return reg_write(r->clear, FIELD_MASK(0, r->count)) && ok;
}

/* The counters that can count a request to which the driver has no objection. */
PMU_INLINE uint64_t plain_choices(const struct plain_registers *r,
				  const struct event_request *request)
{
	const uint64_t wanted = request->counter == EVENT_ANY_COUNTER ? ~0ULL :
		1ULL << request->counter;

	return event_counters(request) & FIELD_MASK(0, r->count) & wanted;
}

#endif
