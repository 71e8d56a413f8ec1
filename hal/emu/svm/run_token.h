/* SPDX-License-Identifier: BSD-2-Clause */
/* The run token: of several CPUs one executes at a time, its guest or its monitor, so that an instruction clock they
 * all share counts for the one. The others halt in their monitors and execute nothing. */
#ifndef SVM_RUN_TOKEN_H
#define SVM_RUN_TOKEN_H

#include "monitor.h"

/* The first CPU begins with it. */
void run_token_start(struct svm_frame *frame);

/* A further CPU, which has no monitor yet, takes it: returns when all others have halted. It then either joins them,
 * which lets it keep the run token for now, or leaves them. */
void run_token_take(unsigned cpu);
void run_token_join(struct svm_frame *frame);
void run_token_leave(void);

/* Takes a CPU out that waits for it and will be reset: it can join again. */
void run_token_remove(unsigned cpu);

/* Sets the guest's clock, and what is measured by it, to the core's (model.h, clock_address): it has gone on, or has
 * been written. */
void run_token_follow_clock(struct svm_frame *frame);

/* Whether there are others, and one executes at a time. */
extern bool run_token_is_shared;

/* If it is: whether this CPU has had it long enough, or another one has to be notified of its PMU's overflow. */
bool run_token_is_due(struct svm_frame *frame);

/* Its PMU's overflow is delivered to this CPU's guest: it is not handed on while the handler serves it. */
void run_token_keep(struct svm_frame *frame);

/* This CPU's guest waits for others: it is to be handed on. */
void run_token_yield(struct svm_frame *frame);

/* Whether all CPUs are halted, the caller included. */
bool run_token_is_idle(void);

/* This CPU's guest is at a PAUSE: it waits for another one. */
void run_token_pause(unsigned cpu);

/* Whether all CPUs are halted, or have paused in their last quantum, and none is to take an NMI: they wait for time to
 * pass. */
bool run_token_is_waiting(void);

/* Hands it on, and returns when it has come back. The clock of a halted guest has gone on meanwhile, with the
 * instructions of the others. */
void run_token_pass(struct svm_frame *frame);

/* The guest halts, or no longer does: halted ones have the run token only to look whether there is an interrupt. */
void run_token_halt(struct svm_frame *frame);
void run_token_wake(struct svm_frame *frame);

/*
 * Without it: guests whose PMUs do not count need no quanta. Then all execute as the machine has them execute.
 */

/* Whether this CPU needs to be alone when it executes. If none does, the run token ends when it is to be handed on.
 * Until this has been called for each CPU, all do. */
void run_token_need(unsigned cpu, bool need);

/* Ends it: the others, which wait for it, go on. The caller has it. */
void run_token_end(unsigned cpu);

/* Takes it: returns when all others are halted in their monitors, where they come by an NMI. If another one has it
 * already, returns when it has come from there, or has ended. */
void run_token_begin(struct svm_frame *frame);

/* Whether another CPU has it: this one is to wait (run_token_pass). */
bool run_token_is_lost(unsigned cpu);

/* Has a CPU's guest be left, by an NMI. */
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

/* While nobody has it: the guest's time-stamp counter is the machine's. */
void run_token_follow_machine(struct svm_frame *frame);

#endif
