/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory references of x86 vCPUs, through the model of the machine's TLBs and caches
 * (hal/emu/model). TLBs and caches are empty at first. They change only while a counter selects one
 * of their events, and for a million instructions after that. */
#ifndef QEMU_X86_REFERENCES_H
#define QEMU_X86_REFERENCES_H

#include "../../model/package.h"
#include "../cpu.h"
#include "../qemu_plugin.h"

/* Bytes of a code line. Fetches within the last line are not repeated. */
#define REFERENCES_LINE 64u

/* Loads the description of the machine's processor: `machine` is a name in hal/emu/model or a file.
 * Returns false after printing the reason on standard error. */
bool references_begin(const char *machine);

/* Passes the vCPU's branches to its core's predictor from now on. */
void references_predict(const struct cpu *c);

/* Returns true if some counter selects an event of references. */
bool references_matter(void);

/* Registers the callbacks of an instruction that refers to memory. */
void references_follow(struct qemu_plugin_insn *qemu, const struct instruction *i);

/* Reports the fetch of an instruction. */
void references_fetch(struct cpu *c, const struct instruction *i);

/* The current instruction, whose references QEMU does not report, executes a prefetch, or loads or
 * stores a vector operand at a mapped address. */
void references_prefetch(struct cpu *c, enum access access, uint64_t linear);
void references_vector(struct cpu *c, bool store, uint64_t linear, unsigned size);

/* Flushes the vCPU's TLBs: MOV to CR3, INVLPG. */
void references_invalidate(struct cpu *c);

/* WBINVD: empties the caches of the vCPU's package, whether or not any counter counts. */
void references_empty(struct cpu *c);

#endif
