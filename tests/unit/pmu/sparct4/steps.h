/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of the SPARC T4's core PMU under test, and the steps of its tests. Each test starts
 * with a PMU after reset, in hyperprivileged mode. Expected values come from the SPARC T4
 * Supplement to Oracle SPARC Architecture 2011, draft D0.4, sections 10.2 and 10.3 (tables and
 * footnotes are theirs), and from pmu/sparct4/DECISIONS.md where these leave the behavior open.
 * Addresses and bits are typed from there, not taken from the model's own regs.h. */
#ifndef STEPS_H
#define STEPS_H

#include "../each_test.h"

#define STRANDS		8	/* per core */
#define COUNTERS	4	/* per strand */

/* ASI 64h and B0h (Tables 10-1 and 10-3); a register's address as in hal.h: ASI * 256 + VA / 8. */
enum { PCR0 = 0x64 * 256, PIC0 = 0xB0 * 256 };

/* Table 10-1. */
#define OV		(1ULL << 0)
#define TOE		(1ULL << 1)
#define UT		(1ULL << 2)
#define ST		(1ULL << 3)
#define HT		(1ULL << 4)
#define EVENT(sl, mask)	((uint64_t)(sl) << 11 | (uint64_t)(mask) << 5)
#define PICNPT		(1ULL << 16)
#define PICNHT		(1ULL << 17)
#define NTC		(1ULL << 18)
#define ALL		(HT | ST | UT)

/* Groups (Table 10-2), and the levels of occurrences. */
enum { INSTRUCTIONS = 3, TAG_WAITS = 9, CYCLES = 26, COMMITS = 28 };
enum { HYPER = 0, PRIVILEGED = 1, USER = 3 };

#define INSTR_ALL	EVENT(INSTRUCTIONS, 0x3F)
#define UNKNOWN		0x40	/* model: an instruction of unknown kind */
/* model: the kind of an instruction that is also reported so */
#define ALSO_KIND		0x100

/* A write by an instruction that takes one cycle. */
static inline void store(uint32_t address, uint64_t value)
{
	assert_true(model->write(pmu, 0, address, value, 1));
}

/* Sets the PCR of counter n, and its PIC to `value`. */
static inline void set(unsigned n, uint64_t pcr, uint64_t value)
{
	put(PCR0 + n, 0);
	put(PIC0 + n, value);
	put(PCR0 + n, pcr);
}

/* Returns the count of counter 0 with this PCR after `cycles` cycles with these signals. */
static inline uint64_t counted(uint64_t pcr, uint64_t cycles, const struct occurrence *list,
			       size_t count)
{
	no_signals();
	set(0, pcr, 0);
	connect(list, count);
	run(cycles);
	return get(PIC0);
}

#define COUNT(pcr, cycles, ...) counted(pcr, cycles, LIST(__VA_ARGS__), LENGTH(__VA_ARGS__))

/* Puts the strand at a level, without countable events. */
static inline void be_at(unsigned level)
{
	SIGNALS({31, 0, 1, 0, (uint8_t)level});
}

static inline int find_model(void **state)
{
	(void)state;
	take_model("sparct4", STRANDS);
	return 0;
}

#endif
