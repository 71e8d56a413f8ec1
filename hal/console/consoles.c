// SPDX-License-Identifier: BSD-2-Clause
// Writes the same text to several consoles.

#include "consoles.h"

#include "log.h"

void consoles_write(struct consoles *c, const char *text, uint32_t size)
{
	if (c->log)
		log_write((void *)(uintptr_t)c->log, text, size);
	for (uint32_t i = 0; i < c->serial_ports; i++)
		uart16550_write(&c->serial_port[i], text, size);
	for (uint32_t i = 0; i < c->screens; i++)
		screen_write(&c->screen[i], text, size);
}
