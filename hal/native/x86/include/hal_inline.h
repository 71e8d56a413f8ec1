/* SPDX-License-Identifier: BSD-2-Clause */
/* hal.h's short primitives on an x86 processor, real or emulated. */
#ifndef HAL_INLINE_H
#define HAL_INLINE_H

#include "arch.h"
#include "hal_state.h"
#include "hal_x86.h"
#include "layout.h"
#include "x86/apic.h"
#include "x86/this_cpu.h"

#define HAL_CPUS X86_CPUS
#define HAL_NMI 1
#define HAL_RING_SAMPLES 4096

static inline uint64_t hal_clock(void)
{
	return arch_clock();
}

static inline unsigned hal_cpu(void)
{
	return x86_this_cpu.number;
}

/* The task register gives the CPU's number at any privilege level. */
static inline unsigned hal_cpu_user(void)
{
	uint32_t selector;

	__asm__("str %0" : "=r"(selector));
	return (selector - SEGMENT_TSS) >> CPU_SEGMENTS_SHIFT;
}

static inline void *hal_cpu_data(void)
{
	return x86_this_cpu.data;
}

static inline void hal_cpu_set_data(void *data)
{
	x86_this_cpu.data = data;
}

static inline void hal_pmi_mask(void)
{
	*x86_apic_register(APIC_LVTPC) = x86_this_cpu.pmi_entry | APIC_LVT_MASKED;
}

/* The local APIC sets the mask bit when it delivers. */
static inline void hal_pmi_unmask(void)
{
	*x86_apic_register(APIC_LVTPC) = x86_this_cpu.pmi_entry;
}

static inline void hal_pmi_end(void)
{
	*x86_this_cpu.pmi_end_register = 0;
}

#endif
