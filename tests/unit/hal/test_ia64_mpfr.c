// SPDX-License-Identifier: BSD-2-Clause
// Floating-point instructions of the ia64 machine against mpfr: random ones, in each precision, range, rounding mode
// and status field, with the flags, faults and traps they raise. With -n and a number: so many cases.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ia64_oracle.h"

#define ONE	{INTEGER_BIT, BIAS, false}

static unsigned long cases = 20000;
static uint64_t state;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static uint64_t below(uint64_t limit)
{
	return (draw() >> 8) % limit;
}

//
// Instructions
//

enum operation { MULTIPLY_ADD, TO_INTEGER, OF_INTEGER, INTEGER_MULTIPLY_ADD, RECIPROCAL, ROOT };

// Two things that make the variants of an operation, in its own order; precision: 0 is the status field's.
static const struct instruction {
	const char *name;
	enum ia64_encoding encoding;
	enum operation operation;
	bool first, second;
	unsigned precision;
} instructions[] = {
	{"fma", IA64_FMA, MULTIPLY_ADD, false, false, 0}, {"fma.s", IA64_FMA_S, MULTIPLY_ADD, false, false, 24},
	{"fma.d", IA64_FMA_D, MULTIPLY_ADD, false, false, 53}, {"fms", IA64_FMS, MULTIPLY_ADD, false, true, 0},
	{"fms.s", IA64_FMS_S, MULTIPLY_ADD, false, true, 24}, {"fms.d", IA64_FMS_D, MULTIPLY_ADD, false, true, 53},
	{"fnma", IA64_FNMA, MULTIPLY_ADD, true, false, 0}, {"fnma.s", IA64_FNMA_S, MULTIPLY_ADD, true, false, 24},
	{"fnma.d", IA64_FNMA_D, MULTIPLY_ADD, true, false, 53},
	{"fcvt.fx", IA64_FCVT_FX, TO_INTEGER, true, false}, {"fcvt.fxu", IA64_FCVT_FXU, TO_INTEGER, false, false},
	{"fcvt.fx.trunc", IA64_FCVT_FX_TRUNC, TO_INTEGER, true, true},
	{"fcvt.fxu.trunc", IA64_FCVT_FXU_TRUNC, TO_INTEGER, false, true},
	{"fcvt.xf", IA64_FCVT_XF, OF_INTEGER}, {"xma.l", IA64_XMA_L, INTEGER_MULTIPLY_ADD, true, false},
	{"xma.h", IA64_XMA_H, INTEGER_MULTIPLY_ADD, true, true},
	{"xma.hu", IA64_XMA_HU, INTEGER_MULTIPLY_ADD, false, true}, {"frcpa", IA64_FRCPA, RECIPROCAL},
	{"frsqrta", IA64_FRSQRTA, ROOT},
};
#define INSTRUCTIONS (sizeof instructions / sizeof *instructions)

// How it is encoded: f6 = f8, f9, f7 or f0; its status field.
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

// Each variant in a bundle of its own: template MFI, with nothing around it.
static void write_code(struct machine *m)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		const uint64_t slot = slot_of(variant(i)), half[2] = {0xC | slot << 46, slot >> 18};

		memcpy(m->memory + i * BUNDLE_BYTES, half, sizeof half);
	}
}

// A case: an instruction with its three operands (f7, f8, f9) under a floating-point status.
struct experiment {
	struct variant variant;
	struct ia64_float f[3];
	uint64_t fpsr;
};

static unsigned field_of(const struct experiment *c)
{
	return c->fpsr >> (6 + 13 * c->variant.sf) & 0x1FFF;
}

// The exceptions for which there is an interruption: FPSR's, unless td disables all of a field but the first.
static unsigned enabled(const struct experiment *c)
{
	return c->variant.sf && field_of(c) & 64 ? 0 : ~c->fpsr & 63;
}

static struct target target_of(const struct experiment *c)
{
	static const mpfr_rnd_t modes[4] = {MPFR_RNDN, MPFR_RNDD, MPFR_RNDU, MPFR_RNDZ};
	static const unsigned of_pc[4] = {24, 0, 53, 64};
	const unsigned field = field_of(c), precision = instructions[c->variant.instruction].precision;
	struct target t = {
		.precision = precision ? precision : of_pc[field >> 2 & 3], .mode = modes[field >> 4 & 3],
		.flushes = field & 1, .traps = enabled(c),
	};

	t.most = field & 2 ? 65535 : precision == 24 ? 127 : precision == 53 ? 1023 : 16383;
	t.least = 1 - t.most;
	return t;
}

static struct expected expect(const struct experiment *c)
{
	const struct instruction *in = &instructions[c->variant.instruction];
	const struct target t = target_of(c);
	struct ia64_float f[3] = {c->f[0], c->f[1], c->f[2]};

	switch (in->operation) {
	case MULTIPLY_ADD:
		return oracle_multiply_add(f, in->first, in->second, c->variant.adds, &t);
	case TO_INTEGER:
		return oracle_to_integer(f, in->first, in->second ? MPFR_RNDZ : t.mode);
	case OF_INTEGER:
		return oracle_of_integer(f);
	case INTEGER_MULTIPLY_ADD:
		if (!c->variant.adds)
			f[0] = (struct ia64_float){0};
		return oracle_integer_multiply_add(f, in->first, in->second);
	case RECIPROCAL:
		return oracle_reciprocal(&f[0], &f[1]);
	case ROOT:
		return oracle_root(f);
	}
	return (struct expected){.flags = 0};
}

static void print_register(const char *name, const struct ia64_float *f)
{
	printf("  %s: %c %05x %016llx\n", name, f->sign ? '-' : '+', f->exponent, (unsigned long long)f->significand);
}

static bool equal(const struct ia64_float *a, const struct ia64_float *b)
{
	return a->significand == b->significand && a->exponent == b->exponent && a->sign == b->sign;
}

// The interruption that an instruction raises. A fault leaves everything as it was. Volume 1, figures 5-11 and 5-12.
struct end {
	enum ia64_vector vector;
	unsigned code;		/* ISR's; 0: none */
};

static struct end end_of(const struct experiment *c, const struct expected *e)
{
	const unsigned faults = e->assistance ? 8 : e->flags & enabled(c) & (V | D | Z);
	unsigned traps = e->flags & enabled(c) & (O | U | I);

	if (faults)
		return (struct end){VECTOR_FP_FAULT, faults};
	if (traps & (O | U))
		traps |= e->flags & I;
	return (struct end){VECTOR_FP_TRAP, traps ? 1 | traps << 8 | (e->greater ? 1u << 14 : 0) : 0};
}

// Executes the instruction. What it does must be what is expected: register, flags of its field alone, predicate, end.
static void try(struct machine *m, const struct experiment *c, const struct expected *e)
{
	const struct instruction *in = &instructions[c->variant.instruction];
	const struct ia64_float untouched = {UNTOUCHED, 1, true};
	const struct end end = end_of(c, e);
	const bool completes = !end.code || end.vector == VECTOR_FP_TRAP;
	const struct ia64_float result = completes ? e->result : untouched;
	const uint64_t flags = completes ? e->flags : 0, fpsr = c->fpsr | flags << (6 + 13 * c->variant.sf + 7);
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
	printf("  %s%s.s%u, FPSR %016llx\n", in->name, c->variant.adds ? "" : " of f0", c->variant.sf,
	       (unsigned long long)c->fpsr);
	for (unsigned i = 0; i < 3; i++)
		print_register((const char *[]){"f7", "f8", "f9"}[i], &c->f[i]);
	print_register("the machine's result", &m->fr[RESULT]);
	print_register("expected", &result);
	fail_msg("outcome %d, ISR.code %x, flags %x, p2 %d; expected %x, flags %x, p2 %d", outcome,
		 (unsigned)m->interruption.isr & 0xFFFF,
		 (unsigned)(m->ar[AR_FPSR] >> (6 + 13 * c->variant.sf + 7) & 63), (int)(m->pr >> P2 & 1),
		 end.code, (unsigned)(fpsr >> (6 + 13 * c->variant.sf + 7) & 63), (int)(pr >> P2 & 1));
}

//
// Cases
//

static const long limits[] = {-65534, -16382, -1022, -126, 0, 63, 127, 1023, 16383, 65535};

static uint64_t draw_significand(void)
{
	static const uint8_t precisions[] = {24, 53, 64};
	const unsigned kept = precisions[below(3)];
	const uint64_t any = draw() | INTEGER_BIT, ones = ~0ULL << (64 - kept);

	switch (below(8)) {
	case 0:
		return INTEGER_BIT;
	case 1:
		return ones;
	case 2:
		return INTEGER_BIT | (1ULL << below(63));
	case 3:		/* half-way between two of a precision */
		return kept == 64 ? any : (any & ones) | 1ULL << (63 - kept);
	case 4:
		return any & ones;
	default:
		return any;
	}
}

static long near(long limit)
{
	return limit + (below(2) ? (long)below(5) - 2 : (long)below(140) - 70);
}

// An exponent near one of the limits, or any.
static long draw_exponent(void)
{
	const long exponent = below(4) ? near(limits[below(10)]) : (long)below(131071) - 65534;

	return exponent < -65534 || exponent > 65535 ? 0 : exponent;
}

static struct ia64_float draw_operand(void)
{
	struct ia64_float f = {draw_significand(), (uint32_t)(draw_exponent() + BIAS), draw() >> 40 & 1};
	const unsigned kind = (unsigned)below(40);

	if (kind < 6 && kind != 3)
		f.exponent = SPECIAL;
	if (kind == 0)
		f.significand = INTEGER_BIT;
	else if (kind == 1)
		f.significand = draw() >> 1 & ~(below(4) ? 0 : ~0ULL);	/* unsupported */
	else if (kind == 3)
		f.significand = 0;					/* pseudo-zero */
	else if (kind == 6)
		f = (struct ia64_float){0, 0, f.sign};
	else if (kind == 7)
		f = (struct ia64_float){INTEGER_BIT, BIAS, f.sign};
	else if (kind == 8)
		f = (struct ia64_float){0, NATVAL_EXPONENT, false};
	else if (kind == 9)
		f.exponent = 0;
	else if (kind < 15)
		f.significand >>= below(64);
	if (kind == 3 && !below(4))
		f.exponent = NATVAL_EXPONENT;
	if (kind >= 8 && kind < 10 && below(2))
		f.exponent = 0x1003E;					/* an integer */
	return f;
}

static void set_exponent(struct ia64_float *f, long exponent)
{
	if (f->exponent != SPECIAL && exponent > -65535 && exponent <= 65535)
		f->exponent = (uint32_t)(exponent + BIAS);
}

// f7 becomes the product of the others with the other sign, or nearly, or something near its last bits.
static void relate(struct ia64_float f[3])
{
	const long product = (long)f[1].exponent + (long)f[2].exponent - 2 * BIAS;
	const unsigned __int128 exact = (unsigned __int128)f[1].significand * f[2].significand;
	const bool carry = exact >> 127;

	f[0].sign = f[1].sign == f[2].sign;
	switch (below(3)) {
	case 0:
		f[0].significand = (uint64_t)(exact >> (63 + carry)) + below(3) - 1;
		set_exponent(&f[0], product + carry);
		break;
	case 1:
		set_exponent(&f[0], product + near((long)below(9) * 64 - 256));
		break;
	default:
		f[0].sign = draw() >> 40 & 1;
		set_exponent(&f[0], product + (below(2) ? 24 : 53) + (long)below(5) - 2);
		break;
	}
}

static struct experiment draw_experiment(void)
{
	static const unsigned precisions[] = {0, 2, 3};
	struct experiment c = {.variant = variant((unsigned)below(VARIANTS)), .fpsr = below(2) ? 63 : draw() >> 8 & 63};

	for (unsigned sf = 0; sf < 4; sf++) {
		const uint64_t flags = below(2) ? 0 : draw() >> 8 & 63, td = sf ? below(2) : 0;
		const uint64_t field = below(4) / 3 | below(4) / 3 << 1 | precisions[below(3)] << 2 | below(4) << 4;

		c.fpsr |= (field | td << 6 | flags << 7) << (6 + 13 * sf);
	}
	if (below(3) == 0)	/* multiplications and additions are what has most cases */
		c.variant = variant((unsigned)below(9 * 8));
	for (unsigned i = 0; i < 3; i++)
		c.f[i] = draw_operand();
	if (below(4) == 0)	/* a number is rounded, or added */
		c.f[2] = (struct ia64_float)ONE;
	if (below(2))		/* the product is near a limit */
		set_exponent(&c.f[1], near(limits[below(10)]) - ((long)c.f[2].exponent - BIAS));
	if (instructions[c.variant.instruction].operation == RECIPROCAL && below(2))	/* or the quotient */
		set_exponent(&c.f[0], near(below(2) ? 65535 : -65533) + (long)c.f[1].exponent - BIAS);
	if (below(2))
		relate(c.f);
	return c;
}

static void instructions_do_what_mpfr_does(void **context)
{
	struct machine *m = *context;

	state = 88172645463325252;
	for (unsigned long i = 1; i <= cases; i++) {
		const struct experiment c = draw_experiment();
		const struct expected e = expect(&c);

		try(m, &c, &e);
		if (i % 1000000 == 0)
			printf("  %lu of %lu cases\n", i, cases);
	}
}

#define QNAN(payload)	{INTEGER_BIT | QUIET_BIT | (payload), SPECIAL, false}
#define DEFAULT_FPSR	0x9804C0270033FULL	/* field 0: 64 bits, to nearest, no exception interrupts */

// What neither the oracle nor the machine may have misread: single rules, with the manual's section.
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
		// and a pseudo-zero is another operand's equal whatever its exponent: -(-0 * 1) + 1
		{IA64_FNMA, true, ONE, {0, 0x1FFFE, true}, ONE, {ONE, D}},
		// and a double-extended denormal has the exponent 0, as a result: 2^-16383, exact; and as an operand
		{IA64_FMA, false, ONE, {INTEGER_BIT, 0xC000, false}, ONE, {{INTEGER_BIT >> 1, 0, false}, 0}},
		{IA64_FMA, false, ONE, {INTEGER_BIT, 0, false}, ONE, {{INTEGER_BIT, 0xC001, false}, D}},
		// 5.4.3: tiny is what is tiny after rounding: 2^-126 less 2^-190 is not, in single precision
		{IA64_FMA_S, false, ONE, {~0ULL, BIAS - 127, false}, ONE, {{INTEGER_BIT, BIAS - 126, false}, I}},
		// 5.4.3: what is far below a number makes it inexact: 2^255 + 1
		{IA64_FMA, true, {INTEGER_BIT, BIAS + 255, false}, ONE, ONE,
		 {{INTEGER_BIT, BIAS + 255, false}, I}},
		// NaNs: f4's, f2's, f3's
		{IA64_FMA, true, QNAN(7), QNAN(8), QNAN(9), {QNAN(9), 0}},
		{IA64_FMA, true, QNAN(7), QNAN(8), ONE, {QNAN(7), 0}},
		{IA64_FMS, true, ONE, QNAN(8), ONE, {QNAN(8), 0}},
		{IA64_FRCPA, true, QNAN(7), QNAN(8), ONE, {QNAN(7), 0}},
		// Volume 3, tables of frcpa and frsqrta: the ends
		{IA64_FRCPA, true, ONE, ONE, ONE, {{0x7FCULL << 53, BIAS - 1, false}, 0, true}},
		{IA64_FRCPA, true, ONE, {~0ULL, BIAS, true}, ONE, {{0x401ULL << 53, BIAS - 1, true}, 0, true}},
		{IA64_FRSQRTA, true, ONE, ONE, ONE, {{0x7FCULL << 53, BIAS - 1, false}, 0, true}},
		{IA64_FRSQRTA, true, {~0ULL, BIAS, false}, ONE, ONE, {{0x5AAULL << 53, BIAS - 1, false}, 0, true}},
		{IA64_FRSQRTA, true, {INTEGER_BIT, BIAS + 1, false}, ONE, ONE,
		 {{0x5A5ULL << 53, BIAS - 1, false}, 0, true}},
		{IA64_FRSQRTA, true, {~0ULL, BIAS - 1, false}, ONE, ONE, {{0x401ULL << 53, BIAS, false}, 0, true}},
		// A reciprocal out of range is system software's
		{IA64_FRCPA, true, ONE, {1, 1, false}, ONE, {.assistance = true}},
		{IA64_FCVT_FX, true, {0, 5, true}, ONE, ONE, {{0, 0x1003E, false}, D}},
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		struct experiment c = {.f = {rules[i].f7, rules[i].f8, rules[i].f9}, .fpsr = DEFAULT_FPSR};

		while (instructions[c.variant.instruction].encoding != rules[i].encoding)
			c.variant.instruction++;
		c.variant.adds = rules[i].adds;
		try(*context, &c, &rules[i].e);
	}
}

// Volume 2, table of ISR.code: of a pair the higher number's faults are bits 3:0, its traps bits 14:11; the lower
// number's are bits 7:4 and 10:7.
static void pairs_say_which_number(void **context)
{
	static const struct {
		uint64_t f8, f9, result;
		enum ia64_vector vector;
		unsigned code;
	} pairs[] = {
		// The greatest number times 2 overflows and is exact; (1 + 2^-23)^2 is 1 + 2^-22, and less than it was
		{0x7F7FFFFF3F800001, 0x400000003F800001, 0x7FFFFFFF3F800002, VECTOR_FP_TRAP, 1 | 1 << 11 | 1 << 9},
		// 1 is exact; (1 + 2^-23) * (1 - 2^-24) is 1 + 2^-24 - 2^-47, and becomes 1
		{0x3F8000003F800001, 0x3F8000003F7FFFFF, 0x3F8000003F800000, VECTOR_FP_TRAP, 1 | 1 << 9},
		// (1 + 3 * 2^-23) * (1 + 2^-22) is 1 + 5 * 2^-23 + 6 * 2^-46, and becomes less; 1.5 * (1 + 2^-23) is
		// half-way between two numbers, and becomes the greater one, which is even
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
		cmocka_unit_test(instructions_do_what_mpfr_does),
	};

	if (argc == 3 && !strcmp(argv[1], "-n"))
		cases = strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, setup, teardown);
}
