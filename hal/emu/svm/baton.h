/* SPDX-License-Identifier: BSD-2-Clause */
/* The baton: of several CPUs one executes at a time, its guest or its monitor, so that an instruction clock they all
 * share counts for the one. The others halt in their monitors and execute nothing. */
#ifndef SVM_BATON_H
#define SVM_BATON_H

#include "monitor.h"

/* The first CPU begins with it. */
void baton_start(struct svm_frame *frame);

/* A further CPU, which has no monitor yet, takes it: returns when all others have halted. It then either joins them,
 * which lets it keep the baton for now, or leaves them. */
void baton_take(unsigned cpu);
void baton_join(struct svm_frame *frame);
void baton_leave(void);

/* Takes a CPU out that waits for it and will be reset: it can join again. */
void baton_remove(unsigned cpu);

/* Sets the guest's clock, and what is measured by it, to the core's (model.h, clock_address): it has gone on, or has
 * been written. */
void baton_follow_clock(struct svm_frame *frame);

/* Whether there are others, and one executes at a time. */
extern bool baton_is_shared;

/* If it is: whether this CPU has had it long enough, or another one has to be told of its PMU's overflow. */
bool baton_is_due(struct svm_frame *frame);

/* Its PMU's overflow is delivered to this CPU's guest: it is not handed on while the handler serves it. */
void baton_keep(struct svm_frame *frame);

/* This CPU's guest waits for others: it is to be handed on. */
void baton_yield(struct svm_frame *frame);

/* Whether all CPUs are halted, the caller included. */
bool baton_is_idle(void);

/* This CPU's guest is at a PAUSE: it waits for another one. */
void baton_pause(unsigned cpu);

/* Whether all CPUs are halted, or have paused in their last turn, and none is to take an NMI: they wait for time to
 * pass. */
bool baton_is_waiting(void);

/* Hands it on, and returns when it has come back. The clock of a halted guest has gone on meanwhile, with the
 * instructions of the others. */
void baton_pass(struct svm_frame *frame);

/* The guest halts, or no longer does: halted ones have the baton only to look whether there is an interrupt. */
void baton_halt(struct svm_frame *frame);
void baton_wake(struct svm_frame *frame);

/*
 * Without it: guests whose PMUs do not count need not take turns. Then all execute as the machine has them execute.
 */

/* Whether this CPU needs to be alone when it executes. If none does, the baton ends when it is to be handed on. Until
 * this has been called for each CPU, all do. */
void baton_need(unsigned cpu, bool need);

/* Ends it: the others, which wait for it, go on. The caller has it. */
void baton_end(unsigned cpu);

/* Takes it: returns when all others are halted in their monitors, where they come by an NMI. If another one has it
 * already, returns when it has come from there, or has ended. */
void baton_begin(struct svm_frame *frame);

/* Whether another CPU has it: this one is to wait (baton_pass). */
bool baton_is_lost(unsigned cpu);

/* Has a CPU's guest be left, by an NMI. */
void baton_call(unsigned cpu);

/* How many NMIs this CPU has been sent to be called or to be handed the baton, since it last asked; whether there are
 * any. They are sent right behind being counted. */
extern uint8_t baton_asked[SVM_CPUS];
static inline unsigned baton_take_asked(unsigned cpu)
{
	return __atomic_exchange_n(&baton_asked[cpu], 0, __ATOMIC_SEQ_CST);
}
static inline bool baton_is_asked(unsigned cpu)
{
	return __atomic_load_n(&baton_asked[cpu], __ATOMIC_SEQ_CST);
}

/* While nobody has it: the guest's time-stamp counter is the machine's. */
void baton_follow_machine(struct svm_frame *frame);

#endif
