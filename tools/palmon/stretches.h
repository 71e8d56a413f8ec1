/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretches: what was executed between branches that a sample recorded one after the other. */
#ifndef STRETCHES_H
#define STRETCHES_H

#include "report.h"

#define INSTRUCTION_MOST 15	/* bytes: the longest that an instruction can be */
#define STRETCHES_MOST (PMU_PAYLOAD_WORDS / 2 + 1)

/* What was executed from an address on up to a branch. That one was taken, or it was passed and the records end there:
 * then it is one of the branches from `low` to `last`. */
struct stretch {
	uint64_t first, last, low;
	bool not_taken;
	bool sampled;			// it was passed by the sampled instruction, which no record has
	unsigned from, behind;		// the records it is made of: from this one on, before that one
};

/* The last address that a branch record can mean: it is the bundle of branches that were not taken. */
static inline uint64_t last_byte(const struct sample_step *s)
{
	return s->not_taken && s->length ? s->address + (s->length - 1u) : s->address;
}

/* Whether the records alone count, and not what follows from two of them: those that are left out may lie between. */
bool only_records_count(const struct view_of *v);

/* A row's stretches, oldest first; their number. */
unsigned find_stretches(const struct view_of *v, const struct sample_key *key,
			struct stretch stretches[STRETCHES_MOST]);

#endif
