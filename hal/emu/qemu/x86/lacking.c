// SPDX-License-Identifier: BSD-2-Clause
// x86: executes Knights Corner's instructions that QEMU lacks (coprocessor.h). QEMU calls the
// plugin before every instruction, also before one that it will find undefined. It may have decoded
// only a part of its bytes, so each execution reads them from the guest's memory.

#include "coprocessor.h"

#include "../plugin.h"
#include "../timeline.h"
#include "../unpromised.h"
#include "references.h"
#include "x86.h"

// One per hardware thread. No software saves them on a context switch, so only one program at a
// time can use them.
static struct vector_unit units[CPUS_MOST];

static struct lacking decode(const struct cpu *c, uint64_t linear)
{
	struct operands_by guest;
	uint8_t bytes[CLASSIFY_LONGEST];

	x86_operands_by(c, linear, &guest);
	return lacking_decode(bytes, x86_read_code(linear, bytes, sizeof bytes), &guest);
}

struct lacking x86_lacking(const struct instruction *i)
{
	return decode(plugin_running(), i->translated_at);
}

static void filter(struct cpu *c, const struct lacking *is)
{
	timeline_begin_write(c);
	vpmu_spflt(&c->vpmu, x86_registers(c)[is->number] & 1, 1);
	timeline_resume(c);
	plugin_changed(c);
}

// Checks a vector instruction's memory operand: raises #GP if it is misaligned, or the fault of an
// access at the vCPU's privilege level (327364, "Exceptions" of each instruction). An aligned
// operand lies within a page.
static void probe(struct cpu *c, const struct instruction *i, const struct lacking *is)
{
	const uintptr_t here = c->here;

	if (is->linear % is->vector.bytes)
		x86_raise(c, X86_GP);
	c->here = 0;
	probe_access(x86_env(c), is->linear, is->vector.bytes,
		     is->vector.stores ? UNPROMISED_STORE : UNPROMISED_LOAD,
		     x86_mmu_index_pl(x86_env(c), i->level), here);
	c->here = here;
}

// Returns false if the operand is in a device.
static bool calculate(struct cpu *c, const struct instruction *i, const struct lacking *is)
{
	struct vector_unit *unit = &units[c->number];
	const struct vector_operation *o = &is->vector;
	const unsigned active = vector_active(unit, o);
	const bool refers = o->bytes && active;
	uint8_t memory[VECTOR_BYTES] = {0};

	if (refers)
		probe(c, i, is);
	if (refers && !x86_around.read(NULL, is->linear, memory, o->bytes))
		return false;
	if (o->what != VECTOR_SET_MASK)
		timeline_happens(c, c->core, CPU_EVENT_VECTOR, 0);
	if (!timed_is_used && vector_waits(unit, o, timeline_now(c)))
		timeline_happens(c, c->core, CPU_EVENT_VECTOR_WAITS, 0);
	for (unsigned rest = active; rest; rest &= rest - 1)
		timeline_happens(c, c->core, CPU_EVENT_VECTOR_ELEMENT, 0);
	if (refers)
		references_vector(c, o->stores, is->linear, o->bytes);
	vector_execute(unit, o, memory, x86_registers(c)[o->second % 16]);
	return !refers || !o->stores || x86_around.write(NULL, is->linear, memory, o->bytes);
}

void x86_carry_out(struct cpu *c, const struct instruction *i)
{
	const struct lacking is = decode(c, c->address);

	switch (is.kind) {
	case LACKING_SPFLT:
		filter(c, &is);
		break;
	case LACKING_PREFETCH:
		references_prefetch(c, is.access, is.linear);
		break;
	case LACKING_VECTOR:
		if (calculate(c, i, &is))
			break;
		return;
	default:
		return;
	}
	x86_skip(c, is.length);
}
