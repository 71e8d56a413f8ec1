// SPDX-License-Identifier: BSD-2-Clause

#include "predictor.h"

#include <stddef.h>

#define MOST		3	/* largest counter value */
#define TAKEN_FROM	2

// Pattern counters are stored relative to their initial value, "weakly not taken", so that an
// all-zero predictor is a freshly reset one.
#define WEAKLY_NOT_TAKEN 1

static uint8_t counted(uint8_t counter, bool taken)
{
	static const uint8_t of[][MOST + 1] = {{0, 0, 1, 2}, {1, 2, 3, 3}};

	return of[taken][counter];
}

//
// Tables
//

static struct predictor_entry *set_of(struct predictor_entry *table, const struct cache_geometry *g,
				      uint64_t hash)
{
	return table + (hash & (g->sets - 1)) * g->ways;
}

static struct predictor_entry *find(struct predictor_entry *set, const struct cache_geometry *g,
				    uint64_t branch)
{
	for (struct predictor_entry *e = set; e < set + g->ways; e++)
		if (e->branch == branch)
			return e;
	return NULL;
}

// Replaces the least recently used entry.
static struct predictor_entry *put(struct predictor_entry *set, const struct cache_geometry *g,
				   uint64_t branch)
{
	struct predictor_entry *oldest = set;

	for (struct predictor_entry *e = set; e < set + g->ways; e++)
		if (e->used < oldest->used)
			oldest = e;
	*oldest = (struct predictor_entry){.branch = branch, .counter = MOST};
	return oldest;
}

static uint64_t last_outcomes(const struct predictor_thread *t, unsigned history)
{
	return t->outcomes & ((1ULL << history) - 1);
}

// Selects a counter by branch address and previous outcomes (S. McFarling, Combining Branch
// Predictors, 1993: gshare). Outcomes beyond the index width are folded.
static uint8_t *pattern_of(struct predictor *p, const struct predictor_thread *t, uint64_t address)
{
	const unsigned bits = (unsigned)__builtin_ctz(p->has->patterns);
	uint64_t rest = last_outcomes(t, p->has->history), hash = address ^ rest ^ rest >> bits;

	for (rest >>= 2 * bits; rest; rest >>= bits)
		hash ^= rest;
	return &p->patterns[hash & (p->has->patterns - 1)];
}

// An indirect branch combined with the outcomes before it, and the set of that combination.
#define OUTCOMES_AT 48	/* bit position, above the address */

static uint64_t with_outcomes(const struct predictor *p, const struct predictor_thread *t,
			      uint64_t address)
{
	return address ^ last_outcomes(t, p->has->indirect_history) << OUTCOMES_AT;
}

static struct predictor_entry *indirect_set(struct predictor *p, uint64_t branch)
{
	return set_of(p->indirect, &p->has->indirect, branch ^ branch >> OUTCOMES_AT);
}

//
// Predictions
//

static uint64_t expected_return(const struct predictor *p, const struct predictor_thread *t)
{
	return t->returns[(t->top ? t->top : p->has->returns) - 1];
}

// Predicts the direction and trains the counter. Does not update the outcome history.
static inline bool see_path(struct predictor *p, const struct predictor_thread *t,
			    struct predictor_entry *known,
			    uint64_t address, bool conditional, bool taken)
{
	uint8_t *pattern, counter;

	if (!p->has->patterns) {
		counter = known ? known->counter : 0;
		if (known)
			known->counter = counted(counter, taken);
		return counter >= TAKEN_FROM;
	}
	if (!conditional)
		return true;
	pattern = pattern_of(p, t, address);
	counter = *pattern ^ WEAKLY_NOT_TAKEN;
	*pattern = counted(counter, taken) ^ WEAKLY_NOT_TAKEN;
	return counter >= TAKEN_FROM;
}

// Returns the predicted target of a taken branch, or 0 if it is unknown.
static uint64_t predict_target(struct predictor *p, struct predictor_thread *t,
			       const struct predictor_branch *b,
			       const struct predictor_entry *known)
{
	const uint64_t branch = with_outcomes(p, t, b->address);
	const struct predictor_entry *other = NULL;

	if (b->is_return && p->has->returns)
		return expected_return(p, t);
	if (!known)
		return b->indirect || b->is_return ? 0 : b->target;	// computed by the decoder
	if (b->indirect && p->has->indirect.ways)
		other = find(indirect_set(p, branch), &p->has->indirect, branch);
	return other ? other->target : known->target;
}

// `taken`: the predicted direction.
static struct predicted predict(struct predictor *p, struct predictor_thread *t,
				const struct predictor_branch *b,
				const struct predictor_entry *known, bool taken)
{
	struct predicted is = {.missed = !known};
	uint64_t target;

	if (!known && !p->has->decoder)
		return is;
	is.stale = known && b->taken && known->target != b->target &&
		!(b->is_return && p->has->returns);
	target = predict_target(p, t, b, known);
	is.redirected = !known && taken && target;
	is.wrong_path = taken != b->taken;
	is.wrong_target = taken && b->taken && target != b->target;
	return is;
}

//
// Training
//

// Adds the branch to the indirect table when the target table's prediction was wrong.
static void learn_indirect(struct predictor *p, struct predictor_thread *t,
			   const struct predictor_branch *b, const struct predictor_entry *known)
{
	const uint64_t branch = with_outcomes(p, t, b->address);
	struct predictor_entry *set = indirect_set(p, branch);
	struct predictor_entry *e = find(set, &p->has->indirect, branch);

	if (!e && known->target != b->target)
		e = put(set, &p->has->indirect, branch);
	if (e) {
		e->target = b->target;
		e->used = ++p->uses;
	}
}

static void learn_target(struct predictor *p, struct predictor_thread *t,
			 const struct predictor_branch *b, struct predictor_entry *known)
{
	if (b->indirect && known && p->has->indirect.ways)
		learn_indirect(p, t, b, known);
	if (b->taken && !known)
		known = put(set_of(p->targets, &p->has->targets, b->address), &p->has->targets,
			    b->address);
	if (known)
		known->used = ++p->uses;
	if (b->taken)
		known->target = b->target;
}

static void learn_return(const struct predictor *p, struct predictor_thread *t,
			 const struct predictor_branch *b)
{
	if (b->is_return)
		t->top = (t->top ? t->top : p->has->returns) - 1;
	if (b->call) {
		t->returns[t->top] = b->behind;
		t->top = t->top + 1 == p->has->returns ? 0 : t->top + 1;
	}
}

static void learn_outcome(struct predictor_thread *t, bool taken)
{
	t->outcomes = t->outcomes << 1 | taken;
}

static struct predictor_entry *find_target(struct predictor *p, uint64_t address)
{
	return find(set_of(p->targets, &p->has->targets, address), &p->has->targets, address);
}

struct predicted predictor_see(struct predictor *p, unsigned thread,
			       const struct predictor_branch *b)
{
	struct predictor_thread *t = &p->thread[thread];
	struct predictor_entry *known = find_target(p, b->address);
	const bool taken = see_path(p, t, known, b->address, b->conditional, b->taken);
	const struct predicted is = predict(p, t, b, known, taken);

	learn_target(p, t, b, known);
	if (p->has->returns)
		learn_return(p, t, b);
	if (b->conditional)
		learn_outcome(t, b->taken);
	return is;
}

bool predictor_see_known(struct predictor *p, unsigned thread, uint64_t address, uint64_t target,
			 bool conditional, bool taken, bool *wrong_path)
{
	struct predictor_thread *t = &p->thread[thread];
	struct predictor_entry *known = find_target(p, address);

	if (!known || (taken && known->target != target))
		return false;
	known->used = ++p->uses;
	*wrong_path = see_path(p, t, known, address, conditional, taken) != taken;
	if (conditional)
		learn_outcome(t, taken);
	return true;
}
