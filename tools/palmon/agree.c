// SPDX-License-Identifier: BSD-2-Clause
// Checks that a trace line's sub-event agrees with its other words, and completes one from the
// other: struct sub_meaning.

#include "trace.h"

#define WRONG (OCCURRENCE_WRONG_PATH | OCCURRENCE_WRONG_TARGET)

static const char contradiction[] = "taken, mp, slot and level that agree with code and sub";
static const char choice[] = "sub, or a word that implies it: taken, mp, slot or level";

// The facts that an occurrence states in addition to its sub-event. `branch`: the known bits of
// occurrence.branch. `slot`, `served`: known if not 0.
struct known {
	uint8_t branch;
	bool slot, served;
};

static struct known known_of(const struct occurrence *o)
{
	return (struct known){
		.branch = (o->branch & OCCURRENCE_BRANCH ? OCCURRENCE_TAKEN : 0) |
			(o->branch & WRONG ? WRONG : 0),
		.slot = o->slot != 0, .served = o->served != 0,
	};
}

// The same if the sub-event is unknown: a branch is in slot 0 and predicted unless the line says
// otherwise.
static struct known assumed_of(const struct occurrence *o)
{
	struct known k = known_of(o);

	if (o->branch & OCCURRENCE_BRANCH) {
		k.branch |= WRONG;
		k.slot = true;
	}
	return k;
}

static bool has_bit(unsigned bits, unsigned bit)
{
	return bit < 8 && bits >> bit & 1;
}

static bool fits(const struct sub_meaning *s, const struct occurrence *o, const struct known *k)
{
	return !((o->branch ^ s->branch) & s->branch_mask & k->branch) &&
	       !(k->slot && s->slots && !has_bit(s->slots, o->slot)) &&
	       !(k->served && s->served && !has_bit(s->served, o->served));
}

// Whether a row states a fact that is known of the occurrence.
static bool concerns(const struct sub_meaning *s, const struct known *k)
{
	return s->branch_mask & k->branch || (k->slot && s->slots) || (k->served && s->served);
}

static bool is_one(unsigned bits)
{
	return bits && !(bits & (bits - 1));
}

// Sets the facts of a branch that are unknown and follow from a row.
static void complete(struct occurrence *o, const struct sub_meaning *s)
{
	if (!(o->branch & OCCURRENCE_BRANCH))
		return;
	o->branch |= s->branch & s->branch_mask & WRONG;
	if (is_one(s->slots))
		o->slot = (uint8_t)__builtin_ctz(s->slots);
	if (is_one(s->served))
		o->served = (uint8_t)__builtin_ctz(s->served);
}

// Compares an occurrence with the rows of one code and mask; each row is one sub-event. `sub` is
// the trace's.
static const char *agree(const struct sub_meaning *rows, size_t count, uint16_t sub,
			 struct occurrence *o)
{
	const struct known known = known_of(o), assumed = assumed_of(o);
	const struct sub_meaning *named = NULL, *fitting = NULL;
	bool concerned = false;
	unsigned fit = 0;

	for (const struct sub_meaning *s = rows; s < rows + count; s++) {
		concerned |= concerns(s, &known);
		if (s->sub == (sub & s->mask))
			named = s;
		if (fits(s, o, &assumed)) {
			fitting = s;
			fit++;
		}
	}
	// A sub-event of 0 counts as unknown, unless one of the rows is sub-event 0 and `sub` has
	// other bits.
	if (rows->mask && !(named ? sub : sub & rows->mask)) {
		if (!concerned)
			return NULL;
		if (fit == 1)
			o->sub |= fitting->sub;
		return fit == 1 ? NULL : fit ? choice : contradiction;
	}
	if (named ? !fits(named, o, &known) : concerned)
		return contradiction;
	if (named)
		complete(o, named);
	return NULL;
}

// The first row of a code, or the place where it would be.
static const struct sub_meaning *first_of(const struct target_meanings *meanings, uint16_t code)
{
	const struct sub_meaning *s = meanings->sub;
	size_t rows = s ? meanings->sub_count : 0;

	while (rows) {
		const size_t half = rows / 2;
		const bool before = s[half].code < code;

		s += before ? half + 1 : 0;
		rows = before ? rows - half - 1 : half;
	}
	return s;
}

const char *trace_agree(const struct target_meanings *meanings, struct occurrence *o)
{
	const struct sub_meaning *s = first_of(meanings, o->code);
	const struct sub_meaning *end = s ? meanings->sub + meanings->sub_count : NULL;
	const uint16_t sub = o->sub;
	const char *wrong = NULL;

	while (s < end && s->code == o->code && !wrong) {
		const struct sub_meaning *rows = s;

		while (s < end && s->code == rows->code && s->mask == rows->mask)
			s++;
		wrong = agree(rows, (size_t)(s - rows), sub, o);
	}
	return wrong;
}
