/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the timer's interrupts on each target, with two of its events. On the shim an
 * instruction takes one cycle, the timer ticks once per cycle, and an interrupt takes no time. */
#ifndef BY_TIMER_H
#define BY_TIMER_H

#include "../on_shim.h"

#include <stdio.h>

#include "pmu.h"

#define TICKS		1000u
#define INSTRUCTIONS	123457u

static const struct {
	const char *target, *retired, *cycles;
	unsigned bits;			/* width of a counter */
} targets[] = {
	{"nehalem", "INST_RETIRED.ANY_P", "CPU_CLK_UNHALTED.THREAD_P", 48},
	{"knc", "INSTRUCTIONS_EXECUTED", "CPU_CLK_UNHALTED", 40},
	{"itanium", "IA64_INST_RETIRED", "CPU_CYCLES", 32},
	{"sparct4", "Instr_all", "Cycles", 32},
};

#define FOR_EACH_TARGET(t) \
	for (unsigned t = 0; t < sizeof targets / sizeof *targets; t++)

/* Counts of the two events. */
struct counts {
	uint64_t of[2];
};

static inline void begin_target(const char *target)
{
	assert_true(shim_start(target, ""));
	assert_int_equal(pmu_begin(pmu_driver_find(target), false), PMU_OK);
	allow_all_interrupts();
}

/* Opens a session of the two events, with these modifiers each. */
static inline void open_two(struct pmu_session *session, unsigned t, const char *modifiers)
{
	char text[128];

	snprintf(text, sizeof text, "%s%s,%s%s", targets[t].retired, modifiers, targets[t].cycles,
		 modifiers);
	open_session(session, text);
}

#endif
