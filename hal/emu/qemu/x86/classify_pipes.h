/* SPDX-License-Identifier: BSD-2-Clause */
/* What the Pentium's pipes see of an instruction that Zydis has decoded. */
#ifndef QEMU_CLASSIFY_PIPES_H
#define QEMU_CLASSIFY_PIPES_H

#include <Zydis/Zydis.h>

#include "pipes.h"

struct pipes_class classify_pipes(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands);

#endif
