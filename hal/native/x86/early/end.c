// SPDX-License-Identifier: BSD-2-Clause
// The end of the run (end=), and the end of a run that cannot begin: like hal_exit, with a line
// that says the status.

#include <stddef.h>

#include "early.h"
#include "end.h"
#include "words.h"
#include "x86/early.h"

const char x86_early_drives[] = X86_IMAGE_DRIVES;

// In the order of enum x86_end.
static const char *const ends[] = {"exit", "halt", "reboot", "poweroff", "return"};

#define ENDS (sizeof ends / sizeof *ends)

static void choose(const char *text)
{
	for (x86_early.end = 0; x86_early.end < ENDS; x86_early.end++)
		if (is_word(&text, ends[x86_early.end]) && *text != ',')
			break;
	if (x86_early.end == ENDS || (x86_early.end == X86_END_RETURN && !x86_early.firmware_waits))
		x86_early.end_refused = true;
	if (x86_early.end == X86_END_POWEROFF || x86_early.end == X86_END_REBOOT)
		early_find_power();
	if (x86_early.end == X86_END_POWEROFF && !x86_early.firmware_waits &&
	    !x86_early.power.control[0])
		x86_early_put("palmon: end=poweroff: ACPI does not say how; the processor will "
			      "stop\n");
}

void x86_early_find_machine(void)
{
	const char *line = (const char *)(uintptr_t)x86_early.command_line;

	early_find_processors();
	while (line && *line) {
		if (begins(&line, "end="))
			choose(line);
		while (*line && *line++ != ' ')
			;
	}
}

noreturn void x86_early_end(const char *why)
{
	x86_early_put("palmon: status 1 (");
	x86_early_put(why);
	x86_early_put(")\n");
	x86_early.status = 1;
	if (x86_early.firmware_waits)
		early_leave(firmware_return);
	end_machine(1);
}
