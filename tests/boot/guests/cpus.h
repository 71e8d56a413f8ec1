/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests with several CPUs: the start code of another CPU, from real mode to cpu_main on a stack of
 * its own (SDM volume 3A, "MP Initialization"), and commands of the local APIC.
 */
#ifndef TEST_CPUS_H
#define TEST_CPUS_H

#include "guest.h"

#define START		0x7000
#define MOST		8

/* Commands: SDM volume 3A, "Interrupt Command Register". */
#define COMMAND_NMI	0x4400u
#define COMMAND_INIT	0x4500u
#define COMMAND_STARTUP	(0x4600u | START >> 12)
#define COMMAND_ALL	0x80000u
#define COMMAND_OTHERS	0xC0000u

void cpu_main(void);

extern char start_start[], start_end[], cpu_stacks[];

/* OR of EBX, ECX, ESI, EDI and EBP of all CPUs at their starts. */
extern volatile uint32_t start_registers;

__asm__(".section .rodata\n"
	".code16\n"
	"start_start:\n"
	"cli\n"
	"mov %cs, %ax\n"
	"mov %ax, %ds\n"
	"lgdtl 1f - start_start\n"
	"mov %cr0, %eax\n"
	"or $1, %al\n"
	"and $0x9FFFFFFF, %eax\n"
	"mov %eax, %cr0\n"
	"ljmpl $0x08, $cpu_entry\n"
	"1: .word 0x47\n"
	".long gdt\n"
	"start_end:\n"
	".text\n"
	".code32\n"
	"cpu_entry:\n"
	"mov $0x10, %eax\n"
	"mov %eax, %ds\n"
	"mov %eax, %es\n"
	"mov %eax, %ss\n"
	"or %ecx, %ebx\n"
	"or %esi, %edi\n"
	"or %ebx, %ebp\n"
	"or %edi, %ebp\n"
	"lock or %ebp, start_registers\n"
	"mov 0xFEE00020, %eax\n"
	"shr $24, %eax\n"
	"inc %eax\n"
	"shl $12, %eax\n"
	"lea cpu_stacks(%eax), %esp\n"
	"call cpu_main\n"
	".bss\n"
	".balign 4096\n"
	"cpu_stacks: .skip 4096 * 8\n"
	"start_registers: .skip 4\n"
	".text\n");

static inline uint32_t self(void)
{
	return *apic(0x020) >> 24;
}

static inline void send(uint32_t cpu, uint32_t command)
{
	*apic(0x310) = cpu << 24;
	*apic(APIC_COMMAND) = command;
}

static inline void relax(void)
{
	__asm__ volatile("pause" ::: "memory");
}

static inline void wait_for(volatile uint32_t *what, uint32_t value)
{
	for (uint32_t i = 0; i < 3000000 && *what != value; i++)
		relax();
}

static inline void prepare_start(void)
{
	volatile uint8_t *low = 0;
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} pointer = {sizeof idt - 1, (uint32_t)idt};

	__asm__("" : "+r"(low));		// address 0 is valid
	for (const char *from = start_start; from < start_end; from++)
		low[START + (from - start_start)] = (uint8_t)*from;
	for (uint32_t i = 0; i < sizeof pointer; i++)
		low[START + 0x100 + i] = ((const uint8_t *)&pointer)[i];
}

/* Another CPU uses the first one's interrupt table, and its own local APIC. */
static inline void begin_cpu(void)
{
	__asm__ volatile("lidt (%0)" : : "r"(START + 0x100));
	*apic(APIC_SPURIOUS) = 0x1FF;
}

/* The one-digit number after the kernel's name on the command line. */
static inline uint32_t count_of_cpus(const uint32_t *information)
{
	return (uint32_t)(*second_word(information) - '0');
}

/* Starts all other CPUs; sends the startup interrupt twice, as the manual requires. */
static inline void start_others(void)
{
	prepare_start();
	*apic(APIC_COMMAND) = COMMAND_OTHERS | COMMAND_INIT;
	*apic(APIC_COMMAND) = COMMAND_OTHERS | COMMAND_STARTUP;
	*apic(APIC_COMMAND) = COMMAND_OTHERS | COMMAND_STARTUP;
}

#endif
