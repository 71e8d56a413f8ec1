/* SPDX-License-Identifier: BSD-2-Clause */
/* Data and instruction breakpoints (manual, volume 2, section 7.1). */
#ifndef IA64_BREAKPOINTS_H
#define IA64_BREAKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* Whether a data breakpoint matches an access (`access`: ISR's bits). True: a debug fault was
 * raised. */
bool ia64_data_breaks(struct machine *m, uint64_t address, unsigned size, uint64_t access,
		      unsigned level);

/* Whether an instruction breakpoint matches the bundle at ip. True: a debug fault was raised. */
bool ia64_instruction_breaks(struct machine *m);

#endif
