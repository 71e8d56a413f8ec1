// SPDX-License-Identifier: BSD-2-Clause
// Memory operands of SPARC V9 instructions. Encodings and address spaces (ASIs): Oracle SPARC
// Architecture 2011, chapter 7. Prefetches for the L2 cache: SPARC T4 Supplement, Table 10-2, sl
// 21.

#include "operands.h"

#include "class.h"
#include "encoding.h"

#define OPERATION(i)	BITS(i, 30, 2)	// op
#define KIND(i)		BITS(i, 19, 6)	// op3

#define OP_MEMORY	3
#define ALTERNATE	0x10	// bit of op3: the instruction names an ASI
#define LDDA		0x13
#define LDDFA		0x33
#define STDFA		0x37
#define CASA		0x3C
#define CASXA		0x3E
#define PREFETCH	0x2D

#define LOADS(bytes)	{.size = (bytes), .access = THROUGH_LOAD}
#define STORES(bytes)	{.size = (bytes), .access = THROUGH_STORE}
#define ATOMIC(bytes)	{.size = (bytes), .access = THROUGH_ATOMIC}

// Indexed by op3 without ALTERNATE.
static const struct sparc64_access accesses[] = {
	// LDUW to STTW
	LOADS(4), LOADS(1), LOADS(2), LOADS(8), STORES(4), STORES(1), STORES(2), STORES(8),
	// LDSW to SWAP
	LOADS(4), LOADS(1), LOADS(2), LOADS(8), [0x0D] = ATOMIC(1), STORES(8), ATOMIC(4),
	// LDF to LDDF
	[0x20] = LOADS(4), LOADS(4), {.size = 16, .access = THROUGH_WIDE_LOAD}, LOADS(8),
	// STF to STDF
	[0x24] = STORES(4), STORES(4), STORES(16), STORES(8),
	[PREFETCH] = {.size = 1, .access = THROUGH_PREFETCH_L2},
	[CASA & ~ALTERNATE] = ATOMIC(4), [CASXA & ~ALTERNATE] = ATOMIC(8),
};

#define TWIN	16
#define BLOCK	64

static bool is_of_blocks(int asi)
{
	return IS_IN(asi, 0x16, 0x17, 0x1E, 0x1F, 0xF0, 0xF1, 0xF8, 0xF9);
}

static struct sparc64_access alternate(struct sparc64_access a, unsigned op3, int asi)
{
	if (!sparc64_asi_is_memory(asi))
		a.size = 0;
	else if (op3 == LDDA && IS_IN(asi, 0x22, 0x23, 0x26, 0x27, 0x2A, 0x2B, 0x2E, 0x2F, 0xE2,
				      0xE3, 0xEA, 0xEB))
		a = (struct sparc64_access){.size = TWIN, .access = THROUGH_WIDE_LOAD};
	else if (op3 == LDDFA && is_of_blocks(asi))
		a = (struct sparc64_access){.size = BLOCK, .access = THROUGH_WIDE_LOAD};
	else if (op3 == STDFA && is_of_blocks(asi))
		a.size = BLOCK;
	else if (op3 == STDFA && IS_IN(asi, 0xE0, 0xE1))
		a = (struct sparc64_access){.size = BLOCK, .commits = true};
	return a;
}

// Function codes 0 and 20 (several reads) prefetch into the L1 cache. Code 4 prefetches a page and
// has no effect.
static struct sparc64_access prefetch(struct sparc64_access a, unsigned function)
{
	if (function == 0x00 || function == 0x14)
		a.access = THROUGH_PREFETCH;
	if (function == 0x04)
		a.size = 0;
	return a;
}

struct sparc64_access sparc64_access_of(uint32_t i, int asi)
{
	const unsigned op3 = KIND(i), kind = op3 & ~(unsigned)ALTERNATE;
	struct sparc64_access a = {0};

	if (OPERATION(i) == OP_MEMORY && kind < sizeof accesses / sizeof *accesses)
		a = accesses[kind];
	if (a.size && op3 & ALTERNATE)
		a = alternate(a, op3, IMMEDIATE(i) ? asi : (int)IMM_ASI(i));
	if (a.size && kind == PREFETCH)
		a = prefetch(a, RD(i));
	return a;
}

uint64_t sparc64_access_address(uint32_t i, const uint64_t registers[32])
{
	if (KIND(i) == CASA || KIND(i) == CASXA)
		return registers[RS1(i)];
	return registers[RS1(i)] + (IMMEDIATE(i) ? (uint64_t)(int64_t)SIMM13(i) :
				    registers[RS2(i)]);
}
