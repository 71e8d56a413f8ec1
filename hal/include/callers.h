/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers of the code that an overflow interrupt has interrupted (pmu/core/calls.c). */
#ifndef CALLERS_H
#define CALLERS_H

#include "hal.h"

/* hal_pmi_follow installs another handler on this CPU, which may unwind the interrupted stack by
 * hal_callers. That stores at most `most` callers, the innermost first, each as an address within
 * its call instruction, and returns their number. The list ends at the first caller that is not
 * found. `ip`, `level`: the handler's arguments. `function_start` returns the beginning of the
 * function at an address, or 0. */
void hal_pmi_follow(hal_pmi_function *handler);
typedef uint64_t hal_function_start(uint64_t address);
unsigned hal_callers(uint64_t ip, unsigned level, hal_function_start *function_start,
		     uint64_t *caller, unsigned most);

#endif
