/* SPDX-License-Identifier: BSD-2-Clause */
/* Several CPUs. The guest starts them by INIT and startup interrupts, which would end their monitors: with several
 * CPUs, and only then, what the guest writes to its local APIC goes through here. */
#ifndef GUEST_STARTUP_H
#define GUEST_STARTUP_H

#include <stdbool.h>

#include "frame.h"

/* Starts the further CPUs, up to `count` in all, each with a monitor, and has them wait for the guest. The caller is
 * the monitor's guest. Each uses `exit`. False: one has not come. */
bool startup_begin(unsigned count, bool (*exit)(struct svm_frame *frame));

/* The exit is a write to the local APIC. */
bool startup_is_apic_write(const struct svm_frame *frame);

/* If it is: carries it out. Returns the instruction's length; 0: it is not known here, and is to be the guest's quantum
 * (startup_prepare_quantum). */
unsigned startup_carry_out_write(const struct svm_frame *frame);

/* Whether something has been sent to this CPU that it has not taken: an NMI, INIT, startup. */
bool startup_has_come(unsigned cpu);

/* Before anything else at an exit: carries out what the guest has written in its quantum. */
void startup_finish_write(struct svm_frame *frame);

/* At an exit's end: what others have sent this CPU, INIT or startup; then the quantum of a write, if `writes`: this CPU
 * is alone then. `fill` prepares a control block for its guest, and its registers: true, if it did. */
bool startup_prepare_quantum(struct svm_frame *frame, bool writes, void (*fill)(struct svm_frame *frame));

#endif
