/* SPDX-License-Identifier: BSD-2-Clause */
/* hal.h's short primitives in a library: registers are the processor's, all else is the host's. */
#ifndef HAL_INLINE_H
#define HAL_INLINE_H

#include "arch_inline.h"
#include "palmon_host.h"
#include "x86/cpu.h"
#include "x86/msr.h"

#define HAL_CPUS PALMON_CPUS

extern void *runtime_cpu_data[HAL_CPUS];

static inline uint64_t hal_clock(void)
{
	return palmon_host_clock();
}

static inline unsigned hal_cpu(void)
{
	return palmon_host_cpu();
}

static inline unsigned hal_cpu_user(void)
{
	return palmon_host_cpu();
}

static inline void hal_relax(void)
{
	__asm__ volatile(X86_PAUSE : : : "memory");
}

/* Stores are seen in their order. */
static inline void hal_publish(uint32_t *number)
{
	__asm__ volatile("incl %0" : "+m"(*number) : : "memory");
}

static inline void *hal_cpu_data(void)
{
	return runtime_cpu_data[hal_cpu()];
}

static inline void hal_cpu_set_data(void *data)
{
	runtime_cpu_data[hal_cpu()] = data;
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

static inline void hal_pmi_mask(void)
{
	palmon_host_mask();
}

static inline void hal_pmi_unmask(void)
{
	palmon_host_unmask();
}

static inline void hal_pmi_end(void)
{
	palmon_host_end();
}

#endif
