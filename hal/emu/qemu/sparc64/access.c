// SPDX-License-Identifier: BSD-2-Clause
// SPARC: loads and stores of PMU registers through their address spaces (ASIs), and HALT, which
// QEMU lacks. The plugin executes each in QEMU's place, in one cycle. If the PMU refuses an access,
// QEMU executes it and raises data_access_error.

#include "encoding.h"
#include "../plugin.h"
#include "../pmus.h"
#include "../timeline.h"
#include "../unpromised.h"
#include "announce.h"
#include "references.h"
#include "sparc64.h"

//
// Registers
//

#define REGISTERS	0x800	/* bytes of an ASI that contain registers of 8 bytes */

// Converts an ASI and address to the register number of hal.h. Returns false if no register can be
// there.
static bool locate(const struct instruction *i, uint64_t at, uint32_t *address)
{
	*address = (uint32_t)i->asi << 8 | (uint32_t)(at >> 3 & 0xFF);
	return at % 8 == 0 && at < REGISTERS;
}

// A PIC that exists but is not accessible at this level raises privileged_action, which a T4 takes
// to hyperprivileged mode.
static void refuse(struct cpu *c, const struct instruction *i, uint32_t address)
{
	uint64_t there;

	timeline_resume(c);
	if (i->level != SPARC64_HYPERPRIVILEGED && i->asi == ASI_PIC &&
	    vpmu_read(&c->vpmu, address, &there))
		sparc64_raise(c, TT_PRIVILEGED_ACTION);
}

// Hyperprivileged code can access all registers; other code only the PICs, if the PCR permits.
static bool read(struct cpu *c, const struct instruction *i, uint32_t address, uint64_t *value)
{
	if (i->level == SPARC64_HYPERPRIVILEGED && vpmu_read(&c->vpmu, address, value))
		return true;
	return i->asi == ASI_PIC && vpmu_read_counter(&c->vpmu, address & 0xFF, value);
}

static bool write(struct cpu *c, const struct instruction *i, uint32_t address, uint64_t value)
{
	if (i->level == SPARC64_HYPERPRIVILEGED && vpmu_write(&c->vpmu, address, value, 1))
		return true;
	return i->asi == ASI_PIC && vpmu_write_counter(&c->vpmu, address & 0xFF, value, 1);
}

// A read is a next-to-commit instruction; it does not yet count itself.
static void load(struct cpu *c, const struct instruction *i, uint32_t address)
{
	uint64_t value;

	timeline_begin_read(c);
	if (!read(c, i, address, &value)) {
		refuse(c, i, address);
		return;
	}
	timeline_resume(c);
	plugin_restore(c);
	sparc64_set_register(c, RD(i->code), value);
	sparc64_skip(c);
}

static void store(struct cpu *c, const struct instruction *i, uint32_t address)
{
	struct model_outputs *outputs = vpmu_outputs(&c->vpmu);
	uint64_t registers[32];

	sparc64_registers(c, registers);
	timeline_begin_write(c);
	if (!write(c, i, address, registers[RD(i->code)])) {
		refuse(c, i, address);
		return;
	}
	pmus_written(c, address, registers[RD(i->code)]);
	timeline_resume(c);
	sparc64_look_again(c);
	sparc64_references_matter();
	plugin_changed(c);
	if (!(outputs->precise >> c->vpmu.thread & 1))
		sparc64_skip(c);
	outputs->precise &= ~(1u << c->vpmu.thread);
	plugin_restore(c);
	unpromised_pass_instruction();
	sparc64_raise(c, TT_PRECISE_EVENT);
}

//
// The register through which guests query the plugin: announce.h
//

static uint64_t announced(const struct cpu *c, uint64_t at)
{
	const uint64_t event = at >> ANNOUNCE_EVENT_SHIFT;
	uint64_t signature = 0;
	bool exact;

	if (at == ANNOUNCE_VA) {
		for (const char *s = ANNOUNCE_SIGNATURE; s < ANNOUNCE_SIGNATURE + sizeof signature;
		     s++)
			signature = signature << 8 | (uint8_t)*s;
		return signature;
	}
	if (at == ANNOUNCE_VA_CLOCK)
		return (c->core->signals.clock == MODEL_TIMED_CLOCK ? ANNOUNCE_CLOCK_TIMED :
			ANNOUNCE_CLOCK_UNIT) << 8 |
		       ANNOUNCE_VERSION;
	if (!pmus_can_raise(c, event & ANNOUNCE_EVENT_SHARED, (uint16_t)event,
			    (uint8_t)(event >> 16), &exact))
		return 0;
	return ANNOUNCE_RAISED | (exact ? ANNOUNCE_EXACT : 0);
}

static void ask(struct cpu *c, const struct instruction *i, uint64_t at)
{
	if (!plugin_announces || i->level != SPARC64_HYPERPRIVILEGED ||
	    i->access != SPARC64_LOAD_REGISTER)
		return;
	plugin_restore(c);
	sparc64_set_register(c, RD(i->code), announced(c, at));
	sparc64_skip(c);
}

//
// HALT
//

static struct halt {
	bool is;
	int64_t since;		// value of QEMU's instruction clock
} halts[CPUS_MOST];

// A reset also ends the HALT: then another instruction follows.
bool sparc64_is_halted(const struct cpu *c, const struct instruction *i)
{
	halts[c->number].is &= i->access == SPARC64_HALT;
	return halts[c->number].is;
}

#define STICK_CMPR_OFF	(1ULL << 63)

// Any pending interrupt ends the HALT, taken or not: that of %stick_cmpr, or an overflow's. This
// machine has no others.
static bool is_awake(const struct cpu *c)
{
	const uint64_t due = *SPARC64_STATE(c->qemu, uint64_t, stick_cmpr);

	return vpmu_is_due(&c->vpmu) ||
	       (!(due & STICK_CMPR_OFF) &&
		cpu_tick_get_count(*SPARC64_STATE(c->qemu, void *, stick)) >= due);
}

// HALT has retired. Time passes and no counter counts.
static void begin_halt(struct cpu *c, struct halt *h)
{
	timeline_retire(c, c->address + c->current->size);
	timeline_settle(c);
	vpmu_set_halted(&c->vpmu, true);
	h->is = true;
	h->since = unpromised_instructions();
}

static void end_halt(struct cpu *c, struct halt *h)
{
	vpmu_run(&c->vpmu, (uint64_t)(unpromised_instructions() - h->since));
	vpmu_set_halted(&c->vpmu, false);
	h->is = false;
	sparc64_look_again(c);
	timeline_resume(c);
}

// QEMU executes HALT repeatedly until it is skipped.
_Noreturn static void halt(struct cpu *c)
{
	struct halt *h = &halts[c->number];

	if (!h->is)
		begin_halt(c, h);
	c->current = NULL;
	plugin_restore(c);
	if (is_awake(c)) {
		end_halt(c, h);
		sparc64_skip(c);
	}
	unpromised_pass_rest();
	cpu_loop_exit(c->qemu);
}

void sparc64_access(struct cpu *c, const struct instruction *i)
{
	const uint64_t at = i->access == SPARC64_HALT ? 0 : sparc64_operand(c, i);
	uint32_t address;

	if (i->access == SPARC64_HALT)
		halt(c);
	if (i->access == SPARC64_COMMIT)
		sparc64_commit(c, i, at);
	else if (i->asi == ANNOUNCE_ASI)
		ask(c, i, at);
	else if (locate(i, at, &address) && i->access == SPARC64_LOAD_REGISTER)
		load(c, i, address);
	else if (locate(i, at, &address))
		store(c, i, address);
}
