/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the guest's privilege level that SVM does not intercept; instructions that fault. */
#ifndef GUEST_LEVELS_H
#define GUEST_LEVELS_H

#include <stdbool.h>

#include "frame.h"

/* An exit begins: the guest's registers are its own again. May change the exit's code to that of a step. True: the exit
 * has been dealt with. */
bool levels_end_turn(struct svm_frame *frame);

/* The last thing before an entry, behind svm_prepare_entry. Counting: some counter counts, now or as soon as its level
 * is reached. */
void levels_begin_turn(struct svm_frame *frame, bool counting);

#endif
