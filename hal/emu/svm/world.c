// SPDX-License-Identifier: BSD-2-Clause
// What a monitor needs before its guest's first quantum, whatever it is for: checks of the machine, SVM turned on, the
// control block, and the proof that the clock is exact.

#include "world.h"

#include <stdbool.h>
#include <string.h>

#include "alarm.h"
#include "arch.h"
#include "layout.h"
#include "x86/cpu.h"
#include "x86/msr.h"

#define MSR_PERMISSION_SIZE	0x2000
#define GUEST_ASID		1

// Segment attributes as the VMCB packs them.
#define ATTRIBUTES_CODE64	0x29B
#define ATTRIBUTES_DATA		0x093

_Alignas(4096) static struct vmcb vmcbs[SVM_CPUS];
_Alignas(4096) static uint8_t host_save_areas[SVM_CPUS][4096];
_Alignas(4096) static uint8_t msr_permissions[MSR_PERMISSION_SIZE];
_Alignas(16) static struct x86_gate host_idt[X86_VECTORS];

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
	const uint64_t clocks = clock_of(2000);

	return clock_of(3000) - clocks == 1000 && clocks - clock_of(1000) == 1000;
}

// The monitor's interrupt table is the program's, but for the NMI, which is the alarm.
static void fill_host_idt(void)
{
	memcpy(host_idt, arch_idt, sizeof host_idt);
	host_idt[VECTOR_NMI] = x86_gate(svm_nmi_entry, 0, X86_GATE_INTERRUPT);
}

void world_take_nmis(void (*entry)(void))
{
	host_idt[VECTOR_NMI] = x86_gate(entry, 0, X86_GATE_INTERRUPT);
}

void world_intercept_msr(uint32_t msr)
{
	msr_permissions[msr / 4] |= (uint8_t)(3 << msr % 4 * 2);
}

// Registers of performance monitoring that one or the other of Intel's processors has (SDM volume 4). QEMU's have none,
// and answer all the same: reads give 0, writes do nothing. A processor that has not got one raises #GP.
static const struct {
	uint16_t first, count;
} monitoring[] = {
	{0x0C1, 8}, {0x186, 8},				// general counters, their selects
	{0x309, 7}, {0x329, 1}, {0x38D, 4},		// fixed counters, metrics; control and status
	{0x345, 1}, {0x4C1, 8},				// IA32_PERF_CAPABILITIES; counters that are written whole
	{0x1A6, 2}, {0x3F1, 1}, {0x3F6, 1},		// offcore responses, records, their load latency
	{0x391, 6}, {0x3B0, 16}, {0x3C0, 16},		// a package's
	{0x040, 8}, {0x060, 8}, {0x690, 16}, {0x6D0, 16},	// branch records, but for the sixteen of most
};

const char *world_start(void)
{
	if (!have_svm())
		return "the processor cannot virtualize itself (no SVM)";
	if (!clock_counts_instructions())
		return "its time-stamp counter does not count instructions: QEMU needs -icount shift=0";
	fill_host_idt();
	for (size_t i = 0; i < sizeof monitoring / sizeof *monitoring; i++)
		for (uint32_t n = 0; n < monitoring[i].count; n++)
			world_intercept_msr(monitoring[i].first + n);
	return NULL;
}

void world_identify(const struct svm_frame *frame, uint32_t registers[4])
{
	const uint32_t leaf = (uint32_t)frame->vmcb->rax;
	struct x86_cpuid r = x86_cpuid(leaf, (uint32_t)frame->rcx);

	if (leaf == SVM_CPUID_FEATURES)
		r.ecx &= ~SVM_CPUID_ECX_SVM;
	if (leaf == SVM_CPUID_REVISION)
		r = (struct x86_cpuid){0};
	registers[0] = r.eax;
	registers[1] = r.ebx;
	registers[2] = r.ecx;
	registers[3] = r.edx;
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

// One quantum of the guest, from `entry`; how far its clock got.
static uint64_t calibration_quantum(struct svm_frame *frame, void (*entry)(void), uint64_t alarm_after)
{
	uint64_t before = frame->guest_clock;

	frame->vmcb->rip = (uintptr_t)entry;
	frame->alarm_after = alarm_after;
	svm_run(frame);
	return frame->guest_clock - before;
}

static bool leave(struct svm_frame *frame)
{
	(void)frame;
	return true;
}

#define CALIBRATION_LONGEST 160	/* instructions: sixteen ticks of the alarm's timer, from each place in a tick */

// A guest that leaves at once has executed nothing; one that loops leaves on the instruction that was set.
static bool calibrate(struct svm_frame *frame)
{
	frame->exit = leave;
	frame->vmcb->intercept1 = SVM_INTERCEPT_NMI | SVM_INTERCEPT_CPUID;
	for (uint64_t n = 1; n <= CALIBRATION_LONGEST; n++)
		if (calibration_quantum(frame, svm_guest_exit, SVM_ALARM_NEVER) != 0 ||
		    calibration_quantum(frame, svm_guest_loop, n) != n)
			return false;
	return true;
}

const char *world_prepare(struct svm_frame *frame, unsigned cpu)
{
	struct vmcb *vmcb = &vmcbs[cpu];
	const char *problem;

	*vmcb = (struct vmcb){0};
	fill_vmcb(vmcb);
	if (!x86_rdmsr(SVM_MSR_EFER, &vmcb->efer) || !x86_wrmsr(SVM_MSR_EFER, vmcb->efer | SVM_EFER_SVME) ||
	    !x86_wrmsr(SVM_MSR_HSAVE, (uintptr_t)host_save_areas[cpu]))
		return "SVM cannot be turned on";
	vmcb->efer |= SVM_EFER_SVME;
	frame->vmcb = vmcb;
	frame->clock_offset = &vmcb->tsc_offset;
	problem = alarm_start(frame, cpu);
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
