// SPDX-License-Identifier: BSD-2-Clause
// TURNS divides, each followed by six operations of one cycle that wait for its result, and for
// which the next divide waits: with 22 cycles per divide, a turn takes 28.

int workload(void);

#define TURNS	1000

int workload(void)
{
	unsigned long turns = TURNS;

	__asm__ volatile("1: and $0, %%eax\n add $100, %%eax\n xor %%edx, %%edx\n div %1\n"
			 "add $1, %%eax\n add $1, %%eax\n"
			 "add $1, %%eax\n add $1, %%eax\n dec %0\n jnz 1b"
			 : "+r"(turns) : "r"(7) : "rax", "rdx", "cc");
	return 0;
}
