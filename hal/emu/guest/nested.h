/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's physical memory (AMD64 Architecture Programmer's Manual volume 2, 15.25, "Nested Paging"). */
#ifndef GUEST_NESTED_H
#define GUEST_NESTED_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the tables: every address maps to itself, except that the monitor's memory, its HPET and what is above 4 GiB
 * are absent. Returns the tables' address, for the control block. */
uint64_t nested_prepare(void);

#define NESTED_IO_APIC	0xFEC00000u
#define NESTED_APIC	0xFEE00000u

/* The page of an interrupt controller, the I/O APIC or the local APIC. Protect: reads reach it, writes exit. Replace:
 * both reach this page of memory. Until one of them is called, the guest has the controller itself. Both need a TLB
 * flush to take effect. */
void nested_protect(uint32_t controller);
void nested_replace(uint32_t controller, uint64_t page);

/* What is behind the local APIC's page becomes absent: a store there would be a device's message. */
void nested_hide_messages(void);

/* The end of the guest's memory, which goes on behind the monitor's if it is beyond that. */
void nested_set_memory_end(uint64_t end);
uint64_t nested_memory_end(void);

/* Whether these bytes are in the guest's memory. */
bool nested_is_guest(uint64_t address, uint64_t size);

#endif
