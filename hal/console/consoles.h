/* SPDX-License-Identifier: BSD-2-Clause */
/* The consoles of a machine that may have several: the same text goes to all. 32-bit code finds
 * them before it is known whether the image can run, and the 64-bit runtime uses its result.
 * Therefore all members have the same size in both modes. */
#ifndef CONSOLES_H
#define CONSOLES_H

#include <stdint.h>

#include "screen.h"
#include "uart16550.h"

#define CONSOLES_SERIAL		4
#define CONSOLES_SCREENS	2
#define CONSOLES_PROBLEM	96

struct consoles {
	uint32_t serial_ports, screens;
	struct uart16550 serial_port[CONSOLES_SERIAL];
	struct screen screen[CONSOLES_SCREENS];
	uint64_t log;				/* address of a struct log; 0: none */
	char problem[CONSOLES_PROBLEM];		/* the unknown names in console=; "": none */
};

extern struct consoles consoles;

void consoles_write(struct consoles *consoles, const char *text, uint32_t size);

#endif
