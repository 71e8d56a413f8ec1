/* SPDX-License-Identifier: BSD-2-Clause */
/* Values for a T4 that no public document gives, one line each. `make image GUESSES="NAME=VALUE
 * ..."` builds with other values, which contain no blanks. README.md, "On a T4", explains each
 * guess. */
#ifndef SPARC64_GUESSES_H
#define SPARC64_GUESSES_H

#define PROM_BASE			0xFFF0000000	/* reset trap n enters at this + 20h * n */
#define MEMORY_END			0x4000000	/* the hypervisor's memory; from 1 MiB */
#define UART_CONSOLE			0x1F10000000	/* a 16550 with one byte per register */

/* Trap types that no public source gives. Table 12-4 of UltraSPARC Architecture 2005 leaves these
 * two free; SPARC JPS1 assigns them to fast_data_access_MMU_miss, 68H to 6BH. */
#define TT_PRECISE_PERFORMANCE_EVENT	0x6A
#define TT_DISRUPTING_PERFORMANCE_EVENT	0x6B

/* WRHPR %g0, 0, %halt, as OpenSPARC T2's tests halt. Assemblers do not know the register %halt; 30
 * is the free number next to %hstick_cmpr. */
#define HALT_INSTRUCTION		0xBD982000

/* UltraSPARC T1's: the register that turns translation on for user mode, and TLB entries in sun4v's
 * format. */
#define ASI_LSU_CONTROL			0x45
#define LSU_CONTROL_MMUS		0x0C
#define ASI_ITLB_DATA_IN		0x54
#define ASI_DTLB_DATA_IN		0x5C
#define VA_DATA_IN_SUN4V		0x400

#endif
