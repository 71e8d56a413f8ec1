/* SPDX-License-Identifier: BSD-2-Clause */
/* What interrupts.c and processors.c share. */
#ifndef PROCESSORS_H
#define PROCESSORS_H

/* Does nothing but end a halt: of a CPU for which there is work, or which waits for others. */
#define VECTOR_WAKE	0xD1

/* Turns the calling CPU's local APIC on, no source being enabled. */
void interrupts_start_cpu(void);

/* Resets the further CPUs, which then wait to be started, in nobody's memory. */
void processors_reset(void);

#endif
