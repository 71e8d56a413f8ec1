// SPDX-License-Identifier: BSD-2-Clause
// The end before there is a guest: as hal_exit's (../kernel.c).

#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/ports.h"

const char x86_early_drives[] = X86_IMAGE_DRIVES;

noreturn void x86_early_end(const char *why)
{
	(void)why;
	for (;;)
		x86_outb(PORT_KEYBOARD, PORT_KEYBOARD_RESET);
}
