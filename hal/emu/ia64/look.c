// SPDX-License-Identifier: BSD-2-Clause
// Polls the performance monitor, the interval timer and external interrupts: look.h.

#include "look.h"

#include "control.h"
#include "cycle.h"
#include "machine.h"
#include "monitor.h"
#include "references.h"
#include "selection.h"

// Cycles are summed only while an overflow is farther away than this number of cycles. It is more
// than an instruction takes, so the model itself counts the cycle of the overflow.
#define MARGIN		512

// The privilege level, PSR.up and PSR.pp enable monitors. A change of them therefore ends the
// cycle.
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
	m->selection.stale |= m->selection.watched && !m->selection.watched_anyway &&
		!m->cycle.separate_count;
	if (m->selection.stale) {
		ia64_select_events(m);
		ia64_follow_selection(m);
	}
	if (changes_level && m->selection.selected[EVENT_CPU_CPL_CHANGES])
		ia64_raise_late(m, EVENT_CPU_CPL_CHANGES, 0);
}

// Precomputes the sums of nops, squashed instructions and references (raise.h), if they depend on
// nothing else.
static void choose_simple(struct machine *m)
{
	const struct ia64_selection *s = &m->selection;
	struct ia64_cycle *c = &m->cycle;

	c->simple = c->adds && !s->records && !m->timed && !s->cached && !s->translated &&
		!s->predicted &&
		    !s->attributes && !s->all;
	if (!c->simple)
		return;
	c->of_nop = s->lanes[EVENT_NOPS_RETIRED][0] & s->enabled[m->pmu.level];
	c->of_squashed = s->lanes[EVENT_PREDICATE_SQUASHED_RETIRED][0] & s->enabled[m->pmu.level];
	for (unsigned i = 0; i < REFERENCE_KINDS * 4; i++) {
		const struct ia64_reference r = {.kind = i / 4, .size = 2, .is_float = i / 2 & 1,
						 .address = i & 1};

		c->of_reference[i / 4][i / 2 & 1][i & 1] = ia64_sum_of_reference(m, &r);
	}
	c->making.sum = 0;
}

// Decides whether the next cycles are summed. Returns the largest number of instructions until the
// next ia64_look.
static uint64_t choose_consumer(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;
	uint64_t cycles = 0, headroom;

	if (m->selection.watched && !m->selection.qualified && m->pmu.model->sums && !m->exact)
		cycles = ia64_cycles_to_overflow(m);
	c->adds = cycles > 2 * MARGIN;
	c->horizon = c->adds ? c->ended + cycles - MARGIN : UINT64_MAX;
	choose_simple(m);
	if (m->timed)
		return MODEL_FAR;
	vpmu_resume(&m->pmu);
	headroom = vpmu_headroom(&m->pmu);
	return c->adds && cycles - MARGIN < headroom ? cycles - MARGIN : headroom;
}

static void look_at_monitor(struct machine *m)
{
	uint64_t headroom;

	m->cycle.ahead = m->cycle.counted = false;
	follow_status(m);
	if (vpmu_take_request(&m->pmu))
		ia64_request(m, ia64_control_value(m, CR_PMV));
	headroom = choose_consumer(m);
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
