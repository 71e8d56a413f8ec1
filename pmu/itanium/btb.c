// SPDX-License-Identifier: BSD-2-Clause
// The branch trace buffer (6.2.8): source and target of the last branches.

#include "faults.h"
#include "state.h"

// The capture condition as section 6.2.8.1 summarizes it. A branch of which the predictor is not known is captured
// where those of all are.
static bool captures_branch(const struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t control = m->file[0][SLOT_PMC12];
	unsigned tm = (unsigned)FIELD_GET(PMC12, tm, control), ptm = (unsigned)FIELD_GET(PMC12, ptm, control);
	unsigned ppm = (unsigned)FIELD_GET(PMC12, ppm, control);
	bool taken = o->branch & OCCURRENCE_TAKEN;
	bool path_right = !(o->branch & OCCURRENCE_WRONG_PATH);
	bool target_right = !(o->branch & OCCURRENCE_WRONG_TARGET);
	bool tar = control & FIELD(PMC12, tar), tac = control & FIELD(PMC12, bpt), bac = control & FIELD(PMC12, bac);
	const bool predictor[] = {tar && tac && bac, tar, tac, bac};

	return (tm & (taken ? 2 : 1)) &&
	       (ptm == 3 || (path_right && taken && ptm & (target_right ? 2 : 1))) &&
	       (ppm & (path_right ? 2 : 1)) &&
	       predictor[o->served <= 3 ? o->served : 0];
}

//
// Entries
//

static unsigned next_entry(const struct itanium_state *m)
{
	return (unsigned)FIELD_GET(PMD16, bbi, m->file[0][SLOT_PMD16]);
}

static void set_next_entry(struct itanium_state *m, uint64_t index)
{
	uint64_t *position = &m->file[0][SLOT_PMD16];

	*position = (*position & ~FIELD(PMD16, bbi)) | FIELD_PUT(PMD16, bbi, index);
}

static void record_entry(struct itanium_state *m, uint64_t address, uint64_t flags)
{
	const unsigned index = next_entry(m);

	m->file[0][SLOT_PMD8 + index] = (itanium_canonical(address) & FIELD(PMD8, address)) | flags;
	set_next_entry(m, index + 1);
	if (index == ITANIUM_TRACE_ENTRIES - 1 && !has_fault(m, FAULT_BTB_WRAP))
		m->file[0][SLOT_PMD16] |= FIELD(PMD16, full);
}

// Source and, if it was taken, target. The branch of a bundle that was the last cycle's target takes its entry.
static void record_branch(struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t bundle = FIELD(PMD8, address);
	const bool taken = o->branch & OCCURRENCE_TAKEN;
	const bool wrong = o->branch & (OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET);
	const unsigned slot = taken ? o->slot : has_fault(m, FAULT_BTB_SLOT) ? 0 : 3;

	if (m->trace_fresh && m->trace_target == (o->ip & bundle))
		set_next_entry(m, next_entry(m) + ITANIUM_TRACE_ENTRIES - 1);
	record_entry(m, o->ip, FIELD(PMD8, b) | FIELD_PUT(PMD8, mp, wrong) | FIELD_PUT(PMD8, slot, slot));
	if (taken)
		record_entry(m, o->target, FIELD(PMD8, mp));
	m->trace_fresh = taken;
	m->trace_target = o->target & bundle;
}

//
// Cycles
//

// Calls `captured` for each branch of a cycle that is captured. A branch may come as several events; those of the first
// one's event are looked at.
static void each_captured(struct itanium_state *m, void captured(struct itanium_state *m, const struct occurrence *o))
{
	const struct occurrence *o = m->engine.inputs, *end = o + m->engine.input_count, *first = NULL;
	size_t size;

	for (; o < end; o += size) {
		const struct occurrence *deciding;

		size = 1;
		if (!itanium_is_branch(o) || o->n == 0 || !(itanium_enabled(m, o) & MONITOR_TRACE))
			continue;
		first = first ? first : o;
		if (o->code != first->code)
			continue;
		size = itanium_bundle_size(o, end);
		deciding = itanium_deciding_branch(o, size);
		if (captures_branch(m, deciding) && itanium_qualify(m, MONITOR_TRACE, o, size))
			captured(m, deciding);
	}
}

static void count_branch(struct itanium_state *m, const struct occurrence *o)
{
	m->branches = true;
	itanium_count_capture(m, EVENT_BRANCH_CAPTURED, o);
}

void itanium_btb_find(struct itanium_state *m)
{
	m->branches = false;
	each_captured(m, count_branch);
}

// From the second cycle on each is like the one before; after eight of them nothing older is left.
void itanium_btb_passed(struct itanium_state *m, uint64_t cycles)
{
	m->trace_fresh &= m->branches;
	if (!m->branches)
		return;
	if (cycles > 2 + ITANIUM_TRACE_ENTRIES) {
		const uint64_t skipped = cycles - 2 - ITANIUM_TRACE_ENTRIES;
		unsigned index, advance;

		each_captured(m, record_branch);
		index = next_entry(m);
		each_captured(m, record_branch);
		advance = next_entry(m) + ITANIUM_TRACE_ENTRIES - index;
		set_next_entry(m, next_entry(m) + skipped % ITANIUM_TRACE_ENTRIES * advance);
		cycles = ITANIUM_TRACE_ENTRIES;
	}
	for (; cycles; cycles--)
		each_captured(m, record_branch);
}
