/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a PC, and guessed of a Xeon Phi card, one line each; `make image GUESSES="NAME=VALUE ..."`
 * builds with other values (boot/BOARDS.md, "On a card", has how each is guessed). Values have no blanks. */
#ifndef X86_GUESSES_H
#define X86_GUESSES_H

/* F3 90H: a processor that does not know it executes NOP (SDM volume 2B, PAUSE). */
#define X86_PAUSE	"pause"

#define APIC_BASE	0xFEE00000u	/* the local APIC's registers */
#define TRAMPOLINE	0x8000		/* where further CPUs start, in real mode: below 1 MiB, a whole page */
#define HAS_8259	1		/* interrupt controllers at ports 20H and A0H, to be silenced; 0: none */

#endif
