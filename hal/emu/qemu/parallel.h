/* SPDX-License-Identifier: BSD-2-Clause */
/* Without its instruction clock, QEMU executes vCPUs in threads of their own. A callback then has the machine to itself
 * between parallel_enter and parallel_leave; or until the end, if it does not return. */
#ifndef QEMU_PARALLEL_H
#define QEMU_PARALLEL_H

#include "unpromised.h"

/* Since the first vCPU has begun. */
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
