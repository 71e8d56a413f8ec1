// SPDX-License-Identifier: BSD-2-Clause
// TURNS divides, and after each of them four additions that wait for its result. By the timed clock, with 22 cycles of
// a divide: MOV is the fourth instruction of its cycle, so XOR issues in the next one; DIV waits for XOR, ADD for DIV,
// each ADD for the one before, and DEC, JNZ, MOV issue with the last one: 1 + 22 + 4 cycles.

int workload(void);

#define TURNS	1000

int workload(void)
{
	unsigned long turns = TURNS;

	__asm__ volatile("1: mov $100, %%eax\n xor %%edx, %%edx\n div %1\n add $1, %%eax\n add $1, %%eax\n"
			 "add $1, %%eax\n add $1, %%eax\n dec %0\n jnz 1b"
			 : "+r"(turns) : "r"(7) : "rax", "rdx", "cc");
	return 0;
}
