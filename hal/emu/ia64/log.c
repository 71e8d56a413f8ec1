// SPDX-License-Identifier: BSD-2-Clause
// The machine's log of what it executes. It sees only the processor's state and memory, ahead of each instruction, and
// nothing of what is raised for the performance monitor: so it can be compared with what that counts.

#include <inttypes.h>

#include "debug.h"

#define TEXT 128

// Where an instruction is, its privilege level, whether its predicate is true, what its base register holds, its text.
static void put_instruction(const struct machine *m, FILE *out)
{
	char text[TEXT] = "?";
	uint64_t bits = 0;

	if (!(m->psr & PSR_IT) && m->ip <= m->memory_size - BUNDLE_BYTES) {
		const struct bundle bundle = ia64_bundle(m->memory + m->ip);
		const unsigned slot = bundle.template->unit[2] == UNIT_X && m->slot ? 2 : m->slot;

		bits = bundle.slot[slot];
		if (!*bundle.template->name || !ia64_disassemble(&bundle, slot, m->ip, false, text, sizeof text))
			snprintf(text, sizeof text, "?");
	}
	fprintf(out, "%" PRIx64 " %u %u %d %" PRIx64 " %s\n", m->ip, m->slot, ia64_level(m), ia64_pr(m, bits & 63),
		ia64_gr(m, bits >> 20 & 127), text);
}

enum outcome ia64_log(struct machine *m, uint64_t count, FILE *out)
{
	enum outcome outcome = OUTCOME_NEXT;

	while (outcome == OUTCOME_NEXT && m->retired < count && !ferror(out)) {
		const uint64_t before = m->retired;

		put_instruction(m, out);
		outcome = ia64_run(m, 1);
		if (m->retired == before && outcome == OUTCOME_NEXT)
			fprintf(out, "interruption %x\n", (unsigned)m->interruption.vector);
	}
	return outcome;
}
