// SPDX-License-Identifier: BSD-2-Clause
// Passes a trace's events to the PMU instead of instructions.

#include "machine.h"

// Sets the CPU to the interrupted instruction: among the thread's signals of the cycle, the one
// with the lowest address, in any order of signals.
static void locate(const struct occurrence *signals, size_t count)
{
	const struct occurrence *found = NULL;

	for (const struct occurrence *o = signals; o < signals + count; o++)
		if (o->thread == this->vpmu.thread &&
		    (!found || (!found->ip && o->ip) || (o->ip && o->ip < found->ip) ||
		     (o->ip == found->ip && o->level > found->level)))
			found = o;
	this->ip = found ? found->ip : 0;
	this->vpmu.level = found ? found->level : 0;
}

// Whether any core has raised an interrupt line.
static bool any_requests(void)
{
	uint32_t requests = 0;

	for (unsigned core = 0; core < CORES && shim.state[core]; core++)
		requests |= ((const struct model_outputs *)shim.state[core])->requests;
	return requests;
}

static inline void connect(const struct occurrence *signals, size_t count)
{
	if (__builtin_expect(!shim.target_is_package, true)) {
		shim.signals = signals;
		shim.signal_count = count;
		vpmu_connect(&this->vpmu, signals, count);
		return;
	}
	vpmu_connect(&this->vpmu, NULL, 0);
	vpmu_package_sync(&shim.package);
	vpmu_package_connect(&shim.package, signals, count);
}

// Whether the cycle's instruction has executed when a precise trap comes.
static bool has_executed(const struct occurrence *signals, size_t count)
{
	bool executed = false;

	for (size_t i = 0; i < count; i++)
		executed |= signals[i].thread == this->vpmu.thread &&
			signals[i].type & OCCURRENCE_TYPE_COMMIT;
	return executed;
}

uint64_t shim_deliver(const struct occurrence *signals, size_t count, uint64_t cycles)
{
	struct cpu *cpu = this;
	const struct model_outputs *outputs = vpmu_outputs(&cpu->vpmu);
	uint64_t piece;

	connect(signals, count);
	piece = least(cycles, vpmu_headroom(&cpu->vpmu));
	if (__builtin_expect(outputs->held || cpu->poll, false))
		piece = least(piece, shim_most_cycles());
	vpmu_run(&cpu->vpmu, piece);
	shim.clock += piece;
	if (outputs->requests || (cpu->vpmu.package && any_requests()))
		shim_raise_pmis();
	if (__builtin_expect(cpu->pmi_pending | (outputs->precise | outputs->held) |
			     (cpu->poll != NULL), false)) {
		locate(signals, count);
		shim_take_precise(cpu->ip, has_executed(signals, count));
		shim_take_pmi();
		shim_take_poll();
		if (count > 1)		// restore the level of the last signal
			connect(signals, count);
	}
	return piece;
}
