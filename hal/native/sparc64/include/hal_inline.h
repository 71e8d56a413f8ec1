/* SPDX-License-Identifier: BSD-2-Clause */
/* hal.h's short primitives on a SPARC processor, real or emulated. */
#ifndef HAL_INLINE_H
#define HAL_INLINE_H

#include "arch.h"
#include "hal_state.h"
#include "sparc64/frame.h"
#include "sparc64/registers.h"
#include "sparc64/this_cpu.h"
#include "sparc64/traps.h"

#define HAL_CPUS 1
#define HAL_NMI 0
#define HAL_RING_SAMPLES 4096

#define HAL_ASI_COUNTER	0xB0	/* address space of reg_read_counter */

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
}

static inline void hal_publish(uint32_t *number)
{
	__atomic_store_n(number, *number + 1, __ATOMIC_RELEASE);
}

static inline void *hal_cpu_data(void)
{
	return sparc64_this_cpu.data;
}

static inline void hal_cpu_set_data(void *data)
{
	sparc64_this_cpu.data = data;
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
	return sparc64_load_asi(sparc64_register_asi(address), sparc64_register_address(address),
				value);
}

static inline bool reg_write(uint32_t address, uint64_t value)
{
	return sparc64_store_asi(sparc64_register_asi(address), sparc64_register_address(address),
				 value);
}

__attribute__((always_inline)) static inline uint64_t reg_read_next(uint32_t address,
								    uint64_t *fault)
{
	return sparc64_load_asi_next(sparc64_register_asi(address),
				     sparc64_register_address(address), fault);
}

__attribute__((always_inline)) static inline void reg_write_next(uint32_t address, uint64_t value,
								 uint64_t *fault)
{
	sparc64_store_asi_next(sparc64_register_asi(address), sparc64_register_address(address),
			       value, fault);
}

static inline bool reg_read_counter(uint32_t index, uint64_t *value)
{
	return sparc64_load_asi(HAL_ASI_COUNTER, (uint64_t)index << 3, value);
}

/* Overflows are traps, without an interrupt controller. */
static inline void hal_pmi_mask(void)
{
}

static inline void hal_pmi_unmask(void)
{
}

static inline void hal_pmi_end(void)
{
}

/* Reads the trap type if a trap is being handled (TL > 0). hal_pmi_skip clears the type. */
static inline bool hal_pmi_precise(void)
{
	uint64_t level, type;

	__asm__ volatile("rdpr %%tl, %0" : "=r"(level));
	if (!level)
		return false;
	__asm__ volatile("rdpr %%tt, %0" : "=r"(type));
	return type == TT_PRECISE_PERFORMANCE_EVENT;
}

static inline unsigned hal_pmi_level(void)
{
	uint64_t tstate;

	__asm__ volatile("rdpr %%tstate, %0" : "=r"(tstate));
	return tstate & TSTATE_PRIV ? 1 : 3;
}

/* Loads with a program's translations and rights, also if the trap came from privileged code. */
static inline bool hal_pmi_instruction(uint32_t *instruction)
{
	uint64_t pc;

	__asm__ volatile("rdpr %%tpc, %0" : "=r"(pc));
	return sparc64_load_as_user(pc, instruction);
}

static inline void hal_pmi_skip(void)
{
	uint64_t next;

	__asm__ volatile("rdpr %%tnpc, %0; wrpr %0, 0, %%tpc; add %0, 4, %0; wrpr %0, 0, %%tnpc; "
			 "wrpr %%g0, 0, %%tt"
			 : "=r"(next));
}

#endif
