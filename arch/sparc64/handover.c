// SPDX-License-Identifier: BSD-2-Clause
// The hand-over from the boot PROM.

#include <stddef.h>

#include "arch.h"
#include "layout.h"
#include "sparc64/traps.h"

#define COMMAND_LINE_SIZE 1024

extern char memory_end[];		// linker script
void arch_main(void);

// Called by entry.S. The clock counts since reset.
void arch_main(void)
{
	static char command_line[COMMAND_LINE_SIZE];
	static struct arch_handover handover = {.command_line = command_line, .protocol = "reset"};
	const volatile char *from = (const char *)(PROM_BASE + PROM_COMMAND_LINE);

	for (size_t i = 0; i < COMMAND_LINE_SIZE - 1 && from[i]; i++)
		command_line[i] = from[i];
	handover.memory_end = (uintptr_t)memory_end;
	sparc64_memory_map();
	boot_main(&handover);
}
