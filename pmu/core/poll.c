// SPDX-License-Identifier: BSD-2-Clause
// The timer's interrupts: polls for overflows that raise no interrupt, or whose interrupt can be
// lost; samples by time; the end of slices of multiplexing.

#include "poll.h"

#include "counter.h"
#include "overflow.h"
#include "package.h"

// Stores a sample of each event without a period. The counters must stand still, and have no
// unserved overflow.
static bool put_samples(struct pmu_cpu *cpu, uint64_t ip, unsigned level)
{
	const struct pmu_driver *driver = cpu->driver;
	const uint64_t now = hal_clock();
	bool ok = true;

	for (const struct pmu_session *s = cpu->open; s; s = s->next) {
		const struct pmu_counter *const end = s->counter + (s->running ? s->count : 0);

		for (const struct pmu_counter *c = s->counter; c < end; c++) {
			uint64_t value = 0;

			if (c->period)
				continue;
			ok &= driver->read(c->address, &value);
			pmu_put_sample(cpu, driver, c, pmu_count(driver, c, value), ip, level, now);
		}
	}
	return ok;
}

// Serves overflows, also one whose interrupt is pending; that interrupt is then spurious. Then
// takes samples by time.
static void look(struct pmu_cpu *cpu, uint64_t ip, unsigned level, bool samples)
{
	const struct pmu_driver *driver = cpu->driver;
	uint64_t overflowed;
	bool ok;

	if (!samples && !pmu_overflowed(cpu, driver))
		return;
	if (samples)
		hal_pmi_mask();		// an NMI would start the counters
	ok = driver->enable(0);
	overflowed = pmu_overflowed(cpu, driver);
	cpu->statistics.polled += (unsigned)__builtin_popcountll(overflowed);
	pmu_serve_early(cpu, driver, overflowed, ip, level);
	if (samples) {
		ok &= put_samples(cpu, ip, level);
		pmu_unmask(cpu, driver, ip, level);
	}
	if (!driver->enable(cpu->enabled) || !ok)
		pmu_register_faulted(cpu);
}

// Returns the poll interval in hal_clock units; 0: no polls. Another CPU may change the interval of
// the package's PMU meanwhile.
static uint64_t clocks_of(const struct pmu_cpu *unit)
{
	return __atomic_load_n(&unit->polling, __ATOMIC_RELAXED);
}

// Returns the shorter of two intervals; 0 is none.
static uint64_t shorter(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

// Polls the CPU's own counters and the package's, if they need polls.
static void look_at_all(uint64_t ip, unsigned level, bool samples)
{
	struct pmu_cpu *cpu = pmu_this_cpu();

	if (clocks_of(cpu) || samples)
		look(cpu, ip, level, samples);
	if (clocks_of(pmu_package()))
		pmu_shared_look();
}

// After pmu_begin the timer may still run.
static void on_timer(uint64_t ip, unsigned level)
{
	const struct pmu_cpu *cpu = pmu_this_cpu();

	if (!cpu->sampling && !cpu->slice && !clocks_of(cpu) && !clocks_of(pmu_package())) {
		hal_poll(NULL, 0);
		return;
	}
	look_at_all(ip, level, cpu->sampling);
	if (cpu->slice)
		cpu->end_slice(ip, level);
}

static void set_timer(void)
{
	const struct pmu_cpu *cpu = pmu_this_cpu();
	const uint64_t polls = shorter(clocks_of(cpu), clocks_of(pmu_package())),
		interval = shorter(shorter(polls, cpu->sampling), cpu->slice);

	hal_poll(interval ? on_timer : NULL, interval);
}

void pmu_poll(void)
{
	bool interrupts = hal_interrupts_disable();

	look_at_all((uintptr_t)__builtin_return_address(0), 0, false);
	hal_interrupts_restore(interrupts);
}

// Returns the poll interval that a PMU's open counters need.
static uint64_t clocks_needed(const struct pmu_cpu *unit)
{
	const struct pmu_polling *poll = unit->driver->poll;
	uint64_t clocks = 0;

	for (unsigned i = 0; i < PMU_COUNTER_NUMBERS; i++) {
		const struct pmu_counter *c = unit->counter[i];

		if (c && c->polled)
			return poll->clocks;
		if (c && poll->may_lose && poll->may_lose(c->select))
			clocks = c->period || clocks == poll->lost_clocks ? poll->lost_clocks :
				poll->wrap_clocks;
	}
	return clocks;
}

void pmu_poll_counters(struct pmu_cpu *unit)
{
	const uint64_t needed = clocks_needed(unit);

	if (needed == unit->polling)
		return;
	pmu_poll();		// the interval begins again
	__atomic_store_n(&unit->polling, needed, __ATOMIC_RELAXED);
	set_timer();
}

enum pmu_error pmu_sample_by_time(uint64_t ticks)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	bool interrupts;

	if (ticks && (ticks < PMU_TICKS_LEAST || ticks > UINT32_MAX))
		return PMU_BAD_PERIOD;
	if (ticks && cpu->taken & cpu->driver->timer)
		return PMU_TIMER;
	interrupts = hal_interrupts_disable();
	cpu->sampling = ticks;
	set_timer();
	hal_interrupts_restore(interrupts);
	return PMU_OK;
}

void pmu_slice_time(void (*end_slice)(uint64_t ip, unsigned level), uint64_t ticks)
{
	struct pmu_cpu *cpu = pmu_this_cpu();

	cpu->end_slice = end_slice;
	cpu->slice = ticks;
	set_timer();
}
