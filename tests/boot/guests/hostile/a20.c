// SPDX-License-Identifier: BSD-2-Clause
// Address line 20 stays on, by whatever port it is switched off: else the monitor, and this program, would be
// elsewhere.

#include "../guest.h"

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static bool is_on(void)
{
	volatile uint32_t *low = (volatile uint32_t *)0x200000, *high = (volatile uint32_t *)0x300000;

	*low = 1;
	*high = 2;
	return *low == 1;
}

static void keyboard(uint8_t port, uint8_t value)
{
	while (inb(0x64) & 2)
		;
	outb(port, value);
}

void guest_main(void)
{
	is("A20 is on", is_on(), true);
	outb(0x92, 0);
	is("after port 92H", is_on(), true);
	is("which says so", inb(0x92) & 2, 2);
	keyboard(0x64, 0xDD);
	is("after the keyboard controller's command", is_on(), true);
	keyboard(0x64, 0xD1);
	keyboard(0x60, 0xDD);
	is("after its output port", is_on(), true);
	keyboard(0x64, 0xAA);
	while (!(inb(0x64) & 1))
		;
	is("the controller works: its self test", inb(0x60), 0x55);
	finish();
}
