/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the tests of the uncore PMU's model. Each test starts with a PMU right after reset.
 * Manuals with the expected values:
 *
 * the guide	the performance analysis guide for Core i7 and Xeon 5500, "Uncore Performance
 *		Events": Tables 22 to 38
 * SDM 3B	Intel 64 and IA-32 Architectures Software Developer's Manual volume 3B,
 *		"Performance Monitoring Facility in the Uncore"
 *
 * pmu/nehalem-uncore/DECISIONS.md defines the behavior that they leave open. Addresses, bits, codes
 * and sizes are typed from the manuals, not taken from the model's regs.h. */
#ifndef STEPS_H
#define STEPS_H

#include "../each_test.h"

enum {
	GLOBAL_CTRL = 0x391, GLOBAL_STATUS, GLOBAL_OVF_CTRL, FIXED_CTR0, FIXED_CTR_CTRL,
	ADDR_OPCODE_MATCH, PMC0 = 0x3B0, PERFEVTSEL0 = 0x3C0, SNOOP = 0x301,
};

#define EVENT(code, mask)	((code) | (mask) << 8)
#define OCC_RST			(1U << 17)
#define E			(1U << 18)
#define PMI			(1U << 20)
#define EN			(1U << 22)
#define INV			(1U << 23)
#define CMASK(n)		((uint64_t)(n) << 24)

#define FIXED_BIT		(1ULL << 32)
#define ALL_BITS		(0xFFULL | FIXED_BIT)
#define CORES(mask)		((uint64_t)(mask) << 48)
#define PMI_FRZ			(1ULL << 63)
#define OVF_PMI			(1ULL << 61)
#define CHG			(1ULL << 63)
#define MODULUS			(1ULL << 48)

/* Codes in event signals: an entry leaves the queue of a code (OUT); the uncore's clock. */
#define OUT	0x100
#define CLOCK	0x3FF

/* Sets counter n to 0 with this select; all counters are enabled. */
static inline void count_on(unsigned n, uint64_t select)
{
	put(PERFEVTSEL0 + n, select | EN);
	put(PMC0 + n, 0);
	put(GLOBAL_CTRL, ALL_BITS);
}

/* Runs this many cycles with one kind of occurrence. */
static inline void cycles_of(uint64_t cycles, uint16_t code, uint16_t sub, uint32_t n)
{
	SIGNALS({code, sub, n});
	run(cycles);
	no_signals();
}

static inline int find_model(void **state)
{
	(void)state;
	take_model("nehalem-uncore", 1);
	return 0;
}

#endif
