/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of a decoded instruction that matter to the Pentium's pipes. */
#ifndef QEMU_CLASSIFY_PIPES_H
#define QEMU_CLASSIFY_PIPES_H

#include <Zydis/Zydis.h>

#include "pipes.h"

struct pipes_class classify_pipes(const ZydisDecodedInstruction *i,
				  const ZydisDecodedOperand *operands);

#endif
