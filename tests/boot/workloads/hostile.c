// SPDX-License-Identifier: BSD-2-Clause
// A workload at level 3 of x86 that attempts a forbidden access, or leaves the processor in an
// unusual state. Each way is compiled separately: the including file defines WAY.

#include <stdint.h>
#include <stdio.h>

#include "hal.h"
#include "stimulus.h"

int workload(void);

// Symbols of the runtime, in addition to its interrupt table (x86/cpu.h), and of the linker script.
extern char arch_pml4[], private_start[], stacks_start[], user_start[], user_stacks_start[];

#define APIC		0xFEE00000
#define NO_MEMORY	0x40000000	/* the machine has 64 MiB */

// The runtime's system call to write (hal/include/system.h).
__attribute__((noipa, unused)) static void write_from(uint64_t address, uint64_t size)
{
	uint64_t written;

	__asm__ volatile("int $0x81" : "=a"(written) : "D"(0), "S"(address), "d"(size) : "memory");
	printf("written: %d\n", (int)written);
}

__attribute__((noipa, unused)) static void write_to(void *address)
{
	*(volatile char *)address = 0;
	puts("not refused");
}

__attribute__((noipa, unused)) static void read_from(const void *address)
{
	(void)*(const volatile char *)address;
	puts("not refused");
}

// Instructions that fault.
#define REFUSED(name, instruction) \
	__attribute__((noipa, unused)) static void name(void) \
	{ \
		__asm__ volatile(instruction : : : "rax", "rcx", "rdx", "memory"); \
		puts("not refused"); \
	}

REFUSED(read_msr, "mov $0x38F, %%ecx; rdmsr")
REFUSED(write_msr, "mov $0x38F, %%ecx; xor %%eax, %%eax; xor %%edx, %%edx; wrmsr")
REFUSED(interrupts_off, "cli")
REFUSED(halt, "hlt")
REFUSED(change_tables, "mov %%cr3, %%rax; mov %%rax, %%cr3")
REFUSED(load_table, "sub $16, %%rsp; lidt (%%rsp)")
REFUSED(output, "mov $0xF4, %%edx; mov $0x10, %%al; out %%al, %%dx")	// which would end the run
REFUSED(raise_overflow, "int $0xE0")
REFUSED(raise_alarm, "int $0xD0")
REFUSED(raise_nmi, "int $2")
REFUSED(call_system, "syscall")
REFUSED(start_machine, "vmrun %%rax")
REFUSED(go_to_level_0,
	"mov %%rsp, %%rax; push $0x10; push %%rax; pushfq; push $8; push $workload; iretq")

// Interrupts and system calls must work in the changed state.
__attribute__((noipa, unused)) static void meet(void)
{
	hal_execute(200000);
	printf("met on CPU %u\n", hal_cpu_user());
}

__attribute__((noipa, unused)) static void lose_segments(void)
{
	__asm__ volatile("mov %0, %%gs; mov %0, %%fs; mov %0, %%ds; mov %0, %%es" : : "r"(0));
	meet();
}

__attribute__((noipa, unused)) static void another_segment(void)
{
	__asm__ volatile("mov %0, %%gs" : : "r"(0x1B));
	meet();
}

__attribute__((noipa, unused)) static void go_backwards(void)
{
	__asm__ volatile("std");
	hal_execute(200000);
	__asm__ volatile("cld");
	meet();
}

__attribute__((noipa, unused)) static void lose_stack(void)
{
	__asm__ volatile("mov %%rsp, %%r12; mov $8, %%esp; mov $200000, %%eax; 1: dec %%eax; jnz "
			 "1b; mov %%r12, %%rsp"
			 : : : "rax", "r12", "memory");
	meet();
}

__attribute__((noipa, unused)) static void return_by_itself(int status)
{
	__asm__ volatile("xor %%esp, %%esp; int $0x80" : : "a"(status));
}

int workload(void)
{
	WAY;
	return 0;
}
