/* SPDX-License-Identifier: BSD-2-Clause */
/* The short primitives of arch.h, for ia64. */
#ifndef ARCH_INLINE_H
#define ARCH_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ia64/registers.h"

/* The interval time counter: processor cycles. */
static inline uint64_t arch_clock(void)
{
	uint64_t clock;

	__asm__ volatile("mov %0 = ar.itc" : "=r"(clock));
	return clock;
}

/* Turns interrupts off; returns whether they were on, for arch_interrupts_restore. */
static inline bool arch_interrupts_disable(void)
{
	uint64_t psr;

	__asm__ volatile("mov %0 = psr\nrsm psr.i" : "=r"(psr) : : "memory");
	return psr & PSR_I;
}

static inline void arch_interrupts_enable(void)
{
	__asm__ volatile("ssm psr.i ;;\nsrlz.d ;;" : : : "memory");
}

static inline void arch_interrupts_restore(bool enabled)
{
	if (enabled)
		arch_interrupts_enable();
}

#endif
