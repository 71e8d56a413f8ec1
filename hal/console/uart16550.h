/* SPDX-License-Identifier: BSD-2-Clause */
/* A 16550 serial port. The machine's uart.h reads and writes its registers. */
#ifndef UART16550_H
#define UART16550_H

#include <stdbool.h>
#include <stdint.h>

struct uart16550 {
	uint64_t address;
	uint32_t width;		/* of a register in memory, 1, 2 or 4 bytes; 0: I/O ports */
	uint32_t room;		/* characters that it takes at once */
	uint32_t broken;	/* it takes none, and is not asked again */
};

/* Whether there is one at this address: its registers hold what is written, or it has a status if only that may be
 * looked at. */
bool uart16550_is_there(const struct uart16550 *uart, bool only_look);

/* 115200 baud, 8 bits, no parity. Else it stays as firmware has set it up. */
void uart16550_start(struct uart16550 *uart);

/* Waits for room, for a bounded time. */
void uart16550_write(struct uart16550 *uart, const char *text, uint32_t size);

#endif
