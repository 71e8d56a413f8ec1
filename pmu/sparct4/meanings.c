// SPDX-License-Identifier: BSD-2-Clause
// What the fields of the Oracle SPARC T4's registers mean.

#include "meaning.h"

static const struct field_meaning meanings[] = {
	{"*", "counter", MEANING_ANY, "the count"},
};

const struct target_meanings target_meanings_sparct4 = {
	"sparct4", meanings, sizeof meanings / sizeof *meanings,
};
