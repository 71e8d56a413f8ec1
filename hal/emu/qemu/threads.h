/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock (timed.h) of cores that execute in order and whose threads share the pipes
 * (hal/emu/model/inorder.h). The threads of a core execute in the order of their cycles: QEMU
 * switches to the vCPU whose next instruction issues first (turns.h). So each instruction reaches
 * the model in its cycle, and a cycle belongs to all threads of the core that are not halted.
 *
 *     before an instruction       threads_issue: when does it issue? Does it pair?
 *                                 turns_end: does another thread issue first?
 *     QEMU executes it            threads_refer: its references
 *     before the next one         threads_retire: the cycles before it pass, with their events
 *
 * A pair issues, counts and overflows together. */
#ifndef QEMU_THREADS_H
#define QEMU_THREADS_H

#include "../model/memory.h"
#include "cpu.h"

/* This clock is used. */
extern bool threads_are_used;

/* As timed_begin. */
bool threads_begin(const struct processor *processor, struct processor_error *error);

/* Returns the number of executed instructions that the description lacks. */
uint64_t threads_unknown(void);

/* As timed_issue, timed_retire, timed_drop, timed_settle, timed_connect_write, timed_now,
 * timed_refer, timed_wait (timed.h). */
void threads_issue(struct cpu *c);
void threads_retire(struct cpu *c, const struct instruction *i, uint64_t next,
		    const struct occurrence *signals, size_t count);
void threads_drop(const struct cpu *c);
void threads_settle(struct cpu *c);
void threads_connect_write(struct cpu *c, const struct instruction *i,
			   const struct occurrence *signals, size_t count);
uint64_t threads_now(const struct cpu *c);
void threads_refer(const struct cpu *c, enum access access, unsigned more);
void threads_wait(const struct cpu *c, uint64_t until);

/* The current instruction, a repeated string, begins its next iteration. */
void threads_iterate(struct cpu *c);

/* Returns the vCPU whose next instruction issues first, of those that are not halted; NULL: all
 * are halted. */
const struct cpu *threads_next(void);

#endif
