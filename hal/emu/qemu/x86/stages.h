/* SPDX-License-Identifier: BSD-2-Clause */
/* An x86 instruction's way through the pipes of an in-order core (hal/emu/model/inorder.h). */
#ifndef QEMU_STAGES_H
#define QEMU_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../model/inorder.h"
#include "classify.h"
#include "coprocessor.h"

/* The stages of an instruction that QEMU executes. `bits`: width of the code; `is`: its classes.
 * Returns false if the processor's description has no row for it: then it takes one cycle. */
bool stages_find(const struct processor *processor, const uint8_t *bytes, size_t size,
		 unsigned bits, const struct classes *is, struct inorder_instruction *to);

/* Returns the stages of an instruction that the plugin executes. */
struct inorder_instruction stages_lacking(const struct lacking *is);

#endif
