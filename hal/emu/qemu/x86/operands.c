// SPDX-License-Identifier: BSD-2-Clause

#include "operands.h"

uint64_t operands_address(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
			  const struct operands_by *by)
{
	ZydisRegisterContext context = {0};
	ZyanU64 address = 0;

	for (unsigned n = 0; n < 16; n++) {
		context.values[ZYDIS_REGISTER_RAX + n] = by->registers[n];
		context.values[ZYDIS_REGISTER_EAX + n] = (uint32_t)by->registers[n];
		context.values[ZYDIS_REGISTER_AX + n] = (uint16_t)by->registers[n];
	}
	ZydisCalcAbsoluteAddressEx(i, o, by->ip, &context, &address);
	return address + by->bases[o->mem.segment - ZYDIS_REGISTER_ES];
}
