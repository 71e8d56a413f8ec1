// SPDX-License-Identifier: BSD-2-Clause
// How what happens is reported to the performance monitor's model: each cycle as it is, or many together.

#include "machine.h"

#define COUNTERS	4

// Misses count once in a cycle, references twice at least (7.8).
static bool has_room(const struct ia64_events *e, unsigned code)
{
	unsigned room = ia64_comes_late(code) || code == EVENT_PIPELINE_FLUSH ? 1 : 2;

	for (size_t i = 0; i < e->count; i++)
		room -= room && e->cycle[i].code == code;
	return room && e->count < OCCURRENCES;
}

void ia64_add_apart(struct ia64_events *e)
{
	unsigned left = 0;

	for (unsigned i = 0; i < e->aparts; i++)
		if (has_room(e, e->apart[i].code))
			e->cycle[e->count++] = e->apart[i];
		else
			e->apart[left++] = e->apart[i];
	e->aparts = left;
}


// An event that happens `each` times in each cycle, and once more in so many from cycle `first` on, beyond the last one
// in the first ones. Sub-events of one event do not fall on the same cycle if there is room: it may count only once in
// it.
struct spread {
	uint64_t each, first, more;
};

struct batch {
	uint64_t cycles;
	size_t count;
	struct spread spread[2 + COUNTERS * EVENT_SUBS];
	struct occurrence signals[2 + COUNTERS * EVENT_SUBS];
};

// Returns the cycle behind its last one.
static uint64_t add(struct machine *m, struct batch *b, unsigned code, unsigned sub, uint64_t first, uint64_t total)
{
	if (!total)
		return first;
	b->spread[b->count] = (struct spread){total / b->cycles, first, total % b->cycles};
	b->signals[b->count++] = (struct occurrence){.code = (uint16_t)code, .sub = (uint16_t)sub,
						     .level = (uint8_t)m->pmu.level};
	return (first + total) % b->cycles;
}

static bool happens_more(const struct batch *b, const struct spread *s, uint64_t at)
{
	return (at < s->first ? at + b->cycles : at) - s->first < s->more;
}

// The cycle up to which all is as in cycle `from`.
static uint64_t run_end(const struct batch *b, uint64_t from)
{
	uint64_t end = b->cycles;

	for (size_t i = 0; i < b->count; i++) {
		const struct spread *s = &b->spread[i];
		const uint64_t bounds[] = {s->first, (s->first + s->more) % b->cycles};

		for (unsigned j = 0; j < 2; j++)
			if (bounds[j] > from && bounds[j] < end)
				end = bounds[j];
	}
	return end;
}

static void report_batch(struct machine *m, uint64_t cycles, uint64_t retired)
{
	struct batch b = {.cycles = cycles};
	struct ia64_events *e = &m->events;

	e->some = false;
	add(m, &b, EVENT_IA64_INST_RETIRED, 0, 0, retired);
	add(m, &b, EVENT_CPU_CYCLES, 0, 0, cycles);
	for (unsigned i = 0; i < e->counted_codes; i++) {
		uint32_t *total = e->total[e->counted[i]];
		uint64_t first = e->counted[i] == EVENT_IA64_INST_RETIRED ? retired % cycles : 0;
		uint64_t room = ia64_comes_late(e->counted[i]) ? cycles : UINT64_MAX;

		for (unsigned sub = 0; sub < EVENT_SUBS; sub++) {
			const uint32_t now = total[sub] < room ? total[sub] : (uint32_t)room;

			first = add(m, &b, e->counted[i], sub, first, now);
			total[sub] -= now;
			room -= now;
			e->some |= total[sub];
		}
	}
	for (uint64_t at = 0, end; at < cycles; at = end) {
		end = run_end(&b, at);
		for (size_t i = 0; i < b.count; i++)
			b.signals[i].n = (uint32_t)(b.spread[i].each + happens_more(&b, &b.spread[i], at));
		m->pmu.model->connect(m->pmu.state, b.signals, b.count);
		vpmu_run(&m->pmu, end - at);
	}
	vpmu_resume(&m->pmu);
}

// What waits to be reported.
static void report_waiting(struct machine *m)
{
	struct ia64_events *e = &m->events;
	const uint64_t cycles = m->timed ? e->waiting : m->retired + m->idle - m->pmu_cycle;
	const uint64_t retired = m->timed ? e->retired : cycles - e->idle;

	if (!cycles)
		return;
	m->pmu_cycle += cycles;
	e->waiting = e->retired = 0;
	if (e->some || e->idle || m->timed)
		report_batch(m, cycles, retired);
	else
		vpmu_run(&m->pmu, cycles);
	e->idle = 0;
}

static void add_late(struct ia64_events *e, unsigned code)
{
	for (unsigned sub = 0; sub < EVENT_SUBS; sub++)
		if (e->total[code][sub] && e->count < OCCURRENCES) {
			e->total[code][sub]--;
			e->cycle[e->count] = e->cycle[0];
			e->cycle[e->count].code = (uint16_t)code;
			e->cycle[e->count++].sub = (uint16_t)sub;
			return;
		}
}

// One cycle passes, with what has been raised in it.
void ia64_pass_cycle(struct machine *m)
{
	struct ia64_events *e = &m->events;

	report_waiting(m);
	for (unsigned i = 0; i < e->counted_codes; i++)
		if (ia64_comes_late(e->counted[i]))
			add_late(e, e->counted[i]);
	ia64_add_apart(e);
	m->pmu.model->connect(m->pmu.state, e->cycle, e->count);
	vpmu_run(&m->pmu, 1);
	vpmu_resume(&m->pmu);
	m->pmu_cycle++;
	e->count = 0;
	e->begun = false;
}

void ia64_report(struct machine *m)
{
	if (m->events.begun)
		ia64_pass_cycle(m);
	report_waiting(m);
}

//
// The timed clock's cycles
//

// The events of each kind of cycle (7.4).
#define NO_EVENT	EVENT_CPU_CYCLES	/* has been raised */
static const enum ia64_event cycle_events[][2] = {
	[CYCLE_ISSUE] = {EVENT_UNSTALLED_BACKEND_CYCLE, NO_EVENT},
	[CYCLE_FETCH] = {EVENT_UNSTALLED_BACKEND_CYCLE, EVENT_INST_ACCESS_CYCLE},
	[CYCLE_BREAK] = {EVENT_DEPENDENCY_ALL_CYCLE, NO_EVENT},
	[CYCLE_SCOREBOARD] = {EVENT_DEPENDENCY_ALL_CYCLE, EVENT_DEPENDENCY_SCOREBOARD_CYCLE},
	[CYCLE_DATA] = {EVENT_MEMORY_CYCLE, EVENT_DATA_ACCESS_CYCLE},
	[CYCLE_RSE] = {EVENT_MEMORY_CYCLE, NO_EVENT},
	[CYCLE_FLUSH] = {EVENT_PIPELINE_ALL_FLUSH_CYCLE, EVENT_PIPELINE_BACKEND_FLUSH_CYCLE},
	[CYCLE_BUBBLE] = {EVENT_PIPELINE_ALL_FLUSH_CYCLE, NO_EVENT},
};

static void wait_cycles(struct machine *m, enum ia64_cycle kind, unsigned cycles)
{
	struct ia64_events *e = &m->events;

	e->waiting += cycles;
	for (unsigned i = 0; i < 2; i++)
		if (e->selected[cycle_events[kind][i]])
			ia64_add_up(m, cycle_events[kind][i], 0, cycles);
	if (e->waiting >= e->horizon)
		m->stop = 0;
}

void ia64_pass_cycles(struct machine *m, enum ia64_cycle kind, unsigned cycles, bool before)
{
	if (m->events.begun && !before)
		ia64_pass_cycle(m);
	wait_cycles(m, kind, cycles);
	if (!m->events.batched)
		report_waiting(m);
}

void ia64_begin_cycle(struct machine *m, enum ia64_cycle kind)
{
	const struct occurrence o = {.n = 1, .level = (uint8_t)m->pmu.level};
	struct ia64_events *e = &m->events;

	if (e->batched) {
		wait_cycles(m, kind, 1);
		return;
	}
	if (e->begun)
		ia64_pass_cycle(m);
	e->begun = true;
	e->cycle[e->count] = o;
	e->cycle[e->count++].code = EVENT_CPU_CYCLES;
	for (unsigned i = 0; i < 2; i++)
		ia64_raise(m, &o, cycle_events[kind][i], 0);
}
