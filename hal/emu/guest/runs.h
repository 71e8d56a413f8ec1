/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns of many instructions while branches are told. */
#ifndef GUEST_RUNS_H
#define GUEST_RUNS_H

#include "frame.h"

/* At an exit's end, when the guest's next turn is ready: if it is one instruction, to be told what it was, makes it as
 * many as can be told. `alone`: that cannot be. Not needed if neither the last turn nor this one is watched, and no
 * other CPU's can have been meanwhile. */
void runs_begin(struct svm_frame *frame, bool alone);

/* Before anything else at an exit, if the turn was watched: tells the PMU what has executed, all but the last
 * instruction, of which the monitor knows what it is. An end that is the monitor's own becomes that of an alarm. */
void runs_end(struct svm_frame *frame);

#endif
