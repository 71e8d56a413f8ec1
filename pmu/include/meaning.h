/* SPDX-License-Identifier: BSD-2-Clause */
/* Meanings of register fields, in words, and effects of unit masks. Used by tools on the host; not
 * part of images. */
#ifndef MEANING_H
#define MEANING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The meaning of a field's value. The first row that matches applies. */
struct field_meaning {
	const char *registers;	/* shell pattern of register names */
	const char *field;	/* shell pattern of field names */
	uint64_t value;		/* value of the field, or MEANING_ANY */
	const char *text;
};

#define MEANING_ANY UINT64_MAX

/* The properties of an occurrence (model.h) that its unit-mask bits imply. If `sub & mask` of the
 * row equals the occurrence's, it has the `branch` bits, its slot is in `slots` and its `served`
 * is in `served`. Rows are ordered by code; rows of a code and mask are consecutive; they list the
 * occurrences that the hardware can raise. */
struct sub_meaning {
	uint16_t code, mask, sub;
	uint8_t branch_mask, branch;
	uint8_t slots, served;		/* bit n: slot n, level n; 0: any */
};

struct target_meanings {
	const char *target;
	const struct field_meaning *meaning;
	size_t count;
	const struct sub_meaning *sub;	/* NULL: unknown */
	size_t sub_count;
};

/* The meanings of the targets linked into this program, ended by NULL (made from
 * pmu/targets.tab). */
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
