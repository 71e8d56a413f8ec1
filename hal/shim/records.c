// SPDX-License-Identifier: BSD-2-Clause
// The machine's state in a record (PEBS): memory that the program has allowed, registers, and, in a
// trace, the next instruction's address.

#include <string.h>

#include "machine.h"

#define FLAGS		2U	/* bit 1 of RFLAGS is always set */

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	if (!hal_memory_writable(address, size))
		return false;
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	(void)context;
	if (!hal_memory_writable(address, size))
		return false;
	memcpy((void *)(uintptr_t)address, from, size);
	return true;
}

// The address after an instruction of a trace: the target if it is a taken branch, otherwise the
// next byte, because a trace does not give its length.
static uint64_t behind(unsigned thread, uint64_t ip)
{
	uint64_t target = UINT64_MAX;
	bool taken = false;

	for (const struct occurrence *o = shim.signals; o < shim.signals + shim.signal_count; o++)
		if (o->thread == thread && o->ip == ip && o->branch & OCCURRENCE_TAKEN) {
			taken = true;
			target = o->target < target ? o->target : target;
		}
	return taken ? target : ip + 1;
}

// The last instruction of a trace's cycle: a taken branch, or the instruction with the highest
// address. 0: none.
static uint64_t last_instruction(unsigned thread)
{
	uint64_t last = 0;
	bool taken = false;

	for (const struct occurrence *o = shim.signals; o < shim.signals + shim.signal_count; o++) {
		const bool takes = o->branch & OCCURRENCE_TAKEN;

		if (o->thread != thread || (taken && !takes))
			continue;
		if (o->ip > last || (takes && !taken))
			last = o->ip;
		taken |= takes;
	}
	return last;
}

// A CPU's instruction pointer in a record: in a trace, after the recorded instruction, or after the
// whole cycle.
static uint64_t ip_of(const struct cpu *cpu)
{
	const struct occurrence *recorded = vpmu_outputs(&cpu->vpmu)->recorded;
	uint64_t ip;

	if (cpu->vpmu.state != this->vpmu.state)
		return cpu->ip;
	ip = recorded && recorded->ip ? recorded->ip : last_instruction(cpu->vpmu.thread);
	return ip ? behind(cpu->vpmu.thread, ip) : cpu->ip;
}

// `context` is the first CPU of the core.
static void read_registers(void *context, unsigned thread, uint64_t values[MODEL_REGISTERS])
{
	const struct cpu *cpu = (const struct cpu *)context + thread;

	memcpy(values, shim.registers, sizeof shim.registers);
	values[0] |= FLAGS;
	values[1] = shim.registers[1] ? shim.registers[1] : ip_of(cpu);
}

struct model_processor shim_processor(struct cpu *first)
{
	return (struct model_processor){first, read_memory, write_memory, read_registers};
}
