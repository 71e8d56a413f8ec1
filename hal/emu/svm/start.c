// SPDX-License-Identifier: BSD-2-Clause
// Starts the monitor beneath the running program, which becomes its guest.

#include "arch.h"
#include "run_token.h"
#include "emulate.h"
#include "entry.h"
#include "frame.h"
#include "hal.h"
#include "layout.h"
#include "monitor.h"
#include "world.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"

static struct svm_monitor monitors[SVM_CPUS];
static bool emulating;

const char *hal_backend(void)
{
	if (!emulating)
		return "silicon";
	return svm_pmu_is.timed ? "QEMU, SVM monitor, timed clock" : "QEMU, SVM monitor, unit clock";
}

bool hal_event_happens(bool shared, uint16_t code, uint8_t umask)
{
	const uint32_t event = code | (uint32_t)umask << 16 | (shared ? MAILBOX_SHARED : 0);

	return !emulating || x86_cpuid(SVM_CPUID_EVENT, event).eax;
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

static void intercept_registers(void)
{
	for (uint32_t i = 0; i < svm_pmu_is.blocks; i++)
		for (uint32_t n = 0; n < svm_pmu_is.block[i].count; n++)
			world_intercept_msr(svm_pmu_is.block[i].address + n);
}

static const char *prepare_cpu(unsigned number, struct svm_frame *frame)
{
	const char *problem = world_prepare(frame, number);

	monitors[number].cpu = number;
	frame->monitor = &monitors[number];
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
	if (svm_pmu_is.clock_address || svm_pmu_is.has_lacking)
		frame->exit = svm_exit_core;
	frame->guest_clock = arch_clock();
	frame->monitor->accounted = frame->guest_clock;
	if (frame->monitor->cpu == 0) {
		svm_set_core_clock(frame->monitor, frame->guest_clock);
		run_token_start(frame);
	} else {
		run_token_join(frame);
	}
	svm_pmu_resume(&frame->monitor->pmu);
	svm_prepare_entry(frame, 0);
	svm_intercept_undefined(frame);
	svm_become_guest(frame);
}

const char *hal_emulate(const char *target, const char *fault)
{
	const char *problem = world_start();

	if (!problem)
		problem = svm_pmu_start(&monitors[0].pmu, target, fault, frame_of(0));
	if (problem)
		return problem;
	intercept_registers();
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
	svm_pmu_start_further(&monitors[cpu].pmu, frame_of(cpu));
	become_guest(frame_of(cpu));
	return true;
}

void emulate_leave(unsigned cpu)
{
	const struct svm_pmu pmu = monitors[cpu].pmu;

	if (!emulating)
		return;
	run_token_remove(cpu);
	monitors[cpu] = (struct svm_monitor){.pmu = pmu};
}
