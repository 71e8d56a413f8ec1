/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports to palmon (reported.h): what happens is counted for stretches of instructions, or for each by itself. */
#ifndef REPORTS_H
#define REPORTS_H

#include "tool.h"

/* What palmon wants, and what is known of the next report. */
extern struct reporting reports_wishes;
extern struct report reports_next;

/* Number of instructions up to the end of the stretch, or of the present instruction, if some are reported alone. */
extern uint64_t reports_end;

/* Takes palmon's wishes from the socket. False: palmon has not started this. */
bool reports_begin(void);

/* The present instruction is behind that end. */
void reports_go_on(void);

/* The instruction at `ip` has begun, as one of so many. */
static inline void reports_enter(uint64_t ip, uint64_t begun)
{
	tool_executed += begun;
	if (__builtin_expect(tool_executed > reports_end, false))
		reports_go_on();
	reports_next.ip = ip;
}

/* Something happens in the present instruction; of memory, in a channel from 1 on. 0: in none. */
void reports_count(enum happening what, unsigned channel);

#endif
