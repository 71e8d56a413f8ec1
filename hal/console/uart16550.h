/* SPDX-License-Identifier: BSD-2-Clause */
/* A 16550 serial port. The machine's uart.h reads and writes its registers. */
#ifndef UART16550_H
#define UART16550_H

#include <stdbool.h>
#include <stdint.h>

enum uart16550_state {
	UART16550_UNTRIED,
	UART16550_WORKS,	/* it has made room */
	UART16550_BROKEN,	/* no room within the time limit; not used again */
};

struct uart16550 {
	uint64_t address;
	uint32_t width;		/* of a register in memory: 1, 2 or 4 bytes; 0: I/O ports */
	uint32_t room;		/* characters that the FIFO takes at present */
	enum uart16550_state state;
};

/* Whether a port is at this address: its registers hold written values, or, with `only_look`, its
 * status register is plausible. */
bool uart16550_is_there(const struct uart16550 *uart, bool only_look);

/* Sets 115200 baud, 8 bits, no parity. Without this call the firmware's settings stay. */
void uart16550_start(struct uart16550 *uart);

/* Waits for room, for a bounded time; drops text if the port never takes it. A port that works may
 * make no room for minutes: an emulator waits for the reader of its output. */
void uart16550_write(struct uart16550 *uart, const char *text, uint32_t size);

#endif
