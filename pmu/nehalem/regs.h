/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the Core i7 / Xeon 5500 core PMU.
 * PerfEvtSel: the performance analysis guide's Appendix II, which leaves bits 19 and 63:32 out: reserved.
 * The others: Intel 64 and IA-32 Architectures Software Developer's Manual (SDM) volume 3B, "Architectural
 * Performance Monitoring Version 3", and its table of model-specific registers. */
#ifndef NEHALEM_REGS_H
#define NEHALEM_REGS_H

#include "field.h"

#define NEHALEM_GENERAL_COUNTERS	4
#define NEHALEM_FIXED_COUNTERS		3
#define NEHALEM_COUNTER_WIDTH		48

/* Counter numbers are bit numbers of the global registers: general from 0, fixed from 32. */
#define NEHALEM_FIRST_FIXED		32
#define NEHALEM_GENERAL_MASK		0xFULL
#define NEHALEM_FIXED_MASK		0x700000000ULL

#define IA32_PERFEVTSEL(F, R)			\
	F(R, EVTSEL, 0, 8, RW, 0)		\
	F(R, EVTMSK, 8, 8, RW, 0)		\
	F(R, USR, 16, 1, RW, 0)			\
	F(R, OS, 17, 1, RW, 0)			\
	F(R, E, 18, 1, RW, 0)			\
	F(R, RESERVED_19, 19, 1, RSVD, 0)	\
	F(R, INT, 20, 1, RW, 0)			\
	F(R, AnyThr, 21, 1, RW, 0)		\
	F(R, EN, 22, 1, RW, 0)			\
	F(R, INV, 23, 1, RW, 0)			\
	F(R, CMASK, 24, 8, RW, 0)		\
	F(R, RESERVED_32, 32, 32, RSVD, 0)
REGISTER_FIELDS(IA32_PERFEVTSEL)

/* A write reaches the low 32 bits; the rest of the counter takes copies of bit 31. */
#define IA32_PMC(F, R)				\
	F(R, COUNT, 0, 32, RW, 0)		\
	F(R, COUNT_HIGH, 32, 16, SXT, 0)	\
	F(R, IGNORED_48, 48, 16, IGN, 0)
REGISTER_FIELDS(IA32_PMC)

/* A write reaches all 48 bits; those above the width are reserved. */
#define IA32_FIXED_CTR(F, R)			\
	F(R, COUNT, 0, 48, RW, 0)		\
	F(R, RESERVED_48, 48, 16, RSVD, 0)
REGISTER_FIELDS(IA32_FIXED_CTR)

#define IA32_FIXED_CTR_CTRL(F, R)		\
	F(R, EN0_OS, 0, 1, RW, 0)		\
	F(R, EN0_USR, 1, 1, RW, 0)		\
	F(R, AnyThr0, 2, 1, RW, 0)		\
	F(R, PMI0, 3, 1, RW, 0)			\
	F(R, EN1_OS, 4, 1, RW, 0)		\
	F(R, EN1_USR, 5, 1, RW, 0)		\
	F(R, AnyThr1, 6, 1, RW, 0)		\
	F(R, PMI1, 7, 1, RW, 0)			\
	F(R, EN2_OS, 8, 1, RW, 0)		\
	F(R, EN2_USR, 9, 1, RW, 0)		\
	F(R, AnyThr2, 10, 1, RW, 0)		\
	F(R, PMI2, 11, 1, RW, 0)		\
	F(R, RESERVED_12, 12, 52, RSVD, 0)
REGISTER_FIELDS(IA32_FIXED_CTR_CTRL)

/* Fixed counter n's four control bits, as those of counter 0 shifted by n times this. */
#define NEHALEM_FIXED_CONTROL_BITS 4

#define IA32_PERF_GLOBAL_STATUS(F, R)		\
	F(R, OvfPMC, 0, 4, RO, 0)		\
	F(R, ZERO_4, 4, 28, IGN, 0)		\
	F(R, OvfFixedCtr, 32, 3, RO, 0)		\
	F(R, ZERO_35, 35, 26, IGN, 0)		\
	F(R, OvfUncore, 61, 1, RO, 0)		\
	F(R, OvfBuf, 62, 1, RO, 0)		\
	F(R, CondChgd, 63, 1, RO, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_STATUS)

#define IA32_PERF_GLOBAL_CTRL(F, R)		\
	F(R, EnPMC, 0, 4, RW, 0xF)		\
	F(R, RESERVED_4, 4, 28, RSVD, 0)	\
	F(R, EnFixedCtr, 32, 3, RW, 0)		\
	F(R, RESERVED_35, 35, 29, RSVD, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_CTRL)

/* Clears bits of the global status; reads as zero. */
#define IA32_PERF_GLOBAL_OVF_CTRL(F, R)		\
	F(R, ClrOvfPMC, 0, 4, W1C, 0)		\
	F(R, RESERVED_4, 4, 28, RSVD, 0)	\
	F(R, ClrOvfFixedCtr, 32, 3, W1C, 0)	\
	F(R, RESERVED_35, 35, 26, RSVD, 0)	\
	F(R, ClrOvfUncore, 61, 1, W1C, 0)	\
	F(R, ClrOvfBuf, 62, 1, W1C, 0)		\
	F(R, ClrCondChgd, 63, 1, W1C, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_OVF_CTRL)

#define IA32_DEBUGCTL(F, R)			\
	F(R, LBR, 0, 1, RW, 0)			\
	F(R, BTF, 1, 1, RW, 0)			\
	F(R, RESERVED_2, 2, 4, RSVD, 0)		\
	F(R, TR, 6, 1, RW, 0)			\
	F(R, BTS, 7, 1, RW, 0)			\
	F(R, BTINT, 8, 1, RW, 0)		\
	F(R, BTS_OFF_OS, 9, 1, RW, 0)		\
	F(R, BTS_OFF_USR, 10, 1, RW, 0)		\
	F(R, FREEZE_LBRS_ON_PMI, 11, 1, RW, 0)	\
	F(R, FREEZE_PERFMON_ON_PMI, 12, 1, RW, 0) \
	F(R, UNCORE_PMI_EN, 13, 1, RW, 0)	\
	F(R, FREEZE_WHILE_SMM, 14, 1, RW, 0)	\
	F(R, RESERVED_15, 15, 49, RSVD, 0)
REGISTER_FIELDS(IA32_DEBUGCTL)

/* LBR format 3: 64-bit addresses, mispredict flag in the source. PEBS: trap-like, all registers, format 1. */
#define IA32_PERF_CAPABILITIES(F, R)		\
	F(R, LBR_FMT, 0, 6, RO, 3)		\
	F(R, PEBS_TRAP, 6, 1, RO, 1)		\
	F(R, PEBS_ARCH_REGS, 7, 1, RO, 1)	\
	F(R, PEBS_FMT, 8, 4, RO, 1)		\
	F(R, FREEZE_WHILE_SMM, 12, 1, RO, 1)	\
	F(R, FW_WRITE, 13, 1, RO, 0)		\
	F(R, ZERO_14, 14, 50, IGN, 0)
REGISTER_FIELDS(IA32_PERF_CAPABILITIES)

/* G(register, first address, how many), those that are accessed most first. */
#define NEHALEM_REGISTERS(G)			\
	G(IA32_PMC, 0x0C1, 4)			\
	G(IA32_FIXED_CTR, 0x309, 3)		\
	G(IA32_PERF_GLOBAL_STATUS, 0x38E, 1)	\
	G(IA32_PERFEVTSEL, 0x186, 4)		\
	G(IA32_PERF_GLOBAL_CTRL, 0x38F, 1)	\
	G(IA32_PERF_GLOBAL_OVF_CTRL, 0x390, 1)	\
	G(IA32_FIXED_CTR_CTRL, 0x38D, 1)	\
	G(IA32_DEBUGCTL, 0x1D9, 1)		\
	G(IA32_PERF_CAPABILITIES, 0x345, 1)

#define NEHALEM_ADDRESS(R, address, count) MSR_##R = (address),
enum { NEHALEM_REGISTERS(NEHALEM_ADDRESS) };

/* RDPMC's counter index: general counters from 0, fixed ones with bit 30 set (SDM volume 2B, RDPMC). */
#define NEHALEM_RDPMC_FIXED 0x40000000u

/* Event code and unit mask of what the fixed counters count; 0x0300 is no event a general counter can select:
 * Intel's pseudo-encoding of the reference cycles counter. */
#define NEHALEM_EVENT_CYCLES		0x3C
#define NEHALEM_EVENT_RETIRED		0xC0
#define NEHALEM_EVENT_REFERENCE		0x300

/* CPUID leaf 0AH (SDM volume 2A, CPUID): version 3 in EAX 7:0, counters in 15:8, width in 23:16, length of the
 * EBX vector in 31:24; fixed counters in EDX 4:0, their width in 12:5. */
#define NEHALEM_CPUID_LEAF	0x0A
#define NEHALEM_CPUID_VERSION	3

#endif
