// SPDX-License-Identifier: BSD-2-Clause
// The plugin's connection with the emulator: finds what rings a mailbox among the instructions that it translates.

#include <stdio.h>
#include <string.h>

#include "mailbox.h"
#include "memory.h"
#include "answer.h"
#include "qemu.h"

#define MOVE_IMMEDIATE 0xC7	/* x86: MOV r/m32, imm32 */

QEMU_EXPORT int qemu_plugin_version = QEMU_INTERFACE;

// Whether the instruction stores MAILBOX_RING: behind an optional REX prefix.
static bool is_ring(const struct qemu_plugin_insn *instruction)
{
	const uint8_t *bytes = qemu_plugin_insn_data(instruction);
	const size_t size = qemu_plugin_insn_size(instruction);
	uint32_t immediate;

	if (size < 6 || (bytes[0] != MOVE_IMMEDIATE && bytes[1] != MOVE_IMMEDIATE))
		return false;
	memcpy(&immediate, bytes + size - sizeof immediate, sizeof immediate);
	return immediate == MAILBOX_RING;
}

// The access is done. Nobody else executes: with an instruction clock QEMU has one thread for all CPUs.
static void ring(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *context)
{
	const struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(access, linear);

	(void)context;
	if (address && !qemu_plugin_hwaddr_is_io(address))
		answer_call(cpu, qemu_plugin_hwaddr_phys_addr(address));
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);

		if (is_ring(instruction))
			qemu_plugin_register_vcpu_mem_cb(instruction, ring, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
							 NULL);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	(void)argv;
	if (argc) {
		fprintf(stderr, "palmon plugin: it has no arguments\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
