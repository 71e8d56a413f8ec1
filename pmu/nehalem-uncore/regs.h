/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the Core i7 / Xeon 5500 uncore PMU, which the cores of a package share: Intel 64 and
 * IA-32 Architectures Software Developer's Manual (SDM) volume 3B, "Performance Monitoring Facility
 * in the Uncore" and its table of model-specific registers. UNCORE_ADDR_OPCODE_MATCH and
 * GQ_SNOOP_MESF: the performance analysis guide's Tables 37 and 28. */
#ifndef NEHALEM_UNCORE_REGS_H
#define NEHALEM_UNCORE_REGS_H

#include "field.h"

#define UNCORE_GENERAL_COUNTERS	8
#define UNCORE_COUNTER_WIDTH	48
#define UNCORE_CORES		4	/* per package, at most */

/* A counter's number is its bit in the global registers: general counters from 0, the fixed one is
 * 32. */
#define UNCORE_FIXED		32
#define UNCORE_GENERAL_MASK	0xFFULL
#define UNCORE_FIXED_MASK	(1ULL << UNCORE_FIXED)

#define UNCORE_PERFEVTSEL(F, R)			\
	F(R, EVTSEL, 0, 8, RW, 0)		\
	F(R, EVTMSK, 8, 8, RW, 0)		\
	F(R, RESERVED_16, 16, 1, RSVD, 0)	\
	F(R, OCC_CTR_RST, 17, 1, WO, 0)		\
	F(R, E, 18, 1, RW, 0)			\
	F(R, RESERVED_19, 19, 1, RSVD, 0)	\
	F(R, PMI, 20, 1, RW, 0)			\
	F(R, RESERVED_21, 21, 1, RSVD, 0)	\
	F(R, EN, 22, 1, RW, 0)			\
	F(R, INV, 23, 1, RW, 0)			\
	F(R, CMASK, 24, 8, RW, 0)		\
	F(R, RESERVED_32, 32, 32, RSVD, 0)
REGISTER_FIELDS(UNCORE_PERFEVTSEL)

/* A write sets all 48 bits; higher bits are reserved. */
#define UNCORE_PMC(F, R)			\
	F(R, COUNT, 0, 48, RW, 0)		\
	F(R, RESERVED_48, 48, 16, RSVD, 0)
REGISTER_FIELDS(UNCORE_PMC)

#define UNCORE_FIXED_CTR0(F, R)			\
	F(R, COUNT, 0, 48, RW, 0)		\
	F(R, RESERVED_48, 48, 16, RSVD, 0)
REGISTER_FIELDS(UNCORE_FIXED_CTR0)

#define UNCORE_FIXED_CTR_CTRL(F, R)		\
	F(R, EN, 0, 1, RW, 0)			\
	F(R, RESERVED_1, 1, 1, RSVD, 0)		\
	F(R, PMI, 2, 1, RW, 0)			\
	F(R, RESERVED_3, 3, 61, RSVD, 0)
REGISTER_FIELDS(UNCORE_FIXED_CTR_CTRL)

#define UNCORE_PERF_GLOBAL_CTRL(F, R)		\
	F(R, EN_PC, 0, 8, RW, 0)		\
	F(R, RESERVED_8, 8, 24, RSVD, 0)	\
	F(R, EN_FC0, 32, 1, RW, 0)		\
	F(R, RESERVED_33, 33, 15, RSVD, 0)	\
	F(R, EN_PMI_CORE, 48, 4, RW, 0)		\
	F(R, RESERVED_52, 52, 11, RSVD, 0)	\
	F(R, PMI_FRZ, 63, 1, RW, 0)
REGISTER_FIELDS(UNCORE_PERF_GLOBAL_CTRL)

#define UNCORE_PERF_GLOBAL_STATUS(F, R)		\
	F(R, OVF_PC, 0, 8, RO, 0)		\
	F(R, ZERO_8, 8, 24, IGN, 0)		\
	F(R, OVF_FC0, 32, 1, RO, 0)		\
	F(R, ZERO_33, 33, 28, IGN, 0)		\
	F(R, OVF_PMI, 61, 1, RO, 0)		\
	F(R, ZERO_62, 62, 1, IGN, 0)		\
	F(R, CHG, 63, 1, RO, 0)
REGISTER_FIELDS(UNCORE_PERF_GLOBAL_STATUS)

/* Clears bits of the global status; reads as 0. */
#define UNCORE_PERF_GLOBAL_OVF_CTRL(F, R)	\
	F(R, CLR_OVF_PC, 0, 8, W1C, 0)		\
	F(R, RESERVED_8, 8, 24, RSVD, 0)	\
	F(R, CLR_OVF_FC0, 32, 1, W1C, 0)	\
	F(R, RESERVED_33, 33, 28, RSVD, 0)	\
	F(R, CLR_OVF_PMI, 61, 1, W1C, 0)	\
	F(R, RESERVED_62, 62, 1, RSVD, 0)	\
	F(R, CLR_CHG, 63, 1, W1C, 0)
REGISTER_FIELDS(UNCORE_PERF_GLOBAL_OVF_CTRL)

/* The guide's Table 37. */
#define UNCORE_ADDR_OPCODE_MATCH(F, R)		\
	F(R, RESERVED_0, 0, 3, RSVD, 0)		\
	F(R, ADDR, 3, 37, RW, 0)		\
	F(R, OPCODE, 40, 8, RW, 0)		\
	F(R, RESERVED_48, 48, 13, RSVD, 0)	\
	F(R, MATCH_SELECT, 61, 3, RW, 0)
REGISTER_FIELDS(UNCORE_ADDR_OPCODE_MATCH)

/* Bits of MATCH_SELECT. Address or opcode: one match is enough. BOTH has an effect only if the
 * other bits are clear. */
#define UNCORE_MATCH_ADDRESS	4
#define UNCORE_MATCH_OPCODE	2
#define UNCORE_MATCH_BOTH	1

/* The guide's Table 28: states of a line whose changes to S and to I are counted. */
#define GQ_SNOOP_MESF(F, R)			\
	F(R, M_TO_S, 0, 1, RW, 0)		\
	F(R, E_TO_S, 1, 1, RW, 0)		\
	F(R, S_TO_S, 2, 1, RW, 0)		\
	F(R, F_TO_S, 3, 1, RW, 0)		\
	F(R, M_TO_I, 4, 1, RW, 0)		\
	F(R, E_TO_I, 5, 1, RW, 0)		\
	F(R, S_TO_I, 6, 1, RW, 0)		\
	F(R, F_TO_I, 7, 1, RW, 0)		\
	F(R, RESERVED_8, 8, 56, RSVD, 0)
REGISTER_FIELDS(GQ_SNOOP_MESF)

#define UNCORE_SNOOP_TO_S	0x0F
#define UNCORE_SNOOP_TO_I	0xF0

/* G(register, first address, number of registers). COUNTER: a counter. */
#define UNCORE_REGISTERS(G)			\
	G(UNCORE_PERFEVTSEL, 0x3C0, 8)		\
	G(UNCORE_PMC, 0x3B0, 8, COUNTER)	\
	G(UNCORE_FIXED_CTR0, 0x394, 1, COUNTER)	\
	G(UNCORE_FIXED_CTR_CTRL, 0x395, 1)	\
	G(UNCORE_PERF_GLOBAL_CTRL, 0x391, 1)	\
	G(UNCORE_PERF_GLOBAL_STATUS, 0x392, 1)	\
	G(UNCORE_ADDR_OPCODE_MATCH, 0x396, 1)	\
	G(GQ_SNOOP_MESF, 0x301, 1)		\
	G(UNCORE_PERF_GLOBAL_OVF_CTRL, 0x393, 1)

#define UNCORE_ADDRESS(R, address, count, ...) MSR_##R = (address),
enum { UNCORE_REGISTERS(UNCORE_ADDRESS) };

/* Event codes with their own rules in the model or the driver (the guide, Tables 22 to 38). */
#define UNCORE_EVENT_GQ_FULL		0x00
#define UNCORE_EVENT_GQ_BUSY		0x01
#define UNCORE_EVENT_GQ_OCCUPANCY	0x02
#define UNCORE_EVENT_GQ_ALLOC		0x03
#define UNCORE_EVENT_GQ_SNOOP		0x0C
#define UNCORE_EVENT_QHL_REQUESTS	0x20
#define UNCORE_EVENT_QHL_FULL		0x21
#define UNCORE_EVENT_QHL_NOT_EMPTY	0x22
#define UNCORE_EVENT_QHL_OCCUPANCY	0x23
#define UNCORE_EVENT_IMC_ISOC_FULL	0x28
#define UNCORE_EVENT_IMC_BUSY		0x29
#define UNCORE_EVENT_IMC_OCCUPANCY	0x2A
#define UNCORE_EVENT_ISOC_OCCUPANCY	0x2B
#define UNCORE_EVENT_IMC_READS		0x2C
#define UNCORE_EVENT_IMC_HIGH_READS	0x2D
#define UNCORE_EVENT_IMC_CRITICAL_READS	0x2E
#define UNCORE_EVENT_IMC_WRITES		0x2F
#define UNCORE_EVENT_MATCH		0x35

/* Unit masks of UNCORE_EVENT_GQ_SNOOP: those that need no register, and those that GQ_SNOOP_MESF
 * qualifies. */
#define UNCORE_SNOOP_ANY		0x03
#define UNCORE_SNOOP_HIT_TO_S		0x04
#define UNCORE_SNOOP_HIT_TO_I		0x08

/* Only in event signals: an entry leaves the queue that the code without this bit enters. */
#define UNCORE_SIGNAL_OUT			0x100

/* The uncore's clock, which the fixed counter counts. A select cannot hold this code. */
#define UNCORE_EVENT_CLOCK		0x3FF
#define UNCORE_SIGNAL_SINGLE		0x3FE	/* the machine has one package */

#endif
