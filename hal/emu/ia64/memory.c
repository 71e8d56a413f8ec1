// SPDX-License-Identifier: BSD-2-Clause
// M unit: loads, stores, semaphores, the advanced load address table. PSR.be determines the byte
// order of data.

#include "memory.h"

#include "bytes.h"
#include "hierarchy.h"
#include "machine.h"
#include "raise.h"
#include "translation.h"

#define S2 ia64_gr(m, op->s2)
#define S3 ia64_gr(m, op->s3)

//
// Advanced loads
//

// Iterates over the valid entries, which are few.
#define EACH_ENTRY(m, rest) (uint32_t rest = (m)->alat_valid; rest; rest &= rest - 1)

// Returns the bit of a register's entry; 0: it has none.
static uint32_t alat_find(const struct machine *m, uint8_t reg, bool is_float)
{
	for EACH_ENTRY(m, rest) {
		const struct alat_entry *e = &m->alat[__builtin_ctz(rest)];

		if (e->reg == reg && e->is_float == is_float)
			return rest & -rest;
	}
	return 0;
}

static void alat_remove(struct machine *m, uint8_t reg, bool is_float)
{
	m->alat_valid &= ~alat_find(m, reg, is_float);
}

static void alat_enter(struct machine *m, uint8_t reg, bool is_float, uint64_t address,
		       unsigned size, const uint8_t *at)
{
	const unsigned set = address >> 3 & (ALAT_SETS - 1);
	const unsigned i = set * ALAT_WAYS + m->alat_next[set]++ % ALAT_WAYS;

	alat_remove(m, reg, is_float);
	m->retiring.replaced = m->selection.refers && m->alat_valid >> i & 1;
	m->alat[i] = (struct alat_entry){is_float, reg, (uint8_t)size, address,
					 (uint64_t)(at - m->memory)};
	m->alat_valid |= 1u << i;
}

void ia64_alat_forget(struct machine *m, const uint8_t *at, unsigned size)
{
	const uint64_t from = (uint64_t)(at - m->memory);

	for EACH_ENTRY(m, rest) {
		const struct alat_entry *e = &m->alat[__builtin_ctz(rest)];

		if (e->physical < from + size && from < e->physical + e->size)
			m->alat_valid &= ~(rest & -rest);
	}
}

//
// Loads
//

static bool is_entry_of(const struct machine *m, uint32_t entry, uint64_t address, unsigned size)
{
	const struct alat_entry *e = &m->alat[__builtin_ctz(entry)];

	return e->address == address && e->size == size;
}

// An advanced load returns 0, without a read, if the memory does not allow it.
static const uint8_t zeros[16];

// Manual, volume 2: table 4-14 has the results of speculative and advanced loads by the memory's
// attribute, and table 4-17 the changes of the ALAT. With PSR.ed a speculative load gives a NaT,
// whether it would fault or not (5.5.5).
enum ia64_access ia64_load_access(struct machine *m, enum ia64_load type, bool nat,
				  uint64_t address, unsigned size,
				  uint8_t reg, bool is_float, const uint8_t **at)
{
	const bool speculative = type == LOAD_SPECULATIVE || type == LOAD_SPECULATIVE_ADVANCED;
	const bool forced = speculative && (nat || m->psr & PSR_ED);
	const bool checks = type == LOAD_CHECK_CLEAR || type == LOAD_CHECK_KEEP;
	const bool enters = type == LOAD_ADVANCED || type == LOAD_SPECULATIVE_ADVANCED ||
		type == LOAD_CHECK_KEEP;
	const uint32_t entry = checks ? alat_find(m, reg, is_float) : 0;
	enum ia64_speculation memory = SPECULATION_ANY;

	if (nat && !speculative)
		return ia64_nat_consumed(m, ISR_R), ACCESS_INTERRUPTION;
	if (entry && is_entry_of(m, entry, address, size)) {
		m->alat_valid &= type == LOAD_CHECK_KEEP ? ~0u : ~entry;
		ia64_refer(m, REFERENCE_CHECK_HIT, address, size, is_float);
		return ACCESS_NONE;
	}
	*at = forced ? NULL : ia64_data(m, address, size, ISR_R | (speculative ? ISR_SP : 0));
	if (*at && (speculative || enters))
		memory = ia64_speculation(m, address);
	if (speculative && (*at ? memory != SPECULATION_ANY : forced || ia64_is_deferred(m))) {
		alat_remove(m, reg, is_float);
		return ACCESS_NAT;
	}
	if (!*at)
		return ACCESS_INTERRUPTION;
	if (type == LOAD_ADVANCED && memory == SPECULATION_NONE) {
		alat_remove(m, reg, is_float);
		*at = zeros;
		return ACCESS_MEMORY;
	}
	if (enters && memory != SPECULATION_NONE)
		alat_enter(m, reg, is_float, address, size, *at);
	ia64_refer(m, checks ? REFERENCE_CHECK_LOAD : REFERENCE_LOAD, address, size, is_float);
	return ACCESS_MEMORY;
}

static enum outcome load(struct machine *m, const struct op *op, enum ia64_load type, unsigned size)
{
	const uint64_t address = S3;
	const uint8_t *at;

	if (!ia64_can_write(m, op->d1))
		return ia64_illegal(m);
	switch (ia64_load_access(m, type, ia64_nat(m, op->s3), address, size, m->map[op->d1], false,
				 &at)) {
	case ACCESS_MEMORY:
		return ia64_put(m, op->d1, ia64_read_bytes(at, size, m->psr & PSR_BE),
				type == LOAD_FILL && m->ar[AR_UNAT] >> (address >> 3 & 63) & 1);
	case ACCESS_NAT:
		return ia64_put(m, op->d1, 0, true);
	case ACCESS_NONE:
		return OUTCOME_NEXT;
	case ACCESS_INTERRUPTION:
		break;
	}
	return OUTCOME_INTERRUPTION;
}

enum outcome ia64_update(struct machine *m, const struct op *op, enum outcome outcome, uint64_t add,
			 bool nat)
{
	return outcome == OUTCOME_NEXT ? ia64_put(m, op->s3, S3 + add, ia64_nat(m, op->s3) | nat) :
	       outcome;
}

// Checks that the loaded register is not the updated base, and that neither is outside the frame.
static enum outcome check_base(struct machine *m, const struct op *op, enum ia64_load type,
			       unsigned size)
{
	if (op->d1 == op->s3 || !ia64_can_write(m, op->s3))
		return ia64_illegal(m);
	return load(m, op, type, size);
}

#define LOAD(name, type, size)								\
	static enum outcome name##_m1(struct machine *m, const struct op *op)		\
	{										\
		return load(m, op, type, size);						\
	}										\
	static enum outcome name##_m2(struct machine *m, const struct op *op)		\
	{										\
		const uint64_t add = S2;						\
		const bool nat = ia64_nat(m, op->s2);					\
											\
		return ia64_update(m, op, check_base(m, op, type, size), add, nat);	\
	}										\
	static enum outcome name##_m3(struct machine *m, const struct op *op)		\
	{										\
		return ia64_update(m, op, check_base(m, op, type, size), (uint64_t)op->imm,	\
				   false);	\
	}
#define EACH_SIZE(name, type)								\
	LOAD(ld1##name, type, 1) LOAD(ld2##name, type, 2) LOAD(ld4##name, type, \
							       4) LOAD(ld8##name, type, 8)
EACH_SIZE(, LOAD_PLAIN)
EACH_SIZE(_s, LOAD_SPECULATIVE)
EACH_SIZE(_a, LOAD_ADVANCED)
EACH_SIZE(_sa, LOAD_SPECULATIVE_ADVANCED)
EACH_SIZE(_c_clr, LOAD_CHECK_CLEAR)
EACH_SIZE(_c_nc, LOAD_CHECK_KEEP)
LOAD(ld8_fill, LOAD_FILL, 8)

//
// Stores
//

static enum outcome store(struct machine *m, const struct op *op, unsigned size, bool spills)
{
	const uint64_t address = S3, value = S2;
	const bool nat = ia64_nat(m, op->s2);
	uint8_t *at;

	if (ia64_nat(m, op->s3) || (nat && !spills))
		return ia64_nat_consumed(m, ISR_W);
	at = ia64_data(m, address, size, ISR_W);
	if (!at)
		return OUTCOME_INTERRUPTION;
	ia64_write_bytes(at, value, size, m->psr & PSR_BE);
	ia64_alat_forget(m, at, size);
	ia64_refer(m, REFERENCE_STORE, address, size, false);
	if (spills) {
		const uint64_t bit = 1ULL << (address >> 3 & 63);

		m->ar[AR_UNAT] = nat ? m->ar[AR_UNAT] | bit : m->ar[AR_UNAT] & ~bit;
	}
	return OUTCOME_NEXT;
}

#define STORE(name, size, spills)							\
	static enum outcome name##_m4(struct machine *m, const struct op *op)		\
	{										\
		return store(m, op, size, spills);					\
	}										\
	static enum outcome name##_m5(struct machine *m, const struct op *op)		\
	{										\
		if (!ia64_can_write(m, op->s3))						\
			return ia64_illegal(m);						\
		return ia64_update(m, op, store(m, op, size, spills), (uint64_t)op->imm, false); \
	}
STORE(st1, 1, false)
STORE(st2, 2, false)
STORE(st4, 4, false)
STORE(st8, 8, false)
STORE(st8_spill, 8, true)

//
// Semaphores: they read memory's old value and write a new one. The address must be aligned,
// whatever PSR.ac is.
//

enum semaphore { EXCHANGE, COMPARE_EXCHANGE, FETCH_ADD };

static enum outcome semaphore(struct machine *m, const struct op *op, enum semaphore type,
			      unsigned size)
{
	const uint64_t address = S3;
	uint64_t old, new;
	uint8_t *at;

	if (!ia64_can_write(m, op->d1))
		return ia64_illegal(m);
	if (ia64_nat(m, op->s3) || (type != FETCH_ADD && ia64_nat(m, op->s2)))
		return ia64_nat_consumed(m, ISR_R | ISR_W);
	if (address & (size - 1))
		return ia64_interrupt(m, VECTOR_UNALIGNED, ISR_R | ISR_W, address);
	at = ia64_data(m, address, size, ISR_R | ISR_W);
	if (!at)
		return OUTCOME_INTERRUPTION;
	ia64_refer(m, REFERENCE_SEMAPHORE, address, size, false);
	old = ia64_read_bytes(at, size, m->psr & PSR_BE);
	new = type == FETCH_ADD ? old + (uint64_t)op->imm : S2;
	if (type != COMPARE_EXCHANGE || old == m->ar[AR_CCV]) {
		ia64_write_bytes(at, new, size, m->psr & PSR_BE);
		ia64_alat_forget(m, at, size);
	}
	return ia64_put(m, op->d1, old, false);
}

#define SEMAPHORE(name, type, size)							\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return semaphore(m, op, type, size);					\
	}
SEMAPHORE(xchg1, EXCHANGE, 1)
SEMAPHORE(xchg2, EXCHANGE, 2)
SEMAPHORE(xchg4, EXCHANGE, 4)
SEMAPHORE(xchg8, EXCHANGE, 8)
SEMAPHORE(cmpxchg1, COMPARE_EXCHANGE, 1)
SEMAPHORE(cmpxchg2, COMPARE_EXCHANGE, 2)
SEMAPHORE(cmpxchg4, COMPARE_EXCHANGE, 4)
SEMAPHORE(cmpxchg8, COMPARE_EXCHANGE, 8)
SEMAPHORE(fetchadd4, FETCH_ADD, 4)
SEMAPHORE(fetchadd8, FETCH_ADD, 8)

//
// Prefetches, checks, invalidation
//

// A prefetch that would fault does nothing, unless it is a faulting one (lfetch.fault).
static enum outcome prefetch(struct machine *m, const struct op *op, bool faults)
{
	const bool nat = ia64_nat(m, op->s3);

	if (nat && faults)
		return ia64_nat_consumed(m, ACCESS_LFETCH);
	if (nat || !ia64_data(m, S3, 1, ACCESS_LFETCH))
		return faults ? OUTCOME_INTERRUPTION : OUTCOME_NEXT;
	ia64_refer(m, REFERENCE_PREFETCH, S3, 1, false);
	return OUTCOME_NEXT;
}

#define LFETCH(name, faults)								\
	IA64_FORMS(name, m13, m14, m15, prefetch(m, op, faults))
LFETCH(lfetch, false)
LFETCH(lfetch_fault, true)

// Stored code takes effect without fc. The caches lose the line even while the machine does not
// follow them.
static enum outcome fc(struct machine *m, const struct op *op)
{
	if (ia64_nat(m, op->s3))
		return ia64_nat_consumed(m, ACCESS_FLUSH);
	if (!ia64_data(m, S3, 1, ACCESS_FLUSH))
		return OUTCOME_INTERRUPTION;
	if (m->hierarchy && !m->selection.cached)
		ia64_forget_line(m->hierarchy, S3);
	ia64_refer(m, REFERENCE_FLUSH, S3, 1, false);
	return OUTCOME_NEXT;
}

static enum outcome recover(struct machine *m, const struct op *op)
{
	return ia64_go(m, m->ip + (uint64_t)op->imm);
}

static enum outcome chk_s(struct machine *m, const struct op *op)
{
	return ia64_nat(m, op->s2) ? recover(m, op) : OUTCOME_NEXT;
}

static enum outcome check_advanced(struct machine *m, const struct op *op, bool is_float,
				   bool clear)
{
	const uint8_t reg = is_float ? (uint8_t)ia64_fr_number(m, op->d1) : m->map[op->d1];
	const uint32_t entry = alat_find(m, reg, is_float);

	if (!entry)
		return recover(m, op);
	m->alat_valid &= clear ? ~entry : ~0u;
	return OUTCOME_NEXT;
}

#define CHECK(name, is_float, clear)							\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return check_advanced(m, op, is_float, clear);				\
	}
CHECK(chk_a_nc, false, false)
CHECK(chk_a_clr, false, true)
CHECK(chk_a_nc_f, true, false)
CHECK(chk_a_clr_f, true, true)

static enum outcome invala(struct machine *m, const struct op *)
{
	m->alat_valid = 0;
	return OUTCOME_NEXT;
}

static enum outcome invala_e(struct machine *m, const struct op *op)
{
	alat_remove(m, m->map[op->d1], false);
	return OUTCOME_NEXT;
}

static enum outcome invala_e_f(struct machine *m, const struct op *op)
{
	alat_remove(m, (uint8_t)ia64_fr_number(m, op->d1), true);
	return OUTCOME_NEXT;
}

// Accesses are in program order: a fence has no work but the write coalescing buffer (table 4-1,
// 5.3), whose data is in memory at once. While the machine does not follow it, it is empty.
static enum outcome drain(struct machine *m, const struct op *)
{
	ia64_refer(m, REFERENCE_DRAIN, 0, 1, false);
	return OUTCOME_NEXT;
}

// With the timed clock mf.a waits for the loads in flight (issue.c; 5.7).
static enum outcome nothing(struct machine *, const struct op *)
{
	return OUTCOME_NEXT;
}

#define OF_LOAD(N, name)								\
	[IA64_##N##_M1] = name##_m1, [IA64_##N##_M2] = name##_m2, [IA64_##N##_M3] = name##_m3
#define OF_LOADS(N, name)								\
	OF_LOAD(LD1##N, ld1##name), OF_LOAD(LD2##N, ld2##name), OF_LOAD(LD4##N, ld4##name), \
		OF_LOAD(LD8##N, ld8##name)
#define OF_STORE(N, name)	[IA64_##N##_M4] = name##_m4, [IA64_##N##_M5] = name##_m5
#define OF_LFETCH(N, name)								\
	[IA64_LFETCH##N##_M13] = name##_m13, [IA64_LFETCH##N##_M14] = name##_m14, \
	[IA64_LFETCH##N##_M15] = name##_m15
#define OF_XCHG(size)									\
	[IA64_XCHG_##size] = xchg##size, [IA64_CMPXCHG##size##_ACQ] = cmpxchg##size,	\
	[IA64_CMPXCHG##size##_REL] = cmpxchg##size

// With one processor, accesses are in program order: an acquire or release form is the same as the
// plain one.
ia64_execute *const ia64_memory[ENCODINGS] = {
	OF_LOADS(, ), OF_LOADS(_S, _s), OF_LOADS(_A, _a), OF_LOADS(_SA, _sa), OF_LOADS(_BIAS, ),
	OF_LOADS(_ACQ, ),
	OF_LOADS(_C_CLR, _c_clr), OF_LOADS(_C_NC, _c_nc), OF_LOADS(_C_CLR_ACQ, _c_clr),
	OF_LOAD(LD8_FILL, ld8_fill),
	OF_STORE(ST1, st1), OF_STORE(ST2, st2), OF_STORE(ST4, st4), OF_STORE(ST8, st8),
	OF_STORE(ST1_REL, st1),
	OF_STORE(ST2_REL, st2), OF_STORE(ST4_REL, st4), OF_STORE(ST8_REL, st8),
	OF_STORE(ST8_SPILL, st8_spill),
	OF_XCHG(1), OF_XCHG(2), OF_XCHG(4), OF_XCHG(8), [IA64_FETCHADD4_ACQ] = fetchadd4,
	[IA64_FETCHADD4_REL] = fetchadd4, [IA64_FETCHADD8_ACQ] = fetchadd8,
	[IA64_FETCHADD8_REL] = fetchadd8,
	OF_LFETCH(, lfetch), OF_LFETCH(_EXCL, lfetch), OF_LFETCH(_FAULT, lfetch_fault),
	OF_LFETCH(_FAULT_EXCL, lfetch_fault), [IA64_CHK_S_I] = chk_s,
	[IA64_CHK_S_M] = chk_s, [IA64_CHK_A_NC] = chk_a_nc, [IA64_CHK_A_CLR] = chk_a_clr,
	[IA64_CHK_A_NC_F] = chk_a_nc_f, [IA64_CHK_A_CLR_F] = chk_a_clr_f, [IA64_INVALA] = invala,
	[IA64_INVALA_E] = invala_e, [IA64_INVALA_E_F] = invala_e_f, [IA64_FWB] = drain,
	[IA64_MF] = drain,
	[IA64_MF_A] = nothing, [IA64_SYNC_I] = nothing, [IA64_FC] = fc,
};
