// SPDX-License-Identifier: BSD-2-Clause
// Text to the first serial port, before there is a console: 115200 baud, 8 bits, no parity.

#include <stdbool.h>

#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/ports.h"

#define UART_DATA		0
#define UART_STATUS		5
#define UART_STATUS_EMPTY	0x20

#define POLLS_MOST		1000000	/* a port that is not there must not hang the run */

// Registers of a 16550 in the order in which they are set: no interrupts; the divisor's latch, 1 in it; 8 bits; the
// FIFO; ready.
static const struct {
	uint8_t number, value;
} set_up[] = {{1, 0}, {3, 0x80}, {0, 1}, {1, 0}, {3, 0x03}, {2, 0x07}, {4, 0x03}};

static void start(void)
{
	static bool started;

	for (unsigned i = 0; !started && i < sizeof set_up / sizeof *set_up; i++)
		x86_outb(PORT_CONSOLE + set_up[i].number, set_up[i].value);
	started = true;
}

static void put(char c)
{
	for (unsigned i = 0; i < POLLS_MOST && !(x86_inb(PORT_CONSOLE + UART_STATUS) & UART_STATUS_EMPTY); i++)
		;
	x86_outb(PORT_CONSOLE + UART_DATA, (uint8_t)c);
}

void x86_early_put(const char *text)
{
	start();
	for (; *text; text++) {
		if (*text == '\n')
			put('\r');
		put(*text);
	}
}
