/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's 16550: a PC's first serial port. */
#ifndef UART_H
#define UART_H

#include "x86/cpu.h"
#include "x86/ports.h"

static inline void uart_write(unsigned number, uint8_t value)
{
	x86_outb((uint16_t)(PORT_CONSOLE + number), value);
}

static inline uint8_t uart_read(unsigned number)
{
	return x86_inb((uint16_t)(PORT_CONSOLE + number));
}

#endif
