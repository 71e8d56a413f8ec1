/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of Knights Corner's core PMU: Intel Xeon Phi Coprocessor (codename: Knights Corner)
 * Performance Monitoring Units, 327357-001 ("the guide"), 1.4.3, Tables 1-2 to 1-5 and 1-7 to 1-9.
 * Each thread has its own registers, except the time-stamp counter. Bits above a register's width
 * are reserved. */
#ifndef KNC_REGS_H
#define KNC_REGS_H

#include "field.h"

#define KNC_THREADS		4	/* of a core */
#define KNC_COUNTERS		2	/* of a thread */
#define KNC_COUNTER_WIDTH	40

/* Core clocks since reset; one register for all threads of the core. */
#define IA32_TIME_STAMP_COUNTER(F, R)		\
	F(R, CLOCKS, 0, 64, RW, 0)
REGISTER_FIELDS(IA32_TIME_STAMP_COUNTER)

/* A write changes all 40 bits. */
#define IA32_PERFCNTR(F, R)			\
	F(R, COUNT, 0, 40, RW, 0)		\
	F(R, RESERVED_40, 40, 24, RSVD, 0)
REGISTER_FIELDS(IA32_PERFCNTR)

#define IA32_PERFEVTSEL(F, R)			\
	F(R, EVENT, 0, 8, RW, 0)		\
	F(R, UMASK, 8, 8, RW, 0)		\
	F(R, USR, 16, 1, RW, 0)			\
	F(R, OS, 17, 1, RW, 0)			\
	F(R, E, 18, 1, RW, 0)			\
	F(R, RESERVED_19, 19, 1, RSVD, 0)	\
	F(R, INT, 20, 1, RW, 0)			\
	F(R, THREAD_COUNT_MODE, 21, 1, RW, 0)	\
	F(R, EN, 22, 1, RW, 0)			\
	F(R, INV, 23, 1, RW, 0)			\
	F(R, CMASK, 24, 8, RW, 0)		\
	F(R, RESERVED_32, 32, 32, RSVD, 0)
REGISTER_FIELDS(IA32_PERFEVTSEL)

/* Counters with their SPFLT_ENABLE bit count only while USER_PREF, the thread's user filter, is
 * set. SPFLT writes USER_PREF. */
#define PERF_SPFLT_CONTROL(F, R)		\
	F(R, SPFLT_ENABLE, 0, 2, RW, 0)		\
	F(R, RESERVED_2, 2, 61, RSVD, 0)	\
	F(R, USER_PREF, 63, 1, RW, 0)
REGISTER_FIELDS(PERF_SPFLT_CONTROL)

#define IA32_PERF_GLOBAL_STATUS(F, R)		\
	F(R, OVF, 0, 2, RO, 0)			\
	F(R, ZERO_2, 2, 62, IGN, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_STATUS)

/* Write-only: clears bits of the status. */
#define IA32_PERF_GLOBAL_OVF_CTRL(F, R)		\
	F(R, CLR_OVF, 0, 2, W1C, 0)		\
	F(R, RESERVED_2, 2, 62, RSVD, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_OVF_CTRL)

#define IA32_PERF_GLOBAL_CTRL(F, R)		\
	F(R, EN, 0, 2, RW, 0)			\
	F(R, RESERVED_2, 2, 62, RSVD, 0)
REGISTER_FIELDS(IA32_PERF_GLOBAL_CTRL)

/* G(register, first address, number of registers). CORE: one for all threads of a core. COUNTER: a
 * counter. */
#define KNC_REGISTERS(G)			\
	G(IA32_TIME_STAMP_COUNTER, 0x10, 1, CORE)\
	G(IA32_PERFCNTR, 0x20, KNC_COUNTERS, COUNTER)	\
	G(IA32_PERFEVTSEL, 0x28, KNC_COUNTERS)	\
	G(PERF_SPFLT_CONTROL, 0x2C, 1)		\
	G(IA32_PERF_GLOBAL_STATUS, 0x2D, 1)	\
	G(IA32_PERF_GLOBAL_OVF_CTRL, 0x2E, 1)	\
	G(IA32_PERF_GLOBAL_CTRL, 0x2F, 1)

/* MSR numbers of the first register; register n has the number + n. */
#define KNC_ADDRESS(R, address, count, ...) MSR_##R = (address),
enum { KNC_REGISTERS(KNC_ADDRESS) };

/* Unit masks of Table 1-6. */
#define KNC_UMASK_P54C			0x00
#define KNC_UMASK_CRI			0x10
#define KNC_UMASK_VPU			0x20
#define KNC_UMASK_UNIT			0x30	/* the bits that they use */

/* Events that code refers to by name: Table 1-6, unit mask P54C. */
#define KNC_EVENT_DATA_READ		0x00
#define KNC_EVENT_BRANCHES		0x12
#define KNC_EVENT_RETIRED		0x16	/* INSTRUCTIONS_EXECUTED */
#define KNC_EVENT_CYCLES		0x2A	/* CPU_CLK_UNHALTED */
#define KNC_EVENT_STAGE_E		0x2E	/* EXEC_STAGE_CYCLES */

#endif
