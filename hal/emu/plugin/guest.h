/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PMU sees of the guest of the monitor: its registers where the monitor keeps them, its memory. */
#ifndef PLUGIN_GUEST_H
#define PLUGIN_GUEST_H

#include <stdint.h>

#include "lacking.h"
#include "mailbox.h"
#include "model.h"
#include "vpmu.h"

/* One core. */
struct guest {
	uint64_t frame[VPMU_CPUS];	/* of each hardware thread, by its number; 0: there is none */
	uint64_t memory[2], hidden[2];	/* where its memory is (mailbox.h) */
	struct model_processor processor;
};

/* Of one CPU's guest, as its monitor has it in this frame. */
struct guest_view {
	bool is_there;
	bool is_watched;		/* any exception makes it be left */
	bool is_followed;		/* and any change of its level, but by SYSCALL and SYSRET, which it has; */
	bool returns;			/* and but by IRET */
	bool is_interrupted;		/* it was left for an interrupt or an NMI, between instructions */
	bool is_restored;		/* it was left for a fault that may be of the next instruction's fetch */
	unsigned bits;			/* the width of its code */
	uint64_t address;		/* of its next instruction, linear */
	uint64_t clock;			/* its clock, as the monitor has it */
	uint64_t left;			/* the machine's clock when it was last left, */
	uint64_t offset;		/* and what its own was ahead of that then */
};

struct guest_view guest_look(uint64_t frame);

/* Its next instruction, if it was left for an exception, or for its state's not being one of a processor. */
struct guest_instruction {
	uint8_t opcode;			/* its byte behind 0FH; 0: its opcode does not begin with that */
	uint8_t branch;			/* its kind, if it is one (struct classes) */
	struct lacking lacking;		/* what it is, if the emulator lacks it; of registers as they were before */
};

struct guest_instruction guest_fault(const struct guest *guest, uint64_t frame);

/* What it is, if the emulator lacks it, when the monitor has stored the registers. Nothing, if a vector's operand is
 * not there, or not aligned. */
struct lacking guest_lacking(const struct guest *guest, uint64_t frame);

/* A general register, by its number in instructions, when the monitor has stored it. */
uint64_t guest_register(uint64_t frame, unsigned number);

/* Where its page tables of four levels begin, as of its last exit. False: it has none. */
bool guest_tables(uint64_t frame, uint64_t *cr3);

/* Prepares a core for `attach`, without threads. */
void guest_start(struct guest *guest, const struct mailbox_start *start);

#endif
