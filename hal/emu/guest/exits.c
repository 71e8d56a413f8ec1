// SPDX-License-Identifier: BSD-2-Clause
// Exits of a kernel that the monitor did not start as its own program: the instructions of SVM, which it has not; the
// registers of SVM; its own non-maskable interrupts; the end of the run. What is dealt with here goes on in
// svm_exit as an alarm does: what has executed is told to the PMU, and the guest's next turn is made ready.

#include "exits.h"

#include <string.h>

#include "baton.h"
#include "hal.h"
#include "layout.h"
#include "monitor.h"
#include "multiboot.h"
#include "nested.h"
#include "runs.h"
#include "startup.h"
#include "vmcb.h"
#include "x86/cpu.h"
#include "x86/msr.h"

// intercept1 and 2 beside the monitor's own.
#define INTERCEPT_INVLPGA	(1u << 26)
#define INTERCEPT_PORTS		(1u << 27)
#define INTERCEPT_SVM		0x7Fu	/* VMRUN, VMMCALL, VMLOAD, VMSAVE, STGI, CLGI, SKINIT */

// interrupt_control: the monitor's flag, which is clear, masks physical interrupts.
#define VIRTUAL_INTERRUPTS	(1u << 24)
#define INTERRUPT_SHADOW	(1u << 0)

enum {
	EXIT_DEBUG = 0x41,
	EXIT_INVLPGA = 0x7A,
	EXIT_PORTS = 0x7B,
	EXIT_SHUTDOWN = 0x7F,
	EXIT_VMRUN = 0x80,
	EXIT_SKINIT = 0x86,
};

// exit_info1 of EXIT_PORTS.
#define PORTS_IN	(1u << 0)

// The registers of SVM, of which the guest sees none; which bits of a permission map's byte are a register's (APM
// volume 2, 15.11): from C0000000H at 0800H, from C0010000H at 1000H.
#define MSR_VM_CR		0xC0010114u
#define PERMISSIONS_C000	0x0800
#define PERMISSIONS_C001	0x1000
#define PERMISSION_READ		1u
#define PERMISSION_WRITE	2u

#define VECTOR_DEBUG		1
#define DR6_SINGLE_STEP		(1u << 14)
#define RFLAGS_TF		(1u << 8)

#define KEYBOARD_PORT		0x64	/* the controller's, which can pulse the processor's reset line */
#define KEYBOARD_RESET		0xFE
#define RDMSR_LENGTH		2
#define DEBUG_EXIT_PORT		0xF4	/* and the three behind it */
#define PORT_PERMISSIONS_SIZE	0x3000

// The guest's state at its start: Multiboot specification 3.2.
#define CR0_PE			(1u << 0)
#define CR0_ET			(1u << 4)
#define ATTRIBUTES_CODE32	0xC9B	/* 4 GiB, 32-bit, present, level 0, execute and read, accessed */
#define ATTRIBUTES_DATA32	0xC93
#define ATTRIBUTES_TSS32	0x08B
#define ATTRIBUTES_LDT		0x082
#define ATTRIBUTES_DATA16	0x093

// Architectural performance monitoring (SDM volume 4, Table 2-2).
#define MSR_SELECT		0x186u
#define SELECTS_MOST		32
#define SELECT_ENABLE		(1u << 22)
#define SELECT_EDGE		(1u << 18)
#define SELECT_LEVELS		(3u << 16)
#define MSR_FIXED_CONTROL	0x38Du
#define FIXED_BITS		4	/* for each counter */
#define FIXED_LEVELS		3u
#define MSR_GLOBAL_CONTROL	0x38Fu
#define FIXED_FIRST		32	/* bit of the first fixed counter */

// No overflow is due: the guest's turn ends in some years of the clock. Far enough, and no sum of it overflows.
#define NO_ALARM (1ULL << 58)

// Branches are counted, too, since the guest's turns are one instruction long while a counter selects them.
#define CPUID_MONITORING	0xA
#define CPUID_MONITORING_NO_BRANCHES (1u << 5)

_Alignas(4096) static uint8_t port_permissions[PORT_PERMISSIONS_SIZE];
static const struct load_entry *entry_of_guest;
static uint64_t nested_tables;
static bool counting;		// some counter, since the last write of a register
static bool pmu_was_used, single_steps;

//
// The end
//

static void say(const char *text)
{
	while (*text)
		hal_console_put(*text++);
}

// On a line of its own, whatever the guest has written last.
static void say_how_it_counted(void)
{
	say("\npalmon: the guest's PMU ");
	if (!pmu_was_used)
		say("was not used\n");
	else if (single_steps)
		say("counted instruction by instruction, with branches, at least for some time\n");
	else
		say("counted by the instruction clock, without branches\n");
}

// A reset: the emulator ends, and not as by the guest's debug-exit port.
noreturn void hal_exit(int status)
{
	(void)status;
	for (;;)
		x86_outb(KEYBOARD_PORT, KEYBOARD_RESET);
}

static noreturn void end_without_status(const char *why)
{
	say_how_it_counted();
	say("palmon: ");
	say(why);
	say("\n");
	hal_exit(1);
}

//
// Exits
//

static void inject(struct svm_frame *frame, uint64_t exception)
{
	frame->vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_EXCEPTION | exception;
}

static void skip_instruction(struct svm_frame *frame, uint64_t length)
{
	frame->vmcb->rip += length;
	frame->guest_clock++;
}

static void trap_step(struct svm_frame *frame)
{
	if (frame->vmcb->event_injection)
		return;
	frame->vmcb->dr6 |= DR6_SINGLE_STEP;
	inject(frame, VECTOR_DEBUG);
}

// RDMSR of EFER: the guest has no SVM. Of the others: they do not exist.
static bool exit_svm_register(struct svm_frame *frame)
{
	const uint32_t msr = (uint32_t)frame->rcx;
	const uint64_t efer = frame->vmcb->efer & ~(uint64_t)SVM_EFER_SVME;

	if (msr == SVM_MSR_HSAVE || msr == MSR_VM_CR) {
		inject(frame, SVM_INJECT_ERROR_CODE | VECTOR_GENERAL_PROTECTION);
		return true;
	}
	if (msr != SVM_MSR_EFER)
		return false;
	frame->vmcb->rax = (uint32_t)efer;
	frame->rdx = efer >> 32;
	skip_instruction(frame, RDMSR_LENGTH);
	return true;
}

// The debug-exit port: an OUT ends the run as soon as the guest executes it again. An IN reads 0.
static void exit_port(struct svm_frame *frame)
{
	struct vmcb *vmcb = frame->vmcb;

	if (vmcb->exit_info1 & PORTS_IN) {
		vmcb->rax &= ~0xFFULL;
		skip_instruction(frame, vmcb->exit_info2 - vmcb->rip);
		return;
	}
	say_how_it_counted();
	memset(port_permissions, 0, sizeof port_permissions);
}

// The guest's own: sent by its local APIC, or by a device. What comes when the alarm is due is the alarm. With several
// CPUs what the guest sends comes another way (startup.c), and alarms come from other CPUs, too.
static void exit_nmi(struct svm_monitor *m, const struct svm_frame *frame)
{
	if (!baton_is_shared && frame->guest_clock < m->deadline)
		m->nmi_pending = true;
}

// Whether the exit has been dealt with.
static bool exit_of_guest(struct svm_frame *frame)
{
	const uint64_t code = frame->vmcb->exit_code;

	if (code == SVM_EXIT_NMI) {
		exit_nmi(frame->monitor, frame);
		return false;
	}
	// A trap: the instruction has executed and does not raise it again.
	if (code == EXIT_DEBUG)
		inject(frame, VECTOR_DEBUG);
	if (code == SVM_EXIT_MSR)
		return exit_svm_register(frame);
	if (code == EXIT_SHUTDOWN)
		end_without_status("the guest has shut down (triple fault)");
	if (code == EXIT_PORTS)
		exit_port(frame);
	else if (code == EXIT_INVLPGA || (code >= EXIT_VMRUN && code <= EXIT_SKINIT))
		inject(frame, VECTOR_UNDEFINED);
	else
		return false;
	return true;
}

//
// Entries
//

// Whether the exit is a write to a register that says what counts.
static bool is_control(const struct svm_frame *frame)
{
	const uint32_t msr = (uint32_t)frame->rcx;

	return frame->vmcb->exit_code == SVM_EXIT_MSR && frame->vmcb->exit_info1 &&
	       (msr - MSR_SELECT < SELECTS_MOST || msr == MSR_FIXED_CONTROL || msr == MSR_GLOBAL_CONTROL);
}

// Whether a counter counts, in the terms of the architectural PMU that the guest knows: enabled by itself, at some
// level, and globally.
static bool is_counting(struct vpmu *vpmu)
{
	uint64_t global, control, select, enabled = 0;

	if (!vpmu_read(vpmu, MSR_GLOBAL_CONTROL, &global) || !vpmu_read(vpmu, MSR_FIXED_CONTROL, &control))
		return true;
	for (unsigned i = 0; i < SELECTS_MOST && vpmu_read(vpmu, MSR_SELECT + i, &select); i++)
		if (select & SELECT_ENABLE && select & SELECT_LEVELS)
			enabled |= 1ULL << i;
	for (unsigned i = 0; control >> i * FIXED_BITS; i++)
		if (control >> i * FIXED_BITS & FIXED_LEVELS)
			enabled |= 1ULL << (FIXED_FIRST + i);
	return global & enabled;
}

bool guest_counts_edges(struct vpmu *vpmu)
{
	uint64_t select;

	for (unsigned i = 0; i < SELECTS_MOST && vpmu_read(vpmu, MSR_SELECT + i, &select); i++)
		if ((select & (SELECT_ENABLE | SELECT_EDGE)) == (SELECT_ENABLE | SELECT_EDGE))
			return true;
	return false;
}

// An alarm is set only if an overflow is to raise the line, or the turn is one instruction long; HLT ends a turn only
// if it stops what counts.
static void prepare_turn(struct svm_monitor *m, struct svm_frame *frame)
{
	struct vmcb *vmcb = frame->vmcb;

	vmcb->efer |= SVM_EFER_SVME;		// the guest may have cleared what it does not see
	vmcb->intercept1 |= INTERCEPT_PORTS | INTERCEPT_INVLPGA;
	single_steps |= m->watching;
	if (baton_is_shared)
		return;
	if (vpmu_headroom(&m->vpmu) >= MODEL_FAR && !m->stepping && !m->watching) {
		frame->alarm_after = NO_ALARM;
		m->deadline = frame->guest_clock + NO_ALARM;
	}
	if (!counting && !m->halting)
		vmcb->intercept1 &= ~SVM_INTERCEPT_HLT;
}

//
// The start
//

static void permit(uint8_t *map, uint32_t msr, unsigned intercepted)
{
	map[msr / 4] |= (uint8_t)(intercepted << msr % 4 * 2);
}

static void intercept_svm(struct vmcb *vmcb)
{
	uint8_t *map = (uint8_t *)(uintptr_t)vmcb->msrpm_base;

	permit(map + PERMISSIONS_C000, SVM_MSR_EFER & 0xFFFF, PERMISSION_READ);
	permit(map + PERMISSIONS_C001, SVM_MSR_HSAVE & 0xFFFF, PERMISSION_READ | PERMISSION_WRITE);
	permit(map + PERMISSIONS_C001, MSR_VM_CR & 0xFFFF, PERMISSION_READ | PERMISSION_WRITE);
	vmcb->intercept2 |= INTERCEPT_SVM;
	port_permissions[DEBUG_EXIT_PORT / 8] |= 0xF << DEBUG_EXIT_PORT % 8;
	vmcb->iopm_base = (uintptr_t)port_permissions;
}

// FS, GS, the local descriptor table and the task: not loaded by VMRUN.
static void load_rest(struct vmcb *vmcb)
{
	vmcb->fs = vmcb->gs = vmcb->ds;
	vmcb->ldtr = (struct vmcb_segment){0, ATTRIBUTES_LDT, 0xFFFF, 0};
	vmcb->tr = (struct vmcb_segment){0, ATTRIBUTES_TSS32, 0xFFFF, 0};
	__asm__ volatile("vmload %%rax" : : "a"(vmcb) : "memory");
}

static void fill_start(struct svm_frame *frame)
{
	struct vmcb *vmcb = frame->vmcb;

	memset(frame, 0, offsetof(struct svm_frame, vmcb));
	vmcb->cs = (struct vmcb_segment){0x08, ATTRIBUTES_CODE32, UINT32_MAX, 0};
	vmcb->ds = vmcb->es = vmcb->ss = (struct vmcb_segment){0x10, ATTRIBUTES_DATA32, UINT32_MAX, 0};
	vmcb->gdtr = vmcb->idtr = (struct vmcb_segment){0};
	vmcb->cr0 = CR0_PE | CR0_ET;
	vmcb->cr3 = vmcb->cr4 = 0;
	vmcb->efer = SVM_EFER_SVME;
	vmcb->rflags = 2;
	vmcb->rsp = 0;
	vmcb->rip = entry_of_guest->address;
	vmcb->rax = MULTIBOOT_LOADER_MAGIC;
	frame->rbx = entry_of_guest->information;
	vmcb->nested_cr3 = nested_tables;
	vmcb->nested_control = SVM_NESTED_PAGING;
	vmcb->tlb_control = SVM_FLUSH_ALL;
	intercept_svm(vmcb);
	load_rest(vmcb);
}

void guest_step_alone(struct svm_frame *frame)
{
	frame->vmcb->interrupt_control |= VIRTUAL_INTERRUPTS;
	frame->vmcb->intercept1 &= ~SVM_INTERCEPT_INTR;
	frame->alarm_after = 1;
	frame->monitor->deadline = frame->guest_clock + 1;
}

static bool guest_exit(struct svm_frame *frame)
{
	// The alarm has ended the turn behind STI or a MOV to SS, whose shadow QEMU forgets.
	const bool shadow = frame->vmcb->exit_code == SVM_EXIT_NMI && frame->vmcb->interrupt_shadow & INTERRUPT_SHADOW;
	const bool identifies = frame->vmcb->exit_code == SVM_EXIT_CPUID &&
				(uint32_t)frame->vmcb->rax == CPUID_MONITORING;
	const bool controls = is_control(frame);
	// An instruction that the monitor carries out ends with the trap that its trap flag asks for.
	const bool steps = frame->vmcb->rflags & RFLAGS_TF && frame->vmcb->exit_code != SVM_EXIT_NMI;
	const uint64_t rip = frame->vmcb->rip;
	const bool writes_apic = startup_is_apic_write(frame);
	bool enough;

	frame->vmcb->interrupt_control &= ~(uint64_t)VIRTUAL_INTERRUPTS;
	frame->vmcb->tlb_control = 0;
	startup_finish_write(frame);
	// QEMU leaves the error codes of the guest's exceptions here. Nothing is injected when the guest has left.
	frame->vmcb->event_injection = 0;
	runs_end(frame);
	if (writes_apic || exit_of_guest(frame))
		frame->vmcb->exit_code = SVM_EXIT_NMI;
	enough = svm_exit(frame);
	if (steps && frame->vmcb->rip != rip)
		trap_step(frame);
	if (controls) {
		counting = is_counting(&frame->monitor->vpmu);
		pmu_was_used |= counting;
	}
	if (identifies)
		frame->rbx &= ~(uint64_t)CPUID_MONITORING_NO_BRANCHES;
	startup_prepare_turn(frame, writes_apic, fill_start);
	prepare_turn(frame->monitor, frame);
	if (shadow && !frame->vmcb->event_injection && !frame->monitor->halting)
		guest_step_alone(frame);
	runs_begin(frame, frame->vmcb->interrupt_control & VIRTUAL_INTERRUPTS);
	return enough;
}

// The first exit, which is the CPUID in guest_enter.
static bool exit_to_guest(struct svm_frame *frame)
{
	fill_start(frame);
	frame->exit = guest_exit;
	frame->vmcb->exit_code = SVM_EXIT_NMI;
	frame->monitor->deadline = frame->guest_clock;
	svm_exit(frame);
	prepare_turn(frame->monitor, frame);
	return false;
}

noreturn void guest_enter(struct svm_frame *frame, const struct load_entry *entry, unsigned cpus)
{
	entry_of_guest = entry;
	nested_tables = nested_prepare();
	if (!startup_begin(cpus, guest_exit))
		end_without_status("a CPU does not start");
	frame->exit = exit_to_guest;
	x86_cpuid(0, 0);
	for (;;)
		;
}
