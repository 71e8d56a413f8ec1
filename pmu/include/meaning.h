/* SPDX-License-Identifier: BSD-2-Clause */
/* The meanings of registers' fields, in words, and the effects of sub-events: for users of the host, not in images. */
#ifndef MEANING_H
#define MEANING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The first row that matches a field and its value applies. */
struct field_meaning {
	const char *registers;	/* shell pattern of their names */
	const char *field;	/* shell pattern of its name */
	uint64_t value;		/* of the field, or MEANING_ANY */
	const char *text;
};

#define MEANING_ANY UINT64_MAX

/* Properties of an occurrence (model.h) that a sub-event implies: if its bits `mask` of `sub` are these, it has such
 * `branch` bits, is in one of these slots, and was served by one of these levels (bit n: slot n, level n; 0: any). Rows
 * are ordered by code, those of a code and mask are consecutive; they list what the hardware can raise. */
struct sub_meaning {
	uint16_t code, mask, sub;
	uint8_t branch_mask, branch;
	uint8_t slots, served;
};

struct target_meanings {
	const char *target;
	const struct field_meaning *meaning;
	size_t count;
	const struct sub_meaning *sub;	/* NULL: not known */
	size_t sub_count;
};

/* Of the targets linked into this program, ended by NULL (made from pmu/targets.tab). */
extern const struct target_meanings *const target_meanings[];

/* Returns a target's meanings, or NULL. */
static inline const struct target_meanings *meanings_of(const char *target)
{
	const struct target_meanings *const *t = target_meanings;

	while (*t && strcmp((*t)->target, target))
		t++;
	return *t;
}

#endif
