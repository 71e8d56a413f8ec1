/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits x86 instructions into micro-ops (hal/emu/model/pipeline.h), by the rows of the processor's
 * description. */
#ifndef QEMU_UOPS_H
#define QEMU_UOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

#include "../../model/pipeline.h"
#include "classify.h"

/* Returns the row of the processor's description for a decoded instruction, or NULL. */
const struct processor_uops *uops_row(const struct processor *processor,
				      const ZydisDecodedInstruction *i,
				      const ZydisDecodedOperand *operands);

/* Stores the micro-ops of an instruction. `bits`: width of the code; `is`: its classes. Returns
 * false if the processor has no row for it; *i then has one micro-op for its computation. */
bool uops_split(const struct processor *processor, const uint8_t *bytes, size_t size, unsigned bits,
		const struct classes *is, struct pipeline_instruction *i);

/* Returns the micro-ops of an instruction, the same pointer for the same bytes, valid until the
 * program ends. */
const struct pipeline_instruction *uops_of(const struct processor *processor, const uint8_t *bytes,
					   size_t size, unsigned bits,
					   const struct classes *is);

/* A compare, and the branch after it that fuses with it: the two are one micro-op, for the port of
 * branches. Takes and returns pointers of uops_of. */
const struct pipeline_instruction *uops_fused_compare(const struct pipeline_instruction *i);
const struct pipeline_instruction *uops_fused_branch(const struct pipeline_instruction *i);

#endif
