/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the runtime's state is: in variables. The library has a header of this name by which it is in memory that the
 * host gives (hal/runtime). `name`() is the state of that name; a source file has a place for it. */
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
