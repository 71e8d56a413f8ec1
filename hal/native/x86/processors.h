/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by interrupts.c and processors.c. */
#ifndef PROCESSORS_H
#define PROCESSORS_H

#include "arch.h"

/* A vector that only ends a halt: of a CPU that gets a call, or that waits for other CPUs. */
#define VECTOR_WAKE	0xD1

/* Turns the calling CPU's local APIC on. No source is enabled. */
void interrupts_start_cpu(void);

/* Resets the further CPUs, which then execute nothing until their startup interrupts. */
void processors_reset(void);

#endif
