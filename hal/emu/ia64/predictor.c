// SPDX-License-Identifier: BSD-2-Clause
// Branch prediction: predictor.h. The stages follow the Itanium processor's reference manual, 7.8
// (BRANCH_PREDICTOR); sizes are those of H. Sharangpani and K. Arora, Itanium Processor
// Microarchitecture (IEEE Micro, September 2000). Initial values and replacement are our choice:
// counters begin as "weakly taken", a history as if the branch had always had its first outcome,
// and the least recently used entry is replaced.

#include "predictor.h"

#include <stddef.h>

#define OUTCOMES	(PREDICTOR_PATTERNS - 1)
#define BUNDLE_SHIFT	4
#define MOST		3	/* maximum of a counter */
#define TAKEN_FROM	2

// Counters are stored relative to their initial value, so that a predictor begins as zeros.
static uint8_t counter_of(uint8_t kept)
{
	return kept ^ TAKEN_FROM;
}

static uint64_t name(const struct ia64_predictor_branch *b)
{
	return b->bundle | b->slot;
}

static struct ia64_histories *table_of(struct ia64_predictor *p,
				       const struct ia64_predictor_branch *b)
{
	return b->multiway ? &p->multiway : &p->single;
}

static unsigned set_of(const struct ia64_predictor_branch *b)
{
	return (b->bundle >> BUNDLE_SHIFT) & (b->multiway ? PREDICTOR_MULTIWAY_SETS - 1 :
					      PREDICTOR_SETS - 1);
}

static struct ia64_history *find_history(struct ia64_predictor *p,
					 const struct ia64_predictor_branch *b)
{
	struct ia64_history *set = table_of(p, b)->history[set_of(b)];

	for (unsigned i = 0; i < PREDICTOR_WAYS; i++)
		if (set[i].branch == name(b))
			return &set[i];
	return NULL;
}

static struct ia64_target *find_target(struct ia64_target *table, unsigned count, uint64_t bundle)
{
	for (unsigned i = 0; i < count; i++)
		if (table[i].branch == bundle)
			return &table[i];
	return NULL;
}

static void put_target(struct ia64_predictor *p, struct ia64_target *table, unsigned count,
		       uint64_t bundle, uint64_t target)
{
	struct ia64_target *t = find_target(table, count, bundle);

	if (!t) {
		t = table;
		for (unsigned i = 1; i < count; i++)
			if (table[i].used < t->used)
				t = &table[i];
	}
	*t = (struct ia64_target){bundle, target, ++p->uses};
}

static uint64_t return_address(const struct ia64_predictor *p)
{
	return p->returns[(p->top + PREDICTOR_RETURNS - 1) % PREDICTOR_RETURNS];
}

// The third stage's prediction, by the branch's own fields.
static struct ia64_prediction from_branch(const struct ia64_predictor *p,
					  const struct ia64_predictor_branch *b, bool taken)
{
	return (struct ia64_prediction){
		.stage = 3, .taken = taken, .target = b->is_return ||
			b->indirect ? return_address(p) : b->target,
	};
}

static struct ia64_prediction in_stage(uint8_t stage, uint64_t target)
{
	return (struct ia64_prediction){.stage = stage, .taken = true, .target = target};
}

struct ia64_prediction ia64_predict(struct ia64_predictor *p, const struct ia64_predictor_branch *b)
{
	const struct ia64_target *at = find_target(p->registers, PREDICTOR_REGISTERS, b->bundle);
	const struct ia64_history *h = find_history(p, b);

	if (at)
		return b->ends_loop ? (struct ia64_prediction){.stage = 3, .overridden = true} :
		       in_stage(1, at->target);
	at = find_target(p->cached, PREDICTOR_TARGETS, b->bundle);
	if (h) {
		const uint8_t counter = counter_of(table_of(p, b)->counter[set_of(b)][h->outcomes]);

		if (counter < TAKEN_FROM)
			return (struct ia64_prediction){.stage = 2};
		if (b->is_return)
			return in_stage(2, return_address(p));
		return at ? in_stage(2, at->target) : from_branch(p, b, true);
	}
	return at ? in_stage(2, at->target) : from_branch(p, b, b->hinted);
}

static void learn_outcome(struct ia64_predictor *p, const struct ia64_predictor_branch *b,
			  bool taken)
{
	struct ia64_history *h = find_history(p, b), *set = table_of(p, b)->history[set_of(b)];
	uint8_t *counter;

	if (!h) {
		h = set;
		for (unsigned i = 1; i < PREDICTOR_WAYS; i++)
			if (set[i].used < h->used)
				h = &set[i];
		*h = (struct ia64_history){.branch = name(b), .outcomes = taken ? OUTCOMES : 0};
	}
	h->used = ++p->uses;
	counter = &table_of(p, b)->counter[set_of(b)][h->outcomes];
	if (taken && counter_of(*counter) < MOST)
		*counter = counter_of((uint8_t)(counter_of(*counter) + 1));
	else if (!taken && counter_of(*counter))
		*counter = counter_of((uint8_t)(counter_of(*counter) - 1));
	h->outcomes = (uint8_t)((h->outcomes << 1 | taken) & OUTCOMES);
}

void ia64_predictor_learn(struct ia64_predictor *p, const struct ia64_predictor_branch *b,
			  bool taken, uint64_t target)
{
	if (b->dynamic) {
		learn_outcome(p, b, taken);
		if (taken && !b->is_return)
			put_target(p, p->cached, PREDICTOR_TARGETS, b->bundle, target);
	}
	if (!taken)
		return;
	if (b->call) {
		p->returns[p->top] = b->bundle + (1 << BUNDLE_SHIFT);
		p->top = (p->top + 1) % PREDICTOR_RETURNS;
	} else if (b->is_return) {
		p->top = (p->top + PREDICTOR_RETURNS - 1) % PREDICTOR_RETURNS;
	}
}

void ia64_predictor_announce(struct ia64_predictor *p, uint64_t bundle, uint64_t target,
			     bool important)
{
	if (important)
		put_target(p, p->registers, PREDICTOR_REGISTERS, bundle, target);
	else
		put_target(p, p->cached, PREDICTOR_TARGETS, bundle, target);
}
