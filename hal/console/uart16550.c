// SPDX-License-Identifier: BSD-2-Clause
// Console on a PC's first serial port, 115200 baud, 8 bits, no parity.

#include "hal.h"
#include "x86/cpu.h"

#define UART		0x3F8
#define UART_DATA	(UART + 0)	/* divisor's low byte while DLAB is set */
#define UART_INTERRUPTS	(UART + 1)	/* divisor's high byte while DLAB is set */
#define UART_FIFO	(UART + 2)
#define UART_LINE	(UART + 3)
#define UART_MODEM	(UART + 4)
#define UART_STATUS	(UART + 5)

#define LINE_8N1	0x03
#define LINE_DLAB	0x80
#define FIFO_ENABLE	0x07
#define MODEM_DTR_RTS	0x03
#define STATUS_EMPTY	0x20
#define DIVISOR_115200	1

#define FIFO_SIZE	16	/* characters that fit when it is empty */

#define WAIT_LIMIT	1000000		/* polls for room; a port that is not there must not hang the run */

static void start(void)
{
	x86_outb(UART_INTERRUPTS, 0);
	x86_outb(UART_LINE, LINE_DLAB);
	x86_outb(UART_DATA, DIVISOR_115200);
	x86_outb(UART_INTERRUPTS, 0);
	x86_outb(UART_LINE, LINE_8N1);
	x86_outb(UART_FIFO, FIFO_ENABLE);
	x86_outb(UART_MODEM, MODEM_DTR_RTS);
}

// Waits until the FIFO is empty. Returns the room in it.
__attribute__((noinline)) static unsigned make_room(void)
{
	static bool started;

	if (!started) {
		started = true;
		start();
	}
	for (unsigned i = 0; i < WAIT_LIMIT && !(x86_inb(UART_STATUS) & STATUS_EMPTY); i++)
		;
	return FIFO_SIZE;
}

// Returns the room that is left.
static inline unsigned put(char c, unsigned room)
{
	if (!room)
		room = make_room();
	x86_outb(UART_DATA, (uint8_t)c);
	return room - 1;
}

void hal_console_write(const char *text, size_t size)
{
	static unsigned room;
	unsigned left = room;

	for (const char *end = text + size; text < end; text++) {
		if (*text == '\n')
			left = put('\r', left);
		left = put(*text, left);
	}
	room = left;
}

void hal_console_put(char c)
{
	hal_console_write(&c, 1);
}
