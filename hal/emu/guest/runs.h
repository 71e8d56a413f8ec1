/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns of many instructions while branches are told. */
#ifndef GUEST_RUNS_H
#define GUEST_RUNS_H

#include "frame.h"

/* At an exit's end, when the guest's next turn is ready: if it is one instruction, to be told what it was, makes it as
 * many as can be told. `alone`: that cannot be. */
void runs_begin(struct svm_frame *frame, bool alone);

/* Before anything else at an exit: tells the PMU what has executed, all but the last instruction, of which the monitor
 * knows what it is. An end that is the monitor's own becomes that of an alarm. */
void runs_end(struct svm_frame *frame);

#endif
