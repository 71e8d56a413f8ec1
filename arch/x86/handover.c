// SPDX-License-Identifier: BSD-2-Clause
// What the boot loader left in memory, copied out before page 0 goes away.

#include <stddef.h>

#include "arch.h"
#include "x86/early.h"
#include "x86/processors.h"
#include "x86/traps.h"

#define COMMAND_LINE_SIZE 1024

void arch_main(void);

static void copy(char *to, size_t size, const char *from)
{
	for (size_t i = 0; i < size - 1 && from[i]; i++)
		to[i] = from[i];
}

// Called by entry.S.
void arch_main(void)
{
	static const char *const protocols[] = {
		[X86_PROTOCOL_UNKNOWN] = "an unknown boot loader", [X86_PROTOCOL_MULTIBOOT] = "Multiboot 1",
		[X86_PROTOCOL_PVH] = "PVH",
	};
	static char command_line[COMMAND_LINE_SIZE], processor[X86_PROCESSOR_NAME];
	static struct arch_handover handover = {.command_line = command_line, .processor = processor};

	handover.protocol = protocols[x86_early.protocol];
	handover.clock_at_entry = x86_early.clock;
	handover.memory_end = x86_early.memory_end;
	copy(processor, sizeof processor, x86_early.processor);
	if (x86_early.command_line)
		copy(command_line, sizeof command_line, (const char *)(uintptr_t)x86_early.command_line);
	x86_processors_prepare();
	x86_traps_start();
	x86_memory_protect(handover.memory_end);
	boot_main(&handover);
}
