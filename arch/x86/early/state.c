// SPDX-License-Identifier: BSD-2-Clause
// The results of the early code.

#include "x86/early.h"

struct x86_early x86_early;
const struct x86_part *x86_early_parts;
