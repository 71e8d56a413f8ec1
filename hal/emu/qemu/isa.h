/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's interface to an instruction set, implemented by one folder each. */
#ifndef QEMU_ISA_H
#define QEMU_ISA_H

#include "cpu.h"
#include "qemu_plugin.h"

struct isa {
	const char *name;		/* QEMU's name: "x86_64", "sparc64" */

	/* Returns true if QEMU's processors of this instruction set can have this PMU. */
	bool (*has)(const struct pmu_model *model);

	/* Locates QEMU's fields and registers. Returns NULL, or the problem in one line. Call
	 * outside translated code. */
	const char *(*begin)(struct cpu *c);

	/* Returns NULL, or the difference between the emulated processor (-cpu) and the one with
	 * this PMU, in one line. NULL function: every processor fits. */
	const char *(*mismatch)(const struct cpu *c, const struct pmu_model *model);

	/* Returns the name of the emulated processor's (-cpu) PMU, or NULL: no model is of that
	 * processor. NULL function: no processor model determines the PMU. */
	const char *(*pmu_of)(const struct cpu *c);

	/* Returns the vCPU's place in the machine, as the guest sees it; each number from 0. */
	struct isa_place {
		unsigned package, core, thread;
	} (*place)(const struct cpu *c);

	/* Decodes an instruction of the block that the calling vCPU translates. */
	void (*decode)(struct instruction *i, const uint8_t *bytes, size_t size);

	/* The second instruction follows the first one in memory; NULL: in another block. Function
	 * NULL: instructions do not depend on the next one. */
	void (*pair)(struct instruction *first, const struct instruction *second);

	/* Returns the instruction's linear address. Call in a callback before it that may read
	 * registers. */
	uint64_t (*address)(const struct cpu *c, const struct instruction *i);

	/* Returns the linear address at which the vCPU will continue. Call outside translated code.
	 * NULL: blocks always execute with a callback per instruction (block.h). */
	uint64_t (*goes_on_at)(const struct cpu *c);

	/* Returns the linear address at which the vCPU left its block without an interrupt or
	 * exception. Required with `goes_on_at`. */
	uint64_t (*left_at)(const struct cpu *c);

	/* Returns the page-table register, which identifies the address space (x86: CR3). NULL:
	 * such guests cannot be counted from outside. */
	uint64_t (*address_space)(const struct cpu *c);

	/* Called before the current instruction if its `access` is not 0. Either executes it for
	 * the PMU and continues after it, or returns, and QEMU executes it. */
	void (*access)(struct cpu *c, const struct instruction *i);

	/* Raises the overflow interrupt. Called in the vCPU's thread, outside translated code.
	 * NULL: overflows trap. */
	void (*interrupt)(struct cpu *c);

	/* For overflows that trap: called before each instruction, in a callback that may read
	 * registers. Does not return if a trap precedes the instruction. NULL: overflows
	 * interrupt. */
	void (*before)(struct cpu *c, const struct instruction *i);

	/* Called after QEMU has entered a trap handler: retires or drops the current instruction.
	 * NULL: the plugin does so, depending on the kind of discontinuity. */
	void (*entered)(struct cpu *c);

	/* One tick of QEMU's clock is one instruction of its instruction clock. */
	bool ticks_are_instructions;

	/* Called after QEMU has entered an interrupt handler: returns the interrupted level. NULL:
	 * no PMU of this instruction set counts interruptions (overcount=). */
	uint8_t (*interrupted_level)(const struct cpu *c);

	/* Memory and registers of the executing vCPU, for a PMU that writes records. NULL: none
	 * does. */
	const struct model_processor *around;

	void (*begin_predictions)(const struct cpu *c);

	/* Memory references: x86/references.h, sparc64/references.h. */
	bool (*begin_references)(const char *machine);
	bool (*references_matter)(void);
	void (*follow)(struct qemu_plugin_insn *qemu, const struct instruction *i);
	void (*fetch)(struct cpu *c, const struct instruction *i);
	unsigned code_line;		/* bytes; `fetch` has no effect for an instruction in the
					 * line c->fetched_line */
};

extern const struct isa isa_x86, isa_sparc64;

#endif
