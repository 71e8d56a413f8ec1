/* SPDX-License-Identifier: BSD-2-Clause */
/* A trap of the guest's, while the monitor serves it: what monitor.c and intercepts.c share. */
#ifndef HYPER_EXIT_H
#define HYPER_EXIT_H

#include "calls.h"
#include "frame.h"
#include "monitor.h"
#include "sparc64/registers.h"

#define LEVEL_HYPERPRIVILEGED	0
#define LEVEL_PRIVILEGED	1
#define LEVEL_USER		3

#define SOFTINT_ALARM		1ULL		/* %tick_cmpr's: the monitor's */

/* How a trap ends. */
enum outcome {
	OUTCOME_RETURN,	// to where it happened
	OUTCOME_FORWARD,	// to the guest's table
	OUTCOME_UNPRIVILEGED,	// it becomes a privileged_action trap
	OUTCOME_PRECISE,	// a precise_performance_event
	OUTCOME_DELIVERED,	// it is another trap already
};

/* Instructions that are carried out for the guest. */
enum outcome hyper_exit_access(struct hyper_monitor *m, struct hyper_frame *frame);
enum outcome hyper_exit_halt(struct hyper_monitor *m, struct hyper_frame *frame);

extern const char text_start[], text_end[];	/* linker script */

/* The guest's instruction at `pc`; 0: there is none. */
static inline uint32_t instruction_at(uint64_t pc)
{
	return pc >= (uintptr_t)text_start && pc < (uintptr_t)text_end ? *(const uint32_t *)(uintptr_t)pc : 0;
}

static inline bool is_armed(const struct hyper_frame *frame)
{
	return !(frame->stick_cmpr & STICK_CMPR_OFF);
}

static inline uint64_t ticks(uint64_t instructions)
{
	return instructions * 8 / 5;
}

#endif
