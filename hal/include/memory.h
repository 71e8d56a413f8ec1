/* SPDX-License-Identifier: BSD-2-Clause */
/* An image's memory: for boot/ and the C library's glue. Programs' memory is data, stacks and heap
 * of the workload and the C library. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Starts memory management: memory ends at `end`, the heap begins after the image. */
void memory_start(uint64_t end);

/* Moves the end of the heap by `size` bytes; returns the old end, or NULL if there is not enough
 * memory. */
void *memory_extend_heap(int64_t size);

/* Takes `size` bytes from the end of memory, for the runtime, before programs run; aligned to 64
 * bytes, contents undefined. NULL: the heap would have less than `size` left. */
void *memory_take(uint64_t size);

/* The region of an address: in programs' memory, in the image's code and constants, or
 * elsewhere. */
enum memory_region { MEMORY_DATA, MEMORY_HEAP, MEMORY_STACKS, MEMORY_CONSTANTS, MEMORY_ELSEWHERE,
		    MEMORY_REGIONS };
enum memory_region memory_region_of(uint64_t address);

/* Saves programs' data and heap, so that a program can run several times with the same memory. Call
 * it while no program runs, with empty buffers of the C library. False: there is not enough
 * memory. */
bool memory_save(void);

/* Restores saved memory, if any. The heap gets its size at the save; memory above the heap is 0. */
void memory_restore(void);

/* Addresses [from, to). */
struct hal_range {
	uint64_t from, to;
};

/* Writes back and invalidates the lines of these ranges, or all lines, in the caches of this CPU
 * and of the CPUs that share them, and empties the TLBs as far as the processor can. No CPU may
 * write to the ranges meanwhile. */
void hal_flush(const struct hal_range *ranges, unsigned count);

/* The pages of programs' memory, for people: "pages of 2 MiB". */
const char *hal_pages(void);

/* Puts programs' code and memory into pages of 4 KiB; on other CPUs from their next hal_flush on.
 * Returns NULL, or why that is not possible. */
const char *hal_use_small_pages(void);

/* Flushes the image's code and programs' memory from the caches, and translations from the TLBs, of
 * this CPU and the CPUs that share them, as far as the processor can (hal_flush). */
void memory_flush(void);

#endif
