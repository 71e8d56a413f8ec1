// SPDX-License-Identifier: BSD-2-Clause
// Several CPUs (SDM volume 3A, "MP Initialization", "Interrupt Command Register"). A CPU that the guest has not
// started halts in this program, the monitor's first guest. What the guest writes to its local APIC is written for it:
// most of it to the APIC; INIT, startup and NMI to the CPU's monitor. So is what it writes to the I/O APIC, which must
// send no INIT. If it does so by an instruction that is not known here, that goes to a page of memory instead, in a
// quantum of one instruction, in which the CPU is alone.

#include "startup.h"

#include <string.h>

#include "arch.h"
#include "run_token.h"
#include "emulate.h"
#include "entry.h"
#include "kernel.h"
#include "levels.h"
#include "monitor.h"
#include "nested.h"
#include "smm.h"
#include "step.h"
#include "store.h"
#include "x86/apic.h"
#include "x86/cpu.h"
#include "x86/processors.h"
#include "x86/this_cpu.h"

#define EXIT_NESTED_FAULT	0x400
#define FAULT_WRITE		(1u << 1)	/* exit_info1 */

// Interrupt command.
#define COMMAND_DELIVERY	0x700u
#define COMMAND_NMI		0x400u
#define COMMAND_INIT		0x500u
#define COMMAND_STARTUP		0x600u
#define COMMAND_LOGICAL		(1u << 11)
#define COMMAND_LEVEL		(3u << 14)	/* and whether it is asserted */
#define COMMAND_DEASSERT	(2u << 14)
#define COMMAND_SHORTHAND(c)	((c) >> 18 & 3)
#define COMMAND_SELF		1
#define COMMAND_ALL		2
#define COMMAND_OTHERS		3
#define ALL_IDENTITIES		0xFF

// The I/O APIC (Intel 82093AA data sheet): a register is selected, and written by the window. Address bits 11:8 are
// ignored. From ENTRIES on each pin has two registers, of which the first one has the delivery mode, as commands have,
// and the mask bit.
#define IO_APIC_OFFSET		0xFFu
#define IO_APIC_SELECT		0x00
#define IO_APIC_WINDOW		0x10
#define IO_APIC_ENTRIES		0x10

#define VECTORS			256
#define SPURIOUS_AFTER_INIT	0xFFu

#define CLOCKS_TO_COME		100000000u

static struct {
	struct svm_frame *frame;
	bool started;			// by the guest
	bool init, startup;		// has been sent, and not been seen yet
	uint8_t vector;
	uint8_t logical;		// its APIC's identity as a logical destination
	bool clusters;			// which is a cluster's number and a bit
	uint32_t writing;		// the quantum is a write to this APIC; 0: it is not
	uint32_t offset;		// where
	struct vmcb waiting;		// the control block while it waits for the guest
} cpus[SVM_CPUS];

static unsigned cpu_count = 1;
static volatile uint32_t come;		// bits
static bool (*exit_of_cpus)(struct svm_frame *frame);
_Alignas(4096) static volatile uint32_t written[1024];

//
// Before the guest
//

static struct svm_frame *frame_of(unsigned cpu)
{
	return (struct svm_frame *)x86_stack_end(cpu, STACK_MONITOR) - 1;
}

static void wait_for_guest(void)
{
	const unsigned cpu = x86_this_cpu.number;

	if (smm_begin(cpu) && emulate_cpu()) {
		frame_of(cpu)->exit = exit_of_cpus;
		__atomic_fetch_or(&come, 1u << cpu, __ATOMIC_SEQ_CST);
	}
	for (;;)
		__asm__ volatile("cli; hlt");
}

static void send(unsigned cpu, uint32_t command)
{
	*x86_apic_register(APIC_COMMAND_HIGH) = cpu << 24;
	*x86_apic_register(APIC_COMMAND_LOW) = command;
}

static bool start(unsigned cpu)
{
	const uint64_t begin = arch_clock();

	x86_processor_expect(cpu, wait_for_guest);
	send(cpu, APIC_COMMAND_INIT);
	send(cpu, APIC_COMMAND_STARTUP | TRAMPOLINE / SMALL_PAGE);
	while (!(come >> cpu & 1) && arch_clock() - begin < CLOCKS_TO_COME)
		__asm__ volatile("pause");
	return come >> cpu & 1;
}

static bool start_all(unsigned count)
{
	for (unsigned cpu = 1; cpu < count; cpu++)
		if (!start(cpu))
			return false;
	return true;
}

// The page that they start in is the guest's, and may have its code already.
bool startup_begin(unsigned count, bool (*exit)(struct svm_frame *frame))
{
	static uint8_t guests[SMALL_PAGE];
	void *trampoline = (void *)(uintptr_t)TRAMPOLINE;
	bool all;

	if (count > SVM_CPUS)
		return false;
	exit_of_cpus = exit;
	cpu_count = count;
	cpus[0].started = true;
	for (unsigned cpu = 0; cpu < count; cpu++)
		cpus[cpu].frame = frame_of(cpu);
	if (count == 1)
		return true;
	memcpy(guests, trampoline, sizeof guests);
	x86_processors_prepare();
	all = start_all(count);
	*x86_apic_register(APIC_COMMAND_HIGH) = 0;
	memcpy(trampoline, guests, sizeof guests);
	nested_protect(NESTED_APIC);
	nested_protect(NESTED_IO_APIC);
	nested_hide_messages();
	return all;
}

//
// What the guest sends
//

// SDM volume 3A, "Logical Destination Mode": flat, a bit for each of eight; or in clusters, the high half, of four.
static bool is_logical_destination(unsigned cpu, uint8_t destination)
{
	const uint8_t logical = cpus[cpu].logical;

	if (!cpus[cpu].clusters)
		return destination & logical;
	return destination == ALL_IDENTITIES || (destination >> 4 == logical >> 4 && destination & logical & 0xF);
}

static bool is_destination(unsigned cpu, unsigned self, uint32_t command)
{
	const uint8_t destination = (uint8_t)(*x86_apic_register(APIC_COMMAND_HIGH) >> 24);

	switch (COMMAND_SHORTHAND(command)) {
	case COMMAND_SELF:
		return cpu == self;
	case COMMAND_ALL:
		return true;
	case COMMAND_OTHERS:
		return cpu != self;
	}
	if (command & COMMAND_LOGICAL)
		return is_logical_destination(cpu, destination);
	return destination == cpu || destination == ALL_IDENTITIES;
}

// A startup interrupt reaches only a CPU that waits for it.
static void receive(unsigned cpu, uint32_t command)
{
	const uint32_t delivery = command & COMMAND_DELIVERY;

	if (delivery == COMMAND_NMI && cpus[cpu].started) {
		cpus[cpu].frame->monitor->nmi_pending = true;
	} else if (delivery == COMMAND_INIT && (command & COMMAND_LEVEL) != COMMAND_DEASSERT) {
		cpus[cpu].init = cpus[cpu].started;
		cpus[cpu].startup = false;
	} else if (delivery == COMMAND_STARTUP && (!cpus[cpu].started || cpus[cpu].init) && !cpus[cpu].startup) {
		cpus[cpu].vector = (uint8_t)command;
		cpus[cpu].startup = true;
	}
}

// QEMU 7.2 lets no other CPU execute while one spins without PAUSE, and a sender may spin until its interrupt is
// acknowledged. So the receiver executes first.
static void send_interrupt(uint32_t value)
{
	*x86_apic_register(APIC_COMMAND_LOW) = value;
	if (COMMAND_SHORTHAND(value) != COMMAND_SELF)
		__asm__ volatile("pause");
}

static void command(unsigned self, uint32_t value)
{
	const uint32_t delivery = value & COMMAND_DELIVERY;

	if (delivery != COMMAND_NMI && delivery != COMMAND_INIT && delivery != COMMAND_STARTUP) {
		send_interrupt(value);
		return;
	}
	for (unsigned cpu = 0; cpu < cpu_count; cpu++)
		if (is_destination(cpu, self, value)) {
			receive(cpu, value);
			if (cpu != self && !run_token_is_shared)
				run_token_call(cpu);
		}
}

bool startup_is_apic_write(const struct svm_frame *frame)
{
	const struct vmcb *vmcb = frame->vmcb;

	return vmcb->exit_code == EXIT_NESTED_FAULT && vmcb->exit_info1 & FAULT_WRITE &&
	       (vmcb->exit_info2 - NESTED_APIC < SMALL_PAGE || vmcb->exit_info2 - NESTED_IO_APIC < SMALL_PAGE);
}

static uint32_t written_apic(const struct svm_frame *frame)
{
	return (uint32_t)frame->vmcb->exit_info2 & ~(SMALL_PAGE - 1u);
}

static volatile uint32_t *io_apic_register(uint32_t offset)
{
	return (volatile uint32_t *)(uintptr_t)(NESTED_IO_APIC + offset);
}

// A device's INIT would end a CPU's monitor: no entry may send one.
static void write_io_apic(uint32_t offset, uint32_t value)
{
	static uint32_t selected;

	offset &= IO_APIC_OFFSET;
	if (offset == IO_APIC_SELECT)
		selected = value & 0xFF;
	if (offset == IO_APIC_WINDOW && selected >= IO_APIC_ENTRIES && selected % 2 == 0 &&
	    !(value & APIC_LVT_MASKED) && (value & COMMAND_DELIVERY) == COMMAND_INIT)
		kernel_end("the guest has the I/O APIC send INIT");
	*io_apic_register(offset) = value;
}

// QEMU's APIC ignores address bits 3:0, so a register has 16 addresses. A command to any of them must be caught.
static void write_apic(unsigned cpu, uint32_t offset, uint32_t value)
{
	offset &= ~0xFu;
	switch (offset) {
	case APIC_COMMAND_LOW:
		command(cpu, value);
		return;
	case APIC_ID:
		return;		// messages find the monitors by it
	case APIC_LOGICAL_DESTINATION:
		cpus[cpu].logical = (uint8_t)(value >> 24);
		break;
	case APIC_DESTINATION_FORMAT:
		cpus[cpu].clusters = value >> 28 == 0;
		break;
	}
	*x86_apic_register(offset) = value;
}

static void write_register(unsigned cpu, uint32_t apic, uint32_t offset, uint32_t value)
{
	if (apic == NESTED_APIC)
		write_apic(cpu, offset, value);
	else
		write_io_apic(offset, value);
}

bool startup_has_come(unsigned cpu)
{
	return cpus[cpu].frame->monitor->nmi_pending || cpus[cpu].init || cpus[cpu].startup;
}

unsigned startup_carry_out_write(const struct svm_frame *frame)
{
	const uint32_t offset = (uint32_t)frame->vmcb->exit_info2 % SMALL_PAGE;
	uint32_t value;
	const unsigned length = offset % 16 ? 0 : store_next(frame, &value);

	if (length)
		write_register(frame->monitor->cpu, written_apic(frame), offset, value);
	return length;
}

// Others have not executed meanwhile.
void startup_finish_write(struct svm_frame *frame)
{
	const unsigned cpu = frame->monitor->cpu;
	const uint32_t apic = cpus[cpu].writing;

	if (!apic)
		return;
	cpus[cpu].writing = 0;
	nested_protect(apic);
	frame->vmcb->tlb_control = SVM_FLUSH_ALL;
	if (frame->guest_clock != frame->monitor->deadline)
		return;		// it has not executed, and will be tried again
	write_register(cpu, apic, cpus[cpu].offset, written[cpus[cpu].offset / 4]);
}

// The instruction may read the register, too.
static void prepare_write(struct svm_frame *frame)
{
	const unsigned cpu = frame->monitor->cpu;
	const uint32_t offset = (uint32_t)frame->vmcb->exit_info2 % SMALL_PAGE & ~3u;

	cpus[cpu].writing = written_apic(frame);
	cpus[cpu].offset = offset;
	written[offset / 4] = *(volatile uint32_t *)(uintptr_t)(cpus[cpu].writing + offset);
	nested_replace(cpus[cpu].writing, (uintptr_t)written);
	frame->vmcb->tlb_control = SVM_FLUSH_ALL;
	guest_step_alone(frame);
}

//
// What has been sent to a CPU
//

static bool is_in_service(void)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < VECTORS / 32; i++)
		any |= *x86_apic_register(APIC_IN_SERVICE + i * 0x10);
	return any;
}

// As much as is possible of "Local APIC State After It Receives an INIT Reset" (SDM volume 3A). Requests stay.
static void reset_apic(unsigned cpu)
{
	static const uint16_t masked[] = {
		APIC_LVTT, APIC_LVT_THERMAL, APIC_LVTPC, APIC_LINT0, APIC_LINT1, APIC_LVT_ERROR,
	};

	for (unsigned i = 0; i < sizeof masked / sizeof *masked; i++)
		*x86_apic_register(masked[i]) = APIC_LVT_MASKED;
	for (unsigned i = 0; i < VECTORS && is_in_service(); i++)
		*x86_apic_register(APIC_EOI) = 0;
	*x86_apic_register(APIC_TIMER_INITIAL) = 0;
	*x86_apic_register(APIC_TIMER_DIVIDE) = 0;
	*x86_apic_register(APIC_TASK_PRIORITY) = 0;
	*x86_apic_register(APIC_SPURIOUS) = SPURIOUS_AFTER_INIT;
	write_apic(cpu, APIC_LOGICAL_DESTINATION, 0);
	write_apic(cpu, APIC_DESTINATION_FORMAT, UINT32_MAX);
}

// The first CPU would begin with the firmware again.
static void take_init(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	if (m->cpu == 0)
		kernel_end("the guest has reset its first CPU (INIT)");
	reset_apic(m->cpu);
	levels_give_registers(frame);
	*frame->vmcb = cpus[m->cpu].waiting;
	m->nmi_pending = m->nmi_blocked = m->stepping = false;
	m->halting = true;
	m->halt_rip = frame->vmcb->rip;
	svm_pmu_set_halted(&m->pmu, true);
	run_token_halt(frame);
	cpus[m->cpu].started = cpus[m->cpu].init = false;
}

// Code begins at vector * 4 KiB.
static void take_startup(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	levels_give_registers(frame);
	cpus[m->cpu].waiting = *frame->vmcb;
	cpus[m->cpu].waiting.rip = m->halt_rip;
	cpus[m->cpu].startup = false;
	cpus[m->cpu].started = true;
	kernel_fill_started(frame, cpus[m->cpu].vector);
	svm_pmu_set_halted(&m->pmu, false);
	m->halting = false;
	run_token_wake(frame);
}

bool startup_prepare_quantum(struct svm_frame *frame, bool writes)
{
	const unsigned cpu = frame->monitor->cpu;
	const bool init = cpus[cpu].init;
	bool starts;

	if (init)
		take_init(frame);
	starts = cpus[cpu].startup && frame->monitor->halting && !cpus[cpu].started;
	if (starts)
		take_startup(frame);
	else if (!init) {
		// What is injected comes first; the instruction will fault again.
		if (writes && !frame->vmcb->event_injection)
			prepare_write(frame);
		return false;
	}
	svm_prepare_entry(frame, 0);
	return starts;
}
