/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the Core i7 / Xeon 5500 core PMU.
 * PerfEvtSel: the performance analysis guide's Appendix II. Bits 19 and 63:32, which it omits, are
 * reserved.
 * Other registers: Intel 64 and IA-32 Architectures Software Developer's Manual (SDM) volume 3B,
 * "Architectural Performance Monitoring Version 3", and its table of model-specific registers. */
#ifndef NEHALEM_REGS_H
#define NEHALEM_REGS_H

#include "field.h"

#define NEHALEM_GENERAL_COUNTERS	4
#define NEHALEM_FIXED_COUNTERS		3
#define NEHALEM_COUNTER_WIDTH		48

/* A counter's number is its bit in the global registers: general counters from 0, fixed ones from
 * 32. */
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

/* A write sets the low 32 bits and copies bit 31 to the others. */
#define IA32_PMC(F, R)				\
	F(R, COUNT, 0, 32, RW, 0)		\
	F(R, COUNT_HIGH, 32, 16, SXT, 0)	\
	F(R, IGNORED_48, 48, 16, IGN, 0)
REGISTER_FIELDS(IA32_PMC)

/* A write sets all 48 bits; higher bits are reserved. */
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

/* Number of control bits of a fixed counter: those of counter n are shifted by n times this. */
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

/* Clears bits of the global status; reads as 0. */
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

/* LBR format 3: 64-bit addresses, mispredict flag in the source. PEBS: trap-like, all registers,
 * format 1. */
#define IA32_PERF_CAPABILITIES(F, R)		\
	F(R, LBR_FMT, 0, 6, RO, 3)		\
	F(R, PEBS_TRAP, 6, 1, RO, 1)		\
	F(R, PEBS_ARCH_REGS, 7, 1, RO, 1)	\
	F(R, PEBS_FMT, 8, 4, RO, 1)		\
	F(R, FREEZE_WHILE_SMM, 12, 1, RO, 1)	\
	F(R, FW_WRITE, 13, 1, RO, 0)		\
	F(R, ZERO_14, 14, 50, IGN, 0)
REGISTER_FIELDS(IA32_PERF_CAPABILITIES)

/* PEBS_EN_PMC: counters whose overflow arms a record. LL_EN_PMC: counters that count and record
 * slow loads. */
#define IA32_PEBS_ENABLE(F, R)			\
	F(R, PEBS_EN_PMC, 0, 4, RW, 0)		\
	F(R, RESERVED_4, 4, 28, RSVD, 0)	\
	F(R, LL_EN_PMC, 32, 4, RW, 0)		\
	F(R, RESERVED_36, 36, 28, RSVD, 0)
REGISTER_FIELDS(IA32_PEBS_ENABLE)

/* Latency threshold in core cycles: loads count whose latency is larger. */
#define PEBS_LD_LAT(F, R)			\
	F(R, THRESHOLD, 0, 16, RW, 0)		\
	F(R, RESERVED_16, 16, 48, RSVD, 0)
REGISTER_FIELDS(PEBS_LD_LAT)

/* Linear address of the debug store's management area (NEHALEM_DS_*). A non-canonical address
 * faults. */
#define IA32_DS_AREA(F, R)			\
	F(R, ADDRESS, 0, 64, RW, 0)
REGISTER_FIELDS(IA32_DS_AREA)

/* The guide's Table 9. */
#define OFFCORE_RSP_0(F, R)			\
	F(R, REQUEST, 0, 8, RW, 0)		\
	F(R, RESPONSE, 8, 8, RW, 0)		\
	F(R, RESERVED_16, 16, 48, RSVD, 0)
REGISTER_FIELDS(OFFCORE_RSP_0)

/* The guide's Table 7. A set bit excludes branches. */
#define LBR_SELECT(F, R)			\
	F(R, CPL_EQ_0, 0, 1, RW, 0)		\
	F(R, CPL_NEQ_0, 1, 1, RW, 0)		\
	F(R, JCC, 2, 1, RW, 0)			\
	F(R, NEAR_REL_CALL, 3, 1, RW, 0)	\
	F(R, NEAR_INDIRECT_CALL, 4, 1, RW, 0)	\
	F(R, NEAR_RET, 5, 1, RW, 0)		\
	F(R, NEAR_INDIRECT_JMP, 6, 1, RW, 0)	\
	F(R, NEAR_REL_JMP, 7, 1, RW, 0)		\
	F(R, FAR_BRANCH, 8, 1, RW, 0)		\
	F(R, RESERVED_9, 9, 55, RSVD, 0)
REGISTER_FIELDS(LBR_SELECT)

/* Number of the youngest branch record. Software may write it (SDM volume 4, MSRs of processors
 * based on Nehalem). */
#define LASTBRANCH_TOS(F, R)			\
	F(R, TOS, 0, 4, RW, 0)			\
	F(R, RESERVED_4, 4, 60, RSVD, 0)
REGISTER_FIELDS(LASTBRANCH_TOS)

/* LBR format 3: bit 63 of the source means that the branch was mispredicted; bits 62:48 are copies
 * of bit 47. */
#define LASTBRANCH_FROM_IP(F, R)		\
	F(R, ADDRESS, 0, 48, RW, 0)		\
	F(R, ADDRESS_HIGH, 48, 15, SXT, 0)	\
	F(R, MISPRED, 63, 1, RW, 0)
REGISTER_FIELDS(LASTBRANCH_FROM_IP)

#define LASTBRANCH_TO_IP(F, R)			\
	F(R, ADDRESS, 0, 48, RW, 0)		\
	F(R, ADDRESS_HIGH, 48, 16, SXT, 0)
REGISTER_FIELDS(LASTBRANCH_TO_IP)

#define NEHALEM_BRANCH_RECORDS 16

/* The debug store's management area consists of 64-bit words: first those of branch trace storage,
 * then these (SDM volume 3B, "DS Save Area"). The hardware does not check the alignment of the area
 * or of the buffer. */
#define NEHALEM_DS_PEBS_BASE		4	/* address of the first record */
#define NEHALEM_DS_PEBS_INDEX		5	/* address of the next record */
#define NEHALEM_DS_PEBS_MAXIMUM		6	/* address of the first byte after the buffer */
#define NEHALEM_DS_PEBS_THRESHOLD	7	/* an index of this address or higher interrupts */
#define NEHALEM_DS_PEBS_RESET		8	/* word 8 + n: value that a record loads into
						 * general counter n */
#define NEHALEM_DS_WORDS		12

/* A record: RFLAGS, RIP, RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8-R15, then these. */
#define NEHALEM_PEBS_FLAGS		0
#define NEHALEM_PEBS_IP			1
#define NEHALEM_PEBS_STATUS		18	/* IA32_PERF_GLOBAL_STATUS before the record:
						 * names its counters */
#define NEHALEM_PEBS_ADDRESS		19	/* linear address of the load's data */
#define NEHALEM_PEBS_SOURCE		20	/* source of the load's data: the guide's Table
						 * 5, in 3:0 */
#define NEHALEM_PEBS_LATENCY		21	/* core cycles */
#define NEHALEM_PEBS_WORDS		22

/* Events at the retirement of loads and stores (the guide's Tables 3 and 4). */
#define NEHALEM_EVENT_MEMORY_INSTRUCTIONS 0x0B
#define NEHALEM_EVENT_STORES		0x0C
#define NEHALEM_EVENT_UNCORE_LOADS	0x0F
#define NEHALEM_EVENT_LOADS		0xCB

/* Load latency counts this event and unit mask (the guide's Table 4). */
#define NEHALEM_EVENT_LOAD_LATENCY	NEHALEM_EVENT_MEMORY_INSTRUCTIONS
#define NEHALEM_UMASK_LOAD_LATENCY	0x10

/* Retired branches (the guide's Table 6): unit masks. */
#define NEHALEM_EVENT_BRANCHES		0xC4
#define NEHALEM_UMASK_CONDITIONAL	0x01
#define NEHALEM_UMASK_NEAR_CALL		0x02
#define NEHALEM_UMASK_ALL_BRANCHES	0x04

#define NEHALEM_EVENT_MISPREDICTED	0xC5

/* Uops executed: unit masks of ports 2, 3, 4 and of all three, which count for both threads (the
 * guide's Table 1). */
#define NEHALEM_EVENT_PORTS		0xB1
#define NEHALEM_UMASK_MEMORY_PORTS	0x9C

#define NEHALEM_EVENT_OFFCORE_RESPONSE	0xB7
#define NEHALEM_UMASK_OFFCORE_RESPONSE	0x01

/* G(register, first address, number of registers). CORE: shared by both threads of a core, the
 * others belong to a thread (DECISIONS.md has the sources). COUNTER: a counter. */
#define NEHALEM_REGISTERS(G)			\
	G(IA32_PERFEVTSEL, 0x186, 4)		\
	G(IA32_PMC, 0x0C1, 4, COUNTER)		\
	G(IA32_FIXED_CTR, 0x309, 3, COUNTER)	\
	G(IA32_FIXED_CTR_CTRL, 0x38D, 1)	\
	G(IA32_PERF_GLOBAL_CTRL, 0x38F, 1)	\
	G(IA32_PERF_GLOBAL_STATUS, 0x38E, 1)	\
	G(IA32_DEBUGCTL, 0x1D9, 1)		\
	G(IA32_PEBS_ENABLE, 0x3F1, 1)		\
	G(PEBS_LD_LAT, 0x3F6, 1, CORE)		\
	G(IA32_DS_AREA, 0x600, 1)		\
	G(OFFCORE_RSP_0, 0x1A6, 1, CORE)	\
	G(LBR_SELECT, 0x1C8, 1, CORE)		\
	G(LASTBRANCH_TOS, 0x1C9, 1)		\
	G(LASTBRANCH_FROM_IP, 0x680, NEHALEM_BRANCH_RECORDS)	\
	G(LASTBRANCH_TO_IP, 0x6C0, NEHALEM_BRANCH_RECORDS)	\
	G(IA32_PERF_GLOBAL_OVF_CTRL, 0x390, 1)	\
	G(IA32_PERF_CAPABILITIES, 0x345, 1)

#define NEHALEM_ADDRESS(R, address, count, ...) MSR_##R = (address),
enum { NEHALEM_REGISTERS(NEHALEM_ADDRESS) };

/* Index of RDPMC: general counters from 0, fixed ones with bit 30 set (SDM volume 2B, RDPMC). */
#define NEHALEM_RDPMC_FIXED 0x40000000u

/* Events that the fixed counters count. 0x0300 is Intel's pseudo-encoding of reference cycles; no
 * general counter can select it. */
#define NEHALEM_EVENT_CYCLES		0x3C
#define NEHALEM_EVENT_RETIRED		0xC0
#define NEHALEM_UMASK_RETIRED		0x01	/* INST_RETIRED.ANY_P */
#define NEHALEM_EVENT_REFERENCE		0x300

/* CPUID leaf 0AH (SDM volume 2A, CPUID): version 3 in EAX 7:0, counters in 15:8, width in 23:16,
 * length of the EBX vector in 31:24; fixed counters in EDX 4:0, their width in 12:5. */
#define NEHALEM_CPUID_LEAF	0x0A
#define NEHALEM_CPUID_VERSION	3

#endif
