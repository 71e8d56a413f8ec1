// SPDX-License-Identifier: BSD-2-Clause
// Counts pieces of code of known length with RDPMC of fixed counter 0 (instructions, all levels),
// while the session around it runs: straight code, loops, instructions that the plugin emulates.
// Each count must be exactly the length, each time. Level 3 cannot execute RDMSR. An RDPMC reads
// the count before it and is counted after that: two in a row differ by 1.

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

int workload(void);

#define FIXED_COUNTER_0 "0x40000000"

// Executes `code` between two reads of the counter; evaluates to the difference.
#define COUNT(code)									\
	({										\
		uint64_t before_, after_, unused_;					\
		__asm__ volatile("mov $" FIXED_COUNTER_0 ", %%ecx\n\t"			\
				 "rdpmc\n\t"						\
				 "mov %%eax, %k0\n\t"					\
				 "mov %%rdx, %2\n\t"					\
				 code "\n\t"						\
				 "mov $" FIXED_COUNTER_0 ", %%ecx\n\t"			\
				 "rdpmc\n\t"						\
				 "mov %%eax, %%eax\n\t"					\
				 "shl $32, %%rdx\n\t"					\
				 "or %%rdx, %%rax\n\t"					\
				 "shl $32, %2\n\t"					\
				 "or %2, %0\n\t"					\
				 : "=&r"(before_), "=&a"(after_), "=&r"(unused_)	\
				 : : "rbx", "rcx", "rdx", "r8", "memory");		\
		after_ - before_;							\
	})

// The first RDPMC, two moves after it, and the move before the second.
#define AROUND 4

static int wrong, done;

static unsigned level(void)
{
	unsigned code_segment;

	__asm__("mov %%cs, %0" : "=r"(code_segment));
	return code_segment & 3;
}

static void expect(const char *what, uint64_t length, uint64_t found)
{
	done++;
	if (found != length + AROUND) {
		printf("WRONG: %s: %" PRIu64 " instructions read as %" PRIu64 "\n", what, length,
		       found - AROUND);
		wrong++;
	}
}

int workload(void)
{
	for (int turn = 0; turn < 100; turn++) {
		expect("nothing", 0, COUNT(""));
		expect("1 instruction", 1, COUNT("nop"));
		expect("1000 instructions", 1000, COUNT(".rept 1000\n\tnop\n\t.endr"));
		expect("a loop of 1000", 1001, COUNT("mov $1000, %%ecx\n1:\tloop 1b"));
		expect("a loop of 50000", 100001,
		       COUNT("mov $50000, %%r8d\n1:\tsub $1, %%r8d\n\tjnz 1b"));
		expect("10 CPUID", 20, COUNT(".rept 10\n\txor %%eax, %%eax\n\tcpuid\n\t.endr"));
		if (level() == 0)
			expect("10 RDMSR", 11,
			       COUNT("mov $0x38E, %%ecx\n\t.rept 10\n\trdmsr\n\t.endr"));
		expect("10 RDTSC", 10, COUNT(".rept 10\n\trdtsc\n\t.endr"));
	}
	printf("exact: %d wrong of %d\n", wrong, done);
	return wrong;
}
