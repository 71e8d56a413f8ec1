// SPDX-License-Identifier: BSD-2-Clause
// I units: parallel arithmetic of elements of 1, 2 or 4 bytes, the lowest first.

#include "integer.h"

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

// Defines an instruction that computes each element of the result from a (unsigned) or sa (signed),
// and b or sb, at the same place.
#define PARALLEL(name, size, expression)						\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		uint64_t result = 0;							\
											\
		for (unsigned i = 0; i < 8 / (size); i++) {				\
			const uint64_t a = element(S2, size, i), b = element(S3, size, i);	\
			const int64_t sa = element_signed(S2, size, i),	\
				sb = element_signed(S3, size, i);	\
											\
			(void)a, (void)b, (void)sa, (void)sb;				\
			result |= ((uint64_t)(expression) & mask(8 * (size))) << 8 * (size) * i; \
		}									\
		return ia64_put(m, op->d1, result, NAT2 | NAT3);			\
	}
#define PARALLEL_SATURATED(name, size, operator)					\
	PARALLEL(name##_sss##size, size, saturate(sa operator sb, -SIGNED_MOST(size) - 1,	\
						  SIGNED_MOST(size)))	\
	PARALLEL(name##_uuu##size, size,	\
		 saturate((int64_t)a operator (int64_t)b, 0, UNSIGNED_MOST(size)))	\
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

// Halves a sum or difference: the bit that is shifted out is combined into the lowest bit, or
// rounded up.
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
PARALLEL(pshladd2, 2, saturate((int64_t)saturate(sa * (1 << op->imm), -0x8000, 0x7FFF) + sb,
			       -0x8000, 0x7FFF))
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

// Instructions with one source, r3.
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

// Alternates the even (r) or odd (l) elements of both sources; the second source's are the lower
// ones.
static uint64_t mix(uint64_t a, uint64_t b, unsigned size, bool left)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 8 / size; i += 2) {
		result |= element(b, size, i + left) << 8 * size * i;
		result |= element(a, size, i + left) << 8 * size * (i + 1);
	}
	return result;
}

// Alternates the elements of the lower (l) or upper (h) halves of both sources.
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

// Halves the size of the elements of both sources; the second source's are above.
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
	const uint64_t high = (uint64_t)(element_signed(a, 2,
							first +
							2) * element_signed(b, 2, first + 2));

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

// The source byte of each result byte: mbtype4 0, and 8 to 11.
static uint64_t permute(uint64_t value, unsigned type)
{
	static const uint8_t from[16][8] = {
		[8] = {0, 4, 2, 6, 1, 5, 3, 7}, [9] = {0, 4, 1, 5, 2, 6, 3, 7},
		[10] = {0, 2, 4, 6, 1, 3, 5, 7},
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

// Returns the index of the first zero element, from the left or right; the number of elements if
// there is none.
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

#define OF_SATURATED(N, name)								\
	[IA64_##N##_SSS1] = name##_sss1, [IA64_##N##_SSS2] = name##_sss2,	\
	[IA64_##N##_UUU1] = name##_uuu1,	\
	[IA64_##N##_UUU2] = name##_uuu2, [IA64_##N##_UUS1] = name##_uus1, \
	[IA64_##N##_UUS2] = name##_uus2

ia64_execute *const ia64_multimedia[ENCODINGS] = {
	[IA64_PADD1] = padd1, [IA64_PADD2] = padd2, [IA64_PADD4] = padd4, [IA64_PSUB1] = psub1,
	[IA64_PSUB2] = psub2,
	[IA64_PSUB4] = psub4, OF_SATURATED(PADD, padd), OF_SATURATED(PSUB, psub),
	[IA64_PAVG1] = pavg1,
	[IA64_PAVG2] = pavg2, [IA64_PAVG_RAZ1] = pavg_raz1, [IA64_PAVG_RAZ2] = pavg_raz2,
	[IA64_PAVGSUB1] = pavgsub1,
	[IA64_PAVGSUB2] = pavgsub2, [IA64_PCMP_EQ1] = pcmp_eq1, [IA64_PCMP_EQ2] = pcmp_eq2,
	[IA64_PCMP_EQ4] = pcmp_eq4, [IA64_PCMP_GT1] = pcmp_gt1, [IA64_PCMP_GT2] = pcmp_gt2,
	[IA64_PCMP_GT4] = pcmp_gt4, [IA64_PSHLADD2] = pshladd2, [IA64_PSHRADD2] = pshradd2,
	[IA64_PMPYSHR2] = pmpyshr2, [IA64_PMPYSHR2_U] = pmpyshr2_u, [IA64_PMPY2_R] = pmpy2_r,
	[IA64_PMPY2_L] = pmpy2_l, [IA64_MIX1_R] = mix1_r, [IA64_MIX1_L] = mix1_l,
	[IA64_MIX2_R] = mix2_r,
	[IA64_MIX2_L] = mix2_l, [IA64_MIX4_R] = mix4_r, [IA64_MIX4_L] = mix4_l,
	[IA64_PACK2_USS] = pack2_uss,
	[IA64_PACK2_SSS] = pack2_sss, [IA64_PACK4_SSS] = pack4_sss, [IA64_UNPACK1_H] = unpack1_h,
	[IA64_UNPACK1_L] = unpack1_l, [IA64_UNPACK2_H] = unpack2_h, [IA64_UNPACK2_L] = unpack2_l,
	[IA64_UNPACK4_H] = unpack4_h, [IA64_UNPACK4_L] = unpack4_l, [IA64_PMIN1_U] = pmin1_u,
	[IA64_PMAX1_U] = pmax1_u, [IA64_PMIN2] = pmin2, [IA64_PMAX2] = pmax2, [IA64_PSAD1] = psad1,
	[IA64_MUX1] = mux1, [IA64_MUX2] = mux2, [IA64_PSHR2] = pshr2, [IA64_PSHR4] = pshr4,
	[IA64_PSHR2_U] = pshr2_u,
	[IA64_PSHR4_U] = pshr4_u, [IA64_PSHR2_IMM5] = pshr2_imm5, [IA64_PSHR4_IMM5] = pshr4_imm5,
	[IA64_PSHR2_U_IMM5] = pshr2_u_imm5, [IA64_PSHR4_U_IMM5] = pshr4_u_imm5,
	[IA64_PSHL2] = pshl2,
	[IA64_PSHL4] = pshl4, [IA64_PSHL2_IMM5] = pshl2_imm5, [IA64_PSHL4_IMM5] = pshl4_imm5,
	[IA64_CZX1_L] = czx1_l,
	[IA64_CZX2_L] = czx2_l, [IA64_CZX1_R] = czx1_r, [IA64_CZX2_R] = czx2_r,
};
