/* SPDX-License-Identifier: BSD-2-Clause */
/* What the way into the monitor and out of it (switch.S) shares with the monitor: the guest's registers, and when to be
 * back. There is one frame, of the one CPU. */
#ifndef HYPER_FRAME_H
#define HYPER_FRAME_H

#include "layout.h"

/* Offsets in struct hyper_frame, for assembly. */
#define HYPER_WINDOW		0
#define HYPER_G			1024
#define HYPER_GL		1088
#define HYPER_CANSAVE		1096
#define HYPER_CANRESTORE	1104
#define HYPER_OTHERWIN		1112
#define HYPER_CLEANWIN		1120
#define HYPER_WSTATE		1128
#define HYPER_Y			1136
#define HYPER_TRAP		1144
#define HYPER_ENTRY		1176
#define HYPER_SOFTINT		1208
#define HYPER_STICK_CMPR	1216
#define HYPER_ENTRY_TICK	1224
#define HYPER_EXIT_TICK		1232
#define HYPER_LEAVE_TL		1240
#define HYPER_RAISE		1248
#define HYPER_CLEAR_SOFTINT	1256
#define HYPER_SET_SOFTINT	1264
#define HYPER_ALARM		1272
#define HYPER_STICK		1280
#define HYPER_KEEP_STICK_CMPR	1288
#define HYPER_SLED		1296

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

/* The window traps' group of the monitor's own windows, and of the guest's while the monitor executes: the guest must
 * not use it. */
#define HYPER_WSTATE_OWN	7

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
	struct {
		uint64_t l[8], i[8];
	} window[WINDOWS];		/* the guest's: its current one, the next, and others that the monitor used */
	uint64_t g[8];			/* the guest's global registers, of level gl */
	uint64_t gl;
	uint64_t cansave, canrestore, otherwin, cleanwin, wstate, y;
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
};

_Static_assert(offsetof(struct hyper_frame, g) == HYPER_G, "frame layout");
_Static_assert(offsetof(struct hyper_frame, trap) == HYPER_TRAP, "frame layout");
_Static_assert(offsetof(struct hyper_frame, entry) == HYPER_ENTRY, "frame layout");
_Static_assert(offsetof(struct hyper_frame, leave_tl) == HYPER_LEAVE_TL, "frame layout");
_Static_assert(offsetof(struct hyper_frame, sled) == HYPER_SLED, "frame layout");

extern struct hyper_frame hyper_frame;

/* The monitor's trap tables, in front of the guest's. What their entries are, one behind the other: each; of windows of
 * the monitor's, and of the guest's; of the two software traps. The end of the sled. */
extern uint32_t hyper_hyperprivileged_table[], hyper_privileged_table[];
extern const uint32_t hyper_any[], hyper_spill[], hyper_spill_guest[], hyper_fill[], hyper_raise[], hyper_enter[],
	hyper_entries_end[];
extern const char hyper_sled_end[];

/* Called on each trap of the guest's. */
void hyper_exit(struct hyper_frame *frame);

#endif
#endif
