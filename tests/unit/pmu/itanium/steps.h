/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of the Itanium processor's performance monitor under test, and the steps of its tests.
 * Each test starts after a reset. Expected values, and addresses of registers and bits, are typed
 * from the Itanium Processor Reference Manual for Software Development, chapters 6 and 7 (sections
 * and tables without a name are its), and from the Architecture Software Developer's Manual volume
 * 2 (ASDM). Where these leave the behavior open, model.h and pmu/itanium/DECISIONS.md define it. */
#ifndef ITANIUM_STEPS_H
#define ITANIUM_STEPS_H

#include "../device.h"

/* Register files; PMC[n] is at PMC + n. */
enum {
	PMC = 0x000, PMD = 0x100, IBR = 0x200, DBR = 0x300, CR = 0x400, PSR = 0x500, AR = 0x600,
	DCR = CR + 0, ITM = CR + 1, ITV = CR + 72, PMV = CR + 73, ITC = AR + 44,
};

/* Table 6-6. */
#define PLM(levels)	((uint64_t)(levels))
#define ALL_LEVELS	PLM(15)
#define EV		(1ULL << 4)
#define OI		(1ULL << 5)
#define PM		(1ULL << 6)
#define ES(code)	((uint64_t)(code) << 8)
#define UMASK(n)	((uint64_t)(n) << 16)
#define THRESHOLD(n)	((uint64_t)(n) << 20)
#define ISM(n)		((uint64_t)(n) << 24)

/* Tables 6-7, 6-8, 6-10, 6-11, 6-16. */
#define FR		1ULL
#define OVERFLOW(n)	(1ULL << (n))
#define TA		1ULL
/* mifb and mask all ones, the rest of the fields zero */
#define OPCODES_ALL	0xF00000003FFFFFF8ULL
#define TLB		(1ULL << 7)
#define PT		(1ULL << 28)

/* Figure 6-10, and for db the ASDM. */
#define PSR_UP		(1ULL << 2)
#define PSR_SP		(1ULL << 20)
#define PSR_PP		(1ULL << 21)
#define PSR_DB		(1ULL << 24)
#define PSR_CPL(n)	((uint64_t)(n) << 32)
#define PSR_IS		(1ULL << 34)

#define PMV_M		(1ULL << 16)	/* ITV's too */

/* Section 7.8. */
enum {
	RETIRED = 0x08, FP_OPS_RETIRED_LO = 0x09, FP_OPS_RETIRED_HI = 0x0A,
	BRANCH_TAKEN_SLOT = 0x0D, BRANCH_MULTIWAY = 0x0E, BRANCH_PATH = 0x0F,
	BRANCH_PREDICTOR = 0x10,
	BRANCH_EVENT = 0x11, CYCLES = 0x12, L1I_DEMAND_READS = 0x20, L2_INST_DEMAND_READS = 0x22,
	INSTRUCTION_EAR_EVENTS = 0x23, ITLB_MISSES_FETCH = 0x27, INST_DISPERSED = 0x2D,
	NOPS_RETIRED = 0x30,
	PIPELINE_FLUSH = 0x33, ALAT_INST_CHKA_LDC = 0x36, ALAT_REPLACEMENT = 0x38, BUS_ALL = 0x47,
	BUS_LIVE = 0x57,
	DTC_MISSES = 0x60, DTLB_MISSES = 0x61, RSE_REFERENCES_RETIRED = 0x65,
	L1D_READ_MISSES_RETIRED = 0x66,
	DATA_EAR_EVENTS = 0x67, L2_DATA_REFERENCES = 0x69, LOADS_RETIRED = 0x6C,
	STORES_RETIRED = 0x6D, L2_FLUSH_DETAILS = 0x77, L3_READS = 0x7D,
};

/* mov r = pmd[n] by code of this privilege level. Clears the event signals. */
static inline uint64_t get_at(unsigned level, uint32_t n)
{
	uint64_t value = 0;

	SIGNALS({.code = CYCLES, .level = (uint8_t)level});
	assert_true(model->user->read_counter(pmu, 0, n, &value));
	no_signals();
	return value;
}

static inline uint64_t user_get(uint32_t n)
{
	return get_at(3, n);
}

/* One cycle with these occurrences. */
#define HAPPENS(...) (SIGNALS(__VA_ARGS__), run(1))

/* Gives all registers a value: nothing is qualified, no monitor is on except by PSR.up, no counter
 * overflows, not frozen. */
static inline void define_registers(void)
{
	for (uint32_t n = 4; n < 8; n++) {
		put(PMC + n, ALL_LEVELS | ES(0x7A));	/* no event's code */
		put(PMD + n, 0);
	}
	put(PMC + 8, OPCODES_ALL);
	put(PMC + 9, OPCODES_ALL);
	put(PMC + 10, ALL_LEVELS | PM);	/* plm 0 would lose values written to the PMDs */
	put(PMC + 11, ALL_LEVELS | PM | PT);
	put(PMC + 12, ALL_LEVELS | PM);
	put(PMC + 13, TA);
	for (uint32_t n = 0; n < 8; n++) {
		put(IBR + n, 0);
		put(DBR + n, 0);
	}
	for (uint32_t n = 0; n < 18; n++)
		if (n < 4 || n > 7)
			put(PMD + n, 0);
	put(DCR, 0);
	put(PMV, 0);
	put(PSR, PSR_UP);
	put(PMC + 0, 0);
	outputs()->requests = outputs()->strobes = 0;
}

static inline void start(void)
{
	reset_with(-1, 1);
	define_registers();
}

/* Makes counter n count this event, from 0. */
static inline void set_counter(uint32_t n, uint64_t control)
{
	put(PMD + n, 0);
	put(PMC + n, ALL_LEVELS | control);
}

/* Random numbers, the same in every run (splitmix64): below a limit. */
__attribute__((unused)) static uint64_t random_state;

static inline uint64_t random_below(uint64_t limit)
{
	uint64_t x = random_state += 0x9E3779B97F4A7C15ULL;

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
	x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
	return (x ^ x >> 31) % limit;
}

static inline int set_up(void **state)
{
	(void)state;
	take_model("itanium", 1);
	start();
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, release_model)

#define BEFORE(n) (0x100000000ULL - (n))	/* n events before a counter wraps */

#endif
