// SPDX-License-Identifier: BSD-2-Clause
// Branch records (LBR stack): source, target, flags and cycles of the last taken branches, in the
// format of IA32_PERF_CAPABILITIES.LBR_FMT.

#include "state.h"

#define FLAG_MISPREDICTED	(1ULL << 63)

#define FORMAT(number, from, to, info) [number] = {from, to},
static const struct {
	uint64_t flags, cycles;		// bits of the source's and of the target's register
} formats[1 << 6] = {INTEL_LBR_FORMATS(FORMAT)};

// `processor` is NULL while the engine resets.
uint64_t intel_lbr_extend(const struct intel_processor *p, uint32_t kind, uint64_t value)
{
	const unsigned format = p ? p->lbr_format : 0;
	const uint64_t other = kind == KIND_LASTBRANCH_FROM_IP ? formats[format].flags :
		formats[format].cycles;
	const uint64_t address = (uint64_t)((int64_t)(value << 16) >> 16);

	return (address & ~other) | (value & other);
}

// No processor of the model has transactions. With format 4 a written source is an address of 63
// bits, although a recorded one has bits 62 and 61 clear.
bool intel_lbr_takes(const struct intel_processor *p, uint32_t address, uint64_t value)
{
	const uint64_t sign = FIELD_MASK(47, 16) & value;

	return p->lbr_format != INTEL_LBR_FORMAT_TSX ||
	       address - MSR_LASTBRANCH_FROM_IP >= INTEL_BRANCH_RECORDS || !sign ||
	       sign == FIELD_MASK(47, 16);
}

uint16_t intel_lbr_elapsed(const struct intel_state *m, unsigned thread, uint64_t cycle)
{
	const uint64_t elapsed = cycle - m->recorded_at[thread];

	return elapsed < INTEL_LBR_CYCLES_MOST ? (uint16_t)elapsed : INTEL_LBR_CYCLES_MOST;
}

static uint64_t filter_of(const struct intel_state *m, unsigned thread)
{
	const uint64_t *file = m->file[thread];

	return m->processor->arch_lbr ? intel_arch_lbr_filter(file[SLOT_IA32_LBR_CTL]) :
	       file[SLOT_LBR_SELECT];
}

static bool is_recorded(const struct intel_state *m, const struct occurrence *branch)
{
	return m->recording >> branch->thread & 1 && branch->branch & OCCURRENCE_TAKEN &&
	       !engine_branch_is_excluded(filter_of(m, branch->thread), branch);
}

// True for a recorded branch among the inputs: an occurrence without a unit mask is one branch.
static bool accepts(const struct engine *e, const struct occurrence *o)
{
	return o->code == INTEL_EVENT_BRANCHES && !o->sub &&
	       is_recorded((const struct intel_state *)e, o);
}

static void push(struct intel_state *m, const struct occurrence *o, uint64_t cycle)
{
	const bool wrong = o->branch & (OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET);
	const struct intel_processor *p = m->processor;
	const uint16_t elapsed = intel_lbr_elapsed(m, o->thread, cycle);
	uint64_t *tos = &m->file[o->thread][SLOT_LASTBRANCH_TOS];
	const uint64_t flags = wrong ? FLAG_MISPREDICTED : 0;

	if (p->arch_lbr)
		intel_arch_lbr_push(m, o->thread);
	else
		*tos = (*tos + 1) % p->lbr_depth;
	intel_lbr_put(m, o->thread, (unsigned)*tos,
	    (intel_lbr_extend(p, KIND_LASTBRANCH_FROM_IP, o->ip) &
	     ~formats[p->lbr_format].flags) | (flags & formats[p->lbr_format].flags),
	    (intel_lbr_extend(p, KIND_LASTBRANCH_TO_IP, o->target) &
	     ~formats[p->lbr_format].cycles) |
		    ((uint64_t)elapsed << 48 & formats[p->lbr_format].cycles),
	    FIELD_PUT(LBR_INFO, MISPRED, wrong) | FIELD_PUT(LBR_INFO, CYC_CNT, elapsed) |
	    (p->arch_lbr ? intel_arch_lbr_info(o) : 0));
	m->recorded_at[o->thread] = cycle;
}

// SDM volume 3B, "LBR Call Stack": a return removes the youngest record.
static void pop(struct intel_state *m, unsigned thread)
{
	uint64_t *tos = &m->file[thread][SLOT_LASTBRANCH_TOS];

	if (m->processor->arch_lbr) {
		intel_arch_lbr_pop(m, thread);
		return;
	}
	intel_lbr_put(m, thread, (unsigned)*tos, 0, 0, 0);
	*tos = (*tos - 1) % m->processor->lbr_depth;
}

static void record_branch(struct engine *e, const struct occurrence *o, uint64_t cycle)
{
	struct intel_state *m = (struct intel_state *)e;

	if (filter_of(m, o->thread) & FIELD(LBR_SELECT, EN_CALLSTACK) &&
	    (o->branch & OCCURRENCE_KIND) == OCCURRENCE_KIND_RETURN)
		pop(m, o->thread);
	else
		push(m, o, cycle);
}

// The depths of architectural records divide the greatest.
static struct engine_branches branches_of(const struct intel_state *m)
{
	return (struct engine_branches){m->processor->lbr_depth, accepts, record_branch};
}

bool intel_lbr_due(const struct intel_state *m)
{
	const struct engine_branches branches = branches_of(m);

	return engine_branches_due(&m->engine, &branches);
}

void intel_lbr_passed(struct intel_state *m, uint64_t cycles)
{
	const struct engine_branches branches = branches_of(m);

	engine_branches_passed(&m->engine, &branches, cycles);
}

void intel_record(void *state, const struct occurrence *branch)
{
	struct intel_state *m = state;

	if (is_recorded(m, branch))
		record_branch(state, branch, m->engine.cycles + m->engine.pending);
}
