// SPDX-License-Identifier: BSD-2-Clause
// TURNS divides, each followed by four additions that wait for its result. With the timed clock and
// 22 cycles per divide, a turn takes 1 + 22 + 4 cycles. MOV is the fourth instruction of its cycle,
// so XOR issues in the next one; DIV waits for XOR, ADD for DIV, each ADD for the one before; DEC,
// JNZ and MOV issue with the last one.

int workload(void);

#define TURNS	1000

int workload(void)
{
	unsigned long turns = TURNS;

	__asm__ volatile("1: mov $100, %%eax\n xor %%edx, %%edx\n div %1\n add $1, %%eax\n add $1, "
			 "%%eax\n"
			 "add $1, %%eax\n add $1, %%eax\n dec %0\n jnz 1b"
			 : "+r"(turns) : "r"(7) : "rax", "rdx", "cc");
	return 0;
}
