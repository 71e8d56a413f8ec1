/* SPDX-License-Identifier: BSD-2-Clause */
/* The run token: of several CPUs one executes at a time, its guest or its monitor, so that an instruction clock they
 * all share counts for the one. The others halt in their monitors and execute nothing. */
#ifndef SVM_RUN_TOKEN_H
#define SVM_RUN_TOKEN_H

#include "monitor.h"

/* The first CPU begins with the token. */
void run_token_start(struct svm_frame *frame);

/* A further CPU, which has no monitor yet, takes the token: returns when all others have halted. It then either joins
 * them, and keeps the token for now, or leaves them. */
void run_token_take(unsigned cpu);
void run_token_join(struct svm_frame *frame);
void run_token_leave(void);

/* Removes a CPU that waits for the token and will be reset. It can join again. */
void run_token_remove(unsigned cpu);

/* Sets the guest's clock, and what is measured by it, to the core's clock (model.h, clock_address), which has advanced
 * or has been written. */
void run_token_follow_clock(struct svm_frame *frame);

/* Whether there are other CPUs, and one executes at a time. */
extern bool run_token_is_shared;

/* And there is another CPU that could have it. */
bool run_token_has_others(void);

/* If so: whether this CPU's quantum is over, or another CPU must be notified of its PMU's overflow. */
bool run_token_is_due(struct svm_frame *frame);

/* An overflow is delivered to this CPU's guest: the token is not handed on while the handler serves it. */
void run_token_keep(struct svm_frame *frame);

/* This CPU's guest waits for others: hand the token on. */
void run_token_yield(struct svm_frame *frame);

/* Whether all CPUs are halted, the caller included. */
bool run_token_is_idle(void);

/* This CPU's guest executes PAUSE: it waits for another CPU. */
void run_token_pause(unsigned cpu);

/* Whether a CPU that executes PAUSE is to go on until its slice ends, because it waits for time to pass: all CPUs are
 * halted, or have paused in their last slices; or this one has paused in many slices, one behind the other, and of the
 * time that passes its cycles would be a small part. Not if some CPU is to take an NMI. */
bool run_token_is_spinning(unsigned cpu);

/* Hands the token on, and returns when it has come back. Meanwhile the clock of a halted guest has advanced with the
 * instructions of the others. */
void run_token_pass(struct svm_frame *frame);

/* The guest halts, or no longer does. A halted guest gets the token only to look for an interrupt. */
void run_token_halt(struct svm_frame *frame);
void run_token_wake(struct svm_frame *frame);

/*
 * Without it: guests whose PMUs do not count need no quanta. Then all execute as the machine has them execute.
 */

/* Whether this CPU must execute alone. If none must, the token is given up at the end of the quantum. Until this has
 * been called for each CPU, all must. */
void run_token_need(unsigned cpu, bool need);

/* Gives the token up: the CPUs that wait for it go on. The caller has it. */
void run_token_end(unsigned cpu);

/* Takes the token again: calls the other CPUs by NMI, and returns when all are halted in their monitors. If another CPU
 * has it already, returns when that has handed it on or given it up. */
void run_token_begin(struct svm_frame *frame);

/* Whether another CPU has the token: this one must wait (run_token_pass). */
bool run_token_is_lost(unsigned cpu);

/* Ends the quantum of a CPU's guest by an NMI. */
void run_token_call(unsigned cpu);

/* How many NMIs this CPU has been sent to be called or to be handed the run token, since it last asked; whether there
 * are any. They are sent right behind being counted. */
extern uint8_t run_token_asked[SVM_CPUS];
static inline unsigned run_token_take_asked(unsigned cpu)
{
	return __atomic_exchange_n(&run_token_asked[cpu], 0, __ATOMIC_SEQ_CST);
}
static inline bool run_token_is_asked(unsigned cpu)
{
	return __atomic_load_n(&run_token_asked[cpu], __ATOMIC_SEQ_CST);
}

#endif
