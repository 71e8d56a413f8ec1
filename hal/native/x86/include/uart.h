/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to the registers of a PC's 16550, in I/O ports or in memory. */
#ifndef UART_H
#define UART_H

#include <stddef.h>

#include "uart16550.h"
#include "x86/cpu.h"

#define UART_CONSOLE	0x3F8	/* the first serial port */

static inline uint8_t *uart_register(const struct uart16550 *uart, unsigned number)
{
	return (uint8_t *)(uintptr_t)uart->address + number * uart->width;
}

static inline void uart_write(const struct uart16550 *uart, unsigned number, uint8_t value)
{
	switch (uart->width) {
	case 0:
		x86_outb((uint16_t)(uart->address + number), value);
		break;
	case 1:
		*(volatile uint8_t *)uart_register(uart, number) = value;
		break;
	case 2:
		*(volatile uint16_t *)(void *)uart_register(uart, number) = value;
		break;
	default:
		*(volatile uint32_t *)(void *)uart_register(uart, number) = value;
	}
}

/* Writes each byte of `text` to the same register. */
static inline void uart_write_text(const struct uart16550 *uart, unsigned number, const char *text,
				   size_t size)
{
	if (uart->width)
		while (size--)
			uart_write(uart, number, (uint8_t)*text++);
	else
		__asm__ volatile("rep outsb" : "+S"(text),
				 "+c"(size) : "d"((uint16_t)(uart->address + number))
				 : "memory");
}

static inline uint8_t uart_read(const struct uart16550 *uart, unsigned number)
{
	switch (uart->width) {
	case 0:
		return x86_inb((uint16_t)(uart->address + number));
	case 1:
		return *(volatile uint8_t *)uart_register(uart, number);
	case 2:
		return (uint8_t)*(volatile uint16_t *)(void *)uart_register(uart, number);
	default:
		return (uint8_t)*(volatile uint32_t *)(void *)uart_register(uart, number);
	}
}

#endif
