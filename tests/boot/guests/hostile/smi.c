// SPDX-License-Identifier: BSD-2-Clause
// System management interrupts, selected by the second word of the command line: command, from the
// local APIC; timer, from its timer, again and again; port, from the APM port (0B2H), which sends
// none on this machine. The handler must not execute; it would end the run with value 9.

#include "../pmu.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

extern char handler_start[], handler_end[];

// At SMBASE + 8000H (SDM volume 3C, "SMRAM"), in real mode.
__asm__(".section .rodata\n"
	".code16\n"
	"handler_start:\n"
	"mov $9, %al\n"
	"mov $0xF4, %dx\n"
	"out %al, %dx\n"
	"handler_end:\n"
	".text\n"
	".code32\n");

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	volatile char *handler = (volatile char *)0x38000;

	(void)magic;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	for (uint32_t i = 0; handler_start + i < handler_end; i++)
		handler[i] = handler_start[i];
	switch (*second_word(information)) {
	case 'c':
		*apic(APIC_COMMAND) = 0x40200;
		break;
	case 't':
		*apic(APIC_TIMER_DIVIDE) = 0xB;
		*apic(APIC_TIMER) = 1 << 17 | 0x200;
		*apic(APIC_TIMER_START) = 997;
		break;
	case 'p':
		outb(0xB2, 0);
		is("nothing comes of the port", true, true);
		finish();
	}
	for (;;)
		rdmsr(IA32_PMC0);
}
