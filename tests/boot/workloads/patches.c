// SPDX-License-Identifier: BSD-2-Clause
// A program that modifies its code: TURNS times it writes the operand of an instruction in another
// page, and executes it.

#include <stdint.h>

#define TURNS	1000
#define CR0_WP	(1UL << 16)

__asm__(".section .text.patched, \"ax\"\n"
	".balign 4096\n"
	"patched: mov $0, %eax\n"
	"ret\n"
	".balign 4096\n"
	".text\n");
extern uint8_t patched[];

int workload(void);

int workload(void)
{
	uint64_t cr0, turns = TURNS;
	uint32_t sum = 0;

	// Pages of code can be written at level 0.
	__asm__ volatile("mov %%cr0, %0" : "=r"(cr0));
	__asm__ volatile("mov %0, %%cr0" : : "r"(cr0 & ~CR0_WP));
	__asm__ volatile("1: mov %k0, 1(%2)\n call *%2\n add %%eax, %1\n dec %0\n jnz 1b"
			 : "+r"(turns), "+r"(sum) : "r"(patched) : "rax", "memory", "cc");
	__asm__ volatile("mov %0, %%cr0" : : "r"(cr0));
	turns = TURNS;
	return sum != turns * (turns + 1) / 2;
}
