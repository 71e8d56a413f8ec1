/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's place for the runtime's state: the context that the host gives the calling CPU
 * (runtime.c). */
#ifndef HAL_STATE_H
#define HAL_STATE_H

#include <stdint.h>

#define HAL_STATE(type, name)		type *name(void);
#define HAL_STATE_PLACE(type, name)	/* a member of struct context instead */

/* The library trusts the host to choose the memory for records. */
static const uint64_t hal_memory_start = 0, hal_memory_end = UINT64_MAX;

#endif
