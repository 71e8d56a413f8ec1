// SPDX-License-Identifier: BSD-2-Clause
// Adds the plugin's callbacks to QEMU's translation blocks: translate.h.

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

// QEMU 11.1 multiplies the number of the translating vCPU, a constant of the block, by the size of
// a scoreboard entry. If that size is not 1, this changes all uses of the constant in the block,
// those of guest code included. So the size is 1, and an offset leads from the vCPU's byte of the
// scoreboard to the plugin's own variable.
static struct qemu_plugin_scoreboard *scoreboard;

void translate_begin(void)
{
	scoreboard = qemu_plugin_scoreboard_new(1);
}

static qemu_plugin_u64 at(unsigned translator, const void *variable)
{
	return (qemu_plugin_u64){scoreboard, (uintptr_t)variable -
					     (uintptr_t)qemu_plugin_scoreboard_find(scoreboard,
										    translator)};
}

static uint64_t line_of(const struct isa *isa, uint64_t address)
{
	return address & -(uint64_t)isa->code_line;
}

// Translated code counts the instructions that may fetch a line or access memory (blocks.begun). It
// calls back before an instruction in another line of code than the last one; QEMU calls back at
// each memory access.
static void follow_references(struct qemu_plugin_tb *qemu, struct cpu *c, struct block *b,
			      const struct isa *isa, const struct callbacks *before)
{
	uint64_t line = 0;

	for (unsigned n = 0; n < b->count; n++) {
		struct instruction *const i = &b->instruction[n];
		struct qemu_plugin_insn *const at_n = qemu_plugin_tb_get_insn(qemu, n);
		const uint64_t first = line_of(isa, i->translated_at);
		const uint64_t last = line_of(isa, i->translated_at + i->size - 1);
		const bool fetches = !n || first != line || last != line;

		line = last;
		if (fetches || i->is.loads || i->is.stores)
			qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(at_n,
									QEMU_PLUGIN_INLINE_ADD_U64,
									    at(c->number,
									       &c->blocks.begun),
									       1);
		if (fetches)
			qemu_plugin_register_vcpu_insn_exec_cond_cb(at_n, before->fetch,
								    QEMU_PLUGIN_CB_NO_REGS,
								    first == last ?
								    QEMU_PLUGIN_COND_NE :
									QEMU_PLUGIN_COND_ALWAYS,
								    at(c->number, &c->fetched_line),
								    first + 1, i);
		isa->follow(at_n, i);
	}
}

static void follow_block(struct qemu_plugin_tb *qemu, struct cpu *c, struct block *b,
			 const struct isa *isa,
			 enum follows follows, const struct callbacks *before)
{
	struct qemu_plugin_insn *const first = qemu_plugin_tb_get_insn(qemu, 0);
	struct qemu_plugin_insn *const last = qemu_plugin_tb_get_insn(qemu, b->count - 1);
	struct blocks *const s = &c->blocks;
	const qemu_plugin_u64 room = at(c->number, &s->room[b->instruction[0].level]);
	uint64_t sum[BLOCK_SUMS];

	qemu_plugin_register_vcpu_insn_exec_cond_cb(first, before->block, QEMU_PLUGIN_CB_R_REGS,
						    QEMU_PLUGIN_COND_GT, room, block_least(b), b);
	if (block_asks_branches())
		qemu_plugin_register_vcpu_insn_exec_cb(first, before->branched,
						       QEMU_PLUGIN_CB_NO_REGS, b);
	if (block_opens(b))
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(first,
								    QEMU_PLUGIN_INLINE_ADD_U64,
								    room, block_opens(b));
	if (follows_references(follows))
		follow_references(qemu, c, b, isa, before);
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(last, QEMU_PLUGIN_INLINE_ADD_U64, room,
							    block_closes(b));
	block_sums(b, sum);
	for (unsigned n = 0; n < BLOCK_SUMS; n++)
		if (sum[n])
			qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(last,
									QEMU_PLUGIN_INLINE_ADD_U64,
									    at(c->number,
									       &s->sum[n]), sum[n]);
	if (b->numbers)
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(last,
								    QEMU_PLUGIN_INLINE_STORE_U64,
								    at(c->number, &s->numbers),
								    (uintptr_t)b);
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(last, QEMU_PLUGIN_INLINE_STORE_U64,
							    at(c->number, &s->ended), (uintptr_t)b);
}

void translate(struct qemu_plugin_tb *qemu_block, struct cpu *c, const struct isa *isa,
	       enum follows follows, const struct callbacks *before)
{
	struct block *b = block_new(c, qemu_plugin_tb_n_insns(qemu_block));

	for (unsigned n = 0; n < b->count; n++) {
		decode(isa, qemu_plugin_tb_get_insn(qemu_block, n), &b->instruction[n]);
		if (n)
			b->instruction[n - 1].before_string = b->instruction[n].is.kinds &
				CLASS_REPEATED;
	}
	for (unsigned n = 0; isa->pair && n < b->count; n++)
		isa->pair(&b->instruction[n], n + 1 < b->count ? &b->instruction[n + 1] : NULL);
	if (follows_blocks(follows))
		block_complete(b, follows_references(follows));
	if (follows_blocks(follows) && !b->steps) {
		follow_block(qemu_block, c, b, isa, follows, before);
		return;
	}
	for (unsigned n = 0; n < b->count; n++) {
		struct qemu_plugin_insn *qemu = qemu_plugin_tb_get_insn(qemu_block, n);
		struct instruction *i = &b->instruction[n];

		if (follows != NOTHING)
			qemu_plugin_register_vcpu_insn_exec_cb(qemu, before->instruction,
							       QEMU_PLUGIN_CB_R_REGS, i);
		if (follows_references(follows))
			isa->follow(qemu, i);
		if (i->access)
			qemu_plugin_register_vcpu_insn_exec_cb(qemu, before->access,
							       QEMU_PLUGIN_CB_RW_REGS_PC, i);
	}
}
