/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the tests of the model of AMD's core PMU: six counters of 48 bits, PerfMonV2, two
 * threads. Each test starts with a PMU right after reset, and uses thread 0 unless it names
 * another. Manuals with the expected values:
 *
 * APM	AMD64 Architecture Programmer's Manual volume 2, "Performance Monitoring Counters"
 * BKDG	BIOS and Kernel Developer's Guide of family 15h, models 00h-0Fh, MSRC001_0200
 * PPR	Processor Programming Reference of family 19h, MSRC000_0300 to 0303
 *
 * Addresses and bits are typed from the manuals, not taken from the model's regs.h. */
#ifndef STEPS_H
#define STEPS_H

#include "../each_test.h"

#define THREADS		2
#define COUNTER_MAX	0xFFFFFFFFFFFFULL	/* 48 bits */

/* PERF_CTL and PERF_CTR alternate. */
#define CTL(n)		(0xC0010200 + 2 * (n))
#define CTR(n)		(0xC0010201 + 2 * (n))
enum { DEBUGCTL = 0x1D9 };
#define LEGACY_CTL(n)	(0xC0010000 + (n))
#define LEGACY_CTR(n)	(0xC0010004 + (n))
#define GLOBAL_STATUS	0xC0000300
#define GLOBAL_CTL	0xC0000301
#define STATUS_CLR	0xC0000302
#define STATUS_SET	0xC0000303

/* APM: bits of the select; the code has bits 7:0 and 35:32. */
#define EVENT(code)		(((code) & 0xFFULL) | ((code) >> 8 & 0xFULL) << 32)
#define USR			(1U << 16)
#define OS			(1U << 17)
#define EDGE			(1U << 18)
#define INT			(1U << 20)
#define EN			(1U << 22)
#define INV			(1U << 23)
#define CNT_MASK(n)		((uint64_t)(n) << 24)
#define GUEST_ONLY		(1ULL << 40)
#define HOST_ONLY		(1ULL << 41)
#define ON			(USR | OS | EN)

#define ALL_BITS		0x3FULL		/* counters, in the global registers */
#define FREEZE_LBRS_ON_PMI	(1U << 11)	/* of DebugCtl */
#define FREEZE_PERFMON_ON_PMI	(1U << 12)
#define LBR_FREEZE		(1ULL << 58)	/* of PerfCntrGlobalStatus */
#define PMC_FREEZE		(1ULL << 59)

#define RETIRED		0xC0
#define CYCLES		0x76

static inline int find_model(void **state)
{
	(void)state;
	take_model("amd", THREADS);
	return 0;
}

#endif
