// SPDX-License-Identifier: BSD-2-Clause
// SKELETON, to be replaced whole.

#include "meaning.h"

static const struct field_meaning meanings[] = {{"*", "COUNT", MEANING_ANY, "the count"}};
const struct target_meanings target_meanings_knc = {"knc", meanings, 1};
