// SPDX-License-Identifier: BSD-2-Clause
// Loads and divides that wait for each other, in a function for each source of a stall:
//
//    from_memory  3,000 loads of lines that were never used: each misses all caches
//    from_l3      6,016 loads of 16 lines in turn, 32 KB apart: they share a set of the L1 data
//                 cache and of the L2 cache, which have 8 ways. All but the first 16 hit the L3
//                 cache.
//    from_l2      6,016 loads of 16 lines in turn, 4 KB apart: they share a set of the L1 data
//                 cache and use 8 sets of the L2 cache. All but the first 16 hit the L2 cache.
//    divide       3,000 divides
//
// Each load is in another page than the one before, so no load finds a prefetched line. The loaded
// 0 is part of the next address: a step takes the load's latency, and two cycles for LEA and AND.

#include <stdint.h>

#define FROM_MEMORY	3000
#define FROM_CACHE	6016
#define DIVIDES		3000

static uint8_t unused[16 << 20] __attribute__((aligned(4096)));
static uint8_t apart_32k[16 * 32768] __attribute__((aligned(32768)));
static uint8_t apart_4k[16 * 4096] __attribute__((aligned(4096)));

int workload(void);

#define CHAIN(name, memory, step, loads)							\
	__attribute__((noipa)) static void name(void)						\
	{											\
		unsigned long at = 0, left = (loads);						\
												\
		__asm__ volatile("1: mov (%2, %0), %%rax\n lea %c3(%0, %%rax), %0\n"		\
				 "and %4, %0\n dec %1\n jnz 1b" : "+r"(at), "+r"(left)		\
				 : "r"(memory), "i"(step), "i"(sizeof (memory) - 1)		\
				 : "rax", "memory", "cc");					\
	}

CHAIN(from_memory, unused, 65 * 64, FROM_MEMORY)
CHAIN(from_l3, apart_32k, 32768, FROM_CACHE)
CHAIN(from_l2, apart_4k, 4096, FROM_CACHE)

__attribute__((noipa)) static void divide(void)
{
	unsigned long left = DIVIDES;

	__asm__ volatile("1: and $0, %%eax\n add $100, %%eax\n xor %%edx, %%edx\n div %1\n"
			 "dec %0\n jnz 1b"
			 : "+r"(left) : "r"(7) : "rax", "rdx", "cc");
}

int workload(void)
{
	from_memory();
	from_l3();
	from_l2();
	divide();
	return 0;
}
