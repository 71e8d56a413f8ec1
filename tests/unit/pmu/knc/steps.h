/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the tests of Knights Corner's model. Each test starts with a PMU right after reset, and
 * uses thread 0 unless it names another. Expected values come from "the guide" (Intel Xeon Phi
 * Coprocessor (codename: Knights Corner) Performance Monitoring Units, 327357-001), whose tables
 * and sections are named, and from pmu/knc/DECISIONS.md where the guide leaves the behavior open.
 * Addresses and bits are typed from the guide, not taken from the model's regs.h. */
#ifndef STEPS_H
#define STEPS_H

#include "../each_test.h"

#define THREADS		4
#define COUNTERS	2
#define COUNTER_MAX	0xFFFFFFFFFFULL		/* 40 bits */

/* Table 1-2. */
enum {
	TSC = 0x10, CNTR0 = 0x20, CNTR1 = 0x21, SEL0 = 0x28, SEL1 = 0x29, SPFLT = 0x2C,
	STATUS = 0x2D, OVF_CTRL = 0x2E, GLOBAL = 0x2F,
};

/* Table 1-5. */
#define EVENT(code, mask)	((code) | (mask) << 8)
#define USR			(1U << 16)
#define OS			(1U << 17)
#define E			(1U << 18)
#define INT			(1U << 20)
#define ANY			(1U << 21)	/* thread count mode */
#define EN			(1U << 22)
#define INV			(1U << 23)
#define CMASK(n)		((uint64_t)(n) << 24)
#define ON			(USR | OS | EN)

#define USER_PREF		(1ULL << 63)	/* Table 1-7 */

/* Table 1-6. */
enum { DATA_READ = 0x00, BRANCHES = 0x12, INSTRUCTIONS = 0x16, CYCLES = 0x2A, STAGE_E = 0x2E };

/* Sets a thread's counter to `value`, with this select. It counts if global control enables it. */
static inline void set_of(unsigned thread, unsigned counter, uint64_t select, uint64_t value)
{
	put_of(thread, SEL0 + counter, 0);
	put_of(thread, CNTR0 + counter, value);
	put_of(thread, SEL0 + counter, select);
}

static inline void set(unsigned counter, uint64_t select, uint64_t value)
{
	set_of(0, counter, select, value);
}

/* Writes global control of all threads. */
static inline void enable_all(void)
{
	for (unsigned thread = 0; thread < THREADS; thread++)
		put_of(thread, GLOBAL, 3);
}

/* Returns the count of counter 0 with this select, after this many cycles with these signals. */
static inline uint64_t counted(uint64_t select, uint64_t cycles, const struct occurrence *list,
			       size_t count)
{
	no_signals();
	set(0, select, 0);
	put(GLOBAL, 3);
	connect(list, count);
	run(cycles);
	return get(CNTR0);
}

#define COUNT(select, cycles, ...) counted(select, cycles, LIST(__VA_ARGS__), LENGTH(__VA_ARGS__))

/* Signals of thread 0 executing an instruction in each cycle, at level 0. */
static inline void busy(void)
{
	SIGNALS({INSTRUCTIONS, 0, 1});
}

static inline int find_model(void **state)
{
	(void)state;
	take_model("knc", THREADS);
	return 0;
}

#endif
