// SPDX-License-Identifier: BSD-2-Clause
// Prints instructions as objdump prints them.

#include "encoding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A completer: the field that selects it, and its texts by the field's value.
struct completer {
	char letter;
	struct bits bits;
	const char *text[4];
};

static const struct completer completers[] = {
	{'h', {28, 2}, {"", ".nt1", ".nt2", ".nta"}},
	{'f', {34, 2}, {".s0", ".s1", ".s2", ".s3"}},
	{'w', {33, 2}, {".sptk", ".spnt", ".dptk", ".dpnt"}},
	{'p', {12, 1}, {".few", ".many"}},
	{'d', {35, 1}, {"", ".clr"}},
	{'m', {20, 2}, {".sptk", "", ".dptk", ".reserved"}},
	{'i', {23, 1}, {"", ".imp"}},
	{'b', {3, 2}, {".sptk", ".loop", ".dptk", ".exit"}},
	{'j', {35, 1}, {"", ".imp"}},
};

// A second name of an instruction for these values of its fields. `same`: f2 and f3 must be the
// same register.
struct alias {
	enum ia64_encoding encoding;
	uint64_t mask, value;
	const char *mnemonic, *operands;
	bool same;
};

#define F2		(127ULL << 13)
#define F4		(127ULL << 27)
#define F4_IS_1		(1ULL << 27)
#define IMM14		(1ULL << 36 | 63ULL << 27 | 127ULL << 13)
#define WH_IH		(1ULL << 23 | 3ULL << 20)
#define WH_QP		(3ULL << 33 | 63)
// f4 is 1.0, or f2 is 0.0, or both; in each precision.
#define PRODUCTS(M, N, name, shape, mask, value) \
	{IA64_F##M, mask, value, "f" name "%f", shape, false}, \
	{IA64_F##M##_S, mask, value, "f" name ".s%f", shape, false}, \
	{IA64_F##M##_D, mask, value, "f" name ".d%f", shape, false},
#define SIGNS(F, f) \
	{IA64_F##F##MERGE_S, F2, 0, f "abs", "f1=f3", false}, \
	{IA64_F##F##MERGE_NS, F2, 0, f "negabs", "f1=f3", false}, \
	{IA64_F##F##MERGE_NS, 0, 0, f "neg", "f1=f3", true},

static const struct alias aliases[] = {
	{IA64_ADDS, IMM14, 0, "mov", "r1=r3", false},
	{IA64_MOV_TO_B, WH_IH, 1ULL << 20, "mov", "b1=r2", false},
	{IA64_BR_COND, WH_QP, 0, "br%p%d", "target25", false},
	{IA64_BR_COND_B, WH_QP, 0, "br%p%d", "b2", false},
	PRODUCTS(MA, NORM, "norm", "f1=f3", F4 | F2, F4_IS_1)
	PRODUCTS(MA, ADD, "add", "f1=f3,f2", F4, F4_IS_1)
	PRODUCTS(MA, MPY, "mpy", "f1=f3,f4", F2, 0)
	PRODUCTS(MS, SUB, "sub", "f1=f3,f2", F4, F4_IS_1)
	PRODUCTS(NMA, NMPY, "nmpy", "f1=f3,f4", F2, 0)
	{IA64_FPMA, F2, 0, "fpmpy%f", "f1=f3,f4", false},
	{IA64_FPNMA, F2, 0, "fpnmpy%f", "f1=f3,f4", false},
	{IA64_XMA_L, F2, 0, "xmpy.l", "f1=f3,f4", false},
	{IA64_XMA_H, F2, 0, "xmpy.h", "f1=f3,f4", false},
	{IA64_XMA_HU, F2, 0, "xmpy.hu", "f1=f3,f4", false},
	SIGNS(, "f")
	SIGNS(P, "fp")
	{IA64_FMERGE_S, 0, 0, "mov", "f1=f3", true},
};

static const char *const ar_names[128] = {
	[0] = "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", [16] = "rsc", "bsp", "bspstore",
	"rnat", [21] = "fcr",
	[24] = "eflag", "csd", "ssd", "cflg", "fsr", "fir", "fdr", [32] = "ccv", [36] = "unat",
	[40] = "fpsr",
	[44] = "itc", [64] = "pfs", "lc", "ec",
};

static const char *const cr_names[128] = {
	[0] = "dcr", "itm", "iva", [8] = "pta", [16] = "ipsr", "isr", [19] = "iip", "ifa", "itir",
	"iipa", "ifs", "iim",
	"iha", [64] = "lid", "ivr", "tpr", "eoi", "irr0", "irr1", "irr2", "irr3", "itv", "pmv",
	"cmcv", [80] = "lrr0",
	"lrr1",
};

static const char *const permutations[16] = {
	[0] = "@brcst", [8] = "@mix", "@shuf", "@alt", "@rev",
};

struct text {
	char *at, *end;
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int length = vsnprintf(t->at, (size_t)(t->end - t->at), format, arguments);
	va_end(arguments);
	t->at = length < t->end - t->at ? t->at + length : t->end - 1;
}

static void put_mnemonic(struct text *t, const char *mnemonic, uint64_t slot)
{
	for (; *mnemonic; mnemonic++) {
		if (*mnemonic != '%') {
			put(t, "%c", *mnemonic);
			continue;
		}
		mnemonic++;
		for (size_t i = 0; i < sizeof completers / sizeof *completers; i++) {
			const struct completer *c = &completers[i];

			if (c->letter == *mnemonic)
				put(t, "%s",
				    c->text[slot >> c->bits.low & ((1u << c->bits.width) - 1)]);
		}
	}
}

static void put_named(struct text *t, const char *prefix, const char *const *names, int64_t number)
{
	if (names[number])
		put(t, "%s.%s", prefix, names[number]);
	else
		put(t, "%s%" PRId64, prefix, number);
}

static void put_operand(struct text *t, const struct operand *o, int64_t value, uint64_t address)
{
	switch (o->kind) {
	case OPERAND_REGISTER:
		put(t, "%c%" PRId64, o->prefix, value);
		break;
	case OPERAND_NUMBER:
	case OPERAND_INCREMENT:
	case OPERAND_MULTIPLY_SHIFT:
		put(t, "%" PRId64, value);
		break;
	case OPERAND_HEX:
		put(t, "0x%" PRIx64, (uint64_t)value);
		break;
	case OPERAND_TARGET:
		put(t, "0x%" PRIx64, address + (uint64_t)value);
		break;
	case OPERAND_AR:
		put_named(t, "ar", ar_names, value);
		break;
	case OPERAND_CR:
		put_named(t, "cr", cr_names, value);
		break;
	case OPERAND_PERMUTATION:
		put(t, "%s", permutations[value] ? permutations[value] : "@reserved");
		break;
	}
}

static void put_operands(struct text *t, const char *operands, uint64_t slot, uint64_t long_slot,
			 uint64_t address)
{
	put(t, "%s", *operands ? " " : "");
	while (*operands) {
		const size_t length = strcspn(operands, "=,[]"), printed = length ? length : 1;
		const struct operand *o = ia64_find_operand(operands, length);

		if (o)
			put_operand(t, o, ia64_operand(o, slot, long_slot), address);
		else
			put(t, "%.*s", (int)printed, operands);
		operands += printed;
	}
}

static const struct alias *find_alias(enum ia64_encoding encoding, uint64_t slot)
{
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
		const struct alias *a = &aliases[i];

		if (a->encoding == encoding && (slot & a->mask) == a->value &&
		    (!a->same || (slot >> 13 & 127) == (slot >> 20 & 127)))
			return a;
	}
	return NULL;
}

bool ia64_disassemble(const struct bundle *bundle, unsigned slot, uint64_t address,
		      bool with_aliases, char *text, size_t size)
{
	const uint64_t bits = bundle->slot[slot];
	const enum ia64_encoding encoding = ia64_decode(bundle->template->unit[slot], bits);
	const struct alias *alias = with_aliases ? find_alias(encoding, bits) : NULL;
	struct text t = {text, text + size};

	if (encoding == ENCODINGS)
		return false;
	const struct encoding *e = &ia64_encodings[encoding];
	if (ia64_is_predicated(e->format) && bits & 63)
		put(&t, "(p%02" PRIu64 ") ", bits & 63);
	put_mnemonic(&t, alias ? alias->mnemonic : e->mnemonic, bits);
	put_operands(&t, alias ? alias->operands : ia64_formats[e->format].operands, bits,
		     bundle->slot[1], address);
	if (bundle->template->stop[slot])
		put(&t, ";;");
	return true;
}
