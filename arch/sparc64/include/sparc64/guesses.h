/* SPDX-License-Identifier: BSD-2-Clause */
/* What no public document says of a T4, one line each; `make image GUESSES="NAME=VALUE ..."` builds with
 * other values (README.md, "On a T4", has how each is guessed). Values have no blanks. */
#ifndef SPARC64_GUESSES_H
#define SPARC64_GUESSES_H

#define PROM_BASE			0xFFF0000000	/* where reset enters, at 20h times its type */
#define MEMORY_END			0x4000000	/* of the hypervisor's memory, which begins at 1 MiB */
#define UART_CONSOLE			0x1F10000000	/* a 16550, a byte each register */

/* Trap types. No public source has them. Table 12-4 of UltraSPARC Architecture 2005 leaves these two free; SPARC JPS1
 * counts them among fast_data_access_MMU_miss's, 68H to 6BH. */
#define TT_PRECISE_PERFORMANCE_EVENT	0x6A
#define TT_DISRUPTING_PERFORMANCE_EVENT	0x6B

/* WRHPR %g0, 0, %halt, as OpenSPARC T2's tests halt. Assemblers do not know the register; 30 is the number that those
 * they know leave free beside %hstick_cmpr. */
#define HALT_INSTRUCTION		0xBD982000

/* UltraSPARC T1's: which bits have user mode's accesses translated, and where TLB entries of sun4v's form go. */
#define ASI_LSU_CONTROL			0x45
#define LSU_CONTROL_MMUS		0x0C
#define ASI_ITLB_DATA_IN		0x54
#define ASI_DTLB_DATA_IN		0x5C
#define VA_DATA_IN_SUN4V		0x400

#endif
