// SPDX-License-Identifier: BSD-2-Clause
// False sharing: threads 0 and 2, on two cores, count TURNS times each in a variable of its own,
// `hits` and `misses`, eight bytes apart in one line. A turn has a load, a store and two other
// instructions.

#include <stddef.h>

#include "hal.h"

int workload(void);

#define TURNS	210000

static struct {
	_Alignas(64) unsigned long hits;
	unsigned long misses;
} counter;

#define COUNT(name, variable)									\
	__attribute__((noipa)) static void name(void)						\
	{											\
		unsigned long turns = TURNS;							\
												\
		__asm__ volatile("1: mov (%1), %%rax\n inc %%rax\n mov %%rax, (%1)\n"		\
				 "dec %0\n jnz 1b" : "+r"(turns)				\
				 : "r"(&(variable)) : "rax", "memory", "cc");			\
	}

COUNT(count_hits, counter.hits)
COUNT(count_misses, counter.misses)

int workload(void)
{
	static void (*const count[])(void) = {count_hits, NULL, count_misses, NULL};

	if (count[hal_cpu_user()])
		count[hal_cpu_user()]();
	return 0;
}
