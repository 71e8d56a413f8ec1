// SPDX-License-Identifier: BSD-2-Clause
// The two consumers of cycles: the monitor's model, and sums that are later added to the model's
// counters.

#include "consumers.h"

#include <string.h>

#include "raise.h"

void ia64_connect(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;

	vpmu_connect(&m->pmu, c->making.now, c->making.count);
	c->connected = c->making.now;
}

void ia64_run_model(struct machine *m, uint64_t cycles)
{
	m->cycle.seen += cycles;
	vpmu_run(&m->pmu, cycles);
	if (vpmu_has_request(&m->pmu))
		ia64_stop(m);
}

// Sums late events of a code, at most one for each of `cycles` cycles. Returns whether some are
// left.
static bool take_late_of(struct machine *m, unsigned code, uint64_t cycles)
{
	struct ia64_cycle *c = &m->cycle;
	const struct ia64_selection *s = &m->selection;
	bool some = false;

	for (unsigned sub = 0; sub < EVENT_SUBS; sub++) {
		uint32_t *waits = &c->late[code][sub];
		const uint32_t n = *waits < cycles ? *waits : (uint32_t)cycles;

		for (unsigned i = 0; n && i < COUNTERS; i++)
			if (s->lanes[code][sub] & s->enabled[m->pmu.level] & LANE_MASK << LANE(i))
				c->total[i] += (uint64_t)n * s->step[i][1];
		*waits -= n;
		cycles -= n;
		some |= *waits;
	}
	return some;
}

// Each ended cycle since `late_until` has taken one late event of each code. Only codes that a
// counter selects matter.
void ia64_take_late(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;
	const uint64_t cycles = ia64_passed(m) - c->late_until;

	c->late_until = ia64_passed(m);
	if (!c->some_late || !cycles)
		return;
	c->some_late = false;
	for (unsigned i = 0; i < m->selection.codes; i++)
		c->some_late |= take_late_of(m, m->selection.code[i], cycles);
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
	m->pmu.model->sums->add(m->pmu.state, c->total);
	memset(c->total, 0, sizeof c->total);
}

// The events of a cycle without an instruction, by privilege level: the clock's only.
static const struct occurrence only_cycles[] = {
	{.code = EVENT_CPU_CYCLES, .n = 1, .level = 0},
	{.code = EVENT_CPU_CYCLES, .n = 1, .level = 1},
	{.code = EVENT_CPU_CYCLES, .n = 1, .level = 2},
	{.code = EVENT_CPU_CYCLES, .n = 1, .level = 3},
};

static void run_empty(struct machine *m, uint64_t cycles)
{
	vpmu_connect(&m->pmu, &only_cycles[m->pmu.level], 1);
	ia64_run_model(m, cycles);
}

void ia64_report_cycles(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;
	const uint64_t cycles = ia64_passed(m) - c->seen, idle = m->timed ? cycles : c->idle;

	if (!cycles)
		return;
	if (!m->selection.clocked) {
		vpmu_connect(&m->pmu, NULL, 0);
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
