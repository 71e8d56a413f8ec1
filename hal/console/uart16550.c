// SPDX-License-Identifier: BSD-2-Clause
// A 16550 serial port; the machine's uart.h accesses its registers.

#include "uart16550.h"

#include "uart.h"

#define UART_DATA	0	/* divisor's low byte while DLAB is set */
#define UART_INTERRUPTS	1	/* divisor's high byte while DLAB is set */
#define UART_FIFO	2
#define UART_LINE	3
#define UART_MODEM	4
#define UART_STATUS	5
#define UART_SCRATCH	7

#define LINE_8N1	0x03
#define LINE_DLAB	0x80
#define FIFO_ENABLE	0x07
#define MODEM_DTR_RTS	0x03
#define STATUS_EMPTY	0x20
#define STATUS_NONE	0xFF	/* reads as all ones: no port */
#define DIVISOR_115200	1

#define FIFO_SIZE	16	/* capacity, in characters */

/* Polls for room: of a port that may be absent, about a second; of one that works, over a quarter
 * of an hour, which is longer than an emulator's run. */
#define WAIT_ABSENT	1000000u
#define WAIT_WORKING	1000000000u

static bool holds(const struct uart16550 *uart, uint8_t value)
{
	uart_write(uart, UART_SCRATCH, value);
	return uart_read(uart, UART_SCRATCH) == value;
}

bool uart16550_is_there(const struct uart16550 *uart, bool only_look)
{
	return uart_read(uart, UART_STATUS) != STATUS_NONE &&
	       (only_look || (holds(uart, 0x5A) && holds(uart, 0xA5)));
}

void uart16550_start(struct uart16550 *uart)
{
	uart_write(uart, UART_INTERRUPTS, 0);
	uart_write(uart, UART_LINE, LINE_DLAB);
	uart_write(uart, UART_DATA, DIVISOR_115200);
	uart_write(uart, UART_INTERRUPTS, 0);
	uart_write(uart, UART_LINE, LINE_8N1);
	uart_write(uart, UART_FIFO, FIFO_ENABLE);
	uart_write(uart, UART_MODEM, MODEM_DTR_RTS);
}

// Waits until the FIFO is empty.
__attribute__((noinline)) static void make_room(struct uart16550 *uart)
{
	const unsigned limit = uart->state == UART16550_WORKS ? WAIT_WORKING : WAIT_ABSENT;
	unsigned polls = 0;

	while (!(uart_read(uart, UART_STATUS) & STATUS_EMPTY) && polls < limit)
		polls++;
	uart->room = FIFO_SIZE;
	uart->state = polls == limit ? UART16550_BROKEN : UART16550_WORKS;
}

static void put(struct uart16550 *uart, char c)
{
	if (!uart->room)
		make_room(uart);
	uart_write(uart, UART_DATA, (uint8_t)c);
	uart->room--;
}

// Writes the characters that fit, at most one line. Returns the rest.
static const char *put_line(struct uart16550 *uart, const char *text, uint32_t size)
{
	const char *end = text + (size < uart->room ? size : uart->room), *c = text;

	while (c < end && *c != '\n')
		c++;
	uart_write_text(uart, UART_DATA, text, (size_t)(c - text));
	uart->room -= (uint32_t)(c - text);
	return c;
}

void uart16550_write(struct uart16550 *uart, const char *text, uint32_t size)
{
	const char *end = text + size;

	while (uart->state != UART16550_BROKEN &&
	       (text = put_line(uart, text, (uint32_t)(end - text))) < end) {
		if (*text == '\n')
			put(uart, '\r');
		put(uart, *text++);
	}
}
