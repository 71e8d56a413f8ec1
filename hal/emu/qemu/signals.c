// SPDX-License-Identifier: BSD-2-Clause
// Converts cpu events to event signals: signals.h.

#include "signals.h"

#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "vpmu.h"

static size_t count_rows(const struct pmu_model *model)
{
	size_t rows = 0;

	while (model->machine->raised && model->machine->raised[rows].cpu_event != CPU_EVENT_COUNT)
		rows++;
	return rows;
}

static bool is_of(const struct model_raised *r, unsigned what, enum model_clock_kind clock)
{
	return model_is_raised_by(r, what) && model_is_by_clock(r, clock);
}

void signals_begin(struct signals *s, const struct pmu_model *model, void *state,
		   enum model_clock_kind clock)
{
	const size_t rows = count_rows(model);
	size_t total = 0;

	*s = (struct signals){.model = model, .state = state, .clock = clock};
	for (unsigned what = 0; what < CPU_EVENT_COUNT; what++)
		for (size_t i = 0; i < rows; i++)
			total += is_of(&model->machine->raised[i], what, clock);
	s->selected = allocate((rows + 1) * sizeof *s->selected);
	s->row = allocate((total + 1) * sizeof *s->row);
	s->most = allocate(model->threads * vpmu_counters(model) * sizeof *s->most);
	total = 0;
	for (unsigned what = 0; what < CPU_EVENT_COUNT; what++) {
		s->first[what] = (uint16_t)total;
		for (size_t i = 0; i < rows; i++)
			if (is_of(&model->machine->raised[i], what, clock))
				s->row[total++] = (uint16_t)i;
	}
	s->first[CPU_EVENT_COUNT] = (uint16_t)total;
}

//
// Counters' selections
//

static bool is_setting(const struct signals *s, uint32_t address)
{
	const uint32_t *registers = s->model->machine->raised_select;

	return address && (address == registers[0] || address == registers[1]);
}

bool signals_follow(const struct signals *s, uint32_t address)
{
	return vpmu_is_select(s->model, address) || is_setting(s, address);
}

// Treats two registers as one: requests and responses in bits 15:0, the opcode above.
static void set(struct signals *s, uint32_t address, uint64_t value)
{
	const uint64_t low = 0xFFFF;

	if (address == s->model->machine->raised_select[0])
		s->setting = (s->setting & ~low) | (value & low);
	else
		s->setting = (s->setting & low) | (value & ~low);
}

// Upper bound of how often the memory references of one instruction raise an event: FXSAVE has the
// most operands; other instructions have few, with page walks, evictions and prefetches.
#define REFERRING_MOST	128

// An instruction raises each cpu event of a row at most once; those of the timed clock, an
// instruction or a cycle at most as often as it has micro-ops or lines in flight.
#define TIMED_MOST	64
static uint32_t most_of(const struct model_raised *r)
{
	const uint32_t cpu_events = r->clock == MODEL_TIMED_CLOCK ? TIMED_MOST :
				    r->cpu_event >= CPU_EVENT_INSTRUCTIONS ? REFERRING_MOST :
				    r->up_to ? r->up_to - r->cpu_event + 1u : 1;

	return cpu_events * (r->each ? r->each : 1);
}

static void mark_rows(struct signals *s, const struct model_event *event, struct model_most *most)
{
	const struct model_raised *r = s->model->machine->raised;

	most->cycle = (uint32_t)s->model->machine->clock_count;
	for (size_t i = 0; r[i].cpu_event != CPU_EVENT_COUNT; i++)
		if (vpmu_row_counts(s->model, &r[i], event->code, event->umask, s->setting)) {
			s->selected[i] = true;
			most->cycle += model_is_by_clock(&r[i], s->clock) ? most_of(&r[i]) : 0;
		}
}

// Returns true if the event depends on whether a conditional branch is taken.
static bool depends_on_direction(const struct model_raised *r)
{
	return model_is_raised_by(r, CPU_EVENT_BRANCH_CONDITIONAL) !=
	       model_is_raised_by(r, CPU_EVENT_BRANCH_NOT_TAKEN);
}

static bool counts_references(const struct pmu_model *model, const struct model_event *event)
{
	size_t count;
	const struct occurrence *clock = model_clock(model, 0, 0, &count);
	bool is = false;

	for (size_t i = count - model->machine->clock_references; i < count; i++)
		is |= model_counts(model, &clock[i], event->code, event->umask);
	return is;
}

// Examines the counters of all threads, because a counter may count events of another thread.
void signals_select(struct signals *s, uint32_t address, uint64_t value)
{
	struct model_event event;

	if (!s->model->machine->raised)
		return;
	if (is_setting(s, address))
		set(s, address, value);
	memset(s->selected, 0, count_rows(s->model));
	s->any_thread = s->references = false;
	for (unsigned thread = 0; thread < s->model->threads; thread++)
		for (unsigned i = 0; i < vpmu_counters(s->model); i++)
			if (vpmu_selects(s->model, s->state, thread, i, &event)) {
				mark_rows(s, &event,
					  &s->most[thread * vpmu_counters(s->model) + i]);
				s->references |= counts_references(s->model, &event);
				s->any_thread |= vpmu_selects_any_thread(s->model, s->state, thread,
									 i);
			}
	s->counted_set = 0;
	for (unsigned what = 0; what < CPU_EVENT_COUNT; what++) {
		s->counted[what] = false;
		for (unsigned n = s->first[what]; n < s->first[what + 1]; n++)
			s->counted[what] |= s->selected[s->row[n]];
		if (s->counted[what] && what < 64)
			s->counted_set |= 1ULL << what;
	}
	s->loads = false;
	for (unsigned what = CPU_EVENT_INSTRUCTIONS; what < CPU_EVENT_COUNT; what++)
		s->loads |= s->counted[what] && cpu_event_is_of_loads(what);
	s->branches_ask = s->counted_set & CPU_EVENTS_PREDICTED;
	for (size_t i = 0; s->model->machine->raised[i].cpu_event != CPU_EVENT_COUNT; i++)
		s->branches_ask |= s->selected[i] &&
			depends_on_direction(&s->model->machine->raised[i]);
}

void signals_reset(struct signals *s)
{
	s->setting = 0;
	signals_select(s, 0, 0);
}

//
// Raised events
//

// Adds to an earlier occurrence of the same event with the same attributes. Returns false if there
// is none.
static bool add_to_like(const struct occurrence *o, struct occurrence *to, size_t count)
{
	for (struct occurrence *like = to; like < to + count; like++)
		if (like->code == o->code && like->sub == o->sub && like->opcode == o->opcode &&
		    like->address == o->address && like->thread == o->thread &&
		    like->level == o->level) {
			like->n += o->n;
			return true;
		}
	return false;
}

size_t signals_raise(const struct signals *s, enum cpu_event what, uint32_t n, uint64_t address,
		     const struct occurrence *o, bool all, struct occurrence to[SIGNALS_MOST],
		     size_t count)
{
	for (unsigned i = s->first[what]; i < s->first[what + 1]; i++) {
		const struct model_raised *r = &s->model->machine->raised[s->row[i]];
		struct occurrence one = *o;

		if (!(all || s->selected[s->row[i]]) ||
		    (r->channel && r->channel != signals_channel(address)))
			continue;
		if (r->interruption)
			one.level = s->interrupted_level;
		one.code = r->code;
		one.sub = r->sub;
		one.n = r->each ? r->each * n : n;
		if (r->opcode || r->request || r->response)
			one.opcode = r->opcode ? r->opcode : (uint64_t)r->response << 8 |
				r->request;
		if (!add_to_like(&one, to, count) && count < SIGNALS_MOST)
			to[count++] = one;
	}
	return count;
}
