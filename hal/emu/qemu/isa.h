/* SPDX-License-Identifier: BSD-2-Clause */
/* What the plugin needs to know about an instruction set. One folder implements it for each. */
#ifndef QEMU_ISA_H
#define QEMU_ISA_H

#include "cpu.h"
#include "qemu_plugin.h"

struct isa {
	const char *name;		/* QEMU's: "x86_64", "sparc64" */

	/* Whether QEMU's processors of this instruction set can have this PMU. */
	bool (*has)(const struct pmu_model *model);

	/* Finds QEMU's fields and registers. NULL, or the problem in one line. Outside translated code. */
	const char *(*begin)(struct cpu *c);

	/* NULL, or how the processor that QEMU emulates (-cpu) differs from the one with this PMU, in one line.
	 * No function: any fits. */
	const char *(*mismatch)(const struct cpu *c, const struct pmu_model *model);

	/* The place of a vCPU in the machine, each number from 0; as the guest finds it. */
	struct isa_place {
		unsigned package, core, thread;
	} (*place)(const struct cpu *c);

	/* Decodes an instruction of the block that the calling vCPU translates. */
	void (*decode)(struct instruction *i, const uint8_t *bytes, size_t size);

	/* In a callback before an instruction, which reads registers: its linear address. */
	uint64_t (*address)(const struct cpu *c, const struct instruction *i);

	/* Outside translated code: the linear address at which the vCPU will go on. No function: its blocks are stepped
	 * (block.h). */
	uint64_t (*goes_on_at)(const struct cpu *c);

	/* The vCPU has left a block, and goes on elsewhere, without an interrupt or an exception: the linear address at
	 * which it has left. Where there is `goes_on_at`. */
	uint64_t (*left_at)(const struct cpu *c);

	/* The register of the vCPU's page tables, which is its address space (x86: CR3). No function: nothing
	 * counts such guests from outside. */
	uint64_t (*address_space)(const struct cpu *c);

	/* Before the current instruction, which has `access`: answers it in the PMU's place, and continues after it; or
	 * returns, and QEMU executes it. */
	void (*access)(struct cpu *c, const struct instruction *i);

	/* Raises the overflow interrupt. In the vCPU's thread, outside translated code. NULL: overflows trap. */
	void (*interrupt)(struct cpu *c);

	/* Where overflows trap: before an instruction that has begun, in a callback that reads registers. Does not
	 * return if a trap comes first. NULL: overflows interrupt. */
	void (*before)(struct cpu *c, const struct instruction *i);

	/* QEMU has entered a trap handler: retires or drops the current instruction. NULL: the plugin does so, by the
	 * kind of the discontinuity. */
	void (*entered)(struct cpu *c);

	/* A tick of QEMU's clock is an instruction of its instruction clock. */
	bool ticks_are_instructions;

	/* After QEMU has entered an interrupt's handler: the level that it has interrupted. NULL: there is no PMU that
	 * counts interruptions (overcount=). */
	uint8_t (*interrupted_level)(const struct cpu *c);

	/* The machine around a PMU that writes records: the vCPU that executes. NULL: no PMU does. */
	const struct model_processor *around;

	void (*begin_predictions)(const struct cpu *c);

	/* References to memory: x86/references.h, sparc64/references.h. */
	bool (*begin_references)(const char *machine);
	bool (*references_matter)(void);
	void (*follow)(struct qemu_plugin_insn *qemu, const struct instruction *i);
	void (*fetch)(struct cpu *c, const struct instruction *i);
	unsigned code_line;		/* bytes: `fetch` does nothing for an instruction in the line c->fetched_line */
};

extern const struct isa isa_x86, isa_sparc64;

#endif
