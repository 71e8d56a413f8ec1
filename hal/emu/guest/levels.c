// SPDX-License-Identifier: BSD-2-Clause
// While a counter counts at one privilege level only, the plugin follows SYSCALL and SYSRET, and IRET, if it can.
// Interruptions and INT n end the guest's quantum; and what it cannot follow does, too. SVM intercepts none, but
// an instruction that its register does not allow raises an exception, which SVM intercepts: during the guest's quanta
// EFER.SCE is clear, so that SYSCALL and SYSRET are undefined, and IA32_SYSENTER_CS is 0, so that SYSENTER and SYSEXIT
// raise #GP (SDM volume 2B). They stay so from quantum to quantum, and are the guest's for a quantum of one instruction
// only, which a call is. What the guest does with the registers themselves is such a quantum, too. An instruction that
// faults does not retire: what the emulator's clock has counted of such is taken back, while a counter counts at all.
// It counts those that it knows to fault when it translates them: undefined ones, too long ones, those that need a
// device which is off, privileged ones, AAM by 0, and INT n, whose gate it checks afterwards.

#include "levels.h"

#include "monitor.h"
#include "permissions.h"
#include "step.h"
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
	bool known;		// since sysenter_cs was read, all accesses to it have been intercepted
	bool alone;		// the coming quantum is one of these, as the guest's, with its registers
				// accesses, or what raises its exception again, for the guest
	uint64_t sce, sysenter_cs;	// the guest's
} cpus[SVM_CPUS];

uint8_t levels_state[SVM_CPUS];

// In the permission map of all CPUs, of which one executes at a time while levels matter.
static bool intercepted;

//
// The registers
//

static void intercept_accesses(struct svm_frame *frame, bool intercepts)
{
	const unsigned cpu = frame->monitor->cpu;

	if (intercepts == cpus[cpu].known && intercepts == intercepted)
		return;
	if (intercepts && !cpus[cpu].known)
		x86_rdmsr(MSR_SYSENTER_CS, &cpus[cpu].sysenter_cs);
	cpus[cpu].known = intercepts;
	if (intercepts == intercepted)
		return;
	intercepted = intercepts;
	permissions_set(frame->vmcb, SVM_MSR_EFER, PERMISSION_READ | (intercepts ? PERMISSION_WRITE : 0));
	permissions_set(frame->vmcb, MSR_SYSENTER_CS, intercepts ? PERMISSION_READ | PERMISSION_WRITE : 0);
}

static void close(struct svm_frame *frame, bool follows)
{
	const unsigned cpu = frame->monitor->cpu;

	if (!cpus[cpu].closed) {
		cpus[cpu].sce = frame->vmcb->efer & EFER_SCE;
		if (cpus[cpu].sysenter_cs)
			x86_wrmsr(MSR_SYSENTER_CS, 0);
	}
	frame->vmcb->efer &= ~(uint64_t)EFER_SCE;
	if (follows)
		frame->vmcb->efer |= cpus[cpu].sce;
	cpus[cpu].closed = true;
}

static void open(struct svm_frame *frame)
{
	const unsigned cpu = frame->monitor->cpu;

	if (!cpus[cpu].closed)
		return;
	levels_state[cpu] = LEVELS_OTHER;
	frame->vmcb->efer |= cpus[cpu].sce;
	if (cpus[cpu].sysenter_cs)
		x86_wrmsr(MSR_SYSENTER_CS, cpus[cpu].sysenter_cs);
	cpus[cpu].closed = false;
}

void levels_give_registers(struct svm_frame *frame)
{
	open(frame);
	intercept_accesses(frame, false);
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
	return is_call(frame->vmcb->exit_code, frame->monitor->pmu.box.opcode);
}

static void execute_alone(unsigned cpu)
{
	cpus[cpu].alone = true;
	levels_state[cpu] = LEVELS_OTHER;
}

// What was counted, and has not retired, is taken back, and its exception injected; all else raises it again.
static enum outcome exit_fault(struct svm_frame *frame)
{
	struct vmcb *vmcb = frame->vmcb;
	const uint64_t vector = vmcb->exit_code - SVM_EXIT_EXCEPTION;

	svm_pmu_run(&frame->monitor->pmu, 0);
	if (!frame->monitor->pmu.box.was_counted) {
		execute_alone(frame->monitor->cpu);
		return OUTCOME_UNHANDLED;
	}
	frame->guest_clock--;
	vmcb->event_injection = SVM_INJECT_VALID | SVM_INJECT_EXCEPTION | vector;
	if (vector == VECTOR_NOT_PRESENT || vector == VECTOR_GENERAL_PROTECTION)
		vmcb->event_injection |= SVM_INJECT_ERROR_CODE | vmcb->exit_info1 << 32;
	return OUTCOME_CONTINUE;
}

// An access to one of the registers is executed as the guest's, but a read of EFER: that is of the control block.
static enum outcome exit_msr(struct svm_frame *frame)
{
	const unsigned cpu = frame->monitor->cpu;
	const uint32_t msr = (uint32_t)frame->rcx;

	if (msr == SVM_MSR_EFER && !frame->vmcb->exit_info1) {
		open(frame);
	} else if (cpus[cpu].known && (msr == MSR_SYSENTER_CS || msr == SVM_MSR_EFER)) {
		execute_alone(cpu);
		return OUTCOME_STEP;
	}
	return OUTCOME_UNHANDLED;
}

enum outcome levels_end_quantum(struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;
	const uint64_t code = frame->vmcb->exit_code;

	if (code == SVM_EXIT_MSR)
		return exit_msr(frame);
	if (!is_fault(code))
		return OUTCOME_UNHANDLED;
	return cpus[m->cpu].closed && is_closed_call(frame) ? OUTCOME_STEP : exit_fault(frame);
}

void levels_arrange_quantum(struct svm_frame *frame, bool counting)
{
	const struct svm_monitor *m = frame->monitor;
	const bool alone = cpus[m->cpu].alone, follows = m->prepared.follows;

	cpus[m->cpu].alone = false;
	if (alone)
		guest_step(frame);
	if (!m->prepared.level_matters || alone) {
		if (intercepted | cpus[m->cpu].known)
			levels_give_registers(frame);
	} else if (levels_is_alone(m)) {
		open(frame);
	} else {
		intercept_accesses(frame, true);
		close(frame, follows);
	}
	if (cpus[m->cpu].closed)
		levels_state[m->cpu] = follows ? LEVELS_FOLLOWED : LEVELS_CLOSED;
	else
		levels_state[m->cpu] = cpus[m->cpu].known ? LEVELS_OTHER : LEVELS_OPEN;
	if (counting && !alone && !levels_is_alone(m))
		frame->vmcb->intercept_exceptions |= FAULTS_COUNTED;
}
