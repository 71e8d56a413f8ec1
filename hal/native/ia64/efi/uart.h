/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's 16550: the first serial port, at the I/O ports where PCs have it. */
#ifndef UART_H
#define UART_H

#include "ia64/ports.h"

#define PORT_CONSOLE	0x3F8

static inline void uart_write(unsigned number, uint8_t value)
{
	if (ia64_port_space)
		*ia64_port((uint16_t)(PORT_CONSOLE + number)) = value;
	__asm__ volatile("mf.a" : : : "memory");
}

/* Without ports it is always ready. */
static inline uint8_t uart_read(unsigned number)
{
	return ia64_port_space ? *ia64_port((uint16_t)(PORT_CONSOLE + number)) : 0xFF;
}

#endif
