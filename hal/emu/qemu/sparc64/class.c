// SPDX-License-Identifier: BSD-2-Clause
// Classifies SPARC V9 instructions. Encodings: Oracle SPARC Architecture 2011, chapters 6 and 7.
// Loads, stores and so on, those of alternate address spaces (ASIs) by number: SPARC T4 Supplement,
// Table 10-2, footnotes 6 to 9. groups.md, in that PMU's folder, has the choices for instructions
// that no list contains.

#include "class.h"

#include "cpu_event.h"
#include "encoding.h"
#include "vpmu.h"

#define ANNUL(i)		BITS(i, 29, 1)
#define CONDITION(i)		BITS(i, 25, 4)		/* 0: never, 8: always */

//
// Encodings
//

// Properties other than the cpu events.
enum {
	IS_COMMIT = 1 << 0,
	// a load or store; its cpu events depend on the ASI
	IS_LOAD_ALTERNATE = 1 << 1, IS_STORE_ALTERNATE = 1 << 2,
	IS_BLOCK = 1 << 3,			// a block load or store with some ASIs
	IS_MEMBAR = 1 << 4,
	// with a displacement and a delay slot that can be annulled
	IS_BRANCH = 1 << 5,
	IS_COMPARED_BRANCH = 1 << 6,		// compare and branch: no delay slot
	IS_CALL = 1 << 7, IS_JMPL = 1 << 8, IS_RETURN = 1 << 9,
};

struct encoding {
	uint32_t mask, value;
	uint64_t raises;
	uint16_t is;
};

#define RAISES(name)		CPU_EVENT_SET(name)
#define WHOLE			UINT32_MAX
#define OP(op)			((uint32_t)(op) << 30)
#define OP2(n)			((uint32_t)(n) << 22)
#define OP2_MASK		(OP(3) | OP2(7))
#define OP3(op, n)		(OP(op) | (uint32_t)(n) << 19)
#define OP3_MASK		OP3(3, 0x3F)
#define OF_RS1(n)		((uint32_t)(n) << 14)
#define OF_RD(n)		((uint32_t)(n) << 25)
#define OPF(n)			(OP3(2, 0x36) | (uint32_t)(n) << 5)
#define OPF_MASK		(OP3_MASK | 0x1FFu << 5)
#define COMPARED		(1u << 28)

// The first match applies.
static const struct encoding encodings[] = {
	// sethi %hi(0xfc000), %g0
	{WHOLE, 0x010003F0, RAISES(PLAIN) | RAISES(SOFTWARE_COUNT), 0},
	{OP2_MASK, OP2(4), RAISES(PLAIN), 0},					// SETHI, NOP
	{OP2_MASK | COMPARED, OP2(3) | COMPARED, 0, IS_COMPARED_BRANCH},	// CBcond
	{OP2_MASK, OP2(1), 0, IS_BRANCH}, {OP2_MASK, OP2(2), 0, IS_BRANCH},	// BPcc, Bicc
	{OP2_MASK, OP2(3), 0, IS_BRANCH},					// BPr
	{OP2_MASK, OP2(5), 0, IS_BRANCH}, {OP2_MASK, OP2(6), 0, IS_BRANCH},	// FBPfcc, FBfcc
	{OP2_MASK, OP2(0), 0, 0},						// ILLTRAP
	{OP(3), OP(1), 0, IS_CALL},

	// State registers: RDPC and RDCFR; MEMBAR and STBAR; others.
	{OP3_MASK | OF_RS1(31), OP3(2, 0x28) | OF_RS1(5), RAISES(PLAIN), IS_COMMIT},
	{OP3_MASK | OF_RS1(31), OP3(2, 0x28) | OF_RS1(26), RAISES(PLAIN), IS_COMMIT},
	{OP3_MASK | OF_RS1(31), OP3(2, 0x28) | OF_RS1(15), RAISES(BARRIER), IS_MEMBAR},
	{OP3_MASK, OP3(2, 0x28), RAISES(STATE_READ), IS_COMMIT},
	{OP3_MASK, OP3(2, 0x29), RAISES(STATE_READ), IS_COMMIT},		// RDHPR
	{OP3_MASK, OP3(2, 0x2A), RAISES(STATE_READ), IS_COMMIT},		// RDPR
	{OP3_MASK | OF_RD(31), OP3(2, 0x30) | OF_RD(26), RAISES(PLAIN), IS_COMMIT},	// WRCFR
	{OP3_MASK | OF_RD(31), OP3(2, 0x30) | OF_RD(15), RAISES(PLAIN), 0},		// SIR
	{OP3_MASK | OF_RD(31), OP3(2, 0x30) | OF_RD(3), RAISES(REGISTER), IS_COMMIT},
	{OP3_MASK, OP3(2, 0x30), RAISES(REGISTER), IS_COMMIT},			// WRASR
	{OP3_MASK, OP3(2, 0x32), RAISES(REGISTER), IS_COMMIT},			// WRPR
	// HALT (arch/sparc64)
	{WHOLE, 0xBD982000, RAISES(PLAIN), IS_COMMIT},
	{OP3_MASK, OP3(2, 0x33), RAISES(REGISTER), IS_COMMIT},			// WRHPR

	// Floating point, graphics, cryptography. Excluded are moves from and to integer registers
	// and operations on integer registers: EDGE, ARRAY, ALIGNADDRESS, BMASK, CMASK, ADDXC,
	// UMULXHI, LZCNT, XMULX.
	// AES, DES, Camellia
	{OP3_MASK, OP3(2, 0x19), RAISES(FLOATING), 0},
	{OP3_MASK, OP3(2, 0x34), RAISES(FLOATING), 0},
	{OP3_MASK, OP3(2, 0x35), RAISES(FLOATING), 0},
	{OPF_MASK & ~(0x1Fu << 5), OPF(0), RAISES(PLAIN), 0},			// 00 to 1F
	{OPF_MASK, OPF(0x81), RAISES(PLAIN), 0},				// SIAM
	// MOVdTOx, MOVsTOuw, MOVsTOsw
	{OPF_MASK & ~(3u << 5), OPF(0x110), RAISES(PLAIN), 0},
	{OPF_MASK & ~(1u << 5), OPF(0x118), RAISES(PLAIN), 0},			// MOVxTOd, MOVwTOs
	{OPF_MASK, OPF(0x115), RAISES(PLAIN), 0},				// XMULX
	{OPF_MASK, OPF(0x116), RAISES(PLAIN), 0},				// XMULXHI
	// MPMUL, MONTMUL, MONTSQR
	{OPF_MASK & ~(3u << 5), OPF(0x148), RAISES(FLOATING), IS_COMMIT},
	// MD5, SHA1, SHA256, SHA512
	{OPF_MASK & ~(3u << 5), OPF(0x140), RAISES(FLOATING), IS_COMMIT},
	{OP3_MASK, OP3(2, 0x36), RAISES(FLOATING), 0},
	{OP3_MASK, OP3(2, 0x37), RAISES(FLOATING), 0},

	{OP3_MASK, OP3(2, 0x38), 0, IS_JMPL}, {OP3_MASK, OP3(2, 0x39), 0, IS_RETURN},
	{OP3_MASK, OP3(2, 0x3B), RAISES(BARRIER), 0},				// FLUSH
	{OP3_MASK, OP3(2, 0x3E), RAISES(PLAIN), 0},		// DONE, RETRY
	{OP(3), OP(2), RAISES(PLAIN), 0},

	// Memory: atomics and prefetches; integer loads and stores; floating-point loads and
	// stores; each with its alternate forms.
	// LDSTUB, LDSTUBA
	{OP3_MASK & ~OP3(0, 0x10), OP3(3, 0x0D), RAISES(PLAIN) | RAISES(ATOMIC), IS_COMMIT},
	// SWAP, SWAPA
	{OP3_MASK & ~OP3(0, 0x10), OP3(3, 0x0F), RAISES(PLAIN) | RAISES(ATOMIC), IS_COMMIT},
	// CASA, CASXA
	{OP3_MASK & ~OP3(0, 0x02), OP3(3, 0x3C), RAISES(PLAIN) | RAISES(ATOMIC), IS_COMMIT},
	// PREFETCH, PREFETCHA
	{OP3_MASK & ~OP3(0, 0x10), OP3(3, 0x2D), RAISES(PLAIN) | RAISES(PREFETCH), 0},
	// 00 to 03, 08 to 0B
	{OP3_MASK & ~OP3(0, 0x0B), OP3(3, 0x00), RAISES(LOADS), 0},
	{OP3_MASK & ~OP3(0, 0x03), OP3(3, 0x04), RAISES(STORES), 0},
	{OP3_MASK, OP3(3, 0x0E), RAISES(STORES), 0},				// STX
	{OP3_MASK & ~OP3(0, 0x0B), OP3(3, 0x10), 0, IS_LOAD_ALTERNATE},
	{OP3_MASK & ~OP3(0, 0x03), OP3(3, 0x14), 0, IS_STORE_ALTERNATE},
	{OP3_MASK, OP3(3, 0x1E), 0, IS_STORE_ALTERNATE},			// STXA
	{OP3_MASK & ~OP3(0, 0x03), OP3(3, 0x20), RAISES(LOADS), 0},
	{OP3_MASK & ~OP3(0, 0x03), OP3(3, 0x24), RAISES(STORES), 0},
	{OP3_MASK, OP3(3, 0x33), 0, IS_LOAD_ALTERNATE | IS_BLOCK},		// LDDFA
	{OP3_MASK & ~OP3(0, 0x03), OP3(3, 0x30), 0, IS_LOAD_ALTERNATE},
	{OP3_MASK, OP3(3, 0x37), 0, IS_STORE_ALTERNATE | IS_BLOCK},		// STDFA
	{OP3_MASK & ~OP3(0, 0x03), OP3(3, 0x34), 0, IS_STORE_ALTERNATE},
	{0, 0, 0, 0},
};

//
// Alternate address spaces
//

bool sparc64_asi_is_memory(int asi)
{
	return !(asi >= 0x40 && asi < 0x80) && !IS_IN(asi, 0x20, 0x21, 0x25, 0xB0);
}

static uint64_t raised_by_load(int asi)
{
	if (sparc64_asi_is_memory(asi) || IS_IN(asi, 0x41, 0x63))
		return RAISES(LOADS);
	return IS_IN(asi, 0x20, 0x21, 0x25, 0x45, 0x48, 0x49, 0x4C, 0x4E, 0x4F, 0x52, 0x54, 0x58,
		     0x64, 0x74, 0xB0) ?
	       RAISES(REGISTER) : RAISES(PLAIN);
}

static uint64_t raised_by_store(int asi)
{
	if (sparc64_asi_is_memory(asi) || IS_IN(asi, 0x41, 0x73))
		return RAISES(STORES);
	return IS_IN(asi, 0x20, 0x21, 0x25, 0x42, 0x45, 0x4C, 0x4E, 0x4F, 0x50, 0x52, 0x54, 0x57,
		     0x58, 0x5C, 0x5F, 0x64, 0x72, 0xB0) ? RAISES(REGISTER) : RAISES(PLAIN);
}

static void classify_alternate(struct sparc64_class *c, uint32_t instruction, unsigned is, int asi)
{
	const bool load = is & IS_LOAD_ALTERNATE;

	if (!IMMEDIATE(instruction))
		asi = (int)IMM_ASI(instruction);
	c->raises = load ? raised_by_load(asi) : raised_by_store(asi);
	c->commits = !sparc64_asi_is_memory(asi);
	if (is & IS_BLOCK &&
	    (load ? IS_IN(asi, 0x16, 0x1E, 0xF0, 0xF8) : IS_IN(asi, 0x17, 0xE0, 0xF0, 0xF8, 0xF9)))
		c->raises |= RAISES(BLOCK);
}

//
// Branches
//

enum { BPCC = 1, BICC, BPR, FBPFCC = 5, FBFCC };	// op2

static int32_t displacement(uint32_t i)
{
	switch (BITS(i, 22, 3)) {
	case BPR:
		return SIGNED(BITS(i, 20, 2) << 14 | BITS(i, 0, 14), 0, 16) * SPARC64_INSTRUCTION;
	case BPCC:
	case FBPFCC:
		return SIGNED(i, 0, 19) * SPARC64_INSTRUCTION;
	default:
		return SIGNED(i, 0, 22) * SPARC64_INSTRUCTION;
	}
}

static void classify_branch(struct sparc64_class *c, uint32_t i)
{
	const bool has_condition = BITS(i, 22, 3) != BPR;

	c->goes = !has_condition ? SPARC64_IF : CONDITION(i) == 0 ? SPARC64_NEVER :
		CONDITION(i) == 8 ? SPARC64_ALWAYS :
		  SPARC64_IF;
	c->branch = c->goes == SPARC64_ALWAYS ? OCCURRENCE_KIND_JUMP : OCCURRENCE_KIND_CONDITIONAL;
	c->annuls = ANNUL(i);
	c->displacement = displacement(i);
	// A branch to the instruction after its delay slot arrives there whether or not it is
	// taken.
	if (c->goes == SPARC64_IF && !c->annuls && c->displacement == 2 * SPARC64_INSTRUCTION)
		c->goes = SPARC64_ALWAYS;
}

#define O7 15
#define I7 31

// JMPL to 8 or 12 bytes after a call is a return: the delay slot follows the call, then possibly
// the size of a returned structure.
static uint8_t kind_of_jmpl(uint32_t i)
{
	const bool behind_call = IMMEDIATE(i) && (SIMM13(i) == 8 || SIMM13(i) == 12);

	if (RD(i) == O7)
		return OCCURRENCE_KIND_CALL_INDIRECT;
	return RD(i) == 0 && (RS1(i) == O7 || RS1(i) == I7) &&
	       behind_call ? OCCURRENCE_KIND_RETURN :
	       OCCURRENCE_KIND_JUMP_INDIRECT;
}

uint64_t sparc64_branch_raises(const struct sparc64_class *c, bool goes)
{
	return c->branch ? 1ULL << vpmu_branch_cpu_event(c->branch |
							 (goes ? OCCURRENCE_TAKEN : 0)) : 0;
}

// Indexed by cond: the set of floating-point conditions E, L, G, U (bits 0 to 3) for which the
// branch is taken.
static const uint8_t floating_conditions[] = {0, 14, 6, 10, 2, 12, 4, 8, 15, 1, 9, 5, 13, 3, 11, 7};

static bool is_met(unsigned condition, unsigned nzvc)
{
	const bool n = nzvc & 8, z = nzvc & 4, v = nzvc & 2, c = nzvc & 1;
	const bool met[] = {false, z, z || n != v, n != v, c || z, c, n, v};

	return met[condition & 7] != (condition >> 3);
}

static bool is_met_by(unsigned condition, int64_t value)
{
	const bool met[] = {false, value == 0, value <= 0, value < 0};

	return met[condition & 3] != (condition >> 2 & 1);
}

// Bit positions of the FSR's condition fields: 11:10, 33:32, 35:34, 37:36.
static unsigned floating_condition(uint64_t fsr, unsigned number)
{
	return fsr >> (number ? 30 + 2 * number : 10) & 3;
}

static bool branch_goes(uint32_t i, const struct sparc64_state *s)
{
	switch (BITS(i, 22, 3)) {
	case BPR:
		return is_met_by(BITS(i, 25, 3), (int64_t)s->registers[RS1(i)]);
	case BPCC:
		return is_met(CONDITION(i), s->ccr >> (BITS(i, 21, 1) ? 4 : 0));
	case BICC:
		return is_met(CONDITION(i), s->ccr);
	default:
		return floating_conditions[CONDITION(i)] >>
		       floating_condition(s->fsr, BITS(i, 22, 3) == FBPFCC ? BITS(i, 20, 2) : 0) &
		       1;
	}
}

//
// Instructions
//

// A MEMBAR with #LoadStore or #Lookaside only.
static bool is_light_membar(uint32_t i)
{
	return IMMEDIATE(i) && BITS(i, 0, 7) && !(BITS(i, 0, 7) & ~0x14u);
}

static const struct encoding *find(uint32_t instruction)
{
	const struct encoding *e = encodings;

	while ((instruction & e->mask) != e->value)
		e++;
	return e;
}

struct sparc64_class sparc64_classify(uint32_t instruction, int asi)
{
	const struct encoding *e = find(instruction);
	struct sparc64_class c = {
		.raises = e->raises, .commits = e->is & IS_COMMIT, .goes = SPARC64_ALWAYS,
	};

	if (e->is & (IS_LOAD_ALTERNATE | IS_STORE_ALTERNATE))
		classify_alternate(&c, instruction, e->is, asi);
	else if (e->is & IS_BRANCH)
		classify_branch(&c, instruction);
	else if (e->is & IS_COMPARED_BRANCH)
		c.goes = SPARC64_IF, c.branch = OCCURRENCE_KIND_CONDITIONAL;
	else if (e->is & IS_CALL)
		c.branch = OCCURRENCE_KIND_CALL, c.displacement = (int32_t)(instruction << 2);
	else if (e->is & IS_JMPL)
		c.branch = kind_of_jmpl(instruction);
	else if (e->is & IS_RETURN)
		c.branch = OCCURRENCE_KIND_RETURN;
	else if (e->is & IS_MEMBAR && is_light_membar(instruction))
		c.raises = RAISES(PLAIN);
	return c;
}

bool sparc64_goes(uint32_t instruction, const struct sparc64_state *state)
{
	const struct sparc64_class c = sparc64_classify(instruction, SPARC64_ASI_UNKNOWN);

	return c.goes == SPARC64_ALWAYS ||
	       (c.goes == SPARC64_IF && find(instruction)->is & IS_BRANCH &&
					    branch_goes(instruction, state));
}
