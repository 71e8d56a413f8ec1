/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the Itanium processor's performance monitor, and the fields of other registers that
 * monitoring uses. Section and table numbers are those of the processor's Reference Manual for
 * Software Development. PSR, DCR, PMV, IBR, DBR and the interval timer's registers are those of the
 * Architecture Software Developer's Manual volume 2. */
#ifndef ITANIUM_REGS_H
#define ITANIUM_REGS_H

#include "field.h"

/* Addresses: the register file in bits 15:8, the register's number in 7:0. */
#define ITANIUM_PMC(n)	(0x000u + (n))
#define ITANIUM_PMD(n)	(0x100u + (n))
#define ITANIUM_IBR(n)	(0x200u + (n))
#define ITANIUM_DBR(n)	(0x300u + (n))
#define ITANIUM_CR(n)	(0x400u + (n))
#define ITANIUM_PSR	0x500u
#define ITANIUM_AR(n)	(0x600u + (n))
#define ITANIUM_FILE(address)	((address) & ~0xFFu)
#define ITANIUM_NUMBER(address)	((address) & 0xFFu)

/* The number of a counter is the number of its registers and of its bit in PMC0. */
#define ITANIUM_FIRST_COUNTER	4
#define ITANIUM_COUNTERS	4
#define ITANIUM_COUNTER_MASK	0xF0ULL
#define ITANIUM_WIDE_MASK	0x30ULL		/* these add up to 7 per cycle; the others 3
						 * (6.2.2) */
#define ITANIUM_COUNTER_WIDTH	32
#define ITANIUM_TIMER		32		/* the interval timer as a counter; it has no bit in
						 * PMC0 */
#define ITANIUM_PMCS		14
#define ITANIUM_PMDS		18
#define ITANIUM_BREAKPOINTS	4		/* pairs of IBRs, of DBRs */
#define ITANIUM_TRACE_ENTRIES	8		/* PMD8-15 */

/* Addresses have 51 bits and 3 region bits; 60:51 are copies of bit 50 (6.2.4). */
#define ITANIUM_ADDRESS_BITS	51

/* Table 6-7. The freeze bit, and the overflow bits: bit n is PMDn's. */
#define PMC0(F, R)				\
	F(R, fr, 0, 1, RW, UNDEFINED)		\
	F(R, ignored_1, 1, 3, IGN, 0)		\
	F(R, overflow, 4, 4, RW, UNDEFINED)	\
	F(R, ignored_8, 8, 56, IGN, 0)
REGISTER_FIELDS(PMC0)

/* Table 6-7: PMC1-3 hold no data. */
#define PMC1(F, R)				\
	F(R, ignored_0, 0, 64, IGN, 0)
REGISTER_FIELDS(PMC1)

/* Table 6-6: PMC4-7 have these fields below the threshold. */
#define COUNTER_SELECT(F, R)			\
	F(R, plm, 0, 4, RW, UNDEFINED)		\
	F(R, ev, 4, 1, RW, 0)			\
	F(R, oi, 5, 1, RW, 0)			\
	F(R, pm, 6, 1, RW, UNDEFINED)		\
	F(R, ignored_7, 7, 1, IGN, 0)		\
	F(R, es, 8, 7, RW, UNDEFINED)		\
	F(R, ignored_15, 15, 1, IGN, 0)		\
	F(R, umask, 16, 4, RW, UNDEFINED)

/* PMC4-5: three threshold bits. */
#define PMC4(F, R)				\
	COUNTER_SELECT(F, R)			\
	F(R, threshold, 20, 3, RW, UNDEFINED)	\
	F(R, ignored_23, 23, 1, IGN, 0)		\
	F(R, ism, 24, 2, RW, UNDEFINED)		\
	F(R, ignored_26, 26, 38, IGN, 0)
REGISTER_FIELDS(PMC4)

/* PMC6-7: two threshold bits. */
#define PMC6(F, R)				\
	COUNTER_SELECT(F, R)			\
	F(R, threshold, 20, 2, RW, UNDEFINED)	\
	F(R, ignored_22, 22, 2, IGN, 0)		\
	F(R, ism, 24, 2, RW, UNDEFINED)		\
	F(R, ignored_26, 26, 38, IGN, 0)
REGISTER_FIELDS(PMC6)

/* Table 6-10, PMC8-9. mask and match: encoding bits 40:27 above 12:0; a mask bit of 1 matches any
 * value. */
#define PMC8(F, R)				\
	F(R, ignored_0, 0, 3, IGN, 0)		\
	F(R, mask, 3, 27, RW, 0x7FFFFFF)	\
	F(R, ignored_30, 30, 3, IGN, 0)		\
	F(R, match, 33, 27, RW, 0)		\
	F(R, b, 60, 1, RW, 1)			\
	F(R, f, 61, 1, RW, 1)			\
	F(R, i, 62, 1, RW, 1)			\
	F(R, m, 63, 1, RW, 1)
REGISTER_FIELDS(PMC8)

/* Tables 6-11 and 6-16: PMC10 and PMC11 have these fields below bit 26. */
#define EAR_SELECT(F, R)			\
	F(R, plm, 0, 4, RW, UNDEFINED)		\
	F(R, ignored_4, 4, 2, IGN, 0)		\
	F(R, pm, 6, 1, RW, UNDEFINED)		\
	F(R, tlb, 7, 1, RW, UNDEFINED)		\
	F(R, ignored_8, 8, 8, IGN, 0)		\
	F(R, umask, 16, 4, RW, UNDEFINED)	\
	F(R, ignored_20, 20, 4, IGN, 0)		\
	F(R, ism, 24, 2, RW, UNDEFINED)

/* Table 6-11. */
#define PMC10(F, R)				\
	EAR_SELECT(F, R)			\
	F(R, ignored_26, 26, 38, IGN, 0)
REGISTER_FIELDS(PMC10)

/* Table 6-16. */
#define PMC11(F, R)				\
	EAR_SELECT(F, R)			\
	F(R, ignored_26, 26, 2, IGN, 0)		\
	F(R, pt, 28, 1, RW, 1)			\
	F(R, ignored_29, 29, 35, IGN, 0)
REGISTER_FIELDS(PMC11)

/* Table 6-21. */
#define PMC12(F, R)				\
	F(R, plm, 0, 4, RW, UNDEFINED)		\
	F(R, ignored_4, 4, 2, IGN, 0)		\
	F(R, pm, 6, 1, RW, UNDEFINED)		\
	F(R, tar, 7, 1, RW, UNDEFINED)		\
	F(R, tm, 8, 2, RW, UNDEFINED)		\
	F(R, ptm, 10, 2, RW, UNDEFINED)		\
	F(R, ppm, 12, 2, RW, UNDEFINED)		\
	F(R, bpt, 14, 1, RW, UNDEFINED)		\
	F(R, bac, 15, 1, RW, UNDEFINED)		\
	F(R, ignored_16, 16, 48, IGN, 0)
REGISTER_FIELDS(PMC12)

/* Table 6-8. */
#define PMC13(F, R)				\
	F(R, ta, 0, 1, RW, 1)			\
	F(R, ignored_1, 1, 63, IGN, 0)
REGISTER_FIELDS(PMC13)

/* Tables 6-13 and 6-15: the instruction event address. Bits 60:51 read as copies of bit 50. */
#define PMD0(F, R)				\
	F(R, v, 0, 1, RW, UNDEFINED)		\
	F(R, tlb, 1, 1, RW, UNDEFINED)		\
	F(R, ignored_2, 2, 3, IGN, 0)		\
	F(R, address, 5, 46, RW, UNDEFINED)	\
	F(R, address_sxt, 51, 10, SXT, 0)	\
	F(R, region, 61, 3, RW, UNDEFINED)
REGISTER_FIELDS(PMD0)

#define PMD1(F, R)				\
	F(R, latency, 0, 12, RW, UNDEFINED)	\
	F(R, ignored_12, 12, 52, IGN, 0)
REGISTER_FIELDS(PMD1)

/* Tables 6-18 and 6-20: the data event address. */
#define PMD2(F, R)				\
	F(R, address, 0, 51, RW, UNDEFINED)	\
	F(R, address_sxt, 51, 10, SXT, 0)	\
	F(R, region, 61, 3, RW, UNDEFINED)
REGISTER_FIELDS(PMD2)

#define PMD3(F, R)				\
	F(R, latency, 0, 12, RW, UNDEFINED)	\
	F(R, ignored_12, 12, 50, IGN, 0)	\
	F(R, level, 62, 2, RW, UNDEFINED)
REGISTER_FIELDS(PMD3)

/* Table 6-5, PMD4-7. A write changes the low 32 bits; the others read as copies of bit 31. */
#define PMD4(F, R)				\
	F(R, count, 0, 32, RW, UNDEFINED)	\
	F(R, sxt32, 32, 32, SXT, 0)
REGISTER_FIELDS(PMD4)

/* Table 6-22, PMD8-15. Software may write any value to bits 60:51; the hardware writes copies of
 * bit 50. */
#define PMD8(F, R)				\
	F(R, b, 0, 1, RW, UNDEFINED)		\
	F(R, mp, 1, 1, RW, UNDEFINED)		\
	F(R, slot, 2, 2, RW, UNDEFINED)		\
	F(R, address, 4, 60, RW, UNDEFINED)
REGISTER_FIELDS(PMD8)

/* Table 6-23. */
#define PMD16(F, R)				\
	F(R, bbi, 0, 3, RW, UNDEFINED)		\
	F(R, full, 3, 1, RW, UNDEFINED)		\
	F(R, ignored_4, 4, 60, IGN, 0)
REGISTER_FIELDS(PMD16)

/* Tables 6-18 and 6-20: the instruction of the data event address. */
#define PMD17(F, R)				\
	F(R, valid, 0, 1, RW, UNDEFINED)	\
	F(R, ignored_1, 1, 1, IGN, 0)		\
	F(R, slot, 2, 2, RW, UNDEFINED)		\
	F(R, address, 4, 47, RW, UNDEFINED)	\
	F(R, address_sxt, 51, 10, SXT, 0)	\
	F(R, region, 61, 3, RW, UNDEFINED)
REGISTER_FIELDS(PMD17)

/* Breakpoint registers: the even register of a pair holds the address, the odd one the mask and
 * conditions. */
#define IBR0(F, R)				\
	F(R, addr, 0, 64, RW, UNDEFINED)
REGISTER_FIELDS(IBR0)

#define IBR1(F, R)				\
	F(R, mask, 0, 56, RW, UNDEFINED)	\
	F(R, plm, 56, 4, RW, UNDEFINED)		\
	F(R, ignored_60, 60, 3, IGN, 0)		\
	F(R, x, 63, 1, RW, UNDEFINED)
REGISTER_FIELDS(IBR1)

#define DBR0(F, R)				\
	F(R, addr, 0, 64, RW, UNDEFINED)
REGISTER_FIELDS(DBR0)

#define DBR1(F, R)				\
	F(R, mask, 0, 56, RW, UNDEFINED)	\
	F(R, plm, 56, 4, RW, UNDEFINED)		\
	F(R, ignored_60, 60, 2, IGN, 0)		\
	F(R, w, 62, 1, RW, UNDEFINED)		\
	F(R, r, 63, 1, RW, UNDEFINED)
REGISTER_FIELDS(DBR1)

/* The default control register, CR0: only the fields that monitoring uses. pp becomes PSR.pp on an
 * interruption. */
#define DCR(F, R)				\
	F(R, pp, 0, 1, RW, UNDEFINED)		\
	F(R, other, 1, 63, RW, UNDEFINED)
REGISTER_FIELDS(DCR)

/* The performance monitor vector, CR73. m masks the interrupt. */
#define VECTOR(F, R)				\
	F(R, vector, 0, 8, RW, UNDEFINED)	\
	F(R, reserved_8, 8, 4, RSVD, 0)		\
	F(R, ignored_12, 12, 1, IGN, 0)		\
	F(R, reserved_13, 13, 3, RSVD, 0)	\
	F(R, m, 16, 1, RW, 1)			\
	F(R, ignored_17, 17, 47, IGN, 0)
#define PMV(F, R) VECTOR(F, R)
REGISTER_FIELDS(PMV)

/* The interval timer (AR44, CR1, CR72). ITC counts processor cycles; when it reaches ITM, the timer
 * interrupts, unless m masks it. Firmware starts the program with ITV.m and PMV.m set. */
#define ITC(F, R)				\
	F(R, count, 0, 64, RW, UNDEFINED)
REGISTER_FIELDS(ITC)

#define ITM(F, R)				\
	F(R, match, 0, 64, RW, UNDEFINED)
REGISTER_FIELDS(ITM)

#define ITV(F, R) VECTOR(F, R)
REGISTER_FIELDS(ITV)

/* The processor status register: the fields on which monitoring depends. cpl and is follow the
 * executing code; software cannot write them. */
#define PSR(F, R)				\
	F(R, other_0, 0, 2, IGN, 0)		\
	F(R, up, 2, 1, RW, 0)			\
	F(R, other_3, 3, 17, IGN, 0)		\
	F(R, sp, 20, 1, RW, 0)			\
	F(R, pp, 21, 1, RW, 0)			\
	F(R, other_22, 22, 2, IGN, 0)		\
	F(R, db, 24, 1, RW, 0)			\
	F(R, other_25, 25, 7, IGN, 0)		\
	F(R, cpl, 32, 2, RO, 0)			\
	F(R, is, 34, 1, RO, 0)			\
	F(R, other_35, 35, 29, IGN, 0)
REGISTER_FIELDS(PSR)

#define ITANIUM_DCR	ITANIUM_CR(0)
#define ITANIUM_PMV	ITANIUM_CR(73)
#define ITANIUM_ITC	ITANIUM_AR(44)
#define ITANIUM_ITM	ITANIUM_CR(1)
#define ITANIUM_ITV	ITANIUM_CR(72)

/* G(register, first address, number of registers[, COUNTER]), in the order of register numbers in a
 * file. COUNTER: the registers count. */
#define ITANIUM_CONTROL_REGISTERS(G)		\
	G(PMC0, ITANIUM_PMC(0), 1)		\
	G(PMC1, ITANIUM_PMC(1), 3)		\
	G(PMC4, ITANIUM_PMC(4), 2)		\
	G(PMC6, ITANIUM_PMC(6), 2)		\
	G(PMC8, ITANIUM_PMC(8), 2)		\
	G(PMC10, ITANIUM_PMC(10), 1)		\
	G(PMC11, ITANIUM_PMC(11), 1)		\
	G(PMC12, ITANIUM_PMC(12), 1)		\
	G(PMC13, ITANIUM_PMC(13), 1)
#define ITANIUM_DATA_REGISTERS(G)		\
	G(PMD0, ITANIUM_PMD(0), 1)		\
	G(PMD1, ITANIUM_PMD(1), 1)		\
	G(PMD2, ITANIUM_PMD(2), 1)		\
	G(PMD3, ITANIUM_PMD(3), 1)		\
	G(PMD4, ITANIUM_PMD(4), 4, COUNTER)	\
	G(PMD8, ITANIUM_PMD(8), 8)		\
	G(PMD16, ITANIUM_PMD(16), 1)		\
	G(PMD17, ITANIUM_PMD(17), 1)
/* These registers have every second address. */
#define ITANIUM_BREAKPOINT_REGISTERS(G)		\
	G(IBR0, ITANIUM_IBR(0), ITANIUM_BREAKPOINTS)	\
	G(IBR1, ITANIUM_IBR(1), ITANIUM_BREAKPOINTS)	\
	G(DBR0, ITANIUM_DBR(0), ITANIUM_BREAKPOINTS)	\
	G(DBR1, ITANIUM_DBR(1), ITANIUM_BREAKPOINTS)
#define ITANIUM_PROCESSOR_REGISTERS(G)		\
	G(DCR, ITANIUM_DCR, 1)			\
	G(PMV, ITANIUM_PMV, 1)			\
	G(PSR, ITANIUM_PSR, 1)			\
	G(ITC, ITANIUM_ITC, 1)			\
	G(ITM, ITANIUM_ITM, 1)			\
	G(ITV, ITANIUM_ITV, 1)
#define ITANIUM_REGISTERS(G)			\
	ITANIUM_CONTROL_REGISTERS(G)		\
	ITANIUM_DATA_REGISTERS(G)		\
	ITANIUM_BREAKPOINT_REGISTERS(G)		\
	ITANIUM_PROCESSOR_REGISTERS(G)

/* The name of a register, its number (or -1), and the distance to the next register follow from its
 * file. */
#define ITANIUM_IN(address, file)	(ITANIUM_FILE(address) == ITANIUM_##file(0))
#define ITANIUM_IN_PAIRS(address)	(ITANIUM_IN(address, IBR) || ITANIUM_IN(address, DBR))
#define ITANIUM_NAME(R, address)								\
	(ITANIUM_IN(address, PMC) ? "PMC" : ITANIUM_IN(address, PMD) ? "PMD" :			\
	 ITANIUM_IN(address, IBR) ? "IBR" : ITANIUM_IN(address, DBR) ? "DBR" : #R)
#define ITANIUM_NUMBER_OF(address)	((address) < ITANIUM_CR(0) ? \
					 (int)ITANIUM_NUMBER(address) : -1)
#define ITANIUM_DISTANCE(address)	(ITANIUM_IN_PAIRS(address) ? 2 : 1)

/* Codes of the events for cycles and retired instructions (7.8). */
#define ITANIUM_EVENT_CYCLES		0x12	/* CPU_CYCLES */
/* IA64_INST_RETIRED; unit mask 3, 2: tagged by PMC8, 9 */
#define ITANIUM_EVENT_RETIRED		0x08

#endif
