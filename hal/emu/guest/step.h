/* SPDX-License-Identifier: BSD-2-Clause */
/* Quanta of one instruction. */
#ifndef GUEST_STEP_H
#define GUEST_STEP_H

#include "frame.h"
#include "kernel.h"
#include "monitor.h"

/* Makes the next quantum one instruction. _alone: and no interrupt is taken before it. */
static inline void guest_step(struct svm_frame *frame)
{
	kernel_set_alarm(frame, 1);
	frame->monitor->deadline = frame->guest_clock + 1;
}

static inline void guest_step_alone(struct svm_frame *frame)
{
	kernel_step_alone(frame);
	guest_step(frame);
}

#endif
