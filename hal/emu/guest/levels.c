// SPDX-License-Identifier: BSD-2-Clause
// While a counter counts at one privilege level only, a system call ends the guest's turn. SVM intercepts none, but an
// instruction that its register does not allow raises an exception, which SVM intercepts: during the guest's turns
// EFER.SCE is clear, so that SYSCALL and SYSRET are undefined, and IA32_SYSENTER_CS is 0, so that SYSENTER and SYSEXIT
// raise #GP (SDM volume 2B). Then the registers are the guest's for a turn of one instruction. What the guest does with
// the registers themselves is such a turn, too. An instruction that faults does not retire: what the emulator's clock
// has counted of such (faults.h) is taken back, while a counter counts at all.

#include "levels.h"

#include "exits.h"
#include "faults.h"
#include "fetch.h"
#include "layout.h"
#include "monitor.h"
#include "permissions.h"
#include "x86/msr.h"

#define MSR_SYSENTER_CS		0x174u
#define EFER_SCE		(1u << 0)

#define EXIT_PROTECTION		(SVM_EXIT_EXCEPTION + VECTOR_GENERAL_PROTECTION)

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
	x86_rdmsr(MSR_SYSENTER_CS, &cpus[cpu].sysenter_cs);
	if (cpus[cpu].sysenter_cs)
		x86_wrmsr(MSR_SYSENTER_CS, 0);
	vmcb->intercept_exceptions |= FAULTS_COUNTED;
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

static bool is_call(uint64_t code, uint8_t opcode)
{
	if (code == SVM_EXIT_UNDEFINED)
		return opcode == OPCODE_SYSCALL || opcode == OPCODE_SYSRET;
	return code == EXIT_PROTECTION && (opcode == OPCODE_SYSENTER || opcode == OPCODE_SYSEXIT);
}

static bool is_fault(uint64_t code)
{
	return code - SVM_EXIT_EXCEPTION < 32 && FAULTS_COUNTED >> (code - SVM_EXIT_EXCEPTION) & 1;
}

// The registers may not have allowed a call. Tried with the guest's own, it can still raise an exception.
static bool is_closed_call(const struct svm_frame *frame)
{
	return is_call(frame->vmcb->exit_code, fetch_two_byte_opcode(frame->vmcb));
}

// What was counted, and has not retired, is taken back, and its exception injected; all else raises it again.
static bool exit_fault(struct svm_frame *frame)
{
	struct vmcb *vmcb = frame->vmcb;
	const uint64_t vector = vmcb->exit_code - SVM_EXIT_EXCEPTION;

	if (!faults_was_counted(frame) || frame->guest_clock == frame->monitor->accounted) {
		cpus[frame->monitor->cpu].reflects = true;
		return false;
	}
	frame->guest_clock--;
	vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_EXCEPTION | vector;
	if (vector == VECTOR_NOT_PRESENT || vector == VECTOR_GENERAL_PROTECTION)
		vmcb->event_injection |= SVM_INJECT_ERROR_CODE | vmcb->exit_info1 << 32;
	return true;
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
	if (m->watching)
		return false;
	if (was_closed && (is_closed_call(frame) || (code == SVM_EXIT_MSR && is_call_register(frame))))
		frame->vmcb->exit_code = SVM_EXIT_STEP;
	else if (is_fault(code))
		return exit_fault(frame);
	return false;
}

void levels_begin_turn(struct svm_frame *frame, bool counting)
{
	const struct svm_monitor *m = frame->monitor;
	const bool reflects = cpus[m->cpu].reflects;

	cpus[m->cpu].reflects = false;
	if (reflects)
		guest_step(frame);
	if (reflects || m->stepping || m->watching)
		return;
	if (counting)
		frame->vmcb->intercept_exceptions |= FAULTS_COUNTED;
	if (m->level_matters)
		close(frame);
}
