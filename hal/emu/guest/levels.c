// SPDX-License-Identifier: BSD-2-Clause
// While a counter counts at one privilege level only, a system call ends the guest's turn. SVM intercepts none, but an
// instruction that its register does not allow raises an exception, which SVM intercepts: during the guest's turns
// EFER.SCE is clear, so that SYSCALL and SYSRET are undefined, and IA32_SYSENTER_CS is 0, so that SYSENTER and SYSEXIT
// raise #GP (SDM volume 2B). Then the registers are the guest's for a turn of one instruction. What the guest does with
// the registers themselves is such a turn, too.

#include "levels.h"

#include "exits.h"
#include "fetch.h"
#include "layout.h"
#include "monitor.h"
#include "permissions.h"
#include "x86/msr.h"

#define MSR_SYSENTER_CS		0x174u
#define EFER_SCE		(1u << 0)

#define EXIT_PROTECTION		(SVM_EXIT_EXCEPTION + VECTOR_GENERAL_PROTECTION)
#define INTERCEPT_UNDEFINED	(1u << VECTOR_UNDEFINED)
#define INTERCEPT_PROTECTION	(1u << VECTOR_GENERAL_PROTECTION)

// Behind 0FH.
#define OPCODE_SYSCALL		0x05
#define OPCODE_SYSRET		0x07
#define OPCODE_SYSENTER		0x34
#define OPCODE_SYSEXIT		0x35

static struct {
	bool closed;		// the registers are not the guest's
	bool reflects;		// the coming turn is an instruction that raises its exception again, for the guest
	uint64_t sce, sysenter_cs;	// the guest's
} cpus[SVM_CPUS];

//
// The registers
//

static void intercept_accesses(struct vmcb *vmcb, bool intercepted)
{
	permissions_set(vmcb, SVM_MSR_EFER, PERMISSION_READ | (intercepted ? PERMISSION_WRITE : 0));
	permissions_set(vmcb, MSR_SYSENTER_CS, intercepted ? PERMISSION_READ | PERMISSION_WRITE : 0);
}

static void close(struct svm_frame *frame)
{
	struct vmcb *vmcb = frame->vmcb;
	const unsigned cpu = frame->monitor->cpu;

	cpus[cpu].sce = vmcb->efer & EFER_SCE;
	vmcb->efer &= ~(uint64_t)EFER_SCE;
	if (cpus[cpu].sce)
		vmcb->intercept_exceptions |= INTERCEPT_UNDEFINED;
	x86_rdmsr(MSR_SYSENTER_CS, &cpus[cpu].sysenter_cs);
	if (cpus[cpu].sysenter_cs) {
		x86_wrmsr(MSR_SYSENTER_CS, 0);
		vmcb->intercept_exceptions |= INTERCEPT_PROTECTION;
	}
	intercept_accesses(vmcb, true);
	cpus[cpu].closed = true;
}

static void open(struct svm_frame *frame)
{
	const unsigned cpu = frame->monitor->cpu;

	frame->vmcb->efer |= cpus[cpu].sce;
	if (cpus[cpu].sysenter_cs)
		x86_wrmsr(MSR_SYSENTER_CS, cpus[cpu].sysenter_cs);
	intercept_accesses(frame->vmcb, false);
	cpus[cpu].closed = false;
}

//
// Exceptions
//

// #UD. The emulator's clock has counted what it sees to be undefined before it executes it: all but SYSCALL and SYSRET.
static bool exit_undefined(struct svm_frame *frame, bool was_closed)
{
	const uint8_t opcode = fetch_two_byte_opcode(frame->vmcb);
	const bool is_call = opcode == OPCODE_SYSCALL || opcode == OPCODE_SYSRET;

	if (is_call && was_closed && cpus[frame->monitor->cpu].sce) {
		frame->vmcb->exit_code = SVM_EXIT_STEP;
		return false;
	}
	if (!is_call && frame->guest_clock != frame->monitor->accounted)
		frame->guest_clock--;
	frame->vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_EXCEPTION | VECTOR_UNDEFINED;
	return true;
}

// #GP. At level 0 the instruction is let execute, or fault again, whatever it is. At others SYSENTER is; all else
// faults again, and what executes then is the handler.
static void exit_protection(struct svm_frame *frame, bool was_closed)
{
	const unsigned cpu = frame->monitor->cpu;
	const bool is_call = was_closed && cpus[cpu].sysenter_cs && fetch_two_byte_opcode(frame->vmcb) == OPCODE_SYSENTER;

	if (frame->vmcb->cpl == 0 || is_call)
		frame->vmcb->exit_code = SVM_EXIT_STEP;
	else
		cpus[cpu].reflects = true;
}

static bool is_call_register(const struct svm_frame *frame)
{
	const uint32_t msr = (uint32_t)frame->rcx;

	return msr == MSR_SYSENTER_CS || (msr == SVM_MSR_EFER && frame->vmcb->exit_info1);
}

bool levels_end_turn(struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;
	const uint64_t code = frame->vmcb->exit_code;
	const bool was_closed = cpus[m->cpu].closed;

	if (was_closed)
		open(frame);
	if (!m->level_matters || m->watching)
		return false;
	if (code == SVM_EXIT_UNDEFINED)
		return exit_undefined(frame, was_closed);
	if (code == EXIT_PROTECTION)
		exit_protection(frame, was_closed);
	else if (code == SVM_EXIT_MSR && is_call_register(frame))
		frame->vmcb->exit_code = SVM_EXIT_STEP;
	return false;
}

void levels_begin_turn(struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;

	if (cpus[m->cpu].reflects)
		guest_step(frame);
	else if (m->level_matters && !m->stepping && !m->watching)
		close(frame);
	cpus[m->cpu].reflects = false;
}
