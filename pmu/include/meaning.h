/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fields of registers mean, in words: for people who use the host. Images do without. */
#ifndef MEANING_H
#define MEANING_H

#include <stddef.h>
#include <stdint.h>

/* Of several that fit a field and its value, the first one holds. */
struct field_meaning {
	const char *registers;	/* shell pattern of their names */
	const char *field;	/* shell pattern of its name */
	uint64_t value;		/* of the field, or MEANING_ANY */
	const char *text;
};

#define MEANING_ANY UINT64_MAX

struct target_meanings {
	const char *target;
	const struct field_meaning *meaning;
	size_t count;
};

/* Of the targets linked into this program, ended by NULL (made from pmu/targets.tab). */
extern const struct target_meanings *const target_meanings[];

#endif
