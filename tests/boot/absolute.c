// SPDX-License-Identifier: BSD-2-Clause
// A plugin for QEMU, for comparisons with the bare machine. It makes QEMU translate x86 code for
// one linear address, as the PMU does while it counts; otherwise QEMU translates it for all
// addresses of the same memory. In 16-bit code the results may differ (QEMU 11.1):
//
// - QEMU does not truncate a jump within a page to 16 bits (gen_jmp_rel) if the base of CS lies
//   inside a page. Code for one address truncates it, as processors do (SDM volume 2A, "JMP").
// - Code that runs past IP FFFFH faults on a processor. QEMU continues after FFFFH up to the end of
//   the block.

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
