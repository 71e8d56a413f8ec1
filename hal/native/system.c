// SPDX-License-Identifier: BSD-2-Clause
// What the C library asks of the runtime.

#include "system.h"

#include "hal.h"
#include "memory.h"

uint64_t system_serve(enum system_call call, uint64_t a, uint64_t b)
{
	switch (call) {
	case SYSTEM_WRITE:
		hal_console_write((const char *)(uintptr_t)a, b);
		return b;
	case SYSTEM_EXTEND_HEAP:
		return (uintptr_t)memory_extend_heap((int64_t)a);
	case SYSTEM_EXIT:
		hal_exit((int)a);
	}
	return 0;
}
