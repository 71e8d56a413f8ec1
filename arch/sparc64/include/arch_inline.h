/* SPDX-License-Identifier: BSD-2-Clause */
/* The short primitives of arch.h, for SPARC V9 with a hyperprivileged mode. */
#ifndef ARCH_INLINE_H
#define ARCH_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sparc64/registers.h"

/* System tick: reference clocks since reset. */
static inline uint64_t arch_clock(void)
{
	uint64_t clock;

	__asm__ volatile("rd %%stick, %0" : "=r"(clock));
	return clock;
}

static inline uint64_t arch_pstate(void)
{
	uint64_t pstate;

	__asm__ volatile("rdpr %%pstate, %0" : "=r"(pstate));
	return pstate;
}

/* Turns interrupts off; returns whether they were on, for arch_interrupts_restore. WRPR writes the
 * exclusive OR of its operands. */
static inline bool arch_interrupts_disable(void)
{
	const uint64_t pstate = arch_pstate(), on = pstate & PSTATE_IE;

	__asm__ volatile("wrpr %0, %1, %%pstate" : : "r"(pstate), "r"(on) : "memory");
	return pstate / PSTATE_IE & 1;
}

static inline void arch_interrupts_enable(void)
{
	__asm__ volatile("wrpr %0, 0, %%pstate" : : "r"(arch_pstate() | PSTATE_IE) : "memory");
}

static inline void arch_interrupts_restore(bool enabled)
{
	__asm__ volatile("wrpr %0, 0, %%pstate" : : "r"(arch_pstate() |
							(enabled ? PSTATE_IE : 0)) : "memory");
}

#endif
