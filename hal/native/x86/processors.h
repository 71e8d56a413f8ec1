/* SPDX-License-Identifier: BSD-2-Clause */
/* What interrupts.c and processors.c share. */
#ifndef PROCESSORS_H
#define PROCESSORS_H

#include "arch.h"

/* Does nothing but end a halt: of a CPU for which there is work, or which waits for others. */
#define VECTOR_WAKE	0xD1

/* Turns the calling CPU's local APIC on, no source being enabled. */
void interrupts_start_cpu(void);

/* A handler that only ends its interrupt. */
void interrupts_end(struct arch_frame *frame);

/* Interrupts that firmware or a loader has left in the calling CPU's local APIC are ended when they come. */
void processors_end_what_waits(void);

/* Resets the further CPUs, which then wait to be started, in nobody's memory. */
void processors_reset(void);

#endif
