/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock of x86's guests: in which cycle each instruction issues, by what the processor's description says of
 * latencies and of its width (hal/emu/model). It runs beside the instruction clock, by which all else goes. */
#ifndef PLUGIN_TIMED_H
#define PLUGIN_TIMED_H

#include <stdbool.h>
#include <stdint.h>

#include "../model/memory.h"
#include "block.h"
#include "vpmu.h"

/* Whether it is in use. It is if the machine asks for it (CLOCK=timed), and its processor has what it needs. */
extern bool timed_is_used;
extern const struct processor_needs timed_needs;

void timed_begin(const struct processor *processor);

/* Of a block that a CPU executes so many instructions have begun: they issue. Returns the cycle of the last one. */
uint64_t timed_follow(unsigned cpu, const struct block *block, size_t begun);

/* No more of the block does. */
void timed_leave_block(unsigned cpu);

/* The instruction that has issued last has referred to memory, or what comes next has been fetched. */
void timed_refer(unsigned cpu, enum access access, const struct reached *reached);

/* Nothing more issues before this cycle. */
void timed_wait(unsigned cpu, uint64_t until);

/* The CPU that executes; its cycle; and how many have begun since timed_take was called for it the last time. */
unsigned timed_cpu(void);
uint64_t timed_now(void);
uint64_t timed_passed(void);

/* Cycles that have begun since the last call for this CPU; *busy of them with an instruction that has issued. */
uint64_t timed_take(unsigned cpu, uint64_t *busy);

/* Instructions after which a counter of cycles may overflow, if each takes TIMED_CYCLES_MOST on the average; but no
 * fewer than TIMED_SKID: as late its interrupt can come. */
#define TIMED_CYCLES_MOST	64
#define TIMED_SKID		256
uint64_t timed_headroom(const struct vpmu *v);

#endif
