// SPDX-License-Identifier: BSD-2-Clause

#include "cpu.h"

struct cpu cpus[CPUS_MOST];
unsigned cpus_count;
bool timed_is_used;
