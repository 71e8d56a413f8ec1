// SPDX-License-Identifier: BSD-2-Clause
// References to devices, TURNS times each: two loads and a store of an I/O interrupt controller's
// register, which selects another one, and a load of the local interrupt controller's version.

#include <stdint.h>

#define TURNS		100

static volatile uint32_t *const io_apic = (volatile uint32_t *)0xFEC00000;
static volatile uint32_t *const local_apic_version = (volatile uint32_t *)0xFEE00030;

int workload(void)
{
	for (unsigned turns = TURNS; turns; turns--) {
		(void)*io_apic;
		*io_apic = 0;
		(void)*io_apic;
		(void)*local_apic_version;
	}
	return 0;
}
