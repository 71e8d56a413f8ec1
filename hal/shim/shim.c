// SPDX-License-Identifier: BSD-2-Clause
// The host shim: a machine as a process. Register accesses are function calls into the model.
// Instructions execute by function calls, and interrupts are calls of the handler between two of
// them. Either one of several CPUs executes at a time, or each CPU is a host thread and the machine
// does one thing at a time.

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cpus.h"
#include "machine.h"

static void *cpu_data[HAL_CPUS];	// until the next start: tests read results after the end

static uint64_t seed;		// for undefined register values, from the next start on

void shim_seed(uint64_t value)
{
	seed = value;
}

//
// Start and end
//

static void *new_state(const struct pmu_model *model)
{
	return aligned_alloc(MODEL_ALIGNMENT,
			     (vpmu_state_size(model) + MODEL_ALIGNMENT - 1) & -MODEL_ALIGNMENT);
}

// Starts a core with `threads` CPUs. False: no memory.
static bool start_core(const struct pmu_model *model, unsigned core, unsigned threads,
		       const char *fault)
{
	const struct cpu *first = &shim.cpu[shim.cpus];

	shim.state[core] = new_state(model);
	shim.processor[core] = shim_processor(&shim.cpu[shim.cpus]);
	for (unsigned thread = 0; shim.state[core] && thread < threads; thread++) {
		struct cpu *cpu = &shim.cpu[shim.cpus++];

		*cpu = (struct cpu){.interrupts = true, .pmi_masked = true,
				    .poll_next = UINT64_MAX};
		vpmu_start(&cpu->vpmu, model, shim.state[core], thread, fault, seed);
	}
	model = shim.state[core] ? first->vpmu.model : model;	// a fault replaces the model
	if (shim.state[core] && model->records)
		model->records->attach(shim.state[core], &shim.processor[core]);
	return shim.state[core];
}

static bool start_package(const struct pmu_model *cores, const struct pmu_model *shared,
			  const char *core_fault, const char *package_fault)
{
	void *state = new_state(shared);
	bool started = state;

	if (!state)
		return false;
	vpmu_package_start(&shim.package, shared, state, package_fault, seed);
	shim.threads = cores->threads < THREADS ? cores->threads : THREADS;
	for (unsigned core = 0; core < CORES; core++)
		started &= start_core(cores, core, shim.threads, core_fault);
	for (unsigned i = 0; started && i < shim.cpus; i++)
		vpmu_join(&shim.cpu[i].vpmu, &shim.package, i / shim.threads);
	vpmu_resume(&this->vpmu);
	return started;
}

bool shim_start(const char *target, const char *fault)
{
	const struct pmu_model *model = pmu_model_find(target), *cores = model, *shared, *faulty;

	shim_end();
	memset(cpu_data, 0, sizeof cpu_data);
	if (!model)
		return false;
	shim.target_is_package = model->package;
	if (model->package)
		cores = pmu_model_find(model->package->cores);
	shared = pmu_model_package(cores);
	faulty = vpmu_fault_model(fault, model, shim.target_is_package ? cores : shared);
	if (!faulty)
		return false;
	if (shared)
		return start_package(cores, shared, faulty == cores ? fault : "",
				     faulty == shared ? fault : "");
	shim.threads = model->threads < HAL_CPUS ? model->threads : HAL_CPUS;
	if (!start_core(model, 0, shim.threads, fault))
		return false;
	vpmu_resume(&this->vpmu);
	return true;
}

void shim_end(void)
{
	for (unsigned i = 0; i < CORES; i++)
		free(shim.state[i]);
	free(shim.package.state);
	shim = (struct machine){0};
	this = &shim.cpu[0];
}

//
// Queries
//

struct vpmu *shim_vpmu(void)
{
	return &this->vpmu;
}

unsigned shim_bus_locks(void)
{
	return shim.bus_locks;
}

struct shim_traps shim_traps(void)
{
	return shim.traps;
}

void shim_registers(const uint64_t values[MODEL_REGISTERS])
{
	memcpy(shim.registers, values, sizeof shim.registers);
}

//
// CPUs: one executes at a time, or each is a host thread
//

void shim_threads(void)
{
	memset(&shim.host, 0, sizeof shim.host);
	shim.host.several = true;
}

void *hal_cpu_data(void)
{
	return cpu_data[hal_cpu()];
}

void hal_cpu_set_data(void *data)
{
	cpu_data[hal_cpu()] = data;
}

void shim_cpu(unsigned cpu)
{
	this = &shim.cpu[cpu];
	shim_hold();
	vpmu_resume(&this->vpmu);
	shim_release();
	shim_take_pmi();
}

void hal_relax(void)
{
	if (shim.host.several) {
		shim_take_interrupts();
		sched_yield();
	}
}

unsigned hal_cpus_start(void)
{
	return shim.cpus;
}

void hal_cpu_call(unsigned cpu, void (*function)(void *argument), void *argument)
{
	unsigned caller = hal_cpu();

	shim_cpu(cpu);
	function(argument);
	shim_cpu(caller);
}

bool hal_cpus_wait(uint32_t cpus, uint64_t clocks)
{
	(void)clocks;
	return !(cpus >> shim.cpus);
}

void hal_topology(unsigned cpu, unsigned *core, unsigned *thread)
{
	*core = cpu / shim.threads;
	*thread = cpu % shim.threads;
}

//
// The processor's surroundings
//

void hal_bus_lock(void)
{
	shim_hold();
	shim.bus_locks++;
	vpmu_bus_lock(&this->vpmu);
	shim_raise_pmis();
	shim_release();
}

void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	registers[0] = registers[1] = registers[2] = registers[3] = 0;
	if (this->vpmu.model->identification)
		this->vpmu.model->identification->identify(this->vpmu.model, leaf, subleaf,
							   registers);
}

enum hal_happens hal_event_happens(bool shared, uint16_t code, uint8_t umask)
{
	return vpmu_event_happens(&this->vpmu, shared, code, umask) ? HAL_HAPPENS : HAL_NEVER;
}
