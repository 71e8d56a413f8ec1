/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the tests of the model of Intel's architectural PMU: version 5, eight general and four
 * fixed counters of 48 bits, two threads. Each test starts with a PMU right after reset, and uses
 * thread 0 unless it names another. Manuals with the expected values:
 *
 * SDM 3B	Intel 64 and IA-32 Architectures Software Developer's Manual volume 3B:
 *		"Architectural Performance Monitoring" versions 1 to 5, "Full-Width Writes to
 *		Performance Counter Registers", "Freezing LBR and Performance Counters on PMI"
 * SDM 4	its volume 4, "Architectural MSRs"
 *
 * Addresses and bits are typed from the manuals, not taken from the model's regs.h. */
#ifndef STEPS_H
#define STEPS_H

#include "../each_test.h"

#define THREADS		2
#define COUNTER_MAX	0xFFFFFFFFFFFFULL	/* 48 bits */

/* SDM 4. */
enum {
	PMC0 = 0x0C1, PERFEVTSEL0 = 0x186, DEBUGCTL = 0x1D9, FIXED_CTR0 = 0x309,
	PERF_CAPABILITIES = 0x345, FIXED_CTR_CTRL = 0x38D, GLOBAL_STATUS = 0x38E,
	GLOBAL_CTRL = 0x38F, STATUS_RESET = 0x390, STATUS_SET = 0x391, INUSE = 0x392,
	A_PMC0 = 0x4C1, LBR_SELECT = 0x1C8, LBR_TOS = 0x1C9, LBR_FROM = 0x680, LBR_TO = 0x6C0,
	LBR_INFO = 0xDC0,
};

/* SDM 3B: bits of IA32_PERFEVTSELx. */
#define EVENT(code, mask)	((code) | (mask) << 8)
#define USR			(1U << 16)
#define OS			(1U << 17)
#define E			(1U << 18)
#define INT			(1U << 20)
#define ANY			(1U << 21)
#define EN			(1U << 22)
#define INV			(1U << 23)
#define CMASK(n)		((uint64_t)(n) << 24)
#define ON			(USR | OS | EN)

/* SDM 3B: each fixed counter's four bits of IA32_FIXED_CTR_CTRL. */
#define FIXED_OS		1U
#define FIXED_USR		2U
#define FIXED_PMI		8U
#define FIXED_CONTROL(n, bits)	((uint64_t)(bits) << 4 * (n))

#define ALL_BITS		0xF000000FFULL	/* of the global registers */
#define LBR			1U		/* of IA32_DEBUGCTL */
#define FREEZE_LBRS_ON_PMI	(1U << 11)
#define FREEZE_PERFMON_ON_PMI	(1U << 12)
#define LBR_FRZ			(1ULL << 58)	/* of IA32_PERF_GLOBAL_STATUS */
#define CTR_FRZ			(1ULL << 59)
#define PMI_INUSE		(1ULL << 63)	/* of IA32_PERF_GLOBAL_INUSE */

/* Codes in event signals. The reference cycles of fixed counter 2 have no code that a select can
 * hold; Linux and libpfm write it as 0x300. */
#define RETIRED		0xC0
#define CYCLES		0x3C
#define REFERENCE	0x300
#define SLOTS		0xA4

static inline int find_model(void **state)
{
	(void)state;
	take_model("intel", THREADS);
	return 0;
}

#endif
