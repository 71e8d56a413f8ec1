// SPDX-License-Identifier: BSD-2-Clause
// The end of a run that has not begun: as hal_exit's, with the line that says the status.

#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/ports.h"

const char x86_early_drives[] = X86_IMAGE_DRIVES;

noreturn void x86_early_end(const char *why)
{
	x86_early_put("palmon: status 1 (");
	x86_early_put(why);
	x86_early_put(")\n");
	x86_outb(PORT_DEBUG_EXIT, DEBUG_EXIT_FAILURE);
	for (;;)
		__asm__ volatile("cli; hlt");
}
