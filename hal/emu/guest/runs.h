/* SPDX-License-Identifier: BSD-2-Clause */
/* Quanta of many instructions while branches are reported. */
#ifndef GUEST_RUNS_H
#define GUEST_RUNS_H

#include "frame.h"

/* At an exit's end, when the guest's next quantum is ready: if it is one instruction, to be reported by kind, makes it
 * as many as can be reported. `alone`: that cannot be. Not needed if neither the last quantum nor this one is watched,
 * and no other CPU's can have been meanwhile. */
void runs_begin(struct svm_frame *frame, bool alone);

/* Before anything else at an exit, if the quantum was watched: reports to the PMU what has executed, all but the last
 * instruction, of which the monitor knows what it is. An end that is the monitor's own becomes that of an alarm. */
void runs_end(struct svm_frame *frame);

#endif
