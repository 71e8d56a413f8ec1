// SPDX-License-Identifier: BSD-2-Clause
// What is not the PMU: Multiboot hand-over, exceptions, interrupts, NMI and IRET, modes, memory. Prints nothing that
// differs between the bare machine and the monitor, but the memory that the monitor takes.

#include "guest.h"

struct information {
	uint32_t flags, lower, upper, device, command_line, modules, module_list, symbols[4], map_size, map;
};

static volatile uint32_t taken[256];

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const struct information *information);

void guest_interrupt(struct frame *frame)
{
	taken[frame->vector]++;
	if (frame->vector >= 32)
		*apic(APIC_EOI) = 0;
	else if (!take_exception(frame) && frame->vector != 3 && frame->vector != 2)
		fail_on(frame);
}

void guest_main(uint32_t magic, const struct information *information)
{
	uint32_t r[4];

	start_interrupts();
	is("EAX is the boot loader's magic number", magic, 0x2BADB002);
	is("memory, command line and map are there", information->flags & 0x45, 0x45);
	print("# command line: ");
	print((const char *)information->command_line);
	print("\n");

	cpuid(0x80000001, 0, r);
	print("# SVM: ");
	print_hex(r[2] >> 2 & 1);
	print("\n");
	__asm__ volatile("int3");
	is("INT3 is taken", taken[3], 1);
	exceptions = 0;
	expected_length = 2;
	__asm__ volatile("ud2");
	is("UD2 raises #UD", last_vector, 6);
	finish();
}
