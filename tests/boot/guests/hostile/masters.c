// SPDX-License-Identifier: BSD-2-Clause
// The machine's bus masters, without devices of QEMU_ARGS=: which functions of PCI there are; the disk controller, told
// to read into the monitor's memory (Intel 82371SB data sheet, "Bus Master IDE"); the 8237, which reaches 16 MiB.

#include "../pmu.h"

#define MONITOR		0x1C000000u
#define MASTER		0xC000		/* where the controller's registers are put */
#define COMMAND_MASTER	5u		/* ports, and master */

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static void outl(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static uint32_t inl(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static void select(uint32_t function, uint32_t reg)
{
	outl(0xCF8, 0x80000000u | function << 8 | reg);
}

static uint32_t read_config(uint32_t function, uint32_t reg)
{
	select(function, reg);
	return inl(0xCFC);
}

static void write_config(uint32_t function, uint32_t reg, uint32_t value)
{
	select(function, reg);
	outl(0xCFC, value);
}

// The function of a class and subclass, and how many there are in all.
static uint32_t find(uint32_t class, uint32_t *count)
{
	uint32_t found = 0;

	*count = 0;
	for (uint32_t function = 0; function < 256; function++) {
		if (read_config(function, 0) == UINT32_MAX)
			continue;
		++*count;
		if (read_config(function, 8) >> 16 == class)
			found = function;
	}
	return found;
}

// READ DMA of a sector, by one descriptor.
static void read_disk(uint32_t disk, uint32_t to)
{
	static volatile uint32_t descriptor[2] __attribute__((aligned(8)));

	descriptor[0] = to;
	descriptor[1] = 0x80000200;
	write_config(disk, 0x20, MASTER);
	write_config(disk, 4, COMMAND_MASTER);
	outl(MASTER + 4, (uint32_t)descriptor);
	outb(MASTER + 2, 6);
	outb(0x1F6, 0xE0);
	outb(0x1F2, 1);
	outb(0x1F7, 0xC8);
	outb(MASTER, 9);
	for (volatile uint32_t i = 0; i < 100000; i++)
		;
	outb(MASTER, 0);
}

// Channel 1 to memory, by a request of software.
static void request(uint32_t to)
{
	outb(0x0D, 0);
	outb(0x0B, 0x85);
	outb(0x02, (uint8_t)to);
	outb(0x02, (uint8_t)(to >> 8));
	outb(0x83, (uint8_t)(to >> 16));
	outb(0x03, 0xFF);
	outb(0x03, 0x00);
	outb(0x0A, 0x01);
	outb(0x09, 0x05);
	for (volatile uint32_t i = 0; i < 100000; i++)
		;
}

void guest_main(void)
{
	static uint8_t sector[512];
	uint32_t functions, disk = find(0x0101, &functions), other = 0;

	start_interrupts();
	is("functions: host bridge, ISA bridge, disk controller, power management", functions, 4);
	is("the disk controller", disk, 0x09);
	read_disk(disk, (uint32_t)sector);
	for (uint32_t i = 0; i < sizeof sector; i++)
		other |= sector[i];
	is("has no disk", other, 0);
	for (uint32_t i = 0; i < 64; i++)
		read_disk(disk, MONITOR + i * 0x1000);
	request(MONITOR);
	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	MEASURE(FIXED0, NOPS(100));
	is("the monitor counts", rdmsr(IA32_FIXED_CTR0), 100 + BEHIND);
	finish();
}
