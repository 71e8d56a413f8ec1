/* SPDX-License-Identifier: BSD-2-Clause */
/* References of the guests to memory, through caches and TLBs (hal/emu/model), and what their PMUs count of that. */
#ifndef PLUGIN_REFERENCES_H
#define PLUGIN_REFERENCES_H

#include "../model/memory.h"
#include "classify.h"
#include "mailbox.h"
#include "prefetches.h"
#include "qemu.h"
#include "vpmu.h"

/* The processor that the machine has, by the name of its description (hal/emu/model), or the name of a file with one,
 * with a '/' in it. Before a monitor starts; else it is the PMU's. */
void references_describe(const char *name);

/* The processor that the machine has. NULL: no monitor has started whose PMU sees any of it. */
const struct processor *references_processor(void);

/* This CPU's monitor has started, and its guest has this PMU. */
void references_start(unsigned cpu, struct vpmu *v, const struct mailbox_start *start);

/* Has the emulator report an instruction's references; and it calls the other one before each block. */
void references_translate(struct qemu_plugin_insn *instruction, const struct classes *classes);
void references_fetch(unsigned cpu, void *block);

/* Has it report the accesses of this instruction, to an operand that is so `wide` (struct classes), for the prefetch
 * beside it, whose own address is `ip`. Behind references_translate of that instruction. */
void references_translate_prefetch(struct qemu_plugin_insn *of, unsigned wide, const struct prefetch *p, uint64_t ip);

/* A VPREFETCHn that the monitor carries out for the guest, whose page tables say where the data is. If they do not, it
 * does nothing. */
void references_vprefetch(unsigned cpu, enum access access, uint64_t linear);

/* Hands the PMUs what has happened, in the last of the call's cycles. Before each call. */
void references_report(unsigned cpu, struct mailbox *box);

/* The CPU has written a register: perhaps what is counted is another event. */
void references_select(unsigned cpu, uint32_t address, uint64_t value);

/* Instructions after which what has happened must be reported, as a counter of it may overflow. */
uint64_t references_headroom(unsigned cpu);

/* Keeps the last load that the CPU's guest has executed, from here on, or no more. The load, as its PMU records it:
 * address of the instruction, of the data, latency, and where the data was, by the target's code. NULL: there was none.
 */
void references_watch_loads(unsigned cpu, bool watch);
const struct occurrence *references_last_load(unsigned cpu);

/* Whether caches and TLBs ever raise this event, as it is selected or was last. */
bool references_happen(unsigned cpu, bool shared, uint16_t code, uint8_t umask);

#endif
