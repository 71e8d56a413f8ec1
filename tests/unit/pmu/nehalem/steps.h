/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the tests of the Core i7 / Xeon 5500 core PMU's model. Each test starts with a PMU right
 * after reset, and uses thread 0 unless it names another. Manuals with the expected values:
 *
 * Appendix II	performance analysis guide for Core i7 and Xeon 5500, appendix II "PMU Programming"
 * the guide	its text on counting around table 1, and that table
 * SDM 3B	Intel 64 and IA-32 Architectures Software Developer's Manual volume 3B:
 *		"Architectural Performance Monitoring" versions 1 to 3, "Freezing LBR and
 *		Performance Counters on PMI", the layouts of IA32_DEBUGCTL and
 *		IA32_PERF_CAPABILITIES for Nehalem, the table of model-specific registers
 * SDM 3A	its volume 3A, the table of processor states after reset
 * SDM 2	its volumes 2A and 2B: CPUID, RDPMC, WRMSR
 *
 * model.h defines the behavior that they leave open. Addresses and bits are typed from the manuals,
 * not taken from the model's regs.h. */
#ifndef STEPS_H
#define STEPS_H

#include "../each_test.h"

#define THREADS		2
#define GENERAL		4
#define FIXED		3
#define COUNTERS	(GENERAL + FIXED)	/* general counters are 0-3 here, fixed ones 4-6 */
#define COUNTER_MAX	0xFFFFFFFFFFFFULL	/* 48 bits */

/* SDM 3B, model-specific registers. */
enum {
	PMC0 = 0x0C1, PERFEVTSEL0 = 0x186, DEBUGCTL = 0x1D9, FIXED_CTR0 = 0x309,
	PERF_CAPABILITIES = 0x345,
	FIXED_CTR_CTRL = 0x38D, GLOBAL_STATUS = 0x38E, GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390,
	OFFCORE_RSP_0 = 0x1A6, LBR_SELECT = 0x1C8, LBR_TOS = 0x1C9, PEBS_ENABLE = 0x3F1,
	LD_LAT = 0x3F6, DS_AREA = 0x600, LBR_FROM = 0x680, LBR_TO = 0x6C0,
};

/* Appendix II: bits of PerfEvtSelX. */
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
#define FIXED_ANY		4U
#define FIXED_PMI		8U
#define FIXED_CONTROL(n, bits)	((uint64_t)(bits) << 4 * (n))

#define GENERAL_BITS		0xFULL
#define FIXED_BITS		0x700000000ULL
#define ALL_BITS		(GENERAL_BITS | FIXED_BITS)
#define FREEZE_PERFMON_ON_PMI	(1U << 12)	/* of IA32_DEBUGCTL */

/* Codes in event signals: the events of the three fixed counters, and table 1's UOPS_EXECUTED
 * (UOPS). No EVTSEL can hold the code of reference cycles; Linux and libpfm write it as 0x300. */
#define RETIRED		0xC0
#define CYCLES		0x3C
#define REFERENCE	0x300
#define UOPS		0xB1

/* Select that counts the rising edges of "a uop is executed". */
#define EDGE (EVENT(UOPS, 1) | ON | E | CMASK(1))

/* Returns the count of counter 0 with this select, after this many cycles with these signals. */
static inline uint64_t counted(uint64_t select, uint64_t cycles, const struct occurrence *list,
			       size_t count)
{
	no_signals();
	put(PERFEVTSEL0, select);
	put(PMC0, 0);
	connect(list, count);
	run(cycles);
	return get(PMC0);
}

#define COUNT(select, cycles, ...) counted(select, cycles, LIST(__VA_ARGS__), LENGTH(__VA_ARGS__))

static inline uint32_t counter_address(unsigned counter)
{
	return counter < GENERAL ? PMC0 + counter : FIXED_CTR0 + counter - GENERAL;
}

/* SDM 3B: a counter's bit in the three global registers. */
static inline uint64_t counter_bit(unsigned counter)
{
	return 1ULL << (counter < GENERAL ? counter : 32 + counter - GENERAL);
}

/* Returns the value from which a counter overflows with the `left`th event. A general counter takes
 * 32 bits and extends them. */
static inline uint64_t before_overflow(unsigned counter, uint64_t left)
{
	return counter < GENERAL ? (uint32_t)-left : COUNTER_MAX + 1 - left;
}

/* Makes a counter count, at all levels, the event that `busy` raises once in each cycle. `flags`:
 * INT, ANY. */
static inline void set_counter_of(unsigned thread, unsigned counter, uint64_t flags, uint64_t value)
{
	put_of(thread, counter_address(counter), value);
	if (counter < GENERAL) {
		put_of(thread, PERFEVTSEL0 + counter, EVENT(RETIRED, 0) | ON | flags);
	} else {
		unsigned bits = FIXED_OS | FIXED_USR | (flags & INT ? FIXED_PMI : 0) |
			(flags & ANY ? FIXED_ANY : 0);
		uint64_t others = get_of(thread,
					 FIXED_CTR_CTRL) & ~FIXED_CONTROL(counter - GENERAL, 0xF);

		put_of(thread, FIXED_CTR_CTRL, others | FIXED_CONTROL(counter - GENERAL, bits));
	}
	put_of(thread, GLOBAL_CTRL, ALL_BITS);
}

static inline void set_counter(unsigned counter, uint64_t flags, uint64_t value)
{
	set_counter_of(0, counter, flags, value);
}

/* Signals of both threads retiring an instruction in each cycle, at level 0. */
static inline void busy(void)
{
	SIGNALS({RETIRED, 0, 1, 0, 0}, {CYCLES, 0, 1, 0, 0}, {REFERENCE, 0, 1, 0, 0},
	      {RETIRED, 0, 1, 1, 0}, {CYCLES, 0, 1, 1, 0}, {REFERENCE, 0, 1, 1, 0});
}

/* Makes all counters overflow in the same cycle. */
static inline void overflow_all(void)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, 0, before_overflow(i, 5));
	busy();
	run(5);
	no_signals();
}

/* Counter `first` interrupts, and freezes, with its fifth event; all other counters of both threads
 * count from 0. */
static inline void set_race(unsigned first)
{
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned i = 0; i < COUNTERS; i++)
			set_counter_of(thread, i, 0, 0);
	put(DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	set_counter(first, INT, before_overflow(first, 5));
	busy();
}

static inline void assert_frozen_in_cycle_5(unsigned first)
{
	assert_int_equal(get(GLOBAL_CTRL), 0);
	assert_int_equal(get(GLOBAL_STATUS), counter_bit(first));
	assert_int_equal(outputs()->requests, 1);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get(counter_address(i)), i == first ? 0 : 5);
}

/* State that software can read. */
#define BRANCHES 16
#define REGISTERS (2 * GENERAL + FIXED + 6 + 6 + 2 * BRANCHES)

struct snapshot {
	uint64_t value[THREADS][REGISTERS];
};

static inline struct snapshot take_snapshot(void)
{
	static const struct {
		uint32_t address;
		unsigned count;
	} ranges[] = {
		{PMC0, GENERAL}, {PERFEVTSEL0, GENERAL}, {DEBUGCTL, 1}, {FIXED_CTR0, FIXED},
		{PERF_CAPABILITIES, 1},
		{FIXED_CTR_CTRL, 4}, {OFFCORE_RSP_0, 1}, {LBR_SELECT, 2}, {PEBS_ENABLE, 1},
		{LD_LAT, 1}, {DS_AREA, 1},
		{LBR_FROM, BRANCHES}, {LBR_TO, BRANCHES},
	};
	struct snapshot s;

	for (unsigned thread = 0; thread < THREADS; thread++) {
		uint64_t *value = s.value[thread];

		for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
			for (unsigned j = 0; j < ranges[i].count; j++)
				*value++ = get_of(thread, ranges[i].address + j);
	}
	return s;
}

static inline void assert_nothing_changed(const struct snapshot *before)
{
	struct snapshot now = take_snapshot();

	assert_memory_equal(before, &now, sizeof now);
}

static inline int find_model(void **state)
{
	(void)state;
	take_model("nehalem", THREADS);
	return 0;
}

#endif
