/* SPDX-License-Identifier: BSD-2-Clause */
/* Quanta of many instructions while branches are reported. */
#ifndef GUEST_RUNS_H
#define GUEST_RUNS_H

#include "frame.h"

/* Before VM entry, when the next quantum is ready: if the quantum is one instruction that must be reported by kind,
 * makes it as many instructions as can be reported. `alone`: it stays one. Not needed if neither the last quantum nor
 * this one is watched, and no other CPU's can have been meanwhile. */
void runs_begin(struct svm_frame *frame, bool alone);

/* First of all on VM exit, if the quantum was watched: reports what has executed to the PMU, except the last
 * instruction, which the monitor reports itself. An exit that the trace caused becomes that of an alarm. */
void runs_end(struct svm_frame *frame);

#endif
