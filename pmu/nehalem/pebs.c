// SPDX-License-Identifier: BSD-2-Clause
// Precise records (PEBS): a counter's overflow arms it; its next event after the shadow is recorded
// in memory.

#include "state.h"

// The words of the management area for precise records.
struct pebs_area {
	uint64_t base, index, maximum, threshold, reset[GENERAL];
};

#define PEBS_AREA_OFFSET	(NEHALEM_DS_PEBS_BASE * sizeof(uint64_t))
#define PEBS_INDEX_OFFSET	(NEHALEM_DS_PEBS_INDEX * sizeof(uint64_t))
#define RECORD_SIZE		(NEHALEM_PEBS_WORDS * sizeof(uint64_t))

_Static_assert(PEBS_AREA_OFFSET + sizeof(struct pebs_area) == NEHALEM_DS_WORDS * sizeof(uint64_t),
	       "regs.h");
_Static_assert(offsetof(struct pebs_area, index) == PEBS_INDEX_OFFSET - PEBS_AREA_OFFSET, "regs.h");

bool nehalem_is_slow_load(const struct nehalem_state *m, unsigned thread, unsigned counter,
			  const struct occurrence *o)
{
	uint64_t threshold = FIELD_GET(PEBS_LD_LAT, THRESHOLD, m->file[thread][SLOT_PEBS_LD_LAT]);
	uint64_t enables = FIELD_PUT(IA32_PEBS_ENABLE, PEBS_EN_PMC, 1u << counter) |
			   FIELD_PUT(IA32_PEBS_ENABLE, LL_EN_PMC, 1u << counter);

	// SDM volume 3B, "Load Latency Performance Monitoring Facility": both enable bits must be
	// set.
	return !(~m->file[thread][SLOT_IA32_PEBS_ENABLE] & enables) && o->latency > threshold;
}

// True if the record of the thread's counter belongs to this occurrence. as_load: as a load that
// load latency counts; else as an instruction's event. With a threshold a record belongs to a
// cycle, not to an instruction.
static bool is_recorded(const struct nehalem_state *m, unsigned thread, unsigned counter,
			const struct occurrence *o, bool as_load)
{
	const uint64_t select = m->file[thread][SLOT_IA32_PERFEVTSEL + counter];

	if (!as_load)
		return o->n && o->ip && !FIELD_GET(IA32_PERFEVTSEL, CMASK, select);
	return o->n && o->code == NEHALEM_EVENT_LOAD_LATENCY &&
	       o->sub & FIELD_GET(IA32_PERFEVTSEL, EVTMSK, select) & NEHALEM_UMASK_LOAD_LATENCY &&
	       nehalem_is_slow_load(m, thread, counter, o);
}

// Orders occurrences independently of their positions among the inputs: by address, as instructions
// retire in order, then by the remaining members, so that only equal ones are left.
static bool is_before(const struct occurrence *o, const struct occurrence *other)
{
	const uint64_t a[] = {o->ip, o->slot, o->address, o->latency, o->served};
	const uint64_t b[] = {other->ip, other->slot, other->address, other->latency,
			      other->served};
	unsigned i = 0;

	while (i < sizeof a / sizeof *a - 1 && a[i] == b[i])
		i++;
	return a[i] < b[i];
}

// Returns the first occurrence of this cycle that one of these counters counts and records. NULL if
// there is none.
static const struct occurrence *first_of(const struct nehalem_state *m, unsigned thread,
					 uint32_t counters, nehalem_selects selects, bool as_load)
{
	const struct engine *e = &m->engine;
	const struct occurrence *first = NULL;

	for (const struct occurrence *o = e->inputs; o < e->inputs + e->input_count; o++)
		for (uint32_t rest = counters & THREAD_SET(thread, selects(e, o)); rest;
		     rest &= rest - 1)
			if (is_recorded(m, thread, (unsigned)__builtin_ctz(rest), o, as_load) &&
			    (!first || is_before(o, first)))
				first = o;
	return first;
}

// Writes the record of these counters. Returns false if the buffer is full or memory is
// inaccessible.
static bool write_record(struct nehalem_state *m, unsigned thread, uint32_t counters,
			 nehalem_selects selects, struct pebs_area *area)
{
	const struct model_processor *p = m->processor;
	const struct occurrence *load = first_of(m, thread, counters, selects, true);
	const uint64_t ds_area = m->file[thread][SLOT_IA32_DS_AREA];
	struct model_outputs *outputs = &m->engine.outputs;
	uint64_t words[NEHALEM_PEBS_WORDS] = {0};

	if (!p->read(p->context, ds_area + PEBS_AREA_OFFSET, area, sizeof *area) ||
	    area->base > area->index ||
	    area->index > area->maximum || area->maximum - area->index < RECORD_SIZE)
		return false;
	outputs->recorded = load ? load : first_of(m, thread, counters, selects, false);
	p->registers(p->context, thread, words);
	outputs->recorded = NULL;
	words[NEHALEM_PEBS_STATUS] = m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS];
	if (load) {
		words[NEHALEM_PEBS_ADDRESS] = load->data ? load->address : 0;
		words[NEHALEM_PEBS_SOURCE] = load->served & 0xF;
		words[NEHALEM_PEBS_LATENCY] = load->latency;
	}
	if (!p->write(p->context, area->index, words, sizeof words))
		return false;
	area->index += RECORD_SIZE;
	return p->write(p->context, ds_area + PEBS_INDEX_OFFSET, &area->index, sizeof area->index);
}

// Records an event of these overflowed counters: one record for all of them. SDM volume 3B, "PEBS
// CounterX Reset": after a record, every counter that has overflowed and is enabled for records is
// reloaded, even one in its shadow. If the bounds do not allow a record, the event is skipped.
// Returns true if this interrupts: INT is set, the index has reached the threshold, or the event
// was skipped.
static bool record(struct nehalem_state *m, unsigned thread, uint32_t counters,
		   nehalem_selects selects)
{
	uint64_t *file = m->file[thread], *status = &file[SLOT_IA32_PERF_GLOBAL_STATUS];
	struct pebs_area area;
	bool written = write_record(m, thread, counters, selects, &area), interrupts = false;

	if (written)
		counters |= *status & FIELD_GET(IA32_PEBS_ENABLE, PEBS_EN_PMC,
						file[SLOT_IA32_PEBS_ENABLE]);
	m->records++;
	m->armed &= ~OF_THREAD(thread, counters);
	for (unsigned counter = 0; counter < GENERAL; counter++) {
		if (!(counters >> counter & 1))
			continue;
		interrupts |= (file[SLOT_IA32_PERFEVTSEL + counter] &
			       FIELD(IA32_PERFEVTSEL, INT)) != 0;
		if (written)
			m->engine.counter[COUNTERS * thread + counter].count = area.reset[counter] &
				m->engine.mask;
	}
	if (written)
		*status &= ~(uint64_t)counters;
	if (!written || area.index >= area.threshold) {
		*status |= FIELD(IA32_PERF_GLOBAL_STATUS, OvfBuf);
		interrupts = true;
	}
	return interrupts;
}

// Returns the counters whose occurrence stands for several instructions; such a counter records
// none.
static uint32_t counts_many(const struct nehalem_state *m, nehalem_selects selects)
{
	const struct engine *e = &m->engine;
	uint32_t counters = 0;

	for (const struct occurrence *o = e->inputs; o < e->inputs + e->input_count; o++)
		if (o->many)
			counters |= selects(e, o);
	return counters;
}

bool nehalem_pebs_passed(struct nehalem_state *m, uint64_t cycles, uint32_t wrapped,
			 nehalem_selects selects, uint32_t *interrupts)
{
	const uint32_t arming = wrapped & m->precise & ~m->armed;
	uint32_t due = 0;

	for (uint32_t rest = m->armed; rest; rest &= rest - 1) {
		uint8_t *shadow = &m->shadow[__builtin_ctz(rest)];

		if (*shadow < cycles)
			due |= rest & -rest;
		*shadow -= *shadow < cycles ? *shadow : (uint8_t)cycles;
	}
	m->armed |= arming;
	for (uint32_t rest = arming; rest; rest &= rest - 1)
		m->shadow[__builtin_ctz(rest)] = PEBS_SHADOW;
	due &= m->precise & m->engine.moving;
	if (due)
		due &= ~counts_many(m, selects);
	for (unsigned thread = 0; thread < THREADS; thread++)
		if (THREAD_SET(thread, due) && record(m, thread, THREAD_SET(thread, due), selects))
			*interrupts |= 1u << thread;
	return due || arming;
}

void nehalem_pebs_limit(struct engine *e)
{
	struct nehalem_state *m = (struct nehalem_state *)e;

	for (uint32_t rest = m->precise & e->moving; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		const bool armed = m->armed >> i & 1;
		const uint64_t cycles = armed ? m->shadow[i] : engine_before_wrap(e, i) + 1 +
			PEBS_SHADOW;

		if (e->rising >> i & 1 && cycles)
			continue;	// an edge, which is due in the next cycle
		engine_lower_headroom(e, cycles, cycles);
	}
}
