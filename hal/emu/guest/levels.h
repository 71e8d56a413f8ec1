/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the guest's privilege level that SVM does not intercept; instructions that fault. */
#ifndef GUEST_LEVELS_H
#define GUEST_LEVELS_H

#include <stdbool.h>

#include "layout.h"
#include "monitor.h"
#include "run_token.h"

#define VECTOR_DIVIDE		0
#define VECTOR_NO_DEVICE	7
#define VECTOR_NOT_PRESENT	11

/* As bits: exceptions of instructions that the emulator's clock may have counted although they fault. */
#define FAULTS_COUNTED (1u << VECTOR_DIVIDE | 1u << VECTOR_UNDEFINED | 1u << VECTOR_NO_DEVICE | \
			1u << VECTOR_NOT_PRESENT | 1u << VECTOR_GENERAL_PROTECTION)

/* On VM exit: handles those that are so because a register is not the guest's. */
enum outcome levels_end_quantum(struct svm_frame *frame);

/* What the registers of system calls hold: the guest's values; others, with the guest's accesses intercepted, of
 * SYSENTER alone, or of SYSCALL, too; anything else, or the next quantum is one instruction. */
enum { LEVELS_OPEN, LEVELS_FOLLOWED, LEVELS_CLOSED, LEVELS_OTHER };
extern uint8_t levels_state[SVM_CPUS];

/* Whether the coming quantum is one instruction, whatever counts. */
static inline bool levels_is_alone(const struct svm_monitor *m)
{
	return m->stepping || (m->watching && !m->watched);
}

/* Last of all before VM entry, after svm_prepare_entry. `counting`: some counter counts, now or as soon as its level is
 * reached. */
void levels_arrange_quantum(struct svm_frame *frame, bool counting);
static inline void levels_begin_quantum(struct svm_frame *frame, bool counting)
{
	const struct svm_monitor *m = frame->monitor;
	const bool alone = levels_is_alone(m), closes = m->prepared.level_matters && !alone;
	const uint8_t closed = m->prepared.follows ? LEVELS_FOLLOWED : LEVELS_CLOSED;

	if (levels_state[m->cpu] != (closes ? closed : LEVELS_OPEN) || run_token_is_shared)
		levels_arrange_quantum(frame, counting);
	else if (counting && !alone)
		frame->vmcb->intercept_exceptions |= FAULTS_COUNTED;
	if (levels_state[m->cpu] == LEVELS_FOLLOWED)
		frame->vmcb->intercept1 |= SVM_INTERCEPT_SWINT |
					   (m->prepared.follows == MAILBOX_FOLLOWS_RETURNS ? 0 : SVM_INTERCEPT_IRET);
}

/* Restores the guest's registers of system calls, before all its registers are replaced. */
void levels_give_registers(struct svm_frame *frame);

#endif
