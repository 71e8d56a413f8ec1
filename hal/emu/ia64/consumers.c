// SPDX-License-Identifier: BSD-2-Clause
// The two consumers of cycles: the monitor's model, and sums that are added to its counters later.

#include "consumers.h"

#include <string.h>

// Cycles are added up until so many are left before an overflow could come: more than an instruction takes.
#define MARGIN		512

void ia64_connect(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;

	m->pmu.model->connect(m->pmu.state, c->making.now, c->making.count);
	c->connected = c->making.now;
}

void ia64_run_model(struct machine *m, uint64_t cycles)
{
	m->cycle.seen += cycles;
	vpmu_run(&m->pmu, cycles);
	if (vpmu_has_request(&m->pmu))
		ia64_stop(m);
}

static void unpack(struct ia64_cycle *c)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		c->total[i] += c->packed >> LANE(i) & LANE_MASK;
	c->packed = c->packs = 0;
}

static void report_sums(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;
	uint64_t some = 0;

	unpack(c);
	for (unsigned i = 0; i < COUNTERS; i++)
		some |= c->total[i];
	if (!some)
		return;
	m->pmu.model->add(m->pmu.state, c->total);
	memset(c->total, 0, sizeof c->total);
}

// Cycles in which nothing but the clock counts.
static const struct occurrence only_cycles[] = {
	{.code = EVENT_CPU_CYCLES, .n = 1, .level = 0}, {.code = EVENT_CPU_CYCLES, .n = 1, .level = 1},
	{.code = EVENT_CPU_CYCLES, .n = 1, .level = 2}, {.code = EVENT_CPU_CYCLES, .n = 1, .level = 3},
};

static void run_empty(struct machine *m, uint64_t cycles)
{
	m->pmu.model->connect(m->pmu.state, &only_cycles[m->pmu.level], 1);
	ia64_run_model(m, cycles);
}

void ia64_report_cycles(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;
	const uint64_t cycles = ia64_passed(m) - c->seen, idle = m->timed ? cycles : c->idle;

	if (!cycles)
		return;
	if (!m->selection.clocked) {
		m->pmu.model->connect(m->pmu.state, NULL, 0);
		ia64_run_model(m, cycles);
	} else {
		if (idle)
			run_empty(m, idle);
		if (!m->timed) {
			vpmu_resume(&m->pmu);
			ia64_run_model(m, cycles - idle);
		}
	}
	c->idle = 0;
}

void ia64_report(struct machine *m)
{
	ia64_take_late(m);
	report_sums(m);
	ia64_report_cycles(m);
}

void ia64_add_large(struct machine *m, uint64_t sum)
{
	struct ia64_cycle *c = &m->cycle;

	unpack(c);
	for (unsigned i = 0; i < COUNTERS; i++)
		c->total[i] += ia64_step_of(&m->selection, i, sum);
}

//
// Which one
//

// Sums for instructions that do nothing rare.
static void choose_simple(struct machine *m)
{
	const struct ia64_selection *s = &m->selection;
	struct ia64_cycle *c = &m->cycle;

	c->simple = c->adds && !s->records && !m->timed && !s->cached && !s->translated && !s->predicted && !s->all;
	if (!c->simple)
		return;
	c->of_nop = s->lanes[EVENT_NOPS_RETIRED][0] & s->enabled[m->pmu.level];
	c->of_squashed = s->lanes[EVENT_PREDICATE_SQUASHED_RETIRED][0] & s->enabled[m->pmu.level];
	for (unsigned i = 0; i < REFERENCE_KINDS * 4; i++) {
		const struct ia64_reference r = {.kind = i / 4, .size = 2, .is_float = i / 2 & 1, .address = i & 1};

		c->of_reference[i / 4][i / 2 & 1][i & 1] = ia64_sum_of_reference(m, &r);
	}
	c->making.sum = 0;
}

uint64_t ia64_choose_consumer(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;
	uint64_t cycles = 0, headroom;

	if (m->selection.watched && !m->selection.qualified && m->pmu.model->add && !m->exact)
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
