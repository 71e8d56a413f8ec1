// SPDX-License-Identifier: BSD-2-Clause
// Effects of an overflow: the status bits, at once or (by the programming note on sl 28) some
// cycles later, and the traps, precise ones and those of the trap line (SPARC T4 Supplement,
// section 10.3).

#include "state.h"

// Recomputes which overflows trap now. In hyperprivileged mode precise traps are lost (section
// 10.3). While a line is up, further overflows have no effect on it. Counters with a window trap at
// its end.
void sparct4_configure_overflows(struct engine *e)
{
	struct sparct4_state *m = state_of(e);

	e->counting = UINT32_MAX;
	e->later = m->trapping;
	e->raising = 0;
	m->at_own_level = 0;
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		const bool lost = e->level[strand] == SPARCT4_HYPERPRIVILEGED;
		const bool held = e->outputs.held >> strand & 1;

		e->raising |= ((lost ? 0 : m->trapping) | (held ? 0 : m->holding)) &
			OF_STRAND(strand);
		m->at_own_level |= m->at_level[e->level[strand]] & OF_STRAND(strand);
	}
	e->raising &= ~m->waiting;
}

void sparct4_update_line(struct sparct4_state *m, unsigned strand)
{
	struct model_outputs *outputs = &m->engine.outputs;
	const uint32_t bit = 1u << strand;
	bool up = false;

	for (unsigned i = 0; i < COUNTERS; i++)
		up |= m->file[strand][SLOT_PCR + i] & FIELD(PCR, ov) &&
			m->holding >> (COUNTERS * strand + i) & 1;
	if (!up) {
		outputs->requests &= ~bit;
		outputs->held &= ~bit;
	} else if (!(outputs->held & bit)) {
		outputs->requests |= bit;
		outputs->held |= bit;
	}
}

// If the counter is this close to its end, it overflows before its ov can appear, and a PCR write
// before that discards the status that would appear.
void sparct4_open_window(struct sparct4_state *m, unsigned number, bool commits)
{
	const uint64_t left = m->engine.mask + 1 - m->engine.counter[number].count;

	m->late[number] = 0;
	m->window[number] = commits && left <= SPARCT4_COMMITS_RANGE ? SPARCT4_COMMITS_WINDOW : 0;
	ENGINE_PUT_BIT(m->waiting, number, m->window[number]);
}

// Shortens the windows. At the end of a window its status bits appear.
static void close_windows(struct sparct4_state *m, uint64_t cycles)
{
	for (uint32_t rest = m->waiting; rest; rest &= rest - 1) {
		const unsigned number = (unsigned)__builtin_ctz(rest);

		m->window[number] -= (uint8_t)cycles;
		if (m->window[number])
			continue;
		*pcr_of(m, number) |= FIELD_PUT(PCR, ov, !!(m->late[number] & LATE_OV)) |
				      FIELD_PUT(PCR, ntc, !!(m->late[number] & LATE_NTC));
		m->late[number] = 0;
		m->waiting &= ~(rest & -rest);
	}
}

// An overflow's effects do not depend on how often it occurs, so any number of cycles is one step.
// No window closes before the last cycle. The status of an overflow is in the PCR, or in `late`.
bool sparct4_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct sparct4_state *m = state_of(e);
	const uint32_t trapping = wrapped & m->trapping & e->raising;

	m->wrapped |= wrapped;
	for (uint32_t rest = wrapped; rest; rest &= rest - 1) {
		const unsigned number = (unsigned)__builtin_ctz(rest);
		const bool commits = (m->committing | m->all_commit) >> number & 1;

		if (m->window[number])
			m->late[number] |= LATE_OV | (commits ? LATE_NTC : 0);
		else
			*pcr_of(m, number) |= FIELD(PCR, ov) | FIELD_PUT(PCR, ntc, commits);
	}
	close_windows(m, cycles);
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		sparct4_update_line(m, strand);
		e->outputs.precise |= (trapping & OF_STRAND(strand) ? 1u : 0) << strand;
	}
	sparct4_configure_overflows(e);
	e->busy = m->waiting;
	return false;
}

// Ends runs of cycles where a window closes.
void sparct4_limit(struct engine *e)
{
	const struct sparct4_state *m = state_of(e);

	for (uint32_t rest = m->waiting; rest; rest &= rest - 1) {
		const unsigned number = (unsigned)__builtin_ctz(rest);
		const uint64_t left = m->window[number] - 1u;
		uint64_t cycles = e->moving & rest & -rest ? engine_before_wrap(e, number) :
			UINT64_MAX;

		if (m->late[number] || cycles < left)
			cycles = left;
		if (!(m->holding >> number & 1) || e->outputs.held >> number / COUNTERS & 1)
			cycles = UINT64_MAX;
		engine_lower_headroom(e, left, cycles);
	}
}
