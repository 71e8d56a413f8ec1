/* SPDX-License-Identifier: BSD-2-Clause */
/* The alarm that ends the guest's turn on a given instruction. switch.S sets it on each entry. */
#ifndef SVM_ALARM_H
#define SVM_ALARM_H

#include "frame.h"

/* Prepares the timer and the frame's alarm fields. NULL: done; else why it cannot be. */
const char *alarm_start(struct svm_frame *frame);

/* The comparator is written as 32 bits, of ten clocks each. Once a quarter of that has passed, the timer's counter
 * is to be started anew before the guest's next turn; even a turn that is all short exits (some 200 clocks for each
 * guest instruction) ends long before the other three quarters have. */
#define ALARM_AGE (10ULL << 30)

static inline bool alarm_is_old(const struct svm_frame *frame)
{
	return frame->host_clock + frame->alarm_phase > ALARM_AGE;
}

void alarm_restart(struct svm_frame *frame);

#endif
