// SPDX-License-Identifier: BSD-2-Clause
// Sessions: counters reserved for a caller, with 64-bit counts.

#include <string.h>

#include "session.h"

#define WINDOW_INTERRUPTS	2000	/* that a storm may have before it is looked for */

struct pmu_cpu pmu_cpus[HAL_CPUS], pmu_package;

const struct pmu_driver *pmu_current_driver(void)
{
	const struct pmu_cpu *cpu = pmu_this_cpu();

	return cpu ? cpu->selected->driver : NULL;
}

void pmu_select(const struct pmu_driver *driver)
{
	pmu_this_cpu()->selected = pmu_unit(driver);
}

__attribute__((noinline)) static void limit_interrupts(struct pmu_cpu *cpu, uint32_t interrupts, uint64_t clocks)
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
	memset(&unit->enabled, 0, offsetof(struct pmu_cpu, ring) - offsetof(struct pmu_cpu, enabled));
	unit->selected = unit;
	unit->served = ~0ULL;
	unit->statistics.clocks_least = unit->statistics.skid_least = UINT64_MAX;
	limit_interrupts(unit, WINDOW_INTERRUPTS, 0);
}

enum pmu_error pmu_begin(const struct pmu_driver *driver, bool non_maskable)
{
	struct pmu_cpu *cpu = &pmu_cpus[hal_cpu()];
	bool ok;

	if (driver->cores)
		return pmu_shared_begin(driver, non_maskable);
	if (cpu->shared_interrupt || !pmu_this_cpu())
		pmu_shared_leave();
	hal_cpu_set_data(cpu);
	cpu->driver = driver;
	pmu_clear_unit(cpu);
	cpu->ring.head = cpu->ring.tail = 0;
	cpu->ring.word_head = cpu->ring.word_tail = 0;
	ok = driver->reset();
	hal_pmi_attach(driver->overflow_interrupt, non_maskable ? HAL_PMI_NMI : HAL_PMI_VECTOR);
	return ok ? PMU_OK : PMU_FAULT;
}

void pmu_limit_interrupts(uint32_t interrupts, uint64_t clocks)
{
	limit_interrupts(pmu_this_cpu(), interrupts, clocks);
}

void pmu_share_clock(unsigned threads)
{
	pmu_this_cpu()->sharing = threads;
}

void pmu_statistics(struct pmu_statistics *statistics)
{
	const struct pmu_cpu *cpu = pmu_this_cpu()->selected;

	if (cpu == &pmu_package) {
		pmu_shared_statistics(statistics);
		return;
	}
	*statistics = cpu->statistics;
	statistics->interrupts = pmu_interrupts(cpu);
}

void pmu_count_bus_lock(void)
{
	pmu_package.statistics.bus_locks++;
}

void pmu_count_doubtful(void)
{
	pmu_package.statistics.doubtful++;
}

// An interrupt in between that finds no room must not take the same one.
bool pmu_take_sample_with_payload(struct pmu_sample *sample, uint64_t payload[PMU_PAYLOAD_WORDS])
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	bool taken;

	cpu->taking = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	taken = pmu_ring_take(&cpu->ring, sample, payload);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	cpu->taking = false;
	return taken;
}

// The session is all zero before.
static void open_counter(const struct pmu_driver *driver, struct pmu_session *session, unsigned event,
			 const struct event_request *request, uint8_t number)
{
	struct pmu_counter *c = &session->counter[event];

	c->select = driver->encode(request, number);
	c->address = driver->address(number);
	c->number = c->source.counter = number;
	c->source.event = (uint8_t)event;
	c->period = request->period;
	c->due = c->period ? c->period : PMU_NEVER_DUE;
	c->precise = request->modifiers & EVENT_PRECISE;
	c->polled = driver->poll && driver->poll->polled(request);
	c->payload = driver->records && driver->records->payload &&
		     (!driver->records->modifiers || request->modifiers & driver->records->modifiers);
	pmu_start_from_count(driver, c, 0);
	session->counters |= 1ULL << number;
}

enum pmu_error pmu_open_unit(struct pmu_cpu *cpu, struct pmu_session *session, const struct event_request *requests,
			     unsigned count, struct pmu_refusal *refusal)
{
	const struct pmu_driver *driver = cpu->driver;
	uint8_t number[PMU_SESSION_EVENTS];
	enum pmu_error error;

	error = pmu_allocate(driver, requests, count, driver->counters & ~cpu->taken, number, refusal);
	if (error)
		return error;
	for (unsigned i = 0; i < count; i++) {
		refusal->events = 1ULL << i;
		if (!pmu_period_is_good(driver, requests[i].period))
			return PMU_BAD_PERIOD;
		if (requests[i].modifiers & EVENT_PRECISE && !cpu->has_buffer)
			return PMU_NO_BUFFER;
		if (driver->settings && driver->settings->available && !driver->settings->available(&requests[i]))
			return PMU_UNFIT;
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
	pmu_counters_changed(cpu);
	return PMU_OK;
}

enum pmu_error pmu_open(struct pmu_session *session, const struct event_request *requests, unsigned count,
			struct pmu_refusal *refusal)
{
	struct pmu_cpu *cpu = pmu_this_cpu()->selected;

	return cpu->driver->cores ? pmu_shared_open(session, requests, count, refusal) :
				    pmu_open_unit(cpu, session, requests, count, refusal);
}

enum pmu_error pmu_close_unit(struct pmu_cpu *cpu, struct pmu_session *session)
{
	enum pmu_error error = session->driver->release(session->counter, session->count) ? PMU_OK : PMU_FAULT;

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
	pmu_counters_changed(cpu);
	session->driver = NULL;
	return error;
}

enum pmu_error pmu_start(struct pmu_session *session)
{
	return session->driver ? session->driver->start(session) : PMU_CLOSED;
}

enum pmu_error pmu_stop(struct pmu_session *session)
{
	return session->driver ? session->driver->stop(session) : PMU_CLOSED;
}

enum pmu_error pmu_close(struct pmu_session *session)
{
	enum pmu_error stopped = PMU_OK, error;
	bool interrupts;

	if (!session->driver)
		return PMU_CLOSED;
	if (session->driver->cores)
		return pmu_shared_close(session);
	if (session->running)
		stopped = pmu_stop(session);
	interrupts = hal_interrupts_disable();
	error = pmu_close_unit(pmu_this_cpu(), session);
	hal_interrupts_restore(interrupts);
	return error ? error : stopped;
}

uint64_t pmu_count(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t value)
{
	if (c->precise && !(value >> (driver->width - 1)))
		return c->wrap;
	return c->wrap - (1ULL << driver->width) + value;
}

// The count of a running counter, from one moment: an overflow that the interrupt has not served yet shows in the
// status, and then the register is read again, behind it.
bool pmu_read_running(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t *count)
{
	uint64_t value = 0, overflowed = 0;
	bool ok = driver->read(c->address, &value) && driver->overflow_status(&overflowed);

	if (overflowed >> c->number & 1) {
		ok &= driver->read(c->address, &value);
		value += 1ULL << driver->width;
	}
	*count = pmu_count(driver, c, value);
	return ok;
}

#define READ_TRIES 8

enum pmu_error pmu_read(struct pmu_session *session, unsigned event, uint64_t *count)
{
	const struct pmu_counter *c;
	struct pmu_cpu *cpu;
	bool ok = true;

	if (!session->driver)
		return PMU_CLOSED;
	if (event >= session->count)
		return PMU_UNFIT;
	c = &session->counter[event];
	if (session->driver->cores)
		return pmu_shared_read(session, c, count);
	cpu = pmu_this_cpu();
	if (c->polled)
		pmu_poll();
	// A maskable overflow interrupt cannot come in between; after a non-maskable one, all is read again.
	for (unsigned tries = 0; tries < READ_TRIES; tries++) {
		bool interrupts = hal_interrupts_disable();
		uint64_t before = pmu_interrupts(cpu), after;

		*count = pmu_count(session->driver, c, c->start);
		if (session->running)
			ok = c->precise ? pmu_read_precise(cpu, session->driver, c, count) :
					  pmu_read_running(session->driver, c, count);
		after = pmu_interrupts(cpu);
		hal_interrupts_restore(interrupts);
		if (before == after)
			break;
	}
	return ok ? PMU_OK : PMU_FAULT;
}
