// SPDX-License-Identifier: BSD-2-Clause
// Begins and ends cycles, and raises events in them: cycle.h. The consumers of cycles are in
// consumers.c.

#include "cycle.h"

#include <string.h>

#include "consumers.h"
#include "issue.h"
#include "machine.h"
#include "raise.h"
#include "selection.h"

#define MOST_AT_ONCE	256	/* cycles of a stall that is summed; the model runs a longer one */

// Events that are queued in `late`. Those beyond L2 do not belong to the cycle or the context of an
// instruction.
static const bool is_late[EVENT_CODES] = {
	[EVENT_L1I_FILLS] = true, [EVENT_ISB_LINES_IN] = true, [EVENT_CPU_CPL_CHANGES] = true,
	[EVENT_BUS_RD_HIT ... EVENT_BUS_WR_WB] = true, [EVENT_BUS_BRQ_READ_REQ_INSERTED] = true,
	[EVENT_L3_REFERENCES ... EVENT_L3_LINES_REPLACED] = true,
};

// The number of events of a code that a cycle can have (7.8). While a cycle is full, events of
// `separate` stay queued.
static unsigned room_of(unsigned code)
{
	static const uint8_t rooms[EVENT_CODES] = {
		[EVENT_DATA_REFERENCES_RETIRED] = 2, [EVENT_LOADS_RETIRED] = 2,
		[EVENT_UC_LOADS_RETIRED] = 2,
		[EVENT_L1D_READS_RETIRED] = 2, [EVENT_L1D_READ_MISSES_RETIRED] = 2,
		[EVENT_L2_DATA_REFERENCES] = 2, [EVENT_L2_MISSES] = 2, [EVENT_L2_REFERENCES] = 3,
	};

	return rooms[code] ? rooms[code] : 1;
}

//
// Raising
//

// Adds an event to the present cycle. `level`: the privilege level of the event.
static void raise_now(struct machine *m, const struct occurrence *context, unsigned level,
		      unsigned code, unsigned sub, unsigned n)
{
	struct ia64_making *c = &m->cycle.making;
	struct occurrence *o = &c->now[c->count];

	c->used[code]++;
	c->recorded |= m->selection.recorded[code];
	c->some_used = true;
	c->sum += (m->selection.lanes[code][sub] & m->selection.enabled[level]) * n;
	if (c->adds_up || c->count == OCCURRENCES)
		return;
	*o = *context;
	o->code = (uint16_t)code;
	o->sub = (uint16_t)sub;
	o->n = n;
	c->count++;
}

void ia64_raise_selected(struct machine *m, const struct occurrence *context, enum ia64_event code,
			 unsigned sub, unsigned n)
{
	struct ia64_cycle *c = &m->cycle;

	if (is_late[code]) {
		ia64_raise_late(m, code, sub);
	} else if (c->defers) {
		ia64_raise_separately(m, context, code, sub);
	} else {
		c->tally[code][sub] += m->selection.all ? n : 0;
		raise_now(m, context, m->pmu.level, code, sub, n);
	}
}

void ia64_raise_separately(struct machine *m, const struct occurrence *o, enum ia64_event code,
			   unsigned sub)
{
	struct ia64_cycle *c = &m->cycle;

	if (!m->selection.selected[code])
		return;
	if (c->separate_count == SEPARATE) {
		ia64_raise_late(m, code, sub);
		return;
	}
	c->tally[code][sub] += m->selection.all;
	c->separate[c->separate_count] = *o;
	c->separate[c->separate_count].code = code;
	c->separate[c->separate_count++].sub = (uint16_t)sub;
	m->retiring.pending = true;
}

// Moves events from `separate` to the present cycle as far as it has room.
static void take_separate(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;
	unsigned left = 0;

	for (unsigned i = 0; i < c->separate_count; i++) {
		const struct occurrence *o = &c->separate[i];

		if (c->making.used[o->code] < room_of(o->code))
			raise_now(m, o, o->level, o->code, o->sub, 1);
		else
			c->separate[left++] = *o;
	}
	c->separate_count = left;
	if (!left && !m->selection.watched_anyway)
		ia64_stop(m);
}

//
// Late events
//

void ia64_raise_late(struct machine *m, enum ia64_event code, unsigned sub)
{
	struct ia64_cycle *c = &m->cycle;

	c->tally[code][sub] += m->selection.all;
	if (!ia64_is_counted(&m->selection, code))
		return;
	ia64_take_late(m);
	c->late[code][sub]++;
	c->some_late = true;
	m->retiring.pending = true;
}

// Moves one event of each code from `late` to the present cycle, which goes to the model.
static void raise_late_now(struct machine *m, const struct occurrence *context)
{
	struct ia64_cycle *c = &m->cycle;
	const struct ia64_selection *s = &m->selection;

	c->some_late = false;
	for (unsigned i = 0; i < s->codes; i++) {
		uint32_t *waits = c->late[s->code[i]];
		bool taken = false;

		for (unsigned sub = 0; sub < EVENT_SUBS; sub++) {
			if (waits[sub] && !taken) {
				raise_now(m, context, m->pmu.level, s->code[i], sub, 1);
				waits[sub]--;
				taken = true;
			}
			c->some_late |= waits[sub];
		}
	}
	c->late_until = ia64_passed(m) + 1;
}

// Late events that no counter selects any longer are dropped. While other events wait, instructions
// must retire one by one.
void ia64_follow_selection(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;

	for (unsigned code = 0; c->some_late && code < EVENT_CODES; code++)
		if (!ia64_is_counted(&m->selection, code))
			memset(c->late[code], 0, sizeof c->late[code]);
	m->selection.watched_anyway = m->selection.watched;
	m->selection.watched |= c->separate_count || (c->some_late && !m->pmu.model->sums);
	m->retiring.pending = m->selection.watched;
}

//
// Ends of cycles
//

// Finds a buffer that neither the model nor a cycle that has begun uses.
static struct occurrence *free_buffer(struct ia64_cycle *c)
{
	unsigned i = 0;

	while (c->buffer[i] == c->connected || c->buffer[i] == c->held)
		i++;
	return c->buffer[i];
}

static void begin(struct machine *m)
{
	struct ia64_cycle *c = &m->cycle;

	if (c->making.now == c->connected || c->making.now == c->held)
		c->making.now = free_buffer(c);
	c->making.adds_up = c->adds && !m->selection.records;
	c->making.recorded = !c->adds;
	c->making.sum = 0;
	c->making.count = 0;
	if (c->making.some_used)
		memset(c->making.used, 0, sizeof c->making.used);
	c->making.some_used = false;
}

static void set_clock(struct occurrence *o, const struct occurrence *context, enum ia64_event code)
{
	*o = *context;
	o->code = code;
	o->sub = 0;
	o->n = 1;
}

// Connects the model to the present cycle, after it has run all cycles before that. The cycle has
// not passed yet.
static void complete(struct machine *m, const struct occurrence *context)
{
	struct ia64_cycle *c = &m->cycle;

	if (c->adds)
		ia64_report_cycles(m);
	else
		ia64_report(m);
	if (c->some_late && !c->adds)
		raise_late_now(m, context);
	ia64_connect(m);
}

//
// The unit clock's cycles
//

void ia64_begin_unit_cycle(struct machine *m)
{
	begin(m);
	m->cycle.making.count = 2;	// the first two are the clock's own events
}

static void set_unit_clock(struct machine *m, const struct occurrence *context, bool instruction)
{
	struct occurrence *now = m->cycle.making.now;

	set_clock(&now[0], context, EVENT_IA64_INST_RETIRED);
	set_clock(&now[1], context, EVENT_CPU_CYCLES);
	now[0].n = instruction;
}

// Limits the run: ia64_look is called when the clock, or cycles like this one, could raise an
// overflow.
static void limit_stop(struct machine *m)
{
	const uint64_t headroom = vpmu_headroom(&m->pmu);

	if (headroom < MODEL_FAR)
		ia64_stop_within(m, 1 + headroom);
}

// A cycle with no events but the clock's is not passed now: ia64_report passes many of them at
// once.
void ia64_end_unit_cycle(struct machine *m, const struct occurrence *context, bool instruction)
{
	struct ia64_cycle *c = &m->cycle;
	bool waits = true;

	if (c->separate_count)
		take_separate(m);
	if (!c->making.recorded) {
		if (c->making.sum)
			ia64_add_up(m, c->making.sum);
		c->making.sum = 0;
	} else if (c->making.count > 2 || c->some_late ||
		   (instruction && m->selection.selected[EVENT_IA64_INST_RETIRED])) {
		set_unit_clock(m, context, instruction);
		complete(m, context);
		ia64_run_model(m, 1);
		limit_stop(m);
		waits = false;
	}
	c->ahead |= instruction;
	m->idle += !instruction;
	c->idle += !instruction && waits;
}

//
// The timed clock's cycles
//

// The events that each kind of cycle raises (7.4).
#define NO_EVENT	EVENT_CPU_CYCLES	/* never selected */
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

static struct occurrence nobody(const struct machine *m)
{
	return (struct occurrence){.n = 1, .level = (uint8_t)m->pmu.level};
}

static void begin_timed(struct machine *m, enum ia64_cycle_kind kind)
{
	const struct occurrence o = nobody(m);

	begin(m);
	if (!m->cycle.making.adds_up)
		set_clock(&m->cycle.making.now[m->cycle.making.count++], &o, EVENT_CPU_CYCLES);
	for (unsigned i = 0; i < 2; i++)
		ia64_raise(m, &o, cycle_events[kind][i], 0);
}

// The requests in the queues of the bus in the present cycle, as two-bit parts of their number
// (7.8).
static void raise_queues(struct machine *m)
{
	const struct ia64_live live = ia64_queues_in(&m->hierarchy->queues, m->cycle.ended);
	const struct occurrence o = nobody(m);
	const struct {
		enum ia64_event event;
		unsigned n;
	} parts[] = {
		{EVENT_BUS_BRQ_LIVE_REQ_LO, live.requests & 3},
		{EVENT_BUS_BRQ_LIVE_REQ_HI, live.requests >> 2},
		{EVENT_BUS_IOQ_LIVE_REQ_LO, live.bus & 3},
		{EVENT_BUS_IOQ_LIVE_REQ_HI, live.bus >> 2},
	};

	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].n && m->selection.selected[parts[i].event])
			ia64_raise_selected(m, &o, parts[i].event, 0, parts[i].n);
}

static void look_at_horizon(struct machine *m)
{
	const struct ia64_cycle *c = &m->cycle;

	if (c->ended >= c->horizon || c->ended >= c->timer)
		ia64_stop(m);
}

static void end_timed(struct machine *m)
{
	const struct occurrence o = nobody(m);
	struct ia64_cycle *c = &m->cycle;

	c->open = false;
	if (c->separate_count)
		take_separate(m);
	if (m->selection.queues)
		raise_queues(m);
	if (!c->making.recorded) {
		ia64_add_up(m, c->making.sum);
	} else {
		complete(m, &o);
		ia64_run_model(m, 1);
	}
	c->ended++;
	look_at_horizon(m);
}

void ia64_begin_cycle(struct machine *m, enum ia64_cycle_kind kind)
{
	if (m->cycle.open)
		end_timed(m);
	begin_timed(m, kind);
	m->cycle.open = true;
}

void ia64_close_cycle(struct machine *m)
{
	if (!m->cycle.open)
		return;
	end_timed(m);
	m->issue.ends = true;
	m->issue.early = false;
}

// Passes cycles that all have the same events. No queued event may be waiting for one of them, and
// the tally of all events does not see them.
static void pass_like(struct machine *m, enum ia64_cycle_kind kind, uint64_t cycles)
{
	const struct ia64_selection *s = &m->selection;
	struct ia64_cycle *c = &m->cycle;

	begin_timed(m, kind);
	if (s->queues)
		raise_queues(m);
	if (c->adds) {
		for (unsigned i = 0; c->making.sum && i < COUNTERS; i++)
			c->total[i] += cycles * ia64_step_of(s, i, c->making.sum);
	} else {
		ia64_report(m);
		ia64_connect(m);
		ia64_run_model(m, cycles);
	}
	c->ended += cycles;
	look_at_horizon(m);
}

// Returns for how many of the next `cycles` cycles the queues of the bus hold the same requests.
static uint64_t unchanged(const struct machine *m, uint64_t cycles)
{
	const uint64_t ended = m->cycle.ended;
	uint64_t until;

	if (!m->selection.queues)
		return cycles;
	until = ia64_queues_in(&m->hierarchy->queues, ended).until;
	return until - ended < cycles ? until - ended : cycles;
}

static void pass(struct machine *m, enum ia64_cycle_kind kind, uint64_t cycles)
{
	struct ia64_cycle *c = &m->cycle;

	if (cycles > MOST_AT_ONCE && c->adds) {
		c->adds = false;
		ia64_stop(m);
	}
	for (; cycles && (m->selection.all || c->separate_count || (c->some_late && !c->adds));
	     cycles--) {
		begin_timed(m, kind);
		end_timed(m);
	}
	while (cycles) {
		const uint64_t n = unchanged(m, cycles);

		pass_like(m, kind, n);
		cycles -= n;
	}
}

void ia64_pass_cycles(struct machine *m, enum ia64_cycle_kind kind, unsigned cycles, bool before)
{
	struct ia64_cycle *c = &m->cycle;
	struct ia64_making present;

	if (c->open && !before)
		end_timed(m);
	if (!c->open) {
		pass(m, kind, cycles);
		return;
	}
	present = c->making;
	c->held = present.now;
	c->open = false;
	pass(m, kind, cycles);
	c->making = present;
	c->held = NULL;
	c->open = true;
}

//
// Writes of the monitor, halts
//

bool ia64_write_in_cycle(struct machine *m, const struct occurrence *context, uint32_t address,
			 uint64_t value)
{
	struct ia64_cycle *c = &m->cycle;
	bool written;

	if (c->separate_count)
		take_separate(m);
	if (!m->timed)
		set_unit_clock(m, context, true);
	else if (m->selection.queues)
		raise_queues(m);
	complete(m, context);
	written = vpmu_write(&m->pmu, address, value, 1);
	c->open = false;
	c->seen += written;
	c->ended += written;
	c->ahead = written;
	c->counted = written;
	return written;
}

void ia64_pass_halted(struct machine *m, uint64_t cycles)
{
	vpmu_run(&m->pmu, cycles);
	m->idle += cycles;
	m->cycle.seen += cycles;
	m->cycle.ended += cycles;
}
