// SPDX-License-Identifier: BSD-2-Clause
// The debug-exit port in all widths, and by strings: reads give 0; by the second word of the command line the run ends
// with value 3: 1, 2, 4 for a write so wide, s for a string of bytes, w of words.

#include "../guest.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static void check_reads(void)
{
	static uint8_t bytes[6] = {1, 1, 1, 1, 1, 1};
	uint8_t *to = bytes;
	uint32_t value = 0x12345678, count = 4;

	__asm__ volatile("inl %w1, %0" : "+a"(value) : "d"(0xF4));
	is("a read of 32 bits gives 0", value, 0);
	value = 0x12345678;
	__asm__ volatile("inw %w1, %w0" : "+a"(value) : "d"(0xF4));
	is("of 16", value, 0x12340000);
	value = 0x12345678;
	__asm__ volatile("inb %w1, %b0" : "+a"(value) : "d"(0xF4));
	is("of 8", value, 0x12345600);
	__asm__ volatile("insb" : "+D"(to) : "d"(0xF4) : "memory");
	is("a string's byte", bytes[0] == 0 && bytes[1] == 1 && to == bytes + 1, true);
	__asm__ volatile("rep insb" : "+D"(to), "+c"(count) : "d"(0xF4) : "memory");
	is("four of them", bytes[1] + bytes[2] + bytes[3] + bytes[4] == 0 && bytes[5] == 1 && to == bytes + 5 && !count,
	   true);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	static const uint32_t three = 3;

	(void)magic;
	check_reads();
	if (failures)
		finish();
	switch (*second_word(information)) {
	case '1':
		outb(0xF4, 3);
		break;
	case '2':
		__asm__ volatile("outw %w0, %w1" : : "a"(3), "d"(0xF4));
		break;
	case '4':
		__asm__ volatile("outl %0, %w1" : : "a"(3), "d"(0xF4));
		break;
	case 's':
		__asm__ volatile("rep outsb" : : "S"(&three), "c"(1), "d"(0xF4));
		break;
	case 'w':
		__asm__ volatile("outsw" : : "S"(&three), "d"(0xF4));
		break;
	}
	for (;;)
		__asm__ volatile("cli; hlt");
}
