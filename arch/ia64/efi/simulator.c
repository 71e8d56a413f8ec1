// SPDX-License-Identifier: BSD-2-Clause
// What a simulator does for the image, where there is none: the processor waits for an interrupt by looking for one,
// and does not say which events it raises.

#include "ia64/simulator.h"

// External interrupts, 64 vectors in each register.
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
