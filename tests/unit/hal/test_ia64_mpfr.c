// SPDX-License-Identifier: BSD-2-Clause
// Compares random floating-point instructions of the ia64 machine with mpfr: in each precision,
// range, rounding mode and status field, with flags, faults and traps; and their parallel forms on
// pairs of single-precision numbers. -n sets the number of cases of each.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ia64_oracle.h"
#include "ia64_random.h"

#define ONE	{INTEGER_BIT, BIAS, false}

static unsigned long cases = 20000;

//
// Instructions
//

enum operation { MULTIPLY_ADD, TO_INTEGER, OF_INTEGER, INTEGER_MULTIPLY_ADD, RECIPROCAL, ROOT };

// The last two members distinguish the variants of an operation. precision 0: the status field's.
static const struct instruction {
	const char *name;
	enum ia64_encoding encoding;
	enum operation operation;
	bool first, second;
	unsigned precision;
	bool of_pairs;
} instructions[] = {
	{"fma", IA64_FMA, MULTIPLY_ADD, false, false, 0},
	{"fma.s", IA64_FMA_S, MULTIPLY_ADD, false, false, 24},
	{"fma.d", IA64_FMA_D, MULTIPLY_ADD, false, false, 53},
	{"fms", IA64_FMS, MULTIPLY_ADD, false, true, 0},
	{"fms.s", IA64_FMS_S, MULTIPLY_ADD, false, true, 24},
	{"fms.d", IA64_FMS_D, MULTIPLY_ADD, false, true, 53},
	{"fnma", IA64_FNMA, MULTIPLY_ADD, true, false, 0},
	{"fnma.s", IA64_FNMA_S, MULTIPLY_ADD, true, false, 24},
	{"fnma.d", IA64_FNMA_D, MULTIPLY_ADD, true, false, 53},
	{"fcvt.fx", IA64_FCVT_FX, TO_INTEGER, true, false},
	{"fcvt.fxu", IA64_FCVT_FXU, TO_INTEGER, false, false},
	{"fcvt.fx.trunc", IA64_FCVT_FX_TRUNC, TO_INTEGER, true, true},
	{"fcvt.fxu.trunc", IA64_FCVT_FXU_TRUNC, TO_INTEGER, false, true},
	{"fcvt.xf", IA64_FCVT_XF, OF_INTEGER}, {"xma.l", IA64_XMA_L, INTEGER_MULTIPLY_ADD, true,
						false},
	{"xma.h", IA64_XMA_H, INTEGER_MULTIPLY_ADD, true, true},
	{"xma.hu", IA64_XMA_HU, INTEGER_MULTIPLY_ADD, false, true},
	{"frcpa", IA64_FRCPA, RECIPROCAL},
	{"frsqrta", IA64_FRSQRTA, ROOT},
	{"fpma", IA64_FPMA, MULTIPLY_ADD, false, false, 24, true},
	{"fpms", IA64_FPMS, MULTIPLY_ADD, false, true, 24, true},
	{"fpnma", IA64_FPNMA, MULTIPLY_ADD, true, false, 24, true},
	{"fpcvt.fx", IA64_FPCVT_FX, TO_INTEGER, true, false, 24, true},
	{"fpcvt.fxu", IA64_FPCVT_FXU, TO_INTEGER, false, false, 24, true},
	{"fpcvt.fx.trunc", IA64_FPCVT_FX_TRUNC, TO_INTEGER, true, true, 24, true},
	{"fpcvt.fxu.trunc", IA64_FPCVT_FXU_TRUNC, TO_INTEGER, false, true, 24, true},
	{"fprcpa", IA64_FPRCPA, RECIPROCAL, .of_pairs = true},
	{"fprsqrta", IA64_FPRSQRTA, ROOT, .of_pairs = true},
};
#define INSTRUCTIONS	(sizeof instructions / sizeof *instructions)
#define PAIRS		9	/* the last ones */

// The encoding of a variant: f6 = f8, f9, f7 or f0; its status field.
struct variant {
	uint8_t instruction, sf;
	bool adds;
};
#define VARIANTS	(INSTRUCTIONS * 8)
#define RESULT		6
#define P2		6
#define UNTOUCHED	0x123456789ABCDEFULL

static struct variant variant(unsigned number)
{
	return (struct variant){(uint8_t)(number / 8), number & 3, number & 4};
}

static uint64_t slot_of(struct variant v)
{
	const struct instruction *in = &instructions[v.instruction];
	const uint64_t f2 = v.adds ? 7 : 0, sf = (uint64_t)v.sf << 34;
	uint64_t slot = ia64_encodings[in->encoding].value | RESULT << 6;

	switch (in->operation) {
	case MULTIPLY_ADD:
		return slot | f2 << 13 | 8 << 20 | 9ULL << 27 | sf;
	case INTEGER_MULTIPLY_ADD:
		return slot | f2 << 13 | 8 << 20 | 9ULL << 27;
	case TO_INTEGER:
		return slot | 7 << 13 | sf;
	case OF_INTEGER:
		return slot | 7 << 13;
	case RECIPROCAL:
		return slot | 7 << 13 | 8 << 20 | (uint64_t)P2 << 27 | sf;
	case ROOT:
		return slot | 7 << 20 | (uint64_t)P2 << 27 | sf;
	}
	return 0;
}

// Writes each variant in a bundle of its own: template MFI, with nops.
static void write_code(struct machine *m)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		const uint64_t slot = slot_of(variant(i)), half[2] = {0xC | slot << 46, slot >> 18};

		memcpy(m->memory + i * BUNDLE_BYTES, half, sizeof half);
	}
}

// A case: an instruction with its three operands (f7, f8, f9) and the floating-point status.
struct experiment {
	struct variant variant;
	struct ia64_float f[3];
	uint64_t fpsr;
};

static unsigned field_of(const struct experiment *c)
{
	return c->fpsr >> (6 + 13 * c->variant.sf) & 0x1FFF;
}

// The exceptions that are enabled: FPSR's, unless td disables all of a field other than the first.
static unsigned enabled(const struct experiment *c)
{
	return c->variant.sf && field_of(c) & 64 ? 0 : ~c->fpsr & 63;
}

static struct target target_of(const struct experiment *c)
{
	static const mpfr_rnd_t modes[4] = {MPFR_RNDN, MPFR_RNDD, MPFR_RNDU, MPFR_RNDZ};
	static const unsigned of_pc[4] = {24, 0, 53, 64};
	const unsigned field = field_of(c),
		precision = instructions[c->variant.instruction].precision;
	struct target t = {
		.precision = precision ? precision : of_pc[field >> 2 & 3],
		.mode = modes[field >> 4 & 3],
		.flushes = field & 1, .traps = enabled(c),
	};

	if (instructions[c->variant.instruction].of_pairs)	/* table 5-6: wre has no effect */
		t.most = 127;
	else
		t.most = field & 2 ? 65535 : precision == 24 ? 127 : precision == 53 ? 1023 : 16383;
	t.least = 1 - t.most;
	return t;
}

// The expected result for whole registers, or for one half of each pair.
static struct expected expect_of(const struct experiment *c, struct ia64_float f[3])
{
	const struct instruction *in = &instructions[c->variant.instruction];
	const struct target t = target_of(c);

	switch (in->operation) {
	case MULTIPLY_ADD:
		return oracle_multiply_add(f, in->first, in->second, c->variant.adds, &t);
	case TO_INTEGER:
		return oracle_to_integer(f, in->first, in->of_pairs ? 32 : 64,
					 in->second ? MPFR_RNDZ : t.mode);
	case OF_INTEGER:
		return oracle_of_integer(f);
	case INTEGER_MULTIPLY_ADD:
		if (!c->variant.adds)
			f[0] = (struct ia64_float){0};
		return oracle_integer_multiply_add(f, in->first, in->second);
	case RECIPROCAL:
		return in->of_pairs ? oracle_half_reciprocal(&f[0], &f[1]) :
		       oracle_reciprocal(&f[0], &f[1]);
	case ROOT:
		return in->of_pairs ? oracle_half_root(f) : oracle_root(f);
	}
	return (struct expected){.flags = 0};
}

// Whether the instruction reads f7, f8, f9 (in this order).
static bool reads(const struct experiment *c, unsigned operand)
{
	switch (instructions[c->variant.instruction].operation) {
	case MULTIPLY_ADD:
	case INTEGER_MULTIPLY_ADD:
		return operand || c->variant.adds;
	case RECIPROCAL:
		return operand < 2;
	default:
		return operand == 0;
	}
}

static struct expected expect(const struct experiment *c)
{
	const struct instruction *in = &instructions[c->variant.instruction];
	struct ia64_float f[3] = {c->f[0], c->f[1], c->f[2]}, low[3];
	struct expected of_low, of_high;

	if (!in->of_pairs)
		return expect_of(c, f);
	for (unsigned i = 0; i < 3; i++) {
		if (reads(c, i) && oracle_is_natval(&c->f[i]))
			return (struct expected){.result = c->f[i]};
		f[i] = oracle_half(&c->f[i], true);
		low[i] = oracle_half(&c->f[i], false);
	}
	of_high = expect_of(c, f);
	of_low = expect_of(c, low);
	return oracle_pair(&of_high, &of_low, in->operation == TO_INTEGER);
}

static void print_register(const char *name, const struct ia64_float *f)
{
	printf("  %s: %c %05x %016llx\n", name, f->sign ? '-' : '+', f->exponent,
	       (unsigned long long)f->significand);
}

static bool equal(const struct ia64_float *a, const struct ia64_float *b)
{
	return a->significand == b->significand && a->exponent == b->exponent && a->sign == b->sign;
}

// The interruption that an instruction raises. A fault changes no register. Volume 1, figures 5-11
// and 5-12; volume 2, table of ISR.code: the faults of a pair's low number are 4 bits above those
// of the high one, its traps 4 bits below.
struct end {
	enum ia64_vector vector;
	unsigned code;		/* ISR's; 0: none */
};

static unsigned traps_of(unsigned flags, bool greater, unsigned enabled)
{
	unsigned traps = flags & enabled & (O | U | I);

	if (traps & (O | U))
		traps |= flags & I;
	return traps ? traps << 8 | (greater ? 1u << 14 : 0) : 0;
}

static struct end end_of(const struct experiment *c, const struct expected *e)
{
	const unsigned possible = enabled(c), faults = (e->flags & possible & (V | D | Z)) |
						       (e->low_flags & possible & (V | D | Z)) << 4;
	const unsigned traps = traps_of(e->flags, e->greater, possible) |
			       traps_of(e->low_flags, e->low_greater, possible) >> 4;

	if (e->assistance || faults)
		return (struct end){VECTOR_FP_FAULT, e->assistance ? 8 : faults};
	return (struct end){VECTOR_FP_TRAP, traps ? 1 | traps : 0};
}

// Executes the instruction, and compares with the expected result: register, flags of its field,
// predicate, interruption.
static void try(struct machine *m, const struct experiment *c, const struct expected *e)
{
	const struct instruction *in = &instructions[c->variant.instruction];
	const struct ia64_float untouched = {UNTOUCHED, 1, true};
	const struct end end = end_of(c, e);
	const bool completes = !end.code || end.vector == VECTOR_FP_TRAP;
	const struct ia64_float result = completes ? e->result : untouched;
	const uint64_t flags = completes ? e->flags | e->low_flags : 0;
	const uint64_t fpsr = c->fpsr | flags << (6 + 13 * c->variant.sf + 7);
	const bool has_p2 = in->operation == RECIPROCAL || in->operation == ROOT;
	const uint64_t pr = 1 | (has_p2 && completes ? e->p2 : 1) << P2;
	enum outcome outcome;

	memcpy(&m->fr[7], c->f, sizeof c->f);
	m->fr[RESULT] = untouched;
	m->ar[AR_FPSR] = c->fpsr;
	m->pr = 1 | 1 << P2;
	m->ip = (c->variant.instruction * 8u + c->variant.adds * 4u + c->variant.sf) * BUNDLE_BYTES;
	m->slot = 1;
	outcome = ia64_run(m, 1);
	if (equal(&m->fr[RESULT], &result) && m->ar[AR_FPSR] == fpsr && m->pr == pr &&
	    (end.code ? outcome == OUTCOME_INTERRUPTION && m->interruption.vector == end.vector &&
			(m->interruption.isr & 0xFFFF) == end.code : outcome == OUTCOME_NEXT))
		return;
	printf("  %s%s.s%u, FPSR %016llx\n", in->name, c->variant.adds ? "" : " of f0",
	       c->variant.sf, (unsigned long long)c->fpsr);
	for (unsigned i = 0; i < 3; i++)
		print_register((const char *[]){"f7", "f8", "f9"}[i], &c->f[i]);
	print_register("the machine's result", &m->fr[RESULT]);
	print_register("expected", &result);
	fail_msg("outcome %d, ISR.code %x, flags %x, p2 %d; expected %x, flags %x, p2 %d", outcome,
		 (unsigned)m->interruption.isr & 0xFFFF,
		 (unsigned)(m->ar[AR_FPSR] >> (6 + 13 * c->variant.sf + 7) & 63),
		 (int)(m->pr >> P2 & 1),
		 end.code, (unsigned)(fpsr >> (6 + 13 * c->variant.sf + 7) & 63),
		 (int)(pr >> P2 & 1));
}

//
// Cases
//

static uint64_t draw_fpsr(void)
{
	static const unsigned precisions[] = {0, 2, 3};
	uint64_t fpsr = random_below(2) ? 63 : random_bits() >> 8 & 63;

	for (unsigned sf = 0; sf < 4; sf++) {
		const uint64_t flags = random_below(2) ? 0 : random_bits() >> 8 & 63,
			td = sf ? random_below(2) : 0;
		const uint64_t ftz = random_below(4) / 3, wre = random_below(4) / 3,
			pc = precisions[random_below(3)];

		fpsr |= (ftz | wre << 1 | pc << 2 | random_below(4) << 4 | td << 6 | flags << 7) <<
			(6 + 13 * sf);
	}
	return fpsr;
}

// Changes operands so that the result is near a limit, or that much of it is cancelled.
static void relate(const struct experiment *c, struct ia64_float f[3], long limit, long most)
{
	if (random_below(4) == 0)	/* a number is rounded, or added */
		f[2] = (struct ia64_float)ONE;
	if (random_below(2))		/* the product is near a limit */
		random_set_exponent(&f[1], random_near(limit) - ((long)f[2].exponent - BIAS));
	/* or the quotient */
	if (instructions[c->variant.instruction].operation == RECIPROCAL && random_below(2))
		random_set_exponent(&f[0], random_near(random_below(2) ? most : 2 - most) +
				    (long)f[1].exponent - BIAS);
	if (random_below(2))
		random_relate(f);
}

// Most cases are multiplications and additions, which are the first of their kind in the table.
static struct variant draw_variant(unsigned first, unsigned multiplications, unsigned count)
{
	return variant(first * 8 +
		       (unsigned)random_below((random_below(3) ? count : multiplications) * 8));
}

static struct experiment draw_experiment(void)
{
	struct experiment c = {.variant = draw_variant(0, 9, INSTRUCTIONS - PAIRS),
			       .fpsr = draw_fpsr()};

	for (unsigned i = 0; i < 3; i++)
		c.f[i] = random_operand();
	relate(&c, c.f, random_limit(), 65535);
	return c;
}

// Pairs are the significands of registers, whose exponents and signs have no effect.
static struct experiment draw_pairs(void)
{
	struct experiment c = {.variant = draw_variant(INSTRUCTIONS - PAIRS, 3, PAIRS),
			       .fpsr = draw_fpsr()};

	for (unsigned i = 0; i < 3; i++)
		c.f[i] = (struct ia64_float){0, 0x1003E, false};
	for (unsigned half = 0; half < 2; half++) {
		struct ia64_float f[3] = {random_half(), random_half(), random_half()};

		relate(&c, f, random_single_limit(), 127);
		for (unsigned i = 0; i < 3; i++)
			c.f[i].significand |= (uint64_t)random_single_of(&f[i]) << 32 * half;
	}
	if (random_below(8) == 0) {
		const struct ia64_float other = random_operand();
		struct ia64_float *f = &c.f[random_below(3)];

		f->exponent = other.exponent;
		f->sign = other.sign;
		if (random_below(2))
			f->significand = other.significand;
	}
	return c;
}

static void compare_random_cases(struct machine *m, struct experiment draw_case(void))
{
	random_begin();
	for (unsigned long i = 1; i <= cases; i++) {
		const struct experiment c = draw_case();
		const struct expected e = expect(&c);

		try(m, &c, &e);
		if (i % 1000000 == 0)
			printf("  %lu of %lu cases\n", i, cases);
	}
}

static void instructions_do_what_mpfr_does(void **context)
{
	compare_random_cases(*context, draw_experiment);
}

static void parallel_instructions_do_what_mpfr_does(void **context)
{
	compare_random_cases(*context, draw_pairs);
}

#define QNAN(payload)	{INTEGER_BIT | QUIET_BIT | (payload), SPECIAL, false}
/* field 0: 64 bits, to nearest, no exception interrupts */
#define DEFAULT_FPSR	0x9804C0270033FULL

// Single rules with the manual's section, because oracle and machine could share a misreading.
static void single_rules_of_the_manual(void **context)
{
	static const struct {
		enum ia64_encoding encoding;
		bool adds;
		struct ia64_float f7, f8, f9;
		struct expected e;
	} rules[] = {
		// Volume 1, 5.1.3: a pseudo-zero times infinity is infinite, a zero is invalid
		{IA64_FMA, true, ONE, {0, 0x10000, false}, {INTEGER_BIT, SPECIAL, true},
		 {{INTEGER_BIT, SPECIAL, true}, D}},
		{IA64_FMA, true, ONE, {0, 0, false}, {INTEGER_BIT, SPECIAL, true},
		 {{INTEGER_BIT | QUIET_BIT, SPECIAL, true}, V}},
		// and a pseudo-zero equals another zero whatever its exponent: -(-0 * 1) + 1
		{IA64_FNMA, true, ONE, {0, 0x1FFFE, true}, ONE, {ONE, D}},
		// and a double-extended denormal has the exponent 0, as a result: 2^-16383, exact;
		// and as an operand
		{IA64_FMA, false, ONE, {INTEGER_BIT, 0xC000, false}, ONE,
		 {{INTEGER_BIT >> 1, 0, false}, 0}},
		{IA64_FMA, false, ONE, {INTEGER_BIT, 0, false}, ONE,
		 {{INTEGER_BIT, 0xC001, false}, D}},
		// 5.4.3: tininess is detected after rounding: 2^-126 less 2^-190 is not tiny in
		// single precision
		{IA64_FMA_S, false, ONE, {~0ULL, BIAS - 127, false}, ONE,
		 {{INTEGER_BIT, BIAS - 126, false}, I}},
		// 5.4.3: a much smaller addend makes a number inexact: 2^255 + 1
		{IA64_FMA, true, {INTEGER_BIT, BIAS + 255, false}, ONE, ONE,
		 {{INTEGER_BIT, BIAS + 255, false}, I}},
		// NaNs: f4's, f2's, f3's
		{IA64_FMA, true, QNAN(7), QNAN(8), QNAN(9), {QNAN(9), 0}},
		{IA64_FMA, true, QNAN(7), QNAN(8), ONE, {QNAN(7), 0}},
		{IA64_FMS, true, ONE, QNAN(8), ONE, {QNAN(8), 0}},
		{IA64_FRCPA, true, QNAN(7), QNAN(8), ONE, {QNAN(7), 0}},
		// Volume 3, tables of frcpa and frsqrta: the ends
		{IA64_FRCPA, true, ONE, ONE, ONE, {{0x7FCULL << 53, BIAS - 1, false}, 0, true}},
		{IA64_FRCPA, true, ONE, {~0ULL, BIAS, true}, ONE,
		 {{0x401ULL << 53, BIAS - 1, true}, 0, true}},
		{IA64_FRSQRTA, true, ONE, ONE, ONE, {{0x7FCULL << 53, BIAS - 1, false}, 0, true}},
		{IA64_FRSQRTA, true, {~0ULL, BIAS, false}, ONE, ONE,
		 {{0x5AAULL << 53, BIAS - 1, false}, 0, true}},
		{IA64_FRSQRTA, true, {INTEGER_BIT, BIAS + 1, false}, ONE, ONE,
		 {{0x5A5ULL << 53, BIAS - 1, false}, 0, true}},
		{IA64_FRSQRTA, true, {~0ULL, BIAS - 1, false}, ONE, ONE,
		 {{0x401ULL << 53, BIAS, false}, 0, true}},
		// System software computes a reciprocal out of range
		{IA64_FRCPA, true, ONE, {1, 1, false}, ONE, {.assistance = true}},
		{IA64_FCVT_FX, true, {0, 5, true}, ONE, ONE, {{0, 0x1003E, false}, D}},
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		struct experiment c = {.f = {rules[i].f7, rules[i].f8, rules[i].f9},
				       .fpsr = DEFAULT_FPSR};

		while (instructions[c.variant.instruction].encoding != rules[i].encoding)
			c.variant.instruction++;
		c.variant.adds = rules[i].adds;
		try(*context, &c, &rules[i].e);
	}
}

// Volume 2, table of ISR.code: the faults of a pair's higher number are bits 3:0, its traps bits
// 14:11; those of the lower number are bits 7:4 and 10:7.
static void pairs_say_which_number(void **context)
{
	static const struct {
		uint64_t f8, f9, result;
		enum ia64_vector vector;
		unsigned code;
	} pairs[] = {
		// The greatest number times 2 overflows exactly; (1 + 2^-23)^2 becomes 1 + 2^-22,
		// which is less
		{0x7F7FFFFF3F800001, 0x400000003F800001, 0x7FFFFFFF3F800002, VECTOR_FP_TRAP,
		 1 | 1 << 11 | 1 << 9},
		// 2^127 * 2^10 and 2^-126 * 2^-10, exact: the results keep 8 bits of their
		// exponents, 264 and -9 with the bias
		{0x7F00000000800000, 0x448000003A800000, 0x040000007B800000, VECTOR_FP_TRAP,
		 1 | 1 << 11 | 1 << 8},
		// 1 is exact; (1 + 2^-23) * (1 - 2^-24) is 1 + 2^-24 - 2^-47, and becomes 1
		{0x3F8000003F800001, 0x3F8000003F7FFFFF, 0x3F8000003F800000, VECTOR_FP_TRAP,
		 1 | 1 << 9},
		// (1 + 3 * 2^-23) * (1 + 2^-22) is 1 + 5 * 2^-23 + 6 * 2^-46, and becomes less; 1.5
		// * (1 + 2^-23) is half-way between two numbers, and becomes the greater one, which
		// is even
		{0x3F8000033FC00000, 0x3F8000023F800001, 0x3F8000053FC00002, VECTOR_FP_TRAP,
		 1 | 1 << 13 | 1 << 9 | 1 << 10},
		// 0 times infinity is invalid, and 2^-149 denormal
		{0x0000000000000001, 0x7F8000003F800000, UNTOUCHED, VECTOR_FP_FAULT, 1 | 2 << 4},
		{0x000000017F800000, 0x3F80000000000000, UNTOUCHED, VECTOR_FP_FAULT, 2 | 1 << 4},
	};
	const uint64_t slot = ia64_encodings[IA64_FPMA].value | RESULT << 6 | 8 << 20 | 9ULL << 27;
	const uint64_t half[2] = {0xC | slot << 46, slot >> 18};
	struct machine *m = *context;

	memcpy(m->memory + VARIANTS * BUNDLE_BYTES, half, sizeof half);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		m->fr[8] = (struct ia64_float){pairs[i].f8, 0x1003E, false};
		m->fr[9] = (struct ia64_float){pairs[i].f9, 0x1003E, false};
		m->fr[RESULT] = (struct ia64_float){UNTOUCHED, 0x1003E, false};
		m->ar[AR_FPSR] = DEFAULT_FPSR & ~63ULL;
		m->ip = VARIANTS * BUNDLE_BYTES;
		m->slot = 1;
		assert_int_equal(ia64_run(m, 1), OUTCOME_INTERRUPTION);
		assert_int_equal(m->interruption.vector, pairs[i].vector);
		assert_int_equal(m->interruption.isr & 0xFFFF, pairs[i].code);
		assert_int_equal(m->fr[RESULT].significand, pairs[i].result);
	}
}

// Volume 3, fprcpa and fprsqrta, computed by hand: approximations are entries of the tables, 2044
// of 2048 for 1.
static void pairs_of_approximations_have_limits(void **context)
{
	static const struct {
		enum ia64_encoding encoding;
		uint64_t f7, f8, result;
		bool p2;
		unsigned flags, low_flags;
	} rules[] = {
		// 1 by 2^127, whose reciprocal becomes 0; by 2^124, the greatest divisor with a
		// reciprocal, and by 2^125
		{IA64_FPRCPA, 0x3F8000003F800000, 0x3F8000007F000000, 0x3F7F800000000000, false},
		{IA64_FPRCPA, 0x3F8000003F800000, 0x3F8000007D800000, 0x3F7F8000017F8000, true},
		{IA64_FPRCPA, 0x3F8000003F800000, 0x7E0000003F800000, 0x000000003F7F8000, false},
		// -1 by -2^-149, a denormal: infinite, with the divisor's sign alone. 2^-1 by
		// 2^-126
		{IA64_FPRCPA, 0xBF8000003F800000, 0x800000013F800000, 0xFF8000003F7F8000, false, D},
		{IA64_FPRCPA, 0x3F0000003F800000, 0x008000003F800000, 0x7E7F80003F7F8000, true},
		// Quotients of 2^127 and 2^126; of 2^-125 and 2^-124
		{IA64_FPRCPA, 0x7F0000003F800000, 0x3F8000003F800000, 0x3F7F80003F7F8000, false},
		{IA64_FPRCPA, 0x7E8000003F800000, 0x3F8000003F800000, 0x3F7F80003F7F8000, true},
		{IA64_FPRCPA, 0x3F8000000D800000, 0x3F8000004C000000, 0x3F7F800032FF8000, false},
		{IA64_FPRCPA, 0x3F8000000E000000, 0x3F8000004C000000, 0x3F7F800032FF8000, true},
		// Dividends of 2^-103 and 2^-102
		{IA64_FPRCPA, 0x0C0000003F800000, 0x3F8000003F800000, 0x3F7F80003F7F8000, false},
		{IA64_FPRCPA, 0x0C8000003F800000, 0x3F8000003F800000, 0x3F7F80003F7F8000, true},
		// IEEE's quotients of 1/-0, 0/-1; infinity/2, 2/infinity; 0/0, infinity/infinity
		{IA64_FPRCPA, 0x3F80000000000000, 0x80000000BF800000, 0xFF80000080000000, false, Z},
		{IA64_FPRCPA, 0x7F80000040000000, 0x400000007F800000, 0x7F80000000000000, false},
		{IA64_FPRCPA, 0x000000007F800000, 0x000000007F800000, 0xFFC00000FFC00000, false, V,
		 V},
		// Roots' reciprocals of 0 and -0; infinity and -1; 2^-103 (odd) and 2^-102
		{IA64_FPRSQRTA, 0x0000000080000000, 0, 0x7F800000FF800000, false},
		{IA64_FPRSQRTA, 0x7F800000BF800000, 0, 0x00000000FFC00000, false, 0, V},
		{IA64_FPRSQRTA, 0x0C0000003F800000, 0, 0x5934A0003F7F8000, false},
		{IA64_FPRSQRTA, 0x0C8000003F800000, 0, 0x58FF80003F7F8000, true},
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		const struct expected e = {
			.result = {rules[i].result, 0x1003E, false}, .flags = rules[i].flags,
			.low_flags = rules[i].low_flags, .p2 = rules[i].p2,
		};
		struct experiment c = {.f = {{rules[i].f7, 0x1003E}, {rules[i].f8, 0x1003E}},
				       .fpsr = DEFAULT_FPSR};

		while (instructions[c.variant.instruction].encoding != rules[i].encoding)
			c.variant.instruction++;
		try(*context, &c, &e);
	}
}

static int setup(void **context)
{
	static struct machine m;
	struct processor processor;

	oracle_begin();
	*context = &m;
	if (!ia64_load_processor(&processor, "merced") || !ia64_make(&m, &processor, 1 << 16))
		return -1;
	write_code(&m);
	return 0;
}

static int teardown(void **context)
{
	oracle_end();
	ia64_free(*context);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_rules_of_the_manual),
		cmocka_unit_test(pairs_say_which_number),
		cmocka_unit_test(pairs_of_approximations_have_limits),
		cmocka_unit_test(instructions_do_what_mpfr_does),
		cmocka_unit_test(parallel_instructions_do_what_mpfr_does),
	};

	if (argc == 3 && !strcmp(argv[1], "-n"))
		cases = strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, setup, teardown);
}
