// SPDX-License-Identifier: BSD-2-Clause
// A plugin for QEMU, for comparisons of the bare machine: it translates code of x86 for one linear address, as the PMU
// has it where it counts. QEMU's usual code, for all addresses of the same memory, does not truncate the target of a
// 16-bit jump that stays within a page (QEMU 11.1, gen_jmp_rel), where CS has a base inside a page. Processors do (SDM
// volume 2A, "JMP": EIP AND 0000FFFFH), and so does code for one address.

#include <stdio.h>
#include <stdlib.h>

#include "qemu_plugin.h"
#include "unpromised.h"

int qemu_plugin_version = QEMU_INTERFACE;

static void begin(unsigned number, void *unused)
{
	static size_t registers;
	static const struct unpromised_field fields[] = {{"env.regs", &registers}};
	void *cpu = qemu_get_cpu((int)number);

	(void)unused;
	if (!unpromised_find("x86_64", fields, 1) || !unpromised_find_code_flags(cpu, registers)) {
		fprintf(stderr, "palmon: this QEMU keeps the flags of its code in another form\n");
		exit(1);
	}
	unpromised_own_code(cpu, number, true);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info, (void)argc, (void)argv;
	qemu_plugin_register_vcpu_init_cb(id, begin, NULL);
	return 0;
}
