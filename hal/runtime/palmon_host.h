/* SPDX-License-Identifier: BSD-2-Clause */
/* What palmon's runtime as a library asks of its host: firmware, a kernel, an RTOS. The host defines these functions,
 * and memcpy, memmove, memset and memcmp. It calls palmon_fault (palmon_runtime.h) when a general protection exception
 * comes. palmon(3) has all of it. */
#ifndef PALMON_HOST_H
#define PALMON_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The calling CPU's context: memory of the host's, aligned, of which each CPU has its own, and which is all zero before
 * the CPU first calls the library. All that the library keeps is there. */
#define PALMON_CONTEXT_BYTES	53248
#define PALMON_CONTEXT_ALIGNED	64
void *palmon_host_context(void);

/* Puts a part of the self test's report where people find it: lines with their ends, of ASCII. */
void palmon_host_put(const char *text, size_t size);

/* A clock that advances at a constant rate, and never stops: the time-stamp counter will do. */
uint64_t palmon_host_clock(void);

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

/* Has an interrupt of the host's come once, so many ticks of a timer of its own from now, of some nanoseconds each.
 * False: it has none, and the self test skips the checks that need one. */
bool palmon_host_alarm(uint32_t ticks);

/* Calls the function at privilege level 3, interrupts on, with a stack there, and returns when it does. False: nothing
 * here runs at that level, and the self test skips the checks that need it. */
bool palmon_host_run_user(void (*function)(uint64_t argument), uint64_t argument);

#endif
