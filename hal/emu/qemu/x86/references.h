/* SPDX-License-Identifier: BSD-2-Clause */
/* References of x86 vCPUs to memory, through the model of the machine's TLBs and caches (hal/emu/model). While no
 * counter selects an event of theirs, and a million instructions have passed since one did, TLBs and caches stay as
 * they are; at first they are empty. */
#ifndef QEMU_X86_REFERENCES_H
#define QEMU_X86_REFERENCES_H

#include "../../model/package.h"
#include "../cpu.h"
#include "../qemu_plugin.h"

/* Bytes of a line of code, which is fetched once. */
#define REFERENCES_LINE 64u

/* Reads the description of the machine's processor: `machine` is a name in hal/emu/model or a file. False: it has said
 * why, on the standard error. */
bool references_begin(const char *machine);

/* The vCPU's branches go through its core's predictor. */
void references_predict(const struct cpu *c);

/* Whether counters select what references raise. */
bool references_matter(void);

/* Registers the callbacks of an instruction that refers to memory. */
void references_follow(struct qemu_plugin_insn *qemu, const struct instruction *i);

/* The instruction is fetched. */
void references_fetch(struct cpu *c, const struct instruction *i);

/* The current instruction, of which QEMU reports no reference, prefetches; loads or stores an operand of a vector
 * instruction, which is mapped. */
void references_prefetch(struct cpu *c, enum access access, uint64_t linear);
void references_vector(struct cpu *c, bool store, uint64_t linear, unsigned size);

/* Linear addresses of the vCPU lead elsewhere: MOV to CR3, INVLPG. */
void references_invalidate(struct cpu *c);

/* WBINVD: the caches of the vCPU's package become empty, whether or not anything counts. */
void references_empty(struct cpu *c);

#endif
