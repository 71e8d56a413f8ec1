/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the core PMU of AMD processors: AMD64 Architecture Programmer's Manual (APM) volume
 * 2, "Performance Monitoring Counters"; BIOS and Kernel Developer's Guides (BKDG) of families 0Fh
 * to 16h; Processor Programming Reference (PPR) of family 19h. A processor has a part of them,
 * which its family and CPUID report: the lists contain the most. */
#ifndef AMD_REGS_H
#define AMD_REGS_H

#include "field.h"

#define AMD_COUNTERS		6
#define AMD_LEGACY_COUNTERS	4
#define AMD_COUNTER_WIDTH	48
#define AMD_COUNTER_MASK	0x3FULL

/* EVENT_SELECT_HIGH and HG_ONLY: from family 10h on. Writes of other bits are ignored. Bits 19 and
 * 42 are reserved; some processors hold them. */
#define PERF_CTL(F, R)				\
	F(R, EVENT_SELECT, 0, 8, RW, 0)		\
	F(R, UNIT_MASK, 8, 8, RW, 0)		\
	F(R, USR, 16, 1, RW, 0)			\
	F(R, OS, 17, 1, RW, 0)			\
	F(R, EDGE, 18, 1, RW, 0)		\
	F(R, RESERVED_19, 19, 1, IGN, 0)	\
	F(R, INT, 20, 1, RW, 0)			\
	F(R, RESERVED_21, 21, 1, IGN, 0)	\
	F(R, EN, 22, 1, RW, 0)			\
	F(R, INV, 23, 1, RW, 0)			\
	F(R, CNT_MASK, 24, 8, RW, 0)		\
	F(R, EVENT_SELECT_HIGH, 32, 4, RW, 0)	\
	F(R, RESERVED_36, 36, 4, IGN, 0)	\
	F(R, HG_ONLY, 40, 2, RW, 0)		\
	F(R, RESERVED_42, 42, 22, IGN, 0)
REGISTER_FIELDS(PERF_CTL)

#define PERF_CTR(F, R)				\
	F(R, COUNT, 0, 48, RW, 0)		\
	F(R, RESERVED_48, 48, 16, IGN, 0)
REGISTER_FIELDS(PERF_CTR)

/* Control and counter registers alternate, so each has its own name. */
#define PERF_CTL0(F, R) PERF_CTL(F, R)
#define PERF_CTL1(F, R) PERF_CTL(F, R)
#define PERF_CTL2(F, R) PERF_CTL(F, R)
#define PERF_CTL3(F, R) PERF_CTL(F, R)
#define PERF_CTL4(F, R) PERF_CTL(F, R)
#define PERF_CTL5(F, R) PERF_CTL(F, R)
#define PERF_CTR0(F, R) PERF_CTR(F, R)
#define PERF_CTR1(F, R) PERF_CTR(F, R)
#define PERF_CTR2(F, R) PERF_CTR(F, R)
#define PERF_CTR3(F, R) PERF_CTR(F, R)
#define PERF_CTR4(F, R) PERF_CTR(F, R)
#define PERF_CTR5(F, R) PERF_CTR(F, R)

/* The first four counters at their addresses without the core extensions. */
#define PerfEvtSel(F, R) PERF_CTL(F, R)
#define PerfCtr(F, R) PERF_CTR(F, R)

/* PerfMonV2: the global registers. PmcFreeze, LbrFreeze: if CPUID reports LbrAndPmcFreeze. */
#define PerfCntrGlobalStatus(F, R)		\
	F(R, PerfCntrOvfl, 0, 6, RO, 0)		\
	F(R, RESERVED_6, 6, 52, IGN, 0)		\
	F(R, LbrFreeze, 58, 1, RO, 0)		\
	F(R, PmcFreeze, 59, 1, RO, 0)		\
	F(R, RESERVED_60, 60, 4, IGN, 0)
REGISTER_FIELDS(PerfCntrGlobalStatus)

/* At reset, all counters are enabled. */
#define PerfCntrGlobalCtl(F, R)			\
	F(R, PerfCntrEn, 0, 6, RW, 0x3F)	\
	F(R, RESERVED_6, 6, 58, IGN, 0)
REGISTER_FIELDS(PerfCntrGlobalCtl)

/* Clears bits of the status; reads as 0. */
#define PerfCntrGlobalStatusClr(F, R)		\
	F(R, PerfCntrOvflClr, 0, 6, W1C, 0)	\
	F(R, RESERVED_6, 6, 52, IGN, 0)		\
	F(R, LbrFreezeClr, 58, 1, W1C, 0)	\
	F(R, PmcFreezeClr, 59, 1, W1C, 0)	\
	F(R, RESERVED_60, 60, 4, IGN, 0)
REGISTER_FIELDS(PerfCntrGlobalStatusClr)

/* Sets bits of the status; reads as 0. */
#define PerfCntrGlobalStatusSet(F, R)		\
	F(R, PerfCntrOvflSet, 0, 6, W1C, 0)	\
	F(R, RESERVED_6, 6, 52, IGN, 0)		\
	F(R, LbrFreezeSet, 58, 1, W1C, 0)	\
	F(R, PmcFreezeSet, 59, 1, W1C, 0)	\
	F(R, RESERVED_60, 60, 4, IGN, 0)
REGISTER_FIELDS(PerfCntrGlobalStatusSet)

/* Bits 5 to 2 control pins, or bus lock traps. */
#define DebugCtl(F, R)				\
	F(R, LBR, 0, 1, RW, 0)			\
	F(R, BTF, 1, 1, RW, 0)			\
	F(R, OTHERS_2, 2, 4, IGN, 0)		\
	F(R, RESERVED_6, 6, 5, RSVD, 0)		\
	F(R, FREEZE_LBRS_ON_PMI, 11, 1, RW, 0)	\
	F(R, FREEZE_PERFMON_ON_PMI, 12, 1, RW, 0) \
	F(R, RESERVED_13, 13, 51, RSVD, 0)
REGISTER_FIELDS(DebugCtl)

/* G(register, first address, number of registers). COUNTER: a counter. */
#define AMD_PAIR(G, n, address)			\
	G(PERF_CTL##n, (address), 1)		\
	G(PERF_CTR##n, (address) + 1, 1, COUNTER)
#define AMD_REGISTERS(G)			\
	AMD_PAIR(G, 0, 0xC0010200)		\
	AMD_PAIR(G, 1, 0xC0010202)		\
	AMD_PAIR(G, 2, 0xC0010204)		\
	AMD_PAIR(G, 3, 0xC0010206)		\
	AMD_PAIR(G, 4, 0xC0010208)		\
	AMD_PAIR(G, 5, 0xC001020A)		\
	G(PerfEvtSel, 0xC0010000, AMD_LEGACY_COUNTERS)	\
	G(PerfCtr, 0xC0010004, AMD_LEGACY_COUNTERS)	\
	G(PerfCntrGlobalStatus, 0xC0000300, 1)	\
	G(PerfCntrGlobalCtl, 0xC0000301, 1)	\
	G(PerfCntrGlobalStatusClr, 0xC0000302, 1)	\
	G(PerfCntrGlobalStatusSet, 0xC0000303, 1)	\
	G(DebugCtl, 0x1D9, 1)

#define AMD_ADDRESS(R, address, count, ...) MSR_##R = (address),
enum { AMD_REGISTERS(AMD_ADDRESS) };

/* Between the registers of two counters, with the core extensions. */
#define AMD_DISTANCE		2

#define AMD_EVENT_CYCLES	0x76
#define AMD_EVENT_RETIRED	0xC0

/* Families with other properties. */
#define AMD_FAMILY_FIRST	0x06	/* the first one with counters */
#define AMD_FAMILY_LONG		0x10	/* event codes of 12 bits, HG_ONLY */
#define AMD_FAMILY_RESTRICTED	0x15	/* an event counts on some counters only */

/* Family 15h, C(first code, last code, counters), the first range that has the code decides: BKDG
 * of family 15h, models 00h-0Fh, "Core Performance Monitor Counters". Unit masks that restrict an
 * event further are left out. Codes E0h to FFh belong to the northbridge's counters. */
#define AMD_RESTRICTED_EVENTS(C)					\
	C(0x003, 0x003, 0x08) C(0x00B, 0x00B, 0x08) C(0x00D, 0x00D, 0x08)	\
	C(0x023, 0x023, 0x07) C(0x02D, 0x02D, 0x08) C(0x02E, 0x02E, 0x09)	\
	C(0x031, 0x031, 0x07) C(0x043, 0x043, 0x07) C(0x045, 0x046, 0x07)	\
	C(0x054, 0x055, 0x07) C(0x08F, 0x08F, 0x01) C(0x0DB, 0x0DF, 0x3F)	\
	C(0x187, 0x188, 0x01) C(0x1C0, 0x1C0, 0x38) C(0x1D6, 0x1D6, 0x3F)	\
	C(0x1D8, 0x1D8, 0x3F)						\
	C(0x000, 0x01F, 0x38) C(0x020, 0x05F, 0x3F) C(0x060, 0x09F, 0x07)	\
	C(0x0C0, 0x0CF, 0x3F) C(0x0D0, 0x0DF, 0x07) C(0x0E0, 0x0FF, 0x00)

/* CPUID (APM volume 3, appendix E). */
#define AMD_LEAF_EXTENDED	0x80000000	/* EAX: greatest extended leaf */
#define AMD_LEAF_FEATURES	0x80000001
#define AMD_LEAF_PERFMON	0x80000022
#define AMD_PERF_CTR_EXT_CORE	(1u << 23)	/* FEATURES, ECX */
#define AMD_PERFMON_V2		(1u << 0)	/* PERFMON, EAX */
#define AMD_LBR_PMC_FREEZE	(1u << 2)	/* PERFMON, EAX */
#define AMD_NUM_PERF_CTR_CORE	0xFu		/* PERFMON, EBX */

/* Vendors in EBX, EDX, ECX of leaf 0: "AuthenticAMD", "HygonGenuine". */
#define AMD_VENDOR		{0x68747541, 0x69746E65, 0x444D4163}
#define AMD_VENDOR_HYGON	{0x6F677948, 0x6E65476E, 0x656E6975}

/* The family in leaf 1, EAX: the base family, and if it is 0Fh the extended family. */
#define AMD_FAMILY_OF(eax) \
	(((eax) >> 8 & 0xF) + (((eax) >> 8 & 0xF) == 0xF ? (eax) >> 20 & 0xFF : 0))

#endif
