// SPDX-License-Identifier: BSD-2-Clause
// Per-CPU data.

#include "sparc64/this_cpu.h"

struct sparc64_this_cpu sparc64_this_cpu;
