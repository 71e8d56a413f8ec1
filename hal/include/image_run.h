/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of an image: interrupts at the start, programs, the end of the run. The library leaves
 * these to its host. */
#ifndef IMAGE_RUN_H
#define IMAGE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdnoreturn.h>

/* Prepares the interrupt controller and turns interrupts on. No source is enabled. */
void hal_interrupts_start(void);

/* Calls the function as a program: at the lowest privilege level, with its own stack and interrupts
 * on. It may use its own data, the C library and the heap; of the runtime hal_clock, hal_cpu_user,
 * hal_relax, and of stimulus.h hal_execute, hal_spflt, hal_read_lines, hal_execute_kinds,
 * hal_execute_random and hal_execute_far; of the PMU reg_read_counter, for counters that are open
 * to it. All CPUs can do so at the same time. */
int hal_run_user(int (*function)(void));

/* Keeps a pointer to a text for firmware that waits for the run's end, if any. The caller must not
 * change the text. */
void hal_keep_result(const char *text, size_t size);

/* Ends the run. 0: success. On silicon the processor stops, unless end= selects another end. */
noreturn void hal_exit(int status);

/* Whether the run can end as end= requests. A machine with several ends selects one before the rest
 * of the command line is read. */
bool hal_end_is_known(const char *asked);

#endif
