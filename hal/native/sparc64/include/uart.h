/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's 16550: QEMU's niagara has it in I/O space, a byte each register. */
#ifndef UART_H
#define UART_H

#include <stdint.h>

#define UART 0x1F10000000

static inline volatile uint8_t *uart_register(unsigned number)
{
	return (volatile uint8_t *)(UART + number);
}

static inline void uart_write(unsigned number, uint8_t value)
{
	*uart_register(number) = value;
}

static inline uint8_t uart_read(unsigned number)
{
	return *uart_register(number);
}

#endif
