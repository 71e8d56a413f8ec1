/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's 16550 at UART_CONSOLE: in QEMU's niagara, in I/O space, one byte per register. */
#ifndef UART_H
#define UART_H

#include <stddef.h>

#include "sparc64/guesses.h"
#include "uart16550.h"

/* Ends the run: the program that reads the console stops the machine (tools/run-image). */
#define END_OF_TRANSMISSION	'\4'

static inline volatile uint8_t *uart_register(const struct uart16550 *uart, unsigned number)
{
	return (volatile uint8_t *)(uart->address + number);
}

static inline void uart_write(const struct uart16550 *uart, unsigned number, uint8_t value)
{
	*uart_register(uart, number) = value;
}

static inline void uart_write_text(const struct uart16550 *uart, unsigned number, const char *text,
				   size_t size)
{
	while (size--)
		uart_write(uart, number, (uint8_t)*text++);
}

static inline uint8_t uart_read(const struct uart16550 *uart, unsigned number)
{
	return *uart_register(uart, number);
}

#endif
