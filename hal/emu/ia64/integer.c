// SPDX-License-Identifier: BSD-2-Clause
// A and I units: arithmetic, comparisons, shifts, bits, moves of predicates and branch registers.

#include "integer.h"

WRITES(add, S2 + S3, NAT2 | NAT3)
WRITES(add_one, S2 + S3 + 1, NAT2 | NAT3)
WRITES(sub, S2 - S3, NAT2 | NAT3)
WRITES(sub_one, S2 - S3 - 1, NAT2 | NAT3)
WRITES(and, S2 & S3, NAT2 | NAT3)
WRITES(andcm, S2 & ~S3, NAT2 | NAT3)
WRITES(or, S2 | S3, NAT2 | NAT3)
WRITES(xor, S2 ^ S3, NAT2 | NAT3)
WRITES(shladd, (S2 << op->imm) + S3, NAT2 | NAT3)
WRITES(sub_imm8, IMM - S3, NAT3)
WRITES(and_imm8, IMM & S3, NAT3)
WRITES(andcm_imm8, IMM & ~S3, NAT3)
WRITES(or_imm8, IMM | S3, NAT3)
WRITES(xor_imm8, IMM ^ S3, NAT3)
WRITES(adds, IMM + S3, NAT3)
WRITES(addl, IMM + ia64_gr(m, op->s3 & 3), ia64_nat(m, op->s3 & 3))

// A 32-bit pointer: bits 31:30 of the second source become the region, bits 62:61.
static uint64_t pointer(uint64_t sum, uint64_t base)
{
	return (uint32_t)sum | (base >> 30 & 3) << 61;
}

WRITES(addp4, pointer(S2 + S3, S3), NAT2 | NAT3)
WRITES(addp4_imm14, pointer(IMM + S3, S3), NAT3)
WRITES(shladdp4, pointer((S2 << op->imm) + S3, S3), NAT2 | NAT3)

//
// Comparisons. They write two predicates, which must be different registers.
//

enum compare { PLAIN, UNC, AND, OR, OR_ANDCM };

static enum outcome set_predicates(struct machine *m, const struct op *op, enum compare type,
				   bool result, bool nat)
{
	const uint64_t p1 = op->p1, p2 = op->p2;
	const bool qualified = ia64_pr(m, op->qp);

	if ((type == UNC || qualified) && p1 == p2)
		return ia64_illegal(m);
	if (type == UNC && !qualified)
		m->pr = (m->pr & ~(p1 | p2)) | 1;
	else if (type == PLAIN || type == UNC)
		m->pr = (m->pr & ~(p1 | p2)) | (nat ? 0 : result ? p1 : p2) | 1;
	else if (type == AND && (nat || !result))
		m->pr = (m->pr & ~(p1 | p2)) | 1;
	else if (type == OR && !nat && result)
		m->pr |= p1 | p2;
	else if (type == OR_ANDCM && !nat && result)
		m->pr = ((m->pr | p1) & ~p2) | 1;
	return OUTCOME_NEXT;
}

#define COMPARISON(name, type, relation, left, right, nat)				\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return set_predicates(m, op, type, (left) relation (right), nat);	\
	}

// 64 and 32 bits; two registers, and with an immediate; signed and unsigned.
#define EACH_SIZE(name, type, relation, s64, s32)					\
	COMPARISON(cmp_##name, type, relation, (s64)S2, (s64)S3, NAT2 | NAT3)		\
	COMPARISON(cmp4_##name, type, relation, (s32)S2, (s32)S3, NAT2 | NAT3)		\
	COMPARISON(cmp_##name##_imm8, type, relation, (s64)IMM, (s64)S3, NAT3)		\
	COMPARISON(cmp4_##name##_imm8, type, relation, (s32)IMM, (s32)S3, NAT3)
EACH_SIZE(lt, PLAIN, <, int64_t, int32_t)
EACH_SIZE(lt_unc, UNC, <, int64_t, int32_t)
EACH_SIZE(ltu, PLAIN, <, uint64_t, uint32_t)
EACH_SIZE(ltu_unc, UNC, <, uint64_t, uint32_t)
EACH_SIZE(eq, PLAIN, ==, uint64_t, uint32_t)
EACH_SIZE(eq_unc, UNC, ==, uint64_t, uint32_t)
EACH_SIZE(eq_and, AND, ==, uint64_t, uint32_t)
EACH_SIZE(eq_or, OR, ==, uint64_t, uint32_t)
EACH_SIZE(eq_or_andcm, OR_ANDCM, ==, uint64_t, uint32_t)
EACH_SIZE(ne_and, AND, !=, uint64_t, uint32_t)
EACH_SIZE(ne_or, OR, !=, uint64_t, uint32_t)
EACH_SIZE(ne_or_andcm, OR_ANDCM, !=, uint64_t, uint32_t)

// Compares zero with r3.
#define EACH_ZERO(name, relation)							\
	COMPARISON(cmp_##name##_and, AND, relation, 0, (int64_t)S3, NAT3)			\
	COMPARISON(cmp_##name##_or, OR, relation, 0, (int64_t)S3, NAT3)			\
	COMPARISON(cmp_##name##_or_andcm, OR_ANDCM, relation, 0, (int64_t)S3, NAT3)	\
	COMPARISON(cmp4_##name##_and, AND, relation, 0, (int32_t)S3, NAT3)		\
	COMPARISON(cmp4_##name##_or, OR, relation, 0, (int32_t)S3, NAT3)			\
	COMPARISON(cmp4_##name##_or_andcm, OR_ANDCM, relation, 0, (int32_t)S3, NAT3)
EACH_ZERO(gt, >)
EACH_ZERO(le, <=)
EACH_ZERO(ge, >=)
EACH_ZERO(lt0, <)

// Tests a bit, or a NaT bit, for 0 (z) or 1 (nz).
#define EACH_TEST(name, is_zero, nat)							\
	COMPARISON(name##_z, PLAIN, ==, is_zero, true, nat)				\
	COMPARISON(name##_z_unc, UNC, ==, is_zero, true, nat)				\
	COMPARISON(name##_z_and, AND, ==, is_zero, true, nat)				\
	COMPARISON(name##_nz_and, AND, ==, is_zero, false, nat)				\
	COMPARISON(name##_z_or, OR, ==, is_zero, true, nat)				\
	COMPARISON(name##_nz_or, OR, ==, is_zero, false, nat)				\
	COMPARISON(name##_z_or_andcm, OR_ANDCM, ==, is_zero, true, nat)			\
	COMPARISON(name##_nz_or_andcm, OR_ANDCM, ==, is_zero, false, nat)
EACH_TEST(tbit, !(S3 >> op->imm & 1), NAT3)
EACH_TEST(tnat, !NAT3, false)

//
// Shifts and bit fields
//

static uint64_t shift_left(uint64_t value, uint64_t count)
{
	return count > 63 ? 0 : value << count;
}

static uint64_t shift_right(uint64_t value, uint64_t count)
{
	return count > 63 ? 0 : value >> count;
}

static uint64_t shift_right_signed(uint64_t value, uint64_t count)
{
	return (uint64_t)((int64_t)value >> (count > 63 ? 63 : count));
}

// Returns `into` with `length` bits of `value` at `position`.
static uint64_t deposit(uint64_t into, uint64_t value, unsigned position, unsigned length)
{
	const uint64_t place = mask(length) << position;

	return (into & ~place) | (value << position & place);
}

// Limits the length of a field to the bits from its position on.
static unsigned length_at(unsigned position, unsigned length)
{
	return length > 64 - position ? 64 - position : length;
}

WRITES(shl, shift_left(S2, S3), NAT2 | NAT3)
WRITES(shr, shift_right_signed(S3, S2), NAT2 | NAT3)
WRITES(shr_u, shift_right(S3, S2), NAT2 | NAT3)
WRITES(shrp, op->imm ? S2 << (64 - op->imm) | S3 >> op->imm : S3, NAT2 | NAT3)
WRITES(extr, extend(S3 >> op->imm, length_at((unsigned)op->imm, op->imm2)), NAT3)
WRITES(extr_u, S3 >> op->imm & mask(op->imm2), NAT3)
WRITES(dep_z, deposit(0, S2, (unsigned)op->imm, op->imm2), NAT2)
WRITES(dep_z_imm8, deposit(0, IMM, op->imm2, op->imm3), false)
WRITES(dep_imm1, deposit(S3, IMM, op->imm2, op->imm3), NAT3)
WRITES(dep, deposit(S3, S2, (unsigned)op->imm, op->imm2), NAT2 | NAT3)
WRITES(zxt1, (uint8_t)S3, NAT3)
WRITES(zxt2, (uint16_t)S3, NAT3)
WRITES(zxt4, (uint32_t)S3, NAT3)
WRITES(sxt1, extend(S3, 8), NAT3)
WRITES(sxt2, extend(S3, 16), NAT3)
WRITES(sxt4, extend(S3, 32), NAT3)
WRITES(popcnt, (uint64_t)__builtin_popcountll(S3), NAT3)

//
// Moves
//

#define B_OF(field)	((field) & 7)

static enum outcome mov_to_b(struct machine *m, const struct op *op)
{
	if (NAT2)
		return ia64_nat_consumed(m, 0);
	m->br[B_OF(op->d1)] = S2;
	return OUTCOME_NEXT;
}

static enum outcome mov_to_pr(struct machine *m, const struct op *op)
{
	if (NAT2)
		return ia64_nat_consumed(m, 0);
	m->pr = (m->pr & ~IMM) | (S2 & IMM) | 1;
	return OUTCOME_NEXT;
}

static enum outcome mov_to_pr_rot(struct machine *m, const struct op *op)
{
	m->pr = (m->pr & 0xFFFF) | (IMM & ~0xFFFFULL);
	return OUTCOME_NEXT;
}

WRITES(mov_from_b, m->br[B_OF(op->s2)], false)
WRITES(mov_from_ip, m->ip, false)
WRITES(mov_from_pr, m->pr, false)
WRITES(movl, IMM, false)

static enum outcome nop(struct machine *, const struct op *)
{
	return OUTCOME_NEXT;
}

#define OF_COMPARE(N, name)								\
	[IA64_CMP_##N] = cmp_##name, [IA64_CMP4_##N] = cmp4_##name,			\
	[IA64_CMP_IMM8_##N] = cmp_##name##_imm8, [IA64_CMP4_IMM8_##N] = cmp4_##name##_imm8
#define OF_ZERO(N, name)								\
	[IA64_CMP_##N##_AND] = cmp_##name##_and, [IA64_CMP_##N##_OR] = cmp_##name##_or,	\
	[IA64_CMP_##N##_OR_ANDCM] = cmp_##name##_or_andcm,	\
	[IA64_CMP4_##N##_AND] = cmp4_##name##_and,	\
	[IA64_CMP4_##N##_OR] = cmp4_##name##_or, [IA64_CMP4_##N##_OR_ANDCM] = cmp4_##name##_or_andcm
#define OF_TEST(N, name)								\
	[IA64_##N##_Z] = name##_z, [IA64_##N##_Z_UNC] = name##_z_unc,	\
	[IA64_##N##_Z_AND] = name##_z_and,	\
	[IA64_##N##_NZ_AND] = name##_nz_and, [IA64_##N##_Z_OR] = name##_z_or,	\
	[IA64_##N##_NZ_OR] = name##_nz_or,	\
	[IA64_##N##_Z_OR_ANDCM] = name##_z_or_andcm, [IA64_##N##_NZ_OR_ANDCM] = name##_nz_or_andcm

ia64_execute *const ia64_integer[ENCODINGS] = {
	[IA64_ADD] = add, [IA64_ADD_ONE] = add_one, [IA64_SUB] = sub, [IA64_SUB_ONE] = sub_one,
	[IA64_ADDP4] = addp4,
	[IA64_AND] = and, [IA64_ANDCM] = andcm, [IA64_OR] = or, [IA64_XOR] = xor,
	[IA64_SHLADD] = shladd,
	[IA64_SHLADDP4] = shladdp4, [IA64_SUB_IMM8] = sub_imm8, [IA64_AND_IMM8] = and_imm8,
	[IA64_ANDCM_IMM8] = andcm_imm8, [IA64_OR_IMM8] = or_imm8, [IA64_XOR_IMM8] = xor_imm8,
	[IA64_ADDS] = adds,
	[IA64_ADDP4_IMM14] = addp4_imm14, [IA64_ADDL] = addl, [IA64_MOVL] = movl,
	OF_COMPARE(LT, lt),
	OF_COMPARE(LT_UNC, lt_unc), OF_COMPARE(LTU, ltu), OF_COMPARE(LTU_UNC, ltu_unc),
	OF_COMPARE(EQ, eq),
	OF_COMPARE(EQ_UNC, eq_unc), OF_COMPARE(EQ_AND, eq_and), OF_COMPARE(EQ_OR, eq_or),
	OF_COMPARE(EQ_OR_ANDCM, eq_or_andcm), OF_COMPARE(NE_AND, ne_and), OF_COMPARE(NE_OR, ne_or),
	OF_COMPARE(NE_OR_ANDCM, ne_or_andcm), OF_ZERO(GT, gt), OF_ZERO(LE, le), OF_ZERO(GE, ge),
	OF_ZERO(LT0, lt0),
	OF_TEST(TBIT, tbit), OF_TEST(TNAT, tnat), [IA64_SHR] = shr, [IA64_SHR_U] = shr_u,
	[IA64_SHL] = shl,
	[IA64_POPCNT] = popcnt, [IA64_SHRP] = shrp, [IA64_EXTR_U] = extr_u, [IA64_EXTR] = extr,
	[IA64_DEP_Z] = dep_z,
	[IA64_DEP_Z_IMM8] = dep_z_imm8, [IA64_DEP_IMM1] = dep_imm1, [IA64_DEP] = dep,
	[IA64_ZXT1] = zxt1,
	[IA64_ZXT2] = zxt2, [IA64_ZXT4] = zxt4, [IA64_SXT1] = sxt1, [IA64_SXT2] = sxt2,
	[IA64_SXT4] = sxt4,
	[IA64_MOV_TO_B] = mov_to_b, [IA64_MOV_RET_TO_B] = mov_to_b, [IA64_MOV_FROM_B] = mov_from_b,
	[IA64_MOV_TO_PR] = mov_to_pr, [IA64_MOV_TO_PR_ROT] = mov_to_pr_rot,
	[IA64_MOV_FROM_IP] = mov_from_ip,
	[IA64_MOV_FROM_PR] = mov_from_pr, [IA64_NOP_I] = nop, [IA64_NOP_M] = nop,
	[IA64_NOP_B] = nop,
	[IA64_NOP_F] = nop, [IA64_NOP_X] = nop, [IA64_HINT_I] = nop, [IA64_HINT_M] = nop,
	[IA64_HINT_B] = nop,
	[IA64_HINT_F] = nop, [IA64_HINT_X] = nop,
};
