// SPDX-License-Identifier: BSD-2-Clause
// The branch trace buffer (6.2.8): sources and targets of the last branches.

#include "state.h"

// The capture condition, as section 6.2.8.1 summarizes it. A branch whose predictor is unknown is
// captured only if branches of all three predictors are.
static bool captures_branch(const struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t control = m->PMC(12);
	const unsigned tm = (unsigned)FIELD_GET(PMC12, tm, control),
		ptm = (unsigned)FIELD_GET(PMC12, ptm, control);
	const unsigned ppm = (unsigned)FIELD_GET(PMC12, ppm, control);
	const bool taken = o->branch & OCCURRENCE_TAKEN;
	const bool path_right = !(o->branch & OCCURRENCE_WRONG_PATH);
	const bool target_right = !(o->branch & OCCURRENCE_WRONG_TARGET);
	const bool tar = control & FIELD(PMC12, tar), tac = control & FIELD(PMC12, bpt);
	const bool bac = control & FIELD(PMC12, bac),
		predictor[] = {tar && tac && bac, tar, tac, bac};

	return (tm & (taken ? 2 : 1)) &&
	       (ptm == 3 || (path_right && taken && ptm & (target_right ? 2 : 1))) &&
	       (ppm & (path_right ? 2 : 1)) &&
	       predictor[o->served <= 3 ? o->served : 0];
}

// An increment of the index carries into the full bit above it; the full bit then stays set.
_Static_assert(FIELD(PMD16, bbi) + 1 == FIELD(PMD16, full), "PMD16");

static void record_entry(struct itanium_state *m, uint64_t address, uint64_t flags)
{
	const uint64_t index = FIELD_GET(PMD16, bbi, m->PMD(16));

	m->PMD(8 + index) = (itanium_canonical(address) & FIELD(PMD8, address)) | flags;
	m->PMD(16) = (m->PMD(16) & FIELD(PMD16, full)) | (index + 1);
}

// Records the source and, if the branch was taken and did not trap, its target (6.2.8.2, footnote
// 1). A branch in the bundle that was the last cycle's target takes the target's entry.
static void record_branch(struct itanium_state *m, const struct occurrence *o)
{
	const uint64_t bundle = FIELD(PMD8, address);
	const bool taken = o->branch & OCCURRENCE_TAKEN;
	const bool arrives = taken && !(o->branch & OCCURRENCE_TRAPPED);
	const bool wrong = o->branch & (OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET);
	const unsigned slot = taken ? o->slot : 3;

	if (m->trace_fresh && m->trace_target == (o->ip & bundle))
		m->PMD(16) = (m->PMD(16) & FIELD(PMD16, full)) |
			((m->PMD(16) - 1) & FIELD(PMD16, bbi));
	record_entry(m, o->ip, FIELD(PMD8, b) | FIELD_PUT(PMD8, mp, wrong) |
		     FIELD_PUT(PMD8, slot, slot));
	if (arrives)
		record_entry(m, o->target, FIELD(PMD8, mp));
	m->trace_fresh = arrives;
	m->trace_target = o->target & bundle;
}

// Finds the cycle's branches that meet the capture condition: records them, or counts them as
// BRANCH_EVENT. A backend may report one branch as several events; only those with the code of the
// first one are used. Returns whether there are any.
static bool capture(struct itanium_state *m, bool record)
{
	const struct occurrence *end = m->engine.inputs + m->engine.input_count, *first = NULL,
		*deciding;
	bool some = false;
	size_t size;

	for (const struct occurrence *o = m->engine.inputs; o < end; o += size) {
		size = 1;
		if (!itanium_is_branch(o) || o->n == 0 || !(itanium_enabled(m, o) & MONITOR_TRACE))
			continue;
		first = first ? first : o;
		if (o->code != first->code)
			continue;
		size = itanium_bundle(o, end, &deciding);
		if (!captures_branch(m, deciding) ||
		    (m->qualified & MONITOR_TRACE &&
		     !itanium_qualify(m, MONITOR_TRACE, o, size, deciding)))
			continue;
		if (record)
			record_branch(m, deciding);
		else
			itanium_count_capture(m, EVENT_BRANCH_CAPTURED, deciding);
		some = true;
	}
	return some;
}

void itanium_btb_count(struct itanium_state *m)
{
	m->branches = capture(m, false);
	m->engine.busy |= m->branches || m->trace_fresh;
}

// Each cycle after the first one records the same branches. After eight of them the buffer holds
// nothing older, and every eighth cycle leaves the buffer as it was, so that most cycles can be
// skipped.
void itanium_btb_passed(struct itanium_state *m, uint64_t cycles)
{
	m->trace_fresh &= m->branches;
	if (!m->branches)
		return;
	if (cycles > 2 * ITANIUM_TRACE_ENTRIES)
		cycles = ITANIUM_TRACE_ENTRIES + 1 + (cycles - 1) % ITANIUM_TRACE_ENTRIES;
	for (; cycles; cycles--)
		capture(m, true);
}
