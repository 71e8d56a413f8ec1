// SPDX-License-Identifier: BSD-2-Clause
// A workload at level 3 of x86 that attempts a forbidden access, or leaves the processor in an
// unusual state. The including file defines WAY, the number of one of the ways.

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
__attribute__((noipa)) static void write_from(uint64_t address, uint64_t size)
{
	uint64_t written;

	__asm__ volatile("int $0x81" : "=a"(written) : "D"(0), "S"(address), "d"(size) : "memory");
	printf("written: %d\n", (int)written);
}

__attribute__((noipa)) static void write_to(void *address)
{
	*(volatile char *)address = 0;
	puts("not refused");
}

__attribute__((noipa)) static void read_from(const void *address)
{
	(void)*(const volatile char *)address;
	puts("not refused");
}

// Instructions that fault.
#define REFUSED(name, instruction) \
	__attribute__((noipa)) static void name(void) \
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
__attribute__((noipa)) static void meet(void)
{
	hal_execute(200000);
	printf("met on CPU %u\n", hal_cpu_user());
}

__attribute__((noipa)) static void lose_segments(void)
{
	__asm__ volatile("mov %0, %%gs; mov %0, %%fs; mov %0, %%ds; mov %0, %%es" : : "r"(0));
	meet();
}

__attribute__((noipa)) static void another_segment(void)
{
	__asm__ volatile("mov %0, %%gs" : : "r"(0x1B));
	meet();
}

__attribute__((noipa)) static void go_backwards(void)
{
	__asm__ volatile("std");
	hal_execute(200000);
	__asm__ volatile("cld");
	meet();
}

__attribute__((noipa)) static void lose_stack(void)
{
	__asm__ volatile("mov %%rsp, %%r12; mov $8, %%esp; mov $200000, %%eax; 1: dec %%eax; jnz "
			 "1b; mov %%r12, %%rsp"
			 : : : "rax", "r12", "memory");
	meet();
}

__attribute__((noipa)) static void return_by_itself(int status)
{
	__asm__ volatile("xor %%esp, %%esp; int $0x80" : : "a"(status));
}

int workload(void)
{
	switch (WAY) {
	case 1: write_to(arch_idt); break;
	case 2: read_from(arch_pml4); break;
	case 3: write_to(&hal_memory_start); break;
	case 4: write_to(private_start); break;
	case 5: write_to(stacks_start + 0x2000); break;
	case 6: write_to((void *)workload); break;
	case 7: read_from((void *)APIC); break;
	case 8: write_from((uint64_t)&hal_memory_start, 8); break;
	case 9: write_from(APIC, 32); break;
	case 10: write_from(NO_MEMORY, 1); break;
	case 11: write_from(0, 1); break;
	case 12: write_from((uint64_t)user_stacks_start - 8, 9); break;
	case 13: write_from((uint64_t)user_start - 1, 2); break;
	case 14: write_from(-64, 128); break;
	case 15: write_from((uint64_t)user_start, -1); break;
	case 16: write_from((uint64_t)user_stacks_start - 8, 8); break;
	case 17: read_msr(); break;
	case 18: write_msr(); break;
	case 19: interrupts_off(); break;
	case 20: halt(); break;
	case 21: change_tables(); break;
	case 22: load_table(); break;
	case 23: output(); break;
	case 24: raise_overflow(); break;
	case 25: raise_alarm(); break;
	case 26: raise_nmi(); break;
	case 27: call_system(); break;
	case 28: start_machine(); break;
	case 29: go_to_level_0(); break;
	case 30: lose_segments(); break;
	case 31: another_segment(); break;
	case 32: go_backwards(); break;
	case 33: lose_stack(); break;
	case 34: return_by_itself(7); break;
	default: puts("no such way");
	}
	return 0;
}
