// SPDX-License-Identifier: BSD-2-Clause
// Sets traits, weight and latency of a decoded instruction, by its format, its bits and its bundle.

#include "traits.h"

#include "issue.h"
#include "machine.h"

#define HINT_LOW	28	/* the locality hint of memory references */

// Weights (7.8, FP_OPS_RETIRED_HI). A multiply-add that multiplies by f1 or adds f0 is one
// operation: fadd, fsub, fmpy, fnmpy, fnorm. An operation on pairs always has its full weight.
static uint8_t weight(const struct op *op, enum ia64_format format)
{
	const bool is_one = format == FORMAT_F1 && (op->s4 == 1 || op->s2 == 0);

	return is_one ? 1 : TRAITS_WEIGHT(ia64_formats[format].traits);
}

void ia64_set_traits(const struct processor *processor, struct op *op,
		     const struct bundle_template *template, enum unit unit)
{
	static const uint8_t types[] = {
		[UNIT_B] = OCCURRENCE_TYPE_B, [UNIT_F] = OCCURRENCE_TYPE_F,
		[UNIT_I] = OCCURRENCE_TYPE_I,
		[UNIT_M] = OCCURRENCE_TYPE_M, [UNIT_X] = OCCURRENCE_TYPE_I,
	};
	const enum ia64_format number = ia64_encodings[op->encoding].format;
	const struct format *format = &ia64_formats[number];

	op->type = types[unit];
	op->traits = (uint16_t)(format->traits | TRAIT_ANY);
	if (!(op->bits >> HINT_LOW & 3))
		op->traits &= (uint16_t)~TRAIT_HINT;
	op->weight = weight(op, number);
	if (op->weight)
		op->traits |= TRAIT_WEIGHT;
	if (template->unit[1] == UNIT_B)
		op->traits |= TRAIT_MULTIWAY;
	if (unit != UNIT_B)
		op->traits |= TRAIT_NOT_B;
	op->always = format->traits & (TRAIT_ALWAYS | TRAIT_UNPREDICATED);
	op->multimedia = format->latency == LATENCY_MULTIMEDIA ? 2 : number == FORMAT_A9;
	op->latency = (uint16_t)processor->latency[format->latency];
	ia64_set_operands(op);
}
