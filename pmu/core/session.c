// SPDX-License-Identifier: BSD-2-Clause
// Sessions: counters reserved for a caller, with 64-bit counts.

#include "counter.h"
#include "package.h"
#include "poll.h"
#include "records.h"
#include "settings.h"
#include "pmu_unit.h"

const struct pmu_driver *pmu_current_driver(void)
{
	const struct pmu_cpu *cpu = pmu_this_cpu();

	return cpu ? cpu->selected->driver : NULL;
}

void pmu_select(const struct pmu_driver *driver)
{
	pmu_this_cpu()->selected = pmu_unit(driver);
}

static enum pmu_error begin_own(const struct pmu_driver *driver, bool non_maskable)
{
	struct pmu_cpu *cpu = &pmu_cpus()->of[hal_cpu()];
	bool ok;

	// The first CPU has not called pmu_begin yet: state found in memory belongs to an earlier
	// program.
	if (!hal_cpu() && !pmu_this_cpu())
		pmu_core_registers_forget();
	if (cpu->shared_interrupt || !pmu_this_cpu())
		pmu_shared_leave();
	hal_cpu_set_data(cpu);
	cpu->driver = driver;
	pmu_clear_unit(cpu);
	cpu->ring.head = cpu->ring.tail = 0;
	cpu->ring.word_head = cpu->ring.word_tail = 0;
	ok = driver->reset();
	hal_pmi_attach(driver->signal->interrupt, non_maskable ? HAL_PMI_NMI : HAL_PMI_VECTOR);
	return ok ? PMU_OK : PMU_FAULT;
}

enum pmu_error pmu_begin(const struct pmu_driver *driver, bool non_maskable)
{
	const struct pmu_cpu *cpu = pmu_this_cpu();
	bool takes_part = cpu && cpu->shared_interrupt;

	if (!driver->cores)
		return begin_own(driver, non_maskable);
	if ((!cpu || cpu->driver != driver->cores || takes_part) &&
	    begin_own(driver->cores, non_maskable) != PMU_OK)
		return PMU_FAULT;
	return pmu_shared_begin(driver, takes_part);
}

void pmu_limit_interrupts(uint32_t interrupts, uint64_t clocks)
{
	pmu_limit_unit(pmu_this_cpu(), interrupts, clocks);
}

void pmu_share_clock(unsigned threads)
{
	pmu_this_cpu()->sharing = threads;
}

void pmu_statistics(struct pmu_statistics *statistics)
{
	const struct pmu_cpu *cpu = pmu_this_cpu()->selected;

	if (cpu == pmu_package()) {
		pmu_shared_statistics(statistics);
		return;
	}
	*statistics = cpu->statistics;
	statistics->interrupts = pmu_interrupts(cpu);
}

// The lock guards the package's counters from other CPUs. Disabled interrupts guard a CPU's own
// counters.
static bool enter(const struct pmu_driver *driver, bool *interrupts)
{
	if (driver->cores)
		return pmu_shared_lock(interrupts);
	*interrupts = hal_interrupts_disable();
	return true;
}

static void leave(const struct pmu_driver *driver, bool interrupts)
{
	if (driver->cores)
		pmu_shared_unlock(interrupts);
	else
		hal_interrupts_restore(interrupts);
}

enum pmu_error pmu_open(struct pmu_session *session, const struct event_request *requests,
			unsigned count, struct pmu_refusal *refusal)
{
	struct pmu_cpu *cpu = pmu_this_cpu()->selected;
	enum pmu_error error;
	bool interrupts;

	if (cpu->driver->cores && !pmu_shared_lock(&interrupts))
		return PMU_FAULT;
	error = pmu_open_unit(cpu, session, requests, count, refusal);
	if (!error)
		pmu_counters_changed(cpu);
	if (cpu->driver->cores)
		pmu_shared_unlock(interrupts);
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
	const struct pmu_driver *driver = session->driver;
	enum pmu_error stopped = PMU_OK, error;
	bool interrupts;

	if (!driver)
		return PMU_CLOSED;
	if (session->running && !driver->cores)
		stopped = pmu_stop(session);
	if (!enter(driver, &interrupts))
		return PMU_FAULT;
	if (session->running)
		stopped = pmu_shared_stop_locked(driver, session,
						 (uintptr_t)__builtin_return_address(0));
	error = pmu_close_unit(pmu_unit(driver), session);
	pmu_counters_changed(pmu_unit(driver));
	leave(driver, interrupts);
	return error ? error : stopped;
}

// While this CPU has the lock, no other CPU serves overflows.
static enum pmu_error read_shared(const struct pmu_session *session, const struct pmu_counter *c,
				  uint64_t *count)
{
	bool interrupts, ok = true;

	if (!pmu_shared_lock(&interrupts))
		return PMU_FAULT;
	*count = pmu_count(session->driver, c, c->start);
	if (session->running)
		ok = pmu_read_running(session->driver, c, count);
	pmu_shared_unlock(interrupts);
	return ok ? PMU_OK : PMU_FAULT;
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
		return read_shared(session, c, count);
	cpu = pmu_this_cpu();
	if (c->polled)
		session->driver->poll->look();
	// A maskable overflow interrupt cannot occur in between. After an NMI everything is read
	// again.
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
