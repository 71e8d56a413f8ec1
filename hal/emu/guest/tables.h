/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's descriptions of the machine, changed to what the guest has. */
#ifndef GUEST_TABLES_H
#define GUEST_TABLES_H

#include <stdint.h>

/* Where ACPI's root pointer (RSDP) is; 0: there is none. */
uint32_t tables_root_pointer(void);

/* Takes the HPET, which is the monitor's, out of ACPI's tables. */
void tables_hide_hpet(void);

/* Takes the monitor's memory, and what is above it, out of the memory that the BIOS reports. */
void tables_hide_monitor(void);

#endif
