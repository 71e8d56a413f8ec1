/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the SPARC T4 core PMU, for each virtual processor (strand): SPARC T4 Supplement to
 * Oracle SPARC Architecture 2011, draft D0.4, sections 10.2 and 10.3. hal.h explains addresses. */
#ifndef SPARCT4_REGS_H
#define SPARCT4_REGS_H

#include "field.h"

#define SPARCT4_STRANDS		8	/* per core (Oracle's data sheet of the processor) */
#define SPARCT4_COUNTERS	4	/* per strand */
#define SPARCT4_COUNTER_WIDTH	32
#define SPARCT4_COUNTER_MASK	0xFULL

/* ASI 64h and B0h, virtual addresses 0, 8, 10h, 18h (Tables 10-1 and 10-3). */
#define SPARCT4_PCR0		0x6400
#define SPARCT4_PIC0		0xB000

/* Table 10-1. Writes to a field marked RO have no effect. */
#define PCR(F, R)			\
	F(R, ov, 0, 1, W0C, 0)		\
	F(R, toe, 1, 1, RW, 0)		\
	F(R, ut, 2, 1, RW, 0)		\
	F(R, st, 3, 1, RW, 0)		\
	F(R, ht, 4, 1, RW, 0)		\
	F(R, mask, 5, 6, RW, 0)		\
	F(R, sl, 11, 5, RW, 0)		\
	F(R, picnpt, 16, 1, RW, 0)	\
	F(R, picnht, 17, 1, RW, 0)	\
	F(R, ntc, 18, 1, W0C, 0)	\
	F(R, RESERVED_19, 19, 45, RO, 0)
REGISTER_FIELDS(PCR)

/* Table 10-3 has the upper half as reserved and RW: it holds written values, and counts nothing. */
#define PIC(F, R)			\
	F(R, counter, 0, 32, RW, 0)	\
	F(R, RESERVED_32, 32, 32, RW, 0)
REGISTER_FIELDS(PIC)

/* G(register, first address, number of registers); COUNTER: the registers count. */
#define SPARCT4_REGISTERS(G)				\
	G(PCR, SPARCT4_PCR0, SPARCT4_COUNTERS)		\
	G(PIC, SPARCT4_PIC0, SPARCT4_COUNTERS, COUNTER)

/* Privilege levels: Table 10-1's ht, st, ut. */
#define SPARCT4_HYPERPRIVILEGED	0
#define SPARCT4_PRIVILEGED	1
#define SPARCT4_USER		3

/* Table 10-2: groups with a special meaning. */
#define SPARCT4_SL_DISABLED	0
#define SPARCT4_SL_INSTRUCTIONS	3	/* by kind: one mask bit per kind, 3Fh all */
#define SPARCT4_SL_SORTS	4	/* by other criteria */
#define SPARCT4_SL_CYCLES	26
#define SPARCT4_SL_COMMITS	28	/* committed micro-ops */
#define SPARCT4_ALL_KINDS	0x3F

/* The programming note on sl 28: a PIC with at most RANGE events left (-1 to -3) wraps within
 * WINDOW cycles after its PCR is set, and a PCR write before that discards ov. */
#define SPARCT4_COMMITS_RANGE	3
#define SPARCT4_COMMITS_WINDOW	2	/* cycles */

/* On the event signals: an instruction of unknown kind. It counts if all kinds are selected. */
#define SPARCT4_UNKNOWN_KIND	0x40

/* On the event signals: the kind of an instruction that is also reported as one of unknown kind. It
 * counts if some kinds are selected, but not all. */
#define SPARCT4_ALSO_KIND		0x100

#endif
