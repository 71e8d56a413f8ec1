/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations of a driver for a plain PMU: each counter has a count register and a control register;
 * one register enables counters, one holds their overflow status, one clears it, each with one bit
 * per counter. They are compiled into the driver, with its addresses as constants. */
#ifndef PLAIN_DRIVER_H
#define PLAIN_DRIVER_H

#include "event.h"
#include "field.h"
#include "hal.h"
#include "path.h"
#include "pmu_driver.h"

/* Operations on counters: name_address to name_stop, and name_signal. LATE: a counter may overflow
 * after the read of the status that follows `hold`; the handler then reads the status again. */
#define PLAIN_COUNTERS(name, COUNTER, SELECT, ENABLE, STATUS, CLEAR, LATE)			\
	static uint32_t name##_address(unsigned n)						\
	{											\
		return (COUNTER) + n;								\
	}											\
												\
	static uint32_t name##_control(unsigned n)						\
	{											\
		return (SELECT) + n;								\
	}											\
												\
	static bool name##_read(uint32_t address, uint64_t *value)				\
	{											\
		*value = 0;									\
		return reg_read(address, value);						\
	}											\
												\
	static bool name##_write(uint32_t address, uint64_t value)				\
	{											\
		return reg_write(address, value);						\
	}											\
												\
	static bool name##_program(const struct pmu_counter *c, unsigned counters)		\
	{											\
		bool ok = true;									\
												\
		for (const struct pmu_counter *end = c + counters; c < end; c++) {		\
			ok &= reg_write(c->address, c->start);					\
			ok &= reg_write((SELECT) + c->number, c->select);			\
		}										\
		return ok;									\
	}											\
												\
	PMU_RARE static bool name##_release(const struct pmu_counter *c, unsigned counters)	\
	{											\
		bool ok = true;									\
												\
		for (const struct pmu_counter *end = c + counters; c < end; c++) {		\
			ok &= reg_write((SELECT) + c->number, 0);				\
			ok &= reg_write(c->address, 0);						\
		}										\
		return ok;									\
	}											\
												\
	static bool name##_enable(uint64_t counters)						\
	{											\
		return reg_write(ENABLE, counters);						\
	}											\
												\
	PMU_RARE static bool name##_freeze(uint64_t *state)					\
	{											\
		*state = 0;									\
		return reg_read(ENABLE, state) && reg_write(ENABLE, 0);				\
	}											\
												\
	static bool name##_overflow_status(uint64_t *overflowed)				\
	{											\
		*overflowed = 0;								\
		return reg_read(STATUS, overflowed);						\
	}											\
												\
	static bool name##_overflow_clear(uint64_t overflowed)					\
	{											\
		return reg_write(CLEAR, overflowed);						\
	}											\
												\
	static bool name##_hold(bool *more)							\
	{											\
		*more = (LATE);									\
		return name##_enable(0);							\
	}											\
												\
	PMU_PATH(name)										\
												\
	static const struct pmu_signal name##_signal = {					\
		.interrupt = name##_overflow_interrupt, .hold = name##_hold,			\
	};

/* All operations, for COUNT counters: count registers from address COUNTER, control registers from
 * address SELECT. All registers are 0 after reset. The driver must define name_objection and
 * name_encode first. */
#define PLAIN_OPERATIONS(name, COUNT, COUNTER, SELECT, ENABLE, STATUS, CLEAR)			\
	static bool name##_probe(void)								\
	{											\
		uint64_t value;									\
												\
		return reg_read(STATUS, &value);						\
	}											\
												\
	static bool name##_reset(void)								\
	{											\
		bool ok = reg_write(ENABLE, 0);							\
												\
		for (unsigned n = 0; n < (COUNT); n++) {					\
			ok &= reg_write((SELECT) + n, 0);					\
			ok &= reg_write((COUNTER) + n, 0);					\
		}										\
		return reg_write(CLEAR, FIELD_MASK(0, COUNT)) && ok;				\
	}											\
												\
	static uint64_t name##_choices(const struct event_request *r)				\
	{											\
		const uint64_t wanted = r->counter == EVENT_ANY_COUNTER ? ~0ULL : 1ULL << r->counter; \
												\
		return name##_objection(r) ? 0 : event_counters(r) & FIELD_MASK(0, COUNT) & wanted; \
	}											\
												\
	PLAIN_COUNTERS(name, COUNTER, SELECT, ENABLE, STATUS, CLEAR, true)

/* These operations as members of struct pmu_driver. */
#define PLAIN_COUNTER_MEMBERS(name)								\
	.address = name##_address, .control = name##_control, .read = name##_read,		\
	.write = name##_write, .program = name##_program, .release = name##_release,		\
	.enable = name##_enable, .freeze = name##_freeze, .thaw = name##_enable,		\
	.overflow_status = name##_overflow_status, .overflow_clear = name##_overflow_clear,	\
	.signal = &name##_signal, .start = name##_start, .stop = name##_stop
#define PLAIN_MEMBERS(name)									\
	.probe = name##_probe, .reset = name##_reset, .objection = name##_objection,		\
	.choices = name##_choices, .encode = name##_encode, PLAIN_COUNTER_MEMBERS(name)

#endif
