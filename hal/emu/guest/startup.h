/* SPDX-License-Identifier: BSD-2-Clause */
/* Several CPUs. The guest starts them by INIT and startup interrupts, which would end their monitors. So with several
 * CPUs, and only then, the guest's writes to its local APIC are carried out here. */
#ifndef GUEST_STARTUP_H
#define GUEST_STARTUP_H

#include <stdbool.h>

#include "frame.h"

/* Starts the further CPUs, up to `count` in all, each with a monitor, and has them wait for the guest. The caller is
 * the monitor's guest. Each uses `exit`. False: one has not started. */
bool startup_begin(unsigned count, bool (*exit)(struct svm_frame *frame));

/* Whether the exit is a write to the local APIC. */
bool startup_is_apic_write(const struct svm_frame *frame);

/* Carries out such a write. Returns the instruction's length; 0: the instruction is not known here, and must execute as
 * a quantum of its own (startup_prepare_quantum). */
unsigned startup_carry_out_write(const struct svm_frame *frame);

/* Whether an NMI, INIT or startup interrupt is pending for this CPU. */
bool startup_has_come(unsigned cpu);

/* First of all on VM exit: sends what the guest has written to the local APIC in a quantum of its own. */
void startup_finish_write(struct svm_frame *frame);

/* Before VM entry: takes an INIT or startup interrupt that other CPUs have sent. True: it has started the guest. Then,
 * if `writes`, makes the quantum that of the write: this CPU executes alone in it. */
bool startup_prepare_quantum(struct svm_frame *frame, bool writes);

#endif
