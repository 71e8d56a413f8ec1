// SPDX-License-Identifier: BSD-2-Clause
// Starts the monitor beneath the running program: puts the PMUs together, and turns the program into the monitor's
// guest.

#include <string.h>

#include "arch.h"
#include "run_token.h"
#include "emulate.h"
#include "frame.h"
#include "hal.h"
#include "layout.h"
#include "monitor.h"
#include "processor.h"
#include "world.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"

#define MODEL_STATE_SIZE	8192

// One CPU.
struct svm_cpu {
	_Alignas(MODEL_ALIGNMENT) uint8_t model_state[MODEL_STATE_SIZE];	// of the core whose first thread it is
	struct svm_monitor monitor;
	struct svm_core around;		// the same
	unsigned core;
};

static struct svm_cpu svm_cpus[SVM_CPUS];
_Alignas(MODEL_ALIGNMENT) static uint8_t package_state[MODEL_STATE_SIZE];
static struct vpmu_package package;		// without a model, if there is none

static bool emulating;

const char *hal_backend(void)
{
	return emulating ? "QEMU, SVM monitor" : "silicon";
}

bool hal_event_happens(bool shared, uint16_t code, uint8_t umask)
{
	const struct vpmu *vpmu = &svm_cpus[0].monitor.vpmu;

	return !emulating || vpmu_event_happens(vpmu, shared, code, umask) ||
	       (!shared && vpmu_branch_happens(vpmu, code, umask));
}

struct hal_overhead hal_overhead(void)
{
	struct x86_cpuid r = {0};

	if (emulating)
		r = x86_cpuid(SVM_CPUID_MONITOR, 0);
	return (struct hal_overhead){
		.exits = (uint64_t)r.ebx << 32 | r.eax, .clocks = (uint64_t)r.edx << 32 | r.ecx,
	};
}

static void intercept_registers(const struct pmu_model *model)
{
	for (size_t i = 0; i < model->register_count; i++)
		for (uint32_t n = 0; n < model->registers[i].count; n++)
			world_intercept_msr(model->registers[i].address + n);
}

static const char *prepare_cpu(unsigned number, struct svm_frame *frame)
{
	const char *problem = world_prepare(frame, number);

	svm_cpus[number].monitor.cpu = number;
	frame->monitor = &svm_cpus[number].monitor;
	frame->exit = svm_exit;
	return problem;
}

static struct svm_frame *frame_of(unsigned cpu)
{
	return (struct svm_frame *)x86_stack_end(cpu, STACK_MONITOR) - 1;
}

// The calling CPU becomes its monitor's guest, and goes on.
static void become_guest(struct svm_frame *frame)
{
	const struct pmu_model *model = frame->monitor->vpmu.model;

	if (model->clock_address || model->spflt)
		frame->exit = svm_exit_core;
	frame->guest_clock = arch_clock();
	frame->monitor->accounted = frame->guest_clock;
	if (frame->monitor->cpu == 0) {
		svm_set_core_clock(frame->monitor, frame->guest_clock);
		run_token_start(frame);
	} else {
		run_token_join(frame);
	}
	vpmu_resume(&frame->monitor->vpmu);
	svm_prepare_entry(frame, 0);
	svm_intercept_undefined(frame);
	svm_become_guest(frame);
}

//
// PMUs
//

// What is around a core, whose first thread this CPU is.
static void put_around(struct svm_cpu *cpu, struct svm_frame *frame)
{
	const struct vpmu *vpmu = &cpu->monitor.vpmu;

	processor_start(&cpu->around);
	cpu->around.thread[vpmu->thread] = frame;
	if (vpmu->model->attach)
		vpmu->model->attach(vpmu->state, &cpu->around.processor);
}

static char core_fault[80];	// of each core's model; "" for none

// The first CPU's PMU, and what its core shares. False: neither has such a fault.
static bool start_pmu(const struct pmu_model *model, const struct pmu_model *shared, const char *fault)
{
	const struct pmu_model *faulty = vpmu_fault_model(fault, model, shared);
	struct svm_cpu *cpu = &svm_cpus[0];
	unsigned thread;

	if (!faulty || strlen(fault) >= sizeof core_fault)
		return false;
	if (faulty == model)
		strcpy(core_fault, fault);
	x86_topology(&cpu->core, &thread);
	vpmu_start(&cpu->monitor.vpmu, model, cpu->model_state, thread, core_fault, 0);
	put_around(cpu, frame_of(0));
	if (shared) {
		vpmu_package_start(&package, shared, package_state, faulty == shared ? fault : "", 0);
		vpmu_join(&cpu->monitor.vpmu, &package, cpu->core);
	}
	return true;
}

// A further CPU's, if INIT has not left it as it was: a thread of a core that is known already, or another core like
// the first.
static void start_further_pmu(unsigned number)
{
	const struct vpmu *first = &svm_cpus[0].monitor.vpmu;
	struct svm_cpu *cpu = &svm_cpus[number], *other = svm_cpus;
	unsigned thread;

	if (cpu->monitor.vpmu.model)
		return;
	x86_topology(&cpu->core, &thread);
	while (other < cpu && other->core != cpu->core)
		other++;
	if (other < cpu) {
		vpmu_start_beside(&cpu->monitor.vpmu, &other->monitor.vpmu, thread);
		other->around.thread[thread] = frame_of(number);
	} else {
		vpmu_start(&cpu->monitor.vpmu, first->model, cpu->model_state, thread, core_fault, 0);
		put_around(cpu, frame_of(number));
	}
	if (package.model)
		vpmu_join(&cpu->monitor.vpmu, &package, cpu->core);
}

const char *hal_emulate(const char *target, const char *fault)
{
	const struct pmu_model *model = pmu_model_find(target), *shared;
	const char *problem;

	problem = world_start();
	if (problem)
		return problem;
	if (!model || vpmu_state_size(model) > MODEL_STATE_SIZE)
		return "there is no model of this PMU in the image";
	shared = pmu_model_package(model);
	if (shared && vpmu_state_size(shared) > MODEL_STATE_SIZE)
		return "its package's model does not fit";
	if (!start_pmu(model, shared, fault))
		return "its model has no such fault (README.md in its folder lists them)";
	intercept_registers(model);
	if (shared)
		intercept_registers(shared);
	problem = prepare_cpu(0, frame_of(0));
	if (problem)
		return problem;
	emulating = true;
	become_guest(frame_of(0));
	return NULL;
}

bool emulate_cpu(void)
{
	unsigned cpu = x86_this_cpu.number;

	if (!emulating)
		return true;
	run_token_take(cpu);
	if (prepare_cpu(cpu, frame_of(cpu))) {
		run_token_leave();
		return false;
	}
	start_further_pmu(cpu);
	become_guest(frame_of(cpu));
	return true;
}

void emulate_leave(unsigned cpu)
{
	struct svm_cpu *left = &svm_cpus[cpu];
	struct vpmu vpmu = left->monitor.vpmu;

	if (!emulating)
		return;
	run_token_remove(cpu);
	vpmu.level = 0;
	vpmu.halted = false;
	left->monitor = (struct svm_monitor){.vpmu = vpmu};
}
