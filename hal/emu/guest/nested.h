/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's physical memory (AMD64 Architecture Programmer's Manual volume 2, 15.25, "Nested Paging"). */
#ifndef GUEST_NESTED_H
#define GUEST_NESTED_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the tables: all is where the machine has it, but the monitor's memory and its HPET are absent. Returns what the
 * control block points at. */
uint64_t nested_prepare(void);

/* The local APIC's page: reads are of the APIC, writes end the guest's quantum; or both are of this page of memory.
 * Until one of them is called, the guest has the APIC itself. Translations in use stay until they are flushed. */
void nested_protect_apic(void);
void nested_replace_apic(uint64_t page);

/* Writes to these pages of the guest's, and to no others, end its quantum: physical addresses, at most
 * NESTED_CODE_PAGES, all different. True: that is a change, and translations in use stay until they are flushed. */
#define NESTED_CODE_PAGES 4
bool nested_protect_code(const uint64_t *pages, unsigned count);

/* Whether an address is on one of them. */
bool nested_is_code(uint64_t address);

/* Whether these bytes are memory of the guest's. */
bool nested_is_guest(uint64_t address, uint64_t size);

#endif
