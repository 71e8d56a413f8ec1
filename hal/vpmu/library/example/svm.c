// SPDX-License-Identifier: BSD-2-Clause
// A hypervisor with libvpmu on AMD's SVM (AMD64 Architecture Programmer's Manual volume 2, chapter 15): what it does at
// each exit to give a kernel, on one CPU, a Core i7's PMU. Its world switch says how many instructions the guest has
// executed, and ends its quantum on a given one (frame.h); what a guest needs besides a PMU is in kernel.h. Branches
// are not reported. At exits that are no access the vPMU moves to other memory, as bytes, as it would to another host.

#include <palmon/vpmu.h>

#include "exits.h"
#include "frame.h"
#include "kernel.h"
#include "world.h"
#include "x86/apic.h"

#define TARGET		"nehalem"
#define THREAD		0
#define VPMU_MOST	0x8000	/* bytes of a vPMU, and of its image */
#define INTERCEPTS	(KERNEL_INTERCEPTS | SVM_INTERCEPT_NMI | SVM_INTERCEPT_MSR | SVM_INTERCEPT_RDPMC | \
			 SVM_INTERCEPT_CPUID)
#define LENGTH		2	/* of RDMSR, WRMSR, RDPMC and CPUID */
#define USER		3	/* the lowest privilege level */

static struct vpmu_core *vpmu;
static uint64_t reported, deadline;	// guest clock: the vPMU knows what has happened; the alarm ends the quantum
static uint64_t halt_rip;	// of the HLT that the guest is in
static bool stepping, halted, nmi_pending, nmi_blocked;	// stepping: a quantum of one instruction, INT n or IRET
static unsigned moves;

// Makes a vPMU. If there is one already, the new one, in another place, goes on from its state.
static void move(void)
{
	static const struct vpmu_features features = {
		VPMU_ALL_COUNTERS, VPMU_ALL_COUNTERS, .any_thread = true, .reports = VPMU_REPORTS_CLOCK};
	_Alignas(VPMU_ALIGNMENT) static uint8_t memory[2][VPMU_MOST], image[VPMU_MOST];
	const size_t size = moves == 0 ? 0 : vpmu_core_save(vpmu, image, sizeof image);
	enum vpmu_error error = vpmu_core_create(&vpmu, memory[moves++ % 2], VPMU_MOST, TARGET, &features, 0);

	if (!error && moves > 1)
		error = vpmu_core_load(vpmu, image, size);
	if (error)
		kernel_end(vpmu_error_text(error));
}

// What has happened up to now: an instruction in each cycle, or the guest was halted.
static void report(uint64_t clock)
{
	vpmu_core_advance(vpmu, THREAD, halted ? 0 : clock - reported, clock - reported);
	reported = clock;
}

// RDMSR, WRMSR, RDPMC (the processor has looked at CR4.PCE). The vPMU counts them itself.
static void exit_access(struct svm_frame *frame)
{
	const uint8_t opcode = frame->vmcb->exit_code == SVM_EXIT_RDPMC ? VPMU_RDPMC :
			       frame->vmcb->exit_info1 ? VPMU_WRMSR : VPMU_RDMSR;
	const enum vpmu_result result = vpmu_core_execute(vpmu, THREAD, opcode, &frame->vmcb->rax, frame->rcx,
							  &frame->rdx);

	if (result == VPMU_FAULT || result == VPMU_NOT_MINE) {
		kernel_inject(frame, SVM_INJECT_ERROR_CODE | VECTOR_GENERAL_PROTECTION);
		return;
	}
	reported++;
	kernel_skip(frame, LENGTH);
}

static void exit_cpuid(struct svm_frame *frame)
{
	uint32_t registers[4];

	world_identify(frame, registers);
	vpmu_core_identify(vpmu, (uint32_t)frame->vmcb->rax, (uint32_t)frame->rcx, registers);
	svm_give_registers(frame, registers);
	kernel_skip(frame, LENGTH);
}

// HLT counts when the guest begins to. It executes it in quanta of its own, which are idle, until one ends with an
// interrupt.
static void begin_halt(struct svm_frame *frame)
{
	halt_rip = frame->vmcb->rip;
	report(++frame->guest_clock);
	halted = true;
	vpmu_core_set_halted(vpmu, THREAD, true);
}

static void end_halt(struct svm_frame *frame)
{
	frame->vmcb->rip = halt_rip + 1;
	halted = false;
	vpmu_core_set_halted(vpmu, THREAD, false);
}

// The guest's local vector table says what becomes of an overflow.
static void deliver_line(void)
{
	const bool rose = vpmu_core_take_lines(vpmu, THREAD) & VPMU_LINE_ROSE;
	uint32_t lvtpc = *x86_apic_register(APIC_LVTPC);
	uint8_t vector;
	const enum vpmu_delivery delivery = rose ? vpmu_deliver(&lvtpc, &vector) : VPMU_DELIVER_NOTHING;

	*x86_apic_register(APIC_LVTPC) = lvtpc;
	nmi_pending |= delivery == VPMU_DELIVER_NMI;
	if (delivery == VPMU_DELIVER_VECTOR)
		x86_apic_raise(vector);
}

// What ends the coming quantum. While a counter counts at one level only, each change of level does.
static void prepare_quantum(struct svm_frame *frame, unsigned level)
{
	const bool levels = vpmu_core_wants(vpmu) & VPMU_WANTS_LEVELS;
	struct vmcb *vmcb = frame->vmcb;
	uint64_t headroom;

	if (nmi_pending && !nmi_blocked && !vmcb->event_injection) {
		vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_NMI | VECTOR_NMI;
		nmi_pending = false;
		nmi_blocked = true;
	}
	level = vmcb->event_injection ? 0 : level;	// where its handler is
	vmcb->intercept1 = INTERCEPTS | (halted ? SVM_INTERCEPT_INTR : SVM_INTERCEPT_HLT);
	vmcb->intercept_exceptions = levels && level == USER ? UINT32_MAX : 0;
	if (levels && level == USER)
		vmcb->intercept1 |= SVM_INTERCEPT_INTR | (stepping ? 0 : SVM_INTERCEPT_SWINT);
	if (!stepping && (nmi_blocked || (levels && level != USER)))
		vmcb->intercept1 |= SVM_INTERCEPT_IRET;
	vpmu_core_set_level(vpmu, THREAD, level);
	headroom = stepping ? 1 : vpmu_core_headroom(vpmu, THREAD);
	frame->alarm_after = headroom < SVM_ALARM_NEVER ? headroom : SVM_ALARM_NEVER;
}

static bool exit_from_guest(struct svm_frame *frame)
{
	struct kernel_exit exit = kernel_begin_exit(frame);
	const uint64_t code = frame->vmcb->exit_code;
	const bool done = kernel_exit(frame, &exit), access = code == SVM_EXIT_MSR || code == SVM_EXIT_RDPMC;
	unsigned level = frame->vmcb->cpl;

	frame->guest_clock -= code == SVM_EXIT_SWINT;	// QEMU has counted it, and it has not executed
	nmi_pending |= code == SVM_EXIT_NMI && frame->guest_clock < deadline;	// not the alarm: the guest's own
	nmi_blocked &= !stepping;			// that was its IRET
	stepping = code == SVM_EXIT_IRET || code == SVM_EXIT_SWINT;
	report(frame->guest_clock);
	if (halted)
		frame->vmcb->rip = halt_rip;
	vpmu_core_set_level(vpmu, THREAD, level);
	if (access && !done)
		exit_access(frame);
	else if (code == SVM_EXIT_CPUID)
		exit_cpuid(frame);
	else if (code == SVM_EXIT_HLT)
		begin_halt(frame);
	else if (code >= SVM_EXIT_EXCEPTION && code <= SVM_EXIT_INTR)
		level = 0;	// not intercepted there, it comes again
	report(frame->guest_clock);
	if (!access)
		move();
	kernel_end_exit(frame, &exit);
	deliver_line();
	if (halted && (code == SVM_EXIT_INTR || (nmi_pending && !nmi_blocked)))
		end_halt(frame);
	prepare_quantum(frame, level);
	if (kernel_must_step(frame, &exit) && !halted)
		kernel_step(frame, &exit);
	deadline = frame->guest_clock + frame->alarm_after;
	return false;
}

static void say_whether_it_moved(void)
{
	kernel_say(moves > 1 ? "\nexample: the vPMU has moved\n" : "\nexample: the vPMU has not moved\n");
}

// Accesses to the vPMU's registers end the guest's quanta.
noreturn void guest_enter(struct svm_frame *frame, const struct load_entry *entry, unsigned cpus)
{
	static const struct kernel_monitor monitor = {
		KERNEL_MISC_AVAILABLE | KERNEL_MISC_NO_BTS | KERNEL_MISC_NO_PEBS, say_whether_it_moved,
	};
	const char *problem = cpus == 1 ? world_start() : "the example has one CPU";
	struct vpmu_register r;

	problem = problem ? problem : world_prepare(frame, 0);
	if (problem)
		kernel_end(problem);
	move();
	for (unsigned i = 0; vpmu_core_register(vpmu, i, &r); i++)
		world_intercept_msr(r.address);
	kernel_prepare(entry, &monitor);
	kernel_fill(frame);
	frame->exit = exit_from_guest;
	reported = frame->guest_clock;
	prepare_quantum(frame, 0);
	svm_run(frame);
	kernel_end("the guest has been left");
}
