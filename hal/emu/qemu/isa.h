/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's interface to an instruction set. One folder implements it for each. */
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

	/* Returns the instruction's linear address, in a callback before it that may read registers. */
	uint64_t (*address)(const struct cpu *c, const struct instruction *i);

	/* Returns the linear address at which the vCPU will continue. Outside translated code. No function: its blocks
	 * are stepped (block.h). */
	uint64_t (*goes_on_at)(const struct cpu *c);

	/* After the vCPU left a block without an interrupt or an exception, returns the linear address at which it did.
	 * Needed with `goes_on_at`. */
	uint64_t (*left_at)(const struct cpu *c);

	/* Returns the vCPU's page-table register, which identifies its address space (x86: CR3). No function: such
	 * guests cannot be counted from outside. */
	uint64_t (*address_space)(const struct cpu *c);

	/* Before the current instruction, which has `access`: carries it out for the PMU, and continues after it; or
	 * returns, and QEMU executes it. */
	void (*access)(struct cpu *c, const struct instruction *i);

	/* Raises the overflow interrupt. In the vCPU's thread, outside translated code. NULL: overflows trap. */
	void (*interrupt)(struct cpu *c);

	/* For overflows that trap: called before an instruction that has begun, in a callback that may read registers.
	 * Does not return if a trap precedes the instruction. NULL: overflows interrupt. */
	void (*before)(struct cpu *c, const struct instruction *i);

	/* QEMU has entered a trap handler: retires or drops the current instruction. NULL: the plugin does so, by the
	 * kind of the discontinuity. */
	void (*entered)(struct cpu *c);

	/* Each tick of QEMU's clock is an instruction of its instruction clock. */
	bool ticks_are_instructions;

	/* After QEMU has entered an interrupt's handler, returns the interrupted level. NULL: no PMU of this
	 * instruction set counts interruptions (overcount=). */
	uint8_t (*interrupted_level)(const struct cpu *c);

	/* Memory and registers for a PMU that writes records: those of the executing vCPU. NULL: no PMU does. */
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
