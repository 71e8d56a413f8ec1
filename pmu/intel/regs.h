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

/* If CPUID.01H:ECX.PDCM is set. LBR_FMT: INTEL_LBR_FORMATS. FW_WRITE: IA32_A_PMC exists. */
#define IA32_PERF_CAPABILITIES(F, R)		\
	F(R, LBR_FMT, 0, 6, RO, 5)		\
	F(R, ZERO_6, 6, 7, IGN, 0)		\
	F(R, FW_WRITE, 13, 1, RO, 1)		\
	F(R, ZERO_14, 14, 50, IGN, 0)
REGISTER_FIELDS(IA32_PERF_CAPABILITIES)

/*
 * Branch records: SDM volume 3B, "Last Branch, Interrupt, and Exception Recording", and volume 4,
 * the tables of processors from Sandy Bridge on
 */

/* A set bit of CPL_EQ_0 to FAR_BRANCH excludes branches. EN_CALLSTACK: from Haswell on; calls are
 * recorded, and a return removes the youngest record. */
#define LBR_SELECT(F, R)			\
	F(R, CPL_EQ_0, 0, 1, RW, 0)		\
	F(R, CPL_NEQ_0, 1, 1, RW, 0)		\
	F(R, JCC, 2, 1, RW, 0)			\
	F(R, NEAR_REL_CALL, 3, 1, RW, 0)	\
	F(R, NEAR_IND_CALL, 4, 1, RW, 0)	\
	F(R, NEAR_RET, 5, 1, RW, 0)		\
	F(R, NEAR_IND_JMP, 6, 1, RW, 0)		\
	F(R, NEAR_REL_JMP, 7, 1, RW, 0)		\
	F(R, FAR_BRANCH, 8, 1, RW, 0)		\
	F(R, EN_CALLSTACK, 9, 1, RW, 0)		\
	F(R, RESERVED_10, 10, 54, RSVD, 0)
REGISTER_FIELDS(LBR_SELECT)

/* Number of the youngest record. */
#define LASTBRANCH_TOS(F, R)			\
	F(R, TOS, 0, 5, RW, 0)			\
	F(R, RESERVED_5, 5, 59, RSVD, 0)
REGISTER_FIELDS(LASTBRANCH_TOS)

/* HIGH: flags and cycles of the format, copies of bit 47 elsewhere. */
#define LASTBRANCH_FROM_IP(F, R)		\
	F(R, ADDRESS, 0, 48, RW, 0)		\
	F(R, HIGH, 48, 16, RW, 0)
REGISTER_FIELDS(LASTBRANCH_FROM_IP)

#define LASTBRANCH_TO_IP(F, R)			\
	F(R, ADDRESS, 0, 48, RW, 0)		\
	F(R, HIGH, 48, 16, RW, 0)
REGISTER_FIELDS(LASTBRANCH_TO_IP)

/* CYC_CNT: core cycles since the previous record, at most 0xFFFF. */
#define LBR_INFO(F, R)				\
	F(R, CYC_CNT, 0, 16, RW, 0)		\
	F(R, RESERVED_16, 16, 45, RSVD, 0)	\
	F(R, TSX_ABORT, 61, 1, RW, 0)		\
	F(R, IN_TSX, 62, 1, RW, 0)		\
	F(R, MISPRED, 63, 1, RW, 0)
REGISTER_FIELDS(LBR_INFO)

#define INTEL_BRANCH_RECORDS	32	/* of a thread, at most */

/* Formats of the records ("LBR Stack and Intel 64 Processors"), by LBR_FMT. X(number, bits of
 * LASTBRANCH_FROM_IP that are flags, bits of LASTBRANCH_TO_IP that are cycles, LBR_INFO exists).
 * Flags: bit 63 mispredicted, 62 in a transaction, 61 aborted a transaction. Format 0: the
 * processor has no such records, or a hypervisor hides them. */
#define INTEL_LBR_FORMATS(X)				\
	X(1, 0, 0, false)				\
	X(2, 0, 0, false)				\
	X(3, 1ULL << 63, 0, false)			\
	X(4, 7ULL << 61, 0, false)			\
	X(5, 0, 0, true)				\
	X(6, 1ULL << 63, 0xFFFFULL << 48, false)	\
	X(7, 0, 0, true)

#define INTEL_LBR_FORMAT_CALLSTACK	4	/* from this one on, EN_CALLSTACK exists */
#define INTEL_LBR_FORMAT_TSX		4	/* flags of transactions in the source */
#define INTEL_LBR_FORMAT_ARCHITECTURAL	0x3F

/*
 * Architectural branch records: SDM volume 3B, "Last Branch Records", and volume 4, "Architectural
 * MSRs". Record 0 is the youngest
 */

/* A set bit of COND to OTHER_BRANCH records branches of this kind at the levels of OS and USR. */
#define IA32_LBR_CTL(F, R)			\
	F(R, LBREn, 0, 1, RW, 0)		\
	F(R, OS, 1, 1, RW, 0)		\
	F(R, USR, 2, 1, RW, 0)		\
	F(R, CALL_STACK, 3, 1, RW, 0)		\
	F(R, RESERVED_4, 4, 12, RSVD, 0)	\
	F(R, COND, 16, 1, RW, 0)		\
	F(R, NEAR_REL_JMP, 17, 1, RW, 0)		\
	F(R, NEAR_IND_JMP, 18, 1, RW, 0)		\
	F(R, NEAR_REL_CALL, 19, 1, RW, 0)	\
	F(R, NEAR_IND_CALL, 20, 1, RW, 0)	\
	F(R, NEAR_RET, 21, 1, RW, 0)		\
	F(R, OTHER_BRANCH, 22, 1, RW, 0)	\
	F(R, RESERVED_23, 23, 41, RSVD, 0)
REGISTER_FIELDS(IA32_LBR_CTL)

/* Number of records in use. A write clears all records; one of a number that CPUID leaf 1CH does
 * not report faults. */
#define IA32_LBR_DEPTH(F, R)			\
	F(R, DEPTH, 0, 64, RW, INTEL_BRANCH_RECORDS)
REGISTER_FIELDS(IA32_LBR_DEPTH)

/* BR_TYPE: INTEL_TYPE_COND and the following. */
#define IA32_LBR_INFO(F, R)			\
	F(R, CYC_CNT, 0, 16, RW, 0)		\
	F(R, UNDEFINED_16, 16, 40, IGN, 0)	\
	F(R, BR_TYPE, 56, 4, RW, 0)		\
	F(R, CYC_CNT_VALID, 60, 1, RW, 0)	\
	F(R, TSX_ABORT, 61, 1, RW, 0)		\
	F(R, IN_TSX, 62, 1, RW, 0)		\
	F(R, MISPRED, 63, 1, RW, 0)
REGISTER_FIELDS(IA32_LBR_INFO)

/* The fields are those of the other records. */
#define IA32_LBR_FROM_IP(F, R)	LASTBRANCH_FROM_IP(F, R)
REGISTER_FIELDS(IA32_LBR_FROM_IP)

#define IA32_LBR_TO_IP(F, R)	LASTBRANCH_TO_IP(F, R)
REGISTER_FIELDS(IA32_LBR_TO_IP)

/* Kinds of branches: X(bit of LBR_SELECT that leaves it out, bit of IA32_LBR_CTL that records
 * it). */
#define INTEL_BRANCH_KINDS(X)			\
	X(CPL_EQ_0, OS)			\
	X(CPL_NEQ_0, USR)			\
	X(JCC, COND)				\
	X(NEAR_REL_CALL, NEAR_REL_CALL)		\
	X(NEAR_IND_CALL, NEAR_IND_CALL)		\
	X(NEAR_RET, NEAR_RET)			\
	X(NEAR_IND_JMP, NEAR_IND_JMP)		\
	X(NEAR_REL_JMP, NEAR_REL_JMP)		\
	X(FAR_BRANCH, OTHER_BRANCH)

/* IA32_LBR_INFO.BR_TYPE. */
#define INTEL_TYPE_COND		0
#define INTEL_TYPE_IND_JMP	1
#define INTEL_TYPE_REL_JMP	2
#define INTEL_TYPE_IND_CALL	3
#define INTEL_TYPE_REL_CALL	4
#define INTEL_TYPE_RET		5
#define INTEL_TYPE_OTHER	8

#define INTEL_TSX		(1u << 4 | 1u << 11)	/* CPUID leaf 07H, EBX: HLE, RTM */

/* CPUID leaf 07H, EDX; leaf 1CH: EAX bit n reports a depth of 8 * (n + 1), EBX filters by level and
 * by kind, EBX and ECX further features. */
#define INTEL_ARCH_LBR		(1u << 19)
#define INTEL_LEAF_LBR		0x1C
#define INTEL_LBR_DEPTHS	0x0B		/* 8, 16, 32 */
#define INTEL_LBR_LIP		(1u << 31)	/* EAX: addresses are linear */
#define INTEL_LBR_BY_LEVEL	(1u << 0)	/* EBX */
#define INTEL_LBR_BY_KIND	(1u << 1)
#define INTEL_LBR_CALL_STACK	(1u << 2)
#define INTEL_LBR_MISPRED	(1u << 0)	/* ECX */
#define INTEL_LBR_TIMED		(1u << 1)
#define INTEL_LBR_TYPES		(1u << 2)

/* The registers that control counters and branch records.
 * G(register, first address, number of registers). COUNTER: a counter. */
#define INTEL_CONTROL_REGISTERS(G)		\
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
	G(IA32_PERF_CAPABILITIES, 0x345, 1)	\
	G(LBR_SELECT, 0x1C8, 1)			\
	G(LASTBRANCH_TOS, 0x1C9, 1)

/* The branch records. */
#define INTEL_RECORD_REGISTERS(G)		\
	G(LASTBRANCH_FROM_IP, 0x680, INTEL_BRANCH_RECORDS)	\
	G(LASTBRANCH_TO_IP, 0x6C0, INTEL_BRANCH_RECORDS)	\
	G(LBR_INFO, 0xDC0, INTEL_BRANCH_RECORDS)

/* Of processors with architectural records, which lack the registers above. */
#define INTEL_ARCH_CONTROL_REGISTERS(G)		\
	G(IA32_LBR_CTL, 0x14CE, 1)		\
	G(IA32_LBR_DEPTH, 0x14CF, 1)
#define INTEL_ARCH_RECORD_REGISTERS(G)		\
	G(IA32_LBR_INFO, 0x1200, INTEL_BRANCH_RECORDS)	\
	G(IA32_LBR_FROM_IP, 0x1500, INTEL_BRANCH_RECORDS)	\
	G(IA32_LBR_TO_IP, 0x1600, INTEL_BRANCH_RECORDS)

#define INTEL_REGISTERS(G)			\
	INTEL_CONTROL_REGISTERS(G) INTEL_RECORD_REGISTERS(G)	\
	INTEL_ARCH_CONTROL_REGISTERS(G) INTEL_ARCH_RECORD_REGISTERS(G)

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
#define INTEL_EVENT_BRANCHES	0xC4

/* Code and unit mask of the architectural events, in the order of their bits in leaf 0AH, EBX (SDM
 * volume 3B, "Pre-defined Architectural Performance Events"). */
#define INTEL_ARCHITECTURAL_EVENTS					\
	{INTEL_EVENT_CYCLES, 0}, {INTEL_EVENT_RETIRED, 0},		\
	{INTEL_EVENT_CYCLES, 1}, {0x2E, 0x4F}, {0x2E, 0x41},		\
	{INTEL_EVENT_BRANCHES, 0}, {0xC5, 0}, {INTEL_EVENT_SLOTS, INTEL_UMASK_SLOTS}

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
