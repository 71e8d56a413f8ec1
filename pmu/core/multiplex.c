// SPDX-License-Identifier: BSD-2-Clause
// Multiplexing: groups of sessions take turns. A slice ends with a context switch, which keeps all
// counts exact: no event of a slice is lost, and none of another group's slice is counted.

#include "pmu_driver.h"
#include "poll.h"

// The group's sessions are on the counters of this CPU's own PMU.
static bool counts(const struct pmu_group *group)
{
	return !group->context.open;
}

// The clock is read while the group counts, so that its time has no part of the switch.
static enum pmu_error begin_slice(struct pmu_multiplex *m)
{
	struct pmu_group *group = &m->group[m->present];
	const enum pmu_error error = pmu_restore_unit(pmu_this_cpu(), &group->context);

	m->since = hal_clock();
	group->slices += counts(group);
	group->missed += error == PMU_SETTINGS;
	return error == PMU_SETTINGS ? PMU_OK : error;
}

static enum pmu_error end_slice(struct pmu_multiplex *m, uint64_t ip, unsigned level)
{
	struct pmu_group *group = &m->group[m->present];

	if (!counts(group))
		return PMU_OK;
	group->clocks += hal_clock() - m->since;
	return pmu_save_unit(pmu_this_cpu(), &group->context, ip, level);
}

static void keep(struct pmu_multiplex *m, enum pmu_error error)
{
	if (!m->error)
		m->error = error;
}

// The timer's interrupt.
static void next_slice(uint64_t ip, unsigned level)
{
	struct pmu_multiplex *m = pmu_this_cpu()->multiplex;

	keep(m, end_slice(m, ip, level));
	m->present = m->present + 1 < m->count ? m->present + 1 : 0;
	if (!m->error)
		keep(m, begin_slice(m));
	if (m->error)
		pmu_slice_time(NULL, 0);
}

enum pmu_error pmu_group_make(struct pmu_group *group)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	const uint64_t counters = cpu->taken;
	enum pmu_error error;

	if (!cpu->open)
		return PMU_CLOSED;
	if (cpu->enabled)
		return PMU_STARTED;
	if (counters & cpu->driver->timer)
		return PMU_TIMER;
	*group = (struct pmu_group){0};
	error = pmu_save_unit(cpu, &group->context, 0, 0);
	group->context.enabled = counters;	// the first slice starts them
	return error;
}

enum pmu_error pmu_multiplex_start(struct pmu_multiplex *m, uint64_t ticks)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	enum pmu_error error;
	bool interrupts;

	if (ticks < PMU_TICKS_LEAST || ticks > UINT32_MAX)
		return PMU_BAD_PERIOD;
	if (cpu->multiplex)
		return PMU_STARTED;
	if (cpu->open)
		return PMU_CONFLICT;
	interrupts = hal_interrupts_disable();
	m->present = 0;
	m->error = PMU_OK;
	error = begin_slice(m);
	if (!error) {
		cpu->multiplex = m;
		if (m->count > 1)
			pmu_slice_time(next_slice, ticks);
	}
	hal_interrupts_restore(interrupts);
	return error;
}

enum pmu_error pmu_multiplex_stop(struct pmu_multiplex *m)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	bool interrupts;

	if (cpu->multiplex != m)
		return PMU_STOPPED;
	interrupts = hal_interrupts_disable();
	keep(m, end_slice(m, (uintptr_t)__builtin_return_address(0), 0));
	pmu_slice_time(NULL, 0);
	cpu->multiplex = NULL;
	hal_interrupts_restore(interrupts);
	return m->error;
}

// The sessions are restored without counting.
enum pmu_error pmu_group_close(struct pmu_group *group)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	enum pmu_error error;

	group->context.enabled = 0;
	error = pmu_restore_unit(cpu, &group->context);
	while (!error && cpu->open)
		error = pmu_close(cpu->open);
	return error;
}

uint64_t pmu_multiplex_clocks(const struct pmu_multiplex *m)
{
	uint64_t clocks = 0;

	for (unsigned i = 0; i < m->count; i++)
		clocks += m->group[i].clocks;
	return clocks;
}
