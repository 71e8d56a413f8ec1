/* SPDX-License-Identifier: BSD-2-Clause */
/* hal.h's short primitives in the library: it accesses the processor's registers itself and calls
 * the host for all else. Each CPU is a machine of one CPU, with its state in its context. */
#ifndef HAL_INLINE_H
#define HAL_INLINE_H

#include "hal_state.h"
#include "hal_x86.h"
#include "palmon_host.h"

#define HAL_CPUS 1
#define HAL_RING_SAMPLES 512
#define HAL_NMI 1

/* The first word of a context. */
static inline void **runtime_cpu_data(void)
{
	return palmon_host_context();
}

int *runtime_error_number(void);

static inline uint64_t hal_clock(void)
{
	return palmon_host_clock();
}

static inline unsigned hal_cpu(void)
{
	return 0;
}

static inline unsigned hal_cpu_user(void)
{
	return 0;
}

static inline void *hal_cpu_data(void)
{
	return *runtime_cpu_data();
}

static inline void hal_cpu_set_data(void *data)
{
	*runtime_cpu_data() = data;
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
