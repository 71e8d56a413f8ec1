/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports of the PC. */
#ifndef X86_PORTS_H
#define X86_PORTS_H

#define PORT_KEYBOARD		0x64	/* the keyboard's controller, which can pulse the processor's reset line */
#define PORT_KEYBOARD_RESET	0xFE

/* QEMU's isa-debug-exit: the run ends with 2 * value + 1. */
#define PORT_DEBUG_EXIT		0xF4
#define DEBUG_EXIT_SUCCESS	0x10
#define DEBUG_EXIT_FAILURE	0x11

#endif
