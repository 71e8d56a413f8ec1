/* SPDX-License-Identifier: BSD-2-Clause */
/* What palmon's runtime as a library asks of its host: firmware, a kernel, an RTOS. The host defines these functions,
 * and memcpy, memmove, memset and memcmp. It calls palmon_fault (palmon_runtime.h) when a general protection exception
 * comes. palmon(3) has all of it. */
#ifndef PALMON_HOST_H
#define PALMON_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PALMON_CPUS 4		/* that can use the library */

/* Puts a part of the self test's report where people find it: lines with their ends, of ASCII. */
void palmon_host_put(const char *text, size_t size);

/* A clock that advances at a constant rate, and never stops: the time-stamp counter will do. */
uint64_t palmon_host_clock(void);

/* The calling CPU's number, below PALMON_CPUS. */
unsigned palmon_host_cpu(void);

/* Has the calling CPU's overflow interrupt, LVTPC of its local APIC, call `handler`, and lets it come: as an interrupt
 * of the host's choice, or non_maskable. The handler gets the interrupted instruction's address and privilege level; it
 * runs with interrupts off, and changes no registers but those that a C function may. */
typedef void palmon_handler(uint64_t ip, unsigned level);
void palmon_host_attach(palmon_handler *handler, bool non_maskable);

/* Sets, and clears, the mask bit of LVTPC. */
void palmon_host_mask(void);
void palmon_host_unmask(void);

/* Ends the overflow interrupt, where it is a maskable one: writes to the local APIC's EOI. */
void palmon_host_end(void);

/* Waits until an interrupt has been taken. Called with interrupts off; they are off again on return. */
void palmon_host_halt(void);

#endif
