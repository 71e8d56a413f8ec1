// SPDX-License-Identifier: BSD-2-Clause
// M unit: instructions for translation: region and key registers, insertions and purges, queries of
// addresses.

#include "execute.h"

#include "breakpoints.h"
#include "entries.h"
#include "machine.h"
#include "raise.h"
#include "translation.h"

#define S2 ia64_gr(m, op->s2)
#define S3 ia64_gr(m, op->s3)
#define NAT2 ia64_nat(m, op->s2)
#define NAT3 ia64_nat(m, op->s3)

#define RR_RESERVED	(2ULL | ~0ULL << 26)		/* 18 bits of region */
#define PKR_RESERVED	(15ULL << 4 | ~0ULL << 29)	/* 21 bits of key */
#define PAGE_SIZES	(1ULL << 12 | 1 << 13 | 1 << 14 | 1 << 16 | 1 << 18 | 1 << 20 | 1 << 22 | \
			 1 << 24 | 1 << 28)
#define SIZE(itir)	((itir) >> 2 & 63)

// The checks that these instructions share, in the order of their faults; PASSED: no fault.
#define PASSED	OUTCOME_NEXT
static enum outcome check_privileged(struct machine *m, bool nat)
{
	if (ia64_level(m))
		return ia64_privileged(m);
	return nat ? ia64_nat_consumed(m, 0) : PASSED;
}

//
// Registers
//

static enum outcome mov_to_rr(struct machine *m, const struct op *op)
{
	const enum outcome outcome = check_privileged(m, NAT2 || NAT3);

	if (outcome != PASSED)
		return outcome;
	if (S2 & RR_RESERVED || !(PAGE_SIZES >> SIZE(S2) & 1))
		return ia64_reserved_register(m);
	m->rr[S3 >> 61] = S2;
	ia64_forget_pages(m);
	return OUTCOME_NEXT;
}

static enum outcome mov_from_rr(struct machine *m, const struct op *op)
{
	const enum outcome outcome = check_privileged(m, NAT3);

	return outcome == PASSED ? ia64_put(m, op->d1, m->rr[S3 >> 61], false) : outcome;
}

// At most one register has a key.
static enum outcome mov_to_pkr(struct machine *m, const struct op *op)
{
	const enum outcome outcome = check_privileged(m, NAT2 || NAT3);
	const unsigned number = S3 & 0xFF;

	if (outcome != PASSED)
		return outcome;
	if (number >= KEY_REGISTERS || S2 & PKR_RESERVED)
		return ia64_reserved_register(m);
	for (unsigned i = 0; i < KEY_REGISTERS && S2 & 1; i++)
		if (m->pkr[i] >> 8 == S2 >> 8)
			m->pkr[i] &= ~1ULL;
	m->pkr[number] = S2;
	ia64_forget_pages(m);
	return OUTCOME_NEXT;
}

static enum outcome mov_from_pkr(struct machine *m, const struct op *op)
{
	const enum outcome outcome = check_privileged(m, NAT3);

	if (outcome != PASSED)
		return outcome;
	if ((S3 & 0xFF) >= KEY_REGISTERS)
		return ia64_reserved_register(m);
	return ia64_put(m, op->d1, m->pkr[S3 & 0xFF], false);
}

//
// Insertion and purges
//

// Inserts the translation that IFA and ITIR describe. While PSR.ic is 1 the processor itself writes
// these registers.
static enum outcome insert(struct machine *m, const struct op *op, struct ia64_tlb *tlb, int number,
			   bool nat)
{
	if (m->psr & PSR_IC)
		return ia64_illegal(m);
	if (ia64_level(m))
		return ia64_privileged(m);
	if (nat)
		return ia64_nat_consumed(m, 0);
	if (!ia64_is_implemented(m->cr[CR_IFA]))
		return ia64_reserved_register(m);
	if (number >= tlb->registers)
		return ia64_reserved_register(m);
	switch (ia64_insert(m, tlb, number, m->cr[CR_IFA], m->cr[CR_ITIR], S2)) {
	case INSERTION_RESERVED:
		return ia64_reserved_register(m);
	case INSERTION_OVERLAPS:
		return OUTCOME_INTERRUPTION;
	default:
		return OUTCOME_NEXT;
	}
}

static enum outcome itc_d(struct machine *m, const struct op *op)
{
	return insert(m, op, &m->dtlb, -1, NAT2);
}

static enum outcome itc_i(struct machine *m, const struct op *op)
{
	return insert(m, op, &m->itlb, -1, NAT2);
}

static enum outcome itr_d(struct machine *m, const struct op *op)
{
	return insert(m, op, &m->dtlb, S3 & 0xFF, NAT2 || NAT3);
}

static enum outcome itr_i(struct machine *m, const struct op *op)
{
	return insert(m, op, &m->itlb, S3 & 0xFF, NAT2 || NAT3);
}

// Purges by address and size (r2, bits 7:2): both TLBs, or only `registers`, with its translation
// registers.
static enum outcome purge(struct machine *m, const struct op *op, struct ia64_tlb *registers)
{
	const enum outcome outcome = check_privileged(m, NAT2 || NAT3);

	if (outcome != PASSED)
		return outcome;
	if (!ia64_is_implemented(S3))
		return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_RESERVED_REGISTER | ISR_NA,
				      S3);
	if (!(PAGE_SIZES >> SIZE(S2) & 1))
		return ia64_reserved_register(m);
	if (registers != &m->dtlb)
		ia64_purge(m, &m->itlb, S3, 1ULL << SIZE(S2), registers);
	if (registers != &m->itlb)
		ia64_purge(m, &m->dtlb, S3, 1ULL << SIZE(S2), registers);
	return OUTCOME_NEXT;
}

static enum outcome ptc(struct machine *m, const struct op *op)
{
	return purge(m, op, NULL);
}

// The global form flushes the write coalescing buffer (the processor's reference manual, table
// 4-1).
static enum outcome ptc_g(struct machine *m, const struct op *op)
{
	const enum outcome outcome = purge(m, op, NULL);

	if (outcome == OUTCOME_NEXT)
		ia64_refer(m, REFERENCE_DRAIN, 0, 1, false);
	return outcome;
}

static enum outcome ptr_d(struct machine *m, const struct op *op)
{
	return purge(m, op, &m->dtlb);
}

static enum outcome ptr_i(struct machine *m, const struct op *op)
{
	return purge(m, op, &m->itlb);
}

static void purge_all(struct ia64_tlb *tlb)
{
	for (unsigned i = 0; i < tlb->entries; i++)
		tlb->entry[i].valid &= tlb->entry[i].is_register;
}

// A single ptc.e purges all entries (the processor's reference manual, 5.6).
static enum outcome ptc_e(struct machine *m, const struct op *op)
{
	const enum outcome outcome = check_privileged(m, NAT3);

	if (outcome != PASSED)
		return outcome;
	purge_all(&m->itlb);
	purge_all(&m->dtlb);
	ia64_forget_pages(m);
	return OUTCOME_NEXT;
}

//
// Queries
//

#define HASH(name, value)								\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		const bool nat = NAT3 || !ia64_is_implemented(S3);			\
											\
		return ia64_put(m, op->d1, nat ? 0 : value, nat);			\
	}
HASH(thash, ia64_hash(m, S3))
HASH(ttag, ia64_tag(m, S3))

static enum outcome tpa(struct machine *m, const struct op *op)
{
	const enum outcome outcome = check_privileged(m, NAT3);
	uint64_t physical;

	if (!ia64_can_write(m, op->d1))
		return ia64_illegal(m);
	if (outcome != PASSED)
		return outcome;
	if (!ia64_translate(m, S3, ACCESS_TPA, 0, &physical))
		return OUTCOME_INTERRUPTION;
	return ia64_put(m, op->d1, physical, false);
}

// Returns the key, or 1 if the TLB has no translation.
static enum outcome tak(struct machine *m, const struct op *op)
{
	const enum outcome outcome = check_privileged(m, NAT3);
	const struct ia64_interruption before = m->interruption;
	const struct ia64_translation *t;

	if (outcome != PASSED)
		return outcome;
	if (!ia64_is_implemented(S3))
		return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION,
				      CODE_RESERVED_REGISTER | ACCESS_KEY, S3);
	t = ia64_find_translation(m, S3, ACCESS_KEY);
	m->interruption = before;
	return ia64_put(m, op->d1, t && t->present ? (uint64_t)t->key << 8 : 1, false);
}

// Whether a level, which is not more privileged than the program's, may read or write. A missing
// right is an answer, not an exception.
static enum outcome probe(struct machine *m, const struct op *op, uint64_t access, uint64_t level,
			  bool nat)
{
	const unsigned least = ia64_level(m);
	const uint64_t kind = access | ACCESS_PROBE;
	uint64_t physical;

	if (!ia64_can_write(m, op->d1))
		return ia64_illegal(m);
	if (nat)
		return ia64_nat_consumed(m, kind);
	level &= 3;
	if (ia64_translate(m, S3, kind, level < least ? least : (unsigned)level, &physical))
		return ia64_put(m, op->d1, 1, false);
	switch (m->interruption.vector) {
	case VECTOR_KEY_PERMISSION:
	case VECTOR_DATA_ACCESS_RIGHTS:
		return ia64_put(m, op->d1, 0, false);
	case VECTOR_DIRTY_BIT:
	case VECTOR_DATA_ACCESS_BIT:
		return ia64_put(m, op->d1, 1, false);
	default:
		return OUTCOME_INTERRUPTION;
	}
}

static enum outcome probe_fault(struct machine *m, const struct op *op, uint64_t access)
{
	const unsigned least = ia64_level(m), level = op->imm < least ? least : (unsigned)op->imm;
	uint64_t physical;

	access |= ACCESS_PROBE_FAULT;
	if (NAT3)
		return ia64_nat_consumed(m, access);
	if (!ia64_translate(m, S3, access, level, &physical) ||
	    ia64_data_breaks(m, S3, 1, access, level))
		return OUTCOME_INTERRUPTION;
	return OUTCOME_NEXT;
}

#define PROBE(name, call)								\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return call;								\
	}
PROBE(probe_r, probe(m, op, ISR_R, S2, NAT2 || NAT3))
PROBE(probe_w, probe(m, op, ISR_W, S2, NAT2 || NAT3))
PROBE(probe_r_imm2, probe(m, op, ISR_R, (uint64_t)op->imm, NAT3))
PROBE(probe_w_imm2, probe(m, op, ISR_W, (uint64_t)op->imm, NAT3))
PROBE(probe_rw_fault, probe_fault(m, op, ISR_R | ISR_W))
PROBE(probe_r_fault, probe_fault(m, op, ISR_R))
PROBE(probe_w_fault, probe_fault(m, op, ISR_W))

ia64_execute *const ia64_tlbs[ENCODINGS] = {
	[IA64_MOV_TO_RR] = mov_to_rr, [IA64_MOV_FROM_RR] = mov_from_rr,
	[IA64_MOV_TO_PKR] = mov_to_pkr,
	[IA64_MOV_FROM_PKR] = mov_from_pkr, [IA64_ITC_D] = itc_d, [IA64_ITC_I] = itc_i,
	[IA64_ITR_D] = itr_d,
	[IA64_ITR_I] = itr_i, [IA64_PTC_L] = ptc, [IA64_PTC_G] = ptc_g, [IA64_PTC_GA] = ptc_g,
	[IA64_PTC_E] = ptc_e,
	[IA64_PTR_D] = ptr_d, [IA64_PTR_I] = ptr_i, [IA64_THASH] = thash, [IA64_TTAG] = ttag,
	[IA64_TPA] = tpa,
	[IA64_TAK] = tak, [IA64_PROBE_R] = probe_r, [IA64_PROBE_W] = probe_w,
	[IA64_PROBE_R_IMM2] = probe_r_imm2,
	[IA64_PROBE_W_IMM2] = probe_w_imm2, [IA64_PROBE_RW_FAULT] = probe_rw_fault,
	[IA64_PROBE_R_FAULT] = probe_r_fault, [IA64_PROBE_W_FAULT] = probe_w_fault,
};
