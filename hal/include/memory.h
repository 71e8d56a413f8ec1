/* SPDX-License-Identifier: BSD-2-Clause */
/* An image's memory: for boot/ and the C library's glue. Programs' memory is the workload's and the C library's: data,
 * stacks, heap. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Memory ends at `end`; the heap is what lies above the image. From here on the C library can be used. */
void memory_start(uint64_t end);

/* Moves the end of the heap by `size` bytes; returns the old end, or NULL if there is not that much. */
void *memory_extend_heap(int64_t size);

/* Takes memory from its end, for the runtime, before programs run; aligned to 64 bytes, its contents undefined. NULL:
 * less than as much again would be left for the heap. */
void *memory_take(uint64_t size);

/* Where an address is: in programs' memory, among the image's code and constants, or elsewhere. */
enum memory_region { MEMORY_DATA, MEMORY_HEAP, MEMORY_STACKS, MEMORY_CONSTANTS, MEMORY_ELSEWHERE, MEMORY_REGIONS };
enum memory_region memory_region_of(uint64_t address);

/* Saves programs' data and heap, so that a program can run several times with the same memory. No program runs, and
 * nothing waits in the C library's buffers. False: there is not enough memory. */
bool memory_save(void);

/* Restores what was saved, if anything was. The heap is as large as then; memory above it is 0. */
void memory_restore(void);

/* Takes the image's code and programs' memory out of the caches, and translations out of the TLBs, of this CPU
 * and those that share them, as far as the processor can (hal_flush). */
void memory_flush(void);

#endif
