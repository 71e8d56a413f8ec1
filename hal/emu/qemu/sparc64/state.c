// SPDX-License-Identifier: BSD-2-Clause
// SPARC: a vCPU's state in QEMU.

#include <string.h>

#include "operands.h"
#include "class.h"
#include "../plugin.h"
#include "../unpromised.h"
#include "references.h"
#include "sparc64.h"

struct sparc64_layout sparc64_layout;

struct sparc64_saved *sparc64_saved(const struct cpu *c)
{
	return SPARC64_STATE(c->qemu, struct sparc64_saved, traps) +
	       *SPARC64_STATE(c->qemu, uint32_t, tl) % SPARC64_TRAP_LEVELS;
}

void sparc64_registers(const struct cpu *c, uint64_t registers[32])
{
	const struct sparc64_beginning *b = sparc64_env(c);

	memcpy(registers, b->globals, sizeof b->globals);
	memcpy(registers + 8, b->window, 24 * sizeof *registers);
	registers[0] = 0;
}

void sparc64_set_register(const struct cpu *c, unsigned number, uint64_t value)
{
	struct sparc64_beginning *b = sparc64_env(c);

	if (number >= 8)
		b->window[number - 8] = value;
	else if (number)
		b->globals[number] = value;
}

uint64_t sparc64_operand(const struct cpu *c, const struct instruction *i)
{
	uint64_t registers[32];

	sparc64_registers(c, registers);
	return sparc64_access_address(i->code, registers);
}

_Noreturn void sparc64_skip(struct cpu *c)
{
	plugin_restore(c);
	unpromised_pass_instruction();
	*SPARC64_STATE(c->qemu, uint64_t, pc) = *SPARC64_STATE(c->qemu, uint64_t, npc);
	*SPARC64_STATE(c->qemu, uint64_t, npc) += SPARC64_INSTRUCTION;
	cpu_loop_exit(c->qemu);
}
