// SPDX-License-Identifier: BSD-2-Clause
// INIT by what is no local APIC, by the second word of the command line: 0 or 1, by the I/O APIC, to the CPU with this
// number; message, by a store to where messages of devices go (SDM volume 3A, "Message Address Register Format"): that
// is to CPU 1, and does nothing, because a processor's store is no message.

#include "../cpus.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t alive, taken;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector != 0x41)
		fail_on(frame);
	taken++;
	*apic(APIC_EOI) = 0;
}

void cpu_main(void)
{
	begin_cpu();
	for (;;) {
		alive++;
		relax();
	}
}

static bool lives(void)
{
	const uint32_t before = alive;

	for (uint32_t i = 0; i < 100000 && alive == before; i++)
		relax();
	return alive != before;
}

// The I/O APIC's register, by the 82093AA's data sheet: 10H and 11H + 2n are the entry of pin n.
static void write_io_apic(uint32_t number, uint32_t value)
{
	*(volatile uint32_t *)0xFEC00000 = number;
	*(volatile uint32_t *)0xFEC00010 = value;
}

// The 8254's first counter, in mode 2, raises pin 2.
static void send_by_timer(uint32_t cpu, uint32_t entry)
{
	write_io_apic(0x15, cpu << 24);
	write_io_apic(0x14, entry);
	outb(0x43, 0x34);
	outb(0x40, 100);
	outb(0x40, 0);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *word = second_word(information);

	(void)magic;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	send_by_timer(0, 0x41);
	for (uint32_t i = 0; i < 100000 && !taken; i++)
		__asm__ volatile("sti; nop; nop; cli");
	is("the I/O APIC sends interrupts", taken != 0, true);
	if (*word != '0') {
		start_others();
		is("CPU 1 has started", lives(), true);
	}
	if (*word == 'm') {
		*(volatile uint32_t *)0xFEE01000 = 0x500;
		is("and is alive", lives(), true);
		finish();
	}
	send_by_timer((uint32_t)(*word - '0'), 0x500);
	for (;;)
		relax();
}
