// SPDX-License-Identifier: BSD-2-Clause
// The console of a machine with a single serial port at a fixed place.

#include "console.h"

#include "hal.h"
#include "uart.h"
#include "uart16550.h"

static struct uart16550 port = {.address = UART_CONSOLE};

void hal_console_write(const char *text, size_t size)
{
	static bool started;

	if (!started) {
		started = true;
		uart16550_start(&port);
	}
	uart16550_write(&port, text, (uint32_t)size);
}

void hal_console_put(char c)
{
	hal_console_write(&c, 1);
}
