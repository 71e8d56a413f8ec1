// SPDX-License-Identifier: BSD-2-Clause
// What the fields of the Oracle SPARC T4 memory controllers's registers mean.

#include "meaning.h"

static const struct field_meaning meanings[] = {
	{"*", "counter?", MEANING_ANY, "the count"},
};

const struct target_meanings target_meanings_sparct4_dram = {
	"sparct4-dram", meanings, sizeof meanings / sizeof *meanings,
};
