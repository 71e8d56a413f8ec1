// SPDX-License-Identifier: BSD-2-Clause
// Has the emulator say what the guest of the hyperprivileged monitor executes: each block, with what it accesses, the
// entries of the monitor's trap tables, and RETRY.

#include "sparc64.h"

#include <endian.h>
#include <string.h>

#include "sparc64_block.h"
#include "sparc64_observe.h"
#include "sparc64_references.h"

static const uint8_t enters[SPARC64_INSTRUCTION] = {0x91, 0xD0, 0x20, 0xFF};	// ta HYPER_TRAP_ENTER
static const uint8_t retry[SPARC64_INSTRUCTION] = {0x83, 0xF0, 0x00, 0x00};

static bool is(const struct qemu_plugin_insn *instruction, const uint8_t code[SPARC64_INSTRUCTION])
{
	return !memcmp(qemu_plugin_insn_data(instruction), code, SPARC64_INSTRUCTION);
}

static void accessed(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *instruction)
{
	const struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(access, linear);

	(void)cpu;
	if (address && qemu_plugin_hwaddr_is_io(address))
		sparc64_reach_device((uintptr_t)instruction);
}

#define OP_MEMORY		3	/* of loads, stores, atomics */
#define INSTRUCTIONS_MOST	512	/* of a block; QEMU's TCG_MAX_INSNS */

void sparc64_observe(struct qemu_plugin_tb *from)
{
	static uint32_t code[INSTRUCTIONS_MOST];
	const size_t count = qemu_plugin_tb_n_insns(from);
	struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(from, 0);
	struct sparc64_block *block;

	if (is(instruction, enters)) {
		qemu_plugin_register_vcpu_insn_exec_cb(instruction, sparc64_enter, QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction));
		return;
	}
	for (size_t i = 0; i < count && i < INSTRUCTIONS_MOST; i++) {
		instruction = qemu_plugin_tb_get_insn(from, i);
		memcpy(&code[i], qemu_plugin_insn_data(instruction), SPARC64_INSTRUCTION);
		code[i] = be32toh(code[i]);
		if (is(instruction, retry))
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, sparc64_go_back, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
	}
	block = sparc64_block_make(qemu_plugin_tb_vaddr(from), code, count, sparc64_asi_ahead());
	for (size_t i = 0; i < count; i++)
		sparc64_references_translate(qemu_plugin_tb_get_insn(from, i), code[i], block->asi, i);
	// So is what the emulator executes anew.
	if (count == 1 && code[0] >> 30 == OP_MEMORY)
		qemu_plugin_register_vcpu_mem_cb(instruction, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
						 (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction));
	qemu_plugin_register_vcpu_tb_exec_cb(from, sparc64_execute, QEMU_PLUGIN_CB_NO_REGS, block);
}
