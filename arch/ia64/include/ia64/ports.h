/* SPDX-License-Identifier: BSD-2-Clause */
/* I/O ports, which are mapped to memory addresses (ASDM volume 2, 10.7). */
#ifndef IA64_PORTS_H
#define IA64_PORTS_H

#include <stdint.h>

/* Their base address, from the boot loader's memory map; 0: unknown. */
extern uint64_t ia64_port_space;

#define IA64_UNCACHED	(1ULL << 63)

/* Four ports are on a page of 4 KB. */
static inline volatile uint8_t *ia64_port(uint16_t number)
{
	return (volatile uint8_t *)(IA64_UNCACHED | ia64_port_space | (uint64_t)number >> 2 << 12 | (number & 0xFFF));
}

#endif
