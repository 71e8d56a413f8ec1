// SPDX-License-Identifier: BSD-2-Clause
// Starts the monitor beneath the running program: checks that the machine allows it, calibrates the clock, and
// turns the program into the monitor's guest.

#include <string.h>

#include "alarm.h"
#include "arch.h"
#include "frame.h"
#include "hal.h"
#include "layout.h"
#include "monitor.h"
#include "x86/apic.h"
#include "x86/cpu.h"
#include "x86/msr.h"

#define MSR_PERMISSION_SIZE	0x2000
#define MODEL_STATE_SIZE	4096
#define GUEST_ASID		1

// Segment attributes as the VMCB packs them.
#define ATTRIBUTES_CODE64	0x29B
#define ATTRIBUTES_DATA		0x093

_Alignas(4096) static struct vmcb vmcb;
_Alignas(4096) static uint8_t host_save_area[4096];
_Alignas(4096) static uint8_t msr_permissions[MSR_PERMISSION_SIZE];
_Alignas(MODEL_ALIGNMENT) static uint8_t model_state[MODEL_STATE_SIZE];
_Alignas(16) static struct x86_gate host_idt[X86_VECTORS];

extern char stack_monitor_end[];	// linker script

static bool emulating;

const char *hal_carrier(void)
{
	return emulating ? "QEMU, SVM monitor" : "silicon";
}

bool hal_event_happens(uint16_t code, uint8_t umask)
{
	return !emulating || vpmu_event_happens(&svm_monitor.vpmu, code, umask);
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
static bool fill_vmcb(void)
{
	struct x86_table_pointer gdt, idt;

	__asm__ volatile("sgdt %0" : "=m"(gdt));
	__asm__ volatile("sidt %0" : "=m"(idt));
	vmcb.intercept2 = SVM_INTERCEPT_VMRUN;
	vmcb.msrpm_base = (uintptr_t)msr_permissions;
	vmcb.asid = GUEST_ASID;
	vmcb.cs = (struct vmcb_segment){SEGMENT_CODE, ATTRIBUTES_CODE64, UINT32_MAX, 0};
	vmcb.ds = vmcb.es = vmcb.ss = (struct vmcb_segment){SEGMENT_DATA, ATTRIBUTES_DATA, UINT32_MAX, 0};
	vmcb.gdtr = (struct vmcb_segment){0, 0, gdt.limit, gdt.base};
	vmcb.idtr = (struct vmcb_segment){0, 0, idt.limit, idt.base};
	vmcb.cr0 = read_cr(0);
	vmcb.cr3 = read_cr(3);
	vmcb.cr4 = read_cr(4);
	vmcb.dr6 = 0xFFFF0FF0;
	vmcb.dr7 = 0x400;
	vmcb.rflags = 2;
	return x86_rdmsr(SVM_MSR_EFER, &vmcb.efer);
}

// The monitor's interrupt table is the program's, but for the NMI, which is the alarm.
static void load_host_idt(void)
{
	memcpy(host_idt, arch_idt, sizeof host_idt);
	host_idt[VECTOR_NMI] = x86_gate(svm_nmi_entry, 0, X86_GATE_INTERRUPT);
	x86_lidt(host_idt);
}

// One turn of the guest, from `entry`; how far its clock got.
static uint64_t calibration_turn(struct svm_frame *frame, void (*entry)(void), uint64_t alarm_after)
{
	uint64_t before = frame->guest_clock;

	vmcb.rip = (uintptr_t)entry;
	frame->alarm_after = alarm_after;
	svm_run(frame);
	return frame->guest_clock - before;
}

// A guest that leaves at once has executed nothing; one that loops leaves on the instruction it was told to.
static bool calibrate(struct svm_monitor *m, struct svm_frame *frame)
{
	bool exact = true;

	m->calibrating = true;
	vmcb.intercept1 = SVM_INTERCEPT_NMI | SVM_INTERCEPT_CPUID;
	for (uint64_t n = 1; exact && n < 200; n++) {
		exact = exact && calibration_turn(frame, svm_guest_exit, SVM_ALARM_NEVER) == 0;
		exact = exact && calibration_turn(frame, svm_guest_loop, n) == n;
	}
	m->calibrating = false;
	return exact;
}

const char *hal_emulate(const char *target, const char *fault)
{
	struct svm_frame *frame = (struct svm_frame *)((uintptr_t)stack_monitor_end - sizeof *frame);
	struct svm_monitor *m = &svm_monitor;
	const struct pmu_model *model = pmu_model_find(target);
	const char *problem;

	if (!have_svm())
		return "the processor cannot virtualize itself (no SVM)";
	if (!clock_counts_instructions())
		return "its time-stamp counter does not count instructions: QEMU needs -icount shift=0";
	if (!model || model->size > sizeof model_state)
		return "there is no model of this PMU in the image";
	if (!vpmu_start(&m->vpmu, model, model_state, 0, fault, 0))
		return "its model has no such fault (README.md in its folder lists them)";

	if (!fill_vmcb() || !x86_wrmsr(SVM_MSR_EFER, vmcb.efer | SVM_EFER_SVME) ||
	    !x86_wrmsr(SVM_MSR_HSAVE, (uintptr_t)host_save_area))
		return "SVM cannot be turned on";
	vmcb.efer |= SVM_EFER_SVME;
	intercept_registers(model);
	frame->vmcb = &vmcb;
	problem = alarm_start(frame);
	if (problem)
		return problem;

	load_host_idt();
	__asm__ volatile("clgi");
	if (!calibrate(m, frame)) {
		x86_lidt(arch_idt);
		__asm__ volatile("stgi");
		return "the monitor's clock does not calibrate: QEMU needs -accel tcg -icount shift=0";
	}
	vpmu_start(&m->vpmu, model, model_state, 0, fault, 0);
	frame->guest_clock = arch_clock();
	m->accounted = frame->guest_clock;
	svm_prepare_entry(frame, 0);
	emulating = true;
	svm_become_guest(frame);
	return NULL;
}
