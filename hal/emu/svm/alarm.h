/* SPDX-License-Identifier: BSD-2-Clause */
/* The alarm that ends the guest's quantum on a given instruction. switch.S sets it on each entry. */
#ifndef SVM_ALARM_H
#define SVM_ALARM_H

#include "frame.h"

/* Prepares the calling CPU's timer, number `cpu`, and the frame's alarm fields. NULL: done; else why it cannot be. */
const char *alarm_start(struct svm_frame *frame, unsigned cpu);

/* Has the first CPU's alarm reach all CPUs, whatever the identities of their local APICs. */
void alarm_send_to_all(void);

/* Has another CPU's alarm go off in ALARM_RING_CLOCKS from now, and some more. */
#define ALARM_RING_CLOCKS 1000
void alarm_ring(const struct svm_frame *other);

#endif
