/* SPDX-License-Identifier: BSD-2-Clause */
/* An image's memory: for boot/ and the C library's glue. Programs' memory is data, stacks and heap
 * of the workload and the C library. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Starts memory management: memory ends at `end`, the heap begins after the image. From then on the
 * C library works. */
void memory_start(uint64_t end);

/* Moves the end of the heap by `size` bytes; returns the old end, or NULL if there is not enough
 * memory. */
void *memory_extend_heap(int64_t size);

/* Takes `size` bytes from the end of memory, for the runtime, before programs run; aligned to 64
 * bytes, contents undefined. NULL: the heap would have less than `size` left. */
void *memory_take(uint64_t size);

/* The region of an address: in programs' memory, in the image's code and constants, or
 * elsewhere. */
enum memory_region { MEMORY_DATA, MEMORY_HEAP, MEMORY_STACKS, MEMORY_CONSTANTS, MEMORY_ELSEWHERE, MEMORY_REGIONS };
enum memory_region memory_region_of(uint64_t address);

/* Saves programs' data and heap, so that a program can run several times with the same memory. Call
 * it while no program runs, with empty buffers of the C library. False: there is not enough
 * memory. */
bool memory_save(void);

/* Restores saved memory, if any. The heap gets its size at the save; memory above the heap is 0. */
void memory_restore(void);

/* Flushes the image's code and programs' memory from the caches, and translations from the TLBs, of
 * this CPU and the CPUs that share them, as far as the processor can (hal_flush). */
void memory_flush(void);

#endif
