/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of hal_inline.h for all x86 backends: images and the library. */
#ifndef HAL_X86_H
#define HAL_X86_H

#include "arch_inline.h"
#include "x86/cpu.h"
#include "x86/msr.h"

static inline void hal_relax(void)
{
	__asm__ volatile(X86_PAUSE : : : "memory");
}

/* x86 makes stores visible in program order. */
static inline void hal_publish(uint32_t *number)
{
	__asm__ volatile("incl %0" : "+m"(*number) : : "memory");
}

static inline bool hal_interrupts_disable(void)
{
	return arch_interrupts_disable();
}

static inline void hal_interrupts_restore(bool enabled)
{
	arch_interrupts_restore(enabled);
}

static inline bool reg_read(uint32_t address, uint64_t *value)
{
	return x86_rdmsr(address, value);
}

static inline bool reg_write(uint32_t address, uint64_t value)
{
	return x86_wrmsr(address, value);
}

static inline bool reg_read_counter(uint32_t index, uint64_t *value)
{
	return x86_rdpmc(index, value);
}

#endif
