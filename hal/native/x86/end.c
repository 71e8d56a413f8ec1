// SPDX-License-Identifier: BSD-2-Clause
// Ends the run as end= requests (x86_early.end). An access to absent hardware has no effect, and
// the next method follows; finally the processor stops.

#include "end.h"

#include <stdbool.h>

#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/ports.h"

// PM1 control (ACPI 4.8.3.2.1).
#define SCI_ENABLED	(1u << 0)	/* ACPI mode is on */
#define SLEEP_TYPE_LOW	10
#define SLEEP_TYPE	(7u << SLEEP_TYPE_LOW)
#define SLEEP		(1u << 13)

#define ENABLE_LOOKS	1000000		/* polls until ACPI mode is on, about a microsecond each */

static void power_off(const struct x86_power *p)
{
	if (p->enable && !(x86_inw(p->control[0]) & SCI_ENABLED)) {
		x86_outb(p->enable, p->enable_value);
		for (unsigned i = 0; i < ENABLE_LOOKS && !(x86_inw(p->control[0]) & SCI_ENABLED);
		     i++)
			;
	}
	for (unsigned i = 0; i < 2 && p->control[i]; i++) {
		const uint32_t keep = x86_inw(p->control[i]) & ~(SLEEP_TYPE | SLEEP);

		x86_outw(p->control[i],
			 (uint16_t)(keep | (uint32_t)p->off[i] << SLEEP_TYPE_LOW | SLEEP));
	}
}

// Tries ACPI's reset register, the chip set's, the keyboard controller's, and a triple fault.
static void reboot(const struct x86_power *p)
{
	static const struct x86_table_pointer none;

	if (p->reset && p->reset_in_memory)
		*(volatile uint8_t *)(uintptr_t)p->reset = p->reset_value;
	else if (p->reset)
		x86_outb((uint16_t)p->reset, p->reset_value);
	x86_outb(PORT_RESET, PORT_RESET_HARD);
	x86_outb(PORT_RESET, PORT_RESET_HARD | PORT_RESET_NOW);
	x86_outb(PORT_KEYBOARD, PORT_KEYBOARD_RESET);
	__asm__ volatile("lidt %0; int3" : : "m"(none));
}

noreturn void end_machine(int status)
{
	switch (x86_early.end) {
	case X86_END_REBOOT:
		reboot(&x86_early.power);
		break;
	case X86_END_POWEROFF:
		power_off(&x86_early.power);
		break;
	case X86_END_HALT:
		break;
	default:
		x86_outb(PORT_DEBUG_EXIT, status ? DEBUG_EXIT_FAILURE : DEBUG_EXIT_SUCCESS);
	}
	for (;;)
		__asm__ volatile("cli; hlt");
}
