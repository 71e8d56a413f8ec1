/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports to palmon (reported.h). Counts cpu events by stretch of instructions, or by single
 * instruction. */
#ifndef REPORTS_H
#define REPORTS_H

#include "tool.h"

/* palmon's request, and the next report as far as it is known. */
extern struct reporting reports_wishes;
extern struct report reports_next;

/* Number of instructions at the end of the current stretch; if instructions are reported
 * separately, of the current instruction. */
extern uint64_t reports_end;

/* Reads palmon's request from the socket. Returns false if palmon did not start this process. */
bool reports_begin(void);

/* Ends the current stretch, because the current instruction lies after reports_end. */
void reports_go_on(void);

/* The instruction at `ip` begins. `begun`: instructions that have begun since the last call, this
 * one included. */
static inline void reports_enter(uint64_t ip, uint64_t begun)
{
	tool_executed += begun;
	if (__builtin_expect(tool_executed > reports_end, false))
		reports_go_on();
	reports_next.ip = ip;
}

/* Counts a cpu event of the current instruction. `channel`: memory channel from 1; 0: no memory
 * access. */
void reports_count(enum cpu_event what, unsigned channel);

#endif
