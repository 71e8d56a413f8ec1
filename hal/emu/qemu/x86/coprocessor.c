// SPDX-License-Identifier: BSD-2-Clause
// Decodes instructions that QEMU's processors lack: coprocessor.h. Zydis decodes Knights Corner's
// (327364, "Intel Xeon Phi Coprocessor Instruction Set Architecture Reference Manual").

#include "coprocessor.h"

#include <string.h>

#include "classify_pipes.h"
#include "decoder.h"
#include "spflt.h"

// T0 prefetches into both caches, T1 and T2 into the L2 cache, NTA into the L1 cache. The plugin
// does not execute prefetches that also request ownership (VPREFETCHEn).
static bool take_prefetch(const ZydisDecodedInstruction *i, enum access *access)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_VPREFETCH0:
		*access = ACCESS_VPREFETCH0;
		return true;
	case ZYDIS_MNEMONIC_VPREFETCH1:
		*access = ACCESS_VPREFETCH1;
		return true;
	case ZYDIS_MNEMONIC_VPREFETCH2:
		*access = ACCESS_PREFETCH_L2;
		return true;
	case ZYDIS_MNEMONIC_VPREFETCHNTA:
		*access = ACCESS_PREFETCH_ONCE;
		return true;
	default:
		return false;
	}
}

struct lacking lacking_decode(const uint8_t *bytes, size_t size, const struct operands_by *guest)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	struct lacking is = {0};
	ZydisDecoder decoder;
	unsigned number;

	is.length = (uint8_t)spflt_decode(bytes, size, &number);
	if (is.length) {
		is.kind = LACKING_SPFLT;
		is.number = (uint8_t)number;
		return is;
	}
	if (guest->bits != 64)
		return is;
	decoder = decoder_of(guest->bits);
	ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_TRUE);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &i, operands)))
		return is;
	is.pipes = classify_pipes(&i, operands);
	if (take_prefetch(&i, &is.access)) {
		is.kind = LACKING_PREFETCH;
		is.length = i.length;
		is.linear = operands_address(&i, operands, guest);
	} else if (vector_take(&is.vector, &i, operands)) {
		is.kind = LACKING_VECTOR;
		is.length = i.length;
		if (is.vector.loads || is.vector.stores)
			is.linear = operands_address(&i,
						     &operands[is.vector.stores ?
							       0 : i.operand_count - 1], guest);
	}
	return is;
}
