/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretches: code executed between two branches that a sample recorded in succession. */
#ifndef STRETCHES_H
#define STRETCHES_H

#include "report.h"

#define INSTRUCTION_MOST 15	/* bytes of the longest instruction */
#define STRETCHES_MOST (PMU_PAYLOAD_WORDS / 2 + 1)

/* Code executed from `first` to the branch at `last`. not_taken: the records end with a branch that
 * was not taken, which is one of those from `low` to `last`. */
struct stretch {
	uint64_t first, last, low;
	bool not_taken;
	bool sampled;			// that branch is the sampled one, without a record
	unsigned from, behind;		// its records: `from` up to, not including, `behind`
};

/* The last address that a branch record can mean. Records of branches not taken cover a bundle. */
static inline uint64_t last_byte(const struct sample_step *s)
{
	return s->not_taken && s->length ? s->address + (s->length - 1u) : s->address;
}

/* Whether only records can be counted, not the code between two of them, where filtered branches
 * may lie. */
bool only_records_count(const struct view_of *v);

/* Finds a row's stretches, oldest first. Returns their number. */
unsigned find_stretches(const struct view_of *v, const struct sample_key *key,
			struct stretch stretches[STRETCHES_MOST]);

#endif
