// SPDX-License-Identifier: BSD-2-Clause
// One PMU: its counters and their reservation.

#include "pmu_unit.h"

#include <string.h>

#include "counter.h"
#include "settings.h"

#define WINDOW_INTERRUPTS	2000	/* interrupts between two storm checks */

HAL_STATE_PLACE(struct pmu_cpus, pmu_cpus)
HAL_STATE_PLACE(struct pmu_cpu, pmu_package)

void pmu_limit_unit(struct pmu_cpu *cpu, uint32_t interrupts, uint64_t clocks)
{
	cpu->interrupts_then = pmu_interrupts(cpu) + interrupts + 1;
	cpu->interrupts_left = interrupts + 1;
	cpu->window_interrupts = interrupts ? interrupts : 1;
	cpu->window_clocks = clocks;
	cpu->window_start = hal_clock();
	cpu->handler_clocks = 0;
}

void pmu_clear_unit(struct pmu_cpu *unit)
{
	for (uint64_t left = unit->taken; left; left &= left - 1)
		unit->counter[__builtin_ctzll(left)] = NULL;
	memset(&unit->enabled, 0,
	       offsetof(struct pmu_cpu, counter) - offsetof(struct pmu_cpu, enabled));
	unit->selected = unit;
	unit->served = ~0ULL;
	unit->statistics.clocks_least = unit->statistics.skid_least = UINT64_MAX;
	pmu_limit_unit(unit, WINDOW_INTERRUPTS, 0);
}

void pmu_register_faulted(struct pmu_cpu *cpu)
{
	cpu->statistics.faults++;
}

void pmu_throttle(struct pmu_cpu *cpu, struct pmu_counter *c, uint64_t count)
{
	if (c->throttled || !c->period)
		return;
	c->throttled = true;
	c->due = count + PMU_NEVER_DUE;
	cpu->statistics.throttles++;
}

void pmu_count_bus_lock(void)
{
	pmu_package()->statistics.bus_locks++;
}

void pmu_count_doubtful(void)
{
	pmu_package()->statistics.doubtful++;
}

// The session must be all zero.
static void open_counter(const struct pmu_driver *driver, struct pmu_session *session,
			 unsigned event, const struct event_request *request, uint8_t number)
{
	struct pmu_counter *c = &session->counter[event];

	c->select = driver->encode(request, number);
	c->address = driver->address(number);
	c->number = c->source.counter = number;
	c->source.event = (uint8_t)event;
	c->period = request->period;
	c->jitter = c->period ? request->jitter : 0;
	c->seed = c->jitter ? request->seed : 0;
	c->precise = request->modifiers & EVENT_PRECISE;
	pmu_prepare_periods(driver, c);
	c->due = c->period ? pmu_period(c, 0) : PMU_NEVER_DUE;
	c->polled = driver->poll && driver->poll->polled(request);
	c->payload = driver->records && (driver->records->recorded ? driver->records->recorded(c) :
					 request->modifiers & driver->records->modifiers);
	pmu_start_from_count(driver, c, 0);
	session->counters |= 1ULL << number;
}

enum pmu_error pmu_open_unit(struct pmu_cpu *cpu, struct pmu_session *session,
			     const struct event_request *requests,
			     unsigned count, struct pmu_refusal *refusal)
{
	const struct pmu_driver *driver = cpu->driver;
	uint8_t number[PMU_SESSION_EVENTS];
	enum pmu_error error;

	error = pmu_allocate(driver, requests, count, driver->shape->counters & ~cpu->taken, number,
			     refusal);
	if (error)
		return error;
	for (unsigned i = 0; i < count; i++) {
		refusal->events = 1ULL << i;
		if (!pmu_period_is_good(driver, requests[i].period))
			return PMU_BAD_PERIOD;
		if (requests[i].modifiers & EVENT_PRECISE && !cpu->has_buffer)
			return PMU_NO_BUFFER;
		if (driver->settings && driver->settings->available &&
		    !driver->settings->available(&requests[i]))
			return PMU_UNFIT;
		if (driver->timer >> number[i] & 1 && (cpu->sampling || cpu->slice))
			return PMU_TIMER;
	}
	refusal->events = 0;

	*session = (struct pmu_session){.count = count};
	for (unsigned i = 0; i < count; i++)
		open_counter(driver, session, i, &requests[i], number[i]);
	session->next = cpu->open;
	if (driver->settings)
		error = pmu_settings_open(cpu, session, requests, refusal);
	if (error)
		return error;
	session->driver = driver;
	session->number = cpu->sessions++;
	for (unsigned i = 0; i < count; i++) {
		session->counter[i].source.session = session->number;
		pmu_own(cpu, &session->counter[i]);
	}
	cpu->open = session;
	cpu->taken |= session->counters;
	return PMU_OK;
}

enum pmu_error pmu_close_unit(struct pmu_cpu *cpu, struct pmu_session *session)
{
	enum pmu_error error = session->driver->release(session->counter, session->count) ? PMU_OK :
		PMU_FAULT;

	for (struct pmu_session **link = &cpu->open; *link; link = &(*link)->next)
		if (*link == session) {
			*link = session->next;
			break;
		}
	if (session->driver->settings && !pmu_settings_close(cpu, session))
		error = PMU_FAULT;
	for (unsigned i = 0; i < session->count; i++)
		cpu->counter[session->counter[i].number] = NULL;
	cpu->served |= session->counters;
	cpu->taken &= ~session->counters;
	session->driver = NULL;
	return error;
}

// Reads the count of a running counter consistently. If the status shows an overflow that the
// interrupt has not served yet, the register is read again, after the overflow.
bool pmu_read_running(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t *count)
{
	uint64_t value = 0, overflowed = 0;
	bool ok = driver->read(c->address, &value) && driver->overflow_status(&overflowed);

	if (overflowed >> c->number & 1) {
		ok &= driver->read(c->address, &value);
		value += pmu_modulus(driver, c);
	}
	*count = pmu_count(driver, c, value);
	return ok;
}
