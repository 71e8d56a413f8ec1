// SPDX-License-Identifier: BSD-2-Clause
// Console and end before there is a guest: as the monitor's console, and as hal_exit (../kernel.c).

#include <stdbool.h>

#include "uart.h"
#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/ports.h"

const char x86_early_drives[] = X86_IMAGE_DRIVES;

static struct uart16550 port = {.address = UART_CONSOLE};

void x86_early_find_consoles(void)
{
	uart16550_start(&port);
}

void x86_early_put(const char *text)
{
	uint32_t size = 0;

	while (text[size])
		size++;
	uart16550_write(&port, text, size);
}

void x86_early_find_machine(void)
{
}

noreturn void x86_early_end(const char *why)
{
	(void)why;
	for (;;)
		x86_outb(PORT_KEYBOARD, PORT_KEYBOARD_RESET);
}
