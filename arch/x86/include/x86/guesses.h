/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts of a PC, and guesses for a Xeon Phi card, one line each. `make image GUESSES="NAME=VALUE
 * ..."` builds with other values, which contain no blanks. boot/BOARDS.md, "On a card", explains
 * each guess. */
#ifndef X86_GUESSES_H
#define X86_GUESSES_H

/* F3 90H: processors without PAUSE execute NOP (SDM volume 2B, PAUSE). */
#define X86_PAUSE	"pause"

#define APIC_BASE	0xFEE00000u	/* the local APIC's registers */
#define TRAMPOLINE	0x8000		/* page below 1 MiB where further CPUs start */
#define HAS_8259	1		/* interrupt controllers at ports 20H and A0H; 0: none */

#endif
