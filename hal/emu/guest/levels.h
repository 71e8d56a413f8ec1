/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the guest's privilege level that SVM does not intercept; instructions that fault. */
#ifndef GUEST_LEVELS_H
#define GUEST_LEVELS_H

#include <stdbool.h>

#include "baton.h"
#include "faults.h"
#include "monitor.h"

/* An exit begins. May change its code to that of a step. True: it has been dealt with. */
bool levels_end_turn(struct svm_frame *frame);

/* Whether the guest's registers are not its own, or the coming turn is to be one instruction. */
extern bool levels_busy[SVM_CPUS];

/* The last thing before an entry, behind svm_prepare_entry. Counting: some counter counts, now or as soon as its level
 * is reached. */
void levels_arrange_turn(struct svm_frame *frame, bool counting);
static inline void levels_begin_turn(struct svm_frame *frame, bool counting)
{
	const struct svm_monitor *m = frame->monitor;

	if (m->special || levels_busy[m->cpu] || baton_is_shared)
		levels_arrange_turn(frame, counting);
	else if (counting)
		frame->vmcb->intercept_exceptions |= FAULTS_COUNTED;
}

/* Before all of the guest's registers are replaced: those of system calls are the guest's again. */
void levels_give_registers(struct svm_frame *frame);

#endif
