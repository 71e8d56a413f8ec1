/* SPDX-License-Identifier: BSD-2-Clause */
/* hal.h's short primitives on an Itanium processor. */
#ifndef HAL_INLINE_H
#define HAL_INLINE_H

#include "arch.h"
#include "hal_state.h"
#include "layout.h"
#include "ia64/registers.h"
#include "ia64/this_cpu.h"

#define HAL_CPUS 1
#define HAL_NMI 0
#define HAL_RING_SAMPLES 4096

static inline uint64_t hal_clock(void)
{
	return arch_clock();
}

static inline unsigned hal_cpu(void)
{
	return 0;
}

static inline unsigned hal_cpu_user(void)
{
	return 0;
}

static inline void hal_relax(void)
{
	__asm__ volatile("hint @pause" : : : "memory");
}

static inline void hal_publish(uint32_t *number)
{
	__atomic_store_n(number, *number + 1, __ATOMIC_RELEASE);
}

static inline void *hal_cpu_data(void)
{
	return ia64_this_cpu.data;
}

static inline void hal_cpu_set_data(void *data)
{
	ia64_this_cpu.data = data;
}

static inline bool hal_interrupts_disable(void)
{
	return arch_interrupts_disable();
}

static inline void hal_interrupts_restore(bool enabled)
{
	arch_interrupts_restore(enabled);
}

/* A constant address compiles to the register's own instruction. Counter numbers are seldom
 * constant. */
__attribute__((always_inline)) static inline bool reg_read(uint32_t address, uint64_t *value)
{
	if (__builtin_constant_p(address) && address == IA64_PSR)
		return ia64_read_psr(value);
	if (__builtin_constant_p(address) && address == IA64_AR_ITC)
		return ia64_read_itc(value);
	if (__builtin_constant_p(address) && IA64_FILE(address) == IA64_PMC)
		return ia64_read_pmc(address, value);
	if (__builtin_expect(IA64_FILE(address) == IA64_PMD, true))
		return ia64_read_pmd(address, value);
	return ia64_read_register(address, value);
}

__attribute__((always_inline)) static inline bool reg_write(uint32_t address, uint64_t value)
{
	if (__builtin_constant_p(address) && address == IA64_PSR)
		return ia64_write_psr(value);
	if (__builtin_constant_p(address) && IA64_FILE(address) == IA64_PMC)
		return ia64_write_pmc(address, value);
	if (__builtin_expect(IA64_FILE(address) == IA64_PMD, true))
		return ia64_write_pmd(address, value);
	return ia64_write_register(address, value);
}

static inline bool reg_read_counter(uint32_t index, uint64_t *value)
{
	return ia64_read_pmd(IA64_PMD + index, value);
}

static inline void hal_pmi_mask(void)
{
	ia64_write_pmv(MASKED_VECTOR | ARCH_PMI_VECTOR);
}

static inline void hal_pmi_unmask(void)
{
	ia64_write_pmv(ARCH_PMI_VECTOR);
}

static inline void hal_pmi_end(void)
{
	ia64_end_interrupt();
}

#endif
