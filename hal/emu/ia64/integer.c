// SPDX-License-Identifier: BSD-2-Clause
// A and I units: arithmetic, comparisons, shifts, bits, moves of predicates and branch registers.

#include "machine.h"

#define S2 ia64_gr(m, op->s2)
#define S3 ia64_gr(m, op->s3)
#define NAT2 ia64_nat(m, op->s2)
#define NAT3 ia64_nat(m, op->s3)
#define IMM ((uint64_t)op->imm)

// An instruction that writes r1: of what, and whether that is a NaT.
#define WRITES(name, value, nat)							\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return ia64_put(m, op->d1, value, nat);					\
	}

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
// Comparisons. Two predicates are written; which may not be the same register.
//

enum compare { PLAIN, UNC, AND, OR, OR_ANDCM };

static enum outcome set_predicates(struct machine *m, const struct op *op, enum compare type, bool result, bool nat)
{
	const unsigned p1 = op->bits >> 6 & 63, p2 = op->bits >> 27 & 63;
	const bool qualified = ia64_pr(m, op->qp);

	if (type == UNC && p1 == p2)
		return ia64_illegal(m);
	if (type == UNC && !qualified) {
		ia64_put_pr(m, p1, false);
		ia64_put_pr(m, p2, false);
		return OUTCOME_NEXT;
	}
	if (p1 == p2)
		return ia64_illegal(m);
	if (type == PLAIN || type == UNC) {
		const uint64_t results = nat ? 0 : result ? 1ULL << p1 : 1ULL << p2;

		m->pr = (m->pr & ~(1ULL << p1 | 1ULL << p2)) | results | 1;
	} else if (type == AND && (nat || !result)) {
		ia64_put_pr(m, p1, false);
		ia64_put_pr(m, p2, false);
	} else if (type == OR && !nat && result) {
		ia64_put_pr(m, p1, true);
		ia64_put_pr(m, p2, true);
	} else if (type == OR_ANDCM && !nat && result) {
		ia64_put_pr(m, p1, true);
		ia64_put_pr(m, p2, false);
	}
	return OUTCOME_NEXT;
}

#define COMPARISON(name, type, relation, left, right, nat)				\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return set_predicates(m, op, type, (left) relation (right), nat);	\
	}

// Of 64 bits, of 32, with an immediate; signed and unsigned.
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

// Zero against r3.
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

// A bit, or a NaT, that is 0 (z) or 1 (nz).
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

static uint64_t mask(unsigned length)
{
	return length >= 64 ? ~0ULL : (1ULL << length) - 1;
}

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

// The low `length` bits, which are sign-extended.
static uint64_t extend(uint64_t value, unsigned length)
{
	return (uint64_t)((int64_t)(value << (64 - length)) >> (64 - length));
}

// `length` bits of a value at `position` of another one.
static uint64_t deposit(uint64_t into, uint64_t value, unsigned position, unsigned length)
{
	const uint64_t place = mask(length) << position;

	return (into & ~place) | (value << position & place);
}

// A field that begins at a position and has no more bits than there are.
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
// Parallel: elements of 1, 2 or 4 bytes, the lowest first
//

static uint64_t element(uint64_t value, unsigned size, unsigned i)
{
	return value >> 8 * size * i & mask(8 * size);
}

static int64_t element_signed(uint64_t value, unsigned size, unsigned i)
{
	return (int64_t)extend(element(value, size, i), 8 * size);
}

static uint64_t saturate(int64_t value, int64_t least, int64_t most)
{
	return (uint64_t)(value < least ? least : value > most ? most : value);
}

#define SIGNED_MOST(size)	((1LL << (8 * (size) - 1)) - 1)
#define UNSIGNED_MOST(size)	((1LL << 8 * (size)) - 1)

// Each element of the result, of a (unsigned) or sa (signed) and b, sb at the same place.
#define PARALLEL(name, size, expression)						\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		uint64_t result = 0;							\
											\
		for (unsigned i = 0; i < 8 / (size); i++) {				\
			const uint64_t a = element(S2, size, i), b = element(S3, size, i);	\
			const int64_t sa = element_signed(S2, size, i), sb = element_signed(S3, size, i); \
											\
			(void)a, (void)b, (void)sa, (void)sb;				\
			result |= ((uint64_t)(expression) & mask(8 * (size))) << 8 * (size) * i; \
		}									\
		return ia64_put(m, op->d1, result, NAT2 | NAT3);			\
	}
#define PARALLEL_SATURATED(name, size, operator)					\
	PARALLEL(name##_sss##size, size, saturate(sa operator sb, -SIGNED_MOST(size) - 1, SIGNED_MOST(size))) \
	PARALLEL(name##_uuu##size, size, saturate((int64_t)a operator (int64_t)b, 0, UNSIGNED_MOST(size))) \
	PARALLEL(name##_uus##size, size, saturate((int64_t)a operator sb, 0, UNSIGNED_MOST(size)))

PARALLEL(padd1, 1, a + b)
PARALLEL(padd2, 2, a + b)
PARALLEL(padd4, 4, a + b)
PARALLEL(psub1, 1, a - b)
PARALLEL(psub2, 2, a - b)
PARALLEL(psub4, 4, a - b)
PARALLEL_SATURATED(padd, 1, +)
PARALLEL_SATURATED(padd, 2, +)
PARALLEL_SATURATED(psub, 1, -)
PARALLEL_SATURATED(psub, 2, -)

// The sum or difference, halved; the bit that is shifted out is not lost but kept in the lowest, or rounded up.
static uint64_t halve(uint64_t sum)
{
	return sum >> 1 | (sum & 1);
}
PARALLEL(pavg1, 1, halve(a + b))
PARALLEL(pavg2, 2, halve(a + b))
PARALLEL(pavg_raz1, 1, (a + b + 1) >> 1)
PARALLEL(pavg_raz2, 2, (a + b + 1) >> 1)
PARALLEL(pavgsub1, 1, halve((a - b) & 0x1FF))
PARALLEL(pavgsub2, 2, halve((a - b) & 0x1FFFF))
PARALLEL(pcmp_eq1, 1, a == b ? ~0ULL : 0)
PARALLEL(pcmp_eq2, 2, a == b ? ~0ULL : 0)
PARALLEL(pcmp_eq4, 4, a == b ? ~0ULL : 0)
PARALLEL(pcmp_gt1, 1, sa > sb ? ~0ULL : 0)
PARALLEL(pcmp_gt2, 2, sa > sb ? ~0ULL : 0)
PARALLEL(pcmp_gt4, 4, sa > sb ? ~0ULL : 0)
PARALLEL(pmin1_u, 1, a < b ? a : b)
PARALLEL(pmax1_u, 1, a > b ? a : b)
PARALLEL(pmin2, 2, sa < sb ? sa : sb)
PARALLEL(pmax2, 2, sa > sb ? sa : sb)
PARALLEL(pshladd2, 2, saturate((int64_t)saturate(sa * (1 << op->imm), -0x8000, 0x7FFF) + sb, -0x8000, 0x7FFF))
PARALLEL(pshradd2, 2, saturate((sa >> op->imm) + sb, -0x8000, 0x7FFF))
PARALLEL(pmpyshr2, 2, (sa * sb) >> op->imm)
PARALLEL(pmpyshr2_u, 2, (a * b) >> op->imm)
PARALLEL(pshl2, 2, S3 > 15 ? 0 : a << S3)
PARALLEL(pshl4, 4, S3 > 31 ? 0 : a << S3)
PARALLEL(pshl2_imm5, 2, op->imm > 15 ? 0 : a << op->imm)
PARALLEL(pshl4_imm5, 4, a << op->imm)
PARALLEL(pshr2, 2, sb >> (S2 > 15 ? 15 : S2))
PARALLEL(pshr4, 4, sb >> (S2 > 31 ? 31 : S2))
PARALLEL(pshr2_u, 2, S2 > 15 ? 0 : b >> S2)
PARALLEL(pshr4_u, 4, S2 > 31 ? 0 : b >> S2)

// Of one source, r3.
#define PARALLEL_ONE(name, size, expression)						\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		uint64_t result = 0;							\
											\
		for (unsigned i = 0; i < 8 / (size); i++) {				\
			const uint64_t b = element(S3, size, i);			\
			const int64_t sb = element_signed(S3, size, i);			\
											\
			(void)b, (void)sb;						\
			result |= ((uint64_t)(expression) & mask(8 * (size))) << 8 * (size) * i; \
		}									\
		return ia64_put(m, op->d1, result, NAT3);				\
	}
PARALLEL_ONE(pshr2_imm5, 2, sb >> (op->imm > 15 ? 15 : op->imm))
PARALLEL_ONE(pshr4_imm5, 4, sb >> op->imm)
PARALLEL_ONE(pshr2_u_imm5, 2, op->imm > 15 ? 0 : b >> op->imm)
PARALLEL_ONE(pshr4_u_imm5, 4, b >> op->imm)

// The even (r) or odd (l) elements of both sources in turn, those of the second below.
static uint64_t mix(uint64_t a, uint64_t b, unsigned size, bool left)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 8 / size; i += 2) {
		result |= element(b, size, i + left) << 8 * size * i;
		result |= element(a, size, i + left) << 8 * size * (i + 1);
	}
	return result;
}

// The elements of the lower (l) or upper (h) halves of both sources in turn.
static uint64_t unpack(uint64_t a, uint64_t b, unsigned size, bool high)
{
	const unsigned half = 4 / size;
	uint64_t result = 0;

	for (unsigned i = 0; i < half; i++) {
		result |= element(b, size, i + high * half) << 8 * size * 2 * i;
		result |= element(a, size, i + high * half) << 8 * size * (2 * i + 1);
	}
	return result;
}

// Elements of both sources, halved in size, the second's above.
static uint64_t pack(uint64_t a, uint64_t b, unsigned size, int64_t least, int64_t most)
{
	const unsigned count = 8 / size;
	uint64_t result = 0;

	for (unsigned i = 0; i < 2 * count; i++) {
		const int64_t value = element_signed(i < count ? a : b, size, i % count);

		result |= (saturate(value, least, most) & mask(4 * size)) << 4 * size * i;
	}
	return result;
}

WRITES(mix1_r, mix(S2, S3, 1, false), NAT2 | NAT3)
WRITES(mix1_l, mix(S2, S3, 1, true), NAT2 | NAT3)
WRITES(mix2_r, mix(S2, S3, 2, false), NAT2 | NAT3)
WRITES(mix2_l, mix(S2, S3, 2, true), NAT2 | NAT3)
WRITES(mix4_r, mix(S2, S3, 4, false), NAT2 | NAT3)
WRITES(mix4_l, mix(S2, S3, 4, true), NAT2 | NAT3)
WRITES(unpack1_h, unpack(S2, S3, 1, true), NAT2 | NAT3)
WRITES(unpack1_l, unpack(S2, S3, 1, false), NAT2 | NAT3)
WRITES(unpack2_h, unpack(S2, S3, 2, true), NAT2 | NAT3)
WRITES(unpack2_l, unpack(S2, S3, 2, false), NAT2 | NAT3)
WRITES(unpack4_h, unpack(S2, S3, 4, true), NAT2 | NAT3)
WRITES(unpack4_l, unpack(S2, S3, 4, false), NAT2 | NAT3)
WRITES(pack2_uss, pack(S2, S3, 2, 0, 0xFF), NAT2 | NAT3)
WRITES(pack2_sss, pack(S2, S3, 2, -0x80, 0x7F), NAT2 | NAT3)
WRITES(pack4_sss, pack(S2, S3, 4, -0x8000, 0x7FFF), NAT2 | NAT3)

static uint64_t product(uint64_t a, uint64_t b, unsigned first)
{
	const uint64_t low = (uint64_t)(element_signed(a, 2, first) * element_signed(b, 2, first));
	const uint64_t high = (uint64_t)(element_signed(a, 2, first + 2) * element_signed(b, 2, first + 2));

	return (low & mask(32)) | high << 32;
}

WRITES(pmpy2_r, product(S2, S3, 0), NAT2 | NAT3)
WRITES(pmpy2_l, product(S2, S3, 1), NAT2 | NAT3)

static uint64_t differences(uint64_t a, uint64_t b)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 8; i++) {
		const uint64_t x = element(a, 1, i), y = element(b, 1, i);

		sum += x > y ? x - y : y - x;
	}
	return sum;
}

WRITES(psad1, differences(S2, S3), NAT2 | NAT3)

// Which byte of the source each byte of the result is: mbtype4 0, and 8 to 11.
static uint64_t permute(uint64_t value, unsigned type)
{
	static const uint8_t from[16][8] = {
		[8] = {0, 4, 2, 6, 1, 5, 3, 7}, [9] = {0, 4, 1, 5, 2, 6, 3, 7}, [10] = {0, 2, 4, 6, 1, 3, 5, 7},
		[11] = {7, 6, 5, 4, 3, 2, 1, 0},
	};
	uint64_t result = 0;

	for (unsigned i = 0; i < 8; i++)
		result |= element(value, 1, from[type][i]) << 8 * i;
	return result;
}

static uint64_t permute2(uint64_t value, unsigned type)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 4; i++)
		result |= element(value, 2, type >> 2 * i & 3) << 16 * i;
	return result;
}

static enum outcome mux1(struct machine *m, const struct op *op)
{
	if (op->imm && (op->imm < 8 || op->imm > 11))
		return ia64_illegal(m);
	return ia64_put(m, op->d1, permute(S2, (unsigned)op->imm), NAT2);
}

WRITES(mux2, permute2(S2, (unsigned)op->imm), NAT2)

// The index of the first element that is zero, from the left or right; how many there are if none is.
static uint64_t zero_index(uint64_t value, unsigned size, bool left)
{
	const unsigned count = 8 / size;
	unsigned i = 0;

	while (i < count && element(value, size, left ? count - 1 - i : i))
		i++;
	return i;
}

WRITES(czx1_l, zero_index(S3, 1, true), NAT3)
WRITES(czx2_l, zero_index(S3, 2, true), NAT3)
WRITES(czx1_r, zero_index(S3, 1, false), NAT3)
WRITES(czx2_r, zero_index(S3, 2, false), NAT3)

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
	[IA64_CMP_##N##_OR_ANDCM] = cmp_##name##_or_andcm, [IA64_CMP4_##N##_AND] = cmp4_##name##_and, \
	[IA64_CMP4_##N##_OR] = cmp4_##name##_or, [IA64_CMP4_##N##_OR_ANDCM] = cmp4_##name##_or_andcm
#define OF_TEST(N, name)								\
	[IA64_##N##_Z] = name##_z, [IA64_##N##_Z_UNC] = name##_z_unc, [IA64_##N##_Z_AND] = name##_z_and, \
	[IA64_##N##_NZ_AND] = name##_nz_and, [IA64_##N##_Z_OR] = name##_z_or, [IA64_##N##_NZ_OR] = name##_nz_or, \
	[IA64_##N##_Z_OR_ANDCM] = name##_z_or_andcm, [IA64_##N##_NZ_OR_ANDCM] = name##_nz_or_andcm
#define OF_SATURATED(N, name)								\
	[IA64_##N##_SSS1] = name##_sss1, [IA64_##N##_SSS2] = name##_sss2, [IA64_##N##_UUU1] = name##_uuu1, \
	[IA64_##N##_UUU2] = name##_uuu2, [IA64_##N##_UUS1] = name##_uus1, [IA64_##N##_UUS2] = name##_uus2

ia64_execute *const ia64_integer[ENCODINGS] = {
	[IA64_ADD] = add, [IA64_ADD_ONE] = add_one, [IA64_SUB] = sub, [IA64_SUB_ONE] = sub_one, [IA64_ADDP4] = addp4,
	[IA64_AND] = and, [IA64_ANDCM] = andcm, [IA64_OR] = or, [IA64_XOR] = xor, [IA64_SHLADD] = shladd,
	[IA64_SHLADDP4] = shladdp4, [IA64_SUB_IMM8] = sub_imm8, [IA64_AND_IMM8] = and_imm8,
	[IA64_ANDCM_IMM8] = andcm_imm8, [IA64_OR_IMM8] = or_imm8, [IA64_XOR_IMM8] = xor_imm8, [IA64_ADDS] = adds,
	[IA64_ADDP4_IMM14] = addp4_imm14, [IA64_ADDL] = addl, [IA64_MOVL] = movl,
	OF_COMPARE(LT, lt), OF_COMPARE(LT_UNC, lt_unc), OF_COMPARE(LTU, ltu), OF_COMPARE(LTU_UNC, ltu_unc),
	OF_COMPARE(EQ, eq), OF_COMPARE(EQ_UNC, eq_unc), OF_COMPARE(EQ_AND, eq_and), OF_COMPARE(EQ_OR, eq_or),
	OF_COMPARE(EQ_OR_ANDCM, eq_or_andcm), OF_COMPARE(NE_AND, ne_and), OF_COMPARE(NE_OR, ne_or),
	OF_COMPARE(NE_OR_ANDCM, ne_or_andcm), OF_ZERO(GT, gt), OF_ZERO(LE, le), OF_ZERO(GE, ge), OF_ZERO(LT0, lt0),
	OF_TEST(TBIT, tbit), OF_TEST(TNAT, tnat),
	[IA64_PADD1] = padd1, [IA64_PADD2] = padd2, [IA64_PADD4] = padd4, [IA64_PSUB1] = psub1, [IA64_PSUB2] = psub2,
	[IA64_PSUB4] = psub4, OF_SATURATED(PADD, padd), OF_SATURATED(PSUB, psub), [IA64_PAVG1] = pavg1,
	[IA64_PAVG2] = pavg2, [IA64_PAVG_RAZ1] = pavg_raz1, [IA64_PAVG_RAZ2] = pavg_raz2, [IA64_PAVGSUB1] = pavgsub1,
	[IA64_PAVGSUB2] = pavgsub2, [IA64_PCMP_EQ1] = pcmp_eq1, [IA64_PCMP_EQ2] = pcmp_eq2,
	[IA64_PCMP_EQ4] = pcmp_eq4, [IA64_PCMP_GT1] = pcmp_gt1, [IA64_PCMP_GT2] = pcmp_gt2,
	[IA64_PCMP_GT4] = pcmp_gt4, [IA64_PSHLADD2] = pshladd2, [IA64_PSHRADD2] = pshradd2,
	[IA64_PMPYSHR2] = pmpyshr2, [IA64_PMPYSHR2_U] = pmpyshr2_u, [IA64_PMPY2_R] = pmpy2_r, [IA64_PMPY2_L] = pmpy2_l,
	[IA64_MIX1_R] = mix1_r, [IA64_MIX1_L] = mix1_l, [IA64_MIX2_R] = mix2_r, [IA64_MIX2_L] = mix2_l,
	[IA64_MIX4_R] = mix4_r, [IA64_MIX4_L] = mix4_l, [IA64_PACK2_USS] = pack2_uss, [IA64_PACK2_SSS] = pack2_sss,
	[IA64_PACK4_SSS] = pack4_sss, [IA64_UNPACK1_H] = unpack1_h, [IA64_UNPACK1_L] = unpack1_l,
	[IA64_UNPACK2_H] = unpack2_h, [IA64_UNPACK2_L] = unpack2_l, [IA64_UNPACK4_H] = unpack4_h,
	[IA64_UNPACK4_L] = unpack4_l, [IA64_PMIN1_U] = pmin1_u, [IA64_PMAX1_U] = pmax1_u, [IA64_PMIN2] = pmin2,
	[IA64_PMAX2] = pmax2, [IA64_PSAD1] = psad1, [IA64_MUX1] = mux1, [IA64_MUX2] = mux2, [IA64_PSHR2] = pshr2,
	[IA64_PSHR4] = pshr4, [IA64_SHR] = shr, [IA64_PSHR2_U] = pshr2_u, [IA64_PSHR4_U] = pshr4_u,
	[IA64_SHR_U] = shr_u, [IA64_PSHR2_IMM5] = pshr2_imm5, [IA64_PSHR4_IMM5] = pshr4_imm5,
	[IA64_PSHR2_U_IMM5] = pshr2_u_imm5, [IA64_PSHR4_U_IMM5] = pshr4_u_imm5, [IA64_PSHL2] = pshl2,
	[IA64_PSHL4] = pshl4, [IA64_SHL] = shl, [IA64_PSHL2_IMM5] = pshl2_imm5, [IA64_PSHL4_IMM5] = pshl4_imm5,
	[IA64_POPCNT] = popcnt, [IA64_SHRP] = shrp, [IA64_EXTR_U] = extr_u, [IA64_EXTR] = extr, [IA64_DEP_Z] = dep_z,
	[IA64_DEP_Z_IMM8] = dep_z_imm8, [IA64_DEP_IMM1] = dep_imm1, [IA64_DEP] = dep, [IA64_ZXT1] = zxt1,
	[IA64_ZXT2] = zxt2, [IA64_ZXT4] = zxt4, [IA64_SXT1] = sxt1, [IA64_SXT2] = sxt2, [IA64_SXT4] = sxt4,
	[IA64_CZX1_L] = czx1_l, [IA64_CZX2_L] = czx2_l, [IA64_CZX1_R] = czx1_r, [IA64_CZX2_R] = czx2_r,
	[IA64_MOV_TO_B] = mov_to_b, [IA64_MOV_RET_TO_B] = mov_to_b, [IA64_MOV_FROM_B] = mov_from_b,
	[IA64_MOV_TO_PR] = mov_to_pr, [IA64_MOV_TO_PR_ROT] = mov_to_pr_rot, [IA64_MOV_FROM_IP] = mov_from_ip,
	[IA64_MOV_FROM_PR] = mov_from_pr, [IA64_NOP_I] = nop, [IA64_NOP_M] = nop, [IA64_NOP_B] = nop,
	[IA64_NOP_F] = nop, [IA64_NOP_X] = nop,
	[IA64_HINT_I] = nop, [IA64_HINT_M] = nop, [IA64_HINT_B] = nop, [IA64_HINT_F] = nop, [IA64_HINT_X] = nop,
};
