// SPDX-License-Identifier: BSD-2-Clause
// Meanings of the example PMU's register fields.

#include "meaning.h"

static const struct field_meaning meanings[] = {
	{"*", "EVENT", MEANING_ANY, "event code"},
	{"*", "USR", 1, "counts at levels 1 to 3"},
	{"*", "OS", 1, "counts at level 0"},
	{"*", "INT", 1, "an overflow interrupts"},
};

const struct target_meanings target_meanings_example = {
	.target = "example", .meaning = meanings, .count = sizeof meanings / sizeof *meanings,
};
