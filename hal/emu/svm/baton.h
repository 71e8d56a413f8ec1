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

/* Whether there are others. */
extern bool baton_is_shared;

/* If it is: whether this CPU has had it long enough, or another one has to be told of its PMU's overflow. */
bool baton_is_due(const struct svm_frame *frame);

/* Whether all CPUs are halted, the caller included. */
bool baton_is_idle(void);

/* The guest has executed PAUSE: it waits for another CPU. Hands the baton on soon, unless all others wait, too: then
 * they wait for time to pass. */
void baton_pause(struct svm_frame *frame);

/* Whether all CPUs are halted, or have paused in their last turn. */
bool baton_is_awaited(void);

/* Hands it on, and returns when it has come back. The clock of a halted guest has gone on meanwhile, with the
 * instructions of the others. */
void baton_pass(struct svm_frame *frame);

/* The guest halts, or no longer does: halted ones have the baton only to look whether there is an interrupt. */
void baton_halt(struct svm_frame *frame);
void baton_wake(struct svm_frame *frame);

#endif
