// SPDX-License-Identifier: BSD-2-Clause
// A CPU that receives a startup interrupt, with any vector, begins in real mode with real-mode
// segments (SDM volume 3A, Table 9-1). Its code reports them, and memory words read through FS and
// GS.

#include "../cpus.h"

#define RESULTS	0x80	/* in the vector's page: CS to GS; words at FS:500H, GS:500H; the end */

void guest_interrupt(struct frame *frame);
void guest_main(void);
void cpu_main(void) {}

extern char probe_start[], probe_end[];

__asm__(".section .rodata\n"
	".code16\n"
	"probe_start:\n"
	"mov %cs, %cs:0x80\n"
	"mov %ds, %cs:0x82\n"
	"mov %es, %cs:0x84\n"
	"mov %ss, %cs:0x86\n"
	"mov %fs, %cs:0x88\n"
	"mov %gs, %cs:0x8A\n"
	"mov %fs:0x500, %ax\n"
	"mov %ax, %cs:0x8C\n"
	"mov %gs:0x500, %ax\n"
	"mov %ax, %cs:0x8E\n"
	"movw $1, %cs:0x90\n"
	"cli\n"
	"1: hlt\n"
	"jmp 1b\n"
	"probe_end:\n"
	".text\n"
	".code32\n");

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

// A separate function, because the compiler knows no object at low addresses.
static volatile uint16_t *low(uint32_t address)
{
	__asm__("" : "+r"(address));
	return (volatile uint16_t *)address;
}

static void start_at(uint32_t vector)
{
	volatile uint16_t *results = low((vector << 12) + RESULTS);

	for (uint32_t i = 0; i < 9; i++)
		results[i] = 0xFFFF;
	for (uint32_t i = 0; probe_start + i < probe_end; i += 2)
		*low((vector << 12) + i) = *(const uint16_t *)(probe_start + i);
	send(1, COMMAND_INIT);
	relax();
	send(1, 0x4600 | vector);
	for (uint32_t i = 0; i < 100000 && results[8] != 1; i++)
		relax();
	is("it has started", results[8], 1);
	is("CS", results[0], vector << 8);
	is("DS, ES, SS, FS, GS", results[1] | results[2] | results[3] | results[4] | results[5], 0);
	is("the words at FS and GS", results[6] == 0x1234 && results[7] == 0x1234, true);
}

void guest_main(void)
{
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	*low(0x500) = 0x1234;
	start_at(0x07);
	start_at(0x01);
	start_at(0x10);
	start_at(0x5A);
	start_at(0x9E);
	finish();
}
