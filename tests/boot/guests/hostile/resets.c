// SPDX-License-Identifier: BSD-2-Clause
// Ways to begin again from the firmware, without a monitor, by the second word of the command line: init, by the local
// APIC; port92, CF9 and keyboard, ports that reset; sleep, S3 until the clock's alarm.

#include "../guest.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static void outw(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static void write_clock(uint8_t number, uint8_t value)
{
	outb(0x70, number);
	outb(0x71, value);
}

// The clock's alarm each second is an event that wakes (ACPI specification, 4.8.3, "PM1 Event Registers"; QEMU's PIIX4
// has them at 600H, and S3 as type 1).
static void sleep(void)
{
	for (uint8_t alarm = 1; alarm <= 5; alarm += 2)
		write_clock(alarm, 0xC0);
	write_clock(11, 0x22);
	outw(0x602, 1 << 10);
	outw(0x604, 1 << 13 | 1 << 10);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	(void)magic;
	switch (*second_word(information)) {
	case 'i':
		*apic(APIC_COMMAND_HIGH) = 0;
		*apic(APIC_COMMAND) = 0xC500;
		break;
	case 'p':
		outb(0x92, 1);
		break;
	case 'C':
		outb(0xCF9, 6);
		break;
	case 'k':
		outb(0x64, 0xFE);
		break;
	case 's':
		sleep();
		break;
	}
	for (;;)
		__asm__ volatile("pause");
}
