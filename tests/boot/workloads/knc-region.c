// SPDX-License-Identifier: BSD-2-Clause
// A program that selects the part of itself to measure, with SPFLT (Knights Corner's guide, Table
// 1-1). Between its two SPFLT, 200,003 instructions are counted: MOV, two for each of 100,000
// turns, XOR, and the second SPFLT. A loop of 50,000 turns comes before them, and one after them.

int workload(void);

#define SPFLT		".byte 0xC5, 0xFB, 0xAE, 0xF0\n"	// of EAX
#define TURNS(n)	"mov $" n ", %%ecx\n	1: dec %%ecx\n	jne 1b\n"

int workload(void)
{
	__asm__ volatile(TURNS("50000")
			 "mov $1, %%eax\n" SPFLT
			 TURNS("100000")
			 "xor %%eax, %%eax\n" SPFLT
			 TURNS("50000")
			 : : : "eax", "ecx", "cc");
	return 0;
}
