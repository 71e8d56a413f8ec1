/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fields of registers mean, in words, and what sub-events do: for people who use the host. Images do without.
 */
#ifndef MEANING_H
#define MEANING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of several that fit a field and its value, the first one holds. */
struct field_meaning {
	const char *registers;	/* shell pattern of their names */
	const char *field;	/* shell pattern of its name */
	uint64_t value;		/* of the field, or MEANING_ANY */
	const char *text;
};

#define MEANING_ANY UINT64_MAX

/* What a sub-event says of an occurrence (model.h) beside it: one whose bits `mask` of `sub` are these has such
 * `branch` bits, is in one of these slots, was served by one of these (bit n: slot n, n; 0: any). Rows are in order of
 * codes, those of a code and mask stand together; they have what the hardware can raise. */
struct sub_meaning {
	uint16_t code, mask, sub;
	uint8_t branch_mask, branch;
	uint8_t slots, served;
};

struct target_meanings {
	const char *target;
	const struct field_meaning *meaning;
	size_t count;
	const struct sub_meaning *sub;	/* NULL: nothing is known of that */
	size_t sub_count;
};

/* Of the targets linked into this program, ended by NULL (made from pmu/targets.tab). */
extern const struct target_meanings *const target_meanings[];

/* A target's; NULL: there is none of this name. */
static inline const struct target_meanings *meanings_of(const char *target)
{
	const struct target_meanings *const *t = target_meanings;

	while (*t && strcmp((*t)->target, target))
		t++;
	return *t;
}

#endif
