// SPDX-License-Identifier: BSD-2-Clause
// The end of a precise trap: DONE or RETRY (SPARC T4 Supplement, section 10.2; footnote 1 of Table
// 10-1; section 10.3).
//
// When a precise trap comes, a next-to-commit instruction has executed, and the handler ends with
// DONE. Any other instruction has not executed, and the handler ends with RETRY. ov and ntc alone
// do not decide this: a trap that was lost in hyperprivileged mode leaves them set, possibly until
// another counter traps. Skipping an instruction that has not executed destroys the program. So the
// instruction itself decides where it can:
//
// - It is never a next-to-commit instruction: RETRY.
// - It always is one: DONE.
// - A load or store is one if it goes to I/O space, which its encoding does not show. Then the ntc
//   of the counter that has trapped decides. That counter is at 0, because precise traps have no
//   skid. A counter whose trap was lost is at 0, too, if it has counted nothing since. But a
//   counter at 0 that counts each instruction of this kind has counted this one: it has trapped. If
//   no counter does, all counters at 0 that may have counted the instruction must have ntc.

#include "driver.h"
#include "hal.h"

enum commits { NEVER, DEPENDS, ALWAYS };

// Mask bits of sl 3 (kinds of instructions), and of sl 4.
#define BRANCHES	0x01
#define LOADS		0x04
#define STORES		0x08
#define RING		0x10
#define OTHERS		0x20
#define ATOMICS		0x08
#define BLOCKS		0x20

#define SL_FETCHES	5
#define SL_DATA_MISSES	16
#define BTC_MISS	0x08	/* of sl 5: a branch misses the BTC */

// Encodings: Oracle SPARC Architecture 2011, chapters 6 and 7.
#define OP(op)		((uint32_t)(op) << 30)
#define OP3(op, n)	(OP(op) | (uint32_t)(n) << 19)
#define OP3_MASK	OP3(3, 0x3F)
#define RS1(n)		((uint32_t)(n) << 14)
#define OPF(n)		(OP3(2, 0x36) | (uint32_t)(n) << 5)
#define OPF_MASK	(OP3_MASK | 0x1FFu << 5)
#define IMM_ASI(asi)	((uint32_t)(asi) << 5)
#define IMM_ASI_MASK	(1u << 13 | IMM_ASI(0xFF))
#define ASI_OF_PICS	(SPARCT4_PIC0 >> 8)
#define STORE		OP3(3, 0x04)
#define ALTERNATE	OP3(3, 0x10)

struct encoding {
	uint32_t mask, value;
	enum commits commits;
	uint8_t kinds, sorts;	// DEPENDS: mask bits of sl 3 and sl 4 that may count it
};

// The first match applies. The footnote names RDASR and WRASR. Other footnotes list RDY, RDCCR,
// RDTICK, WRY, ... next to these two, so it is open whether this footnote includes them. It does
// not name LDSTUBA and SWAPA.
static const struct encoding encodings[] = {
	// branches, CALL, SETHI
	{1u << 31, 0, NEVER, 0, 0},
	{OP3_MASK | RS1(31), OP3(2, 0x28) | RS1(15), NEVER, 0, 0},		// MEMBAR, STBAR
	{OP3_MASK, OP3(2, 0x28), DEPENDS, LOADS | OTHERS, 0},			// RDASR
	{OP3_MASK, OP3(2, 0x29), ALWAYS, 0, 0},					// RDHPR
	{OP3_MASK, OP3(2, 0x2A), ALWAYS, 0, 0},					// RDPR
	{OP3_MASK, OP3(2, 0x30), DEPENDS, RING | OTHERS, 0},			// WRASR
	{OP3_MASK & ~OP3(0, 0x01), OP3(2, 0x32), ALWAYS, 0, 0},			// WRPR, WRHPR
	// MD5, SHA1, SHA256, SHA512
	{OPF_MASK & ~(3u << 5), OPF(0x140), ALWAYS, 0, 0},
	// MPMUL, MONTMUL, MONTSQR
	{OPF_MASK & ~(3u << 5), OPF(0x148), ALWAYS, 0, 0},
	{OP(3), OP(2), NEVER, 0, 0},
	{OP3_MASK & ~OP3(0, 0x02), OP3(3, 0x3C), ALWAYS, 0, 0},			// CASA, CASXA
	{OP3_MASK & ~OP3(0, 0x02), OP3(3, 0x0D), ALWAYS, 0, 0},			// LDSTUB, SWAP
	{OP3_MASK & ~OP3(0, 0x02), OP3(3, 0x1D), DEPENDS, OTHERS, ATOMICS},	// LDSTUBA, SWAPA
	// PREFETCH, PREFETCHA
	{OP3_MASK & ~OP3(0, 0x10), OP3(3, 0x2D), NEVER, 0, 0},
	// LDXA of a PIC
	{OP3_MASK | IMM_ASI_MASK, OP3(3, 0x1B) | IMM_ASI(ASI_OF_PICS), ALWAYS, 0, 0},
	// STXA of a PIC
	{OP3_MASK | IMM_ASI_MASK, OP3(3, 0x1E) | IMM_ASI(ASI_OF_PICS), ALWAYS, 0, 0},
	{STORE | ALTERNATE, STORE | ALTERNATE, DEPENDS, STORES | RING | OTHERS, BLOCKS},
	{STORE, STORE, DEPENDS, STORES, 0},
	{ALTERNATE, ALTERNATE, DEPENDS, LOADS | RING | OTHERS, BLOCKS},
	{OP(3), OP(3), DEPENDS, LOADS, 0},
};

// Stands for an instruction that could not be read.
static const struct encoding unknown = {0, 0, DEPENDS, SPARCT4_ALL_KINDS, SPARCT4_ALL_KINDS};

static const struct encoding *encoding_of(uint32_t instruction)
{
	const struct encoding *e = encodings;

	while ((instruction & e->mask) != e->value)
		e++;
	return e;
}

// Returns whether a counter of this PCR can count such an instruction. The last group counts
// mispredicted branches.
static bool can_count(uint64_t control, const struct encoding *e)
{
	const unsigned mask = (unsigned)FIELD_GET(PCR, mask, control);

	switch (FIELD_GET(PCR, sl, control)) {
	case SPARCT4_SL_INSTRUCTIONS:
		return mask & e->kinds;
	case SPARCT4_SL_SORTS:
		return mask & e->sorts;
	case SL_FETCHES:
		return mask & ~BTC_MISS || e->kinds & BRANCHES;
	case SL_DATA_MISSES:
		return e->kinds & LOADS;
	default:
		return e->kinds & BRANCHES;
	}
}

// Returns whether it counts every instruction of this kind.
static bool counts_each(uint64_t control, const struct encoding *e)
{
	return FIELD_GET(PCR, sl, control) == SPARCT4_SL_INSTRUCTIONS &&
	       !(e->kinds & ~FIELD_GET(PCR, mask, control)) &&
	       e != &unknown;
}

bool sparct4_traps_precisely(uint64_t control)
{
	return control & FIELD(PCR, toe) && !(control & FIELD(PCR, ht)) &&
	       SPARCT4_PRECISE_GROUPS >> FIELD_GET(PCR, sl, control) & 1;
}

// Returns whether the PCR allows that this counter has trapped. An unreadable instruction may be a
// WRPR that has changed the level, so the level does not count then.
static bool may_trap_at(uint64_t control, unsigned level, const struct encoding *e)
{
	const uint64_t mode = level == SPARCT4_USER ? FIELD(PCR, ut) : FIELD(PCR, st);

	return sparct4_traps_precisely(control) && can_count(control, e) &&
	       (control & mode || e == &unknown);
}

// Returns whether a counter has overflowed and counted nothing since. *status: its PCR. Returns
// false, too, if a read faulted.
static bool is_at_overflow(unsigned counter, uint64_t *status)
{
	uint64_t count;

	return reg_read(PCR_OF(counter), status) && *status & FIELD(PCR, ov) &&
	       reg_read(PIC_OF(counter), &count) &&
	       !FIELD_GET(PIC, counter, count);
}

static bool counters_have_ntc(const uint64_t control[SPARCT4_COUNTERS], uint64_t used,
			      const struct encoding *e)
{
	bool with = false, without = false;

	for (unsigned i = 0; i < SPARCT4_COUNTERS; i++) {
		uint64_t status;
		bool ntc;

		if (!is_in(used, i) || !may_trap_at(control[i], hal_pmi_level(), e) ||
		    !is_at_overflow(i, &status))
			continue;
		ntc = status & FIELD(PCR, ntc);
		if (counts_each(control[i], e))
			return ntc;
		with |= ntc;
		without |= !ntc;
	}
	return with && !without;
}

RARE bool sparct4_has_executed(const uint64_t control[SPARCT4_COUNTERS], uint64_t used)
{
	const struct encoding *e = &unknown;
	uint32_t instruction;

	if (hal_pmi_instruction(&instruction))
		e = encoding_of(instruction);
	return e->commits == DEPENDS ? counters_have_ntc(control, used, e) : e->commits == ALWAYS;
}
