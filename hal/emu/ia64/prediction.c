// SPDX-License-Identifier: BSD-2-Clause
// Branches as the front end sees them (7.5, 7.8): a bundle is predicted once, before its branches
// execute.

#include "prediction.h"

#include "issue.h"
#include "machine.h"
#include "predictor.h"
#include "raise.h"
#include "traits.h"

// Fields of branches (manual, volume 3, section 4.5): whether hint, deallocation; of branch predict
// instructions.
#define WHETHER(bits)		((bits) >> 33 & 3)	/* sptk, spnt, dptk, dpnt */
#define CLEARS(bits)		((bits) >> 35 & 1)
#define IMPORTANT(bits)		((bits) >> 35 & 1)

// Describes a branch for the predictor. The loop predictor knows LC, so its view follows from the
// outcome.
static struct ia64_predictor_branch describe(const struct op *op, uint64_t bundle, unsigned slot,
					     bool taken)
{
	const bool counted = op->encoding == IA64_BR_CLOOP || op->encoding == IA64_BR_CTOP;

	return (struct ia64_predictor_branch){
		.bundle = bundle, .slot = (uint8_t)slot, .multiway = op->traits & TRAIT_MULTIWAY,
		.hinted = !(WHETHER(op->bits) & 1), .dynamic = WHETHER(op->bits) & 2 &&
			!CLEARS(op->bits),
		.call = op->encoding == IA64_BR_CALL || op->encoding == IA64_BR_CALL_B,
		.is_return = op->encoding == IA64_BR_RET,
		.indirect = op->encoding == IA64_BR_COND_B || op->encoding == IA64_BR_CALL_B,
		.ends_loop = counted && !taken, .target = bundle + (uint64_t)op->imm,
	};
}

static bool is_branch(const struct op *op)
{
	return op->traits & TRAIT_BRANCH;
}

// Predicts a bundle. The first branch that is predicted taken decides; the stage is that of the
// last branch examined. `op`: the instruction in slot 0.
static void predict(struct machine *m, const struct op *op, uint64_t bundle, bool taken)
{
	struct ia64_retiring *r = &m->retiring;

	r->multiway = op->traits & TRAIT_MULTIWAY;
	r->predicted_slot = BUNDLE_SLOTS;
	for (unsigned slot = 0; slot < BUNDLE_SLOTS && r->predicted_slot == BUNDLE_SLOTS; slot++) {
		struct ia64_predictor_branch b;
		struct ia64_prediction prediction;

		if (!is_branch(&op[slot]))
			continue;
		b = describe(&op[slot], bundle, slot, taken);
		prediction = ia64_predict(m->predictor, &b);
		r->stage = prediction.stage;
		r->overridden = prediction.overridden;
		r->predicted_target = prediction.target;
		r->predicted_slot = prediction.taken ? (uint8_t)slot : BUNDLE_SLOTS;
	}
}

// Raises an event of the bundle's prediction. The branches of a bundle are one prediction, and each
// of them is an occurrence of its events.
static void raise_each(struct machine *m, enum ia64_event code, unsigned sub)
{
	struct ia64_retiring *r = &m->retiring;

	for (unsigned i = m->cycle.making.adds_up ? r->branches - 1 : 0; i < r->branches; i++)
		ia64_raise(m, &r->bundle[i], code, sub);
}

static void raise_bundle(struct machine *m)
{
	struct ia64_retiring *r = &m->retiring;
	const struct occurrence *last = &r->bundle[r->branches - 1];
	const unsigned *latencies = m->processor.latency;
	const bool taken = last->branch & OCCURRENCE_TAKEN;
	const bool path = r->stage == 1 ? taken :
		r->predicted_slot == (taken ? last->slot : BUNDLE_SLOTS);
	const bool target = !taken || r->predicted_target == last->target;
	const unsigned result = !path ? SUB_WRONG_PATH : target ? SUB_CORRECT : SUB_WRONG_TARGET;

	for (unsigned i = 0; i < r->branches; i++) {
		r->bundle[i].served = r->stage;
		r->bundle[i].branch |= !path ? OCCURRENCE_WRONG_PATH : target ? 0 :
			OCCURRENCE_WRONG_TARGET;
	}
	r->penalty = result == SUB_CORRECT ? CYCLE_BUBBLE : CYCLE_FLUSH;
	r->penalty_cycles = result != SUB_CORRECT ? latencies[LATENCY_FLUSH] : !taken ||
		r->stage == 1 ? 0 :
			    r->stage == 2 ? latencies[LATENCY_BUBBLE_2] :
			    latencies[LATENCY_BUBBLE_3] + (last->slot < 2);
	raise_each(m, EVENT_BRANCH_TAKEN_SLOT, taken ? 1u << last->slot : SUB_NOT_TAKEN);
	raise_each(m, EVENT_BRANCH_PATH,
		   SUB_STAGE(r->stage) | (path ? SUB_PATH_RIGHT : 0) | (taken ? SUB_TAKEN : 0));
	raise_each(m, EVENT_BRANCH_PREDICTOR, SUB_STAGE(r->stage) | result);
	if (r->overridden)
		raise_each(m, EVENT_BRANCH_PREDICTOR, SUB_OVERRIDDEN);
	if (r->multiway)
		raise_each(m, EVENT_BRANCH_MULTIWAY,
			   (taken ? SUB_MULTIWAY_TAKEN : SUB_MULTIWAY_NOT_TAKEN) | result);
	r->branches = 0;
}

static void announce(struct machine *m, const struct op *op, uint64_t ip)
{
	const uint64_t tag = (op->bits >> 33 & 3) << 7 | (op->bits >> 6 & 127);
	const uint64_t bundle = ip + ((tag ^ 256) - 256) * BUNDLE_BYTES;

	if (op->encoding == IA64_BRP)
		ia64_predictor_announce(m->predictor, bundle, ip + (uint64_t)op->imm,
					IMPORTANT(op->bits));
}

// Whether a taken branch traps. `level`: the privilege level before it.
static bool traps(const struct machine *m, unsigned level)
{
	return m->psr & PSR_TB || (m->psr & PSR_LP && ia64_level(m) > level);
}

void ia64_see_branch(struct machine *m, const struct op *op, const struct occurrence *instruction,
		     bool taken)
{
	struct ia64_retiring *r = &m->retiring;
	const unsigned slot = instruction->slot;
	struct ia64_predictor_branch b;

	if (r->branches && (r->bundle[0].ip != instruction->ip ||
			    r->bundle[r->branches - 1].slot >= slot))
		raise_bundle(m);
	announce(m, op, instruction->ip);
	if (is_branch(op)) {
		if (!r->branches)
			predict(m, op - slot, instruction->ip, taken);
		r->bundle[r->branches] = *instruction;
		r->bundle[r->branches].branch = (uint8_t)(
			OCCURRENCE_BRANCH | (taken ? OCCURRENCE_TAKEN : 0) |
			(taken && traps(m, instruction->level) ? OCCURRENCE_TRAPPED : 0));
		r->bundle[r->branches++].target = m->ip;
		b = describe(op, instruction->ip, slot, taken);
		ia64_predictor_learn(m->predictor, &b, taken, m->ip);
	}
	if (r->branches && (taken || slot == BUNDLE_SLOTS - 1))
		raise_bundle(m);
}
