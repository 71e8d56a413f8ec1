// SPDX-License-Identifier: BSD-2-Clause
// Console on a 16550 serial port, 115200 baud, 8 bits, no parity. The machine says where it is.

#include "hal.h"
#include "uart.h"

#define UART_DATA	0	/* divisor's low byte while DLAB is set */
#define UART_INTERRUPTS	1	/* divisor's high byte while DLAB is set */
#define UART_FIFO	2
#define UART_LINE	3
#define UART_MODEM	4
#define UART_STATUS	5

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
	uart_write(UART_INTERRUPTS, 0);
	uart_write(UART_LINE, LINE_DLAB);
	uart_write(UART_DATA, DIVISOR_115200);
	uart_write(UART_INTERRUPTS, 0);
	uart_write(UART_LINE, LINE_8N1);
	uart_write(UART_FIFO, FIFO_ENABLE);
	uart_write(UART_MODEM, MODEM_DTR_RTS);
}

// Waits until the FIFO is empty. Returns the room in it.
__attribute__((noinline)) static unsigned make_room(void)
{
	static bool started;

	if (!started) {
		started = true;
		start();
	}
	for (unsigned i = 0; i < WAIT_LIMIT && !(uart_read(UART_STATUS) & STATUS_EMPTY); i++)
		;
	return FIFO_SIZE;
}

static unsigned room;	// in the FIFO

static void put(char c)
{
	if (!room)
		room = make_room();
	uart_write(UART_DATA, (uint8_t)c);
	room--;
}

// What fits, up to the end of a line. Returns its end.
static const char *put_line(const char *text, size_t size)
{
	const char *end = text + (size < room ? size : room), *c;

	for (c = text; c < end && *c != '\n'; c++)
		uart_write(UART_DATA, (uint8_t)*c);
	room -= (unsigned)(c - text);
	return c;
}

void hal_console_write(const char *text, size_t size)
{
	const char *end = text + size;

	while ((text = put_line(text, (size_t)(end - text))) < end) {
		if (*text == '\n')
			put('\r');
		put(*text++);
	}
}

void hal_console_put(char c)
{
	hal_console_write(&c, 1);
}
