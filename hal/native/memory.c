// SPDX-License-Identifier: BSD-2-Clause
// The image's memory: what callers may have written, and the heap of the C library.

#include "memory.h"

#include "hal.h"
#include "system.h"

extern char writable_start[], heap_start[];	// linker script

#define PAGE	(1ULL << 14)	/* ia64's: what the runtime takes is on no page with programs' memory */

uint64_t hal_memory_start, hal_memory_end;
static uint64_t heap_end;

void memory_start(uint64_t end)
{
	hal_memory_start = (uintptr_t)writable_start;
	hal_memory_end = end;
	heap_end = (uintptr_t)heap_start;
	system_start();
}

void *memory_extend_heap(int64_t size)
{
	uint64_t old = __atomic_load_n(&heap_end, __ATOMIC_RELAXED), new;

	do {
		new = old + (uint64_t)size;
		if (new < (uintptr_t)heap_start || new > hal_memory_end)
			return (void *)0;
	} while (!__atomic_compare_exchange_n(&heap_end, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return (void *)(uintptr_t)old;
}

void *memory_take(uint64_t size)
{
	const uint64_t start = (hal_memory_end - size) & ~(PAGE - 1);

	if (size > hal_memory_end || start < heap_end || start - heap_end < size)
		return (void *)0;
	hal_memory_end = start;
	return (void *)(uintptr_t)start;
}
