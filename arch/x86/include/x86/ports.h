/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports of the PC. */
#ifndef X86_PORTS_H
#define X86_PORTS_H

#define PORT_KEYBOARD		0x64	/* the keyboard controller's command port; the controller
					 * can pulse the processor's reset line */
#define PORT_KEYBOARD_RESET	0xFE
#define PORT_KEYBOARD_OUTPUT	0xD1	/* command: next data byte to the output port */
#define PORT_KEYBOARD_A20_OFF	0xDD
#define PORT_KEYBOARD_DATA	0x60
#define PORT_SYSTEM_CONTROL	0x92	/* reset in bit 0 */
#define A20_ON			0x02	/* address line 20, in this port and in the output port */
#define PORT_RESET		0xCF9	/* Intel chip sets' reset control: write the kind of reset,
					 * then the same | PORT_RESET_NOW */
#define PORT_RESET_HARD		0x02
#define PORT_RESET_NOW		0x04

/* QEMU's isa-debug-exit: the run ends with 2 * value + 1. */
#define PORT_DEBUG_EXIT		0xF4
#define PORT_DEBUG_EXIT_COUNT	4
#define DEBUG_EXIT_SUCCESS	0x10
#define DEBUG_EXIT_FAILURE	0x11

#endif
