// SPDX-License-Identifier: BSD-2-Clause
// From QEMU's blocks to the plugin's: translate.h.

#include "translate.h"

#include "block.h"

static void decode(const struct isa *isa, struct qemu_plugin_insn *qemu, struct instruction *i)
{
	uint8_t bytes[16];
	const size_t size = qemu_plugin_insn_data(qemu, bytes, sizeof bytes);

	i->translated_at = qemu_plugin_insn_vaddr(qemu);
	i->size = (uint8_t)size;
	isa->decode(i, bytes, size);
}

// QEMU 11.1 multiplies the number of the vCPU that translates, a constant of the block, by the size of a scoreboard's
// part. Where that is not 1, all uses of the constant in the block are wrong, those of the guest's code, too. So it is
// 1, and the offset leads from the scoreboard, and the vCPU's byte of it, to the plugin's own variable.
static void set_at(struct qemu_plugin_insn *qemu, unsigned translator, uint64_t *variable, uint64_t value)
{
	static struct qemu_plugin_scoreboard *scoreboard;
	uintptr_t part;

	if (!scoreboard)
		scoreboard = qemu_plugin_scoreboard_new(1);
	part = (uintptr_t)qemu_plugin_scoreboard_find(scoreboard, translator);
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(qemu, QEMU_PLUGIN_INLINE_STORE_U64,
		(qemu_plugin_u64){scoreboard, (uintptr_t)variable - part}, value);
}

static void follow_block(struct qemu_plugin_tb *qemu, unsigned translator, struct block *b, qemu_plugin_vcpu *before)
{
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(qemu, 0), before, QEMU_PLUGIN_CB_R_REGS, b);
	set_at(qemu_plugin_tb_get_insn(qemu, b->count - 1), translator, &block_ended, (uintptr_t)b);
}

void translate(struct qemu_plugin_tb *qemu_block, unsigned translator, const struct isa *isa, enum follows follows,
	       const struct callbacks *before)
{
	struct block *b = block_new(qemu_plugin_tb_n_insns(qemu_block));

	for (unsigned n = 0; n < b->count; n++) {
		decode(isa, qemu_plugin_tb_get_insn(qemu_block, n), &b->instruction[n]);
		if (n)
			b->instruction[n - 1].before_string = b->instruction[n].is.kinds & CLASS_REPEATED;
	}
	if (follows == BLOCKS)
		block_complete(b);
	if (follows == BLOCKS && !b->steps) {
		follow_block(qemu_block, translator, b, before->block);
		return;
	}
	for (unsigned n = 0; n < b->count; n++) {
		struct qemu_plugin_insn *qemu = qemu_plugin_tb_get_insn(qemu_block, n);
		struct instruction *i = &b->instruction[n];

		if (follows != NOTHING)
			qemu_plugin_register_vcpu_insn_exec_cb(qemu, before->instruction, QEMU_PLUGIN_CB_R_REGS, i);
		if (follows == REFERENCES)
			isa->follow(qemu, i);
		if (i->access)
			qemu_plugin_register_vcpu_insn_exec_cb(qemu, before->access, QEMU_PLUGIN_CB_RW_REGS_PC, i);
	}
}
