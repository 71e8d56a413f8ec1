/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of Intel's architectural performance monitoring, versions 1 to 5: Intel 64 and IA-32
 * Architectures Software Developer's Manual (SDM) volume 3B, "Architectural Performance
 * Monitoring", and volume 4, "Architectural MSRs". A processor has a part of them, which CPUID
 * reports: the lists contain the most. */
#ifndef INTEL_REGS_H
#define INTEL_REGS_H

#include "field.h"

#define INTEL_GENERAL_COUNTERS	8
#define INTEL_FIXED_COUNTERS	4
#define INTEL_COUNTER_WIDTH	48

/* A counter's number is its bit in the global registers: general counters from 0, fixed ones from
 * 32. */
#define INTEL_FIRST_FIXED	32
#define INTEL_GENERAL_MASK	0xFFULL
#define INTEL_FIXED_MASK	0xF00000000ULL

/* AnyThread: versions 3 and later, unless CPUID deprecates it. Bit 19 controlled a pin; it is
 * reserved since Sandy Bridge. */
#define IA32_PERFEVTSEL(F, R)			\
	F(R, EventSelect, 0, 8, RW, 0)		\
	F(R, UMASK, 8, 8, RW, 0)		\
	F(R, USR, 16, 1, RW, 0)			\
	F(R, OS, 17, 1, RW, 0)			\
	F(R, E, 18, 1, RW, 0)			\
	F(R, RESERVED_19, 19, 1, RSVD, 0)	\
	F(R, INT, 20, 1, RW, 0)			\
	F(R, AnyThread, 21, 1, RW, 0)		\
	F(R, EN, 22, 1, RW, 0)			\
	F(R, INV, 23, 1, RW, 0)			\
	F(R, CMASK, 24, 8, RW, 0)		\
	F(R, RESERVED_32, 32, 32, RSVD, 0)
REGISTER_FIELDS(IA32_PERFEVTSEL)

/* A write sets the low 32 bits and copies bit 31 to the others. */
#define IA32_PMC(F, R)				\
	F(R, COUNT, 0, 32, RW, 0)		\
	F(R, COUNT_HIGH, 32, 16, SXT, 0)	\
	F(R, IGNORED_48, 48, 16, IGN, 0)
REGISTER_FIELDS(IA32_PMC)

/* The same counters: a write sets all bits (IA32_PERF_CAPABILITIES.FW_WRITE). */
#define IA32_A_PMC(F, R)			\
	F(R, COUNT, 0, 48, RW, 0)		\
	F(R, RESERVED_48, 48, 16, RSVD, 0)
REGISTER_FIELDS(IA32_A_PMC)

#define IA32_FIXED_CTR(F, R)			\
	F(R, COUNT, 0, 48, RW, 0)		\
	F(R, RESERVED_48, 48, 16, RSVD, 0)
REGISTER_FIELDS(IA32_FIXED_CTR)

#define IA32_FIXED_CTR_CTRL(F, R)		\
	F(R, EN0_OS, 0, 1, RW, 0)		\
	F(R, EN0_USR, 1, 1, RW, 0)		\
	F(R, AnyThread0, 2, 1, RW, 0)		\
	F(R, PMI0, 3, 1, RW, 0)			\
	F(R, EN1_OS, 4, 1, RW, 0)		\
	F(R, EN1_USR, 5, 1, RW, 0)		\
	F(R, AnyThread1, 6, 1, RW, 0)		\
	F(R, PMI1, 7, 1, RW, 0)			\
	F(R, EN2_OS, 8, 1, RW, 0)		\
	F(R, EN2_USR, 9, 1, RW, 0)		\
	F(R, AnyThread2, 10, 1, RW, 0)		\
	F(R, PMI2, 11, 1, RW, 0)		\
	F(R, EN3_OS, 12, 1, RW, 0)		\
	F(R, EN3_USR, 13, 1, RW, 0)		\
	F(R, AnyThread3, 14, 1, RW, 0)		\
	F(R, PMI3, 15, 1, RW, 0)		\
	F(R, RESERVED_16, 16, 48, RSVD, 0)
REGISTER_FIELDS(IA32_FIXED_CTR_CTRL)

/* Control bits of fixed counter n are shifted by n times this. */
#define INTEL_FIXED_CONTROL_BITS 4

/* CTR_Frz, LBR_Frz: version 4 and later. */
#define IA32_PERF_GLOBAL_STATUS(F, R)		\
	F(R, Ovf_PMC, 0, 8, RO, 0)		\
	F(R, ZERO_8, 8, 24, IGN, 0)		\
	F(R, Ovf_FIXED_CTR, 32, 4, RO, 0)	\
	F(R, ZERO_36, 36, 22, IGN, 0)		\
	F(R, LBR_Frz, 58, 1, RO, 0)		\
	F(R, CTR_Frz, 59, 1, RO, 0)		\
	F(R, ZERO_60, 60, 2, IGN, 0)		\
	F(R, OvfBuf, 62, 1, RO, 0)		\
	F(R, CondChgd, 63, 1, RO, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_STATUS)

/* At reset, the bits of all general counters are set. */
#define IA32_PERF_GLOBAL_CTRL(F, R)		\
	F(R, EN_PMC, 0, 8, RW, 0xFF)		\
	F(R, RESERVED_8, 8, 24, RSVD, 0)	\
	F(R, EN_FIXED_CTR, 32, 4, RW, 0)	\
	F(R, RESERVED_36, 36, 28, RSVD, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_CTRL)

/* Called IA32_PERF_GLOBAL_OVF_CTRL before version 4. Clears bits of the status; reads as 0. */
#define IA32_PERF_GLOBAL_STATUS_RESET(F, R)	\
	F(R, Clr_PMC, 0, 8, W1C, 0)		\
	F(R, RESERVED_8, 8, 24, RSVD, 0)	\
	F(R, Clr_FIXED_CTR, 32, 4, W1C, 0)	\
	F(R, RESERVED_36, 36, 22, RSVD, 0)	\
	F(R, Clr_LBR_Frz, 58, 1, W1C, 0)	\
	F(R, Clr_CTR_Frz, 59, 1, W1C, 0)	\
	F(R, RESERVED_60, 60, 2, RSVD, 0)	\
	F(R, Clr_OvfBuf, 62, 1, W1C, 0)		\
	F(R, Clr_CondChgd, 63, 1, W1C, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_STATUS_RESET)

/* Version 4 and later. Sets bits of the status; reads as 0. */
#define IA32_PERF_GLOBAL_STATUS_SET(F, R)	\
	F(R, Set_PMC, 0, 8, W1C, 0)		\
	F(R, RESERVED_8, 8, 24, RSVD, 0)	\
	F(R, Set_FIXED_CTR, 32, 4, W1C, 0)	\
	F(R, RESERVED_36, 36, 22, RSVD, 0)	\
	F(R, Set_LBR_Frz, 58, 1, W1C, 0)	\
	F(R, Set_CTR_Frz, 59, 1, W1C, 0)	\
	F(R, RESERVED_60, 60, 2, RSVD, 0)	\
	F(R, Set_OvfBuf, 62, 1, W1C, 0)		\
	F(R, RESERVED_63, 63, 1, RSVD, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_STATUS_SET)

/* Version 4 and later. The counters and the interrupt that the other registers use. */
#define IA32_PERF_GLOBAL_INUSE(F, R)		\
	F(R, PERFEVTSEL_InUse, 0, 8, RO, 0)	\
	F(R, ZERO_8, 8, 24, IGN, 0)		\
	F(R, FC_InUse, 32, 4, RO, 0)		\
	F(R, ZERO_36, 36, 27, IGN, 0)		\
	F(R, PMI_InUse, 63, 1, RO, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_INUSE)

/* The freeze bits: version 2 and later. */
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
	F(R, RESERVED_13, 13, 51, RSVD, 0)
REGISTER_FIELDS(IA32_DEBUGCTL)

/* If CPUID.01H:ECX.PDCM is set. FW_WRITE: IA32_A_PMC exists. */
#define IA32_PERF_CAPABILITIES(F, R)		\
	F(R, ZERO_0, 0, 13, IGN, 0)		\
	F(R, FW_WRITE, 13, 1, RO, 1)		\
	F(R, ZERO_14, 14, 50, IGN, 0)
REGISTER_FIELDS(IA32_PERF_CAPABILITIES)

/* G(register, first address, number of registers). COUNTER: a counter. */
#define INTEL_REGISTERS(G)			\
	G(IA32_PERFEVTSEL, 0x186, INTEL_GENERAL_COUNTERS)	\
	G(IA32_PMC, 0x0C1, INTEL_GENERAL_COUNTERS, COUNTER)	\
	G(IA32_FIXED_CTR, 0x309, INTEL_FIXED_COUNTERS, COUNTER)	\
	G(IA32_A_PMC, 0x4C1, INTEL_GENERAL_COUNTERS)	\
	G(IA32_FIXED_CTR_CTRL, 0x38D, 1)	\
	G(IA32_PERF_GLOBAL_CTRL, 0x38F, 1)	\
	G(IA32_PERF_GLOBAL_STATUS, 0x38E, 1)	\
	G(IA32_PERF_GLOBAL_STATUS_RESET, 0x390, 1)	\
	G(IA32_PERF_GLOBAL_STATUS_SET, 0x391, 1)	\
	G(IA32_PERF_GLOBAL_INUSE, 0x392, 1)	\
	G(IA32_DEBUGCTL, 0x1D9, 1)		\
	G(IA32_PERF_CAPABILITIES, 0x345, 1)

#define INTEL_ADDRESS(R, address, count, ...) MSR_##R = (address),
enum { INTEL_REGISTERS(INTEL_ADDRESS) };

/* Index of RDPMC: general counters from 0, fixed ones with bit 30 set (SDM volume 2B, RDPMC). */
#define INTEL_RDPMC_FIXED 0x40000000u

/* The architectural events that fixed counters count. 0x300 is the pseudo-encoding of the reference
 * cycles that fixed counter 2 counts; no general counter can select it. */
#define INTEL_EVENT_CYCLES	0x3C
#define INTEL_EVENT_RETIRED	0xC0
#define INTEL_EVENT_REFERENCE	0x300
#define INTEL_EVENT_SLOTS	0xA4
#define INTEL_UMASK_SLOTS	0x01

/* Code and unit mask of the architectural events, in the order of their bits in leaf 0AH, EBX (SDM
 * volume 3B, "Pre-defined Architectural Performance Events"). */
#define INTEL_ARCHITECTURAL_EVENTS					\
	{INTEL_EVENT_CYCLES, 0}, {INTEL_EVENT_RETIRED, 0},		\
	{INTEL_EVENT_CYCLES, 1}, {0x2E, 0x4F}, {0x2E, 0x41},		\
	{0xC4, 0}, {0xC5, 0}, {INTEL_EVENT_SLOTS, INTEL_UMASK_SLOTS}

/* CPUID (SDM volume 2A): leaf 0AH; leaf 01H, ECX.PDCM; leaf 07H, subleaf 1, EAX.ArchPerfmonExt;
 * leaf 23H. */
#define INTEL_LEAF_PERFMON	0x0A
#define INTEL_LEAF_EXTENSION	0x23
#define INTEL_PDCM		(1u << 15)
#define INTEL_PERFMON_EXT	(1u << 8)
#define INTEL_ANY_DEPRECATED	(1u << 15)	/* leaf 0AH, EDX */

/* Versions that introduced a group of registers. */
#define INTEL_VERSION_GLOBAL	2	/* global registers, fixed counters, freeze */
#define INTEL_VERSION_ANY	3	/* AnyThread */
#define INTEL_VERSION_FROZEN	4	/* the status shows and controls the freeze */
#define INTEL_VERSION_BITMAP	5	/* leaf 0AH, ECX: fixed counters as bits */

#endif
