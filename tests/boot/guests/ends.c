// SPDX-License-Identifier: BSD-2-Clause
// The ways in which a run ends, selected by the second word of the command line: exit=N, halt,
// init, shutdown, loop, reset.

#include "guest.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *word = second_word(information);

	(void)magic;
	switch (*word) {
	case 'e':
		__asm__ volatile("outl %0, %w1" : : "a"(word[5] - '0'), "d"(0xF4));
		break;
	case 'i':
		*apic(APIC_COMMAND) = 0xC500;		// INIT to the first CPU, by its identity
		break;
	case 's':
		__asm__ volatile("lidt %0; int3" : : "m"(*(const uint64_t *)"\0\0\0\0\0\0\0"));
		break;
	case 'l':
		for (;;)
			__asm__ volatile("");
	case 'r':
		outb(0x64, 0xFE);
		break;
	}
	for (;;)
		__asm__ volatile("cli; hlt");
}
