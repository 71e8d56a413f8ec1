/* SPDX-License-Identifier: BSD-2-Clause */
/* The mailbox: how a monitor inside an emulated machine reaches the PMU, which is in the emulator's plugin
 * (hal/emu/plugin). Each CPU has one, in the monitor's memory. To call, the monitor writes the call and its arguments,
 * and rings; at its next instruction the answer is there. Numbers are little-endian on all processors. */
#ifndef MAILBOX_H
#define MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#define MAILBOX_VERSION 12	/* of all that is in this file */

/* What rings: an instruction that stores to `ring` and is recognized by its encoding. x86: one that has this constant,
 * and stores it. SPARC: this one, stw %g0, [%g1 + MAILBOX_RING_DISPLACEMENT]; compilers give no word an odd one. */
#define MAILBOX_RING 0x504D7552
#define MAILBOX_RING_STW 0xC0207AAB
#define MAILBOX_RING_DISPLACEMENT (-1365)

#define MAILBOX_REGISTERS_MOST 128

/* Changes of the level: none; SYSCALL and SYSRET; IRET, too. */
enum { MAILBOX_FOLLOWS_NOTHING, MAILBOX_FOLLOWS_CALLS, MAILBOX_FOLLOWS_RETURNS };

/* Nothing, exceptions, or all interruptions. */
enum { MAILBOX_WATCH_NOTHING, MAILBOX_WATCH_EXCEPTIONS, MAILBOX_WATCH_ALL };

/* Some years of the clock, of which no sum overflows. */
#define MAILBOX_FAR (1ULL << 58)

/* What MAILBOX_START says and asks. Addresses are physical; texts end with 0. */
struct mailbox_start {
	/* Answered: why there is no such PMU, "" if there is; in the same place in all versions. */
	char problem[80];

	/* Of the calling CPU: the package that it is of, the core of that, its hardware thread. */
	uint32_t package, core, thread;
	uint64_t frame;			/* where the monitor keeps the guest's registers */

	/* The rest is read at the first CPU's start only. The PMU's name; a fault to switch on, or "". */
	char target[32];
	char fault[80];
	/* Memory that the PMU may write records into: from memory[0] up to memory[1], but for what is between hidden[0]
	 * and hidden[1]. */
	uint64_t memory[2], hidden[2];

	/* Answered at the first CPU's start: the core's clock (model.h: clock_address), and whether the processor has
	 * instructions that the emulator lacks; which clock PMUs have; blocks of registers, first the cores'. */
	uint32_t clock_address;
	uint32_t has_lacking;
	uint32_t timed;			/* cycles pass as latencies let them; else one for each instruction */
	uint32_t blocks, core_blocks;
	struct {
		uint32_t address, count;
	} block[MAILBOX_REGISTERS_MOST];
};

/* `cycles` of each call pass first: so many instructions have executed since the last one, or, if the guest is halted,
 * so much time has passed. Of a call that writes, the last one is the writing instruction's, and passes only if ok. */
enum mailbox_call {
	MAILBOX_START,		/* the CPU has a PMU; address: struct mailbox_start. value: MAILBOX_VERSION */
	MAILBOX_RUN,		/* no more than that */
	MAILBOX_READ,		/* reads the register at `address`: ok, value */
	MAILBOX_READ_COUNTER,	/* RDPMC of the index `address`: ok, value */
	MAILBOX_WRITE,		/* writes a register: ok */
	MAILBOX_WRITE_COUNTER,	/* writes the counter of the index `address`, as MAILBOX_WRITE */
	MAILBOX_COMMIT,		/* a next-to-commit instruction has been carried out (vpmu_commit) */
	MAILBOX_NEXT,		/* the next instruction, value, counts before it executes. ok: a next-to-commit one */
	MAILBOX_REPORTED,	/* the first of those that have executed was reported so */
	MAILBOX_EXECUTE,	/* the instruction that the emulator lacks, for which the guest was left: ok */
	MAILBOX_IDENTIFY,	/* CPUID, leaf `address`: changes what is in `registers` */
	MAILBOX_TAKE_REQUEST,	/* the interrupt that was asked for is taken */
	MAILBOX_SET_LEVEL,	/* value: the privilege level */
	MAILBOX_CHANGE_LEVEL,	/* an instruction has executed that changes it to `value` (vpmu_change_level) */
	MAILBOX_SET_HALTED,	/* value: whether the guest is halted */
	MAILBOX_RESUME,		/* of the CPUs of this core, this one executes from here on */
	MAILBOX_CLOCK_ONLY,	/* of instructions nothing counts but their number */
	MAILBOX_HAPPENS,	/* ok: whether an event ever happens; value: code, unit mask << 16, MAILBOX_SHARED */
	MAILBOX_CALLS
};

#define MAILBOX_SHARED (1u << 31)	/* the event is one of the package's PMU */

struct mailbox {
	/* What is needed to find out that versions differ, in the same place in all of them. */
	uint32_t ring;
	uint32_t call;
	uint64_t self;		/* this mailbox's address */
	uint64_t address, value;
	uint32_t answers;	/* how many calls of this CPU have been answered */

	uint64_t cycles;
	uint64_t executed;	/* SPARC: instructions that the guest has executed itself, by the clock */
	uint32_t registers[4];

	/* Answers. All CPUs' are there after each call of one. */
	bool ok;
	bool precise;		/* model_outputs; the monitor clears it when it has taken the trap */
	bool counting;		/* some counter of its core, or of its package, is enabled */
	/* If one of these changes, the guest's next quantum is another one. */
	union mailbox_demands {
		struct {
			bool request;		/* an overflow asks for an interrupt */
			bool level_matters;	/* model_outputs */
			uint8_t watch;		/* MAILBOX_WATCH_*: what may not come between instructions unnoticed */
			uint8_t follows;	/* MAILBOX_FOLLOWS_*: these, where allowed, need not end the quantum */
		};
		uint32_t all;
	} demands;
	/* Of the instruction for which the guest was left, if that was for an exception or could not be; there without
	 * a call. */
	uint8_t opcode;		/* behind 0FH; 0: that is not its opcode's first byte */
	uint8_t branch;		/* its kind, if it is one: OCCURRENCE_KIND_* (model.h) */
	uint8_t lacking;	/* its length, if the emulator lacks it; 0: MAILBOX_EXECUTE does no such one */

	/* The emulator's clock has counted it, although it has not retired. */
	bool was_counted;
	bool early;		/* an NMI of the plugin's has ended the quantum, or has come with its end */
	bool kinds_matter;	/* of instructions more counts than their number */
	bool returned;		/* an IRET that need not end the quantum has executed; the monitor clears it */
	uint8_t level;		/* the guest's, as the PMU knows it */
	bool may_follow;	/* no answer: no other CPU executes, and the monitor does what `follows` needs */
	uint64_t headroom;	/* vpmu_headroom, whatever the guest executes; MAILBOX_FAR at most: it need not end */
};

#endif
