// SPDX-License-Identifier: BSD-2-Clause
// The simulator's services on real hardware: SIMULATOR_HALT polls for a pending interrupt, and
// SIMULATOR_HAPPENS answers "unknown".

#include "ia64/simulator.h"

// External interrupt request registers, 64 vectors each.
#define PENDING(n)									\
	({										\
		uint64_t pending;							\
		__asm__ volatile("mov %0 = cr.irr" #n : "=r"(pending) : : "memory");	\
		pending;								\
	})

uint64_t ia64_simulator(uint64_t a, uint64_t b, uint64_t what)
{
	(void)a, (void)b;
	while (what == SIMULATOR_HALT && !(PENDING(0) | PENDING(1) | PENDING(2) | PENDING(3)))
		;
	return what == SIMULATOR_HAPPENS ? SIMULATOR_UNKNOWN : 0;
}
