/* SPDX-License-Identifier: BSD-2-Clause */
/* Set-up of an image's memory: for boot/ and the C library's glue. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdint.h>

/* Memory ends at `end`; the heap is what lies above the image. From here on the C library can be used. */
void memory_start(uint64_t end);

/* Moves the end of the heap by `size` bytes; returns the old end, or NULL if there is not that much. */
void *memory_extend_heap(int64_t size);

/* Takes memory from its end, for the runtime, before programs run; aligned to 64 bytes, its contents undefined. NULL:
 * less than as much again would be left for the heap. */
void *memory_take(uint64_t size);

#endif
