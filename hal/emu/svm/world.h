/* SPDX-License-Identifier: BSD-2-Clause */
/* Both sides of the world switch before it is first done: the machine, the guest's control block, the clock. Of a PMU
 * only that its registers, and those that other processors' PMUs have, are not the machine's. */
#ifndef SVM_WORLD_H
#define SVM_WORLD_H

#include <stdint.h>

#include "frame.h"

/* Once, before anything else. NULL: the machine can have a monitor; else why not. From here on accesses to registers of
 * performance monitoring end the guests' quanta, and are refused if there is no such register. */
const char *world_start(void);

/* Has the guests' accesses to a register below this end their quanta. */
#define WORLD_MSRS 0x2000
void world_intercept_msr(uint32_t msr);

/* Turns SVM on on the calling CPU, number `cpu`, whose frame is at the top of a stack of its own. The guest is what the
 * program is. NULL: done, with the global interrupt flag clear, and the exit function to be set; else why it cannot
 * be. */
const char *world_prepare(struct svm_frame *frame, unsigned cpu);

/* Has NMIs in the monitor go elsewhere first; from there they go on to svm_nmi_entry, all registers as they were. */
void world_take_nmis(void (*entry)(void));

/* What the machine's CPUID (EAX, EBX, ECX, EDX) answers the guest, which has no SVM. */
void world_identify(const struct svm_frame *frame, uint32_t registers[4]);

#endif
