/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflows of the SPARC T4 model. */
#ifndef MODEL_TRAPS_H
#define MODEL_TRAPS_H

#include "steps.h"

#define BEFORE(events)	((uint32_t)-(events))	/* a PIC that wraps with this event */
#define ASYNCHRONOUS	EVENT(CYCLES, 0)

/* Executes n instructions in user mode, one per cycle. */
static inline void execute(uint64_t n)
{
	SIGNALS({INSTRUCTIONS, UNKNOWN, 1, 0, USER}, {CYCLES, 0, 1, 0, USER});
	run(n);
}

static inline unsigned precise(void)
{
	unsigned taken = outputs()->precise;

	outputs()->precise = 0;
	return taken;
}

static inline unsigned requests(void)
{
	unsigned taken = outputs()->requests;

	outputs()->requests = 0;
	return taken;
}

#endif
