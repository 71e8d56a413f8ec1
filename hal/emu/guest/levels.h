/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the guest's privilege level that SVM does not intercept; instructions that fault. */
#ifndef GUEST_LEVELS_H
#define GUEST_LEVELS_H

#include <stdbool.h>

#include "run_token.h"
#include "faults.h"
#include "monitor.h"

/* An exit begins. May change its code to that of a step. True: it has been dealt with. */
bool levels_end_quantum(struct svm_frame *frame);

/* Of the registers of system calls: the guest's; not the guest's, and its accesses to them intercepted; anything else,
 * or the coming quantum is to be one instruction. */
enum { LEVELS_OPEN, LEVELS_CLOSED, LEVELS_OTHER };
extern uint8_t levels_state[SVM_CPUS];

/* The last thing before an entry, behind svm_prepare_entry. Counting: some counter counts, now or as soon as its level
 * is reached. */
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

/* Before all of the guest's registers are replaced: those of system calls are the guest's again. */
void levels_give_registers(struct svm_frame *frame);

#endif
