/* SPDX-License-Identifier: BSD-2-Clause */
/* What is between an exit and the guest's next quantum. */
#ifndef SVM_ENTRY_H
#define SVM_ENTRY_H

#include "monitor.h"
#include "run_token.h"

/* Has the guest's quantum end after so many instructions. If no overflow can come in it, and no other CPU waits, there
 * is no alarm: the emulator has less to do. */
static inline void svm_set_deadline(struct svm_monitor *m, struct svm_frame *frame, uint64_t quantum)
{
	if (run_token_is_shared && quantum > m->slice_end - frame->guest_clock)
		quantum = m->slice_end - frame->guest_clock;
	frame->alarm_register = quantum < SVM_ALARM_NEVER ? frame->alarm_timer : frame->no_alarm;
	frame->alarm_after = quantum;
	m->deadline = frame->guest_clock + frame->alarm_after;
}

/* Prepares a frame for the guest's next quantum, which starts at privilege level `level`, after a change of what
 * decides the quantum's end. */
void svm_prepare_entry(struct svm_frame *frame, unsigned level);

#endif
