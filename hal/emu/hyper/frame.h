/* SPDX-License-Identifier: BSD-2-Clause */
/* What the way into the monitor and out of it (switch.S) shares with the monitor: the guest's registers, and when to be
 * back. There is one frame, of the one CPU. */
#ifndef HYPER_FRAME_H
#define HYPER_FRAME_H

#include "layout.h"

/* Offsets in struct hyper_frame, for assembly. */
#define HYPER_REGISTERS		0
#define HYPER_GL		256
#define HYPER_Y			264
#define HYPER_TRAP		272
#define HYPER_ENTRY		304
#define HYPER_SOFTINT		336
#define HYPER_STICK_CMPR	344
#define HYPER_ENTRY_TICK	352
#define HYPER_EXIT_TICK		360
#define HYPER_LEAVE_TL		368
#define HYPER_RAISE		376
#define HYPER_CLEAR_SOFTINT	384
#define HYPER_SET_SOFTINT	392
#define HYPER_ALARM		400
#define HYPER_STICK		408
#define HYPER_KEEP_STICK_CMPR	416
#define HYPER_SLED		424
#define HYPER_FSR		432
#define HYPER_REPORTED		440
#define HYPER_FRAME_SIZE	448

/* Where it is: behind the mailbox (calls.h), so that the PMU sees the guest's registers. */
#define HYPER_FRAME		0x80001000

/* In struct hyper_trap. */
#define TRAP_TL			0
#define TRAP_TPC		8
#define TRAP_TNPC		16
#define TRAP_TSTATE		24

/* The tables' sizes, in entries of 32 bytes: of the privileged one, for traps at trap level 0 and above. */
#define HYPER_ENTRY_SHIFT	5
#define HYPER_PRIVILEGED_ENTRIES (2 * 0x200)
#define HYPER_HYPERPRIVILEGED_ENTRIES 0x200

/* Numbers of software traps: from a table's entry to the monitor; up a trap level. */
#define HYPER_TRAP_ENTER	0xFF
#define HYPER_TRAP_RAISE	0xFE

/* Instructions: from a trap up to the clock's reading, this included; from the reading on the way out to the guest, and
 * from %stick's write, with an empty sled. */
#define HYPER_IN		2
#define HYPER_OUT		19
#define HYPER_OUT_STICK		8
#define HYPER_SLED_MOST		4

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/* Trap registers of a trap level. */
struct hyper_trap {
	uint64_t tl_or_tt;	/* in `trap` the type; in `entry` the level */
	uint64_t tpc, tnpc, tstate;
};

struct hyper_frame {
	uint64_t registers[32];		/* the guest's, by their numbers; the global ones are those of level gl */
	uint64_t gl, y;
	struct hyper_trap trap;		/* the guest's: at the trap level below the entry's */
	struct hyper_trap entry;	/* what the monitor's table entry did */
	uint64_t softint, stick_cmpr;
	uint64_t entry_tick, exit_tick;	/* the machine's clock at the two readings */

	/* How to leave: the trap level at which RETRY is executed; whether the table entry's trap is to be one from
	 * hyperprivileged mode. */
	uint64_t leave_tl, raise;
	uint64_t clear_softint, set_softint;
	uint64_t alarm;			/* instructions from the clock's reading to the alarm */
	uint64_t stick;			/* what %stick is set to */
	uint64_t keep_stick_cmpr;	/* 1: its time has passed, do not set it again */
	uint64_t sled;			/* address in the no-operations to enter at */

	uint64_t fsr;			/* if the guest's next instruction branches by it */
	uint64_t reported;		/* 1: the guest goes on with an instruction that has been reported to the PMU */
};

_Static_assert(offsetof(struct hyper_frame, gl) == HYPER_GL, "frame layout");
_Static_assert(offsetof(struct hyper_frame, trap) == HYPER_TRAP, "frame layout");
_Static_assert(offsetof(struct hyper_frame, entry) == HYPER_ENTRY, "frame layout");
_Static_assert(offsetof(struct hyper_frame, leave_tl) == HYPER_LEAVE_TL, "frame layout");
_Static_assert(offsetof(struct hyper_frame, sled) == HYPER_SLED, "frame layout");
_Static_assert(offsetof(struct hyper_frame, fsr) == HYPER_FSR, "frame layout");
_Static_assert(offsetof(struct hyper_frame, reported) == HYPER_REPORTED, "frame layout");
_Static_assert(sizeof(struct hyper_frame) == HYPER_FRAME_SIZE, "frame layout");

/* The monitor's trap tables, in front of the guest's. What their entries are, one behind the other: any; those of the
 * two software traps. The end of the sled. */
extern uint32_t hyper_hyperprivileged_table[], hyper_privileged_table[];
extern const uint32_t hyper_any[], hyper_raise[], hyper_enter[], hyper_entries_end[];
extern const char hyper_sled_end[];

/* Called on each trap of the guest's. */
void hyper_exit(struct hyper_frame *frame);

#endif
#endif
