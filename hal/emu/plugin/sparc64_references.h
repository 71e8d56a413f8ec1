/* SPDX-License-Identifier: BSD-2-Clause */
/* What SPARC's guest does to the caches of its core. */
#ifndef PLUGIN_SPARC64_REFERENCES_H
#define PLUGIN_SPARC64_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../model/processor.h"
#include "qemu.h"

/* Makes the core's caches by this processor, empty ones. */
void sparc64_references_make(const struct processor *processor);

/* Has the emulator report what an instruction accesses, which is the one of this number in its block. */
void sparc64_references_translate(struct qemu_plugin_insn *from, uint32_t instruction, int asi, size_t number);

/* The guest goes on, with an instruction that has been reported (sparc64_refer_next), or not; it is left. Whether its
 * references matter until then. */
bool sparc64_references_begin(bool reported);
void sparc64_references_end(void);

/* A block, from its first byte up to the one behind it, is about to be executed. */
void sparc64_fetch(uint64_t from, uint64_t behind);

/* What the next instruction will do is done before it executes. */
void sparc64_refer_next(uint64_t address, uint32_t instruction, int asi, const uint64_t registers[32]);

/* The CPU has read a register of the PMU that the cores share: from here on that sees the memory. */
void sparc64_watch_memory(void);

#endif
