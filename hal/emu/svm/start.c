// SPDX-License-Identifier: BSD-2-Clause
// Starts the monitor beneath the running program: checks that the machine allows it, calibrates the clock, and
// turns the program into the monitor's guest.

#include <string.h>

#include "alarm.h"
#include "arch.h"
#include "baton.h"
#include "emulate.h"
#include "frame.h"
#include "hal.h"
#include "layout.h"
#include "monitor.h"
#include "processor.h"
#include "x86/apic.h"
#include "x86/cpu.h"
#include "x86/msr.h"
#include "x86/this_cpu.h"

#define MSR_PERMISSION_SIZE	0x2000
#define MODEL_STATE_SIZE	8192
#define GUEST_ASID		1

// Segment attributes as the VMCB packs them.
#define ATTRIBUTES_CODE64	0x29B
#define ATTRIBUTES_DATA		0x093

// One CPU.
struct svm_cpu {
	_Alignas(4096) struct vmcb vmcb;
	_Alignas(4096) uint8_t host_save_area[4096];
	_Alignas(MODEL_ALIGNMENT) uint8_t model_state[MODEL_STATE_SIZE];	// of the core whose first thread it is
	struct svm_monitor monitor;
	struct svm_core around;		// the same
	unsigned core;
};

static struct svm_cpu svm_cpus[SVM_CPUS];
_Alignas(4096) static uint8_t msr_permissions[MSR_PERMISSION_SIZE];
_Alignas(MODEL_ALIGNMENT) static uint8_t package_state[MODEL_STATE_SIZE];
_Alignas(16) static struct x86_gate host_idt[X86_VECTORS];
static struct vpmu_package package;		// without a model, if there is none

static bool emulating;

const char *hal_carrier(void)
{
	return emulating ? "QEMU, SVM monitor" : "silicon";
}

bool hal_event_happens(uint16_t code, uint8_t umask)
{
	const struct vpmu *vpmu = &svm_cpus[0].monitor.vpmu;

	return !emulating || vpmu_event_happens(vpmu, code, umask) || vpmu_branch_happens(vpmu, code, umask);
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

static bool have_svm(void)
{
	return x86_cpuid(SVM_CPUID_FEATURES, 0).ecx & SVM_CPUID_ECX_SVM;
}

// Not inlined: the code around the loop must be the same each time.
__attribute__((noinline)) static uint64_t clock_of(uint64_t instructions)
{
	uint64_t start = arch_clock();

	arch_execute(instructions);
	return arch_clock() - start;
}

// A time-stamp counter that counts instructions sees exactly 1000 more in a loop that is 1000 longer.
static bool clock_counts_instructions(void)
{
	return clock_of(3000) - clock_of(2000) == 1000 && clock_of(2000) - clock_of(1000) == 1000;
}

static void intercept_registers(const struct pmu_model *model)
{
	for (size_t i = 0; i < model->register_count; i++)
		for (uint32_t n = 0; n < model->registers[i].count; n++) {
			uint32_t msr = model->registers[i].address + n;

			msr_permissions[msr / 4] |= (uint8_t)(3 << msr % 4 * 2);
		}
}

static uint64_t read_cr(int number)
{
	uint64_t value = 0;

	if (number == 0)
		__asm__ volatile("mov %%cr0, %0" : "=r"(value));
	else if (number == 3)
		__asm__ volatile("mov %%cr3, %0" : "=r"(value));
	else
		__asm__ volatile("mov %%cr4, %0" : "=r"(value));
	return value;
}

// The guest is what this program is now.
static void fill_vmcb(struct vmcb *vmcb)
{
	struct x86_table_pointer gdt, idt;

	__asm__ volatile("sgdt %0" : "=m"(gdt));
	__asm__ volatile("sidt %0" : "=m"(idt));
	vmcb->intercept2 = SVM_INTERCEPT_VMRUN;
	vmcb->msrpm_base = (uintptr_t)msr_permissions;
	vmcb->asid = GUEST_ASID;
	vmcb->cs = (struct vmcb_segment){SEGMENT_CODE, ATTRIBUTES_CODE64, UINT32_MAX, 0};
	vmcb->ds = vmcb->es = vmcb->ss = (struct vmcb_segment){SEGMENT_DATA, ATTRIBUTES_DATA, UINT32_MAX, 0};
	vmcb->gdtr = (struct vmcb_segment){0, 0, gdt.limit, gdt.base};
	vmcb->idtr = (struct vmcb_segment){0, 0, idt.limit, idt.base};
	vmcb->cr0 = read_cr(0);
	vmcb->cr3 = read_cr(3);
	vmcb->cr4 = read_cr(4);
	vmcb->dr6 = 0xFFFF0FF0;
	vmcb->dr7 = 0x400;
	vmcb->rflags = 2;
}

// The monitor's interrupt table is the program's, but for the NMI, which is the alarm.
static void fill_host_idt(void)
{
	memcpy(host_idt, arch_idt, sizeof host_idt);
	host_idt[VECTOR_NMI] = x86_gate(svm_nmi_entry, 0, X86_GATE_INTERRUPT);
}

void svm_take_nmis(void (*entry)(void))
{
	host_idt[VECTOR_NMI] = x86_gate(entry, 0, X86_GATE_INTERRUPT);
}

// One turn of the guest, from `entry`; how far its clock got.
static uint64_t calibration_turn(struct svm_frame *frame, void (*entry)(void), uint64_t alarm_after)
{
	uint64_t before = frame->guest_clock;

	frame->vmcb->rip = (uintptr_t)entry;
	frame->alarm_after = alarm_after;
	svm_run(frame);
	return frame->guest_clock - before;
}

// A guest that leaves at once has executed nothing; one that loops leaves on the instruction it was told to.
static bool calibrate(struct svm_frame *frame)
{
	bool exact = true;

	frame->monitor->calibrating = true;
	frame->vmcb->intercept1 = SVM_INTERCEPT_NMI | SVM_INTERCEPT_CPUID;
	for (uint64_t n = 1; exact && n < 200; n++) {
		exact = exact && calibration_turn(frame, svm_guest_exit, SVM_ALARM_NEVER) == 0;
		exact = exact && calibration_turn(frame, svm_guest_loop, n) == n;
	}
	frame->monitor->calibrating = false;
	return exact;
}

// Turns SVM on and prepares the monitor of the calling CPU, whose frame is at the top of a stack of its own. NULL:
// done, with the global interrupt flag clear; else why it cannot be.
static const char *prepare_cpu(unsigned number, struct svm_frame *frame)
{
	struct svm_cpu *cpu = &svm_cpus[number];
	const char *problem;

	fill_vmcb(&cpu->vmcb);
	if (!x86_rdmsr(SVM_MSR_EFER, &cpu->vmcb.efer) || !x86_wrmsr(SVM_MSR_EFER, cpu->vmcb.efer | SVM_EFER_SVME) ||
	    !x86_wrmsr(SVM_MSR_HSAVE, (uintptr_t)cpu->host_save_area))
		return "SVM cannot be turned on";
	cpu->vmcb.efer |= SVM_EFER_SVME;
	cpu->monitor.cpu = number;
	frame->vmcb = &cpu->vmcb;
	frame->monitor = &cpu->monitor;
	frame->exit = svm_exit;
	problem = alarm_start(frame, number);
	if (problem)
		return problem;
	x86_lidt(host_idt);
	__asm__ volatile("clgi");
	if (calibrate(frame))
		return NULL;
	x86_lidt(arch_idt);
	__asm__ volatile("stgi");
	return "the monitor's clock does not calibrate: QEMU needs -accel tcg -icount shift=0";
}

static struct svm_frame *frame_of(unsigned cpu)
{
	return (struct svm_frame *)x86_stack_end(cpu, STACK_MONITOR) - 1;
}

// The calling CPU becomes its monitor's guest, and goes on.
static void become_guest(struct svm_frame *frame)
{
	const struct pmu_model *model = frame->monitor->vpmu.model;

	if (model->clock_address || model->prefer)
		frame->exit = svm_exit_core;
	frame->guest_clock = arch_clock();
	frame->monitor->accounted = frame->guest_clock;
	if (frame->monitor->cpu == 0) {
		svm_set_core_clock(frame->monitor, frame->guest_clock);
		baton_start(frame);
	} else {
		baton_join(frame);
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

	if (!have_svm())
		return "the processor cannot virtualize itself (no SVM)";
	if (!clock_counts_instructions())
		return "its time-stamp counter does not count instructions: QEMU needs -icount shift=0";
	if (!model || model->size > MODEL_STATE_SIZE)
		return "there is no model of this PMU in the image";
	shared = pmu_model_package(model);
	if (shared && shared->size > MODEL_STATE_SIZE)
		return "its package's model does not fit";
	if (!start_pmu(model, shared, fault))
		return "its model has no such fault (README.md in its folder lists them)";
	intercept_registers(model);
	if (shared)
		intercept_registers(shared);
	fill_host_idt();
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
	baton_take(cpu);
	if (prepare_cpu(cpu, frame_of(cpu))) {
		baton_leave();
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
	baton_remove(cpu);
	vpmu.level = 0;
	vpmu.halted = false;
	left->monitor = (struct svm_monitor){.vpmu = vpmu};
	left->vmcb = (struct vmcb){0};
}
