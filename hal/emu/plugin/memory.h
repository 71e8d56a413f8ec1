/* SPDX-License-Identifier: BSD-2-Clause */
/* The emulated machine's memory, which the emulator shares with whoever maps it. */
#ifndef PLUGIN_MEMORY_H
#define PLUGIN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Says, before it is mapped, at which physical address the machine has it. */
void memory_begins_at(uint64_t address);

/* Maps it. NULL: done; else why it cannot be. */
const char *memory_map(void);

/* Its bytes, when it is mapped. */
uint64_t memory_size(void);

/* The bytes at a physical address; NULL: not all of them are memory. */
void *memory_at(uint64_t address, size_t size);

#endif
