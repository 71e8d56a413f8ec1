/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the guest's privilege level that SVM does not intercept; instructions that fault. */
#ifndef GUEST_LEVELS_H
#define GUEST_LEVELS_H

#include <stdbool.h>

#include "run_token.h"
#include "faults.h"
#include "monitor.h"

/* On VM exit. May change the exit code to that of a step. True: the exit has been handled. */
bool levels_end_quantum(struct svm_frame *frame);

/* What the registers of system calls hold: the guest's values; others, with the guest's accesses intercepted; anything
 * else, or the next quantum is one instruction. */
enum { LEVELS_OPEN, LEVELS_CLOSED, LEVELS_OTHER };
extern uint8_t levels_state[SVM_CPUS];

/* Last of all before VM entry, after svm_prepare_entry. `counting`: some counter counts, now or as soon as its level is
 * reached. */
void levels_arrange_quantum(struct svm_frame *frame, bool counting);
static inline void levels_begin_quantum(struct svm_frame *frame, bool counting)
{
	const struct svm_monitor *m = frame->monitor;
	const bool alone = m->stepping | m->watching;

	if (levels_state[m->cpu] != (m->level_matters && !alone ? LEVELS_CLOSED : LEVELS_OPEN) || run_token_is_shared)
		levels_arrange_quantum(frame, counting);
	else if (counting && !alone)
		frame->vmcb->intercept_exceptions |= FAULTS_COUNTED;
}

/* Restores the guest's registers of system calls, before all its registers are replaced. */
void levels_give_registers(struct svm_frame *frame);

#endif
