// SPDX-License-Identifier: BSD-2-Clause
// What is looked at between instructions: the performance monitor, the interval timer, external interrupts.

#include "look.h"

#include "control.h"
#include "cycle.h"
#include "machine.h"
#include "monitor.h"
#include "selection.h"

// What the monitors count may depend on the processor's status: a change of that ends a cycle.
static void follow_status(struct machine *m)
{
	const bool changes_level = ia64_level(m) != m->pmu.level;
	uint64_t psr;
	const bool changes = vpmu_read(&m->pmu, FILE_PSR, &psr) && psr != (m->psr & PSR_MONITORED);

	if (changes || changes_level)
		ia64_close_cycle(m);
	ia64_report(m);
	if (changes)
		vpmu_write(&m->pmu, FILE_PSR, m->psr & PSR_MONITORED, 0);
	vpmu_set_level(&m->pmu, ia64_level(m));
	m->selection.stale |= changes || changes_level || vpmu_has_request(&m->pmu);
	m->selection.stale |= m->selection.watched && !m->selection.watched_anyway && !m->cycle.aparts;
	if (m->selection.stale) {
		ia64_select_events(m);
		ia64_follow_selection(m);
	}
	if (changes_level && m->selection.selected[EVENT_CPU_CPL_CHANGES])
		ia64_raise_late(m, EVENT_CPU_CPL_CHANGES, 0);
}

static void look_at_monitor(struct machine *m)
{
	uint64_t headroom;

	m->cycle.ahead = m->cycle.counted = false;
	follow_status(m);
	if (vpmu_take_request(&m->pmu))
		ia64_request(m, ia64_control_value(m, CR_PMV));
	headroom = ia64_choose_consumer(m);
	ia64_stop_within(m, headroom);
}

bool ia64_look(struct machine *m, uint64_t end)
{
	m->left = (int64_t)(end - ia64_retired(m)) - 1;
	m->until = end - 1;
	if (m->monitored)
		look_at_monitor(m);
	ia64_look_at_timer(m);
	if (m->psr & PSR_SINGLE)
		ia64_stop(m);
	return m->psr & PSR_I && ia64_acceptable(m) >= 0;
}
