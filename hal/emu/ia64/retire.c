// SPDX-License-Identifier: BSD-2-Clause
// Raises the events of each instruction that retires: retire.h.

#include "retire.h"

#include "cycle.h"
#include "hierarchy.h"
#include "issue.h"
#include "machine.h"
#include "prediction.h"
#include "raise.h"
#include "references.h"
#include "traits.h"

static void raise_instruction(struct machine *m, const struct op *op, const struct occurrence *o,
			      bool executed, bool taken)
{
	const unsigned file = op->traits & TRAIT_FLOAT ? SUB_FLOAT : SUB_INTEGER;

	if (executed && !(op->traits & ~(TRAITS_SIMPLE & ~TRAIT_NOP)) && !m->retiring.flushed)
		return;
	if (!executed) {
		if (op->traits & TRAIT_NOT_B)
			ia64_raise(m, o, EVENT_PREDICATE_SQUASHED_RETIRED, 0);
		return;
	}
	if (op->encoding == IA64_SRLZ_I || op->encoding == IA64_RFI)
		ia64_raise(m, o, EVENT_PIPELINE_FLUSH, SUB_OTHER_FLUSH);
	if (op->traits & TRAIT_NOP)
		ia64_raise(m, o, EVENT_NOPS_RETIRED, 0);
	if (op->traits & TRAIT_CHECK_SPECULATIVE && taken)
		ia64_raise(m, o, EVENT_INST_FAILED_CHKS_RETIRED, file);
	if (op->traits & TRAIT_CHECK_ADVANCED) {
		ia64_raise(m, o, EVENT_ALAT_INST_CHKA_LDC, file);
		if (taken)
			ia64_raise(m, o, EVENT_ALAT_INST_FAILED_CHKA_LDC, file);
	}
	if (op->traits & TRAIT_WEIGHT && m->selection.selected[EVENT_FP_OPS_RETIRED_LO])
		ia64_raise_selected(m, o, EVENT_FP_OPS_RETIRED_LO, SUB_WEIGHT, op->weight);
	if (m->retiring.flushed)
		ia64_raise(m, o, EVENT_FP_FLUSH_TO_ZERO, 0);
	m->retiring.flushed = false;
}

void ia64_see_flush_to_zero(struct machine *m)
{
	if (m->selection.selected[EVENT_FP_FLUSH_TO_ZERO])
		m->retiring.flushed = m->retiring.pending = true;
}

// Sets the context of the instruction's events. The other fields stay 0.
static void set_context(struct machine *m, const struct op *op, uint64_t ip, unsigned slot)
{
	struct occurrence *o = &m->retiring.context;

	o->n = 1;
	o->level = (uint8_t)m->pmu.level;
	o->type = op->type;
	o->slot = (uint8_t)slot;
	o->ip = ip;
	o->opcode = op->bits;
}

// Whether an instruction is a branch, announces one, or ends a bundle with branches.
static bool may_predict(const struct machine *m, const struct op *op)
{
	return op->traits & (TRAIT_BRANCH | TRAIT_OTHER) || m->retiring.branches;
}

static void prefetch(struct machine *m, const struct op *op, const struct occurrence *o)
{
	if (op->encoding == IA64_BRP)
		ia64_prefetch_code(m, o, o->ip + (uint64_t)op->imm);
}

//
// The unit clock
//

static void raise_in_unit(struct machine *m, const struct op *op, const struct occurrence *o,
			  bool executed, bool taken)
{
	raise_instruction(m, op, o, executed, taken);
	if (m->selection.predicted && may_predict(m, op))
		ia64_see_branch(m, op, o, taken);
	if (m->selection.cached) {
		ia64_fetch_line(m, &m->retiring.context, o->ip);
		prefetch(m, op, o);
		if (taken)
			m->hierarchy->fetched = 0;
	}
	if (m->retiring.references)
		ia64_raise_references(m, op, o);
}

static void retire_in_unit(struct machine *m, const struct op *op, bool executed, bool taken)
{
	const struct occurrence *o = &m->retiring.context;
	const uint64_t referred = m->cycle.simple ? m->cycle.making.sum : 0;

	ia64_begin_unit_cycle(m);
	m->cycle.making.sum = referred;
	raise_in_unit(m, op, o, executed, taken);
	ia64_end_unit_cycle(m, o, true);
	if (m->retiring.references)
		ia64_pass_stack_references(m, o);
	m->cycle.ahead = false;
}

//
// The timed clock
//

// Passes the cycles that follow an instruction: a flush, or the bubble of a taken branch.
static void lose_cycles(struct machine *m, const struct op *op, bool executed, bool taken)
{
	struct ia64_retiring *r = &m->retiring;

	if (r->penalty_cycles)
		ia64_lose(m, r->penalty, r->penalty_cycles);
	else if ((taken && !(op->traits & TRAIT_BRANCH)) ||
		 (executed && op->encoding == IA64_SRLZ_I))
		ia64_lose(m, CYCLE_FLUSH, m->processor.latency[LATENCY_FLUSH]);
	r->penalty_cycles = 0;
	m->issue.ends |= taken;
	m->issue.early &= !taken;
}

// Issues an instruction and raises its events, but for those of the register stack engine's
// references. `waits`: it waits for its operands. Returns the latency of its load in cycles; 0: it
// loads nothing.
static unsigned raise_timed(struct machine *m, const struct op *op, uint64_t ip, bool waits,
			    bool executed, bool taken)
{
	const struct occurrence *o = &m->retiring.context;
	const bool new_line = m->hierarchy->fetched != ia64_line_of(m->hierarchy, ip);
	const unsigned fetch = (new_line ? ia64_fetch_line(m, &m->retiring.context, ip) : 0) +
		m->retiring.walked_code;

	ia64_issue(m, op, ip, waits, fetch);
	ia64_raise(m, o, EVENT_IA64_INST_RETIRED, 0);
	ia64_raise(m, o, EVENT_INST_DISPERSED, 0);
	raise_instruction(m, op, o, executed, taken);
	if (may_predict(m, op))
		ia64_see_branch(m, op, o, taken);
	prefetch(m, op, o);
	if (taken)
		m->hierarchy->fetched = 0;
	return m->retiring.references ? ia64_raise_references(m, op, o) : 0;
}

static void retire_timed(struct machine *m, const struct op *op, uint64_t ip, bool executed,
			 bool taken)
{
	struct ia64_retiring *r = &m->retiring;
	const unsigned loaded = raise_timed(m, op, ip, executed, executed, taken);

	ia64_wait_for_queues(m, CYCLE_DATA);
	if (executed)
		ia64_issued(m, op, loaded ? loaded + r->walked_data : 0);
	r->walked_code = r->walked_data = 0;
	if (r->references)
		ia64_pass_stack_references(m, &r->context);
	lose_cycles(m, op, executed, taken);
}

//
// Both
//

void ia64_retire(struct machine *m, const struct op *op, uint64_t ip, unsigned slot, bool executed,
		 bool taken)
{
	struct ia64_retiring *r = &m->retiring;

	if (m->cycle.counted) {
		m->cycle.counted = m->cycle.ahead = false;
	} else {
		set_context(m, op, ip, slot);
		if (m->timed)
			retire_timed(m, op, ip, executed, taken);
		else
			retire_in_unit(m, op, executed, taken);
	}
	r->pending = m->cycle.separate_count || r->branches ||
		(m->cycle.some_late && !m->cycle.adds);
}

// An instruction that writes the monitor does not wait for operands. No other instruction is issued
// in its cycle.
bool ia64_retire_write(struct machine *m, const struct op *op, uint32_t address, uint64_t value)
{
	struct ia64_retiring *r = &m->retiring;

	ia64_close_cycle(m);
	m->cycle.adds = false;
	set_context(m, op, m->ip, m->slot);
	if (m->timed) {
		raise_timed(m, op, m->ip, false, true, false);
		r->walked_code = r->walked_data = 0;
	} else {
		ia64_begin_unit_cycle(m);
		raise_in_unit(m, op, &r->context, true, false);
	}
	m->issue.ends = true;
	m->issue.early = false;
	r->pending = true;
	return ia64_write_in_cycle(m, &r->context, address, value);
}

void ia64_pass_fills(struct machine *m)
{
	const struct occurrence o = {
		.n = 1, .level = (uint8_t)m->pmu.level, .type = OCCURRENCE_TYPE_B,
		.slot = m->returned.slot,
		.ip = m->returned.ip, .opcode = m->returned.bits,
	};

	ia64_pass_stack_references(m, &o);
	ia64_stop(m);
}
