/* SPDX-License-Identifier: BSD-2-Clause */
/* References of the guests to memory, through caches and TLBs (hal/emu/model). */
#ifndef PLUGIN_REFERENCES_H
#define PLUGIN_REFERENCES_H

#include "../model/processor.h"
#include "../model/memory.h"
#include "classify.h"
#include "prefetches.h"
#include "qemu.h"
#include "vpmu.h"

/* Makes caches and TLBs of this processor, empty ones. */
void references_make(const struct processor *processor);

/* This CPU's monitor has started, behind that. */
void references_start(unsigned cpu, struct vpmu *v, unsigned core, uint64_t frame);

/* Takes page tables from the guests' registers, and has happen what loads of this CPU raise that have retired. Before
 * each call. */
void references_follow(unsigned cpu);

/* Has the emulator report an instruction's references; and it calls the other one before each block. */
void references_translate(struct qemu_plugin_insn *instruction, const struct classes *classes);
void references_fetch(unsigned cpu, void *block);

/* Has it report the accesses of this instruction, to an operand that is so `wide` (struct classes), for the prefetch
 * beside it, whose own address is `ip`. Behind references_translate of that instruction. */
void references_translate_prefetch(struct qemu_plugin_insn *of, unsigned wide, const struct prefetch *p, uint64_t ip);

/* By the timed clock: the CPU locks the bus, and waits until no request is on its way in its package. */
void references_lock_bus(unsigned cpu);

/* A VPREFETCHn that the monitor carries out for the guest, whose page tables say where the data is. If they do not, it
 * does nothing. */
void references_vprefetch(unsigned cpu, enum access access, uint64_t linear);

/* A vector instruction of the guest's that is carried out: with so many active elements, it waits for a register or
 * not; and its reference. */
void references_vector(unsigned cpu, unsigned elements, bool waits);
void references_vector_access(unsigned cpu, bool store, uint64_t linear, unsigned size);

#endif
