// SPDX-License-Identifier: BSD-2-Clause
// Starts a guest kernel: loads it, makes this program the monitor's guest, and has it replaced by the kernel.

#include <stdbool.h>
#include <stddef.h>
#include <stdnoreturn.h>
#include <string.h>

#include "arch.h"
#include "configuration.h"
#include "exits.h"
#include "hal.h"
#include "layout.h"
#include "load.h"
#include "nested.h"
#include "smm.h"
#include "tables.h"
#include "vmcb.h"
#include "x86/cpu.h"
#include "x86/traps.h"

void arch_main(uint32_t magic, const struct multiboot_information *information);

static noreturn void refuse(const char *why)
{
	hal_console_write("palmon: ", 8);
	while (*why)
		hal_console_put(*why++);
	hal_console_put('\n');
	hal_exit(1);
}

// The last word of this program's own command line, which is not passed to the guest: EXACT=0, without branches, or
// EXACT=1, the default.
static bool is_clock_only(const struct multiboot_information *information)
{
	static const char name[] = "EXACT=";
	const char *word = (const char *)(uintptr_t)information->command_line;

	if (!(information->flags & MULTIBOOT_COMMAND_LINE))
		return false;
	for (const char *c = word; *c; c++)
		if (*c == ' ')
			word = c + 1;
	if (strncmp(word, name, sizeof name - 1) || !strcmp(word + sizeof name - 1, "1"))
		return false;
	if (strcmp(word + sizeof name - 1, "0"))
		refuse("EXACT= is 0 or 1");
	return true;
}

static void end_on_fault(struct arch_frame *frame)
{
	arch_frame_print(frame, hal_console_put);
	hal_exit(1);
}

// Called by arch/x86/entry.S.
void arch_main(uint32_t magic, const struct multiboot_information *information)
{
	static struct load_source source;
	static struct load_entry entry;
	const char *problem;

	x86_traps_start();
	arch_attach_fatal(end_on_fault);
	if (!(x86_cpuid(SVM_CPUID_REVISION, 0).edx & SVM_CPUID_EDX_NESTED))
		refuse("the processor has no nested paging");
	problem = magic == MULTIBOOT_LOADER_MAGIC ? load_read(information, &source) : "not started by Multiboot 1";
	entry.clock_only = !problem && is_clock_only(information);
	if (!problem)
		problem = load_guest(&source, &entry);
	if (problem)
		refuse(problem);
	if (!smm_begin(0))
		refuse("system management interrupts are not taken");
	nested_set_memory_end(source.memory_end);
	tables_hide_hpet();
	tables_hide_monitor();
	guest_enter((struct svm_frame *)x86_stack_end(0, STACK_MONITOR) - 1, &entry, configuration_cpus());
}
