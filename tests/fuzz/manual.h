/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of the manuals about registers that always hold, for libvpmu's fuzz target: written from
 * the manuals, not from the models' lists. */
#ifndef MANUAL_H
#define MANUAL_H

#include <stdbool.h>
#include <stdint.h>

#define MANUAL_BITS(high, low) (~0ULL >> (63 - (high)) & ~0ULL << (low))

struct manual_register {
	uint32_t address;
	uint8_t count, distance;
	uint64_t reads;		/* bits that can be read as 1 */
	uint64_t faults;	/* bits that fault when they are written as 1 */
	uint8_t sign, last;	/* bits `last` to `sign` are equal; both 0: no such bits */
	bool read_only;		/* any write faults */
};

/* Bits of counters in a register: `width` bits for each, the first counter's from `low` on. */
struct manual_counter_bits {
	uint32_t address;
	uint8_t group, counters, low, width;
};

struct manual {
	const char *target;
	bool privileged;	/* below the highest level only special instructions access
				 * registers */
	const struct manual_register *registers;
	unsigned register_count;
	const struct manual_counter_bits *bits;
	unsigned bit_count;

	/* While bit n of the register `enable` is 0 (`inverted`: while bit 0 is 1), counter n of
	 * these does not count. */
	uint32_t enable, counters;
	uint8_t counter_count;
	bool inverted;
};

/* The performance analysis guide's Appendix II, Tables 7 and 9; SDM volume 3B, "Architectural
 * Performance Monitoring Version 3", "LBR Stack"; volume 4, MSRs of processors based on Nehalem. */
static const struct manual_register manual_nehalem[] = {
	{0xC1, 4, 1, .reads = MANUAL_BITS(47, 0)},
	{0x186, 4, 1, .reads = 0xFFF7FFFF, .faults = ~0xFFF7FFFFULL},
	{0x309, 3, 1, .reads = MANUAL_BITS(47, 0), .faults = MANUAL_BITS(63, 48)},
	{0x38D, 1, 1, .reads = 0xFFF, .faults = ~0xFFFULL},
	{0x38E, 1, 1, .reads = 0xE00000070000000F, .read_only = true},
	{0x38F, 1, 1, .reads = 0x70000000F, .faults = ~0x70000000FULL},
	{0x390, 1, 1, .faults = ~0xE00000070000000FULL},
	{0x1D9, 1, 1, .reads = 0x7FC3, .faults = ~0x7FC3ULL},
	{0x345, 1, 1, .reads = 0x11C3, .read_only = true},
	{0x3F1, 1, 1, .reads = 0xF0000000F, .faults = ~0xF0000000FULL},
	{0x3F6, 1, 1, .reads = 0xFFFF, .faults = ~0xFFFFULL},
	{0x600, 1, 1, .reads = ~0ULL, .sign = 47, .last = 63},
	{0x1A6, 1, 1, .reads = 0xFFFF, .faults = ~0xFFFFULL},
	{0x1C8, 1, 1, .reads = 0x1FF, .faults = ~0x1FFULL},
	{0x1C9, 1, 1, .reads = 0xF, .faults = ~0xFULL},
	{0x680, 16, 1, .reads = ~0ULL, .sign = 47, .last = 62},
	{0x6C0, 16, 1, .reads = ~0ULL, .sign = 47, .last = 63},
};
static const struct manual_counter_bits manual_nehalem_bits[] = {
	{0x38D, 1, 3, 0, 4},
	{0x38E, 0, 4, 0, 1}, {0x38E, 1, 3, 32, 1},
	{0x38F, 0, 4, 0, 1}, {0x38F, 1, 3, 32, 1},
	{0x3F1, 0, 4, 0, 1}, {0x3F1, 0, 4, 32, 1},
};

/* The guide's "Uncore Performance Monitoring", Tables 28 and 37; SDM volume 3B, "Uncore
 * Performance Monitoring Management Facility". */
static const struct manual_register manual_uncore[] = {
	{0x301, 1, 1, .reads = 0xFF, .faults = ~0xFFULL},
	{0x391, 1, 1, .reads = 0x800F0001000000FF, .faults = ~0x800F0001000000FFULL},
	{0x392, 1, 1, .reads = 0xA0000001000000FF, .read_only = true},
	{0x393, 1, 1, .faults = ~0xA0000001000000FFULL},
	{0x394, 1, 1, .reads = MANUAL_BITS(47, 0), .faults = MANUAL_BITS(63, 48)},
	{0x395, 1, 1, .reads = 5, .faults = ~5ULL},
	{0x396, 1, 1, .reads = 0xE000FFFFFFFFFFF8, .faults = ~0xE000FFFFFFFFFFF8ULL},
	{0x3B0, 8, 1, .reads = MANUAL_BITS(47, 0), .faults = MANUAL_BITS(63, 48)},
	{0x3C0, 8, 1, .reads = 0xFFD4FFFF, .faults = ~0xFFD6FFFFULL},
};
static const struct manual_counter_bits manual_uncore_bits[] = {
	{0x391, 0, 8, 0, 1}, {0x391, 1, 1, 32, 1}, {0x392, 0, 8, 0, 1}, {0x392, 1, 1, 32, 1},
};

/* Knights Corner Performance Monitoring Units, 327357-001, 1.4.3. */
static const struct manual_register manual_knc[] = {
	{0x20, 2, 1, .reads = MANUAL_BITS(39, 0), .faults = MANUAL_BITS(63, 40)},
	{0x28, 2, 1, .reads = 0xFFF7FFFF, .faults = ~0xFFF7FFFFULL},
	{0x2C, 1, 1, .reads = 0x8000000000000003, .faults = ~0x8000000000000003ULL},
	{0x2D, 1, 1, .reads = 3, .read_only = true},
	{0x2E, 1, 1, .faults = ~3ULL},
	{0x2F, 1, 1, .reads = 3, .faults = ~3ULL},
};
static const struct manual_counter_bits manual_knc_bits[] = {
	{0x2C, 0, 2, 0, 1}, {0x2D, 0, 2, 0, 1}, {0x2F, 0, 2, 0, 1},
};

/* SPARC T4 Supplement, Table 10-1. */
static const struct manual_register manual_sparct4[] = {
	{0x6400, 4, 1, .reads = MANUAL_BITS(18, 0)},
};

/* Itanium Processor Reference Manual for Software Development, chapter 6; addresses as
 * palmon/vpmu.h has them. */
static const struct manual_register manual_itanium[] = {
	{0, 1, 1, .reads = 0xF1},					/* Table 6-7 */
	{1, 3, 1},
	{4, 2, 1, .reads = 0x37F7F7F},					/* Table 6-6 */
	{6, 2, 1, .reads = 0x33F7F7F},
	{8, 2, 1, .reads = ~0x1C0000007ULL},				/* Table 6-10 */
	{10, 1, 1, .reads = 0x30F00CF},					/* Table 6-11 */
	{11, 1, 1, .reads = 0x130F00CF},				/* Table 6-16 */
	{12, 1, 1, .reads = 0xFFCF},					/* Table 6-21 */
	{13, 1, 1, .reads = 1},						/* Table 6-8 */
	{0x100, 1, 1, .reads = ~0x1CULL, .sign = 50, .last = 60},	/* Table 6-13 */
	{0x101, 1, 1, .reads = 0xFFF},					/* Table 6-15 */
	{0x102, 1, 1, .reads = ~0ULL, .sign = 50, .last = 60},		/* Table 6-18 */
	{0x103, 1, 1, .reads = 0xC000000000000FFF},			/* Table 6-20 */
	{0x104, 4, 1, .reads = ~0ULL, .sign = 31, .last = 63},		/* Table 6-5 */
	{0x110, 1, 1, .reads = 0xF},					/* Table 6-23 */
	{0x111, 1, 1, .reads = ~2ULL, .sign = 50, .last = 60},		/* Table 6-20 */
	{0x201, 4, 2, .reads = ~(7ULL << 60)}, /* ASDM volume 2, "Debugging" */
	{0x301, 4, 2, .reads = ~(3ULL << 60)},
	{0x448, 1, 1, .reads = 0x100FF,
	 .faults = 0xEF00},	/* ASDM volume 2, "Interval Timer Vector" */
	{0x449, 1, 1, .reads = 0x100FF, .faults = 0xEF00},	/* "Performance Monitor Vector" */
};

#define MANUAL_LIST(list) list, sizeof list / sizeof *list
static const struct manual manuals[] = {
	{"nehalem", true, MANUAL_LIST(manual_nehalem), MANUAL_LIST(manual_nehalem_bits), 0x38F,
	 0xC1, 4, false},
	{"nehalem-uncore", true, MANUAL_LIST(manual_uncore), MANUAL_LIST(manual_uncore_bits), 0x391,
	 0x3B0, 8, false},
	{"knc", true, MANUAL_LIST(manual_knc), MANUAL_LIST(manual_knc_bits), 0x2F, 0x20, 2, false},
	{"sparct4", false, MANUAL_LIST(manual_sparct4), NULL, 0, 0, 0, 0, false},
	{"itanium", false, MANUAL_LIST(manual_itanium), NULL, 0, 0, 0x104, 4, true},
	{"sparct4-dram", false, NULL, 0, NULL, 0, 0, 0, 0, false},
};

/* NULL: the manual has no rule that always holds. */
static inline const struct manual_register *manual_find(const struct manual *manual,
							uint32_t address)
{
	for (unsigned i = 0; i < manual->register_count; i++) {
		const struct manual_register *r = &manual->registers[i];
		const uint32_t offset = address - r->address;

		if (offset < (uint32_t)r->count * r->distance && offset % r->distance == 0)
			return r;
	}
	return NULL;
}

/* True if a register can have this value. */
static inline bool manual_allows(const struct manual_register *r, uint64_t value)
{
	const uint64_t copies = r->last ? value & MANUAL_BITS(r->last, r->sign) : 0;

	return !(value & ~r->reads) && (!copies || copies == MANUAL_BITS(r->last, r->sign));
}

/* True if a register accepts this value. */
static inline bool manual_takes(const struct manual_register *r, uint64_t value)
{
	return !r->read_only && !(value & r->faults);
}

#endif
