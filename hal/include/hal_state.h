/* SPDX-License-Identifier: BSD-2-Clause */
/* The runtime's state in variables. The library's header of this name (hal/runtime) puts the state
 * into memory of the host. `name`() returns a pointer to that state; HAL_STATE_PLACE in one source
 * file defines the variable. */
#ifndef HAL_STATE_H
#define HAL_STATE_H

#include <stdint.h>

#define HAL_STATE(type, name)			\
	extern type name##_state;		\
	static inline type *name(void)		\
	{					\
		return &name##_state;		\
	}

#define HAL_STATE_PLACE(type, name)	type name##_state;

extern uint64_t hal_memory_start, hal_memory_end;

#endif
