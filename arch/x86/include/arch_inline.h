/* SPDX-License-Identifier: BSD-2-Clause */
/* The short primitives of arch.h, for x86-64. */
#ifndef ARCH_INLINE_H
#define ARCH_INLINE_H

#include <stdbool.h>
#include <stdint.h>

/* Time-stamp counter: reference clocks since reset; under QEMU's -icount shift=0, instructions. */
static inline uint64_t arch_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Turns interrupts off; returns whether they were on, for arch_interrupts_restore. */
static inline bool arch_interrupts_disable(void)
{
	uint64_t rflags;

	__asm__ volatile("pushfq; pop %0; cli" : "=r"(rflags) : : "memory");
	return rflags >> 9 & 1;
}

static inline void arch_interrupts_enable(void)
{
	__asm__ volatile("sti" : : : "memory");
}

static inline void arch_interrupts_restore(bool enabled)
{
	if (enabled)
		arch_interrupts_enable();
}

#endif
