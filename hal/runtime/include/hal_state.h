/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the runtime's state is in a library: in the context that the host has given the calling CPU (runtime.c). */
#ifndef HAL_STATE_H
#define HAL_STATE_H

#include <stdint.h>

#define HAL_STATE(type, name)		type *name(void);
#define HAL_STATE_PLACE(type, name)	/* struct context has it */

/* The host says where records go, and is trusted. */
static const uint64_t hal_memory_start = 0, hal_memory_end = UINT64_MAX;

#endif
