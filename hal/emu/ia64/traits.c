// SPDX-License-Identifier: BSD-2-Clause
// What encodings are to the performance monitor.

#include "traits.h"

#include <string.h>

#include "issue.h"
#include "machine.h"

#define HINT_LOW	28	/* the locality hint of memory references */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static unsigned traits(enum ia64_encoding encoding)
{
	static const struct {
		const char *name;
		uint8_t traits;
	} of[] = {
		{"nop.m", TRAIT_NOP}, {"nop.i", TRAIT_NOP}, {"nop.b", TRAIT_NOP}, {"br.", TRAIT_BRANCH},
		{"chk.a", TRAIT_CHECK_ADVANCED}, {"chk.s", TRAIT_CHECK_SPECULATIVE},
	};
	const bool is_float = encoding == IA64_CHK_S_F || encoding == IA64_CHK_A_NC_F || encoding == IA64_CHK_A_CLR_F;

	for (size_t i = 0; i < COUNT(of); i++)
		if (begins(ia64_encodings[encoding].mnemonic, of[i].name))
			return of[i].traits | (is_float ? TRAIT_FLOAT : 0u);
	return encoding == IA64_SRLZ_I || encoding == IA64_RFI || encoding == IA64_BRP ? TRAIT_OTHER : 0;
}

// Weights of floating-point operations (7.8, FP_OPS_RETIRED_HI). fadd, fsub and fnorm multiply by f1, fmpy and fnorm
// add f0.
static uint8_t float_weight(enum ia64_encoding encoding, const struct op *op)
{
	static const struct {
		const char *name;
		uint8_t weight;
	} of[] = {
		{"fma", 2}, {"fms", 2}, {"fnma", 2}, {"fpma", 4}, {"fpms", 4}, {"fpnma", 4},
		{"frcpa", 1}, {"frsqrta", 1}, {"fprcpa", 2}, {"fprsqrta", 2},
	};
	const char *name = ia64_encodings[encoding].mnemonic;

	for (size_t i = 0; i < COUNT(of); i++) {
		const size_t length = strlen(of[i].name);

		if (begins(name, of[i].name) && strcspn(name, ".%") == length)
			return i < 3 && (op->s4 == 1 || op->s2 == 0) ? 1 : of[i].weight;
	}
	return 0;
}

void ia64_set_traits(const struct processor *processor, struct op *op, const struct bundle_template *template,
		     enum unit unit)
{
	static const uint8_t types[] = {
		[UNIT_B] = OCCURRENCE_TYPE_B, [UNIT_F] = OCCURRENCE_TYPE_F, [UNIT_I] = OCCURRENCE_TYPE_I,
		[UNIT_M] = OCCURRENCE_TYPE_M, [UNIT_X] = OCCURRENCE_TYPE_I,
	};

	op->type = types[unit];
	op->traits = (uint16_t)traits(op->encoding);
	if (template->unit[1] == UNIT_B)
		op->traits |= TRAIT_MULTIWAY;
	if (strstr(ia64_encodings[op->encoding].mnemonic, "%h") && op->bits >> HINT_LOW & 3)
		op->traits |= TRAIT_HINT;
	ia64_set_operands(op);
	op->latency = (uint8_t)ia64_latency_of(processor, op);
	op->weight = float_weight(op->encoding, op);
	op->traits |= TRAIT_ANY | (op->weight ? TRAIT_WEIGHT : 0) | (unit == UNIT_B ? 0 : TRAIT_NOT_B);
}
