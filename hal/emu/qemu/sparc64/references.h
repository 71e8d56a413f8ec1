/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory references of SPARC vCPUs, through the caches of the machine model
 * (hal/emu/model/through.h), to the memory controllers. Caches are empty at first, and change only
 * while a counter selects one of their events. The functions are those of struct isa. */
#ifndef QEMU_SPARC64_REFERENCES_H
#define QEMU_SPARC64_REFERENCES_H

#include "../cpu.h"
#include "../qemu_plugin.h"

bool sparc64_begin_references(const char *machine);
void sparc64_begin_predictions(const struct cpu *c);
bool sparc64_references_matter(void);	/* call it also after each change of a counter's
					 * selection */
void sparc64_follow(struct qemu_plugin_insn *qemu, const struct instruction *i);
void sparc64_fetch(struct cpu *c, const struct instruction *i);

/* Returns the last result of sparc64_references_matter. */
bool sparc64_references_mattered(void);

/* The current instruction is a block-commit store. Invalidates the line in the caches, even if
 * references are not followed. */
void sparc64_commit(struct cpu *c, const struct instruction *i, uint64_t linear);

/* Makes the current instruction's references before it executes. They are not repeated when it
 * executes, nor if its cycle has already been prepared. */
void sparc64_refer_early(struct cpu *c, const struct instruction *i);

#endif
