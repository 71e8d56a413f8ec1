/* SPDX-License-Identifier: BSD-2-Clause */
/* hal.h's short primitives in a host process: function calls into the model (hal/shim). */
#ifndef HAL_INLINE_H
#define HAL_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "hal_state.h"

#define HAL_CPUS 4	/* in a package: two cores of two threads; without one: threads of a core */
#define HAL_RING_SAMPLES 4096
#define HAL_NMI 1

uint64_t hal_clock(void);
unsigned hal_cpu(void);

static inline unsigned hal_cpu_user(void)
{
	return hal_cpu();
}

void hal_relax(void);

static inline void hal_publish(uint32_t *number)
{
	__atomic_store_n(number, *number + 1, __ATOMIC_RELEASE);
}

void *hal_cpu_data(void);
void hal_cpu_set_data(void *data);
bool hal_interrupts_disable(void);
void hal_interrupts_restore(bool enabled);
bool reg_read(uint32_t address, uint64_t *value);
bool reg_write(uint32_t address, uint64_t value);
bool reg_read_counter(uint32_t index, uint64_t *value);
void hal_pmi_mask(void);
void hal_pmi_unmask(void);
void hal_pmi_end(void);
bool hal_pmi_precise(void);
unsigned hal_pmi_level(void);
bool hal_pmi_instruction(uint32_t *instruction);
void hal_pmi_skip(void);
uint64_t reg_read_next(uint32_t address, uint64_t *fault);
void reg_write_next(uint32_t address, uint64_t value, uint64_t *fault);

#endif
