// SPDX-License-Identifier: BSD-2-Clause
// What is looked at between instructions: the performance monitor, the interval timer, external interrupts.

#include "machine.h"

static void look_at_monitor(struct machine *m)
{
	const bool changes_level = ia64_level(m) != m->pmu.level;
	struct ia64_events *e = &m->events;
	uint64_t psr, headroom;

	ia64_report(m);
	if (vpmu_read(&m->pmu, FILE_PSR, &psr) && psr != (m->psr & PSR_MONITORED)) {
		vpmu_write(&m->pmu, FILE_PSR, m->psr & PSR_MONITORED, 0);
		e->stale = true;
	}
	e->stale |= vpmu_has_request(&m->pmu);
	vpmu_set_level(&m->pmu, ia64_level(m));
	if (vpmu_take_request(&m->pmu))
		ia64_request(m, ia64_control_value(m, CR_PMV));
	if (e->stale)
		ia64_select_events(m);
	if (changes_level && e->selected[EVENT_CPU_CPL_CHANGES])
		ia64_add_up(m, EVENT_CPU_CPL_CHANGES, 0, 1);
	headroom = ia64_batch(m);
	if (headroom < m->stop - m->retired)
		m->stop = m->retired + headroom;
}

bool ia64_look(struct machine *m, uint64_t end)
{
	m->stop = end;
	if (m->monitored)
		look_at_monitor(m);
	ia64_look_at_timer(m);
	if (m->psr & PSR_SINGLE)
		m->stop = 0;
	return m->psr & PSR_I && ia64_acceptable(m) >= 0;
}
