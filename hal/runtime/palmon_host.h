/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's functions for palmon's runtime as a library. A host is firmware, a kernel or an RTOS.
 * It defines these functions, and memcpy, memmove, memset and memcmp; its handler of the general
 * protection exception calls palmon_fault (palmon_runtime.h). palmon(3) documents all of this. */
#ifndef PALMON_HOST_H
#define PALMON_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the calling CPU's context: PALMON_CONTEXT_BYTES bytes of aligned host memory, one for
 * each CPU, all zero before that CPU's first call to the library. It holds the library's entire
 * state. */
#define PALMON_CONTEXT_BYTES	53248
#define PALMON_CONTEXT_ALIGNED	64
void *palmon_host_context(void);

/* Outputs a part of the self test's report: ASCII lines with their line ends. */
void palmon_host_put(const char *text, size_t size);

/* A clock with a constant rate that never stops, e.g. the time-stamp counter. */
uint64_t palmon_host_clock(void);

/* Routes the calling CPU's overflow interrupt (LVTPC of its local APIC) to `handler`, and unmasks
 * it: as a vector of the host's choice, or as an NMI if non_maskable. Pass the interrupted
 * instruction's address and privilege level. The handler runs with interrupts off, and changes only
 * registers that a C function may change. */
typedef void palmon_handler(uint64_t ip, unsigned level);
void palmon_host_attach(palmon_handler *handler, bool non_maskable);

/* Set and clear the mask bit of LVTPC. */
void palmon_host_mask(void);
void palmon_host_unmask(void);

/* Ends the overflow interrupt if it is maskable: writes the local APIC's EOI register. */
void palmon_host_end(void);

/* Waits until an interrupt has been taken. Interrupts are off at the call and at the return. */
void palmon_host_halt(void);

/* Raises one interrupt of the host, after `ticks` of a timer with ticks of some nanoseconds. False:
 * there is no such timer, and the self test skips the checks that need it. */
bool palmon_host_alarm(uint32_t ticks);

/* Calls the function at privilege level 3 with interrupts on and a stack, and returns after it.
 * False: the host has no code at that level, and the self test skips the checks that need it. */
bool palmon_host_run_user(void (*function)(uint64_t argument), uint64_t argument);

#endif
