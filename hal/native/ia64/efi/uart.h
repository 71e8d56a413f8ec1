/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's 16550: the first serial port, at a PC's I/O ports. */
#ifndef UART_H
#define UART_H

#include <stddef.h>

#include "ia64/ports.h"
#include "uart16550.h"

#define UART_CONSOLE	0x3F8

static inline void uart_write(const struct uart16550 *uart, unsigned number, uint8_t value)
{
	if (ia64_port_space)
		*ia64_port((uint16_t)(uart->address + number)) = value;
	__asm__ volatile("mf.a" : : : "memory");
}

static inline void uart_write_text(const struct uart16550 *uart, unsigned number, const char *text, size_t size)
{
	while (size--)
		uart_write(uart, number, (uint8_t)*text++);
}

/* Without I/O ports, reads as always ready. */
static inline uint8_t uart_read(const struct uart16550 *uart, unsigned number)
{
	return ia64_port_space ? *ia64_port((uint16_t)(uart->address + number)) : 0xFF;
}

#endif
