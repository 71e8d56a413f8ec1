// SPDX-License-Identifier: BSD-2-Clause
// References of PREFETCHh: prefetches.h.

#include "prefetches.h"

#include "../parallel.h"
#include "../plugin.h"
#include "decoder.h"
#include "operands.h"
#include "references.h"
#include "x86.h"

// SDM volume 2B, "PREFETCHh": T0 prefetches into all caches, T1 and T2 into the L2 cache, NTA into
// the L1 cache.
static bool hint_of(const ZydisDecodedInstruction *i, enum access *access)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_PREFETCHT0:
		*access = ACCESS_PREFETCH;
		return true;
	case ZYDIS_MNEMONIC_PREFETCHT1:
	case ZYDIS_MNEMONIC_PREFETCHT2:
		*access = ACCESS_PREFETCH_L2;
		return true;
	case ZYDIS_MNEMONIC_PREFETCHNTA:
		*access = ACCESS_PREFETCH_ONCE;
		return true;
	default:
		return false;
	}
}

// `data` is unused: QEMU may have freed the translation, so the callback reads the guest's code.
static void prefetches(unsigned number, void *data)
{
	const bool entered = parallel_enter();
	struct cpu *c = plugin_cpu(number);
	uint8_t bytes[CLASSIFY_LONGEST];
	const size_t size = x86_read_code(c->address, bytes, sizeof bytes);
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	ZydisDecoder decoder;
	struct operands_by by;
	enum access access;

	(void)data;
	x86_operands_by(c, c->address, &by);
	decoder = decoder_of(by.bits);
	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &i, operands)) &&
	    hint_of(&i, &access))
		references_prefetch(c, access, operands_address(&i, operands, &by));
	parallel_leave(entered);
}

void prefetches_follow(struct qemu_plugin_insn *qemu)
{
	qemu_plugin_register_vcpu_insn_exec_cb(qemu, prefetches, QEMU_PLUGIN_CB_R_REGS, NULL);
}
