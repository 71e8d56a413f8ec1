// SPDX-License-Identifier: BSD-2-Clause
// SPARC's implementation of ../isa.h.

#include <string.h>

#include "../unpromised.h"
#include "references.h"
#include "sparc64.h"

static const char *begin(struct cpu *c)
{
	static const struct unpromised_field fields[] = {
		{"env.gregs", &sparc64_layout.globals}, {"env.pc", &sparc64_layout.pc},
		{"env.npc", &sparc64_layout.npc}, {"env.asi", &sparc64_layout.asi},
		{"env.pstate", &sparc64_layout.pstate}, {"env.tl", &sparc64_layout.tl},
		{"env.gl", &sparc64_layout.gl}, {"env.ts", &sparc64_layout.traps},
		{"env.hpstate", &sparc64_layout.hpstate}, {"env.htstate", &sparc64_layout.htstate},
		{"env.htba", &sparc64_layout.htba}, {"env.stick", &sparc64_layout.stick},
		{"env.stick_cmpr", &sparc64_layout.stick_cmpr},
	};

	if (!unpromised_find(isa_sparc64.name, fields, sizeof fields / sizeof *fields))
		return "this QEMU keeps its processors' state in another form (palmon needs QEMU "
		       "11.1)";
	if (sparc64_layout.pc != sparc64_layout.globals + offsetof(struct sparc64_beginning, pc) ||
	    sparc64_layout.npc != sparc64_layout.globals + offsetof(struct sparc64_beginning, npc))
		return "this QEMU keeps its processors' registers in another form (palmon needs "
		       "QEMU 11.1)";
	if (!unpromised_find_clock(c->qemu, sparc64_layout.globals))
		return "this QEMU keeps its instruction clock in another form (palmon needs QEMU "
		       "11.1)";
	if (!c->number)
		sparc64_map_controllers();
	sparc64_look_again(c);
	return NULL;
}

// QEMU's machine (niagara) has one CPU.
static struct isa_place place(const struct cpu *c)
{
	return (struct isa_place){.core = c->number};
}

// Only SPARC models support next-to-commit instructions.
static bool has(const struct pmu_model *model)
{
	return model->machine->commit;
}

// QEMU looks up SPARC blocks by virtual address and shares none between addresses.
static uint64_t address(const struct cpu *c, const struct instruction *i)
{
	(void)c;
	return i->translated_at;
}

static void before(struct cpu *c, const struct instruction *i)
{
	if (!sparc64_is_halted(c, i))
		sparc64_before(c, i);
}

const struct isa isa_sparc64 = {
	.name = "sparc64", .has = has, .begin = begin, .place = place, .decode = sparc64_decode,
	.address = address,
	.access = sparc64_access, .before = before, .entered = sparc64_entered,
	.begin_references = sparc64_begin_references,
	.begin_predictions = sparc64_begin_predictions,
	.references_matter = sparc64_references_matter, .follow = sparc64_follow,
	.fetch = sparc64_fetch,
};
