/* SPDX-License-Identifier: BSD-2-Clause */
/* Without its instruction clock, QEMU executes each vCPU in its own thread. A callback then has
 * exclusive access to the machine between parallel_enter and parallel_leave, or until its end, if
 * it does not return. */
#ifndef QEMU_PARALLEL_H
#define QEMU_PARALLEL_H

#include "unpromised.h"

/* Valid after the first vCPU has begun. */
extern bool parallel_is_used;

static inline bool parallel_enter(void)
{
	return parallel_is_used && unpromised_lock();
}

static inline void parallel_leave(bool entered)
{
	if (__builtin_expect(entered, false))
		unpromised_unlock();
}

#endif
